! SPDX-License-Identifier: BSD-3-Clause
!> Sizes of RRTMG_SW.
module parrrsw
  use parkind, only: im => kind_im, rb => kind_rb
  implicit none
  private :: im, rb

  integer(im), parameter :: mxlay = 603      !< most layers; unlimited here
  integer(im), parameter :: mg = 16          !< g-points of a band before the reduction
  integer(im), parameter :: nbndsw = 14      !< bands
  integer(im), parameter :: naerec = 6       !< types of aerosol
  integer(im), parameter :: mxmol = 39
  integer(im), parameter :: nstr = 2         !< streams
  integer(im), parameter :: nmol = 7         !< gases
  integer(im), parameter :: ngptsw = 112     !< g-points of all bands
  integer(im), parameter :: jpband = 29, jpb1 = 16, jpb2 = 29  !< the bands are numbered from jpb1 to jpb2
  integer(im), parameter :: jmcmu = 32, jmumu = 32, jmphi = 3, jmxang = 4, jmxstr = 16

  ! G-points of each band, and of each band and those before it.
  integer(im), parameter :: ng16 = 6, ng17 = 12, ng18 = 8, ng19 = 8, ng20 = 10, ng21 = 10, ng22 = 2, ng23 = 10, &
                            ng24 = 8, ng25 = 6, ng26 = 6, ng27 = 8, ng28 = 6, ng29 = 12
  integer(im), parameter :: ngs16 = 6, ngs17 = 18, ngs18 = 26, ngs19 = 34, ngs20 = 44, ngs21 = 54, ngs22 = 56, &
                            ngs23 = 66, ngs24 = 74, ngs25 = 80, ngs26 = 86, ngs27 = 94, ngs28 = 100, ngs29 = 112

  real(rb), parameter :: rrsw_scon = 1368.22_rb  !< solar irradiance of Kurucz [W m-2]
end module parrrsw

!> Physical constants of RRTMG_SW, in units of the cgs system where nothing else is said. Of those that are not
!! parameters the drop-in uses grav and secdy, when rrtmg_sw_ini() is called.
module rrsw_con
  use parkind, only: rb => kind_rb
  implicit none
  private :: rb
  save

  real(rb) :: pi = 3.14159265358979323846_rb
  real(rb) :: fluxfac = 3.14159265358979323846e4_rb * 2  !< flux of a radiance of all directions
  real(rb) :: oneminus = 1 - 1e-6_rb
  real(rb) :: heatfac = 9.8066_rb * 864 / 1004  !< heating rate by flux divergence [K day-1 (W m-2 hPa-1)-1]
  real(rb) :: grav = 9.8066_rb            !< gravity [m s-2]
  real(rb) :: secdy = 86400               !< seconds of a day
  real(rb) :: planck = 6.62606876e-27_rb  !< Planck constant [erg s]
  real(rb) :: boltz = 1.3806503e-16_rb    !< Boltzmann constant [erg K-1]
  real(rb) :: clight = 2.99792458e10_rb   !< speed of light [cm s-1]
  real(rb) :: avogad = 6.02214199e23_rb   !< Avogadro constant [mol-1]
  real(rb) :: alosmt = 2.6867775e19_rb    !< Loschmidt constant [cm-3]
  real(rb) :: gascon = 8.314472e7_rb      !< molar gas constant [erg mol-1 K-1]
  real(rb) :: radcn1 = 1.191042772e-12_rb !< first radiation constant [W cm2 sr-1]
  real(rb) :: radcn2 = 1.4387752_rb       !< second radiation constant [cm K]
  real(rb) :: sbcnst = 5.6704e-4_rb       !< Stefan-Boltzmann constant [W cm-2 K-4]
end module rrsw_con

!> Bands and g-points of RRTMG_SW.
module rrsw_wvn
  use parkind, only: im => kind_im, rb => kind_rb
  use parrrsw, only: nbndsw, mg, ngptsw, jpb1, jpb2
  implicit none
  private :: im, rb
  save

  integer :: i_
  private :: i_

  !> Limits and widths of the bands [cm-1]. The last one is the lowest.
  real(rb) :: wavenum1(jpb1:jpb2) = [2600._rb, 3250._rb, 4000._rb, 4650._rb, 5150._rb, 6150._rb, 7700._rb, 8050._rb, &
                                     12850._rb, 16000._rb, 22650._rb, 29000._rb, 38000._rb, 820._rb]
  real(rb) :: wavenum2(jpb1:jpb2) = [3250._rb, 4000._rb, 4650._rb, 5150._rb, 6150._rb, 7700._rb, 8050._rb, &
                                     12850._rb, 16000._rb, 22650._rb, 29000._rb, 38000._rb, 50000._rb, 2600._rb]
  real(rb) :: delwave(jpb1:jpb2) = [650._rb, 750._rb, 650._rb, 500._rb, 1000._rb, 1550._rb, 350._rb, 4800._rb, &
                                    3150._rb, 6650._rb, 6350._rb, 9000._rb, 12000._rb, 1780._rb]

  integer(im) :: ng(jpb1:jpb2) = mg   !< g-points of each band before the reduction
  !> Species ratios in the lower and in the upper atmosphere.
  integer(im) :: nspa(jpb1:jpb2) = [9, 9, 9, 9, 1, 9, 9, 1, 9, 1, 0, 1, 9, 1]
  integer(im) :: nspb(jpb1:jpb2) = [1, 5, 1, 1, 1, 5, 1, 0, 1, 0, 0, 1, 5, 1]

  integer(im) :: ngc(nbndsw) = [6, 12, 8, 8, 10, 10, 2, 10, 8, 6, 6, 8, 6, 12]  !< g-points of each band
  integer(im) :: ngs(nbndsw) = [6, 18, 26, 34, 44, 54, 56, 66, 74, 80, 86, 94, 100, 112]  !< with those before it
  !> How many of the 16 g-points of a band are in each of the 112.
  integer(im) :: ngn(ngptsw) = [2, 2, 2, 2, 4, 4, &
                                1, 1, 1, 1, 1, 2, 1, 2, 1, 2, 1, 2, &
                                1, 1, 1, 1, 2, 2, 4, 4, &
                                1, 1, 1, 1, 2, 2, 4, 4, &
                                (1, i_=1, 8), 2, 6, &
                                (1, i_=1, 8), 2, 6, &
                                8, 8, &
                                2, 2, (1, i_=1, 6), 2, 4, &
                                (2, i_=1, 8), &
                                1, 1, 2, 2, 4, 6, &
                                1, 1, 2, 2, 4, 6, &
                                (1, i_=1, 6), 4, 6, &
                                1, 1, 2, 2, 4, 6, &
                                1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1]
  !> The band of each of the 112 g-points.
  integer(im) :: ngb(ngptsw) = [(16, i_=1, 6), (17, i_=1, 12), (18, i_=1, 8), (19, i_=1, 8), (20, i_=1, 10), &
                                (21, i_=1, 10), (22, i_=1, 2), (23, i_=1, 10), (24, i_=1, 8), (25, i_=1, 6), &
                                (26, i_=1, 6), (27, i_=1, 8), (28, i_=1, 6), (29, i_=1, 12)]
  integer(im) :: ngm(nbndsw * mg) = 0      !< g-point of its band that each of the 224 is in; set by rrtmg_sw_ini()
  !> Weights of the 16 g-points.
  real(rb) :: wt(mg) = [0.1527534276_rb, 0.1491729617_rb, 0.1420961469_rb, 0.1316886544_rb, 0.1181945205_rb, &
                        0.1019300893_rb, 0.0832767040_rb, 0.0626720116_rb, 0.0424925000_rb, 0.0046269894_rb, &
                        0.0038279891_rb, 0.0030260086_rb, 0.0022199750_rb, 0.0014140010_rb, 0.0005330000_rb, &
                        0.0000750000_rb]
  real(rb) :: rwgt(nbndsw * mg) = 0        !< weights within the g-points after the reduction; set by rrtmg_sw_ini()
end module rrsw_wvn
