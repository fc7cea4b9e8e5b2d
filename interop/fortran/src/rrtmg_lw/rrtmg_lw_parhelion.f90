! SPDX-License-Identifier: BSD-3-Clause
!> What the modules of the drop-in for RRTMG_LW have in common. Models need nothing of it but
!! rrtmg_lw_set_error_handler().
module rrtmg_lw_parhelion
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use parhelion_c
  use rrtmg_lw_parhelion_arrays
  use parkind, only: im => kind_im, rb => kind_rb
  use parrrtm, only: nbndlw, ngptlw
  implicit none
  private
  public :: rrtmg_lw_set_error_handler, rrtmg_lw_error_handler
  public :: parhelion_rrtmg_lw_call, begin_call, set_mcica_clouds, set_layer_clouds, set_results, finish_call
  public :: initialize, draw_subcolumns, decorrelation_length

  abstract interface
    !> Is called with the message of an error, instead of stopping the program. If it returns, the results of the call
    !! that failed have not been set.
    subroutine rrtmg_lw_error_handler(message)
      character(*), intent(in) :: message
    end subroutine rrtmg_lw_error_handler
  end interface

  procedure(rrtmg_lw_error_handler), pointer, save :: error_handler => null()

  !> As in rrtmg_lw.h.
  type, bind(C) :: parhelion_rrtmg_lw_call
    integer(c_int32_t) :: mcica = 0, icld = 0, inflglw = 0, iceflglw = 0, liqflglw = 0
    type(parhelion_array) :: fraction, ice_path, liquid_path
    type(parhelion_array) :: optical_depth
    type(parhelion_array) :: play
    type(parhelion_array) :: olr_sr
  end type parhelion_rrtmg_lw_call

  interface
    function parhelion_rrtmg_lw_initialize(heat_capacity, gravity, precision) bind(C) result(status)
      import :: c_double, c_int, c_int32_t
      real(c_double), value :: heat_capacity, gravity
      integer(c_int32_t), value :: precision
      integer(c_int) :: status
    end function parhelion_rrtmg_lw_initialize

    function parhelion_rrtmg_lw_solve(call, input, output) bind(C) result(status)
      import :: c_int, parhelion_rrtmg_lw_call, parhelion_longwave_input, parhelion_longwave_output
      type(parhelion_rrtmg_lw_call), intent(in) :: call
      type(parhelion_longwave_input), intent(inout) :: input
      type(parhelion_longwave_output), intent(inout) :: output
      integer(c_int) :: status
    end function parhelion_rrtmg_lw_solve

    function parhelion_rrtmg_lw_subcolumns(overlap, seed, pressure_lay, fraction, ice_path, liquid_path, &
                                           optical_depth, alpha, fraction_gpt, ice_path_gpt, liquid_path_gpt, &
                                           optical_depth_gpt) bind(C) result(status)
      import :: c_int, c_int32_t, parhelion_array
      integer(c_int32_t), value :: overlap, seed
      type(parhelion_array), intent(in) :: pressure_lay, fraction, ice_path, liquid_path, optical_depth, alpha
      type(parhelion_array), intent(in) :: fraction_gpt, ice_path_gpt, liquid_path_gpt, optical_depth_gpt
      integer(c_int) :: status
    end function parhelion_rrtmg_lw_subcolumns

    function parhelion_rrtmg_lw_decorrelation_length(latitude, day) bind(C) result(length)
      import :: c_double, c_int32_t
      real(c_double), value :: latitude
      integer(c_int32_t), value :: day
      real(c_double) :: length
    end function parhelion_rrtmg_lw_decorrelation_length

    function parhelion_rrtmg_lw_last_error(text, size) bind(C) result(needed)
      import :: c_char, c_size_t
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
      integer(c_size_t) :: needed
    end function parhelion_rrtmg_lw_last_error

    subroutine parhelion_rrtmg_lw_stopping() bind(C)
    end subroutine parhelion_rrtmg_lw_stopping
  end interface

contains

  !> Sets what is called with the message of an error; without it, or with null(), the message is written and the
  !! program stops. The handler may be called from several threads at once.
  subroutine rrtmg_lw_set_error_handler(handler)
    procedure(rrtmg_lw_error_handler), pointer, intent(in) :: handler

    error_handler => handler
  end subroutine rrtmg_lw_set_error_handler

  subroutine initialize(cpdair, grav)
    real(rb), intent(in) :: cpdair  !< heat capacity of air [J kg-1 K-1]
    real(rb), intent(in) :: grav    !< gravity [m s-2]
    real(c_double) :: gravity

    ! The default is the same number with reals of 4 bytes, too.
    gravity = grav
    if (abs(grav - 9.8066_rb) <= 4 * epsilon(grav) * grav) gravity = 0
    call handle(parhelion_rrtmg_lw_initialize(real(cpdair, c_double), gravity, precision_of_kind))
  end subroutine initialize

  !> Describes what all forms of rrtmg_lw() have in common, and what is computed of it. Arrays are (ncol, nlay) where
  !! nothing else is said, whatever extents they were declared with: only their strides count.
  subroutine begin_call(call_, input, ncol, nlay, icld, inflglw, iceflglw, liqflglw, play, plev, tlay, tlev, tsfc, &
                        h2ovmr, o3vmr, co2vmr, ch4vmr, n2ovmr, o2vmr, cfc11vmr, cfc12vmr, cfc22vmr, ccl4vmr, emis, &
                        tauaer)
    type(parhelion_rrtmg_lw_call), intent(inout) :: call_
    type(parhelion_longwave_input), intent(inout) :: input
    integer(im), intent(in) :: ncol, nlay
    integer(im), intent(inout) :: icld
    integer(im), intent(in) :: inflglw, iceflglw, liqflglw
    real(rb), intent(in), target, dimension(:, :) :: play, plev, tlay, tlev
    real(rb), intent(in), target :: tsfc(:)
    real(rb), intent(in), target, dimension(:, :) :: h2ovmr, o3vmr, co2vmr, ch4vmr, n2ovmr, o2vmr, cfc11vmr, &
                                                     cfc12vmr, cfc22vmr, ccl4vmr
    real(rb), intent(in), target :: emis(:, :), tauaer(:, :, :)

    ! Written only where it changes: it may be a constant of the caller.
    if (icld < 0 .or. icld > 3) icld = 2
    call_%icld = icld
    call_%inflglw = inflglw
    call_%iceflglw = iceflglw
    call_%liqflglw = liqflglw
    input%size = c_sizeof(input)
    call set_2(input%pressure_lay, play, ncol, nlay)
    call set_2(input%pressure_lev, plev, ncol, nlay + 1)
    call set_2(input%temperature_lay, tlay, ncol, nlay)
    call set_2(input%temperature_lev, tlev, ncol, nlay + 1)
    call describe_1(input%temperature_sfc, tsfc)
    input%temperature_sfc%extent(1) = ncol
    call set_2(input%gases(1), h2ovmr, ncol, nlay)
    call set_2(input%gases(2), co2vmr, ncol, nlay)
    call set_2(input%gases(3), o3vmr, ncol, nlay)
    call set_2(input%gases(4), n2ovmr, ncol, nlay)
    call set_2(input%gases(6), ch4vmr, ncol, nlay)
    call set_2(input%gases(7), o2vmr, ncol, nlay)
    call set_2(input%gases(8), ccl4vmr, ncol, nlay)
    call set_2(input%gases(9), cfc11vmr, ncol, nlay)
    call set_2(input%gases(10), cfc12vmr, ncol, nlay)
    call set_2(input%gases(11), cfc22vmr, ncol, nlay)
    call set_2(input%emissivity_sfc, emis, ncol, nbndlw)
    call describe_3(input%aerosol, tauaer)
    input%aerosol%extent(:3) = [integer(c_int64_t) :: ncol, nlay, nbndlw]
    call_%play = input%pressure_lay
  end subroutine begin_call

  !> Adds clouds of g-points, (ngptlw, ncol, nlay), which count if icld is not 0.
  subroutine set_mcica_clouds(call_, input, ncol, nlay, cldfmcl, taucmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl)
    type(parhelion_rrtmg_lw_call), intent(inout) :: call_
    type(parhelion_longwave_input), intent(inout) :: input
    integer(im), intent(in) :: ncol, nlay
    real(rb), intent(in), target, dimension(:, :, :) :: cldfmcl, taucmcl, ciwpmcl, clwpmcl
    real(rb), intent(in), target, dimension(:, :) :: reicmcl, relqmcl

    call_%mcica = 1
    if (call_%icld == 0) return
    call set_last_first(input%fraction_gpt, cldfmcl, ncol, nlay, ngptlw)
    call set_last_first(input%optical_depth_gpt, taucmcl, ncol, nlay, ngptlw)
    call set_last_first(input%ice_path_gpt, ciwpmcl, ncol, nlay, ngptlw)
    call set_last_first(input%liquid_path_gpt, clwpmcl, ncol, nlay, ngptlw)
    call set_2(input%ice_size, reicmcl, ncol, nlay)
    call set_2(input%liquid_size, relqmcl, ncol, nlay)
  end subroutine set_mcica_clouds

  !> Adds clouds of layers; taucld is (nbndlw, ncol, nlay).
  subroutine set_layer_clouds(call_, input, ncol, nlay, cldfr, taucld, cicewp, cliqwp, reice, reliq)
    type(parhelion_rrtmg_lw_call), intent(inout) :: call_
    type(parhelion_longwave_input), intent(inout) :: input
    integer(im), intent(in) :: ncol, nlay
    real(rb), intent(in), target, dimension(:, :) :: cldfr, cicewp, cliqwp, reice, reliq
    real(rb), intent(in), target :: taucld(:, :, :)

    call_%mcica = 0
    if (call_%icld == 0) return
    call set_2(call_%fraction, cldfr, ncol, nlay)
    call set_2(call_%ice_path, cicewp, ncol, nlay)
    call set_2(call_%liquid_path, cliqwp, ncol, nlay)
    call set_last_first(call_%optical_depth, taucld, ncol, nlay, nbndlw)
    call set_2(input%ice_size, reice, ncol, nlay)
    call set_2(input%liquid_size, reliq, ncol, nlay)
  end subroutine set_layer_clouds

  subroutine set_results(output, ncol, nlay, idrv, uflx, dflx, hr, uflxc, dflxc, hrc, duflx_dt, duflxc_dt)
    type(parhelion_longwave_output), intent(inout) :: output
    integer(im), intent(in) :: ncol, nlay, idrv
    real(rb), intent(in), target, dimension(:, :) :: uflx, dflx, hr, uflxc, dflxc, hrc
    real(rb), intent(in), target, optional, dimension(:, :) :: duflx_dt, duflxc_dt

    output%size = c_sizeof(output)
    call set_2(output%flux_up, uflx, ncol, nlay + 1)
    call set_2(output%flux_dn, dflx, ncol, nlay + 1)
    call set_2(output%heating_rate, hr, ncol, nlay)
    call set_2(output%flux_up_clear, uflxc, ncol, nlay + 1)
    call set_2(output%flux_dn_clear, dflxc, ncol, nlay + 1)
    call set_2(output%heating_rate_clear, hrc, ncol, nlay)
    if (idrv == 1) then
      call set_2(output%dflux_up_dt, duflx_dt, ncol, nlay + 1)
      call set_2(output%dflux_up_clear_dt, duflxc_dt, ncol, nlay + 1)
    end if
  end subroutine set_results

  !> Solves.
  !! \param olr_sr upward flux at the top of each band, (ncol, nbndlw)
  subroutine finish_call(call_, input, output, ncol, olr_sr)
    type(parhelion_rrtmg_lw_call), intent(inout) :: call_
    type(parhelion_longwave_input), intent(inout) :: input
    type(parhelion_longwave_output), intent(inout) :: output
    integer(im), intent(in) :: ncol
    real(rb), intent(in), target, optional :: olr_sr(:, :)

    if (ncol < 1) return
    call set_2(call_%olr_sr, olr_sr, ncol, nbndlw)
    call handle(parhelion_rrtmg_lw_solve(call_, input, output))
  end subroutine finish_call

  !> Draws subcolumns, as mcica_subcol_lw() describes.
  subroutine draw_subcolumns(ncol, nlay, icld, permuteseed, play, cldfrac, ciwp, clwp, rei, rel, tauc, cldfmcl, &
                             ciwpmcl, clwpmcl, reicmcl, relqmcl, taucmcl, alpha)
    integer(im), intent(in) :: ncol, nlay, icld, permuteseed
    real(rb), intent(in), target, dimension(:, :) :: play, cldfrac, ciwp, clwp, rei, rel
    real(rb), intent(in), target :: tauc(:, :, :)
    real(rb), intent(inout), target, dimension(:, :, :) :: cldfmcl, ciwpmcl, clwpmcl, taucmcl
    real(rb), intent(inout), dimension(:, :) :: reicmcl, relqmcl
    real(rb), intent(in), target, optional :: alpha(:, :)
    type(parhelion_array) :: pressure, fraction, ice, liquid, depth, correlation
    type(parhelion_array) :: fraction_gpt, ice_gpt, liquid_gpt, depth_gpt

    if (icld == 0 .or. ncol < 1) return
    call set_2(pressure, play, ncol, nlay)
    call set_2(fraction, cldfrac, ncol, nlay)
    call set_2(ice, ciwp, ncol, nlay)
    call set_2(liquid, clwp, ncol, nlay)
    call set_last_first(depth, tauc, ncol, nlay, nbndlw)
    call set_2(correlation, alpha, ncol, nlay)
    call set_last_first(fraction_gpt, cldfmcl, ncol, nlay, ngptlw)
    call set_last_first(ice_gpt, ciwpmcl, ncol, nlay, ngptlw)
    call set_last_first(liquid_gpt, clwpmcl, ncol, nlay, ngptlw)
    call set_last_first(depth_gpt, taucmcl, ncol, nlay, ngptlw)
    call handle(parhelion_rrtmg_lw_subcolumns(icld, permuteseed, pressure, fraction, ice, liquid, depth, correlation, &
                                              fraction_gpt, ice_gpt, liquid_gpt, depth_gpt))
    reicmcl(:ncol, :nlay) = rei(:ncol, :nlay)
    relqmcl(:ncol, :nlay) = rel(:ncol, :nlay)
  end subroutine draw_subcolumns

  function decorrelation_length(latitude, day) result(length)
    real(rb), intent(in) :: latitude  !< [degrees north]
    integer(im), intent(in) :: day    !< of the year
    real(rb) :: length                !< [m]

    length = real(parhelion_rrtmg_lw_decorrelation_length(real(latitude, c_double), day), rb)
  end function decorrelation_length

  !> Describes an array of (ncol, n), or as absent.
  subroutine set_2(description, a, ncol, n)
    type(parhelion_array), intent(inout) :: description
    real(rb), intent(in), target, optional :: a(:, :)
    integer(im), intent(in) :: ncol, n

    call describe_2(description, a)
    description%extent(:2) = [integer(c_int64_t) :: ncol, n]
  end subroutine set_2

  !> Describes an array of (n, ncol, nlay) as one of (ncol, nlay, n).
  subroutine set_last_first(description, a, ncol, nlay, n)
    type(parhelion_array), intent(inout) :: description
    real(rb), intent(in), target :: a(:, :, :)
    integer(im), intent(in) :: ncol, nlay, n

    call describe_3(description, a)
    description%stride(:3) = description%stride([2, 3, 1])
    description%extent(:3) = [integer(c_int64_t) :: ncol, nlay, n]
  end subroutine set_last_first

  subroutine handle(status)
    integer(c_int), intent(in) :: status
    character(kind=c_char) :: buffer(2048)
    character(2048) :: text
    integer(c_size_t) :: needed
    integer :: i, n

    if (status == parhelion_success) return
    needed = parhelion_rrtmg_lw_last_error(buffer, size(buffer, kind=c_size_t))
    n = int(min(needed, size(buffer, kind=c_size_t))) - 1
    do i = 1, n
      text(i:i) = buffer(i)
    end do
    if (associated(error_handler)) then
      call error_handler(text(:n))
      return
    end if
    call parhelion_rrtmg_lw_stopping()
    write (error_unit, "(2a)") "rrtmg_lw (parhelion): ", text(:n)
    error stop 1
  end subroutine handle

end module rrtmg_lw_parhelion
