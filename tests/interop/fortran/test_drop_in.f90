! SPDX-License-Identifier: BSD-3-Clause
!> The drop-in for RRTMG_LW, called as climate models call the original. The argument says what is tested.
program test_drop_in
  use host_model
  use rrtmg_lw_init, only: rrtmg_lw_ini
  use rrtmg_lw_rad, only: rrtmg_lw
  use rrtmg_lw_rad_nomcica, only: rrtmg_lw_nomcica => rrtmg_lw
  use rrtmg_lw_parhelion, only: rrtmg_lw_set_error_handler, rrtmg_lw_error_handler
  use mcica_subcol_gen_lw, only: mcica_subcol_lw, get_alpha
  implicit none

  real(rb), parameter :: cpdair = 1004
  character(64) :: what
  character(512) :: message = ""

  call get_command_argument(1, what)
  select case (what)
  case ("clear")
    call need_data()
    call test_ways("case_clear_a.nc", .false.)
  case ("clouds")
    call need_data()
    call test_ways("case_cloud_a.nc", .true.)
  case ("allocations")
    call need_data()
    call test_allocations()
  case ("threads")
    call need_data()
    call test_threads()
  case ("sections")
    call need_data()
    call test_sections()
  case ("derivatives")
    call need_data()
    call test_derivatives()
  case ("heat_capacity")
    call need_data()
    call test_heat_capacity()
  case ("icld")
    call need_data()
    call test_icld()
  case ("layers")
    call need_data()
    call test_layers()
  case ("fewer_layers")
    call need_data()
    call test_fewer_layers()
  case ("bands")
    call need_data()
    call test_bands()
  case ("roughly")
    call need_data()
    call test_roughly()
  case ("lenient")
    call need_data()
    call test_lenient()
  case ("subcolumns")
    call test_subcolumns()
  case ("handler")
    call test_handler()
  case ("stop")
    call test_stop()
  case ("stop_partly_cloudy")
    call need_data()
    call test_partly_cloudy()
  case ("draw")
    call need_data()
    call test_partly_cloudy()
  case ("before_ini")
    call test_before_ini()
  case default
    print "(2a)", "unknown test: ", trim(what)
    error stop 1
  end select
  call finish()

contains

  !> Columns first to last, which have the same flags.
  subroutine solve(a, r, first, last, icld, idrv)
    type(atmosphere), intent(in) :: a
    type(radiation), intent(inout) :: r
    integer, intent(in) :: first, last, icld, idrv
    integer(im) :: overlap

    overlap = icld
    call rrtmg_lw(last - first + 1_im, int(a%nlay, im), overlap, int(idrv, im), a%play(first:, :), a%plev(first:, :), &
                  a%tlay(first:, :), a%tlev(first:, :), a%tsfc(first:), a%h2ovmr(first:, :), a%o3vmr(first:, :), &
                  a%co2vmr(first:, :), a%ch4vmr(first:, :), a%n2ovmr(first:, :), a%o2vmr(first:, :), &
                  a%cfc11vmr(first:, :), a%cfc12vmr(first:, :), a%cfc22vmr(first:, :), a%ccl4vmr(first:, :), &
                  a%emis(first:, :), a%inflg(first), a%iceflg(first), a%liqflg(first), a%cldf(:, first:, :), &
                  a%tauc(:, first:, :), a%ciwp(:, first:, :), a%clwp(:, first:, :), a%reic(first:, :), &
                  a%relq(first:, :), a%tauaer(first:, :, :), r%uflx(first:, :), r%dflx(first:, :), r%hr(first:, :), &
                  r%uflxc(first:, :), r%dflxc(first:, :), r%hrc(first:, :), r%duflx_dt(first:, :), &
                  r%duflxc_dt(first:, :))
  end subroutine solve

  !> Whole, in chunks, a column at a time, by two threads, and again after other weather.
  subroutine test_ways(file, clouds)
    character(*), intent(in) :: file
    logical, intent(in) :: clouds
    type(atmosphere) :: a, other
    type(radiation) :: reference, whole, r
    integer :: icld, width, first, chunk

    call rrtmg_lw_ini(cpdair)
    call read_atmosphere(file, 32, clouds, .false., .false., a, reference)
    icld = merge(2, 0, clouds)
    ! With clouds four columns have the same flags.
    width = merge(4, 32, clouds)

    call make_radiation(a, whole)
    do first = 1, a%ncol, width
      call solve(a, whole, first, first + width - 1, icld, 0)
    end do
    call expect_reference(a, whole, reference, "whole")
    call expect(all(whole%duflx_dt /= whole%duflx_dt), "duflx_dt is not written without idrv")

    call make_radiation(a, r)
    chunk = merge(3, 7, clouds)
    do first = 1, a%ncol, chunk
      if (clouds) exit
      call solve(a, r, first, min(first + chunk - 1, a%ncol), icld, 0)
    end do
    do first = 1, a%ncol, 4
      if (.not. clouds) exit
      call solve(a, r, first, first + 2, icld, 0)
      call solve(a, r, first + 3, first + 3, icld, 0)
    end do
    call expect_same(r, whole, "in chunks")

    ! The next time step is warmer, and moister.
    other = a
    other%tlay = a%tlay + 1
    other%tlev = a%tlev + 1
    other%h2ovmr = a%h2ovmr * 1.1_rb
    call make_radiation(a, r)
    do first = 1, a%ncol
      call solve(other, r, first, first, icld, 0)
    end do
    call expect(.not. same_bits(r%uflx, whole%uflx), "another atmosphere has other fluxes")

    call make_radiation(a, r)
    do first = 1, a%ncol
      call solve(a, r, first, first, icld, 0)
    end do
    call expect_same(r, whole, "a column at a time, after other weather")

    call make_radiation(a, r)
    !$omp parallel do num_threads(2) schedule(dynamic, 1)
    do first = 1, a%ncol, 4
      call solve(a, r, first, first + 3, icld, 0)
    end do
    !$omp end parallel do
    call expect_same(r, whole, "from two threads")

    call make_radiation(a, r)
    !$omp parallel do num_threads(2) schedule(dynamic, 1)
    do first = 1, a%ncol
      call solve(a, r, first, first, icld, 0)
    end do
    !$omp end parallel do
    call expect_same(r, whole, "from two threads, a column at a time")
  end subroutine test_ways

  !> More threads than cores, each of which initializes, with one column or a few and more or fewer layers.
  subroutine test_threads()
    type(atmosphere) :: a, low
    type(radiation) :: reference, whole, whole_low, r, r_low
    integer :: first

    call read_atmosphere("case_clear_a.nc", 32, .false., .false., .false., a, reference)
    low = a
    low%nlay = 17
    call make_radiation(a, r)
    call make_radiation(low, r_low)
    !$omp parallel num_threads(5)
    call rrtmg_lw_ini(cpdair)
    !$omp do schedule(dynamic, 1)
    do first = 1, 32, 2
      call solve(low, r_low, first, first + 1, 0, 0)
      call solve(a, r, first, first, 0, 0)
      call solve(a, r, first + 1, first + 1, 0, 0)
    end do
    !$omp end do
    !$omp end parallel
    call expect_reference(a, r, reference, "from five threads")
    call make_radiation(a, whole)
    call make_radiation(low, whole_low)
    call solve(a, whole, 1, 32, 0, 0)
    call solve(low, whole_low, 1, 32, 0, 0)
    call expect_same(r, whole, "from five threads")
    call expect_same(r_low, whole_low, "from five threads, fewer layers")
  end subroutine test_threads

  !> Every second column of arrays that have the top first.
  subroutine test_sections()
    type(atmosphere) :: a
    type(radiation) :: reference, whole, r
    real(rb), allocatable, dimension(:, :) :: play, plev, tlay, tlev, h2ovmr, uflx, dflx, hr, uflxc, dflxc, hrc
    real(rb), allocatable :: tsfc(:)
    integer :: n, nlay
    integer(im) :: icld

    call rrtmg_lw_ini(cpdair)
    call read_atmosphere("case_clear_a.nc", 32, .false., .false., .false., a, reference)
    call make_radiation(a, whole)
    call solve(a, whole, 1, 32, 0, 0)
    n = a%ncol
    nlay = a%nlay
    allocate (play(2 * n, nlay), plev(2 * n, nlay + 1), tsfc(2 * n))
    play = nan()
    plev = nan()
    tsfc = nan()
    tlay = play
    tlev = plev
    h2ovmr = play
    uflx = plev
    dflx = plev
    uflxc = plev
    dflxc = plev
    hr = play
    hrc = play
    play(2::2, nlay:1:-1) = a%play(:n, :nlay)
    tlay(2::2, nlay:1:-1) = a%tlay(:n, :nlay)
    h2ovmr(2::2, nlay:1:-1) = a%h2ovmr(:n, :nlay)
    plev(2::2, nlay + 1:1:-1) = a%plev(:n, :nlay + 1)
    tlev(2::2, nlay + 1:1:-1) = a%tlev(:n, :nlay + 1)
    tsfc(2::2) = a%tsfc(:n)
    icld = 0
    call rrtmg_lw(int(n, im), int(nlay, im), icld, 0_im, play(2::2, nlay:1:-1), plev(2::2, nlay + 1:1:-1), &
                  tlay(2::2, nlay:1:-1), tlev(2::2, nlay + 1:1:-1), tsfc(2::2), h2ovmr(2::2, nlay:1:-1), a%o3vmr, &
                  a%co2vmr, a%ch4vmr, a%n2ovmr, a%o2vmr, a%cfc11vmr, a%cfc12vmr, a%cfc22vmr, a%ccl4vmr, a%emis, &
                  2_im, 3_im, 1_im, a%cldf, a%tauc, a%ciwp, a%clwp, a%reic, a%relq, a%tauaer, &
                  uflx(2::2, nlay + 1:1:-1), dflx(2::2, nlay + 1:1:-1), hr(2::2, nlay:1:-1), &
                  uflxc(2::2, nlay + 1:1:-1), dflxc(2::2, nlay + 1:1:-1), hrc(2::2, nlay:1:-1))
    call make_radiation(a, r)
    r%uflx(:n, :nlay + 1) = uflx(2::2, nlay + 1:1:-1)
    r%dflx(:n, :nlay + 1) = dflx(2::2, nlay + 1:1:-1)
    r%uflxc(:n, :nlay + 1) = uflxc(2::2, nlay + 1:1:-1)
    r%dflxc(:n, :nlay + 1) = dflxc(2::2, nlay + 1:1:-1)
    r%hr(:n, :nlay) = hr(2::2, nlay:1:-1)
    r%hrc(:n, :nlay) = hrc(2::2, nlay:1:-1)
    call expect_same(r, whole, "sections, without the optional arguments")
    call expect(all(uflx(1::2, :) /= uflx(1::2, :)), "uflx is written between the columns")
    call expect(all(hr(1::2, :) /= hr(1::2, :)), "hr is written between the columns")
  end subroutine test_sections

  subroutine test_derivatives()
    type(atmosphere) :: a
    type(radiation) :: reference, r, s
    integer(im) :: icld
    integer :: first

    call rrtmg_lw_ini(cpdair)
    call read_atmosphere("debug_a.nc", 4, .true., .true., .true., a, reference)
    call make_radiation(a, r)
    do first = 1, 4
      call solve(a, r, first, first, 2, 1)
    end do
    call expect_reference(a, r, reference, "idrv")
    call expect_near(r%duflx_dt, reference%duflx_dt, 4, 52, merge(1e-5_rb, 1e-3_rb, rb == c_double), "duflx_dt")
    call expect_near(r%duflxc_dt, reference%duflxc_dt, 4, 52, merge(1e-5_rb, 1e-3_rb, rb == c_double), "duflxc_dt")

    ! Neither has to be there.
    icld = 2
    call make_radiation(a, s)
    call rrtmg_lw(1_im, 51_im, icld, 1_im, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, a%co2vmr, &
                  a%ch4vmr, a%n2ovmr, a%o2vmr, a%cfc11vmr, a%cfc12vmr, a%cfc22vmr, a%ccl4vmr, a%emis, a%inflg(1), &
                  a%iceflg(1), a%liqflg(1), a%cldf, a%tauc, a%ciwp, a%clwp, a%reic, a%relq, a%tauaer, s%uflx, s%dflx, &
                  s%hr, s%uflxc, s%dflxc, s%hrc)
    call expect(same_bits(r%uflx(:1, :), s%uflx(:1, :)), "uflx is the same without the optional arguments")
    call expect(same_bits(r%hr(:1, :), s%hr(:1, :)), "hr is the same without the optional arguments")
  end subroutine test_derivatives

  subroutine test_heat_capacity()
    use rrlw_con, only: heatfac
    type(atmosphere) :: a
    type(radiation) :: reference, r, s
    real(rb), parameter :: other = 1004.64_rb
    real(rb) :: worst, before

    call read_atmosphere("case_clear_a.nc", 32, .false., .false., .false., a, reference)
    call make_radiation(a, r)
    call make_radiation(a, s)
    call rrtmg_lw_ini(cpdair)
    before = heatfac
    call solve(a, r, 1, 32, 0, 0)
    call rrtmg_lw_ini(other)
    call expect(abs(before * cpdair / other - heatfac) < 4 * epsilon(before) * before, "heatfac follows cpdair")
    call solve(a, s, 1, 32, 0, 0)
    call expect(same_bits(r%uflx, s%uflx), "uflx does not depend on cpdair")
    worst = maxval(abs(s%hr(:32, :51) - r%hr(:32, :51) * (cpdair / other)) / max(abs(r%hr(:32, :51)), 1e-3_rb))
    call expect(worst < 8 * epsilon(worst), "heating rates scale by cpdair")
    call expect(.not. same_bits(r%hr, s%hr), "heating rates depend on cpdair")
    call rrtmg_lw_ini(cpdair)
    call make_radiation(a, s)
    call solve(a, s, 1, 32, 0, 0)
    call expect_same(r, s, "the first cpdair again")
  end subroutine test_heat_capacity

  !> A call for four columns with clouds, with a variable of the caller for icld.
  subroutine solve_four(a, r, icld)
    type(atmosphere), intent(in) :: a
    type(radiation), intent(inout) :: r
    integer(im), intent(inout) :: icld

    call rrtmg_lw(4_im, int(a%nlay, im), icld, 0_im, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, &
                  a%co2vmr, a%ch4vmr, a%n2ovmr, a%o2vmr, a%cfc11vmr, a%cfc12vmr, a%cfc22vmr, a%ccl4vmr, a%emis, &
                  a%inflg(1), a%iceflg(1), a%liqflg(1), a%cldf, a%tauc, a%ciwp, a%clwp, a%reic, a%relq, a%tauaer, &
                  r%uflx, r%dflx, r%hr, r%uflxc, r%dflxc, r%hrc)
  end subroutine solve_four

  subroutine test_icld()
    type(atmosphere) :: a
    type(radiation) :: reference, r, s
    integer(im), parameter :: given(6) = [2, 1, 3, 7, -1, 0], expected(6) = [2, 1, 3, 2, 2, 0]
    integer(im) :: icld
    integer :: k

    call rrtmg_lw_ini(cpdair)
    call read_atmosphere("case_cloud_a.nc", 32, .true., .false., .false., a, reference)
    do k = 1, size(given)
      icld = given(k)
      call make_radiation(a, s)
      call solve_four(a, s, icld)
      call expect(icld == expected(k), "icld outside of 0 to 3 becomes 2, others stay")
      if (k == 1) r = s
      if (icld > 0) call expect_same(r, s, "icld does not matter for clouds of g-points")
      if (icld == 0) call expect(same_bits(s%uflx, r%uflxc), "without clouds uflx is uflxc")
    end do
  end subroutine test_icld

  !> Without McICA overcast layers are those whose g-points are all cloudy.
  subroutine test_layers()
    type(atmosphere) :: a, g
    type(radiation) :: reference, r, s, t
    real(rb), allocatable :: fraction(:, :), tau(:, :, :)
    integer(im) :: icld
    integer :: band, input, n, nlay

    call rrtmg_lw_ini(cpdair)
    call read_atmosphere("case_cloud_a.nc", 32, .true., .false., .false., a, reference)
    n = a%ncol
    nlay = a%nlay
    allocate (fraction(n, nlay), tau(16, n, nlay))
    ! Rounding may have changed a 0 or a 1 by as much as the original neglects; without water any fraction is 0.
    fraction = 0
    fraction(:, 5:7) = 1
    fraction(:, 20) = 1 - 5e-7_rb
    fraction(:, 22) = 5e-7_rb
    fraction(:, 30) = 0.5_rb
    g = a
    g%reic(:n, :nlay) = 40
    g%relq(:n, :nlay) = 12
    g%ciwp = 0
    g%clwp = 0
    g%ciwp(:, :, 20:22) = 10
    g%clwp(:, :, 5:7) = 30
    g%cldf = 0
    g%cldf(:, :, 5:7) = 1
    g%cldf(:, :, 20) = 1
    g%tauc = 0
    tau = 0
    do band = 1, 16
      tau(band, :, 5:7) = 0.1_rb * band
      tau(band, :, 20:22) = 1
    end do
    block
      use rrlw_wvn, only: ngb
      integer :: gpoint
      do gpoint = 1, 140
        g%tauc(gpoint, :n, :nlay) = tau(ngb(gpoint), :, :)
      end do
    end block
    do input = 0, 2, 2
      g%inflg = int(input, im)
      g%iceflg = 3
      g%liqflg = 1
      call make_radiation(a, r)
      call make_radiation(a, s)
      call make_radiation(a, t)
      call solve(g, r, 1, n, 2, 0)
      icld = 2
      call rrtmg_lw(int(n, im), int(nlay, im), icld, 0_im, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, &
                    a%co2vmr, a%ch4vmr, a%n2ovmr, a%o2vmr, a%cfc11vmr, a%cfc12vmr, a%cfc22vmr, a%ccl4vmr, a%emis, &
                    g%inflg(1), 3_im, 1_im, fraction, tau, g%ciwp(1, :, :), g%clwp(1, :, :), g%reic, g%relq, a%tauaer, &
                    s%uflx, s%dflx, s%hr, s%uflxc, s%dflxc, s%hrc)
      call expect_same(r, s, "overcast and clear layers")
      call expect(.not. same_bits(r%uflx, r%uflxc), "clouds have an effect")
      icld = 1
      call rrtmg_lw_nomcica(int(n, im), int(nlay, im), icld, 0_im, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, &
                            a%o3vmr, a%co2vmr, a%ch4vmr, a%n2ovmr, a%o2vmr, a%cfc11vmr, a%cfc12vmr, a%cfc22vmr, &
                            a%ccl4vmr, a%emis, g%inflg(1), 3_im, 1_im, fraction, tau, g%ciwp(1, :, :), &
                            g%clwp(1, :, :), g%reic, g%relq, a%tauaer, t%uflx, t%dflx, t%hr, t%uflxc, t%dflxc, t%hrc)
      call expect_same(r, t, "the module rrtmg_lw_rad_nomcica")
    end do
  end subroutine test_layers

  !> A column of the lower layers alone gives what it gave before calls with more layers.
  subroutine test_fewer_layers()
    type(atmosphere) :: a
    type(radiation) :: reference, first, r, s

    call rrtmg_lw_ini(cpdair)
    call read_atmosphere("case_clear_a.nc", 32, .false., .false., .false., a, reference)
    a%nlay = 20
    call make_radiation(a, first)
    call solve(a, first, 1, 8, 0, 0)
    a%nlay = 51
    call make_radiation(a, r)
    call solve(a, r, 1, 32, 0, 0)
    call expect_reference(a, r, reference, "more layers")
    a%nlay = 20
    call make_radiation(a, s)
    call solve(a, s, 1, 8, 0, 0)
    call expect_same(first, s, "fewer layers again")
    a%nlay = 1
    call make_radiation(a, s)
    call solve(a, s, 1, 8, 0, 0)
    call expect(all(s%uflx(:8, :2) > 0), "one layer")
  end subroutine test_fewer_layers

  !> Calls after the first ones need no more memory of C++, with fewer layers neither.
  subroutine test_allocations()
    type(atmosphere) :: a
    type(radiation) :: reference, r
    integer(c_long) :: before

    call rrtmg_lw_ini(cpdair)
    call read_atmosphere("case_cloud_a.nc", 32, .true., .false., .false., a, reference)
    call make_radiation(a, r)
    call solve(a, r, 1, 32, 2, 0)
    a%nlay = 20
    call solve(a, r, 1, 8, 2, 0)
    before = number_of_allocations()
    call solve(a, r, 1, 8, 2, 0)
    a%nlay = 51
    call solve(a, r, 1, 32, 2, 0)
    call expect(number_of_allocations() == before, "repeated calls do not allocate")
  end subroutine test_allocations

  !> The form of climlab.
  subroutine test_bands()
    type(atmosphere) :: a
    type(radiation) :: reference, r, s
    real(rb) :: olr(40, 16), sums(32), worst
    integer(im) :: icld, ispec

    call rrtmg_lw_ini(cpdair)
    call read_atmosphere("case_clear_a.nc", 32, .false., .false., .false., a, reference)
    call make_radiation(a, r)
    call solve(a, r, 1, 32, 0, 0)
    do ispec = 0, 1
      icld = 0
      olr = nan()
      call make_radiation(a, s)
      call rrtmg_lw(32_im, 51_im, icld, ispec, 0_im, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, &
                    a%co2vmr, a%ch4vmr, a%n2ovmr, a%o2vmr, a%cfc11vmr, a%cfc12vmr, a%cfc22vmr, a%ccl4vmr, a%emis, &
                    2_im, 3_im, 1_im, a%cldf, a%tauc, a%ciwp, a%clwp, a%reic, a%relq, a%tauaer, olr, s%uflx, s%dflx, &
                    s%hr, s%uflxc, s%dflxc, s%hrc, s%duflx_dt, s%duflxc_dt)
      worst = maxval(abs(s%uflx(:32, :52) - r%uflx(:32, :52)))
      call expect(worst < 1000 * epsilon(worst) * 600, "fluxes are those without olr_sr")
      if (ispec == 0) call expect(all(olr /= olr), "olr_sr is not written without ispec")
      if (ispec == 1) then
        sums = sum(olr(:32, :), dim=2)
        call expect(maxval(abs(sums - s%uflx(:32, 52))) < 100 * epsilon(worst) * 600, "bands add up")
        call expect(all(olr(33:, :) /= olr(33:, :)), "olr_sr is not written beyond ncol")
      end if
    end do
  end subroutine test_bands

  !> With other settings of the environment: near the reference, but not the same digits.
  subroutine test_roughly()
    type(atmosphere) :: a
    type(radiation) :: reference, r
    real(rb) :: worst

    call rrtmg_lw_ini(cpdair)
    call read_atmosphere("case_clear_a.nc", 32, .false., .false., .false., a, reference)
    call make_radiation(a, r)
    call solve(a, r, 1, 32, 0, 0)
    worst = maxval(abs(r%uflx(:32, :52) - reference%uflx(:32, :52)))
    call expect(worst > 1e-5_rb .and. worst < 0.05_rb, "uflx is near the reference, but not the same")
  end subroutine test_roughly

  !> What models pass that is slightly wrong is taken as the nearest right value, and counted at the end.
  subroutine test_lenient()
    type(atmosphere) :: a, wrong
    type(radiation) :: reference, r, s

    call rrtmg_lw_ini(cpdair)
    call read_atmosphere("case_cloud_a.nc", 32, .true., .false., .false., a, reference)
    a%h2ovmr(1, 40) = 0
    a%emis(1, :) = 1
    a%reic(1, :) = max(a%reic(1, :), 5.0_rb)
    wrong = a
    wrong%h2ovmr(1, 40) = -1e-12_rb
    wrong%emis(1, :) = 1 + 1e-6_rb
    wrong%tauaer(1, 3, 4) = -1e-12_rb
    ! Where there is no water sizes do not matter.
    where (a%ciwp(1, :, :) <= 0 .and. maxval(a%ciwp, dim=1) <= 0) wrong%reic = 0
    where (a%clwp(1, :, :) <= 0 .and. maxval(a%clwp, dim=1) <= 0) wrong%relq = 0
    call make_radiation(a, r)
    call make_radiation(a, s)
    call solve(a, r, 1, 4, 2, 0)
    call solve(wrong, s, 1, 4, 2, 0)
    call expect_same(r, s, "slightly wrong values")
  end subroutine test_lenient

  !> They need neither coefficients nor rrtmg_lw_ini().
  subroutine test_subcolumns()
    integer, parameter :: ncol = 200, nlay = 30
    real(rb), dimension(ncol, nlay) :: play, fraction, ice, liquid, rei, rel, dz, alpha
    real(rb) :: lat(ncol), distance
    real(rb), allocatable, dimension(:, :, :) :: tau, f, c, l, t, f2, c2, l2, t2
    real(rb), dimension(ncol, nlay) :: rei2, rel2
    integer(im) :: irng
    integer :: column, layer

    allocate (tau(16, ncol, nlay), f(140, ncol, nlay))
    f = nan()
    c = f
    l = f
    t = f
    f2 = f
    c2 = f
    l2 = f
    t2 = f
    do layer = 1, nlay
      do column = 1, ncol
        play(column, layer) = 1000 - 30 * layer + 0.013_rb * column
        fraction(column, layer) = merge(0.3_rb, 0.0_rb, layer > 10 .and. layer < 16)
      end do
    end do
    fraction(:, 20) = 1
    ice = fraction * 2
    liquid = fraction * 3
    rei = 30
    rel = 10
    tau = 0.5_rb
    irng = 9
    f = nan()
    call mcica_subcol_lw(1_im, int(ncol, im), int(nlay, im), 2_im, 1_im, irng, play, fraction, ice, liquid, rei, rel, &
                         tau, f, c, l, rei2, rel2, t)
    call expect(irng == 1, "irng becomes 1")
    call expect(all(f == 0 .or. f == 1), "layers are cloudy or clear")
    call expect(all(f(:, :, 20) == 1) .and. all(f(:, :, 1:10) == 0), "overcast and clear layers are that")
    call expect(abs(sum(f(:, :, 11:15)) / (140.0_rb * ncol * 5) - 0.3_rb) < 0.01_rb, "the mean is the cloud fraction")
    do layer = 1, nlay
      do column = 1, ncol
        call expect(all(c(:, column, layer) == f(:, column, layer) * ice(column, layer)), "ice is in clouds")
        call expect(all(l(:, column, layer) == f(:, column, layer) * liquid(column, layer)), "droplets are in clouds")
        call expect(all(t(:, column, layer) == f(:, column, layer) * 0.5_rb), "optical depth is in clouds")
      end do
    end do
    call expect(all(rei2 == rei) .and. all(rel2 == rel), "sizes are copied")
    ! Maximum overlap within the block of equal fractions.
    call expect(all(f(:, :, 11) == f(:, :, 15)), "neighbouring clouds lie over each other")

    ! However columns are divided.
    f2 = nan()
    do column = 1, ncol, 50
      call mcica_subcol_lw(1_im, 50_im, int(nlay, im), 2_im, 1_im, irng, play(column:, :), fraction(column:, :), &
                           ice(column:, :), liquid(column:, :), rei(column:, :), rel(column:, :), tau(:, column:, :), &
                           f2(:, column:, :), c2(:, column:, :), l2(:, column:, :), rei2(column:, :), &
                           rel2(column:, :), t2(:, column:, :))
    end do
    call expect(all(f2 == f), "subcolumns do not depend on chunks")
    call mcica_subcol_lw(1_im, int(ncol, im), int(nlay, im), 2_im, 141_im, irng, play, fraction, ice, liquid, rei, &
                         rel, tau, f2, c2, l2, rei2, rel2, t2)
    call expect(abs(sum(f2(:, :, 12) * f(:, :, 12)) / (140.0_rb * ncol) - 0.09_rb) < 0.02_rb, &
                "another seed gives independent subcolumns")

    ! Overlap that decreases with the distance.
    dz = 500
    lat = 10
    call get_alpha(1_im, int(ncol, im), int(nlay, im), 4_im, 0_im, 2000.0_rb, dz, lat, 100_im, fraction, alpha)
    call expect(all(alpha(:, 1) == 0), "alpha is 0 in the lowest layer")
    call expect(maxval(abs(alpha(:, 2:) - exp(-0.25_rb))) < 4 * epsilon(1.0_rb), "alpha is exp(-distance / length)")
    call mcica_subcol_lw(1_im, int(ncol, im), int(nlay, im), 4_im, 1_im, irng, play, fraction, ice, liquid, rei, rel, &
                         tau, alpha, f, c, l, rei2, rel2, t)
    do layer = 12, 15
      distance = layer - 11
      ! Both cloudy: by chance where the ranks are independent, always where they are the same.
      call expect(abs(sum(f(:, :, 11) * f(:, :, layer)) / (140.0_rb * ncol) - &
                      (0.09_rb + 0.21_rb * exp(-0.25_rb * distance))) < 0.02_rb, "overlap follows alpha")
    end do
    call get_alpha(1_im, int(ncol, im), int(nlay, im), 5_im, 1_im, 2000.0_rb, dz, lat, 100_im, fraction, alpha)
    call expect(all(alpha(:, 16) == 0) .and. all(alpha(:, 15) > 0), "blocks of clouds are independent with icld 5")
    ! Oreopoulos et al. (2012) at the maximum of their curve: 1.4315 + 2.1219 km.
    lat = 28 * (100 - 91) / 365.0_rb
    call get_alpha(1_im, int(ncol, im), int(nlay, im), 4_im, 1_im, 2000.0_rb, dz, lat, 100_im, fraction, alpha)
    call expect(maxval(abs(alpha(:, 2:) - exp(-500 / 3553.4_rb))) < 1e-5_rb, "the length depends on the latitude")

    ! Nothing is done without clouds.
    f = nan()
    call mcica_subcol_lw(1_im, int(ncol, im), int(nlay, im), 0_im, 1_im, irng, play, fraction, ice, liquid, rei, rel, &
                         tau, f, c, l, rei2, rel2, t)
    call expect(all(f /= f), "icld = 0 does nothing")
  end subroutine test_subcolumns

  subroutine keep_message(text)
    character(*), intent(in) :: text
    message = text
  end subroutine keep_message

  !> A model may have its own way to stop.
  subroutine test_handler()
    procedure(rrtmg_lw_error_handler), pointer :: handler
    real(rb) :: a(2, 3), f(140, 2, 3), tau(16, 2, 3)
    integer(im) :: irng

    handler => keep_message
    call rrtmg_lw_set_error_handler(handler)
    call rrtmg_lw_ini(-1.0_rb)
    call expect(index(message, "cpdair = -1, expected > 0") > 0, "the handler gets the message: " // trim(message))
    a = 0
    tau = 0
    irng = 1
    call mcica_subcol_lw(1_im, 2_im, 3_im, 4_im, 1_im, irng, a, a, a, a, a, a, tau, f, f, f, a, a, f)
    call expect(index(message, "icld = 4") > 0, "icld 4 needs alpha: " // trim(message))
  end subroutine test_handler

  subroutine test_stop()
    call rrtmg_lw_ini(-1.0_rb)
    print "(a)", "this line is not reached"
  end subroutine test_stop

  subroutine test_before_ini()
    type(atmosphere) :: a
    type(radiation) :: reference, r

    call need_data()
    call read_atmosphere("case_clear_a.nc", 32, .false., .false., .false., a, reference)
    call make_radiation(a, r)
    call solve(a, r, 1, 1, 0, 0)
  end subroutine test_before_ini

  !> A partly cloudy layer without McICA: the program stops, unless it may draw.
  subroutine test_partly_cloudy()
    type(atmosphere) :: a
    type(radiation) :: reference, r
    real(rb) :: fraction(32, 51), water(32, 51), size_(32, 51), tau(16, 32, 51), mean
    integer(im) :: icld

    call rrtmg_lw_ini(cpdair)
    call read_atmosphere("case_clear_a.nc", 32, .false., .false., .false., a, reference)
    call make_radiation(a, r)
    fraction = 0
    fraction(:, 10) = 0.5_rb
    water = 100
    size_ = 20
    tau = 0
    icld = 2
    call rrtmg_lw(32_im, 51_im, icld, 0_im, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, a%co2vmr, &
                  a%ch4vmr, a%n2ovmr, a%o2vmr, a%cfc11vmr, a%cfc12vmr, a%cfc22vmr, a%ccl4vmr, a%emis, 2_im, 3_im, &
                  1_im, fraction, tau, water, water, size_, size_, a%tauaer, r%uflx, r%dflx, r%hr, r%uflxc, r%dflxc, &
                  r%hrc)
    ! An overcast layer would lower the outgoing radiation by more.
    mean = sum(r%uflxc(:32, 52) - r%uflx(:32, 52)) / 32
    call expect(mean > 0.5_rb .and. mean < 60, "half of a layer has clouds")
  end subroutine test_partly_cloudy

end program test_drop_in
