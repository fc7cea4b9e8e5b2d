! SPDX-License-Identifier: BSD-3-Clause
! The interface of the original RRTMG_LW, without any of its content: what a model was compiled with before it is linked
! with the drop-in. Nothing of this file is linked.
module parkind
  implicit none
  integer, parameter :: kind_im = selected_int_kind(6), kind_rb = selected_real_kind(12)
end module parkind

module parrrtm
  use parkind, only: im => kind_im
  implicit none
  integer(im), parameter :: nbndlw = 16, ngptlw = 140
end module parrrtm

module rrlw_con
  use parkind, only: rb => kind_rb
  implicit none
  save
  real(rb) :: fluxfac, heatfac
  real(rb) :: oneminus, pi, grav
  real(rb) :: planck, boltz, clight
  real(rb) :: avogad, alosmt, gascon
  real(rb) :: radcn1, radcn2
  real(rb) :: sbcnst, secdy
end module rrlw_con

module rrlw_wvn
  use parkind, only: im => kind_im, rb => kind_rb
  use parrrtm, only: nbndlw, ngptlw
  implicit none
  save
  integer(im) :: ng(nbndlw), nspa(nbndlw), nspb(nbndlw)
  real(rb) :: wavenum1(nbndlw), wavenum2(nbndlw), delwave(nbndlw)
  integer(im) :: ngc(nbndlw), ngs(nbndlw), ngn(ngptlw), ngb(ngptlw), ngm(256)
  real(rb) :: wt(16), rwgt(256)
  integer(im) :: nxmol, ixindx(39)
end module rrlw_wvn

module rrtmg_lw_init
  implicit none
contains
  subroutine rrtmg_lw_ini(cpdair)
    use parkind, only: rb => kind_rb
    real(rb), intent(in) :: cpdair
    error stop "the original's interface is not to be linked"
  end subroutine rrtmg_lw_ini
end module rrtmg_lw_init

module mcica_subcol_gen_lw
  use parkind, only: im => kind_im, rb => kind_rb
  implicit none
contains
  subroutine mcica_subcol_lw(iplon, ncol, nlay, icld, permuteseed, irng, play, cldfrac, ciwp, clwp, rei, rel, tauc, &
                             cldfmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, taucmcl)
    integer(im), intent(in) :: iplon, ncol, nlay, icld, permuteseed
    integer(im), intent(inout) :: irng
    real(rb), intent(in) :: play(:, :), cldfrac(:, :), tauc(:, :, :), ciwp(:, :), clwp(:, :), rei(:, :), rel(:, :)
    real(rb), intent(out) :: cldfmcl(:, :, :), ciwpmcl(:, :, :), clwpmcl(:, :, :), relqmcl(:, :), reicmcl(:, :)
    real(rb), intent(out) :: taucmcl(:, :, :)
    cldfmcl = 0
    ciwpmcl = 0
    clwpmcl = 0
    relqmcl = 0
    reicmcl = 0
    taucmcl = 0
    error stop "the original's interface is not to be linked"
  end subroutine mcica_subcol_lw
end module mcica_subcol_gen_lw

module rrtmg_lw_rad
  use parkind, only: im => kind_im, rb => kind_rb
  implicit none
contains
  subroutine rrtmg_lw(ncol, nlay, icld, idrv, play, plev, tlay, tlev, tsfc, h2ovmr, o3vmr, co2vmr, ch4vmr, n2ovmr, &
                      o2vmr, cfc11vmr, cfc12vmr, cfc22vmr, ccl4vmr, emis, inflglw, iceflglw, liqflglw, cldfmcl, &
                      taucmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, tauaer, uflx, dflx, hr, uflxc, dflxc, hrc, &
                      duflx_dt, duflxc_dt)
    integer(im), intent(in) :: ncol, nlay
    integer(im), intent(inout) :: icld
    integer(im), intent(in) :: idrv
    real(rb), intent(in) :: play(:, :), plev(:, :), tlay(:, :), tlev(:, :), tsfc(:)
    real(rb), intent(in) :: h2ovmr(:, :), o3vmr(:, :), co2vmr(:, :), ch4vmr(:, :), n2ovmr(:, :), o2vmr(:, :)
    real(rb), intent(in) :: cfc11vmr(:, :), cfc12vmr(:, :), cfc22vmr(:, :), ccl4vmr(:, :), emis(:, :)
    integer(im), intent(in) :: inflglw, iceflglw, liqflglw
    real(rb), intent(in) :: cldfmcl(:, :, :), taucmcl(:, :, :), ciwpmcl(:, :, :), clwpmcl(:, :, :)
    real(rb), intent(in) :: reicmcl(:, :), relqmcl(:, :), tauaer(:, :, :)
    real(rb), intent(out) :: uflx(:, :), dflx(:, :), hr(:, :), uflxc(:, :), dflxc(:, :), hrc(:, :)
    real(rb), intent(out), optional :: duflx_dt(:, :), duflxc_dt(:, :)
    uflx = 0
    dflx = 0
    hr = 0
    uflxc = 0
    dflxc = 0
    hrc = 0
    if (present(duflx_dt)) duflx_dt = 0
    if (present(duflxc_dt)) duflxc_dt = 0
    error stop "the original's interface is not to be linked"
  end subroutine rrtmg_lw
end module rrtmg_lw_rad
