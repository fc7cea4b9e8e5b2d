! SPDX-License-Identifier: BSD-3-Clause
!> rrtmg_lw() in all forms that models call under this name: with McICA, without it, and with the spectral output of
!! climlab.
module rrtmg_lw_rad
  use parhelion_c, only: parhelion_longwave_input, parhelion_longwave_output
  use rrtmg_lw_parhelion, only: parhelion_rrtmg_lw_call, begin_call, set_mcica_clouds, set_results, finish_call
  use parkind, only: im => kind_im, rb => kind_rb
  use rrtmg_lw_rad_nomcica, only: rrtmg_lw_nomcica => rrtmg_lw
  implicit none
  private
  public :: rrtmg_lw

  interface rrtmg_lw
    module procedure :: rrtmg_lw, rrtmg_lw_climlab
    procedure :: rrtmg_lw_nomcica
  end interface rrtmg_lw

contains

  !> Fluxes and heating rates of columns with clouds for each g-point, as mcica_subcol_lw() makes them. Only elements of
  !! ncol and nlay are used, whatever the extents of the arrays.
  subroutine rrtmg_lw(ncol, nlay, icld, idrv, play, plev, tlay, tlev, tsfc, h2ovmr, o3vmr, co2vmr, &
                      ch4vmr, n2ovmr, o2vmr, cfc11vmr, cfc12vmr, cfc22vmr, ccl4vmr, emis, inflglw, &
                      iceflglw, liqflglw, cldfmcl, taucmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, &
                      tauaer, &
                      uflx, dflx, hr, uflxc, dflxc, hrc, duflx_dt, duflxc_dt)
    integer(im), intent(in) :: ncol         !< columns
    integer(im), intent(in) :: nlay         !< layers, the surface first
    integer(im), intent(inout) :: icld      !< 0: no clouds; others: clouds; outside 0 to 3 it becomes 2
    integer(im), intent(in) :: idrv         !< 1: derivatives by the surface temperature are computed
    real(rb), intent(in), target :: play(:, :)      !< pressure of layers [hPa], (ncol, nlay), > 0
    real(rb), intent(in), target :: plev(:, :)      !< pressure of interfaces [hPa], (ncol, nlay + 1), >= 0
    real(rb), intent(in), target :: tlay(:, :)      !< temperature of layers [K], (ncol, nlay), > 0
    real(rb), intent(in), target :: tlev(:, :)      !< temperature of interfaces [K], (ncol, nlay + 1), > 0
    real(rb), intent(in), target :: tsfc(:)         !< temperature of the surface's skin [K], (ncol), > 0
    !> Moles of gas per mole of dry air [1], (ncol, nlay), >= 0.
    real(rb), intent(in), target, dimension(:, :) :: h2ovmr, o3vmr, co2vmr, ch4vmr, n2ovmr, o2vmr, cfc11vmr, cfc12vmr, &
                                             cfc22vmr, ccl4vmr
    real(rb), intent(in), target :: emis(:, :)      !< emissivity of the surface [1], (ncol, nbndlw), 0 to 1
    integer(im), intent(in) :: inflglw      !< clouds are given by 0: optical depth, 2: water paths
    integer(im), intent(in) :: iceflglw     !< optics of ice, 0 to 3
    integer(im), intent(in) :: liqflglw     !< optics of droplets, 0 or 1
    real(rb), intent(in), target :: cldfmcl(:, :, :)  !< cloudy where 1, clear where less [1], (ngptlw, ncol, nlay)
    real(rb), intent(in), target :: taucmcl(:, :, :)  !< optical depth of cloud [1], (ngptlw, ncol, nlay), >= 0
    real(rb), intent(in), target :: ciwpmcl(:, :, :)  !< ice water path [g m-2], (ngptlw, ncol, nlay), >= 0
    real(rb), intent(in), target :: clwpmcl(:, :, :)  !< liquid water path [g m-2], (ngptlw, ncol, nlay), >= 0
    real(rb), intent(in), target :: reicmcl(:, :)   !< size of ice particles, as iceflglw has it [um], (ncol, nlay)
    real(rb), intent(in), target :: relqmcl(:, :)   !< effective radius of droplets [um], (ncol, nlay)
    real(rb), intent(in), target :: tauaer(:, :, :) !< optical depth of aerosol [1], (ncol, nlay, nbndlw), >= 0
    real(rb), intent(inout), target :: uflx(:, :)   !< upward flux [W m-2], (ncol, nlay + 1), overwritten as all below
    real(rb), intent(inout), target :: dflx(:, :)   !< downward flux, positive [W m-2], (ncol, nlay + 1)
    real(rb), intent(inout), target :: hr(:, :)     !< heating rate [K day-1], (ncol, nlay)
    real(rb), intent(inout), target :: uflxc(:, :)  !< the same without clouds
    real(rb), intent(inout), target :: dflxc(:, :)
    real(rb), intent(inout), target :: hrc(:, :)
    !> Derivatives of uflx and uflxc by tsfc [W m-2 K-1], (ncol, nlay + 1), if idrv is 1.
    real(rb), intent(inout), target, optional :: duflx_dt(:, :), duflxc_dt(:, :)
    type(parhelion_rrtmg_lw_call) :: call_
    type(parhelion_longwave_input) :: input
    type(parhelion_longwave_output) :: output

    call begin_call(call_, input, ncol, nlay, icld, inflglw, iceflglw, liqflglw, play, plev, tlay, tlev, tsfc, h2ovmr, &
                    o3vmr, co2vmr, ch4vmr, n2ovmr, o2vmr, cfc11vmr, cfc12vmr, cfc22vmr, ccl4vmr, emis, tauaer)
    call set_mcica_clouds(call_, input, ncol, nlay, cldfmcl, taucmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl)
    call set_results(output, ncol, nlay, idrv, uflx, dflx, hr, uflxc, dflxc, hrc, duflx_dt, duflxc_dt)
    call finish_call(call_, input, output, ncol)
  end subroutine rrtmg_lw

  !> The same with the upward flux at the top of each band.
  subroutine rrtmg_lw_climlab(ncol, nlay, icld, ispec, idrv, play, plev, tlay, tlev, tsfc, h2ovmr, o3vmr, co2vmr, &
                              ch4vmr, n2ovmr, o2vmr, cfc11vmr, cfc12vmr, cfc22vmr, ccl4vmr, emis, inflglw, &
                              iceflglw, liqflglw, cldfmcl, taucmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, &
                              tauaer, &
                              olr_sr, uflx, dflx, hr, uflxc, dflxc, hrc, duflx_dt, duflxc_dt)
    integer(im), intent(in) :: ncol         !< columns
    integer(im), intent(in) :: nlay         !< layers, the surface first
    integer(im), intent(inout) :: icld      !< 0: no clouds; others: clouds; outside 0 to 3 it becomes 2
    integer(im), intent(in) :: ispec        !< 1: olr_sr is computed
    integer(im), intent(in) :: idrv         !< 1: derivatives by the surface temperature are computed
    real(rb), intent(in), target :: play(:, :)      !< pressure of layers [hPa], (ncol, nlay), > 0
    real(rb), intent(in), target :: plev(:, :)      !< pressure of interfaces [hPa], (ncol, nlay + 1), >= 0
    real(rb), intent(in), target :: tlay(:, :)      !< temperature of layers [K], (ncol, nlay), > 0
    real(rb), intent(in), target :: tlev(:, :)      !< temperature of interfaces [K], (ncol, nlay + 1), > 0
    real(rb), intent(in), target :: tsfc(:)         !< temperature of the surface's skin [K], (ncol), > 0
    !> Moles of gas per mole of dry air [1], (ncol, nlay), >= 0.
    real(rb), intent(in), target, dimension(:, :) :: h2ovmr, o3vmr, co2vmr, ch4vmr, n2ovmr, o2vmr, cfc11vmr, cfc12vmr, &
                                             cfc22vmr, ccl4vmr
    real(rb), intent(in), target :: emis(:, :)      !< emissivity of the surface [1], (ncol, nbndlw), 0 to 1
    integer(im), intent(in) :: inflglw      !< clouds are given by 0: optical depth, 2: water paths
    integer(im), intent(in) :: iceflglw     !< optics of ice, 0 to 3
    integer(im), intent(in) :: liqflglw     !< optics of droplets, 0 or 1
    real(rb), intent(in), target :: cldfmcl(:, :, :)  !< cloudy where 1, clear where less [1], (ngptlw, ncol, nlay)
    real(rb), intent(in), target :: taucmcl(:, :, :)  !< optical depth of cloud [1], (ngptlw, ncol, nlay), >= 0
    real(rb), intent(in), target :: ciwpmcl(:, :, :)  !< ice water path [g m-2], (ngptlw, ncol, nlay), >= 0
    real(rb), intent(in), target :: clwpmcl(:, :, :)  !< liquid water path [g m-2], (ngptlw, ncol, nlay), >= 0
    real(rb), intent(in), target :: reicmcl(:, :)   !< size of ice particles, as iceflglw has it [um], (ncol, nlay)
    real(rb), intent(in), target :: relqmcl(:, :)   !< effective radius of droplets [um], (ncol, nlay)
    real(rb), intent(in), target :: tauaer(:, :, :) !< optical depth of aerosol [1], (ncol, nlay, nbndlw), >= 0
    real(rb), intent(inout), target :: olr_sr(:, :) !< upward flux at the top [W m-2], (ncol, nbndlw)
    real(rb), intent(inout), target :: uflx(:, :)   !< upward flux [W m-2], (ncol, nlay + 1), overwritten as all below
    real(rb), intent(inout), target :: dflx(:, :)   !< downward flux, positive [W m-2], (ncol, nlay + 1)
    real(rb), intent(inout), target :: hr(:, :)     !< heating rate [K day-1], (ncol, nlay)
    real(rb), intent(inout), target :: uflxc(:, :)  !< the same without clouds
    real(rb), intent(inout), target :: dflxc(:, :)
    real(rb), intent(inout), target :: hrc(:, :)
    !> Derivatives of uflx and uflxc by tsfc [W m-2 K-1], (ncol, nlay + 1), if idrv is 1.
    real(rb), intent(inout), target, optional :: duflx_dt(:, :), duflxc_dt(:, :)
    type(parhelion_rrtmg_lw_call) :: call_
    type(parhelion_longwave_input) :: input
    type(parhelion_longwave_output) :: output

    call begin_call(call_, input, ncol, nlay, icld, inflglw, iceflglw, liqflglw, play, plev, tlay, tlev, tsfc, h2ovmr, &
                    o3vmr, co2vmr, ch4vmr, n2ovmr, o2vmr, cfc11vmr, cfc12vmr, cfc22vmr, ccl4vmr, emis, tauaer)
    call set_mcica_clouds(call_, input, ncol, nlay, cldfmcl, taucmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl)
    call set_results(output, ncol, nlay, idrv, uflx, dflx, hr, uflxc, dflxc, hrc, duflx_dt, duflxc_dt)
    if (ispec == 1) then
      call finish_call(call_, input, output, ncol, olr_sr)
    else
      call finish_call(call_, input, output, ncol)
    end if
  end subroutine rrtmg_lw_climlab

end module rrtmg_lw_rad
