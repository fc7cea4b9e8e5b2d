! SPDX-License-Identifier: BSD-3-Clause
!> rrtmg_sw() in all forms that models call under this name: with McICA and without it, with the factor of each column
!! that climlab has, and without isolvar, as before version 4.
module rrtmg_sw_rad
  use parhelion_c, only: parhelion_shortwave_input
  use rrtmg_sw_parhelion, only: parhelion_rrtmg_sw_call, begin_call, set_sun, set_mcica_clouds, finish_call
  use parkind, only: im => kind_im, rb => kind_rb
  use parrrsw, only: nbndsw
  use rrtmg_sw_rad_nomcica, only: rrtmg_sw_nomcica => rrtmg_sw, rrtmg_sw_nomcica_3 => rrtmg_sw_3
  implicit none
  private
  public :: rrtmg_sw

  interface rrtmg_sw
    module procedure :: rrtmg_sw, rrtmg_sw_climlab, rrtmg_sw_3
    procedure :: rrtmg_sw_nomcica, rrtmg_sw_nomcica_3
  end interface rrtmg_sw

contains

  !> Fluxes and heating rates of columns with clouds for each g-point, as mcica_subcol_sw() makes them. Only elements of
  !! ncol and nlay are used, whatever the extents of the arrays.
  subroutine rrtmg_sw(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, h2ovmr, o3vmr, co2vmr, ch4vmr, &
                      n2ovmr, o2vmr, asdir, asdif, aldir, aldif, coszen, adjes, dyofyr, scon, isolvar, &
                      inflgsw, iceflgsw, liqflgsw, cldfmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, &
                      ciwpmcl, clwpmcl, reicmcl, relqmcl, tauaer, ssaaer, asmaer, ecaer, &
                      swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc, &
                      bndsolvar, indsolvar, solcycfrac)
    integer(im), intent(in) :: ncol         !< columns
    integer(im), intent(in) :: nlay         !< layers, the surface first
    integer(im), intent(inout) :: icld      !< 0: no clouds; others: clouds; outside 0 to 3 it becomes 2
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
    real(rb), intent(in), target :: cldfmcl(:, :, :)  !< cloud fraction [1], (ngptsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: taucmcl(:, :, :)  !< optical depth of cloud [1], (ngptsw, ncol, nlay), >= 0
    real(rb), intent(in), target :: ssacmcl(:, :, :)  !< single scattering albedo [1], (ngptsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: asmcmcl(:, :, :)  !< asymmetry [1], (ngptsw, ncol, nlay), -1 to 1
    real(rb), intent(in), target :: fsfcmcl(:, :, :)  !< forward fraction [1], (ngptsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: ciwpmcl(:, :, :)  !< ice water path [g m-2], (ngptsw, ncol, nlay), >= 0
    real(rb), intent(in), target :: clwpmcl(:, :, :)  !< liquid water path [g m-2], (ngptsw, ncol, nlay), >= 0
    real(rb), intent(in), target :: reicmcl(:, :)   !< size of ice particles, as iceflgsw has it [um], (ncol, nlay)
    real(rb), intent(in), target :: relqmcl(:, :)   !< effective radius of droplets [um], (ncol, nlay), 2.5 to 60
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
    call set_mcica_clouds(call_, input, ncol, nlay, cldfmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, ciwpmcl, clwpmcl, &
                          reicmcl, relqmcl)
    call finish_call(call_, input, ncol, nlay, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc)
  end subroutine rrtmg_sw

  !> The same with a factor of each column on the sun.
  subroutine rrtmg_sw_climlab(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, h2ovmr, o3vmr, co2vmr, ch4vmr, &
                              n2ovmr, o2vmr, asdir, asdif, aldir, aldif, coszen, adjes, dyofyr, scon, isolvar, &
                              inflgsw, iceflgsw, liqflgsw, cldfmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, &
                              ciwpmcl, clwpmcl, reicmcl, relqmcl, tauaer, ssaaer, asmaer, ecaer, &
                              swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc, &
                              bndsolvar, indsolvar, solcycfrac)
    integer(im), intent(in) :: ncol         !< columns
    integer(im), intent(in) :: nlay         !< layers, the surface first
    integer(im), intent(inout) :: icld      !< 0: no clouds; others: clouds; outside 0 to 3 it becomes 2
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
    real(rb), intent(in), target :: adjes(:)  !< factor by the distance of the sun [1], (ncol), >= 0
    integer(im), intent(in) :: dyofyr       !< day of the year, which gives that factor; 0: adjes is it
    real(rb), intent(in) :: scon            !< total solar irradiance at 1 au [W m-2], >= 0; 0: that of the spectrum
    integer(im), intent(in) :: isolvar      !< the sun: -1 Kurucz; NRLSSI2 0 mean cycle, 1 cycle, 2 indices, 3 bands
    integer(im), intent(in) :: inflgsw      !< clouds are given by 0: optical properties, 2: water paths
    integer(im), intent(in) :: iceflgsw     !< optics of ice, 1 to 3
    integer(im), intent(in) :: liqflgsw     !< optics of droplets, 1
    real(rb), intent(in), target :: cldfmcl(:, :, :)  !< cloud fraction [1], (ngptsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: taucmcl(:, :, :)  !< optical depth of cloud [1], (ngptsw, ncol, nlay), >= 0
    real(rb), intent(in), target :: ssacmcl(:, :, :)  !< single scattering albedo [1], (ngptsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: asmcmcl(:, :, :)  !< asymmetry [1], (ngptsw, ncol, nlay), -1 to 1
    real(rb), intent(in), target :: fsfcmcl(:, :, :)  !< forward fraction [1], (ngptsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: ciwpmcl(:, :, :)  !< ice water path [g m-2], (ngptsw, ncol, nlay), >= 0
    real(rb), intent(in), target :: clwpmcl(:, :, :)  !< liquid water path [g m-2], (ngptsw, ncol, nlay), >= 0
    real(rb), intent(in), target :: reicmcl(:, :)   !< size of ice particles, as iceflgsw has it [um], (ncol, nlay)
    real(rb), intent(in), target :: relqmcl(:, :)   !< effective radius of droplets [um], (ncol, nlay), 2.5 to 60
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

    call begin_call(call_, input, ncol, nlay, icld, iaer, play, plev, tlay, h2ovmr, o3vmr, co2vmr, ch4vmr, o2vmr, &
                    asdir, asdif, aldir, aldif, coszen, inflgsw, iceflgsw, liqflgsw, tauaer, ssaaer, asmaer, ecaer)
    call set_sun(call_, ncol, adjes, dyofyr, scon, isolvar, bndsolvar, indsolvar, solcycfrac)
    call set_mcica_clouds(call_, input, ncol, nlay, cldfmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, ciwpmcl, clwpmcl, &
                          reicmcl, relqmcl)
    call finish_call(call_, input, ncol, nlay, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc)
  end subroutine rrtmg_sw_climlab

  !> The same without isolvar, as before version 4.
  subroutine rrtmg_sw_3(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, h2ovmr, o3vmr, co2vmr, ch4vmr, &
                        n2ovmr, o2vmr, asdir, asdif, aldir, aldif, coszen, adjes, dyofyr, scon, &
                        inflgsw, iceflgsw, liqflgsw, cldfmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, &
                        ciwpmcl, clwpmcl, reicmcl, relqmcl, tauaer, ssaaer, asmaer, ecaer, &
                        swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc)
    integer(im), intent(in) :: ncol         !< columns
    integer(im), intent(in) :: nlay         !< layers, the surface first
    integer(im), intent(inout) :: icld      !< 0: no clouds; others: clouds; outside 0 to 3 it becomes 2
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
    real(rb), intent(in), target :: cldfmcl(:, :, :)  !< cloud fraction [1], (ngptsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: taucmcl(:, :, :)  !< optical depth of cloud [1], (ngptsw, ncol, nlay), >= 0
    real(rb), intent(in), target :: ssacmcl(:, :, :)  !< single scattering albedo [1], (ngptsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: asmcmcl(:, :, :)  !< asymmetry [1], (ngptsw, ncol, nlay), -1 to 1
    real(rb), intent(in), target :: fsfcmcl(:, :, :)  !< forward fraction [1], (ngptsw, ncol, nlay), 0 to 1
    real(rb), intent(in), target :: ciwpmcl(:, :, :)  !< ice water path [g m-2], (ngptsw, ncol, nlay), >= 0
    real(rb), intent(in), target :: clwpmcl(:, :, :)  !< liquid water path [g m-2], (ngptsw, ncol, nlay), >= 0
    real(rb), intent(in), target :: reicmcl(:, :)   !< size of ice particles, as iceflgsw has it [um], (ncol, nlay)
    real(rb), intent(in), target :: relqmcl(:, :)   !< effective radius of droplets [um], (ncol, nlay), 2.5 to 60
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
    call set_mcica_clouds(call_, input, ncol, nlay, cldfmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, ciwpmcl, clwpmcl, &
                          reicmcl, relqmcl)
    call finish_call(call_, input, ncol, nlay, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc)
  end subroutine rrtmg_sw_3

end module rrtmg_sw_rad
