! SPDX-License-Identifier: BSD-3-Clause
! Callers of the forms of rrtmg_lw that public models use, each with its way to declare arrays.

!> As climlab's driver for f2py does: external procedures with explicit shapes.
subroutine like_climlab(ncol, nlay, icld, ispec, play, plev, tlay, tlev, tsfc, gas, zero, emis, zero_g, tauaer, &
                        olr_sr, uflx, dflx, hr, uflxc, dflxc, hrc, duflx_dt, duflxc_dt)
  use parkind, only: im => kind_im, rb => kind_rb
  use rrtmg_lw_rad, only: rrtmg_lw
  use mcica_subcol_gen_lw, only: mcica_subcol_lw
  implicit none
  integer(im), intent(in) :: ncol, nlay
  integer(im), intent(inout) :: icld, ispec
  real(rb), intent(in), dimension(ncol, nlay) :: play, tlay, gas, zero
  real(rb), intent(in), dimension(ncol, nlay + 1) :: plev, tlev
  real(rb), intent(in) :: tsfc(ncol), emis(ncol, 16), zero_g(16, ncol, nlay), tauaer(ncol, nlay, 16)
  real(rb), intent(out) :: olr_sr(ncol, 16)
  real(rb), intent(out), dimension(ncol, nlay) :: hr, hrc
  real(rb), intent(out), dimension(ncol, nlay + 1) :: uflx, dflx, uflxc, dflxc, duflx_dt, duflxc_dt
  real(rb), dimension(140, ncol, nlay) :: cldfmcl, ciwpmcl, clwpmcl, taucmcl
  real(rb), dimension(ncol, nlay) :: reicmcl, relqmcl
  integer(im) :: irng

  irng = 1
  call mcica_subcol_lw(1, ncol, nlay, icld, 112, irng, play, zero, zero, zero, tlay, tlay, zero_g, cldfmcl, ciwpmcl, &
                       clwpmcl, reicmcl, relqmcl, taucmcl)
  call rrtmg_lw(ncol, nlay, icld, ispec, 0, play, plev, tlay, tlev, tsfc, gas, zero, gas, zero, zero, zero, zero, &
                zero, zero, zero, emis, 2, 3, 1, cldfmcl, taucmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, tauaer, olr_sr, &
                uflx, dflx, hr, uflxc, dflxc, hrc, duflx_dt, duflxc_dt)
end subroutine like_climlab

!> As climt's binder does: emis is declared with nlay columns, and the derivatives may be short without idrv.
module binder_like_climt
  implicit none
contains
  subroutine like_climt(ncol, nlay, icld, idrv, play, plev, tlay, tlev, tsfc, gas, zero, emis, zero_g, tauaer, uflx, &
                        dflx, hr, uflxc, dflxc, hrc, duflx_dt, duflxc_dt)
    use parkind, only: im => kind_im, rb => kind_rb
    use parrrtm, only: nbndlw
    use rrtmg_lw_rad_nomcica, only: rrtmg_lw
    implicit none
    integer(im), intent(in) :: ncol, nlay
    integer(im), intent(inout) :: icld
    integer(im), intent(in) :: idrv
    real(rb), intent(in), dimension(ncol, nlay) :: play, tlay, gas, zero, emis
    real(rb), intent(in), dimension(ncol, nlay + 1) :: plev, tlev
    real(rb), intent(in) :: tsfc(ncol), zero_g(nbndlw, ncol, nlay), tauaer(ncol, nlay, nbndlw)
    real(rb), intent(out), dimension(ncol, nlay) :: hr, hrc
    real(rb), intent(out), dimension(ncol, nlay + 1) :: uflx, dflx, uflxc, dflxc
    real(rb), intent(out), optional, dimension(ncol, nlay + 1) :: duflx_dt, duflxc_dt

    call rrtmg_lw(ncol, nlay, icld, idrv, play, plev, tlay, tlev, tsfc, gas, zero, gas, zero, zero, zero, zero, zero, &
                  zero, zero, emis, 2, 3, 1, zero, zero_g, zero, zero, tlay, tlay, tauaer, uflx, dflx, hr, uflxc, &
                  dflxc, hrc, duflx_dt, duflxc_dt)
  end subroutine like_climt
end module binder_like_climt

!> As large-eddy models do: without McICA, under the name of the other form, a column at a time, in arrays that begin at
!! other indices.
subroutine like_large_eddies(ncol, nlay, play, plev, tlay, tlev, tsfc, gas, zero, emis, zero_g, tauaer, uflx, dflx, &
                             hr, uflxc, dflxc, hrc)
  use parkind, only: kind_im, kind_rb
  use rrtmg_lw_rad, only: rrtmg_lw
  implicit none
  integer(kind_im), intent(in) :: ncol, nlay
  real(kind_rb), intent(in), dimension(ncol, nlay) :: play, tlay, gas, zero
  real(kind_rb), intent(in), dimension(ncol, nlay + 1) :: plev, tlev
  real(kind_rb), intent(in) :: tsfc(ncol), emis(ncol, 16), zero_g(16, ncol, nlay), tauaer(ncol, nlay, 16)
  real(kind_rb), intent(inout), dimension(ncol, nlay) :: hr, hrc
  real(kind_rb), intent(inout), dimension(ncol, nlay + 1) :: uflx, dflx, uflxc, dflxc
  real(kind_rb), allocatable, dimension(:, :) :: p, pi, t, ti, h2o, none, e, up, dn, h, upc, dnc, hc
  real(kind_rb), allocatable :: tau(:, :, :), aer(:, :, :), ts(:)
  integer(kind_im) :: overlap, i

  allocate (p(0:0, 3:nlay + 2), pi(0:0, 3:nlay + 3), ts(0:0), e(0:0, 16))
  allocate (t, h2o, none, h, hc, mold=p)
  allocate (ti, up, dn, upc, dnc, mold=pi)
  allocate (tau(16, 0:0, 3:nlay + 2), aer(0:0, 3:nlay + 2, 16))
  overlap = 1
  do i = 1, ncol
    p(0, :) = play(i, :)
    pi(0, :) = plev(i, :)
    t(0, :) = tlay(i, :)
    ti(0, :) = tlev(i, :)
    ts(0) = tsfc(i)
    h2o(0, :) = gas(i, :)
    none(0, :) = zero(i, :)
    e(0, :) = emis(i, :)
    tau(:, 0, :) = zero_g(:, i, :)
    aer(0, :, :) = tauaer(i, :, :)
    call rrtmg_lw(1, nlay, overlap, 0, p, pi, t, ti, ts, h2o, none, h2o, none, none, none, none, none, none, none, e, &
                  2, 3, 1, none, tau, none, none, none, none, aer, up, dn, h, upc, dnc, hc)
    uflx(i, :) = up(0, :)
    dflx(i, :) = dn(0, :)
    hr(i, :) = h(0, :)
    uflxc(i, :) = upc(0, :)
    dflxc(i, :) = dnc(0, :)
    hrc(i, :) = hc(0, :)
  end do
end subroutine like_large_eddies

program callers
  use parkind, only: im => kind_im, rb => kind_rb
  use rrtmg_lw_init, only: rrtmg_lw_ini
  use host_model, only: need_data, expect, finish
  use binder_like_climt, only: like_climt
  implicit none
  integer(im), parameter :: ncol = 3, nlay = 20, few = 10
  real(rb), dimension(ncol, nlay) :: play, tlay, gas, zero, hr, hrc, first_hr
  real(rb), dimension(ncol, nlay + 1) :: plev, tlev, uflx, dflx, uflxc, dflxc, du, duc, first
  real(rb) :: tsfc(ncol), emis(ncol, 16), emis_of_layers(ncol, nlay), zero_g(16, ncol, nlay), tauaer(ncol, nlay, 16)
  real(rb) :: olr(ncol, 16)
  integer(im) :: icld, ispec, k

  call need_data()
  do k = 1, nlay + 1
    plev(:, k) = 1000 - 47 * (k - 1)
    tlev(:, k) = 290 - 3.5_rb * (k - 1)
  end do
  play = (plev(:, :nlay) + plev(:, 2:)) / 2
  tlay = (tlev(:, :nlay) + tlev(:, 2:)) / 2
  tsfc = [288, 290, 293]
  gas = 4e-4_rb
  zero = 0
  zero_g = 0
  tauaer = 0
  emis = 0.97_rb
  emis_of_layers = -7
  emis_of_layers(:, :16) = emis

  call rrtmg_lw_ini(1004.0_rb)
  icld = 2
  ispec = 1
  call like_climlab(ncol, nlay, icld, ispec, play, plev, tlay, tlev, tsfc, gas, zero, emis, zero_g, tauaer, olr, uflx, &
                    dflx, hr, uflxc, dflxc, hrc, du, duc)
  first = uflx
  first_hr = hr
  call expect(all(uflx > 100 .and. uflx < 500), "fluxes are possible")
  call expect(maxval(abs(sum(olr, 2) - uflx(:, nlay + 1))) < 1e4_rb * epsilon(1.0_rb), "bands add up")
  uflx = -1
  hr = -1
  call like_climt(ncol, nlay, icld, 0_im, play, plev, tlay, tlev, tsfc, gas, zero, emis_of_layers, zero_g, tauaer, &
                  uflx, dflx, hr, uflxc, dflxc, hrc, du, duc)
  call expect(maxval(abs(uflx - first)) < 1e4_rb * epsilon(1.0_rb), "climt's form gives the same fluxes")
  uflx = -1
  hr = -1
  call like_large_eddies(ncol, nlay, play, plev, tlay, tlev, tsfc, gas, zero, emis, zero_g, tauaer, uflx, dflx, hr, &
                         uflxc, dflxc, hrc)
  call expect(maxval(abs(uflx - first)) < 1e4_rb * epsilon(1.0_rb), "one column gives the same fluxes")
  call expect(maxval(abs(hr - first_hr)) < 1e4_rb * epsilon(1.0_rb), "one column gives the same heating rates")

  ! With fewer layers than bands emis is longer than it was declared.
  first = uflx
  call like_large_eddies(ncol, few, play(:, :few), plev(:, :few + 1), tlay(:, :few), tlev(:, :few + 1), tsfc, &
                         gas(:, :few), zero(:, :few), emis, zero_g(:, :, :few), tauaer(:, :few, :), &
                         first(:, :few + 1), dflx(:, :few + 1), hr(:, :few), uflxc(:, :few + 1), dflxc(:, :few + 1), &
                         hrc(:, :few))
  call like_climt(ncol, few, icld, 0_im, play(:, :few), plev(:, :few + 1), tlay(:, :few), tlev(:, :few + 1), tsfc, &
                  gas(:, :few), zero(:, :few), emis, zero_g(:, :, :few), tauaer(:, :few, :), uflx(:, :few + 1), &
                  dflx(:, :few + 1), hr(:, :few), uflxc(:, :few + 1), dflxc(:, :few + 1), hrc(:, :few))
  call expect(maxval(abs(uflx(:, :few + 1) - first(:, :few + 1))) < 1e4_rb * epsilon(1.0_rb), "fewer layers than bands")
  call finish()
end program callers
