! SPDX-License-Identifier: BSD-3-Clause
!> rrtmg_lw() without McICA, for callers that have renamed AER's module of rrtmg_lw_rad.nomcica.f90 to this.
module rrtmg_lw_rad_nomcica
  use parhelion_c, only: parhelion_longwave_input, parhelion_longwave_output
  use rrtmg_lw_parhelion, only: parhelion_rrtmg_lw_call, begin_call, set_layer_clouds, set_results, finish_call
  use parkind, only: im => kind_im, rb => kind_rb
  implicit none
  private
  public :: rrtmg_lw

contains

  !> Fluxes and heating rates of columns whose layers are overcast or clear. Only elements of ncol and nlay are used,
  !! whatever the extents of the arrays.
  subroutine rrtmg_lw(ncol, nlay, icld, idrv, play, plev, tlay, tlev, tsfc, h2ovmr, o3vmr, co2vmr, &
                      ch4vmr, n2ovmr, o2vmr, cfc11vmr, cfc12vmr, cfc22vmr, ccl4vmr, emis, inflglw, &
                      iceflglw, liqflglw, cldfr, taucld, cicewp, cliqwp, reice, reliq, &
                      tauaer, &
                      uflx, dflx, hr, uflxc, dflxc, hrc, duflx_dt, duflxc_dt)
    integer(im), intent(in) :: ncol         !< columns
    integer(im), intent(in) :: nlay         !< layers, the surface first
    integer(im), intent(inout) :: icld      !< 0: no clouds; others: clouds, and their overlap where they are drawn:
                                            !< 1 random, 2 maximum-random, 3 maximum; others become 2
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
    real(rb), intent(in), target :: cldfr(:, :)     !< cloud fraction [1], (ncol, nlay), 0 or 1
    real(rb), intent(in), target :: taucld(:, :, :) !< optical depth of cloud [1], (nbndlw, ncol, nlay), >= 0
    real(rb), intent(in), target :: cicewp(:, :)    !< ice water path [g m-2], (ncol, nlay), >= 0
    real(rb), intent(in), target :: cliqwp(:, :)    !< liquid water path [g m-2], (ncol, nlay), >= 0
    real(rb), intent(in), target :: reice(:, :)     !< size of ice particles, as iceflglw has it [um], (ncol, nlay)
    real(rb), intent(in), target :: reliq(:, :)     !< effective radius of droplets [um], (ncol, nlay)
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
    call set_layer_clouds(call_, input, ncol, nlay, cldfr, taucld, cicewp, cliqwp, reice, reliq)
    call set_results(output, ncol, nlay, idrv, uflx, dflx, hr, uflxc, dflxc, hrc, duflx_dt, duflxc_dt)
    call finish_call(call_, input, output, ncol)
  end subroutine rrtmg_lw

end module rrtmg_lw_rad_nomcica
