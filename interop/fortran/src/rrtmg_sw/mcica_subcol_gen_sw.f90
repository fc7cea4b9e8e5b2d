! SPDX-License-Identifier: BSD-3-Clause
!> Subcolumns of clouds for rrtmg_sw() with McICA.
!!
!! Random numbers differ from those of AER's module: they are a function of permuteseed, of the pressure of the column's
!! lowest four layers, of the g-point and of the layer, so that they do not depend on how a model divides its columns
!! among calls and threads. They are those of mcica_subcol_gen_lw, so that with the same seed the same g-points are
!! cloudy in both; models pass another one.
module mcica_subcol_gen_sw
  use parkind, only: im => kind_im, rb => kind_rb
  implicit none
  private
  public :: mcica_subcol_sw, get_alpha

  !> With alpha after fsfc, as in version 5.0, or without it.
  interface mcica_subcol_sw
    module procedure :: mcica_subcol_sw, mcica_subcol_sw_alpha
  end interface mcica_subcol_sw

contains

  !> Draws in which g-points the layers of each column are cloudy.
  subroutine mcica_subcol_sw(iplon, ncol, nlay, icld, permuteseed, irng, play, cldfrac, ciwp, clwp, rei, rel, tauc, &
                             ssac, asmc, fsfc, cldfmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, taucmcl, ssacmcl, &
                             asmcmcl, fsfcmcl)
    use rrtmg_sw_parhelion, only: draw_subcolumns
    integer(im), intent(in) :: iplon        !< not used
    integer(im), intent(in) :: ncol         !< columns
    integer(im), intent(in) :: nlay         !< layers
    integer(im), intent(in) :: icld         !< overlap: 1 random, 2 maximum-random, 3 maximum; 0: nothing is done
    integer(im), intent(in) :: permuteseed  !< seed: others give independent subcolumns
    integer(im), intent(inout) :: irng      !< 0 or 1; becomes 1 if it is another number; the generator is the same
    real(rb), intent(in), target :: play(:, :)      !< pressure of layers [hPa], (ncol, nlay), the surface first
    real(rb), intent(in), target :: cldfrac(:, :)   !< cloud fraction [1], (ncol, nlay), 0 to 1
    real(rb), intent(in), target :: ciwp(:, :)      !< ice water path of the cloudy part [g m-2], (ncol, nlay)
    real(rb), intent(in), target :: clwp(:, :)      !< liquid water path of the cloudy part [g m-2], (ncol, nlay)
    real(rb), intent(in), target :: rei(:, :)       !< size of ice particles [um], (ncol, nlay)
    real(rb), intent(in), target :: rel(:, :)       !< effective radius of droplets [um], (ncol, nlay)
    real(rb), intent(in), target :: tauc(:, :, :)   !< optical depth of cloud [1], (nbndsw, ncol, nlay)
    real(rb), intent(in), target :: ssac(:, :, :)   !< single scattering albedo [1], (nbndsw, ncol, nlay)
    real(rb), intent(in), target :: asmc(:, :, :)   !< asymmetry [1], (nbndsw, ncol, nlay)
    real(rb), intent(in), target :: fsfc(:, :, :)   !< forward fraction [1], (nbndsw, ncol, nlay)
    real(rb), intent(inout), target :: cldfmcl(:, :, :)  !< 1 or 0, (ngptsw, ncol, nlay)
    real(rb), intent(inout), target :: ciwpmcl(:, :, :)  !< ice water path [g m-2], (ngptsw, ncol, nlay)
    real(rb), intent(inout), target :: clwpmcl(:, :, :)  !< liquid water path [g m-2], (ngptsw, ncol, nlay)
    real(rb), intent(inout), target :: reicmcl(:, :)     !< rei, (ncol, nlay)
    real(rb), intent(inout), target :: relqmcl(:, :)     !< rel, (ncol, nlay)
    real(rb), intent(inout), target :: taucmcl(:, :, :)  !< optical depth [1], (ngptsw, ncol, nlay)
    real(rb), intent(inout), target :: ssacmcl(:, :, :)  !< albedo [1], (ngptsw, ncol, nlay), 1 where there is no cloud
    real(rb), intent(inout), target :: asmcmcl(:, :, :)  !< asymmetry [1], (ngptsw, ncol, nlay)
    real(rb), intent(inout), target :: fsfcmcl(:, :, :)  !< forward fraction [1], (ngptsw, ncol, nlay)

    if (irng /= 0 .and. irng /= 1) irng = 1
    call draw_subcolumns(ncol, nlay, icld, permuteseed, play, cldfrac, ciwp, clwp, rei, rel, tauc, ssac, asmc, &
                         fsfc, cldfmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl)
  end subroutine mcica_subcol_sw

  !> The same with exponential overlaps: icld 4 and, random between blocks of cloudy layers, 5.
  subroutine mcica_subcol_sw_alpha(iplon, ncol, nlay, icld, permuteseed, irng, play, cldfrac, ciwp, clwp, rei, rel, &
                                   tauc, ssac, asmc, fsfc, alpha, cldfmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, &
                                   taucmcl, ssacmcl, asmcmcl, fsfcmcl)
    use rrtmg_sw_parhelion, only: draw_subcolumns
    integer(im), intent(in) :: iplon, ncol, nlay, icld, permuteseed
    integer(im), intent(inout) :: irng
    real(rb), intent(in), target, dimension(:, :) :: play, cldfrac, ciwp, clwp, rei, rel
    real(rb), intent(in), target, dimension(:, :, :) :: tauc, ssac, asmc, fsfc
    real(rb), intent(in), target :: alpha(:, :)     !< correlation with the layer below [1], (ncol, nlay), 0 to 1
    real(rb), intent(inout), target, dimension(:, :, :) :: cldfmcl, ciwpmcl, clwpmcl
    real(rb), intent(inout), target, dimension(:, :) :: reicmcl, relqmcl
    real(rb), intent(inout), target, dimension(:, :, :) :: taucmcl, ssacmcl, asmcmcl, fsfcmcl

    if (irng /= 0 .and. irng /= 1) irng = 1
    call draw_subcolumns(ncol, nlay, icld, permuteseed, play, cldfrac, ciwp, clwp, rei, rel, tauc, ssac, asmc, &
                         fsfc, cldfmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, alpha)
  end subroutine mcica_subcol_sw_alpha

  !> Correlation of the clouds of neighbouring layers, exp(-distance of their middles / decorrelation length), for icld
  !! 4 and 5; with 5 it is 0 in a clear layer above a cloudy one.
  subroutine get_alpha(iplon, ncol, nlayers, icld, idcor, decorr_con, dz, lat, juldat, cldfrac, alpha)
    use rrtmg_sw_parhelion, only: set_correlation
    integer(im), intent(in) :: iplon       !< not used
    integer(im), intent(in) :: ncol        !< columns
    integer(im), intent(in) :: nlayers     !< layers
    integer(im), intent(in) :: icld        !< overlap; with others than 4 and 5 nothing is done
    integer(im), intent(in) :: idcor       !< 0: decorr_con; 1: by latitude and day (Oreopoulos et al. 2012)
    real(rb), intent(in), target :: decorr_con     !< decorrelation length [m], > 0
    real(rb), intent(in), target :: dz(:, :)       !< thickness of layers [m], (ncol, nlayers)
    real(rb), intent(in), target :: lat(:)         !< latitude [degrees north], (ncol)
    integer(im), intent(in) :: juldat      !< day of the year
    real(rb), intent(in), target :: cldfrac(:, :)  !< cloud fraction [1], (ncol, nlayers)
    real(rb), intent(inout), target :: alpha(:, :) !< [1], (ncol, nlayers), 0 in the lowest layer

    call set_correlation(ncol, nlayers, icld, idcor, decorr_con, dz, lat, juldat, cldfrac, alpha)
  end subroutine get_alpha

end module mcica_subcol_gen_sw
