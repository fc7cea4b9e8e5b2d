! SPDX-License-Identifier: BSD-3-Clause
!> What the modules of the drop-in for RRTMG_LW have in common. Models need nothing of it but
!! rrtmg_lw_set_error_handler().
module rrtmg_lw_parhelion
  use, intrinsic :: iso_c_binding
  use parhelion_c
  use rrtmg_parhelion, only: rrtmg_lw_error_handler => rrtmg_error_handler, handle_error => handle, rrtmg_precision, &
                             default_gravity, correlation, set_1, set_2, set_3, set_last_first
  use parkind, only: im => kind_im, rb => kind_rb
  use parrrtm, only: nbndlw, ngptlw
  implicit none
  private
  public :: rrtmg_lw_set_error_handler, rrtmg_lw_error_handler
  public :: parhelion_rrtmg_lw_call, begin_call, set_mcica_clouds, set_layer_clouds, set_results, finish_call
  public :: initialize, draw_subcolumns, set_correlation

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

    call handle(parhelion_rrtmg_lw_initialize(real(cpdair, c_double), default_gravity(grav), rrtmg_precision(grav)))
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
    call set_1(input%temperature_sfc, tsfc, ncol)
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
    call set_3(input%aerosol, tauaer, ncol, nlay, nbndlw)
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
      if (present(duflx_dt)) call set_2(output%dflux_up_dt, duflx_dt, ncol, nlay + 1)
      if (present(duflxc_dt)) call set_2(output%dflux_up_clear_dt, duflxc_dt, ncol, nlay + 1)
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
    if (present(olr_sr)) call set_2(call_%olr_sr, olr_sr, ncol, nbndlw)
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
    type(parhelion_array) :: pressure, fraction, ice, liquid, depth, correlations
    type(parhelion_array) :: fraction_gpt, ice_gpt, liquid_gpt, depth_gpt

    if (icld == 0 .or. ncol < 1) return
    call set_2(pressure, play, ncol, nlay)
    call set_2(fraction, cldfrac, ncol, nlay)
    call set_2(ice, ciwp, ncol, nlay)
    call set_2(liquid, clwp, ncol, nlay)
    call set_last_first(depth, tauc, ncol, nlay, nbndlw)
    if (present(alpha)) call set_2(correlations, alpha, ncol, nlay)
    call set_last_first(fraction_gpt, cldfmcl, ncol, nlay, ngptlw)
    call set_last_first(ice_gpt, ciwpmcl, ncol, nlay, ngptlw)
    call set_last_first(liquid_gpt, clwpmcl, ncol, nlay, ngptlw)
    call set_last_first(depth_gpt, taucmcl, ncol, nlay, ngptlw)
    call handle(parhelion_rrtmg_lw_subcolumns(icld, permuteseed, pressure, fraction, ice, liquid, depth, correlations, &
                                              fraction_gpt, ice_gpt, liquid_gpt, depth_gpt))
    reicmcl(:ncol, :nlay) = rei(:ncol, :nlay)
    relqmcl(:ncol, :nlay) = rel(:ncol, :nlay)
  end subroutine draw_subcolumns

  !> Sets alpha, as get_alpha() describes.
  subroutine set_correlation(ncol, nlay, icld, idcor, decorr_con, dz, lat, juldat, cldfrac, alpha)
    integer(im), intent(in) :: ncol, nlay, icld, idcor, juldat
    real(rb), intent(in) :: decorr_con
    real(rb), intent(in), target :: dz(:, :), lat(:), cldfrac(:, :)
    real(rb), intent(inout), target :: alpha(:, :)
    type(parhelion_array) :: thickness, latitude, fraction, result

    if (ncol < 1) return
    call set_2(thickness, dz, ncol, nlay)
    call set_1(latitude, lat, ncol)
    call set_2(fraction, cldfrac, ncol, nlay)
    call set_2(result, alpha, ncol, nlay)
    call handle(correlation(icld, idcor, real(decorr_con, c_double), thickness, latitude, juldat, fraction, result))
  end subroutine set_correlation

  subroutine handle(status)
    integer(c_int), intent(in) :: status

    call handle_error(status, "rrtmg_lw", error_handler)
  end subroutine handle

end module rrtmg_lw_parhelion
