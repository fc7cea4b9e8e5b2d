! SPDX-License-Identifier: BSD-3-Clause
!> rrtmg_sw() without McICA, for callers that have renamed AER's module of rrtmg_sw_rad.nomcica.f90 to this.
module rrtmg_sw_rad_nomcica
  use parhelion_c, only: parhelion_shortwave_input
  use rrtmg_sw_parhelion, only: parhelion_rrtmg_sw_call, begin_call, set_sun, set_layer_clouds, finish_call
  use parkind, only: im => kind_im, rb => kind_rb
  use parrrsw, only: nbndsw
  implicit none
  private
  public :: rrtmg_sw, rrtmg_sw_3

  interface rrtmg_sw
    module procedure :: rrtmg_sw, rrtmg_sw_3
  end interface rrtmg_sw

contains

  !> Fluxes and heating rates of columns whose layers are overcast or clear. Only elements of ncol and nlay are used,
  !! whatever the extents of the arrays.
  subroutine rrtmg_sw(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, h2ovmr, o3vmr, co2vmr, ch4vmr, &
                      n2ovmr, o2vmr, asdir, asdif, aldir, aldif, coszen, adjes, dyofyr, scon, isolvar, &
                      inflgsw, iceflgsw, liqflgsw, cldfr, taucld, ssacld, asmcld, fsfcld, &
                      cicewp, cliqwp, reice, reliq, tauaer, ssaaer, asmaer, ecaer, &
                      swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc, &
                      bndsolvar, indsolvar, solcycfrac)
    integer(im), intent(in) :: ncol         !< columns
    integer(im), intent(in) :: nlay         !< layers, the surface first
    integer(im), intent(inout) :: icld      !< 0: no clouds; others: clouds, and their overlap where they are drawn:
                                            !< 1 random, 2 maximum-random, 3 maximum; others become 2
    integer(im), intent(inout) :: iaer      !< aerosol, 0: none, 6: ecaer, 10: tauaer, ssaaer, asmaer; others become 0
    real(rb), intent(in), target :: play(:, :)      !< pressure of layers [hPa], (ncol, nlay), > 0
    real(rb), intent(in), target :: plev(:, :)      !< pressure of interfaces [hPa], (ncol, nlay + 1), >= 0
    real(rb), intent(in), target :: tlay(:, :)      !< temperature of layers [K], (ncol, nlay), > 0
    real(rb), intent(in), target :: tlev(:, :)      !< not used
    real(rb), intent(in), target :: tsfc(:)         !< not used
    !> Moles of gas per mole of dry air [1], (ncol, nlay), >= 0; n2ovmr is not used.
    real(rb), intent(in), target, dimension(:, :) :: h2ovmr, o3vmr, co2vmr, ch4vmr, n2ovmr, o2vmr
    real(rb), intent(in), target :: asdir(:), asdif(:)  !< albedo for direct and diffuse light from 16000 cm-1 up [1],
                                                        !< (ncol), 0 to 1
    real(rb), intent(in), target :: aldir(:), aldif(:)  !< the same below
    real(rb), intent(in), target :: coszen(:)       !< cosine of the solar zenith angle [1], (ncol); at night 1e-10
    real(rb), intent(in) :: adjes           !< factor by the distance of the sun [1], >= 0
    integer(im), intent(in) :: dyofyr       !< day of the year, which gives that factor; 0: adjes is it
    real(rb), intent(in) :: scon            !< total solar irradiance at 1 au [W m-2], >= 0; 0: that of the spectrum
    integer(im), intent(in) :: isolvar      !< the sun: -1 Kurucz; NRLSSI2 0 mean cycle, 1 cycle, 2 indices, 3 bands
    integer(im), intent(in) :: inflgsw      !< clouds are given by 0: optical properties, 2: water paths
    integer(im), intent(in) :: iceflgsw     !< optics of ice, 1 to 3
    integer(im), intent(in) :: liqflgsw     !< optics of droplets, 1
    real(rb), intent(in), target :: cldfr(:, :)     !< cloud fraction [1], (ncol, nlay), 0 or 1
    real(rb), intent(in), target :: taucld(:, :, :) !< optical depth of cloud [1], (nbndsw, ncol, nlay), >= 0
    real(rb), intent(in), target :: ssacld(:, :, :) !< single scattering albedo [1], (nbndsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: asmcld(:, :, :) !< asymmetry [1], (nbndsw, ncol, nlay), -1 to 1
    real(rb), intent(in), target :: fsfcld(:, :, :) !< forward fraction [1], (nbndsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: cicewp(:, :)    !< ice water path [g m-2], (ncol, nlay), >= 0
    real(rb), intent(in), target :: cliqwp(:, :)    !< liquid water path [g m-2], (ncol, nlay), >= 0
    real(rb), intent(in), target :: reice(:, :)     !< size of ice particles, as iceflgsw has it [um], (ncol, nlay)
    real(rb), intent(in), target :: reliq(:, :)     !< effective radius of droplets [um], (ncol, nlay), 2.5 to 60
    real(rb), intent(in), target :: tauaer(:, :, :) !< optical depth of aerosol [1], (ncol, nlay, nbndsw), >= 0
    real(rb), intent(in), target :: ssaaer(:, :, :) !< its single scattering albedo [1], (ncol, nlay, nbndsw), 0 to 1
    real(rb), intent(in), target :: asmaer(:, :, :) !< its asymmetry [1], (ncol, nlay, nbndsw), -1 to 1
    real(rb), intent(in), target :: ecaer(:, :, :)  !< optical depth of six types at 0.55 um [1], (ncol, nlay, naerec)
    real(rb), intent(inout), target :: swuflx(:, :) !< upward flux [W m-2], (ncol, nlay + 1), overwritten as all below
    real(rb), intent(inout), target :: swdflx(:, :) !< downward flux, positive [W m-2], (ncol, nlay + 1)
    real(rb), intent(inout), target :: swhr(:, :)   !< heating rate [K day-1], (ncol, nlay), 0 in the highest layer
    real(rb), intent(inout), target :: swuflxc(:, :)  !< the same without clouds
    real(rb), intent(inout), target :: swdflxc(:, :)
    real(rb), intent(inout), target :: swhrc(:, :)
    real(rb), intent(in), optional :: bndsolvar(:)  !< factor on each band [1], (nbndsw), >= 0, with isolvar -1 and 3
    real(rb), intent(in), optional :: indsolvar(:)  !< (2), with isolvar 1 amplitudes of faculae and sunspots, with 2
                                                    !< the Mg and the sunspot index
    real(rb), intent(in), optional :: solcycfrac    !< place in the solar cycle [1], 0 to 1, with isolvar 1
    type(parhelion_rrtmg_sw_call) :: call_
    type(parhelion_shortwave_input) :: input
    real(rb), target :: distance(1)

    distance = adjes
    call begin_call(call_, input, ncol, nlay, icld, iaer, play, plev, tlay, h2ovmr, o3vmr, co2vmr, ch4vmr, o2vmr, &
                    asdir, asdif, aldir, aldif, coszen, inflgsw, iceflgsw, liqflgsw, tauaer, ssaaer, asmaer, ecaer)
    call set_sun(call_, 1_im, distance, dyofyr, scon, isolvar, bndsolvar, indsolvar, solcycfrac)
    call set_layer_clouds(call_, input, ncol, nlay, cldfr, taucld, ssacld, asmcld, fsfcld, cicewp, cliqwp, reice, &
                          reliq)
    call finish_call(call_, input, ncol, nlay, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc)
  end subroutine rrtmg_sw

  !> The same without isolvar, as before version 4; with the direct and the diffuse part of swdflx, as in PALM.
  subroutine rrtmg_sw_3(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, h2ovmr, o3vmr, co2vmr, ch4vmr, &
                        n2ovmr, o2vmr, asdir, asdif, aldir, aldif, coszen, adjes, dyofyr, scon, &
                        inflgsw, iceflgsw, liqflgsw, cldfr, taucld, ssacld, asmcld, fsfcld, &
                        cicewp, cliqwp, reice, reliq, tauaer, ssaaer, asmaer, ecaer, &
                        swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc, dirdflux, difdflux)
    integer(im), intent(in) :: ncol         !< columns
    integer(im), intent(in) :: nlay         !< layers, the surface first
    integer(im), intent(inout) :: icld      !< 0: no clouds; others: clouds, and their overlap where they are drawn:
                                            !< 1 random, 2 maximum-random, 3 maximum; others become 2
    integer(im), intent(inout) :: iaer      !< aerosol, 0: none, 6: ecaer, 10: tauaer, ssaaer, asmaer; others become 0
    real(rb), intent(in), target :: play(:, :)      !< pressure of layers [hPa], (ncol, nlay), > 0
    real(rb), intent(in), target :: plev(:, :)      !< pressure of interfaces [hPa], (ncol, nlay + 1), >= 0
    real(rb), intent(in), target :: tlay(:, :)      !< temperature of layers [K], (ncol, nlay), > 0
    real(rb), intent(in), target :: tlev(:, :)      !< not used
    real(rb), intent(in), target :: tsfc(:)         !< not used
    !> Moles of gas per mole of dry air [1], (ncol, nlay), >= 0; n2ovmr is not used.
    real(rb), intent(in), target, dimension(:, :) :: h2ovmr, o3vmr, co2vmr, ch4vmr, n2ovmr, o2vmr
    real(rb), intent(in), target :: asdir(:), asdif(:)  !< albedo for direct and diffuse light from 16000 cm-1 up [1],
                                                        !< (ncol), 0 to 1
    real(rb), intent(in), target :: aldir(:), aldif(:)  !< the same below
    real(rb), intent(in), target :: coszen(:)       !< cosine of the solar zenith angle [1], (ncol); at night 1e-10
    real(rb), intent(in) :: adjes           !< factor by the distance of the sun [1], >= 0
    integer(im), intent(in) :: dyofyr       !< day of the year, which gives that factor; 0: adjes is it
    real(rb), intent(in) :: scon            !< total solar irradiance at 1 au [W m-2], >= 0; the spectrum is Kurucz's
    integer(im), intent(in) :: inflgsw      !< clouds are given by 0: optical properties, 2: water paths
    integer(im), intent(in) :: iceflgsw     !< optics of ice, 1 to 3
    integer(im), intent(in) :: liqflgsw     !< optics of droplets, 1
    real(rb), intent(in), target :: cldfr(:, :)     !< cloud fraction [1], (ncol, nlay), 0 or 1
    real(rb), intent(in), target :: taucld(:, :, :) !< optical depth of cloud [1], (nbndsw, ncol, nlay), >= 0
    real(rb), intent(in), target :: ssacld(:, :, :) !< single scattering albedo [1], (nbndsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: asmcld(:, :, :) !< asymmetry [1], (nbndsw, ncol, nlay), -1 to 1
    real(rb), intent(in), target :: fsfcld(:, :, :) !< forward fraction [1], (nbndsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: cicewp(:, :)    !< ice water path [g m-2], (ncol, nlay), >= 0
    real(rb), intent(in), target :: cliqwp(:, :)    !< liquid water path [g m-2], (ncol, nlay), >= 0
    real(rb), intent(in), target :: reice(:, :)     !< size of ice particles, as iceflgsw has it [um], (ncol, nlay)
    real(rb), intent(in), target :: reliq(:, :)     !< effective radius of droplets [um], (ncol, nlay), 2.5 to 60
    real(rb), intent(in), target :: tauaer(:, :, :) !< optical depth of aerosol [1], (ncol, nlay, nbndsw), >= 0
    real(rb), intent(in), target :: ssaaer(:, :, :) !< its single scattering albedo [1], (ncol, nlay, nbndsw), 0 to 1
    real(rb), intent(in), target :: asmaer(:, :, :) !< its asymmetry [1], (ncol, nlay, nbndsw), -1 to 1
    real(rb), intent(in), target :: ecaer(:, :, :)  !< optical depth of six types at 0.55 um [1], (ncol, nlay, naerec)
    real(rb), intent(inout), target :: swuflx(:, :) !< upward flux [W m-2], (ncol, nlay + 1), overwritten as all below
    real(rb), intent(inout), target :: swdflx(:, :) !< downward flux, positive [W m-2], (ncol, nlay + 1)
    real(rb), intent(inout), target :: swhr(:, :)   !< heating rate [K day-1], (ncol, nlay), 0 in the highest layer
    real(rb), intent(inout), target :: swuflxc(:, :)  !< the same without clouds
    real(rb), intent(inout), target :: swdflxc(:, :)
    real(rb), intent(inout), target :: swhrc(:, :)
    real(rb), intent(inout), target, optional :: dirdflux(:, :)  !< direct part of swdflx, with the forward peak of
                                                                 !< scattering [W m-2], (ncol, nlay + 1)
    real(rb), intent(inout), optional :: difdflux(:, :)          !< diffuse part, needs dirdflux
    type(parhelion_rrtmg_sw_call) :: call_
    type(parhelion_shortwave_input) :: input
    real(rb), target :: distance(1)
    real(rb) :: factors(nbndsw)

    distance = adjes
    ! In those versions scon = 0 is darkness.
    factors = merge(0._rb, 1._rb, .not. scon > 0)
    call begin_call(call_, input, ncol, nlay, icld, iaer, play, plev, tlay, h2ovmr, o3vmr, co2vmr, ch4vmr, o2vmr, &
                    asdir, asdif, aldir, aldif, coszen, inflgsw, iceflgsw, liqflgsw, tauaer, ssaaer, asmaer, ecaer)
    call set_sun(call_, 1_im, distance, dyofyr, scon, -1_im, factors)
    call set_layer_clouds(call_, input, ncol, nlay, cldfr, taucld, ssacld, asmcld, fsfcld, cicewp, cliqwp, reice, &
                          reliq)
    call finish_call(call_, input, ncol, nlay, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc, dirdflux, difdflux)
  end subroutine rrtmg_sw_3

end module rrtmg_sw_rad_nomcica
