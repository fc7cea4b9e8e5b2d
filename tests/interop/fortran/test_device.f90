! SPDX-License-Identifier: BSD-3-Clause
!> The module parhelion with arrays on a CUDA device, whose addresses a model gets from OpenACC, OpenMP or, here, from
!! the CUDA runtime: longwave fluxes have the bits of those of host arrays, in the order of the caller's stream, whether
!! arrays are padded or not. Without a device the test is skipped.
program test_device
  use, intrinsic :: iso_c_binding
  use parhelion
  implicit none

  interface
    integer(c_int) function cuda_device_count(count) bind(c, name="cudaGetDeviceCount")
      import :: c_int
      integer(c_int), intent(out) :: count
    end function cuda_device_count
    integer(c_int) function cuda_malloc(address, bytes) bind(c, name="cudaMalloc")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), intent(out) :: address
      integer(c_size_t), value :: bytes
    end function cuda_malloc
    integer(c_int) function cuda_memcpy(to, from, bytes, kind) bind(c, name="cudaMemcpy")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
      integer(c_int), value :: kind
    end function cuda_memcpy
    integer(c_int) function cuda_stream_create(stream) bind(c, name="cudaStreamCreate")
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: stream
    end function cuda_stream_create
    integer(c_int) function cuda_stream_synchronize(stream) bind(c, name="cudaStreamSynchronize")
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
    end function cuda_stream_synchronize
  end interface
  integer(c_int), parameter :: to_device = 1, to_host = 2

  integer, parameter :: ncol = 5, nlay = 12, padded = 8
  real(c_double), parameter :: untouched = -7
  real(c_double), target :: play(padded, nlay), plev(padded, nlay + 1), tlay(padded, nlay), tlev(padded, nlay + 1), &
                            tsfc(padded), emis(padded, 1), h2o(padded, nlay), co2(padded, nlay)
  real(c_double), target :: up(padded, nlay + 1), dn(padded, nlay + 1), heating(padded, nlay), &
                            got_up(padded, nlay + 1), got_dn(padded, nlay + 1), got_heating(padded, nlay)
  type(longwave) :: solver
  type(c_ptr) :: stream, results(3)
  integer(c_int) :: count
  integer :: stat
  character(300) :: message

  count = 0
  if (cuda_device_count(count) /= 0 .or. count == 0) then
    print "(a)", "skipped: there is no CUDA device"
    stop 77
  end if
  call make_columns()
  call solver%create(nlay=nlay, model=parhelion_simple, space="CUDA", stat=stat, errmsg=message)
  if (stat /= 0) then
    print "(2a)", "skipped: this build does not compute on CUDA devices: ", trim(message)
    stop 77
  end if
  up = untouched
  dn = untouched
  heating = untouched
  call solver%solve(play(:ncol, :), plev(:ncol, :), tlay(:ncol, :), tlev(:ncol, :), tsfc(:ncol), emis(:ncol, :), &
                    up(:ncol, :), dn(:ncol, :), heating(:ncol, :), h2o=h2o(:ncol, :), co2=co2(:ncol, :))
  call expect(all(up(:ncol, 1) > 300), "the surface emits")
  call check(cuda_stream_create(stream))
  call solve_on_device(stream)
  call solve_on_device()

  ! An array of the host among those of the device.
  call solver%solve(on_device(play), on_device(plev), on_device(tlay), on_device(tlev), on_device_1(tsfc), &
                    on_device(emis), parhelion_array_at(c_loc(up), parhelion_float64, [ncol, nlay + 1], [1, padded]), &
                    on_device(dn), on_device(heating), h2o=on_device(h2o), stat=stat, errmsg=message)
  call expect(stat == parhelion_error_device .and. index(message, "flux_up") > 0, &
              "an array of the host is refused: " // trim(message))
  call solver%destroy()
  print "(a)", "passed"

contains

  subroutine make_columns()
    integer :: c, k

    do k = 1, nlay + 1
      do c = 1, padded
        plev(c, k) = 1e5_c_double - 8e3_c_double * (k - 1)
        tlev(c, k) = 290 - 5 * (k - 1) + c
      end do
    end do
    play = (plev(:, :nlay) + plev(:, 2:)) / 2
    tlay = (tlev(:, :nlay) + tlev(:, 2:)) / 2
    tsfc = tlev(:, 1) + 1
    emis = 0.98_c_double
    h2o = 5e-3_c_double
    co2 = 4e-4_c_double
  end subroutine make_columns

  subroutine solve_on_device(stream)
    type(c_ptr), intent(in), optional :: stream
    type(parhelion_array) :: to(3)

    got_up = untouched
    got_dn = untouched
    got_heating = untouched
    to(1) = on_device(got_up)
    results(1) = to(1)%data
    to(2) = on_device(got_dn)
    results(2) = to(2)%data
    to(3) = on_device(got_heating)
    results(3) = to(3)%data
    call solver%solve(on_device(play), on_device(plev), on_device(tlay), on_device(tlev), on_device_1(tsfc), &
                      on_device(emis), to(1), to(2), to(3), h2o=on_device(h2o), co2=on_device(co2), stream=stream)
    if (present(stream)) call check(cuda_stream_synchronize(stream))
    call solver%status()
    call fetch(results(1), got_up)
    call fetch(results(2), got_dn)
    call fetch(results(3), got_heating)
    ! The padding, too.
    call expect(all(got_up == up), "upward fluxes")
    call expect(all(got_dn == dn), "downward fluxes")
    call expect(all(got_heating == heating), "heating rates")
  end subroutine solve_on_device

  !> A copy on the device, of which the first columns are described.
  function on_device(a) result(description)
    real(c_double), intent(in), target, contiguous :: a(:, :)
    type(parhelion_array) :: description
    type(c_ptr) :: address

    call check(cuda_malloc(address, 8_c_size_t * size(a)))
    call check(cuda_memcpy(address, c_loc(a), 8_c_size_t * size(a), to_device))
    description = parhelion_array_at(address, parhelion_float64, [ncol, size(a, 2)], [1, size(a, 1)], &
                                     device=0)
  end function on_device

  function on_device_1(a) result(description)
    real(c_double), intent(in), target, contiguous :: a(:)
    type(parhelion_array) :: description
    type(c_ptr) :: address

    call check(cuda_malloc(address, 8_c_size_t * size(a)))
    call check(cuda_memcpy(address, c_loc(a), 8_c_size_t * size(a), to_device))
    description = parhelion_array_at(address, parhelion_float64, [ncol], device=0)
  end function on_device_1

  subroutine fetch(address, a)
    type(c_ptr), intent(in) :: address
    real(c_double), intent(inout), target, contiguous :: a(:, :)

    call check(cuda_memcpy(c_loc(a), address, 8_c_size_t * size(a), to_host))
  end subroutine fetch

  subroutine check(status)
    integer(c_int), intent(in) :: status

    if (status == 0) return
    print "(a, i0)", "the CUDA runtime returned ", status
    error stop 1
  end subroutine check

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what

    if (condition) return
    print "(2a)", "failed: ", what
    error stop 1
  end subroutine expect
end program test_device
