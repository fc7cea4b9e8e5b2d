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

!> As PALM does: a column at a time without McICA, from its topography on, of arrays (0:0, ...) that begin below it,
!! with direct and diffuse fluxes.
subroutine like_palm(ncol, nlay, iaer, play, plev, tlay, tlev, gas, albedo, coszen, aerosol, swdflx, dirdflux, difdflux)
  use parkind, only: im => kind_im, rb => kind_rb
  use rrtmg_sw_rad, only: rrtmg_sw
  implicit none
  integer(im), intent(in) :: ncol, nlay
  integer(im), intent(inout) :: iaer
  real(rb), intent(in) :: play(ncol, nlay), plev(ncol, nlay + 1), tlay(ncol, nlay), tlev(ncol, nlay + 1)
  real(rb), intent(in) :: gas(ncol, nlay), albedo(ncol), coszen(ncol), aerosol(ncol, nlay, 14)
  real(rb), intent(out), dimension(ncol, nlay + 1) :: swdflx, dirdflux, difdflux
  integer, parameter :: k_topo = 2  ! layers below the ground
  real(rb), allocatable, dimension(:, :) :: rrtm_play, rrtm_tlay, rrtm_gas, rrtm_zero, rrtm_plev, rrtm_tlev, up, dn, &
                                            hr, up_clear, dn_clear, hr_clear, direct, diffuse
  real(rb), allocatable, dimension(:, :, :) :: cloud, aer, types
  integer :: n, first, column

  n = nlay + k_topo
  first = 1 + k_topo
  allocate (rrtm_play(0:0, n), rrtm_tlay(0:0, n), rrtm_gas(0:0, n), rrtm_zero(0:0, n), hr(0:0, n), hr_clear(0:0, n))
  allocate (rrtm_plev(0:0, n + 1), rrtm_tlev(0:0, n + 1), up(0:0, n + 1), dn(0:0, n + 1), up_clear(0:0, n + 1), &
            dn_clear(0:0, n + 1), direct(0:0, n + 1), diffuse(0:0, n + 1))
  allocate (cloud(14, 0:0, n), aer(0:0, n, 14), types(0:0, n, 6))
  cloud = 0
  types = 0
  rrtm_zero = 0
  do column = 1, ncol
    rrtm_play(0, first:) = play(column, :)
    rrtm_tlay(0, first:) = tlay(column, :)
    rrtm_gas(0, first:) = gas(column, :)
    rrtm_plev(0, first:) = plev(column, :)
    rrtm_tlev(0, first:) = tlev(column, :)
    aer(0, first:, :) = aerosol(column, :, :)
    call solve(albedo(column:column), coszen(column:column))
    swdflx(column, :) = dn(0, first:)
    dirdflux(column, :) = direct(0, first:)
    difdflux(column, :) = diffuse(0, first:)
  end do

contains

  subroutine solve(surface, zenith)
    real(rb), intent(in) :: surface(1), zenith(1)
    integer(im) :: overlap

    overlap = 2
    call rrtmg_sw(1, nlay, overlap, iaer, rrtm_play(:, first:n), rrtm_plev(:, first:n + 1), rrtm_tlay(:, first:n), &
                  rrtm_tlev(:, first:n + 1), surface, rrtm_gas(:, first:n), rrtm_zero(:, first:n), &
                  rrtm_gas(:, first:n), rrtm_zero(:, first:n), rrtm_zero(:, first:n), rrtm_zero(:, first:n), surface, &
                  surface, surface, surface, zenith, 1.02_rb, 0, 1361.0_rb, 2, 3, 1, rrtm_zero(:, first:n), &
                  cloud(:, :, first:n), cloud(:, :, first:n), cloud(:, :, first:n), cloud(:, :, first:n), &
                  rrtm_zero(:, first:n), rrtm_zero(:, first:n), rrtm_zero(:, first:n), rrtm_zero(:, first:n), &
                  aer(:, first:n, :), aer(:, first:n, :), aer(:, first:n, :), types(:, first:n, :), &
                  up(:, first:n + 1), dn(:, first:n + 1), hr(:, first:n), up_clear(:, first:n + 1), &
                  dn_clear(:, first:n + 1), hr_clear(:, first:n), direct(:, first:n + 1), diffuse(:, first:n + 1))
  end subroutine solve
end subroutine like_palm

program callers_sw
  use parkind, only: im => kind_im, rb => kind_rb
  use rrtmg_sw_init, only: rrtmg_sw_ini
  use host_model, only: need_data, expect, finish
  use binder_like_climt, only: like_climt
  implicit none
  integer(im), parameter :: ncol = 3, nlay = 20
  real(rb), dimension(ncol, nlay) :: play, tlay, gas, zero, swhr, swhrc, first_hr
  real(rb), dimension(ncol, nlay + 1) :: plev, tlev, swuflx, swdflx, swuflxc, swdflxc, first, direct, diffuse
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
  call like_palm(ncol, nlay, iaer, play, plev, tlay, tlev, gas, albedo, coszen, aerosol, swdflx, direct, diffuse)
  call expect(all(abs(swdflx(:2, nlay + 1) - 1.02_rb * 1361 * coszen(:2)) < 0.02_rb), "PALM: what enters is right")
  call expect(all(abs(direct + diffuse - swdflx) < 1e4_rb * epsilon(1.0_rb)), "PALM: direct and diffuse light add up")
  call expect(all(direct(:2, 1) > 0 .and. diffuse(:2, 1) > 1), "PALM: both parts reach the surface")
  call finish()
end program callers_sw
