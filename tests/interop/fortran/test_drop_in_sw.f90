! SPDX-License-Identifier: BSD-3-Clause
!> The drop-in for RRTMG_SW, called as climate models call the original. The argument says what is tested.
program test_drop_in_sw
  use host_model_sw
  use rrtmg_sw_init, only: rrtmg_sw_ini
  use rrtmg_sw_rad, only: rrtmg_sw
  use rrtmg_sw_rad_nomcica, only: rrtmg_sw_nomcica => rrtmg_sw
  use rrtmg_sw_parhelion, only: rrtmg_sw_set_error_handler, rrtmg_sw_error_handler
  use mcica_subcol_gen_sw, only: mcica_subcol_sw, get_alpha
  implicit none

  real(rb), parameter :: cpdair = 1004
  character(64) :: what
  character(512) :: message = ""

  call get_command_argument(1, what)
  if (what /= "subcolumns" .and. what /= "handler" .and. what /= "stop") call need_data()
  select case (what)
  case ("clear")
    call test_ways("case_sw_clear_a.nc", .false., .false., 32)
  case ("clouds")
    call test_ways("case_sw_cloud_a.nc", .true., .false., 4)
  case ("aerosol")
    call test_ways("case_sw_aerosol_a.nc", .true., .true., 1)
  case ("threads")
    call test_threads()
  case ("sections")
    call test_sections()
  case ("heat_capacity")
    call test_heat_capacity()
  case ("flags")
    call test_flags()
  case ("sun")
    call test_sun()
  case ("forms")
    call test_forms()
  case ("allocations")
    call test_allocations()
  case ("layers")
    call test_layers()
  case ("fewer_layers")
    call test_fewer_layers()
  case ("night")
    call test_night()
  case ("roughly")
    call test_roughly()
  case ("lenient")
    call test_lenient()
  case ("both")
    call test_both()
  case ("subcolumns")
    call test_subcolumns()
  case ("handler")
    call test_handler()
  case ("stop")
    call rrtmg_sw_ini(-1.0_rb)
    print "(a)", "this line is not reached"
  case ("before_ini")
    call test_before_ini()
  case ("stop_partly_cloudy", "draw")
    call test_partly_cloudy()
  case default
    print "(2a)", "unknown test: ", trim(what)
    error stop 1
  end select
  call finish()

contains

  !> Columns first to last, with the flags and the sun of column k.
  subroutine solve(a, r, first, last, k)
    type(sunny_atmosphere), intent(in) :: a
    type(sunlight), intent(inout) :: r
    integer, intent(in) :: first, last, k
    real(rb), allocatable :: indices(:), factors(:), fraction
    integer(im) :: icld, iaer

    ! An allocatable that is not allocated is an argument that is not there.
    if (a%has_indsolvar(k) /= 0) then
      indices = a%indsolvar(k, :2)
      fraction = a%solcycfrac(k)
    end if
    if (a%has_bndsolvar(k) /= 0) factors = a%bndsolvar(k, :14)
    icld = a%icld(k)
    iaer = a%iaer(k)
    call rrtmg_sw(last - first + 1_im, int(a%nlay, im), icld, iaer, a%play(first:, :), a%plev(first:, :), &
                  a%tlay(first:, :), a%tlev(first:, :), a%tsfc(first:), a%h2ovmr(first:, :), a%o3vmr(first:, :), &
                  a%co2vmr(first:, :), a%ch4vmr(first:, :), a%n2ovmr(first:, :), a%o2vmr(first:, :), a%asdir(first:), &
                  a%asdif(first:), a%aldir(first:), a%aldif(first:), a%coszen(first:), a%adjes(k), a%dyofyr(k), &
                  a%scon(k), a%isolvar(k), a%inflg(k), a%iceflg(k), a%liqflg(k), a%cldf(:, first:, :), &
                  a%tauc(:, first:, :), a%ssac(:, first:, :), a%asmc(:, first:, :), a%fsfc(:, first:, :), &
                  a%ciwp(:, first:, :), a%clwp(:, first:, :), a%reic(first:, :), a%relq(first:, :), &
                  a%tauaer(first:, :, :), a%ssaaer(first:, :, :), a%asmaer(first:, :, :), a%ecaer(first:, :, :), &
                  r%uflx(first:, :), r%dflx(first:, :), r%hr(first:, :), r%uflxc(first:, :), r%dflxc(first:, :), &
                  r%hrc(first:, :), factors, indices, fraction)
  end subroutine solve

  !> Each column with its own sun is the reference's. With the same sun for `width` columns at a time they are the same
  !! whole, in chunks, a column at a time, by two threads, and again after other weather.
  subroutine test_ways(file, clouds, aerosol, width)
    character(*), intent(in) :: file
    logical, intent(in) :: clouds, aerosol
    integer, intent(in) :: width
    type(sunny_atmosphere) :: a, other
    type(sunlight) :: reference, whole, r
    integer :: first, k, chunk

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere(file, clouds, aerosol, a, reference)
    call make_sunlight(a, r)
    do k = 1, a%ncol
      call solve(a, r, k, k, k)
    end do
    call expect_reference_sunlight(a, r, reference, "each column with its sun")

    call make_sunlight(a, whole)
    do first = 1, a%ncol, width
      call solve(a, whole, first, first + width - 1, first)
    end do
    call expect(all(same_sun_as_first(a, width, whole, r)), "columns with the same sun are the same")

    call make_sunlight(a, r)
    chunk = max(width / 2 - 1, 1)
    do first = 1, a%ncol, width
      do k = first, first + width - 1, chunk
        call solve(a, r, k, min(k + chunk, first + width) - 1, first)
      end do
    end do
    call expect_same_sunlight(r, whole, "in chunks")

    ! The next time step is warmer, and moister.
    other = a
    other%tlay = a%tlay + 1
    other%h2ovmr = a%h2ovmr * 1.1_rb
    call make_sunlight(a, r)
    do k = 1, a%ncol
      call solve(other, r, k, k, k)
    end do
    call expect(.not. same_bits(r%uflx, whole%uflx), "another atmosphere has other fluxes")

    call make_sunlight(a, r)
    do k = 1, a%ncol
      call solve(a, r, k, k, k - mod(k - 1, width))
    end do
    call expect_same_sunlight(r, whole, "a column at a time, after other weather")

    call make_sunlight(a, r)
    !$omp parallel do num_threads(2) schedule(dynamic, 1)
    do first = 1, a%ncol, min(width, 8)
      call solve(a, r, first, first + min(width, 8) - 1, first - mod(first - 1, width))
    end do
    !$omp end parallel do
    call expect_same_sunlight(r, whole, "from two threads")

    call make_sunlight(a, r)
    !$omp parallel do num_threads(2) schedule(dynamic, 1)
    do k = 1, a%ncol
      call solve(a, r, k, k, k - mod(k - 1, width))
    end do
    !$omp end parallel do
    call expect_same_sunlight(r, whole, "from two threads, a column at a time")
  end subroutine test_ways

  !> For the first column of each group, whether two results are the same.
  function same_sun_as_first(a, width, r, s) result(same)
    type(sunny_atmosphere), intent(in) :: a
    integer, intent(in) :: width
    type(sunlight), intent(in) :: r, s
    logical :: same(a%ncol / width)
    integer :: k, c

    do k = 1, size(same)
      c = (k - 1) * width + 1
      same(k) = same_bits(r%uflx(c:c, :), s%uflx(c:c, :)) .and. same_bits(r%hr(c:c, :), s%hr(c:c, :))
    end do
  end function same_sun_as_first

  !> More threads than cores, each of which initializes, with one column or two and more or fewer layers.
  subroutine test_threads()
    type(sunny_atmosphere) :: a, low
    type(sunlight) :: reference, whole, whole_low, r, r_low
    integer :: k

    call read_sunny_atmosphere("case_sw_clear_a.nc", .false., .false., a, reference)
    low = a
    low%nlay = 37
    call make_sunlight(a, r)
    call make_sunlight(low, r_low)
    !$omp parallel num_threads(5)
    call rrtmg_sw_ini(cpdair)
    !$omp do schedule(dynamic, 1)
    do k = 1, 32, 2
      call solve(low, r_low, k, k + 1, 3)
      call solve(a, r, k, k, k)
      call solve(a, r, k + 1, k + 1, k + 1)
    end do
    !$omp end do
    !$omp end parallel
    call expect_reference_sunlight(a, r, reference, "from five threads")
    call make_sunlight(low, whole_low)
    call solve(low, whole_low, 1, 32, 3)
    call expect_same_sunlight(r_low, whole_low, "from five threads, fewer layers")
    call make_sunlight(a, whole)
    do k = 1, 32
      call solve(a, whole, k, k, k)
    end do
    call expect_same_sunlight(r, whole, "from five threads")
  end subroutine test_threads

  !> Every tenth column, which has the first one's sun, of arrays that have the top first.
  subroutine test_sections()
    type(sunny_atmosphere) :: a
    type(sunlight) :: reference, r
    real(rb), allocatable, dimension(:, :) :: play, plev, tlay, h2ovmr, uflx, dflx, hr, uflxc, dflxc, hrc
    integer :: n, nlay
    integer(im) :: icld, iaer
    logical :: which(32)

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_clear_a.nc", .false., .false., a, reference)
    n = a%ncol
    nlay = a%nlay
    allocate (play(n, nlay), plev(n, nlay + 1))
    plev = nan()
    uflx = plev
    dflx = plev
    uflxc = plev
    dflxc = plev
    hr = plev(:, :nlay)
    hrc = hr
    tlay = a%tlay(:n, nlay:1:-1)
    h2ovmr = a%h2ovmr(:n, nlay:1:-1)
    play = a%play(:n, nlay:1:-1)
    plev = a%plev(:n, nlay + 1:1:-1)
    icld = 0
    iaer = 0
    ! isolvar -1 with scon 0, so that no optional argument counts.
    call expect(a%isolvar(1) == -1 .and. .not. a%scon(1) > 0, "the first column has the sun of Kurucz")
    call rrtmg_sw(4_im, int(nlay, im), icld, iaer, play(::10, nlay:1:-1), plev(::10, nlay + 1:1:-1), &
                  tlay(::10, nlay:1:-1), a%tlev, a%tsfc, h2ovmr(::10, nlay:1:-1), a%o3vmr(::10, :), &
                  a%co2vmr(::10, :), a%ch4vmr(::10, :), a%n2ovmr, a%o2vmr(::10, :), a%asdir(::10), a%asdif(::10), &
                  a%aldir(::10), a%aldif(::10), a%coszen(::10), a%adjes(1), a%dyofyr(1), a%scon(1), a%isolvar(1), &
                  2_im, 3_im, 1_im, a%cldf, a%tauc, a%ssac, a%asmc, a%fsfc, a%ciwp, a%clwp, a%reic, a%relq, a%tauaer, &
                  a%ssaaer, a%asmaer, a%ecaer, uflx(::10, nlay + 1:1:-1), dflx(::10, nlay + 1:1:-1), &
                  hr(::10, nlay:1:-1), uflxc(::10, nlay + 1:1:-1), dflxc(::10, nlay + 1:1:-1), hrc(::10, nlay:1:-1))
    call make_sunlight(a, r)
    r%uflx(:n, :nlay + 1) = uflx(:, nlay + 1:1:-1)
    r%dflx(:n, :nlay + 1) = dflx(:, nlay + 1:1:-1)
    r%uflxc(:n, :nlay + 1) = uflxc(:, nlay + 1:1:-1)
    r%dflxc(:n, :nlay + 1) = dflxc(:, nlay + 1:1:-1)
    r%hr(:n, :nlay) = hr(:, nlay:1:-1)
    r%hrc(:n, :nlay) = hrc(:, nlay:1:-1)
    which = .false.
    which(::10) = .true.
    call expect(all((r%uflx(:n, 1) == r%uflx(:n, 1)) .eqv. which), "other columns are not written")
    call expect(all((r%hr(:n, 3) == r%hr(:n, 3)) .eqv. which), "other columns of swhr are not written")
    call set_where(.not. which, r, reference)
    call expect_reference_sunlight(a, r, reference, "sections, without the optional arguments", which)
  end subroutine test_sections

  !> Sets columns to the reference's.
  subroutine set_where(which, r, reference)
    logical, intent(in) :: which(:)
    type(sunlight), intent(inout) :: r
    type(sunlight), intent(in) :: reference
    integer :: c

    do c = 1, size(which)
      if (.not. which(c)) cycle
      r%uflx(c, :) = reference%uflx(c, :)
      r%dflx(c, :) = reference%dflx(c, :)
      r%hr(c, :) = reference%hr(c, :)
      r%uflxc(c, :) = reference%uflxc(c, :)
      r%dflxc(c, :) = reference%dflxc(c, :)
      r%hrc(c, :) = reference%hrc(c, :)
    end do
  end subroutine set_where

  subroutine test_heat_capacity()
    use rrsw_con, only: heatfac
    type(sunny_atmosphere) :: a
    type(sunlight) :: reference, r, s
    real(rb), parameter :: other = 1004.64_rb
    real(rb) :: worst, before

    call read_sunny_atmosphere("case_sw_clear_a.nc", .false., .false., a, reference)
    call make_sunlight(a, r)
    call make_sunlight(a, s)
    call rrtmg_sw_ini(cpdair)
    before = heatfac
    call solve(a, r, 1, 32, 1)
    call rrtmg_sw_ini(other)
    call expect(abs(before * cpdair / other - heatfac) < 4 * epsilon(before) * before, "heatfac follows cpdair")
    call solve(a, s, 1, 32, 1)
    call expect(same_bits(r%uflx, s%uflx), "swuflx does not depend on cpdair")
    worst = maxval(abs(s%hr(:32, :51) - r%hr(:32, :51) * (cpdair / other)) / max(abs(r%hr(:32, :51)), 1e-3_rb))
    call expect(worst < 8 * epsilon(worst), "heating rates scale by cpdair")
    call expect(.not. same_bits(r%hr, s%hr), "heating rates depend on cpdair")
    call expect(all(abs(r%hr(:32, 51)) <= 0), "the highest layer's is 0")
    call rrtmg_sw_ini(cpdair)
    call make_sunlight(a, s)
    call solve(a, s, 1, 32, 1)
    call expect_same_sunlight(r, s, "the first cpdair again")
  end subroutine test_heat_capacity

  !> A call for four columns with variables of the caller for icld and iaer.
  subroutine solve_four(a, r, icld, iaer)
    type(sunny_atmosphere), intent(in) :: a
    type(sunlight), intent(inout) :: r
    integer(im), intent(inout) :: icld, iaer

    call rrtmg_sw(4_im, int(a%nlay, im), icld, iaer, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, &
                  a%co2vmr, a%ch4vmr, a%n2ovmr, a%o2vmr, a%asdir, a%asdif, a%aldir, a%aldif, a%coszen, 1._rb, 0_im, &
                  0._rb, 0_im, a%inflg(1), a%iceflg(1), a%liqflg(1), a%cldf, a%tauc, a%ssac, a%asmc, a%fsfc, a%ciwp, &
                  a%clwp, a%reic, a%relq, a%tauaer, a%ssaaer, a%asmaer, a%ecaer, r%uflx, r%dflx, r%hr, r%uflxc, &
                  r%dflxc, r%hrc)
  end subroutine solve_four

  subroutine test_flags()
    type(sunny_atmosphere) :: a, other
    type(sunlight) :: reference, r, s, t
    integer(im), parameter :: given(6) = [2, 1, 3, 7, -1, 0], expected(6) = [2, 1, 3, 2, 2, 0]
    integer(im) :: icld, iaer
    integer :: k

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_cloud_a.nc", .true., .false., a, reference)
    do k = 1, size(given)
      icld = given(k)
      iaer = 3
      call make_sunlight(a, s)
      call solve_four(a, s, icld, iaer)
      call expect(icld == expected(k), "icld outside of 0 to 3 becomes 2, others stay")
      call expect(iaer == 0, "iaer other than 0, 6 and 10 becomes 0")
      if (k == 1) r = s
      if (icld > 0) call expect_same_sunlight(r, s, "icld does not matter for clouds of g-points")
      if (icld == 0) call expect(same_bits(s%uflx, r%uflxc), "without clouds swuflx is swuflxc")
    end do
    ! Without ice its optics do not matter.
    other = a
    other%ciwp = 0
    icld = 2
    call make_sunlight(a, s)
    call solve_four(other, s, icld, iaer)
    other%iceflg = 0
    call make_sunlight(a, t)
    call solve_four(other, t, icld, iaer)
    call expect_same_sunlight(s, t, "iceflgsw 0 without ice")
    ! Aerosol is in clear sky, too.
    a%tauaer(:a%ncol, :a%nlay, :) = 0.01_rb
    a%ssaaer = 0.9_rb
    a%asmaer = 0.6_rb
    iaer = 10
    icld = 2
    call make_sunlight(a, s)
    call solve_four(a, s, icld, iaer)
    call expect(iaer == 10, "iaer 10 stays")
    call expect(all(s%dflxc(:4, 1) < r%dflxc(:4, 1)), "aerosol dims clear sky")
  end subroutine test_flags

  !> The sun's options that the cases do not have.
  subroutine test_sun()
    type(sunny_atmosphere) :: a, b
    type(sunlight) :: reference, r, s
    real(rb) :: ratio

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_clear_a.nc", .false., .false., a, reference)
    b = a
    b%isolvar = 0
    b%scon = 0
    b%dyofyr = 0
    b%adjes = 1
    b%has_indsolvar = 0
    b%has_bndsolvar = 0
    b%coszen(:32) = 0.6_rb
    call make_sunlight(a, r)
    call solve(b, r, 1, 32, 1)
    ! The sum of the tables of NRLSSI2.
    call expect(maxval(abs(r%dflx(:32, 52) / 0.6_rb - 1360.849_rb)) < 0.01_rb, "scon = 0: what the spectrum has")
    b%adjes = 0
    call make_sunlight(a, s)
    call solve(b, s, 1, 32, 1)
    call expect(all(abs(s%dflx(:32, :52)) <= 0), "adjes = 0 is darkness")
    b%dyofyr = 1
    call make_sunlight(a, s)
    call solve(b, s, 1, 32, 1)
    ratio = s%dflx(7, 52) / r%dflx(7, 52)
    call expect(abs(ratio - 1.035050_rb) < 1e-5_rb, "with a day of the year adjes does not count")
    b%dyofyr = -5
    b%adjes = 2
    call make_sunlight(a, s)
    call solve(b, s, 1, 32, 1)
    call expect(abs(s%dflx(7, 52) / r%dflx(7, 52) - 2) < 1e-5_rb, "a day before the year is none")
    ! A place outside the solar cycle is its end, without amplitudes.
    b%adjes = 1
    b%isolvar = 1
    b%has_indsolvar = 1
    b%indsolvar(:, 1) = 1
    b%indsolvar(:, 2) = 1
    b%solcycfrac = 1
    call make_sunlight(a, r)
    call solve(b, r, 1, 32, 1)
    b%solcycfrac = 1.5_rb
    b%indsolvar(:, 1) = 3
    call make_sunlight(a, s)
    call solve(b, s, 1, 32, 1)
    call expect_same_sunlight(r, s, "beyond the solar cycle")
    ! What an option does not use is not looked at.
    b%isolvar = 0
    b%solcycfrac = -7
    b%has_bndsolvar = 1
    b%bndsolvar = nan()
    call make_sunlight(a, s)
    call solve(b, s, 1, 32, 1)
    call expect(abs(s%dflx(7, 52) / 0.6_rb - 1360.849_rb) < 0.01_rb, "isolvar 0 needs nothing")
  end subroutine test_sun

  !> The form of climlab, and those of versions 3 with Kurucz's sun and no isolvar.
  subroutine test_forms()
    type(sunny_atmosphere) :: a
    type(sunlight) :: reference, r, s
    real(rb) :: adjes(35), fraction(32, 51), tau(14, 32, 51), direct(35, 52), diffuse(35, 52)
    integer(im) :: icld, iaer
    integer :: k

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_clear_a.nc", .false., .false., a, reference)
    a%isolvar = -1
    a%scon = 1361
    a%dyofyr = 0
    a%has_indsolvar = 0
    a%has_bndsolvar = 0
    do k = 1, 32
      a%adjes(k) = 1 + 0.01_rb * k
    end do
    call make_sunlight(a, r)
    do k = 1, 32
      call solve(a, r, k, k, k)
    end do
    icld = 0
    iaer = 0
    adjes = nan()
    adjes(:32) = a%adjes(:32)
    call make_sunlight(a, s)
    call rrtmg_sw(32_im, 51_im, icld, iaer, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, a%co2vmr, &
                  a%ch4vmr, a%n2ovmr, a%o2vmr, a%asdir, a%asdif, a%aldir, a%aldif, a%coszen, adjes, 0_im, 1361._rb, &
                  -1_im, 2_im, 3_im, 1_im, a%cldf, a%tauc, a%ssac, a%asmc, a%fsfc, a%ciwp, a%clwp, a%reic, a%relq, &
                  a%tauaer, a%ssaaer, a%asmaer, a%ecaer, s%uflx, s%dflx, s%hr, s%uflxc, s%dflxc, s%hrc)
    call expect_same_sunlight(r, s, "the form of climlab")

    a%adjes = 1
    call make_sunlight(a, r)
    call solve(a, r, 1, 32, 1)
    call make_sunlight(a, s)
    call rrtmg_sw(32_im, 51_im, icld, iaer, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, a%co2vmr, &
                  a%ch4vmr, a%n2ovmr, a%o2vmr, a%asdir, a%asdif, a%aldir, a%aldif, a%coszen, 1._rb, 0_im, 1361._rb, &
                  2_im, 3_im, 1_im, a%cldf, a%tauc, a%ssac, a%asmc, a%fsfc, a%ciwp, a%clwp, a%reic, a%relq, &
                  a%tauaer, a%ssaaer, a%asmaer, a%ecaer, s%uflx, s%dflx, s%hr, s%uflxc, s%dflxc, s%hrc)
    call expect_same_sunlight(r, s, "the form of versions 3")
    call make_sunlight(a, s)
    fraction = 0
    tau = 0
    icld = 1
    call rrtmg_sw(32_im, 51_im, icld, iaer, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, a%co2vmr, &
                  a%ch4vmr, a%n2ovmr, a%o2vmr, a%asdir, a%asdif, a%aldir, a%aldif, a%coszen, 1._rb, 0_im, 1361._rb, &
                  2_im, 3_im, 1_im, fraction, tau, tau, tau, tau, fraction, fraction, fraction, fraction, &
                  a%tauaer, a%ssaaer, a%asmaer, a%ecaer, s%uflx, s%dflx, s%hr, s%uflxc, s%dflxc, s%hrc)
    call expect_same_sunlight(r, s, "the form of versions 3 without McICA")
    call rrtmg_sw(32_im, 51_im, icld, iaer, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, a%co2vmr, &
                  a%ch4vmr, a%n2ovmr, a%o2vmr, a%asdir, a%asdif, a%aldir, a%aldif, a%coszen, 1._rb, 0_im, 0._rb, &
                  2_im, 3_im, 1_im, fraction, tau, tau, tau, tau, fraction, fraction, fraction, fraction, &
                  a%tauaer, a%ssaaer, a%asmaer, a%ecaer, s%uflx, s%dflx, s%hr, s%uflxc, s%dflxc, s%hrc)
    call expect(all(abs(s%dflx(:32, :52)) <= 0), "there scon = 0 is darkness")
    call make_sunlight(a, s)
    direct = nan()
    diffuse = nan()
    call rrtmg_sw(32_im, 51_im, icld, iaer, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, a%co2vmr, &
                  a%ch4vmr, a%n2ovmr, a%o2vmr, a%asdir, a%asdif, a%aldir, a%aldif, a%coszen, 1._rb, 0_im, 1361._rb, &
                  2_im, 3_im, 1_im, fraction, tau, tau, tau, tau, fraction, fraction, fraction, fraction, &
                  a%tauaer, a%ssaaer, a%asmaer, a%ecaer, s%uflx, s%dflx, s%hr, s%uflxc, s%dflxc, s%hrc, direct, diffuse)
    call expect_same_sunlight(r, s, "the form of PALM")
    call expect(all(direct(:32, :52) >= 0) .and. all(diffuse(:32, :52) > -1e-4_rb), "both parts are there")
    call expect(all(abs(direct(:32, :52) + diffuse(:32, :52) - s%dflx(:32, :52)) < 1e4_rb * epsilon(1._rb)), &
                "direct and diffuse light add up")
    call expect(all(abs(direct(:32, 52) - s%dflx(:32, 52)) < 1e4_rb * epsilon(1._rb)), "what enters is direct")
    call expect(all(diffuse(7:12, 1) > 1), "there is diffuse light at the surface")
    call expect(.not. any(direct(33:, :) == direct(33:, :)), "other columns are not written")
  end subroutine test_forms

  !> Calls after the first ones need no more memory of C++, with fewer layers neither.
  subroutine test_allocations()
    type(sunny_atmosphere) :: a
    type(sunlight) :: reference, r
    integer(c_long) :: before

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_cloud_a.nc", .true., .false., a, reference)
    call make_sunlight(a, r)
    call solve(a, r, 1, 32, 1)
    a%nlay = 20
    call solve(a, r, 1, 8, 1)
    before = number_of_allocations()
    call solve(a, r, 1, 8, 1)
    a%nlay = 51
    call solve(a, r, 1, 32, 1)
    call expect(number_of_allocations() == before, "repeated calls do not allocate")
  end subroutine test_allocations

  !> Without McICA overcast layers are those whose g-points are all cloudy.
  subroutine test_layers()
    use rrsw_wvn, only: ngb
    type(sunny_atmosphere) :: a, g
    type(sunlight) :: reference, r, s, t
    real(rb), allocatable :: fraction(:, :), tau(:, :, :), ssa(:, :, :), asm_(:, :, :), forward(:, :, :)
    integer(im) :: icld, iaer
    integer :: band, gpoint, input, n, nlay

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_cloud_a.nc", .true., .false., a, reference)
    n = a%ncol
    nlay = a%nlay
    allocate (fraction(n, nlay), tau(14, n, nlay))
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
    tau = 0
    do band = 1, 14
      tau(band, :, 5:7) = 0.1_rb * band
      tau(band, :, 20:22) = 1
    end do
    ssa = 0 * tau + 0.95_rb
    asm_ = 0 * tau + 0.8_rb
    forward = 0 * tau + 0.6_rb
    do gpoint = 1, 112
      g%tauc(gpoint, :n, :nlay) = tau(ngb(gpoint) - 15, :, :)
      g%ssac(gpoint, :n, :nlay) = ssa(ngb(gpoint) - 15, :, :)
      g%asmc(gpoint, :n, :nlay) = asm_(ngb(gpoint) - 15, :, :)
      g%fsfc(gpoint, :n, :nlay) = forward(ngb(gpoint) - 15, :, :)
    end do
    g%isolvar = 0
    g%scon = 1361
    g%dyofyr = 0
    g%adjes = 1
    g%has_indsolvar = 0
    g%has_bndsolvar = 0
    iaer = 0
    do input = 0, 2, 2
      g%inflg = int(input, im)
      g%iceflg = 3
      g%liqflg = 1
      call make_sunlight(a, r)
      call make_sunlight(a, s)
      call make_sunlight(a, t)
      call solve(g, r, 1, n, 1)
      icld = 2
      call rrtmg_sw(int(n, im), int(nlay, im), icld, iaer, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, &
                    a%co2vmr, a%ch4vmr, a%n2ovmr, a%o2vmr, a%asdir, a%asdif, a%aldir, a%aldif, a%coszen, 1._rb, 0_im, &
                    1361._rb, 0_im, g%inflg(1), 3_im, 1_im, fraction, tau, ssa, asm_, forward, g%ciwp(1, :, :), &
                    g%clwp(1, :, :), g%reic, g%relq, a%tauaer, a%ssaaer, a%asmaer, a%ecaer, s%uflx, s%dflx, s%hr, &
                    s%uflxc, s%dflxc, s%hrc)
      call expect_same_sunlight(r, s, "overcast and clear layers")
      call expect(.not. same_bits(r%uflx, r%uflxc), "clouds have an effect")
      icld = 1
      call rrtmg_sw_nomcica(int(n, im), int(nlay, im), icld, iaer, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, &
                            a%o3vmr, a%co2vmr, a%ch4vmr, a%n2ovmr, a%o2vmr, a%asdir, a%asdif, a%aldir, a%aldif, &
                            a%coszen, 1._rb, 0_im, 1361._rb, 0_im, g%inflg(1), 3_im, 1_im, fraction, tau, ssa, asm_, &
                            forward, g%ciwp(1, :, :), g%clwp(1, :, :), g%reic, g%relq, a%tauaer, a%ssaaer, a%asmaer, &
                            a%ecaer, t%uflx, t%dflx, t%hr, t%uflxc, t%dflxc, t%hrc)
      call expect_same_sunlight(r, t, "the module rrtmg_sw_rad_nomcica")
    end do
  end subroutine test_layers

  !> Columns of the lower layers alone give what they gave before calls with more layers.
  subroutine test_fewer_layers()
    type(sunny_atmosphere) :: a
    type(sunlight) :: reference, first, s

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_clear_a.nc", .false., .false., a, reference)
    a%nlay = 20
    call make_sunlight(a, first)
    call solve(a, first, 1, 8, 3)
    a%nlay = 51
    call make_sunlight(a, s)
    call solve(a, s, 1, 32, 3)
    a%nlay = 20
    call make_sunlight(a, s)
    call solve(a, s, 1, 8, 3)
    call expect_same_sunlight(first, s, "fewer layers again")
    a%nlay = 1
    call make_sunlight(a, s)
    call solve(a, s, 1, 8, 3)
    call expect(all(s%dflx(:8, :2) > 0), "one layer")
  end subroutine test_fewer_layers

  !> As in the original columns at night have a sun of 1e-10 above the horizon.
  subroutine test_night()
    type(sunny_atmosphere) :: a
    type(sunlight) :: reference, r, s

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_clear_a.nc", .false., .false., a, reference)
    call make_sunlight(a, r)
    a%coszen(:16) = -0.3_rb
    a%coszen(17:32) = 0.5_rb
    call solve(a, r, 1, 32, 3)
    a%coszen(:16) = 0.9e-10_rb
    call make_sunlight(a, s)
    call solve(a, s, 1, 32, 3)
    call expect_same_sunlight(r, s, "night")
    call expect(all(r%dflx(:16, 52) > 0 .and. r%dflx(:16, 52) < 2e-7_rb), "light of 1e-10 at night")
    call expect(all(r%dflx(17:32, 52) > 100), "the other columns have their light")
  end subroutine test_night

  !> With other settings of the environment: near the reference, but not the same digits.
  subroutine test_roughly()
    type(sunny_atmosphere) :: a
    type(sunlight) :: reference, r
    real(rb) :: worst
    integer :: k

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_clear_a.nc", .false., .false., a, reference)
    call make_sunlight(a, r)
    do k = 1, 32
      call solve(a, r, k, k, k)
    end do
    worst = maxval(abs(r%dflx(:32, :52) - reference%dflx(:32, :52)))
    call expect(worst > 1e-5_rb .and. worst < 0.06_rb, "swdflx is near the reference, but not the same")
  end subroutine test_roughly

  !> What models pass that is slightly wrong is taken as the nearest right value, and counted at the end.
  subroutine test_lenient()
    type(sunny_atmosphere) :: a, wrong
    type(sunlight) :: reference, r, s

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_cloud_a.nc", .true., .false., a, reference)
    a%h2ovmr(1, 40) = 0
    a%asdir(1) = 1
    a%aldif(2) = 0
    a%reic(1, :) = max(a%reic(1, :), 5.0_rb)
    wrong = a
    wrong%h2ovmr(1, 40) = -1e-12_rb
    wrong%asdir(1) = 1 + 1e-6_rb
    wrong%aldif(2) = -1e-9_rb
    ! Where there is no water sizes do not matter.
    where (a%ciwp(1, :, :) <= 0 .and. maxval(a%ciwp, dim=1) <= 0) wrong%reic = 0
    where (a%clwp(1, :, :) <= 0 .and. maxval(a%clwp, dim=1) <= 0) wrong%relq = 0
    call make_sunlight(a, r)
    call make_sunlight(a, s)
    call solve(a, r, 1, 4, 1)
    call solve(wrong, s, 1, 4, 1)
    call expect_same_sunlight(r, s, "slightly wrong values")
  end subroutine test_lenient

  !> The longwave's drop-in beside this one.
  subroutine test_both()
    use rrtmg_lw_init, only: rrtmg_lw_ini
    use rrtmg_lw_rad, only: rrtmg_lw
    type(sunny_atmosphere) :: a
    type(sunlight) :: reference, r
    type(atmosphere) :: b
    type(radiation) :: longwave_reference, s
    integer(im) :: icld
    integer :: k

    call rrtmg_lw_ini(cpdair)
    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_clear_a.nc", .false., .false., a, reference)
    call read_atmosphere("case_clear_a.nc", 32, .false., .false., .false., b, longwave_reference)
    call make_sunlight(a, r)
    call make_radiation(b, s)
    b%h2ovmr(1, 50) = -1e-12_rb
    a%asdir(1) = 1.000001_rb
    !$omp parallel do num_threads(2) private(icld)
    do k = 1, 32
      call solve(a, r, k, k, k)
      icld = 0
      call rrtmg_lw(1_im, 51_im, icld, 0_im, b%play(k:, :), b%plev(k:, :), b%tlay(k:, :), b%tlev(k:, :), b%tsfc(k:), &
                    b%h2ovmr(k:, :), b%o3vmr(k:, :), b%co2vmr(k:, :), b%ch4vmr(k:, :), b%n2ovmr(k:, :), &
                    b%o2vmr(k:, :), b%cfc11vmr(k:, :), b%cfc12vmr(k:, :), b%cfc22vmr(k:, :), b%ccl4vmr(k:, :), &
                    b%emis(k:, :), 2_im, 3_im, 1_im, b%cldf, b%tauc, b%ciwp, b%clwp, b%reic, b%relq, &
                    b%tauaer(k:, :, :), s%uflx(k:, :), s%dflx(k:, :), s%hr(k:, :), s%uflxc(k:, :), s%dflxc(k:, :), &
                    s%hrc(k:, :))
    end do
    !$omp end parallel do
    ! The first column has another albedo and less water.
    call expect_near(r%uflx(2:, :), reference%uflx(2:, :), 31, 52, merge(1e-5_rb, 0.05_rb, rb == c_double), "swuflx")
    call expect_near(s%uflx(2:, :), longwave_reference%uflx(2:, :), 31, 52, merge(1e-5_rb, 0.05_rb, rb == c_double), &
                     "uflx")
  end subroutine test_both

  !> They need neither coefficients nor rrtmg_sw_ini(), and are those of the longwave.
  subroutine test_subcolumns()
    use mcica_subcol_gen_lw, only: mcica_subcol_lw, get_alpha_lw => get_alpha
    use rrsw_wvn, only: ngb
    integer, parameter :: ncol = 100, nlay = 30
    real(rb), dimension(ncol, nlay) :: play, fraction, ice, liquid, rei, rel, dz, alpha, alpha_lw, rei2, rel2
    real(rb) :: lat(ncol)
    real(rb), allocatable, dimension(:, :, :) :: tau, ssa, asm_, fwd, f, c, l, t, w, g, b
    real(rb), allocatable, dimension(:, :, :) :: tau_lw, f_lw, c_lw, l_lw, t_lw
    integer(im) :: irng
    integer :: column, layer, overlap

    allocate (tau(14, ncol, nlay), f(112, ncol, nlay), tau_lw(16, ncol, nlay), f_lw(140, ncol, nlay))
    f = nan()
    allocate (c, l, t, w, g, b, source=f)
    allocate (c_lw, l_lw, t_lw, mold=f_lw)
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
    do layer = 1, 14
      tau(layer, :, :) = 0.1_rb * layer
    end do
    ssa = 0 * tau + 0.9_rb
    asm_ = 0 * tau + 0.8_rb
    fwd = 0 * tau + 0.7_rb
    tau_lw = 0.5_rb
    dz = 500
    lat = 10
    irng = 9
    do overlap = 1, 5
      call get_alpha(1_im, int(ncol, im), int(nlay, im), int(overlap, im), 0_im, 2000.0_rb, dz, lat, 100_im, fraction, &
                     alpha)
      call get_alpha_lw(1_im, int(ncol, im), int(nlay, im), int(overlap, im), 0_im, 2000.0_rb, dz, lat, 100_im, &
                        fraction, alpha_lw)
      if (overlap < 4) then
        call mcica_subcol_sw(1_im, int(ncol, im), int(nlay, im), int(overlap, im), 7_im, irng, play, fraction, ice, &
                             liquid, rei, rel, tau, ssa, asm_, fwd, f, c, l, rei2, rel2, t, w, g, b)
        call mcica_subcol_lw(1_im, int(ncol, im), int(nlay, im), int(overlap, im), 7_im, irng, play, fraction, ice, &
                             liquid, rei, rel, tau_lw, f_lw, c_lw, l_lw, rei2, rel2, t_lw)
      else
        call expect(same_bits(alpha, alpha_lw), "alpha is the longwave's")
        call mcica_subcol_sw(1_im, int(ncol, im), int(nlay, im), int(overlap, im), 7_im, irng, play, fraction, ice, &
                             liquid, rei, rel, tau, ssa, asm_, fwd, alpha, f, c, l, rei2, rel2, t, w, g, b)
        call mcica_subcol_lw(1_im, int(ncol, im), int(nlay, im), int(overlap, im), 7_im, irng, play, fraction, ice, &
                             liquid, rei, rel, tau_lw, alpha, f_lw, c_lw, l_lw, rei2, rel2, t_lw)
      end if
      call expect(irng == 1, "irng becomes 1")
      call expect(all(f == f_lw(:112, :, :)), "the g-points that are cloudy are the longwave's")
      call expect(abs(sum(f(:, :, 11:15)) / (112.0_rb * ncol * 5) - 0.3_rb) < 0.02_rb, "the mean is the cloud fraction")
    end do
    do layer = 1, nlay
      do column = 1, ncol
        call expect(all(c(:, column, layer) == f(:, column, layer) * ice(column, layer)), "ice is in clouds")
        call expect(all(l(:, column, layer) == f(:, column, layer) * liquid(column, layer)), "droplets are in clouds")
        call expect(all(t(:, column, layer) == f(:, column, layer) * tau(ngb - 15, column, layer)), &
                    "optical depth is in clouds, by band")
        call expect(all(w(:, column, layer) == merge(0.9_rb, 1.0_rb, f(:, column, layer) > 0)), "albedo is in clouds")
        call expect(all(g(:, column, layer) == f(:, column, layer) * 0.8_rb), "asymmetry is in clouds")
        call expect(all(b(:, column, layer) == f(:, column, layer) * 0.7_rb), "the forward fraction is in clouds")
      end do
    end do
    call expect(all(rei2 == rei) .and. all(rel2 == rel), "sizes are copied")
    f = nan()
    call mcica_subcol_sw(1_im, int(ncol, im), int(nlay, im), 0_im, 1_im, irng, play, fraction, ice, liquid, rei, rel, &
                         tau, ssa, asm_, fwd, f, c, l, rei2, rel2, t, w, g, b)
    call expect(all(f /= f), "icld = 0 does nothing")
  end subroutine test_subcolumns

  subroutine keep_message(text)
    character(*), intent(in) :: text
    message = text
  end subroutine keep_message

  !> A model may have its own way to stop.
  subroutine test_handler()
    procedure(rrtmg_sw_error_handler), pointer :: handler
    real(rb) :: a(2, 3), f(112, 2, 3), tau(14, 2, 3)
    integer(im) :: irng

    handler => keep_message
    call rrtmg_sw_set_error_handler(handler)
    call rrtmg_sw_ini(-1.0_rb)
    call expect(index(message, "rrtmg_sw_ini: cpdair = -1, expected > 0") > 0, "the message: " // trim(message))
    a = 0
    tau = 0
    irng = 1
    call mcica_subcol_sw(1_im, 2_im, 3_im, 4_im, 1_im, irng, a, a, a, a, a, a, tau, tau, tau, tau, f, f, f, a, a, f, &
                         f, f, f)
    call expect(index(message, "mcica_subcol_sw: icld = 4") > 0, "icld 4 needs alpha: " // trim(message))
  end subroutine test_handler

  subroutine test_before_ini()
    type(sunny_atmosphere) :: a
    type(sunlight) :: reference, r

    call read_sunny_atmosphere("case_sw_clear_a.nc", .false., .false., a, reference)
    call make_sunlight(a, r)
    call solve(a, r, 1, 1, 1)
  end subroutine test_before_ini

  !> A partly cloudy layer without McICA: the program stops, unless it may draw.
  subroutine test_partly_cloudy()
    type(sunny_atmosphere) :: a
    type(sunlight) :: reference, r
    real(rb) :: fraction(32, 51), water(32, 51), size_(32, 51), tau(14, 32, 51), mean
    integer(im) :: icld, iaer

    call rrtmg_sw_ini(cpdair)
    call read_sunny_atmosphere("case_sw_clear_a.nc", .false., .false., a, reference)
    call make_sunlight(a, r)
    fraction = 0
    fraction(:, 10) = 0.5_rb
    water = 100
    size_ = 20
    tau = 0
    a%coszen(:32) = 0.7_rb
    a%asdir(:32) = 0.1_rb
    a%asdif(:32) = 0.1_rb
    a%aldir(:32) = 0.1_rb
    a%aldif(:32) = 0.1_rb
    icld = 2
    iaer = 0
    call rrtmg_sw(32_im, 51_im, icld, iaer, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, a%co2vmr, &
                  a%ch4vmr, a%n2ovmr, a%o2vmr, a%asdir, a%asdif, a%aldir, a%aldif, a%coszen, 1._rb, 0_im, 0._rb, 0_im, &
                  2_im, 3_im, 1_im, fraction, tau, tau, tau, tau, water, water, size_, size_, a%tauaer, a%ssaaer, &
                  a%asmaer, a%ecaer, r%uflx, r%dflx, r%hr, r%uflxc, r%dflxc, r%hrc)
    ! An overcast layer would shade the ground by more.
    mean = sum(r%dflxc(:32, 1) - r%dflx(:32, 1)) / sum(r%dflxc(:32, 1))
    call expect(mean > 0.2_rb .and. mean < 0.5_rb, "half of a layer has clouds")
  end subroutine test_partly_cloudy

end program test_drop_in_sw
