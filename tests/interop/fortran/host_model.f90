! SPDX-License-Identifier: BSD-3-Clause
!> What a climate model has around its longwave radiation, of which its shortwave needs parts, too: arrays (column,
!! layer) with more columns and layers than are used, filled with NaN there, of the reals that the drop-in was built
!! with. Its weather is that of the reference data.
module host_model
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
  use parkind, only: im => kind_im, rb => kind_rb
  implicit none

  integer, parameter :: more_columns = 3, more_layers = 2

  type :: atmosphere
    integer :: ncol = 0, nlay = 0
    real(rb), allocatable, dimension(:, :) :: play, plev, tlay, tlev, h2ovmr, o3vmr, co2vmr, ch4vmr, n2ovmr, o2vmr, &
                                              cfc11vmr, cfc12vmr, cfc22vmr, ccl4vmr, emis, reic, relq
    real(rb), allocatable :: tsfc(:), tauaer(:, :, :)
    real(rb), allocatable, dimension(:, :, :) :: cldf, tauc, ciwp, clwp  !< (140, column, layer)
    integer(im), allocatable, dimension(:) :: inflg, iceflg, liqflg
  end type atmosphere

  type :: radiation
    real(rb), allocatable, dimension(:, :) :: uflx, dflx, hr, uflxc, dflxc, hrc, duflx_dt, duflxc_dt
  end type radiation

  interface
    function has_test_data() bind(C) result(yes)
      import :: c_int
      integer(c_int) :: yes
    end function has_test_data

    subroutine read_case(file, dataset, values, count) bind(C)
      import :: c_char, c_double, c_int
      character(kind=c_char), intent(in) :: file(*), dataset(*)
      real(c_double), intent(inout) :: values(*)
      integer(c_int), value :: count
    end subroutine read_case

    !> How often operator new has been called, in programs with tests/fluxes/count_allocations.c.
    function number_of_allocations() bind(C) result(number)
      import :: c_long
      integer(c_long) :: number
    end function number_of_allocations
  end interface

  integer :: failures = 0

contains

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what

    if (condition) return
    !$omp critical
    failures = failures + 1
    print "(2a)", "FAILED: ", what
    !$omp end critical
  end subroutine expect

  !> Ends the program as the tests want it.
  subroutine finish()
    if (failures > 0) error stop 1
    print "(a)", "passed"
  end subroutine finish

  !> Skips the test where there is no reference data.
  subroutine need_data()
    if (has_test_data() == 0) stop 77
  end subroutine need_data

  real(rb) function nan()
    nan = ieee_value(1.0_rb, ieee_quiet_nan)
  end function nan

  subroutine padded(file, dataset, ncol, n, array)
    character(*), intent(in) :: file, dataset
    integer, intent(in) :: ncol, n
    real(rb), allocatable, intent(out) :: array(:, :)
    real(c_double), allocatable :: values(:, :)

    allocate (values(n, ncol))
    call read_case(file // c_null_char, dataset // c_null_char, values, ncol * n)
    allocate (array(ncol + more_columns, n + more_layers))
    array = nan()
    array(:ncol, :n) = real(transpose(values), rb)
  end subroutine padded

  subroutine padded_gpoints(file, dataset, ngpt, ncol, nlay, array)
    character(*), intent(in) :: file, dataset
    integer, intent(in) :: ngpt, ncol, nlay
    real(rb), allocatable, intent(out) :: array(:, :, :)
    real(c_double), allocatable :: values(:, :, :)

    allocate (values(ngpt, nlay, ncol))
    call read_case(file // c_null_char, dataset // c_null_char, values, ngpt * nlay * ncol)
    allocate (array(ngpt, ncol + more_columns, nlay + more_layers))
    array = nan()
    array(:, :ncol, :nlay) = reshape(real(values, rb), [ngpt, ncol, nlay], order=[1, 3, 2])
  end subroutine padded_gpoints

  subroutine read_flags(file, dataset, flags)
    character(*), intent(in) :: file, dataset
    integer(im), intent(out) :: flags(:)
    real(c_double) :: values(size(flags))

    call read_case(file // c_null_char, dataset // c_null_char, values, size(flags))
    flags = nint(values)
  end subroutine read_flags

  !> The atmosphere of a file of the reference data, and its fluxes.
  subroutine read_atmosphere(name, ncol, clouds, aerosol, derivatives, a, reference)
    character(*), intent(in) :: name
    integer, intent(in) :: ncol
    logical, intent(in) :: clouds, aerosol, derivatives
    type(atmosphere), intent(out) :: a
    type(radiation), intent(out) :: reference
    integer, parameter :: nlay = 51
    real(c_double), allocatable :: values(:, :, :)
    character(:), allocatable :: file

    file = "rrtmg_lw/" // name
    a%ncol = ncol
    a%nlay = nlay
    call padded(file, "play", ncol, nlay, a%play)
    call padded(file, "plev", ncol, nlay + 1, a%plev)
    call padded(file, "tlay", ncol, nlay, a%tlay)
    call padded(file, "tlev", ncol, nlay + 1, a%tlev)
    call padded(file, "h2ovmr", ncol, nlay, a%h2ovmr)
    call padded(file, "o3vmr", ncol, nlay, a%o3vmr)
    call padded(file, "co2vmr", ncol, nlay, a%co2vmr)
    call padded(file, "ch4vmr", ncol, nlay, a%ch4vmr)
    call padded(file, "n2ovmr", ncol, nlay, a%n2ovmr)
    call padded(file, "o2vmr", ncol, nlay, a%o2vmr)
    call padded(file, "cfc11vmr", ncol, nlay, a%cfc11vmr)
    call padded(file, "cfc12vmr", ncol, nlay, a%cfc12vmr)
    call padded(file, "cfc22vmr", ncol, nlay, a%cfc22vmr)
    call padded(file, "ccl4vmr", ncol, nlay, a%ccl4vmr)
    call padded(file, "emis", ncol, 16, a%emis)
    allocate (values(ncol, 1, 1))
    call read_case(file // c_null_char, "tsfc" // c_null_char, values, ncol)
    allocate (a%tsfc(ncol + more_columns))
    a%tsfc = nan()
    a%tsfc(:ncol) = real(values(:, 1, 1), rb)
    allocate (a%tauaer(ncol + more_columns, nlay + more_layers, 16))
    a%tauaer = nan()
    a%tauaer(:ncol, :nlay, :) = 0
    if (aerosol) then
      deallocate (values)
      allocate (values(16, nlay, ncol))
      call read_case(file // c_null_char, "tauaer" // c_null_char, values, 16 * nlay * ncol)
      a%tauaer(:ncol, :nlay, :) = reshape(real(values, rb), [ncol, nlay, 16], order=[3, 2, 1])
    end if
    allocate (a%inflg(ncol), a%iceflg(ncol), a%liqflg(ncol))
    a%inflg = 2
    a%iceflg = 3
    a%liqflg = 1
    if (clouds) then
      call padded_gpoints(file, "cldfmcl", 140, ncol, nlay, a%cldf)
      call padded_gpoints(file, "taucmcl", 140, ncol, nlay, a%tauc)
      call padded_gpoints(file, "ciwpmcl", 140, ncol, nlay, a%ciwp)
      call padded_gpoints(file, "clwpmcl", 140, ncol, nlay, a%clwp)
      call padded(file, "reicmcl", ncol, nlay, a%reic)
      call padded(file, "relqmcl", ncol, nlay, a%relq)
      call read_flags(file, "inflglw", a%inflg)
      call read_flags(file, "iceflglw", a%iceflg)
      call read_flags(file, "liqflglw", a%liqflg)
    else
      ! Nothing of clouds may be looked at.
      allocate (a%cldf(140, ncol + more_columns, nlay + more_layers))
      a%cldf = nan()
      a%tauc = a%cldf
      a%ciwp = a%cldf
      a%clwp = a%cldf
      a%reic = a%cldf(1, :, :)
      a%relq = a%reic
    end if
    call padded(file, "uflx", ncol, nlay + 1, reference%uflx)
    call padded(file, "dflx", ncol, nlay + 1, reference%dflx)
    call padded(file, "hr", ncol, nlay, reference%hr)
    call padded(file, "uflxc", ncol, nlay + 1, reference%uflxc)
    call padded(file, "dflxc", ncol, nlay + 1, reference%dflxc)
    call padded(file, "hrc", ncol, nlay, reference%hrc)
    if (derivatives) then
      call padded(file, "duflx_dt", ncol, nlay + 1, reference%duflx_dt)
      call padded(file, "duflxc_dt", ncol, nlay + 1, reference%duflxc_dt)
    end if
  end subroutine read_atmosphere

  !> Results full of NaN.
  subroutine make_radiation(a, r)
    type(atmosphere), intent(in) :: a
    type(radiation), intent(out) :: r

    allocate (r%uflx(a%ncol + more_columns, a%nlay + 1 + more_layers))
    r%uflx = nan()
    r%dflx = r%uflx
    r%uflxc = r%uflx
    r%dflxc = r%uflx
    r%duflx_dt = r%uflx
    r%duflxc_dt = r%uflx
    allocate (r%hr(a%ncol + more_columns, a%nlay + more_layers))
    r%hr = nan()
    r%hrc = r%hr
  end subroutine make_radiation

  logical function same_bits(x, y)
    real(rb), intent(in) :: x(:, :), y(:, :)

    same_bits = .false.
    if (any(shape(x) /= shape(y))) return
    same_bits = all(transfer(x, [0]) == transfer(y, [0]))
  end function same_bits

  !> Whether all of two results is the same, what has not been written included.
  subroutine expect_same(r, s, what)
    type(radiation), intent(in) :: r, s
    character(*), intent(in) :: what

    call expect(same_bits(r%uflx, s%uflx), what // ": uflx is the same")
    call expect(same_bits(r%dflx, s%dflx), what // ": dflx is the same")
    call expect(same_bits(r%hr, s%hr), what // ": hr is the same")
    call expect(same_bits(r%uflxc, s%uflxc), what // ": uflxc is the same")
    call expect(same_bits(r%dflxc, s%dflxc), what // ": dflxc is the same")
    call expect(same_bits(r%hrc, s%hrc), what // ": hrc is the same")
    call expect(same_bits(r%duflx_dt, s%duflx_dt), what // ": duflx_dt is the same")
    call expect(same_bits(r%duflxc_dt, s%duflxc_dt), what // ": duflxc_dt is the same")
  end subroutine expect_same

  subroutine expect_near(x, reference, ncol, n, tolerance, what, where)
    real(rb), intent(in) :: x(:, :), reference(:, :)
    integer, intent(in) :: ncol, n
    real(rb), intent(in) :: tolerance
    character(*), intent(in) :: what
    logical, intent(in), optional :: where(:, :)  !< what counts
    real(rb) :: worst
    logical :: counts(ncol, n), outside(size(x, 1), size(x, 2))
    character(200) :: text

    counts = .true.
    if (present(where)) counts = where(:ncol, :n)
    worst = maxval(abs(x(:ncol, :n) - reference(:ncol, :n)), mask=counts)
    write (text, "(2a, es10.2, a, es10.2)") what, " is off by", worst, ", expected at most", tolerance
    print "(2a, es10.2)", what, ": largest difference", worst
    call expect(worst <= tolerance .and. .not. any(x(:ncol, :n) /= x(:ncol, :n)), trim(text))
    outside = .true.
    outside(:ncol, :n) = .false.
    call expect(all(x /= x .or. .not. outside), what // " is written beyond ncol and nlay")
  end subroutine expect_near

  !> That results are the reference's: within 1e-5 W m-2 and K day-1, and with real(4) within 0.05 W m-2 and, at 1 hPa
  !! and below, 0.1 K day-1.
  subroutine expect_reference(a, r, reference, what)
    type(atmosphere), intent(in) :: a
    type(radiation), intent(in) :: r, reference
    character(*), intent(in) :: what
    real(rb) :: of_flux, of_heating
    logical :: counts(a%ncol, a%nlay)

    of_flux = merge(1e-5, 0.05, rb == c_double)
    of_heating = merge(1e-5, 0.1, rb == c_double)
    counts = rb == c_double .or. a%plev(:a%ncol, 2:a%nlay + 1) >= 1
    call expect_near(r%uflx, reference%uflx, a%ncol, a%nlay + 1, of_flux, what // ", uflx")
    call expect_near(r%dflx, reference%dflx, a%ncol, a%nlay + 1, of_flux, what // ", dflx")
    call expect_near(r%hr, reference%hr, a%ncol, a%nlay, of_heating, what // ", hr", counts)
    call expect_near(r%uflxc, reference%uflxc, a%ncol, a%nlay + 1, of_flux, what // ", uflxc")
    call expect_near(r%dflxc, reference%dflxc, a%ncol, a%nlay + 1, of_flux, what // ", dflxc")
    call expect_near(r%hrc, reference%hrc, a%ncol, a%nlay, of_heating, what // ", hrc", counts)
  end subroutine expect_reference

end module host_model
