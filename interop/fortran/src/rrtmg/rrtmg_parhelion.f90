! SPDX-License-Identifier: BSD-3-Clause
!> What the drop-ins for RRTMG_LW and RRTMG_SW have in common, for reals of 8 and of 4 bytes. Only the extents that are
!! asked for count, whatever extents arrays were declared with: of arrays themselves only the strides do.
module rrtmg_parhelion
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use parhelion_c
  implicit none
  private
  public :: rrtmg_error_handler, handle, rrtmg_precision, default_gravity, correlation, reduced_gpoints
  public :: set_1, set_2, set_3, set_last_first

  abstract interface
    !> Is called with the message of an error, instead of stopping the program. If it returns, the results of the call
    !! that failed have not been set.
    subroutine rrtmg_error_handler(message)
      character(*), intent(in) :: message
    end subroutine rrtmg_error_handler
  end interface

  !> Describes an array of (n).
  interface set_1
    module procedure :: set_real32_1, set_real64_1
  end interface set_1

  !> Describes an array of (ncol, n).
  interface set_2
    module procedure :: set_real32_2, set_real64_2
  end interface set_2

  !> Describes an array of (ncol, nlay, n).
  interface set_3
    module procedure :: set_real32_3, set_real64_3
  end interface set_3

  !> Describes an array of (n, ncol, nlay) as one of (ncol, nlay, n).
  interface set_last_first
    module procedure :: set_real32_last_first, set_real64_last_first
  end interface set_last_first

  !> The precision of reals of a kind.
  interface rrtmg_precision
    module procedure :: precision_real32, precision_real64
  end interface rrtmg_precision

  !> A gravity [m s-2], or 0 where it is the default, which is the same number with reals of 4 bytes, too.
  interface default_gravity
    module procedure :: gravity_real32, gravity_real64
  end interface default_gravity

  interface
    function parhelion_rrtmg_last_error(text, size) bind(C) result(needed)
      import :: c_char, c_size_t
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
      integer(c_size_t) :: needed
    end function parhelion_rrtmg_last_error

    subroutine parhelion_rrtmg_stopping() bind(C)
    end subroutine parhelion_rrtmg_stopping

    function parhelion_rrtmg_correlation(overlap, by_place, length, thickness, latitude, day, fraction, alpha) bind(C) &
      result(status)
      import :: c_double, c_int, c_int32_t, parhelion_array
      integer(c_int32_t), value :: overlap, by_place, day
      real(c_double), value :: length
      type(parhelion_array), intent(in) :: thickness, latitude, fraction, alpha
      integer(c_int) :: status
    end function parhelion_rrtmg_correlation
  end interface

contains

  !> Does with an error what the handler does, or, without one, writes the message and stops the program.
  !! \param library the name of the drop-in
  subroutine handle(status, library, handler)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: library
    procedure(rrtmg_error_handler), pointer, intent(in) :: handler
    character(kind=c_char) :: buffer(2048)
    character(2048) :: text
    integer(c_size_t) :: needed
    integer :: i, n

    if (status == parhelion_success) return
    needed = parhelion_rrtmg_last_error(buffer, size(buffer, kind=c_size_t))
    n = int(min(needed, size(buffer, kind=c_size_t))) - 1
    do i = 1, n
      text(i:i) = buffer(i)
    end do
    if (associated(handler)) then
      call handler(text(:n))
      return
    end if
    call parhelion_rrtmg_stopping()
    write (error_unit, "(3a)") library, " (parhelion): ", text(:n)
    error stop 1
  end subroutine handle

  !> Correlation of the clouds of neighbouring layers, see get_alpha().
  function correlation(icld, idcor, decorr_con, dz, lat, juldat, cldfrac, alpha) result(status)
    integer(c_int32_t), intent(in) :: icld, idcor, juldat
    real(c_double), intent(in) :: decorr_con
    type(parhelion_array), intent(in) :: dz, lat, cldfrac, alpha
    integer(c_int) :: status

    status = parhelion_rrtmg_correlation(icld, merge(1_c_int32_t, 0_c_int32_t, idcor == 1), decorr_con, dz, lat, &
                                         juldat, cldfrac, alpha)
  end function correlation

  !> The g-points of each band that are merged into one, and their weights in it.
  subroutine reduced_gpoints(ngn, ngs, wt, ngm, rwgt)
    integer(c_int32_t), intent(in) :: ngn(:)    !< how many of a band are in each of those after the reduction
    integer(c_int32_t), intent(in) :: ngs(:)    !< how many there are in a band and those before it after the reduction
    real(c_double), intent(in) :: wt(:)         !< weights of the g-points of a band before the reduction
    integer(c_int32_t), intent(out) :: ngm(:)   !< the g-point of its band that each one is in
    real(c_double), intent(out) :: rwgt(:)      !< its weight in that
    integer :: band, before, first, last, point

    before = 0
    do band = 1, size(ngs)
      last = 0
      do point = before + 1, ngs(band)
        first = last + 1
        last = last + ngn(point)
        associate (offset => (band - 1) * size(wt))
          ngm(offset + first:offset + last) = point - before
          rwgt(offset + first:offset + last) = wt(first:last) / sum(wt(first:last))
        end associate
      end do
      before = ngs(band)
    end do
  end subroutine reduced_gpoints

  subroutine set_extents(description, extents)
    type(parhelion_array), intent(inout) :: description
    integer, intent(in) :: extents(:)

    description%extent(:size(extents)) = extents
  end subroutine set_extents

  subroutine put_last_first(description)
    type(parhelion_array), intent(inout) :: description

    description%stride(:3) = description%stride([2, 3, 1])
  end subroutine put_last_first

  subroutine set_real32_1(description, a, n)
    type(parhelion_array), intent(inout) :: description
    real(c_float), intent(in), target :: a(:)
    integer, intent(in) :: n

    call describe_real32_1(description, a)
    call set_extents(description, [n])
  end subroutine set_real32_1

  subroutine set_real64_1(description, a, n)
    type(parhelion_array), intent(inout) :: description
    real(c_double), intent(in), target :: a(:)
    integer, intent(in) :: n

    call describe_real64_1(description, a)
    call set_extents(description, [n])
  end subroutine set_real64_1

  subroutine set_real32_2(description, a, ncol, n)
    type(parhelion_array), intent(inout) :: description
    real(c_float), intent(in), target :: a(:, :)
    integer, intent(in) :: ncol, n

    call describe_real32_2(description, a)
    call set_extents(description, [ncol, n])
  end subroutine set_real32_2

  subroutine set_real64_2(description, a, ncol, n)
    type(parhelion_array), intent(inout) :: description
    real(c_double), intent(in), target :: a(:, :)
    integer, intent(in) :: ncol, n

    call describe_real64_2(description, a)
    call set_extents(description, [ncol, n])
  end subroutine set_real64_2

  subroutine set_real32_3(description, a, ncol, nlay, n)
    type(parhelion_array), intent(inout) :: description
    real(c_float), intent(in), target :: a(:, :, :)
    integer, intent(in) :: ncol, nlay, n

    call describe_real32_3(description, a)
    call set_extents(description, [ncol, nlay, n])
  end subroutine set_real32_3

  subroutine set_real64_3(description, a, ncol, nlay, n)
    type(parhelion_array), intent(inout) :: description
    real(c_double), intent(in), target :: a(:, :, :)
    integer, intent(in) :: ncol, nlay, n

    call describe_real64_3(description, a)
    call set_extents(description, [ncol, nlay, n])
  end subroutine set_real64_3

  subroutine set_real32_last_first(description, a, ncol, nlay, n)
    type(parhelion_array), intent(inout) :: description
    real(c_float), intent(in), target :: a(:, :, :)
    integer, intent(in) :: ncol, nlay, n

    call describe_real32_3(description, a)
    call put_last_first(description)
    call set_extents(description, [ncol, nlay, n])
  end subroutine set_real32_last_first

  subroutine set_real64_last_first(description, a, ncol, nlay, n)
    type(parhelion_array), intent(inout) :: description
    real(c_double), intent(in), target :: a(:, :, :)
    integer, intent(in) :: ncol, nlay, n

    call describe_real64_3(description, a)
    call put_last_first(description)
    call set_extents(description, [ncol, nlay, n])
  end subroutine set_real64_last_first

  function precision_real32(x) result(precision)
    real(c_float), intent(in) :: x
    integer(c_int32_t) :: precision

    precision = parhelion_float32
  end function precision_real32

  function precision_real64(x) result(precision)
    real(c_double), intent(in) :: x
    integer(c_int32_t) :: precision

    precision = parhelion_float64
  end function precision_real64

  function gravity_real32(grav) result(gravity)
    real(c_float), intent(in) :: grav
    real(c_double) :: gravity

    gravity = grav
    if (abs(grav - 9.8066_c_float) <= 4 * epsilon(grav) * grav) gravity = 0
  end function gravity_real32

  function gravity_real64(grav) result(gravity)
    real(c_double), intent(in) :: grav
    real(c_double) :: gravity

    gravity = grav
    if (abs(grav - 9.8066_c_double) <= 4 * epsilon(grav) * grav) gravity = 0
  end function gravity_real64

end module rrtmg_parhelion
