! SPDX-License-Identifier: BSD-3-Clause
!> What the modules of the drop-in for RRTMG_SW have in common. Models need nothing of it but
!! rrtmg_sw_set_error_handler().
module rrtmg_sw_parhelion
  use, intrinsic :: iso_c_binding
  use parhelion_c
  use rrtmg_parhelion, only: rrtmg_sw_error_handler => rrtmg_error_handler, handle_error => handle, rrtmg_precision, &
                             default_gravity, correlation, set_1, set_2, set_3, set_last_first
  use parkind, only: im => kind_im, rb => kind_rb
  use parrrsw, only: nbndsw, ngptsw, naerec
  implicit none
  private
  public :: rrtmg_sw_set_error_handler, rrtmg_sw_error_handler
  public :: parhelion_rrtmg_sw_call, begin_call, set_sun, set_mcica_clouds, set_layer_clouds, finish_call
  public :: initialize, draw_subcolumns, set_correlation

  procedure(rrtmg_sw_error_handler), pointer, save :: error_handler => null()

  !> As in rrtmg_sw.h.
  type, bind(C) :: parhelion_rrtmg_sw_call
    integer(c_int32_t) :: mcica = 0, icld = 0, iaer = 0, inflgsw = 0, iceflgsw = 0, liqflgsw = 0
    integer(c_int32_t) :: dyofyr = 0, isolvar = 0
    integer(c_int32_t) :: has_bndsolvar = 0, has_indsolvar = 0, has_solcycfrac = 0
    real(c_double) :: scon = 0
    real(c_double) :: bndsolvar(14) = 1, indsolvar(2) = 1, solcycfrac = 0
    type(parhelion_array) :: adjes
    type(parhelion_array) :: asdir, asdif, aldir, aldif
    type(parhelion_array) :: fraction, ice_path, liquid_path
    type(parhelion_array) :: optical_depth, albedo
    type(parhelion_array) :: asymmetry, forward_fraction
  end type parhelion_rrtmg_sw_call

  !> As in rrtmg_sw.h.
  type, bind(C) :: parhelion_rrtmg_sw_clouds
    type(parhelion_array) :: fraction, ice_path, liquid_path
    type(parhelion_array) :: optical_depth, albedo, asymmetry, forward_fraction
  end type parhelion_rrtmg_sw_clouds

  interface
    function parhelion_rrtmg_sw_initialize(heat_capacity, gravity, precision) bind(C) result(status)
      import :: c_double, c_int, c_int32_t
      real(c_double), value :: heat_capacity, gravity
      integer(c_int32_t), value :: precision
      integer(c_int) :: status
    end function parhelion_rrtmg_sw_initialize

    function parhelion_rrtmg_sw_solve(call, input, output) bind(C) result(status)
      import :: c_int, parhelion_rrtmg_sw_call, parhelion_shortwave_input, parhelion_shortwave_output
      type(parhelion_rrtmg_sw_call), intent(in) :: call
      type(parhelion_shortwave_input), intent(inout) :: input
      type(parhelion_shortwave_output), intent(inout) :: output
      integer(c_int) :: status
    end function parhelion_rrtmg_sw_solve

    function parhelion_rrtmg_sw_subcolumns(overlap, seed, pressure_lay, layers, alpha, gpoints) bind(C) result(status)
      import :: c_int, c_int32_t, parhelion_array, parhelion_rrtmg_sw_clouds
      integer(c_int32_t), value :: overlap, seed
      type(parhelion_array), intent(in) :: pressure_lay, alpha
      type(parhelion_rrtmg_sw_clouds), intent(in) :: layers, gpoints
      integer(c_int) :: status
    end function parhelion_rrtmg_sw_subcolumns
  end interface

contains

  !> Sets what is called with the message of an error; without it, or with null(), the message is written and the
  !! program stops. The handler may be called from several threads at once.
  subroutine rrtmg_sw_set_error_handler(handler)
    procedure(rrtmg_sw_error_handler), pointer, intent(in) :: handler

    error_handler => handler
  end subroutine rrtmg_sw_set_error_handler

  subroutine initialize(cpdair, grav)
    real(rb), intent(in) :: cpdair  !< heat capacity of air [J kg-1 K-1]
    real(rb), intent(in) :: grav    !< gravity [m s-2]

    ! With real(4), too: in single precision the transmittances of some layers come from the next entry of the table.
    call handle(parhelion_rrtmg_sw_initialize(real(cpdair, c_double), default_gravity(grav), &
                                              rrtmg_precision(1._c_double)))
  end subroutine initialize

  !> Describes the atmosphere and the surface. Arrays are (ncol, nlay) where nothing else is said, whatever extents they
  !! were declared with: only their strides count.
  subroutine begin_call(call_, input, ncol, nlay, icld, iaer, play, plev, tlay, h2ovmr, o3vmr, co2vmr, ch4vmr, o2vmr, &
                        asdir, asdif, aldir, aldif, coszen, inflgsw, iceflgsw, liqflgsw, tauaer, ssaaer, asmaer, ecaer)
    type(parhelion_rrtmg_sw_call), intent(inout) :: call_
    type(parhelion_shortwave_input), intent(inout) :: input
    integer(im), intent(in) :: ncol, nlay
    integer(im), intent(inout) :: icld, iaer
    real(rb), intent(in), target, dimension(:, :) :: play, plev, tlay, h2ovmr, o3vmr, co2vmr, ch4vmr, o2vmr
    real(rb), intent(in), target, dimension(:) :: asdir, asdif, aldir, aldif, coszen
    integer(im), intent(in) :: inflgsw, iceflgsw, liqflgsw
    real(rb), intent(in), target, dimension(:, :, :) :: tauaer, ssaaer, asmaer, ecaer

    ! Written only where they change: they may be constants of the caller.
    if (icld < 0 .or. icld > 3) icld = 2
    if (iaer /= 0 .and. iaer /= 6 .and. iaer /= 10) iaer = 0
    call_%icld = icld
    call_%iaer = iaer
    call_%inflgsw = inflgsw
    call_%iceflgsw = iceflgsw
    call_%liqflgsw = liqflgsw
    input%size = c_sizeof(input)
    call set_2(input%pressure_lay, play, ncol, nlay)
    call set_2(input%pressure_lev, plev, ncol, nlay + 1)
    call set_2(input%temperature_lay, tlay, ncol, nlay)
    call set_2(input%gases(1), h2ovmr, ncol, nlay)
    call set_2(input%gases(2), co2vmr, ncol, nlay)
    call set_2(input%gases(3), o3vmr, ncol, nlay)
    call set_2(input%gases(6), ch4vmr, ncol, nlay)
    call set_2(input%gases(7), o2vmr, ncol, nlay)
    call set_1(input%cos_zenith, coszen, ncol)
    call set_1(call_%asdir, asdir, ncol)
    call set_1(call_%asdif, asdif, ncol)
    call set_1(call_%aldir, aldir, ncol)
    call set_1(call_%aldif, aldif, ncol)
    if (iaer == 10) then
      call set_3(input%aerosol_optical_depth, tauaer, ncol, nlay, nbndsw)
      call set_3(input%aerosol_single_scattering_albedo, ssaaer, ncol, nlay, nbndsw)
      call set_3(input%aerosol_asymmetry, asmaer, ncol, nlay, nbndsw)
    else if (iaer == 6) then
      call set_3(input%aerosol_550nm, ecaer, ncol, nlay, naerec)
    end if
  end subroutine begin_call

  !> Describes the sun.
  subroutine set_sun(call_, nadjes, adjes, dyofyr, scon, isolvar, bndsolvar, indsolvar, solcycfrac)
    type(parhelion_rrtmg_sw_call), intent(inout) :: call_
    integer(im), intent(in) :: nadjes          !< ncol, or 1 where adjes is the same for all columns
    real(rb), intent(in), target :: adjes(:)
    integer(im), intent(in) :: dyofyr, isolvar
    real(rb), intent(in) :: scon
    real(rb), intent(in), optional :: bndsolvar(:), indsolvar(:), solcycfrac

    call set_1(call_%adjes, adjes, nadjes)
    call_%dyofyr = dyofyr
    call_%isolvar = isolvar
    call_%scon = scon
    if (present(bndsolvar)) then
      call_%has_bndsolvar = 1
      call_%bndsolvar = bndsolvar(:nbndsw)
    end if
    if (present(indsolvar)) then
      call_%has_indsolvar = 1
      call_%indsolvar = indsolvar(:2)
    end if
    if (present(solcycfrac)) then
      call_%has_solcycfrac = 1
      call_%solcycfrac = solcycfrac
    end if
  end subroutine set_sun

  !> Adds clouds of g-points, (ngptsw, ncol, nlay), which count if icld is not 0.
  subroutine set_mcica_clouds(call_, input, ncol, nlay, cldfmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, ciwpmcl, clwpmcl, &
                              reicmcl, relqmcl)
    type(parhelion_rrtmg_sw_call), intent(inout) :: call_
    type(parhelion_shortwave_input), intent(inout) :: input
    integer(im), intent(in) :: ncol, nlay
    real(rb), intent(in), target, dimension(:, :, :) :: cldfmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, ciwpmcl, clwpmcl
    real(rb), intent(in), target, dimension(:, :) :: reicmcl, relqmcl

    call_%mcica = 1
    if (call_%icld == 0) return
    call set_last_first(input%fraction_gpt, cldfmcl, ncol, nlay, ngptsw)
    call set_last_first(input%ice_path_gpt, ciwpmcl, ncol, nlay, ngptsw)
    call set_last_first(input%liquid_path_gpt, clwpmcl, ncol, nlay, ngptsw)
    call set_last_first(input%optical_depth_gpt, taucmcl, ncol, nlay, ngptsw)
    call set_last_first(input%single_scattering_albedo_gpt, ssacmcl, ncol, nlay, ngptsw)
    call set_last_first(input%asymmetry_gpt, asmcmcl, ncol, nlay, ngptsw)
    call set_last_first(input%forward_fraction_gpt, fsfcmcl, ncol, nlay, ngptsw)
    call set_2(input%ice_size, reicmcl, ncol, nlay)
    call set_2(input%liquid_size, relqmcl, ncol, nlay)
  end subroutine set_mcica_clouds

  !> Adds clouds of layers; taucld, ssacld, asmcld and fsfcld are (nbndsw, ncol, nlay).
  subroutine set_layer_clouds(call_, input, ncol, nlay, cldfr, taucld, ssacld, asmcld, fsfcld, cicewp, cliqwp, reice, &
                              reliq)
    type(parhelion_rrtmg_sw_call), intent(inout) :: call_
    type(parhelion_shortwave_input), intent(inout) :: input
    integer(im), intent(in) :: ncol, nlay
    real(rb), intent(in), target, dimension(:, :) :: cldfr, cicewp, cliqwp, reice, reliq
    real(rb), intent(in), target, dimension(:, :, :) :: taucld, ssacld, asmcld, fsfcld

    call_%mcica = 0
    if (call_%icld == 0) return
    call set_2(call_%fraction, cldfr, ncol, nlay)
    call set_2(call_%ice_path, cicewp, ncol, nlay)
    call set_2(call_%liquid_path, cliqwp, ncol, nlay)
    call set_last_first(call_%optical_depth, taucld, ncol, nlay, nbndsw)
    call set_last_first(call_%albedo, ssacld, ncol, nlay, nbndsw)
    call set_last_first(call_%asymmetry, asmcld, ncol, nlay, nbndsw)
    call set_last_first(call_%forward_fraction, fsfcld, ncol, nlay, nbndsw)
    call set_2(input%ice_size, reice, ncol, nlay)
    call set_2(input%liquid_size, reliq, ncol, nlay)
  end subroutine set_layer_clouds

  !> Describes the results, and solves.
  subroutine finish_call(call_, input, ncol, nlay, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc, dirdflux, difdflux)
    type(parhelion_rrtmg_sw_call), intent(in) :: call_
    type(parhelion_shortwave_input), intent(inout) :: input
    integer(im), intent(in) :: ncol, nlay
    real(rb), intent(inout), target, dimension(:, :) :: swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc
    real(rb), intent(inout), target, optional :: dirdflux(:, :)  !< direct part of swdflx
    real(rb), intent(inout), optional :: difdflux(:, :)          !< diffuse part, where dirdflux is there
    type(parhelion_shortwave_output) :: output

    if (ncol < 1) return
    output%size = c_sizeof(output)
    call set_2(output%flux_up, swuflx, ncol, nlay + 1)
    call set_2(output%flux_dn, swdflx, ncol, nlay + 1)
    call set_2(output%heating_rate, swhr, ncol, nlay)
    call set_2(output%flux_up_clear, swuflxc, ncol, nlay + 1)
    call set_2(output%flux_dn_clear, swdflxc, ncol, nlay + 1)
    call set_2(output%heating_rate_clear, swhrc, ncol, nlay)
    if (present(dirdflux)) call set_2(output%flux_dn_direct, dirdflux, ncol, nlay + 1)
    call handle(parhelion_rrtmg_sw_solve(call_, input, output))
    if (present(dirdflux) .and. present(difdflux)) &
      difdflux(:ncol, :nlay + 1) = swdflx(:ncol, :nlay + 1) - dirdflux(:ncol, :nlay + 1)
  end subroutine finish_call

  !> Draws subcolumns, as mcica_subcol_sw() describes.
  subroutine draw_subcolumns(ncol, nlay, icld, permuteseed, play, cldfrac, ciwp, clwp, rei, rel, tauc, ssac, asmc, &
                             fsfc, cldfmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, &
                             alpha)
    integer(im), intent(in) :: ncol, nlay, icld, permuteseed
    real(rb), intent(in), target, dimension(:, :) :: play, cldfrac, ciwp, clwp, rei, rel
    real(rb), intent(in), target, dimension(:, :, :) :: tauc, ssac, asmc, fsfc
    real(rb), intent(inout), target, dimension(:, :, :) :: cldfmcl, ciwpmcl, clwpmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl
    real(rb), intent(inout), dimension(:, :) :: reicmcl, relqmcl
    real(rb), intent(in), target, optional :: alpha(:, :)
    type(parhelion_array) :: pressure, correlations
    type(parhelion_rrtmg_sw_clouds) :: layers, gpoints

    if (icld == 0 .or. ncol < 1) return
    call set_2(pressure, play, ncol, nlay)
    call set_2(layers%fraction, cldfrac, ncol, nlay)
    call set_2(layers%ice_path, ciwp, ncol, nlay)
    call set_2(layers%liquid_path, clwp, ncol, nlay)
    call set_last_first(layers%optical_depth, tauc, ncol, nlay, nbndsw)
    call set_last_first(layers%albedo, ssac, ncol, nlay, nbndsw)
    call set_last_first(layers%asymmetry, asmc, ncol, nlay, nbndsw)
    call set_last_first(layers%forward_fraction, fsfc, ncol, nlay, nbndsw)
    if (present(alpha)) call set_2(correlations, alpha, ncol, nlay)
    call set_last_first(gpoints%fraction, cldfmcl, ncol, nlay, ngptsw)
    call set_last_first(gpoints%ice_path, ciwpmcl, ncol, nlay, ngptsw)
    call set_last_first(gpoints%liquid_path, clwpmcl, ncol, nlay, ngptsw)
    call set_last_first(gpoints%optical_depth, taucmcl, ncol, nlay, ngptsw)
    call set_last_first(gpoints%albedo, ssacmcl, ncol, nlay, ngptsw)
    call set_last_first(gpoints%asymmetry, asmcmcl, ncol, nlay, ngptsw)
    call set_last_first(gpoints%forward_fraction, fsfcmcl, ncol, nlay, ngptsw)
    call handle(parhelion_rrtmg_sw_subcolumns(icld, permuteseed, pressure, layers, correlations, gpoints))
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

    call handle_error(status, "rrtmg_sw", error_handler)
  end subroutine handle

end module rrtmg_sw_parhelion
