! SPDX-License-Identifier: BSD-3-Clause
! The interface of the original RRTMG_SW, without any of its content: what a model was compiled with before it is linked
! with the drop-in. Nothing of this file is linked.
module parrrsw
  use parkind, only: im => kind_im
  implicit none
  integer(im), parameter :: nbndsw = 14, ngptsw = 112, naerec = 6, jpb1 = 16, jpb2 = 29
end module parrrsw

module rrsw_con
  use parkind, only: rb => kind_rb
  implicit none
  save
  real(rb) :: fluxfac, heatfac
  real(rb) :: oneminus, pi, grav
  real(rb) :: planck, boltz, clight
  real(rb) :: avogad, alosmt, gascon
  real(rb) :: radcn1, radcn2
  real(rb) :: sbcnst, secdy
end module rrsw_con

module rrsw_wvn
  use parkind, only: im => kind_im, rb => kind_rb
  use parrrsw, only: nbndsw, ngptsw, jpb1, jpb2
  implicit none
  save
  integer(im) :: ng(jpb1:jpb2), nspa(jpb1:jpb2), nspb(jpb1:jpb2)
  real(rb) :: wavenum1(jpb1:jpb2), wavenum2(jpb1:jpb2), delwave(jpb1:jpb2)
  integer(im) :: ngc(nbndsw), ngs(nbndsw), ngn(ngptsw), ngb(ngptsw), ngm(224)
  real(rb) :: wt(16), rwgt(224)
end module rrsw_wvn

module rrtmg_sw_init
  implicit none
contains
  subroutine rrtmg_sw_ini(cpdair)
    use parkind, only: rb => kind_rb
    real(rb), intent(in) :: cpdair
    error stop "the original's interface is not to be linked"
  end subroutine rrtmg_sw_ini
end module rrtmg_sw_init

module mcica_subcol_gen_sw
  use parkind, only: im => kind_im, rb => kind_rb
  implicit none
contains
  subroutine mcica_subcol_sw(iplon, ncol, nlay, icld, permuteseed, irng, play, cldfrac, ciwp, clwp, rei, rel, tauc, &
                             ssac, asmc, fsfc, cldfmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, taucmcl, ssacmcl, &
                             asmcmcl, fsfcmcl)
    integer(im), intent(in) :: iplon, ncol, nlay, icld, permuteseed
    integer(im), intent(inout) :: irng
    real(rb), intent(in) :: play(:, :), cldfrac(:, :), ciwp(:, :), clwp(:, :), rei(:, :), rel(:, :)
    real(rb), intent(in), dimension(:, :, :) :: tauc, ssac, asmc, fsfc
    real(rb), intent(out) :: cldfmcl(:, :, :), ciwpmcl(:, :, :), clwpmcl(:, :, :), relqmcl(:, :), reicmcl(:, :)
    real(rb), intent(out), dimension(:, :, :) :: taucmcl, ssacmcl, asmcmcl, fsfcmcl
    cldfmcl = 0
    ciwpmcl = 0
    clwpmcl = 0
    relqmcl = 0
    reicmcl = 0
    taucmcl = 0
    ssacmcl = 0
    asmcmcl = 0
    fsfcmcl = 0
    error stop "the original's interface is not to be linked"
  end subroutine mcica_subcol_sw
end module mcica_subcol_gen_sw

module rrtmg_sw_rad
  use parkind, only: im => kind_im, rb => kind_rb
  implicit none
contains
  subroutine rrtmg_sw(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, h2ovmr, o3vmr, co2vmr, ch4vmr, n2ovmr, &
                      o2vmr, asdir, asdif, aldir, aldif, coszen, adjes, dyofyr, scon, isolvar, inflgsw, iceflgsw, &
                      liqflgsw, cldfmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, &
                      tauaer, ssaaer, asmaer, ecaer, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc, bndsolvar, &
                      indsolvar, solcycfrac)
    integer(im), intent(in) :: ncol, nlay
    integer(im), intent(inout) :: icld, iaer
    real(rb), intent(in) :: play(:, :), plev(:, :), tlay(:, :), tlev(:, :), tsfc(:)
    real(rb), intent(in) :: h2ovmr(:, :), o3vmr(:, :), co2vmr(:, :), ch4vmr(:, :), n2ovmr(:, :), o2vmr(:, :)
    real(rb), intent(in) :: asdir(:), asdif(:), aldir(:), aldif(:), coszen(:), adjes, scon
    integer(im), intent(in) :: dyofyr, isolvar, inflgsw, iceflgsw, liqflgsw
    real(rb), intent(in), dimension(:, :, :) :: cldfmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl, ciwpmcl, clwpmcl
    real(rb), intent(in) :: reicmcl(:, :), relqmcl(:, :)
    real(rb), intent(in), dimension(:, :, :) :: tauaer, ssaaer, asmaer, ecaer
    real(rb), intent(out), dimension(:, :) :: swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc
    real(rb), intent(in), optional :: bndsolvar(:), indsolvar(:), solcycfrac
    swuflx = 0
    swdflx = 0
    swhr = 0
    swuflxc = 0
    swdflxc = 0
    swhrc = 0
    error stop "the original's interface is not to be linked"
  end subroutine rrtmg_sw
end module rrtmg_sw_rad
