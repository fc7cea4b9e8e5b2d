! SPDX-License-Identifier: BSD-3-Clause
!> ecCKD and RRTMGP through the module parhelion: the references' fluxes and the bits of the program. The argument says
!! what is tested.
program test_models
  use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
  use host_model
  use parhelion
  implicit none

  interface
    subroutine path_of_case(file_name, path, size) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: file_name(*)
      character(kind=c_char), intent(inout) :: path(*)
      integer(c_int), value :: size
    end subroutine path_of_case

    function has_case(file_name) bind(C) result(yes)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: file_name(*)
      integer(c_int) :: yes
    end function has_case

    subroutine write_case(path, dataset, units, values, rows, row) bind(C)
      import :: c_char, c_double, c_int
      character(kind=c_char), intent(in) :: path(*), dataset(*), units(*)
      real(c_double), intent(in) :: values(*)
      integer(c_int), value :: rows, row
    end subroutine write_case
  end interface

  character(*), parameter :: ecckd_lw = "ecckd/ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc"
  character(*), parameter :: ecckd_sw = "ecckd/ecckd-1.4_sw_climate_rgb-32b_ckd-definition.nc"
  character(*), parameter :: ecckd_case = "ecckd/case_clear_a.nc"
  character(*), parameter :: rrtmgp_lw = "rrtmgp/synthetic-gas-lw-g128.nc"
  character(*), parameter :: rrtmgp_sw = "rrtmgp/synthetic-gas-sw-g112.nc"
  character(*), parameter :: gases_of_rrtmgp = "h2o co2 o3 n2o co ch4 o2 n2 ccl4 cfc11 cfc12 cfc22 hfc143a hfc125 " // &
                                               "hfc23 hfc32 hfc134a cf4 no2"
  logical, parameter :: in_double = rb == c_double
  integer, parameter :: n = 60, m = n + 1  !< layers and levels of all files
  !> What an array that is absent is.
  real(rb) :: none(0, 0)
  character(64) :: what

  call get_command_argument(1, what)
  select case (what)
  case ("ecckd")
    call need(ecckd_lw)
    call need(ecckd_sw)
    call need(ecckd_case)
    call test_ecckd()
  case ("rrtmgp")
    call need(rrtmgp_lw)
    call need(rrtmgp_sw)
    call need("rrtmgp/case_clear_a_lw.nc")
    call need("rrtmgp/case_clear_a_sw.nc")
    call test_rrtmgp_longwave()
    call test_rrtmgp_shortwave()
  case ("particles")
    call need(rrtmgp_lw)
    call need("rrtmgp/case_allsky_a_lw.nc")
    call test_particles()
  case ("clouds")
    call need(ecckd_lw)
    call need(ecckd_sw)
    call need(ecckd_case)
    call test_clouds_of_ecckd()
  case ("surfaces")
    call need(ecckd_lw)
    call need(ecckd_case)
    call test_surfaces_of_ecckd()
  case ("queries")
    call need(ecckd_lw)
    call need(rrtmgp_sw)
    call test_queries()
  case ("refusals")
    call need(ecckd_lw)
    call need(rrtmgp_lw)
    call test_refusals()
  case default
    print "(2a)", "unknown test: ", trim(what)
    error stop 1
  end select
  call finish()

contains

  subroutine need(file)
    character(*), intent(in) :: file

    if (has_case(file // c_null_char) == 0) stop 77
  end subroutine need

  function path_of(file) result(path)
    character(*), intent(in) :: file
    character(:), allocatable :: path
    character(kind=c_char) :: buffer(4096)
    integer :: i

    call path_of_case(file // c_null_char, buffer, size(buffer))
    path = ""
    do i = 1, size(buffer)
      if (buffer(i) == c_null_char) exit
      path = path // buffer(i)
    end do
  end function path_of

  !> A variable (column, anything) of a file.
  function field(file, variable, ncol, extent) result(values)
    character(*), intent(in) :: file, variable
    integer, intent(in) :: ncol, extent
    real(rb) :: values(ncol, extent)
    real(c_double), allocatable :: read(:, :)

    allocate (read(extent, ncol))
    call read_case(file // c_null_char, variable // c_null_char, read, size(read))
    values = real(transpose(read), rb)
  end function field

  function line(file, variable, ncol) result(values)
    character(*), intent(in) :: file, variable
    integer, intent(in) :: ncol
    real(rb) :: values(ncol)

    values = reshape(field(file, variable, ncol, 1), [ncol])
  end function line

  !> The same of (column, layer, anything).
  function cube(file, variable, ncol, extent) result(values)
    character(*), intent(in) :: file, variable
    integer, intent(in) :: ncol, extent
    real(rb) :: values(ncol, n, extent)
    real(c_double), allocatable :: read(:, :, :)

    allocate (read(extent, n, ncol))
    call read_case(file // c_null_char, variable // c_null_char, read, size(read))
    values = real(reshape(read, [ncol, n, extent], order=[3, 2, 1]), rb)
  end function cube

  !> Compares with a variable of a file: up to `most` with arrays of real(8), up to `most4` with those of real(4).
  subroutine compare(found, file, variable, most, most4)
    real(rb), intent(in) :: found(:, :)
    character(*), intent(in) :: file, variable
    real(c_double), intent(in) :: most, most4
    real(c_double) :: expected(size(found, 2), size(found, 1)), largest

    call read_case(file // c_null_char, variable // c_null_char, expected, size(expected))
    largest = maxval(abs(real(found, c_double) - transpose(expected)))
    print "(3a, es9.2)", file, " ", variable, largest
    call expect(largest <= merge(most, most4, in_double), file // " " // variable)
  end subroutine compare

  !> Runs the program with a file of the reference data; its results are then in a file. Without
  !! the program, or with arrays of real(4), there is nothing to compare with.
  function program_makes(output, arguments) result(made)
    character(*), intent(in) :: output, arguments
    logical :: made
    character(1024) :: program
    integer :: length, status, stat

    made = .false.
    call get_environment_variable("PARHELION_PROGRAM", program, length, status)
    if (.not. in_double .or. status /= 0 .or. length == 0) return
    call execute_command_line("'" // trim(program) // "' fluxes " // arguments // " --quiet -o '" // output // "'", &
                              exitstat=stat)
    call expect(stat == 0, "the program: " // arguments)
    made = stat == 0
  end function program_makes

  !> A file of results of this process.
  function result_file(name) result(path)
    character(*), intent(in) :: name
    character(:), allocatable :: path
    character(1024) :: folder
    integer :: length, status

    call get_environment_variable("PARHELION_SCRATCH", folder, length, status)
    call expect(status == 0, "there is a folder for results")
    path = trim(folder) // "/models_" // name // ".nc"
  end function result_file

  subroutine expect_bits(found, file, variable)
    real(rb), intent(in) :: found(:, :)
    character(*), intent(in) :: file, variable
    real(c_double) :: expected(size(found, 2), size(found, 1))

    call read_case(file // c_null_char, variable // c_null_char, expected, size(expected))
    call expect(all(found == real(transpose(expected), rb)), "the bits of the program: " // variable)
  end subroutine expect_bits

  !> The atmosphere of ecCKD needs no layers.
  subroutine test_ecckd()
    integer, parameter :: ncol = 40
    type(longwave) :: of_longwave
    type(shortwave) :: of_shortwave
    real(rb), dimension(ncol, m) :: plev, tlev, up, dn, share, derivative, direct
    real(rb), dimension(ncol, n) :: h2o, o3, co2, ch4, n2o, cfc11, cfc12, heating
    real(rb) :: albedo(ncol, 1)
    real(c_double) :: total(1)
    character(:), allocatable :: out

    plev = field(ecckd_case, "pressure_hl", ncol, m)
    tlev = field(ecckd_case, "temperature_hl", ncol, m)
    h2o = field(ecckd_case, "h2o_mole_fraction", ncol, n)
    o3 = field(ecckd_case, "o3_mole_fraction", ncol, n)
    co2 = field(ecckd_case, "co2_mole_fraction", ncol, n)
    ch4 = field(ecckd_case, "ch4_mole_fraction", ncol, n)
    n2o = field(ecckd_case, "n2o_mole_fraction", ncol, n)
    cfc11 = field(ecckd_case, "cfc11_mole_fraction", ncol, n)
    cfc12 = field(ecckd_case, "cfc12_mole_fraction", ncol, n)
    call of_longwave%create(nlay=n, coefficients=path_of(ecckd_lw), vertical_order=parhelion_top_first, &
                            derivative=.true.)
    call of_longwave%solve(none, plev, none, tlev, line(ecckd_case, "skin_temperature", ncol), &
                           field(ecckd_case, "lw_emissivity", ncol, 1), up, dn, heating, h2o=h2o, o3=o3, co2=co2, &
                           ch4=ch4, n2o=n2o, cfc11=cfc11, cfc12=cfc12, dflux_up_dt=derivative, surface_share=share)
    call compare(up, ecckd_case, "lw_fsck32_flux_up", 1e-10_c_double, 0.02_c_double)
    call compare(dn, ecckd_case, "lw_fsck32_flux_dn", 1e-10_c_double, 0.02_c_double)
    call compare(share, ecckd_case, "lw_fsck32_derivative", 3e-13_c_double, 1e-5_c_double)
    out = result_file("ecckd_lw")
    if (program_makes(out, path_of(ecckd_case) // " --derivative --coefficients " // path_of(ecckd_lw))) then
      call expect_bits(up, out, "flux_up")
      call expect_bits(dn, out, "flux_dn")
      call expect_bits(heating, out, "heating_rate")
      call expect_bits(derivative, out, "dflux_up_dt")
      call expect_bits(share, out, "lw_derivative")
    end if

    call of_shortwave%create(nlay=n, coefficients=path_of(ecckd_sw), model=parhelion_gas_optics_ecckd, &
                             vertical_order=parhelion_top_first)
    albedo = field(ecckd_case, "sw_albedo", ncol, 1)
    call read_case(ecckd_case // c_null_char, "total_solar_irradiance" // c_null_char, total, 1)
    call of_shortwave%solve(none, plev, none, line(ecckd_case, "cos_solar_zenith_angle", ncol), albedo, albedo, up, &
                            dn, direct, heating, h2o=h2o, o3=o3, co2=co2, ch4=ch4, n2o=n2o, cfc11=cfc11, &
                            cfc12=cfc12, temperature_lev=tlev, total_irradiance=total(1))
    call compare(up, ecckd_case, "sw_rgb32_flux_up", 1e-6_c_double, 0.05_c_double)
    call compare(dn, ecckd_case, "sw_rgb32_flux_dn", 1e-6_c_double, 0.05_c_double)
    call compare(direct, ecckd_case, "sw_rgb32_flux_dn_direct", 1e-6_c_double, 0.05_c_double)
    out = result_file("ecckd_sw")
    if (program_makes(out, path_of(ecckd_case) // " --shortwave --coefficients " // path_of(ecckd_sw))) then
      call expect_bits(up, out, "sw_flux_up")
      call expect_bits(dn, out, "sw_flux_dn")
      call expect_bits(direct, out, "sw_flux_dn_direct")
      call expect_bits(heating, out, "sw_heating_rate")
    end if
  end subroutine test_ecckd

  !> Adds (column, anything) to a file, in the unit that a factor brings it to.
  subroutine put(path, name, units, values, factor)
    character(*), intent(in) :: path, name, units
    real(rb), intent(in) :: values(:, :)
    real(c_double), intent(in) :: factor

    call write_case(path // c_null_char, name // c_null_char, units // c_null_char, &
                    factor * transpose(real(values, c_double)), size(values, 1), &
                    merge(size(values, 2), 0, size(values, 2) > 1))
  end subroutine put

  !> A scattering file of ecRad's layout, made up.
  subroutine write_scattering(path, extinction)
    character(*), intent(in) :: path
    real(rb), intent(in) :: extinction
    real(rb), parameter :: wavenumber(6) = [10._rb, 500._rb, 1500._rb, 4000._rb, 20000._rb, 50000._rb]
    real(rb), parameter :: radius(4) = [2e-6_rb, 22e-6_rb, 42e-6_rb, 62e-6_rb]

    call remove(path)
    call put(path, "wavenumber", "cm-1", reshape(wavenumber, [6, 1]), 1._c_double)
    call put(path, "effective_radius", "m", reshape(radius, [4, 1]), 1._c_double)
    call put(path, "mass_extinction_coefficient", "m2 kg-1", spread(extinction * 1e-5_rb / radius, 2, 6), 1._c_double)
    call put(path, "single_scattering_albedo", "1", &
             spread(merge(0.9999_rb, 0.5_rb, wavenumber > 10000), 1, 4), 1._c_double)
    call put(path, "asymmetry_factor", "1", spread(spread(0.85_rb, 1, 4), 2, 6), 1._c_double)
  end subroutine write_scattering

  subroutine remove(path)
    character(*), intent(in) :: path
    integer :: unit, stat

    open (newunit=unit, file=path, iostat=stat)
    if (stat == 0) close (unit, status="delete")
  end subroutine remove

  !> The scattering files of ecRad with the program's atmosphere in the column layout, the surface first.
  subroutine test_clouds_of_ecckd()
    integer, parameter :: ncol = 40
    character(*), parameter :: gases(7) = ["h2o  ", "o3   ", "co2  ", "ch4  ", "n2o  ", "cfc11", "cfc12"]
    type(longwave) :: of_longwave
    type(shortwave) :: of_shortwave
    real(rb), dimension(ncol, m) :: plev, tlev, up, dn, up_clear, dn_clear, direct, direct_clear
    real(rb), dimension(ncol, n) :: play, tlay, fraction, ice, liquid, ice_size, liquid_size, heating, heating_clear
    real(rb) :: g(ncol, n, 7), tsfc(ncol, 1), emissivity(ncol, 1), mu0(ncol, 1), albedo(ncol, 1), albedos(ncol, 2)
    character(:), allocatable :: droplet_file, ice_file, path, out, words
    character(5), parameter :: names(2) = ["thick", "thin "]
    integer :: i, k, averaging

    droplet_file = result_file("droplets_" // kind_of_reals())
    ice_file = result_file("ice_" // kind_of_reals())
    call write_scattering(droplet_file, 150._rb)
    call write_scattering(ice_file, 60._rb)

    plev = turned(field(ecckd_case, "pressure_hl", ncol, m))
    tlev = turned(field(ecckd_case, "temperature_hl", ncol, m))
    play = 0.5_rb * (plev(:, :n) + plev(:, 2:))
    tlay = 0.5_rb * (tlev(:, :n) + tlev(:, 2:))
    do i = 1, size(gases)
      g(:, :, i) = turned(field(ecckd_case, trim(gases(i)) // "_mole_fraction", ncol, n))
    end do
    tsfc = field(ecckd_case, "skin_temperature", ncol, 1)
    emissivity = field(ecckd_case, "lw_emissivity", ncol, 1)
    mu0 = field(ecckd_case, "cos_solar_zenith_angle", ncol, 1)
    albedo = field(ecckd_case, "sw_albedo", ncol, 1)
    ! Of wavenumbers from 16000 cm-1 up, and below, as files in the column layout have them.
    albedos = spread(albedo(:, 1), 2, 2)
    do k = 1, n
      fraction(:, k) = [(min(max(0.5_rb + 0.8_rb * sin(1.3_rb * i + 0.15_rb * k), 0._rb), 1._rb), i = 1, ncol)]
      liquid(:, k) = merge(20 + 10 * cos(2._rb * k), 0._rb, k < n / 2)
      ice(:, k) = merge(10._rb, 0._rb, k > n / 3)
      liquid_size(:, k) = 10 + 4 * sin(1._rb * k)
      ice_size(:, k) = [(40 + 30 * sin(0.9_rb * i + k), i = 1, ncol)]
    end do

    path = result_file("cloudy_" // kind_of_reals())
    call remove(path)
    call put(path, "plev", "hPa", plev, 1e-2_c_double)
    call put(path, "play", "hPa", play, 1e-2_c_double)
    call put(path, "tlev", "K", tlev, 1._c_double)
    call put(path, "tlay", "K", tlay, 1._c_double)
    call put(path, "tsfc", "K", tsfc, 1._c_double)
    call put(path, "emis", "1", emissivity, 1._c_double)
    call put(path, "coszen", "1", mu0, 1._c_double)
    call put(path, "asdir", "1", albedo, 1._c_double)
    call put(path, "asdif", "1", albedo, 1._c_double)
    call put(path, "aldir", "1", albedo, 1._c_double)
    call put(path, "aldif", "1", albedo, 1._c_double)
    do i = 1, size(gases)
      call put(path, trim(gases(i)) // "vmr", "1", g(:, :, i), 1._c_double)
    end do
    call put(path, "cldfrac", "1", fraction, 1._c_double)
    call put(path, "ciwp", "g m-2", ice, 1._c_double)
    call put(path, "clwp", "g m-2", liquid, 1._c_double)
    call put(path, "rei", "um", ice_size, 1._c_double)
    call put(path, "rel", "um", liquid_size, 1._c_double)
    ! As the program reads it: pressures in hPa.
    plev = field(path, "plev", ncol, m)

    do averaging = 1, 2
      call of_longwave%create(nlay=n, coefficients=path_of(ecckd_lw), clouds=parhelion_clouds_of_layers, &
                              clear=.true., droplet_scattering=droplet_file, ice_scattering=ice_file, &
                              cloud_averaging=int(averaging - 1, c_int32_t))
      call of_longwave%solve(none, plev, none, tlev, tsfc(:, 1), emissivity, up, dn, heating, h2o=g(:, :, 1), &
                             o3=g(:, :, 2), co2=g(:, :, 3), ch4=g(:, :, 4), n2o=g(:, :, 5), cfc11=g(:, :, 6), &
                             cfc12=g(:, :, 7), fraction=fraction, ice_path=ice, liquid_path=liquid, &
                             ice_size=ice_size, liquid_size=liquid_size, flux_up_clear=up_clear, &
                             flux_dn_clear=dn_clear, heating_rate_clear=heating_clear, &
                             pressure_factor=100._c_double, path_factor=1e-3_c_double, &
                             particle_size_factor=1e-6_c_double)
      call expect(maxval(dn - dn_clear) > 1, "clouds radiate")
      words = " --droplet-scattering '" // droplet_file // "' --ice-scattering '" // ice_file // &
              "' --cloud-averaging " // trim(names(averaging))
      out = result_file("cloudy_lw")
      if (program_makes(out, "'" // path // "' --coefficients " // path_of(ecckd_lw) // words)) then
        call expect_bits(up, out, "flux_up")
        call expect_bits(dn, out, "flux_dn")
        call expect_bits(heating, out, "heating_rate")
        call expect_bits(up_clear, out, "flux_up_clear")
        call expect_bits(dn_clear, out, "flux_dn_clear")
      end if

      call of_shortwave%create(nlay=n, coefficients=path_of(ecckd_sw), clouds=parhelion_clouds_of_layers, &
                               clear=.true., droplet_scattering=droplet_file, ice_scattering=ice_file, &
                               cloud_averaging=int(averaging - 1, c_int32_t))
      call of_shortwave%solve(none, plev, none, mu0(:, 1), albedos, albedos, up, dn, direct, heating, h2o=g(:, :, 1), &
                              o3=g(:, :, 2), co2=g(:, :, 3), ch4=g(:, :, 4), n2o=g(:, :, 5), cfc11=g(:, :, 6), &
                              cfc12=g(:, :, 7), temperature_lev=tlev, fraction=fraction, ice_path=ice, &
                              liquid_path=liquid, ice_size=ice_size, liquid_size=liquid_size, &
                              flux_up_clear=up_clear, flux_dn_clear=dn_clear, flux_dn_direct_clear=direct_clear, &
                              heating_rate_clear=heating_clear, pressure_factor=100._c_double, &
                              path_factor=1e-3_c_double, particle_size_factor=1e-6_c_double)
      call expect(maxval(up - up_clear) > 1, "clouds reflect")
      out = result_file("cloudy_sw")
      if (program_makes(out, "'" // path // "' --shortwave --coefficients " // path_of(ecckd_sw) // words)) then
        call expect_bits(up, out, "sw_flux_up")
        call expect_bits(dn, out, "sw_flux_dn")
        call expect_bits(direct, out, "sw_flux_dn_direct")
        call expect_bits(heating, out, "sw_heating_rate")
        call expect_bits(up_clear, out, "sw_flux_up_clear")
      end if
    end do
  end subroutine test_clouds_of_ecckd

  !> With the levels or layers in the other order.
  function turned(array) result(other)
    real(rb), intent(in) :: array(:, :)
    real(rb) :: other(size(array, 1), size(array, 2))

    other = array(:, size(array, 2):1:-1)
  end function turned

  function kind_of_reals() result(name)
    character(2) :: name

    name = merge("r8", "r4", in_double)
  end function kind_of_reals

  !> Emissivities of intervals of wavenumber, and radiation that enters at the top.
  subroutine test_surfaces_of_ecckd()
    integer, parameter :: ncol = 40, ng = 32
    type(longwave) :: solver
    real(rb), dimension(ncol, m) :: plev, tlev, up, dn, up_of_one, dn_of_one
    real(rb), dimension(ncol, n) :: h2o, o3, co2, cfc11, cfc12, heating
    real(rb) :: tsfc(ncol), incident(ncol, ng)
    real(c_double), allocatable :: weights(:, :)
    character(200) :: message
    integer :: stat, i

    plev = field(ecckd_case, "pressure_hl", ncol, m)
    tlev = field(ecckd_case, "temperature_hl", ncol, m)
    tsfc = line(ecckd_case, "skin_temperature", ncol)
    h2o = field(ecckd_case, "h2o_mole_fraction", ncol, n)
    o3 = field(ecckd_case, "o3_mole_fraction", ncol, n)
    co2 = field(ecckd_case, "co2_mole_fraction", ncol, n)
    cfc11 = field(ecckd_case, "cfc11_mole_fraction", ncol, n)
    cfc12 = field(ecckd_case, "cfc12_mole_fraction", ncol, n)
    call solver%create(nlay=n, coefficients=path_of(ecckd_lw), vertical_order=parhelion_top_first, &
                       incident_flux=.true.)
    call solver%interval_weights([800._c_double, 1200._c_double], weights)
    call expect(all(shape(weights) == [ng, 3]), "weights of three intervals")
    call expect(all(abs(sum(weights, 2) - 1) < 1e-14_c_double), "weights add up to 1")
    call expect(minval(weights) >= 0 .and. all(maxval(weights, 1) > 0), "weights of each interval")
    call solver%interval_weights([1200._c_double, 800._c_double], weights, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_value .and. index(message, "between(1) = 800") > 0, "falling wavenumbers")
    call solver%interval_weights([800._c_double, 1200._c_double], weights)

    call solver%solve(none, plev, none, tlev, tsfc, reshape(spread(0.9_rb, 1, ncol), [ncol, 1]), up_of_one, &
                      dn_of_one, heating, h2o=h2o, o3=o3, co2=co2, cfc11=cfc11, cfc12=cfc12)
    incident = reshape([(0.01_rb * i, i = 1, ncol * ng)], [ncol, ng])
    call solver%solve(none, plev, none, tlev, tsfc, real(matmul(spread(spread(0.9_c_double, 1, ncol), 2, 3), &
                      transpose(weights)), rb), up, dn, heating, h2o=h2o, o3=o3, co2=co2, cfc11=cfc11, cfc12=cfc12)
    call expect(maxval(abs(up - up_of_one)) < 1e4_rb * epsilon(1._rb), "the same emissivity in all intervals")
    call solver%solve(none, plev, none, tlev, tsfc, reshape(spread(0.9_rb, 1, ncol), [ncol, 1]), up, dn, heating, &
                      h2o=h2o, o3=o3, co2=co2, cfc11=cfc11, cfc12=cfc12, incident_flux=incident)
    call expect(all(dn_of_one(:, 1) == 0), "nothing enters at the top")
    call expect(maxval(abs(dn(:, 1) - sum(incident, 2))) < 1e5_rb * epsilon(1._rb), "what enters at the top")
    call expect(all(dn(:, m) > dn_of_one(:, m)), "it reaches the ground")
    call solver%solve(none, plev, none, tlev, tsfc, reshape(spread(0.9_rb, 1, ncol), [ncol, 1]), up, dn, heating, &
                      h2o=h2o, o3=o3, co2=co2, cfc11=cfc11, cfc12=cfc12, incident_flux=incident(:, :ng - 1), &
                      stat=stat, errmsg=message)
    call expect(stat == parhelion_error_shape .and. index(message, "incident_flux") > 0, "too few g-points")
    call solver%create(nlay=n, coefficients=path_of(ecckd_lw), vertical_order=parhelion_top_first)
    call solver%solve(none, plev, none, tlev, tsfc, reshape(spread(0.9_rb, 1, ncol), [ncol, 1]), up, dn, heating, &
                      h2o=h2o, o3=o3, co2=co2, cfc11=cfc11, cfc12=cfc12, incident_flux=incident, stat=stat)
    call expect(stat == parhelion_error_argument, "an incident flux that the object was not made for")
  end subroutine test_surfaces_of_ecckd

  !> The gases of a file of RRTMGP, in the order of their numbers.
  function gases_of(file, ncol) result(gases)
    character(*), intent(in) :: file
    integer, intent(in) :: ncol
    real(rb) :: gases(ncol, n, parhelion_ngas)
    integer :: gas

    do gas = 1, parhelion_ngas
      gases(:, :, gas) = field(file, "vmr_" // parhelion_gas_name(gas), ncol, n)
    end do
  end function gases_of

  subroutine solve_longwave(solver, file, ncol, interpolated, up, dn, heating, up_band, dn_band)
    type(longwave), intent(inout) :: solver
    character(*), intent(in) :: file
    integer, intent(in) :: ncol
    logical, intent(in) :: interpolated
    real(rb), intent(inout) :: up(:, :), dn(:, :), heating(:, :), up_band(:, :, :), dn_band(:, :, :)
    real(rb) :: g(ncol, n, parhelion_ngas)
    real(rb), allocatable :: tlev(:, :)

    g = gases_of(file, ncol)
    if (interpolated) then
      allocate (tlev(0, 0))
    else
      allocate (tlev(ncol, m))
      tlev(:, :) = field(file, "tlev", ncol, m)
    end if
    call solver%solve(field(file, "play", ncol, n), field(file, "plev", ncol, m), field(file, "tlay", ncol, n), tlev, &
                      line(file, "tsfc", ncol), field(file, "emissivity", ncol, 16), up, dn, heating, &
                      h2o=g(:, :, 1), co2=g(:, :, 2), o3=g(:, :, 3), n2o=g(:, :, 4), co=g(:, :, 5), ch4=g(:, :, 6), &
                      o2=g(:, :, 7), ccl4=g(:, :, 8), cfc11=g(:, :, 9), cfc12=g(:, :, 10), cfc22=g(:, :, 11), &
                      n2=g(:, :, 12), hfc143a=g(:, :, 13), hfc125=g(:, :, 14), hfc23=g(:, :, 15), &
                      hfc32=g(:, :, 16), hfc134a=g(:, :, 17), cf4=g(:, :, 18), no2=g(:, :, 19), &
                      flux_up_band=up_band, flux_dn_band=dn_band)
  end subroutine solve_longwave

  subroutine test_rrtmgp_longwave()
    integer, parameter :: ncol = 40
    character(*), parameter :: file = "rrtmgp/case_clear_a_lw.nc"
    type(longwave) :: solver
    real(rb) :: up(ncol, m), dn(ncol, m), heating(ncol, n), up_band(ncol, m, 16), dn_band(ncol, m, 16)
    character(:), allocatable :: out

    call solver%create(nlay=n, coefficients=path_of(rrtmgp_lw), gases=gases_of_rrtmgp, bands=.true., &
                       vertical_order=parhelion_top_first)
    call solve_longwave(solver, file, ncol, .false., up, dn, heating, up_band, dn_band)
    call compare(up, file, "n1_flux_up", 1e-9_c_double, 0.02_c_double)
    call compare(dn, file, "n1_flux_dn", 1e-9_c_double, 0.02_c_double)
    call expect(maxval(abs(sum(up_band, 3) - up)) < 1e4_rb * epsilon(1._rb), "the bands add up")
    out = result_file("rrtmgp_lw")
    if (program_makes(out, path_of(file) // " --coefficients " // path_of(rrtmgp_lw))) then
      call expect_bits(up, out, "flux_up")
      call expect_bits(dn, out, "flux_dn")
      call expect_bits(heating, out, "heating_rate")
    end if

    call solver%create(nlay=n, coefficients=path_of(rrtmgp_lw), gases=gases_of_rrtmgp, bands=.true., &
                       vertical_order=parhelion_top_first, angles=parhelion_angles_optimal)
    call solve_longwave(solver, file, ncol, .false., up, dn, heating, up_band, dn_band)
    call compare(up, file, "opt_flux_up", 1e-9_c_double, 0.02_c_double)

    call solver%create(nlay=n, coefficients=path_of(rrtmgp_lw), gases=gases_of_rrtmgp, bands=.true., &
                       vertical_order=parhelion_top_first, &
                       level_temperatures=parhelion_level_temperatures_interpolated)
    call solve_longwave(solver, file, ncol, .true., up, dn, heating, up_band, dn_band)
    call compare(dn, file, "notlev_flux_dn", 1e-9_c_double, 0.02_c_double)
  end subroutine test_rrtmgp_longwave

  !> The sun of each column by its irradiance.
  subroutine test_rrtmgp_shortwave()
    integer, parameter :: ncol = 40
    character(*), parameter :: file = "rrtmgp/case_clear_a_sw.nc"
    type(shortwave) :: solver
    real(rb), dimension(ncol, m) :: up, dn, direct
    real(rb) :: heating(ncol, n), weights(ncol, 4)
    real(rb) :: g(ncol, n, parhelion_ngas)
    real(c_double) :: total(ncol), of_column(4), factors(14)
    character(:), allocatable :: out
    integer :: column

    call solver%create(nlay=n, coefficients=path_of(rrtmgp_sw), gases=gases_of_rrtmgp, &
                       vertical_order=parhelion_top_first)
    call read_case(file // c_null_char, "total_solar_irradiance" // c_null_char, total, ncol)
    do column = 1, ncol
      call solver%sun(of_column, factors, total_irradiance=total(column))
      weights(column, :) = real(of_column, rb)
      call expect(all(factors == 1), "RRTMGP has no factors on bands")
    end do
    g = gases_of(file, ncol)
    call solver%solve(field(file, "play", ncol, n), field(file, "plev", ncol, m), field(file, "tlay", ncol, n), &
                      line(file, "mu0", ncol), field(file, "albedo_direct", ncol, 14), &
                      field(file, "albedo_diffuse", ncol, 14), up, dn, direct, heating, h2o=g(:, :, 1), &
                      co2=g(:, :, 2), o3=g(:, :, 3), n2o=g(:, :, 4), co=g(:, :, 5), ch4=g(:, :, 6), o2=g(:, :, 7), &
                      ccl4=g(:, :, 8), cfc11=g(:, :, 9), cfc12=g(:, :, 10), cfc22=g(:, :, 11), n2=g(:, :, 12), &
                      hfc143a=g(:, :, 13), hfc125=g(:, :, 14), hfc23=g(:, :, 15), hfc32=g(:, :, 16), &
                      hfc134a=g(:, :, 17), cf4=g(:, :, 18), no2=g(:, :, 19), solar_weights=weights)
    call compare(up, file, "flux_up", 1e-6_c_double, 0.05_c_double)
    call compare(dn, file, "flux_dn", 1e-6_c_double, 0.05_c_double)
    call compare(direct, file, "flux_dir", 1e-6_c_double, 0.05_c_double)
    out = result_file("rrtmgp_sw")
    if (program_makes(out, path_of(file) // " --shortwave --coefficients " // path_of(rrtmgp_sw))) then
      call expect_bits(up, out, "sw_flux_up")
      call expect_bits(dn, out, "sw_flux_dn")
      call expect_bits(direct, out, "sw_flux_dn_direct")
      call expect_bits(heating, out, "sw_heating_rate")
    end if
  end subroutine test_rrtmgp_shortwave

  !> Clouds with a mask of g-points and aerosol by type, which scatter.
  subroutine test_particles()
    integer, parameter :: ncol = 24
    character(*), parameter :: file = "rrtmgp/case_allsky_a_lw.nc"
    character(*), parameter :: clouds = "rrtmgp/rrtmgp-clouds-lw-bnd.nc"
    character(*), parameter :: aerosol = "rrtmgp/rrtmgp-aerosols-merra-lw.nc"
    type(longwave) :: solver
    real(rb) :: up(ncol, m), dn(ncol, m), heating(ncol, n)
    integer(c_int32_t) :: types(ncol, n)
    real(rb) :: g(ncol, n, parhelion_ngas)
    integer :: run
    character(6), parameter :: names(3) = ["abs   ", "resc  ", "twostr"]

    call need(clouds)
    call need(aerosol)
    g = gases_of(file, ncol)
    types = nint(field(file, "aerosol_type", ncol, n))
    do run = 1, 3
      call solver%create(nlay=n, coefficients=path_of(rrtmgp_lw), gases=gases_of_rrtmgp, &
                         vertical_order=parhelion_top_first, clouds=parhelion_clouds_masked, &
                         cloud_optics=path_of(clouds), aerosol_optics=path_of(aerosol), ice_roughness=2, &
                         scattering=int(run - 1, c_int32_t))
      call solver%solve(field(file, "play", ncol, n), field(file, "plev", ncol, m), field(file, "tlay", ncol, n), &
                        field(file, "tlev", ncol, m), line(file, "tsfc", ncol), field(file, "emissivity", ncol, 16), &
                        up, dn, heating, h2o=g(:, :, 1), co2=g(:, :, 2), o3=g(:, :, 3), n2o=g(:, :, 4), &
                        co=g(:, :, 5), ch4=g(:, :, 6), o2=g(:, :, 7), ccl4=g(:, :, 8), cfc11=g(:, :, 9), &
                        cfc12=g(:, :, 10), cfc22=g(:, :, 11), n2=g(:, :, 12), hfc143a=g(:, :, 13), &
                        hfc125=g(:, :, 14), hfc23=g(:, :, 15), hfc32=g(:, :, 16), hfc134a=g(:, :, 17), &
                        cf4=g(:, :, 18), no2=g(:, :, 19), fraction_gpt=cube(file, "cloud_mask", ncol, 128), &
                        ice_path=field(file, "iwp", ncol, n), liquid_path=field(file, "lwp", ncol, n), &
                        ice_size=field(file, "dei", ncol, n), liquid_size=field(file, "rel", ncol, n), &
                        aerosol_type=types, aerosol_size=1e-6_rb * field(file, "aerosol_size", ncol, n), &
                        aerosol_mass=field(file, "aerosol_mass", ncol, n), &
                        relative_humidity=field(file, "relative_humidity", ncol, n), path_factor=1e-3_c_double, &
                        particle_size_factor=1e-6_c_double)
      call compare(up, file, trim(names(run)) // "_flux_up", merge(1e-6_c_double, 1e-9_c_double, run == 3), &
                            0.02_c_double)
      call compare(dn, file, trim(names(run)) // "_flux_dn", merge(1e-6_c_double, 1e-9_c_double, run == 3), &
                            0.02_c_double)
    end do
  end subroutine test_particles

  subroutine test_queries()
    type(longwave) :: of_longwave
    type(shortwave) :: of_shortwave
    type(gas_optics_model) :: model
    character(:), allocatable :: names
    character(200) :: message
    real(c_double) :: weights(4), scaled(4), factors(14), indices(2)
    integer :: gas, count, stat

    do gas = 1, parhelion_ngas
      call parhelion_find_gas(parhelion_gas_name(gas), count)
      call expect(count == gas, "the name of a gas")
    end do
    call parhelion_find_gas("Carbon_Dioxide", gas)
    call expect(gas == 2, "a synonym")
    call parhelion_find_gas("phlogiston", gas, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. gas == 0, "no such gas")
    call expect(index(message, '"phlogiston"') > 0, "the message names it")
    call expect(parhelion_gas_name(0) // parhelion_gas_name(20) == "", "no such number")

    call of_longwave%create(nlay=3, coefficients=path_of(ecckd_lw))
    call of_longwave%model(model)
    call expect(model%name == "ecCKD" .and. model%gas_optics == parhelion_gas_optics_ecckd, "the model")
    call expect(model%uses_levels .and. model%ngpoint == 32 .and. model%nband == size(model%wavenumber_low), "sizes")
    call expect(all(model%wavenumber_high > model%wavenumber_low), "bands")
    call expect(all(abs(model%temperature - [100, 400]) < 1e-9_c_double), "range of temperatures")
    call expect(model%role(1) == parhelion_role_required .and. model%role(6) == parhelion_role_default .and. &
                model%role(19) == parhelion_role_none, "roles of gases")
    call expect(model%default_mole_ratio(6) > 1e-6_c_double .and. model%default_mole_ratio(1) == 0, "the default")
    call of_longwave%missing("co2, METHANE  cfc11,cfc12", names, count)
    call expect(names == "h2o, o3" .and. count == 2, "missing gases: " // names)
    call of_longwave%missing("", names)
    call expect(names == "h2o, co2, o3, cfc11, cfc12", "all missing: " // names)
    call of_longwave%missing("h2o, ether", names, stat=stat)
    call expect(stat == parhelion_error_argument, "an unknown gas")

    call of_shortwave%create(nlay=3, coefficients=path_of(rrtmgp_sw))
    call of_shortwave%model(model)
    call expect(model%nband == 14 .and. model%ngpoint == 112 .and. .not. model%uses_levels, "the shortwave")
    call of_shortwave%sun(weights)
    call of_shortwave%sun(scaled, total_irradiance=2 * model%total_irradiance)
    call expect(all(abs(scaled - 2 * weights) <= 1e-12_c_double * abs(weights)), "the total irradiance")
    indices = ieee_value(1._c_double, ieee_quiet_nan)
    call of_shortwave%sun(scaled, sun=parhelion_sun_indices, solar_indices=indices)
    call expect(all(scaled == weights), "indices that are as the file says")
    call of_shortwave%sun(scaled, sun=parhelion_sun_kurucz, stat=stat)
    call expect(stat == parhelion_error_argument, "no other sun")

    ! The spectra of RRTMG_SW: day 185 is 5 July, when the sun is far away.
    call parhelion_shortwave_sun(weights, factors)
    call expect(all(weights == [0, 1, 1, 1]) .and. all(factors == 1), "the mean of the solar cycle")
    call parhelion_shortwave_sun(scaled, day_of_year=185)
    call expect(abs(scaled(2) - 0.967_c_double) < 1e-3_c_double, "the sun in July")
    call parhelion_shortwave_sun(weights, factors, sun=parhelion_sun_scaled_bands, &
                                 band_factors=spread(1.5_c_double, 1, 14))
    call expect(all(abs(factors - 1.5_c_double) < 1e-15_c_double), "factors on bands")
    call parhelion_shortwave_sun(weights, day_of_year=400, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_value .and. index(message, "day_of_year") > 0, "no such day")
  end subroutine test_queries

  subroutine test_refusals()
    type(longwave) :: solver
    character(400) :: message
    real(rb) :: plev(1, 4), tlev(1, 4), up(1, 4), dn(1, 4), heating(1, 3), h2o(1, 3)
    integer :: stat

    call solver%create(nlay=3, coefficients=path_of(ecckd_lw), angles=2, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "angles = 2") > 0, "angles of ecCKD")
    call solver%create(nlay=3, coefficients=path_of(ecckd_lw), droplet_scattering="/nowhere", stat=stat, &
                       errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "expected ice_scattering") > 0, "half of clouds")
    call solver%create(nlay=3, coefficients=path_of(ecckd_lw), droplet_scattering="/nowhere", &
                       ice_scattering="/nowhere", stat=stat, errmsg=message)
    call expect(stat == parhelion_error_file .and. index(message, "/nowhere") > 0, "no such scattering")
    call solver%create(nlay=3, coefficients=path_of(ecckd_lw), model=parhelion_gas_optics_rrtmgp, stat=stat)
    call expect(stat == parhelion_error_file, "a file of another model")
    call solver%create(nlay=3, coefficients=path_of(rrtmgp_lw), cloud_optics="/nowhere", stat=stat, errmsg=message)
    call expect(stat == parhelion_error_file .and. index(message, "/nowhere") > 0, "no such cloud optics")
    call solver%create(nlay=3, coefficients=path_of(rrtmgp_lw), gases="h2o", stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "gases lacks co2") > 0, "gases that are needed")

    call solver%create(nlay=3, coefficients=path_of(ecckd_lw))
    plev = reshape([1e5_rb, 7e4_rb, 4e4_rb, 1e4_rb], [1, 4])
    tlev = 280
    h2o = 1e-3_rb
    call solver%solve(none, plev, none, tlev, [280._rb], reshape([1._rb], [1, 1]), up, dn, heating, h2o=h2o, &
                      stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "co2, o3, cfc11, cfc12 are absent") > 0, &
                "gases that are absent: " // message)
    call solver%solve(none, plev, none, none, [280._rb], reshape([1._rb], [1, 1]), up, dn, heating, h2o=h2o, &
                      co2=h2o, o3=h2o, cfc11=h2o, cfc12=h2o, stat=stat, errmsg=message)
    call expect(stat == parhelion_error_argument .and. index(message, "temperature_lev is absent") > 0, &
                "temperatures of levels: " // message)
    call solver%solve(none, plev, none, tlev, [280._rb], reshape([1._rb], [1, 1]), up, dn, heating, h2o=h2o, &
                      co2=h2o, o3=h2o, cfc11=h2o, cfc12=h2o)
    call expect(all(up > 0), "a call with all gases that are needed")
  end subroutine test_refusals

end program test_models
