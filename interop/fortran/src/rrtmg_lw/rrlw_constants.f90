! SPDX-License-Identifier: BSD-3-Clause
!> Sizes of RRTMG_LW.
module parrrtm
  use parkind, only: im => kind_im
  implicit none
  private :: im

  integer(im), parameter :: mxlay = 603      !< most layers; unlimited here
  integer(im), parameter :: mg = 16          !< g-points of a band before the reduction
  integer(im), parameter :: nbndlw = 16      !< bands
  integer(im), parameter :: maxxsec = 4      !< halocarbons
  integer(im), parameter :: mxmol = 39, maxinpx = 39
  integer(im), parameter :: nmol = 7         !< other gases
  integer(im), parameter :: ngptlw = 140     !< g-points of all bands

  ! G-points of each band, and of each band and those before it.
  integer(im), parameter :: ng1 = 10, ng2 = 12, ng3 = 16, ng4 = 14, ng5 = 16, ng6 = 8, ng7 = 12, ng8 = 8, ng9 = 12, &
                            ng10 = 6, ng11 = 8, ng12 = 8, ng13 = 4, ng14 = 2, ng15 = 2, ng16 = 2
  integer(im), parameter :: ngs1 = 10, ngs2 = 22, ngs3 = 38, ngs4 = 52, ngs5 = 68, ngs6 = 76, ngs7 = 88, ngs8 = 96, &
                            ngs9 = 108, ngs10 = 114, ngs11 = 122, ngs12 = 130, ngs13 = 134, ngs14 = 136, ngs15 = 138
end module parrrtm

!> Physical constants of RRTMG_LW, in units of the cgs system where nothing else is said. Of those that are not
!! parameters the drop-in uses grav and secdy, when rrtmg_lw_ini() is called.
module rrlw_con
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
  real(rb) :: radcn1 = 1.191042722e-12_rb !< first radiation constant [W cm2 sr-1]
  real(rb) :: radcn2 = 1.4387752_rb       !< second radiation constant [cm K]
  real(rb) :: sbcnst = 5.6704e-4_rb       !< Stefan-Boltzmann constant [W cm-2 K-4]
end module rrlw_con

!> Bands and g-points of RRTMG_LW.
module rrlw_wvn
  use parkind, only: im => kind_im, rb => kind_rb
  use parrrtm, only: nbndlw, mg, ngptlw, maxinpx
  implicit none
  private :: im, rb
  save

  integer :: i_
  private :: i_

  !> Limits and widths of the bands [cm-1].
  real(rb) :: wavenum1(nbndlw) = [10._rb, 350._rb, 500._rb, 630._rb, 700._rb, 820._rb, 980._rb, 1080._rb, 1180._rb, &
                                  1390._rb, 1480._rb, 1800._rb, 2080._rb, 2250._rb, 2380._rb, 2600._rb]
  real(rb) :: wavenum2(nbndlw) = [350._rb, 500._rb, 630._rb, 700._rb, 820._rb, 980._rb, 1080._rb, 1180._rb, 1390._rb, &
                                  1480._rb, 1800._rb, 2080._rb, 2250._rb, 2380._rb, 2600._rb, 3250._rb]
  real(rb) :: delwave(nbndlw) = [340._rb, 150._rb, 130._rb, 70._rb, 120._rb, 160._rb, 100._rb, 100._rb, 210._rb, &
                                 90._rb, 320._rb, 280._rb, 170._rb, 130._rb, 220._rb, 650._rb]

  integer(im) :: ng(nbndlw) = mg   !< g-points of each band before the reduction
  integer(im) :: nspa(nbndlw) = [1, 1, 9, 9, 9, 1, 9, 1, 9, 1, 1, 9, 9, 1, 9, 9]  !< species ratios, lower atmosphere
  integer(im) :: nspb(nbndlw) = [1, 1, 5, 5, 5, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0]  !< and upper atmosphere

  integer(im) :: ngc(nbndlw) = [10, 12, 16, 14, 16, 8, 12, 8, 12, 6, 8, 8, 4, 2, 2, 2]  !< g-points of each band
  integer(im) :: ngs(nbndlw) = &  !< and of those before it, too
                 [10, 22, 38, 52, 68, 76, 88, 96, 108, 114, 122, 130, 134, 136, 138, 140]
  !> How many of the 16 g-points of a band are in each of the 140.
  integer(im) :: ngn(ngptlw) = [1, 1, 2, 2, 2, 2, 2, 2, 1, 1, &
                                (1, i_=1, 8), (2, i_=1, 4), &
                                (1, i_=1, 16), &
                                (1, i_=1, 13), 3, &
                                (1, i_=1, 16), &
                                (2, i_=1, 8), &
                                2, 2, (1, i_=1, 8), 2, 2, &
                                (2, i_=1, 8), &
                                (1, i_=1, 8), (2, i_=1, 4), &
                                2, 2, 2, 2, 4, 4, &
                                1, 1, 2, 2, 2, 2, 3, 3, &
                                1, 1, 1, 1, 2, 2, 4, 4, &
                                3, 3, 4, 6, &
                                8, 8, 8, 8, 4, 12]
  !> The band of each of the 140 g-points.
  integer(im) :: ngb(ngptlw) = [(1, i_=1, 10), (2, i_=1, 12), (3, i_=1, 16), (4, i_=1, 14), (5, i_=1, 16), &
                                (6, i_=1, 8), (7, i_=1, 12), (8, i_=1, 8), (9, i_=1, 12), (10, i_=1, 6), &
                                (11, i_=1, 8), (12, i_=1, 8), (13, i_=1, 4), (14, i_=1, 2), (15, i_=1, 2), &
                                (16, i_=1, 2)]
  integer(im) :: ngm(nbndlw * mg) = 0      !< g-point of its band that each of the 256 is in; set by rrtmg_lw_ini()
  !> Weights of the 16 g-points.
  real(rb) :: wt(mg) = [0.1527534276_rb, 0.1491729617_rb, 0.1420961469_rb, 0.1316886544_rb, 0.1181945205_rb, &
                        0.1019300893_rb, 0.0832767040_rb, 0.0626720116_rb, 0.0424925000_rb, 0.0046269894_rb, &
                        0.0038279891_rb, 0.0030260086_rb, 0.0022199750_rb, 0.0014140010_rb, 0.0005330000_rb, &
                        0.0000750000_rb]
  real(rb) :: rwgt(nbndlw * mg) = 0        !< weights within the g-points after the reduction; set by rrtmg_lw_ini()
  integer(im) :: nxmol = 4                 !< halocarbons: CCl4, CFC11, CFC12, CFC22
  integer(im) :: ixindx(maxinpx) = [1, 2, 3, 4, (0, i_=5, maxinpx)]
end module rrlw_wvn
