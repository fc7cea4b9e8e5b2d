! SPDX-License-Identifier: BSD-3-Clause
!> The module parhelion. The argument says what is tested.
program test_module
  use host_model_sw
  use parhelion
  use rrtmg_lw_init, only: rrtmg_lw_ini
  use rrtmg_lw_rad, only: rrtmg_lw
  use rrtmg_sw_init, only: rrtmg_sw_ini
  use rrtmg_sw_rad, only: rrtmg_sw
  implicit none

  integer(c_int32_t), parameter :: own_precision = merge(parhelion_float64, parhelion_float32, rb == c_double)
  character(64) :: what

  call get_command_argument(1, what)
  select case (what)
  case ("clear")
    call need_data()
    call test_clear()
  case ("clouds")
    call need_data()
    call test_clouds()
  case ("shortwave")
    call need_data()
    call test_shortwave()
  case ("errors")
    call test_errors()
  case ("simple")
    call test_simple()
  case ("adding")
    call test_adding()
  case ("spectra")
    call test_spectra()
  case ("monte_carlo")
    call test_monte_carlo()
  case ("stop")
    call test_stop()
  case default
    print "(2a)", "unknown test: ", trim(what)
    error stop 1
  end select
  call finish()

contains

  subroutine make_solver(solver, nlay, clouds)
    type(longwave), intent(inout) :: solver
    integer, intent(in) :: nlay
    logical, intent(in) :: clouds

    call solver%create(nlay=nlay, ncol=32, precision=own_precision, aerosol=.true., clear=.true., &
                       transmittance=parhelion_transmittance_table, &
                       clouds=merge(parhelion_clouds_of_gpoints, parhelion_clouds_none, clouds), &
                       cloud_optical_depth=clouds, out_of_range=parhelion_out_of_range_extrapolate)
  end subroutine make_solver

  subroutine solve_clear(solver, a, r, first, last)
    type(longwave), intent(inout) :: solver
    type(atmosphere), intent(in) :: a
    type(radiation), intent(inout) :: r
    integer, intent(in) :: first, last
    integer :: n, m

    n = a%nlay
    m = n + 1
    call solver%solve(a%play(first:last, :n), a%plev(first:last, :m), a%tlay(first:last, :n), a%tlev(first:last, :m), &
                      a%tsfc(first:last), a%emis(first:last, :16), r%uflx(first:last, :m), r%dflx(first:last, :m), &
                      r%hr(first:last, :n), h2o=a%h2ovmr(first:last, :n), co2=a%co2vmr(first:last, :n), &
                      o3=a%o3vmr(first:last, :n), n2o=a%n2ovmr(first:last, :n), ch4=a%ch4vmr(first:last, :n), &
                      o2=a%o2vmr(first:last, :n), ccl4=a%ccl4vmr(first:last, :n), cfc11=a%cfc11vmr(first:last, :n), &
                      cfc12=a%cfc12vmr(first:last, :n), cfc22=a%cfc22vmr(first:last, :n), &
                      aerosol=a%tauaer(first:last, :n, :), pressure_factor=100.0_c_double, &
                      flux_up_clear=r%uflxc(first:last, :m), flux_dn_clear=r%dflxc(first:last, :m), &
                      heating_rate_clear=r%hrc(first:last, :n))
  end subroutine solve_clear

  !> Whole, in chunks, a column at a time and by two threads; the drop-in gives the same bits.
  subroutine test_clear()
    type(atmosphere) :: a
    type(radiation) :: reference, whole, r
    type(longwave) :: solver
    integer(im) :: icld
    integer :: first
    integer(c_size_t) :: host, device

    call read_atmosphere("case_clear_a.nc", 32, .false., .false., .false., a, reference)
    call make_solver(solver, a%nlay, .false.)
    call make_radiation(a, whole)
    call solve_clear(solver, a, whole, 1, 32)
    call expect_reference(a, whole, reference, "whole")
    call solver%bytes(host, device)
    call expect(host + device > 0, "the object has memory")

    call make_radiation(a, r)
    do first = 1, 32, 5
      call solve_clear(solver, a, r, first, min(first + 4, 32))
    end do
    call expect_same(r, whole, "in chunks")
    call make_radiation(a, r)
    do first = 1, 32
      call solve_clear(solver, a, r, first, first)
    end do
    call expect_same(r, whole, "a column at a time")

    call make_radiation(a, r)
    !$omp parallel num_threads(2)
    block
      type(longwave) :: own
      call make_solver(own, a%nlay, .false.)
      !$omp do schedule(dynamic, 1)
      do first = 1, 32, 4
        call solve_clear(own, a, r, first, first + 3)
      end do
      !$omp end do
      call own%destroy()
    end block
    !$omp end parallel
    call expect_same(r, whole, "from two threads")

    call rrtmg_lw_ini(1004.0_rb)
    icld = 0
    call make_radiation(a, r)
    call rrtmg_lw(32_im, 51_im, icld, 0_im, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, a%co2vmr, &
                  a%ch4vmr, a%n2ovmr, a%o2vmr, a%cfc11vmr, a%cfc12vmr, a%cfc22vmr, a%ccl4vmr, a%emis, 2_im, 3_im, &
                  1_im, a%cldf, a%tauc, a%ciwp, a%clwp, a%reic, a%relq, a%tauaer, r%uflx, r%dflx, r%hr, r%uflxc, &
                  r%dflxc, r%hrc)
    call expect_same(r, whole, "the drop-in")
    call solver%destroy()
  end subroutine test_clear

  !> Clouds of g-points, as arrays and as descriptions of the same arrays.
  subroutine test_clouds()
    type(atmosphere) :: a
    type(radiation) :: reference, r, s
    type(longwave) :: solver
    real(rb), allocatable, target, dimension(:, :, :) :: fraction, ice, liquid, depth
    integer(c_int32_t), target :: input(1), ice_optics(1), liquid_optics(1)
    integer :: first, last, n, m

    call read_atmosphere("case_cloud_a.nc", 32, .true., .false., .false., a, reference)
    call make_solver(solver, a%nlay, .true.)
    n = a%nlay
    m = n + 1
    allocate (fraction(4, n, 140))
    ice = fraction
    liquid = fraction
    depth = fraction
    call make_radiation(a, r)
    do first = 1, 32, 4
      last = first + 3
      fraction = reshape(a%cldf(:, first:last, :n), [4, n, 140], order=[3, 1, 2])
      ice = reshape(a%ciwp(:, first:last, :n), [4, n, 140], order=[3, 1, 2])
      liquid = reshape(a%clwp(:, first:last, :n), [4, n, 140], order=[3, 1, 2])
      depth = reshape(a%tauc(:, first:last, :n), [4, n, 140], order=[3, 1, 2])
      input = a%inflg(first)
      ice_optics = a%iceflg(first)
      liquid_optics = a%liqflg(first)
      call solver%solve(a%play(first:last, :n), a%plev(first:last, :m), a%tlay(first:last, :n), &
                        a%tlev(first:last, :m), a%tsfc(first:last), a%emis(first:last, :16), r%uflx(first:last, :m), &
                        r%dflx(first:last, :m), r%hr(first:last, :n), h2o=a%h2ovmr(first:last, :n), &
                        co2=a%co2vmr(first:last, :n), o3=a%o3vmr(first:last, :n), n2o=a%n2ovmr(first:last, :n), &
                        ch4=a%ch4vmr(first:last, :n), o2=a%o2vmr(first:last, :n), ccl4=a%ccl4vmr(first:last, :n), &
                        cfc11=a%cfc11vmr(first:last, :n), cfc12=a%cfc12vmr(first:last, :n), &
                        cfc22=a%cfc22vmr(first:last, :n), fraction_gpt=fraction, ice_path_gpt=ice, &
                        liquid_path_gpt=liquid, optical_depth_gpt=depth, ice_size=a%reic(first:last, :n), &
                        liquid_size=a%relq(first:last, :n), cloud_input=input, ice_optics=ice_optics, &
                        liquid_optics=liquid_optics, pressure_factor=100.0_c_double, path_factor=1e-3_c_double, &
                        particle_size_factor=1e-6_c_double, flux_up_clear=r%uflxc(first:last, :m), &
                        flux_dn_clear=r%dflxc(first:last, :m), heating_rate_clear=r%hrc(first:last, :n))
    end do
    call expect_reference(a, r, reference, "clouds")
    call test_descriptions(solver, a, s)
    call expect(same_bits(r%uflx(:4, :m), s%uflx(:4, :m)), "descriptions of g-points as the drop-in has them")
    call expect(same_bits(r%hr(:4, :n), s%hr(:4, :n)), "descriptions of g-points, hr")
  end subroutine test_clouds

  !> The first four columns, whose arrays are known by their addresses and strides.
  subroutine test_descriptions(solver, a, r)
    type(longwave), intent(inout) :: solver
    type(atmosphere), intent(in), target :: a
    type(radiation), intent(inout), target :: r
    type(parhelion_array) :: flags(3)
    integer(c_int32_t), target :: input, ice_optics, liquid_optics

    call make_radiation(a, r)
    input = a%inflg(1)
    ice_optics = a%iceflg(1)
    liquid_optics = a%liqflg(1)
    flags(1) = parhelion_array_at(c_loc(input), parhelion_int32, [1])
    flags(2) = parhelion_array_at(c_loc(ice_optics), parhelion_int32, [1])
    flags(3) = parhelion_array_at(c_loc(liquid_optics), parhelion_int32, [1])
    call solver%solve(at(a%play, 51), at(a%plev, 52), at(a%tlay, 51), at(a%tlev, 52), &
                      parhelion_array_at(c_loc(a%tsfc(1)), own_precision, [4]), at(a%emis, 16), at(r%uflx, 52), &
                      at(r%dflx, 52), at(r%hr, 51), h2o=at(a%h2ovmr, 51), co2=at(a%co2vmr, 51), o3=at(a%o3vmr, 51), &
                      n2o=at(a%n2ovmr, 51), ch4=at(a%ch4vmr, 51), o2=at(a%o2vmr, 51), ccl4=at(a%ccl4vmr, 51), &
                      cfc11=at(a%cfc11vmr, 51), cfc12=at(a%cfc12vmr, 51), cfc22=at(a%cfc22vmr, 51), &
                      fraction_gpt=of_gpoints(a%cldf), ice_path_gpt=of_gpoints(a%ciwp), &
                      liquid_path_gpt=of_gpoints(a%clwp), optical_depth_gpt=of_gpoints(a%tauc), &
                      ice_size=at(a%reic, 51), liquid_size=at(a%relq, 51), cloud_input=flags(1), &
                      ice_optics=flags(2), liquid_optics=flags(3), pressure_factor=100.0_c_double, &
                      path_factor=1e-3_c_double, particle_size_factor=1e-6_c_double)
  end subroutine test_descriptions

  function at(a, n) result(description)
    real(rb), intent(in), target, contiguous :: a(:, :)
    integer, intent(in) :: n
    type(parhelion_array) :: description

    description = parhelion_array_at(c_loc(a(1, 1)), own_precision, [4, n], [1, size(a, 1)])
  end function at

  function of_gpoints(a) result(description)
    real(rb), intent(in), target, contiguous :: a(:, :, :)
    type(parhelion_array) :: description

    description = parhelion_array_at(c_loc(a(1, 1, 1)), own_precision, [4, 51, 140], &
                                     [size(a, 1), size(a, 1) * size(a, 2), 1])
  end function of_gpoints

  !> The spectral model without a file, with all that create() takes, on both kinds of reals.
  subroutine test_simple()
    type(longwave) :: solver
    real(c_double) :: play(2, 10), plev(2, 11), tlay(2, 10), tlev(2, 11), tsfc(2), emis(2, 1), h2o(2, 10)
    real(c_double), dimension(2, 11) :: up, dn, up_exact
    real(c_float), dimension(2, 11) :: up4, dn4
    real(c_double) :: heating(2, 10)
    real(c_float) :: heating4(2, 10)
    integer :: k

    do k = 1, 11
      plev(:, k) = 1e5_c_double - 9e3_c_double * (k - 1)
      tlev(:, k) = 290 - 6 * (k - 1)
    end do
    play = (plev(:, :10) + plev(:, 2:)) / 2
    tlay = (tlev(:, :10) + tlev(:, 2:)) / 2
    tsfc = 292
    emis = 0.98_c_double
    h2o = 5e-3_c_double
    call solver%create(nlay=10, model=parhelion_simple, vertical_order=parhelion_surface_first, &
                       heat_capacity=1004.0_c_double, gravity=9.8066_c_double)
    call solver%solve(play, plev, tlay, tlev, tsfc, emis, up_exact, dn, heating, h2o=h2o)
    call expect(all(abs(dn(:, 11)) < 1e-6_c_double), "nothing comes from space")
    call expect(all(up_exact(:, 1) > up_exact(:, 11)), "the atmosphere absorbs")
    call solver%create(nlay=10, model=parhelion_simple, vertical_order=parhelion_top_first)
    call solver%solve(play(:, 10:1:-1), plev(:, 11:1:-1), tlay(:, 10:1:-1), tlev(:, 11:1:-1), tsfc, emis, &
                      up(:, 11:1:-1), dn(:, 11:1:-1), heating(:, 10:1:-1), h2o=h2o)
    call expect(all(up == up_exact), "the top first")
    call solver%create(nlay=10, model=parhelion_simple)
    call solver%solve(real(play, c_float), real(plev, c_float), real(tlay, c_float), real(tlev, c_float), &
                      real(tsfc, c_float), real(emis, c_float), up4, dn4, heating4, h2o=real(h2o, c_float))
    call expect(maxval(abs(up4 - up)) < 1e-3_c_double, "arrays of both kinds")
  end subroutine test_simple

  !> Clear columns and clouds of g-points with an albedo of two parts: the drop-in gives the same bits; and the further
  !! results.
  subroutine test_shortwave()
    type(sunny_atmosphere) :: a
    type(sunlight) :: reference, drop_in, r
    type(shortwave) :: solver
    real(rb), allocatable, dimension(:, :, :) :: fraction, ice, liquid
    real(rb), allocatable, dimension(:, :) :: direct, direct_clear, uv, nir, direct_uv, direct_nir, uv_clear, &
                                              nir_clear, direct_uv_clear, direct_nir_clear
    real(rb), allocatable, dimension(:, :, :) :: up_band, dn_band, direct_band
    integer(c_int32_t) :: ice_optics(1)
    integer(im) :: icld, iaer
    integer(c_int64_t) :: count
    integer(c_size_t) :: host, device
    integer :: n, m

    call rrtmg_sw_ini(1004.0_rb)
    call read_sunny_atmosphere("case_sw_cloud_a.nc", .true., .false., a, reference)
    n = a%nlay
    m = n + 1
    icld = 2
    iaer = 0
    call make_sunlight(a, drop_in)
    call rrtmg_sw(4_im, 51_im, icld, iaer, a%play, a%plev, a%tlay, a%tlev, a%tsfc, a%h2ovmr, a%o3vmr, a%co2vmr, &
                  a%ch4vmr, a%n2ovmr, a%o2vmr, a%asdir, a%asdif, a%aldir, a%aldif, a%coszen, 1._rb, 33_im, 1361._rb, &
                  0_im, 2_im, 3_im, 1_im, a%cldf, a%tauc, a%ssac, a%asmc, a%fsfc, a%ciwp, a%clwp, a%reic, a%relq, &
                  a%tauaer, a%ssaaer, a%asmaer, a%ecaer, drop_in%uflx, drop_in%dflx, drop_in%hr, drop_in%uflxc, &
                  drop_in%dflxc, drop_in%hrc)

    call solver%create(nlay=n, ncol=4, precision=parhelion_float64, clear=.true., parts=.true., bands=.true., &
                       transmittance=parhelion_transmittance_table, clouds=parhelion_clouds_of_gpoints, &
                       out_of_range=parhelion_out_of_range_extrapolate)
    fraction = reshape(a%cldf(:, :4, :n), [4, n, 112], order=[3, 1, 2])
    ice = reshape(a%ciwp(:, :4, :n), [4, n, 112], order=[3, 1, 2])
    liquid = reshape(a%clwp(:, :4, :n), [4, n, 112], order=[3, 1, 2])
    ice_optics = 3
    allocate (direct(4, m))
    allocate (direct_clear, uv, nir, direct_uv, direct_nir, uv_clear, nir_clear, direct_uv_clear, direct_nir_clear, &
              mold=direct)
    allocate (up_band(4, m, 14))
    allocate (dn_band, direct_band, mold=up_band)
    call make_sunlight(a, r)
    call solver%solve(a%play(:4, :n), a%plev(:4, :m), a%tlay(:4, :n), a%coszen(:4), &
                      reshape([a%asdir(:4), a%aldir(:4)], [4, 2]), reshape([a%asdif(:4), a%aldif(:4)], [4, 2]), &
                      r%uflx(:4, :m), r%dflx(:4, :m), direct, r%hr(:4, :n), h2o=a%h2ovmr(:4, :n), &
                      co2=a%co2vmr(:4, :n), o3=a%o3vmr(:4, :n), ch4=a%ch4vmr(:4, :n), o2=a%o2vmr(:4, :n), &
                      fraction_gpt=fraction, ice_path_gpt=ice, liquid_path_gpt=liquid, ice_size=a%reic(:4, :n), &
                      liquid_size=a%relq(:4, :n), ice_optics=ice_optics, pressure_factor=100.0_c_double, &
                      path_factor=1e-3_c_double, particle_size_factor=1e-6_c_double, &
                      sun=parhelion_sun_mean_cycle, day_of_year=33, total_irradiance=1361.0_c_double, &
                      flux_dn_uvvis=uv, flux_dn_nir=nir, flux_dn_direct_uvvis=direct_uv, &
                      flux_dn_direct_nir=direct_nir, flux_up_clear=r%uflxc(:4, :m), flux_dn_clear=r%dflxc(:4, :m), &
                      flux_dn_direct_clear=direct_clear, heating_rate_clear=r%hrc(:4, :n), &
                      flux_dn_uvvis_clear=uv_clear, flux_dn_nir_clear=nir_clear, &
                      flux_dn_direct_uvvis_clear=direct_uv_clear, flux_dn_direct_nir_clear=direct_nir_clear, &
                      flux_up_band=up_band, flux_dn_band=dn_band, flux_dn_direct_band=direct_band)
    call expect_near(r%uflx, drop_in%uflx, 4, m, 2000 * epsilon(1._rb), "the drop-in, swuflx")
    call expect_near(r%dflx, drop_in%dflx, 4, m, 2000 * epsilon(1._rb), "the drop-in, swdflx")
    call expect_near(r%dflxc, drop_in%dflxc, 4, m, 2000 * epsilon(1._rb), "the drop-in, swdflxc")
    call expect(all(abs(uv + nir - r%dflx(:4, :m)) < 1e4_rb * epsilon(1._rb)), "the parts add up")
    call expect(all(abs(uv_clear + nir_clear - r%dflxc(:4, :m)) < 1e4_rb * epsilon(1._rb)), "those of clear sky, too")
    call expect(all(abs(direct_uv + direct_nir - direct) < 1e4_rb * epsilon(1._rb)), "those of the direct beam, too")
    call expect(all(abs(direct_uv_clear + direct_nir_clear - direct_clear) < 1e4_rb * epsilon(1._rb)), &
                "those of the direct beam of clear sky, too")
    call expect(all(abs(sum(dn_band, 3) - r%dflx(:4, :m)) < 1e4_rb * epsilon(1._rb)), "the bands add up")
    call expect(all(abs(sum(up_band, 3) - r%uflx(:4, :m)) < 1e4_rb * epsilon(1._rb)), "the bands add up, upward")
    call expect(all(abs(sum(direct_band, 3) - direct) < 1e4_rb * epsilon(1._rb)), "the bands add up, direct")
    call expect(all(direct <= r%dflx(:4, :m) * 1.00001_rb) .and. any(direct < r%dflx(:4, :m) - 1), &
                "direct light is part of the downward flux")
    call solver%counts(count)
    call solver%status()
    call solver%bytes(host, device)
    call expect(count == 0 .and. host + device > 0, "counts and bytes")
    call solver%destroy()
  end subroutine test_shortwave

  subroutine test_errors()
    type(longwave) :: solver
    type(adding) :: radiances
    type(spectra) :: infrared
    type(monte_carlo) :: box
    real(rb) :: play(2, 10), plev(2, 11), tlay(2, 9), tsfc(2), emis(2, 1), up(2, 11), dn(2, 11), heating(2, 10)
    integer :: stat
    character(400) :: message

    message = "unchanged"
    play = 500
    plev = 500
    tlay = 250
    tsfc = 250
    emis = 1
    call solver%solve(play, plev, play, plev, tsfc, emis, up, dn, heating, stat=stat, errmsg=message)
    call expect(stat /= parhelion_success .and. message /= "unchanged", "not made: " // trim(message))
    call solver%create(nlay=10, model=parhelion_simple, space="Nowhere", stat=stat, errmsg=message)
    call expect(stat /= 0 .and. index(message, "Nowhere") > 0, "no such space: " // trim(message))
    call solver%create(nlay=0, model=parhelion_simple, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "nlay") > 0, "no layers: " // trim(message))
    call solver%create(nlay=10, coefficients="/no/such/file", stat=stat, errmsg=message)
    call expect(stat == parhelion_error_file .and. index(message, "/no/such/file") > 0, "no file: " // trim(message))
    message = "unchanged"
    call solver%create(nlay=10, model=parhelion_simple, stat=stat, errmsg=message)
    call expect(stat == 0 .and. message == "unchanged", "made")
    call solver%solve(play, plev, tlay, plev, tsfc, emis, up, dn, heating, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_shape .and. index(message, "temperature_lay") > 0, &
                "wrong extents: " // trim(message))
    call solver%solve(play, plev, play, plev, tsfc, emis, up, dn, heating, first_column=-1, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. message == "first_column = -1, expected at least 0", &
                "a negative column: " // trim(message))
    call solver%solve(play, plev, play, plev, tsfc, emis, up, dn, heating, pressure_factor=0.0_c_double, stat=stat, &
                      errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "pressure_factor = 0, expected a positive") > 0, &
                "a factor of 0 is not 1: " // trim(message))
    call solver%solve(play, plev, play, plev, tsfc, emis, up, up, heating, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "flux_up and flux_dn share memory") > 0, &
                "one array for two results: " // trim(message))
    call solver%create(nlay=10, model=parhelion_simple, gravity=0.0_c_double, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "gravity = 0") > 0, "no gravity: " // trim(message))
    call parhelion_initialize(device=-1, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "device = -1") > 0, "device: " // trim(message))
    call parhelion_initialize(threads=0, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "threads = 0") > 0, "threads: " // trim(message))
    call infrared%create(control="/no/such/file", memory_limit=-1_c_int64_t, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "memory_limit") > 0, "memory: " // trim(message))
    call solver%destroy(stat=stat, errmsg=message)
    call expect(stat == 0, "destroyed")
    call solver%destroy(stat=stat)
    call expect(stat == 0, "destroyed again")
    call infrared%create(control="/no/such/file", stat=stat, errmsg=message)
    call expect(stat /= 0 .and. index(message, "/no/such/file") > 0, "no control file: " // trim(message))
    call radiances%create(chunk=-3, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "chunk") > 0, "chunk: " // trim(message))
    call box%create(repetitions=1, stat=stat, errmsg=message)
    call expect(stat /= 0 .and. index(message, "repetitions") > 0, "repetitions: " // trim(message))
    call expect(index(parhelion_version(), ".") > 1, "the version has points")
  end subroutine test_errors

  !> Layers and a black surface of one temperature, in sections of longer arrays.
  subroutine test_adding()
    type(adding) :: solver
    real(rb), parameter :: b = 7.5_rb
    real(rb) :: optical_depth(6, 12), planck(6, 12), mu(1, 2), weight(1, 2), planck_sfc(6), emissivity(6, 2)
    real(rb) :: toa(6, 3), up(6, 13, 2), dn(6, 11, 2)
    integer :: k

    do k = 1, 12
      optical_depth(:, k) = 0.05_rb * k
    end do
    planck = b
    planck_sfc = b
    emissivity = 1
    mu(1, :) = [0.2113249_rb, 0.7886751_rb]
    weight = 0.5_rb
    toa = nan()
    up = nan()
    dn = nan()
    call solver%create(precision=own_precision)
    call solver%solve(planck(2:4, :10), mu, weight, planck_sfc(2:4), emissivity(2:4, :), &
                      optical_depth=optical_depth(2:4, :10), toa=toa(2:4, :2), up=up(2:4, :11, :), dn=dn(2:4, :, :))
    call expect(maxval(abs(toa(2:4, :2) - b)) < 1e3_rb * epsilon(b), "the radiance at the top is that of a black body")
    call expect(maxval(abs(up(2:4, :11, :) - b)) < 1e3_rb * epsilon(b), "so it is at each level")
    call expect(all(abs(dn(2:4, 11, :)) <= 0) .and. all(dn(2:4, 1, :) > 0.5_rb * b), "nothing comes from space")
    call expect(all(toa(1, :) /= toa(1, :)) .and. all(toa(:, 3) /= toa(:, 3)), "nothing else is written")
  end subroutine test_adding

  !> A transparent atmosphere above a surface: a control file with a channel, and no tables.
  subroutine test_spectra()
    type(spectra) :: solver
    integer, parameter :: nlev = 20
    real(rb) :: altitude(1, nlev), pressure(1, nlev), temperature(1, nlev), mole_fraction(1, 1, nlev)
    real(rb) :: observer(2), view(2), latitude(2), radiance(2, 1), transmittance(2, 1)
    real(rb) :: sfc_altitude(1), sfc_pressure(1), sfc_temperature(1), sfc_emissivity(1, 2)
    real(c_double) :: wavenumber, black
    integer(c_int32_t) :: npoint(2)
    character(20) :: name
    character(64) :: folder
    integer :: unit, k, ngas, nchannel

    call get_command_argument(2, folder)
    open (newunit=unit, file=trim(folder) // "/case.ctl", status="replace")
    write (unit, "(a)") "TBLBASE = " // trim(folder) // "/boxcar", "TBLFMT = 2", "NG = 1", "EMITTER[0] = CO2", &
      "ND = 1", "NU[0] = 700", "CTM_CO2 = 0", "CTM_H2O = 0", "CTM_N2 = 0", "CTM_O2 = 0", "NSF = 2", "SFNU[0] = 600", &
      "SFNU[1] = 800", "SFTYPE = 1"
    close (unit)
    open (newunit=unit, file=trim(folder) // "/boxcar_700.0000.filt", status="replace")
    write (unit, "(a)") "699.99 1", "700 1", "700.01 1"
    close (unit)
    do k = 1, nlev
      altitude(1, k) = 3e3_rb * (k - 1)
      temperature(1, k) = 250
      pressure(1, k) = 1e5_rb * exp(-altitude(1, k) / 7e3_rb)
    end do
    mole_fraction = 4e-4_rb
    observer = 8e5_rb
    view = [0.0_rb, 3e4_rb]  ! straight down, and past the limb
    latitude = [0.0_rb, 25.0_rb]
    sfc_altitude = 0
    sfc_pressure = 0
    sfc_temperature = 280
    sfc_emissivity = 0.9_rb
    call solver%create(control=trim(folder) // "/case.ctl", missing_tables_allowed=.true.)
    call solver%sizes(ngas, nchannel)
    call solver%gas(1, name)
    call solver%wavenumber(1, wavenumber)
    call expect(ngas == 1 .and. nchannel == 1 .and. name == "CO2", "one gas and one channel")
    call expect(abs(wavenumber - 700) < 1e-12_c_double, "the wavenumber of the channel")
    call solver%solve(altitude, pressure, temperature, mole_fraction, observer, view, latitude, radiance, &
                      surface_altitude=sfc_altitude, surface_pressure=sfc_pressure, &
                      surface_temperature=sfc_temperature, surface_emissivity=sfc_emissivity, &
                      transmittance=transmittance, npoint=npoint)
    black = 1.19104259e-8_c_double * 700.0_c_double**3 / (exp(1.43877506_c_double * 700 / 280) - 1)
    print "(a, 4es12.4, 2i6)", "radiances, transmittances and points: ", radiance, transmittance, npoint
    call expect(abs(radiance(1, 1) - 0.9_c_double * black) < 1e-4_c_double * black, "the surface emits")
    call expect(all(abs(transmittance - 1) < 1e-6_rb) .and. all(npoint > 1), "the atmosphere is transparent")
  end subroutine test_spectra

  !> A box of grey gas with walls of the same temperature is in equilibrium; one that is hotter than its walls cools.
  subroutine test_monte_carlo()
    type(monte_carlo) :: solver
    type(monte_carlo_side) :: sides(6)
    integer, parameter :: n = 4
    real(rb), parameter :: hot = 1000, sigma = 5.670374e-8_rb
    real(rb) :: faces(n + 1), temperature(n, n, n), faces_z(n, n)
    real(rb), dimension(n, n, n) :: q, error, incident
    real(rb), dimension(n, n) :: low, low_error, high
    real(rb) :: of_x(n), of_y(n), of_z(n), of_box(1)
    integer(c_int64_t) :: repetitions
    integer :: k

    faces = [(0.25_rb * k, k=0, n)]
    temperature = hot
    sides%temperature = hot
    call solver%create(gas=parhelion_gas_grey, absorption=2.0_c_double, rays=64, repetitions=2, &
                       directions=parhelion_directions_tiles, precision=own_precision)
    call solver%solve(faces, faces, faces, temperature, q, sides=sides, q_error=error, incident=incident, &
                      wall_flux_x_low=low, repetitions=repetitions)
    call expect(maxval(abs(incident - 4 * sigma * hot**4)) < 1e-4_rb * 4 * sigma * hot**4, "the field is isotropic")
    call expect(maxval(abs(q)) < 1e-3_rb * 2 * 4 * sigma * hot**4, "nothing is gained or lost")
    call expect(maxval(abs(low)) < 1e-3_rb * sigma * hot**4, "no net flux at the walls")
    call expect(repetitions == 2, "repetitions")
    ! Walls of 0 K but for one that is periodic with its opposite, and one whose faces have temperatures.
    sides%temperature = 0
    sides(1:2)%type = parhelion_side_periodic
    faces_z = 0
    call solver%solve(faces, faces, faces, temperature, q, sides=sides, face_temperature_z_low=faces_z, q_error=error, &
                      wall_flux_y_low=low, wall_flux_error_y_low=low_error, wall_flux_y_high=high, &
                      q_plane_error_x=of_x, q_plane_error_y=of_y, q_plane_error_z=of_z, q_box_error=of_box)
    call expect(all(of_x > 0) .and. all(of_y > 0) .and. all(of_z > 0) .and. of_box(1) > 0, "errors of averages")
    call expect(of_box(1) <= maxval(of_x) .and. maxval(of_z) <= 4 * maxval(error), "sizes of errors of averages")
    call expect(all(q > 0), "hot gas cools")
    call expect(all(low < 0) .and. all(high > 0), "fluxes are positive in the direction of y")
    call expect(all(error >= 0) .and. maxval(error) > 0, "errors")
  end subroutine test_monte_carlo

  subroutine test_stop()
    type(longwave) :: solver

    call solver%create(nlay=10, coefficients="/no/such/file")
    print "(a)", "this line is not reached"
  end subroutine test_stop

end program test_module
