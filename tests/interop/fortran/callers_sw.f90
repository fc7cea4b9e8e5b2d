! SPDX-License-Identifier: BSD-3-Clause
! Callers of the forms of rrtmg_sw that public models use, each with its way to declare arrays.

!> As climlab's driver for f2py does: explicit shapes, and a factor on the sun of each column.
subroutine like_climlab(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, gas, zero, albedo, coszen, adjes, &
                        zero_g, aerosol, types, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc, bndsolvar, indsolvar, &
                        solcycfrac)
  use parkind, only: im => kind_im, rb => kind_rb
  use rrtmg_sw_rad, only: rrtmg_sw
  use mcica_subcol_gen_sw, only: mcica_subcol_sw
  implicit none
  integer(im), intent(in) :: ncol, nlay
  integer(im), intent(inout) :: icld, iaer
  real(rb), intent(in), dimension(ncol, nlay) :: play, tlay, gas, zero
  real(rb), intent(in), dimension(ncol, nlay + 1) :: plev, tlev
  real(rb), intent(in), dimension(ncol) :: tsfc, albedo, coszen, adjes
  real(rb), intent(in) :: zero_g(14, ncol, nlay), aerosol(ncol, nlay, 14), types(ncol, nlay, 6)
  real(rb), intent(out), dimension(ncol, nlay) :: swhr, swhrc
  real(rb), intent(out), dimension(ncol, nlay + 1) :: swuflx, swdflx, swuflxc, swdflxc
  real(rb), intent(inout) :: bndsolvar(14), indsolvar(2), solcycfrac
  real(rb), dimension(112, ncol, nlay) :: cldfmcl, ciwpmcl, clwpmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl
  real(rb), dimension(ncol, nlay) :: reicmcl, relqmcl
  integer(im) :: irng

  irng = 1
  call mcica_subcol_sw(1, ncol, nlay, icld, 150, irng, play, zero, zero, zero, tlay, tlay, zero_g, zero_g, zero_g, &
                       zero_g, cldfmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, taucmcl, ssacmcl, asmcmcl, fsfcmcl)
  call rrtmg_sw(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, gas, zero, gas, zero, zero, zero, albedo, &
                albedo, albedo, albedo, coszen, adjes, 0, 1361.0_rb, 0, 2, 3, 1, cldfmcl, taucmcl, ssacmcl, asmcmcl, &
                fsfcmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, aerosol, aerosol, aerosol, types, swuflx, swdflx, swhr, &
                swuflxc, swdflxc, swhrc, bndsolvar, indsolvar, solcycfrac)
end subroutine like_climlab

!> As climt's binder does: without McICA, by the module that it has renamed.
module binder_like_climt
  implicit none
contains
  subroutine like_climt(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, gas, zero, albedo, coszen, zero_g, &
                        aerosol, types, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc, bndsolvar, indsolvar, solcycfrac)
    use parkind, only: im => kind_im, rb => kind_rb
    use parrrsw, only: nbndsw, naerec
    use rrtmg_sw_rad_nomcica, only: rrtmg_sw
    implicit none
    integer(im), intent(in) :: ncol, nlay
    integer(im), intent(inout) :: icld, iaer
    real(rb), intent(in), dimension(ncol, nlay) :: play, tlay, gas, zero
    real(rb), intent(in), dimension(ncol, nlay + 1) :: plev, tlev
    real(rb), intent(in), dimension(ncol) :: tsfc, albedo, coszen
    real(rb), intent(in) :: zero_g(nbndsw, ncol, nlay), aerosol(ncol, nlay, nbndsw), types(ncol, nlay, naerec)
    real(rb), intent(out), dimension(ncol, nlay) :: swhr, swhrc
    real(rb), intent(out), dimension(ncol, nlay + 1) :: swuflx, swdflx, swuflxc, swdflxc
    real(rb), intent(in), optional :: bndsolvar(nbndsw), indsolvar(2), solcycfrac

    call rrtmg_sw(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, gas, zero, gas, zero, zero, zero, albedo, &
                  albedo, albedo, albedo, coszen, 1.02_rb, 0, 1361.0_rb, 0, 2, 3, 1, zero, zero_g, zero_g, zero_g, &
                  zero_g, zero, zero, zero, zero, aerosol, aerosol, aerosol, types, swuflx, swdflx, swhr, swuflxc, &
                  swdflxc, swhrc, bndsolvar, indsolvar, solcycfrac)
  end subroutine like_climt
end module binder_like_climt

program callers_sw
  use parkind, only: im => kind_im, rb => kind_rb
  use rrtmg_sw_init, only: rrtmg_sw_ini
  use host_model, only: need_data, expect, finish
  use binder_like_climt, only: like_climt
  implicit none
  integer(im), parameter :: ncol = 3, nlay = 20
  real(rb), dimension(ncol, nlay) :: play, tlay, gas, zero, swhr, swhrc, first_hr
  real(rb), dimension(ncol, nlay + 1) :: plev, tlev, swuflx, swdflx, swuflxc, swdflxc, first
  real(rb), dimension(ncol) :: tsfc, albedo, coszen, adjes
  real(rb) :: zero_g(14, ncol, nlay), aerosol(ncol, nlay, 14), types(ncol, nlay, 6)
  real(rb) :: bndsolvar(14), indsolvar(2), solcycfrac
  integer(im) :: icld, iaer, k

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
  aerosol = 0.1_rb
  types = 0
  albedo = [0.1_rb, 0.2_rb, 0.7_rb]
  coszen = [0.9_rb, 0.4_rb, -0.1_rb]
  adjes = 1.02_rb
  bndsolvar = 1
  indsolvar = 1
  solcycfrac = 0

  call rrtmg_sw_ini(1004.0_rb)
  icld = 2
  iaer = 10
  call like_climlab(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, gas, zero, albedo, coszen, adjes, zero_g, &
                    aerosol, types, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc, bndsolvar, indsolvar, solcycfrac)
  first = swdflx
  first_hr = swhr
  call expect(all(abs(swdflx(:2, nlay + 1) - 1.02_rb * 1361 * coszen(:2)) < 0.02_rb), "what enters is right")
  call expect(all(swdflx(3, :) < 1e-6_rb), "night")
  swdflx = -1
  swhr = -1
  call like_climt(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, gas, zero, albedo, coszen, zero_g, aerosol, &
                  types, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc)
  call expect(maxval(abs(swdflx - first)) < 1e4_rb * epsilon(1.0_rb), "climt's form gives the same fluxes")
  call expect(maxval(abs(swhr - first_hr)) < 1e4_rb * epsilon(1.0_rb), "climt's form gives the same heating rates")
  call finish()
end program callers_sw
