! SPDX-License-Identifier: BSD-3-Clause
! Computes something with an installed parhelion: with the module, and with the parts of the drop-ins for RRTMG_LW and
! RRTMG_SW that need no coefficients.
program consumer
  use parhelion
  use parkind, only: im => kind_im, rb => kind_rb
  use rrtmg_lw_rad, only: rrtmg_lw
  use rrtmg_sw_rad, only: rrtmg_sw
  use mcica_subcol_gen_lw, only: mcica_subcol_lw
  use mcica_subcol_gen_sw, only: mcica_subcol_sw
  implicit none
  integer, parameter :: nlay = 10
  type(longwave) :: solver
  real(rb), dimension(1, nlay) :: p_lay, t_lay, heating, fraction, zero
  real(rb), dimension(1, nlay + 1) :: p_lev, t_lev, up, dn
  real(rb) :: tau(16, 1, nlay), g(140, 1, nlay, 4), sizes(1, nlay, 2)
  real(rb) :: tau_sw(14, 1, nlay), g_sw(112, 1, nlay, 7)
  real(rb), parameter :: expected = 5.670374e-8_rb * 288.0_rb**4
  integer(im) :: irng
  integer :: k

  do k = 0, nlay
    p_lev(1, k + 1) = 1e5_rb * (nlay - k) / nlay
    t_lev(1, k + 1) = 210 + 78 * p_lev(1, k + 1) / 1e5_rb
  end do
  p_lay = (p_lev(:, :nlay) + p_lev(:, 2:)) / 2
  t_lay = (t_lev(:, :nlay) + t_lev(:, 2:)) / 2
  call solver%create(nlay=nlay, model=parhelion_simple)
  call solver%solve(p_lay, p_lev, t_lay, t_lev, [288.0_rb], reshape([1.0_rb], [1, 1]), up, dn, heating)
  call solver%destroy()
  call parhelion_finalize()
  ! Without gases nothing absorbs, so that the surface radiates into space.
  if (abs(up(1, nlay + 1) - expected) > 0.03_rb * expected) error stop "flux"

  fraction = 0
  fraction(1, 3) = 1
  zero = 0
  tau = 2
  irng = 0
  call mcica_subcol_lw(1_im, 1_im, int(nlay, im), 2_im, 1_im, irng, p_lay / 100, fraction, zero, zero, zero, zero, &
                       tau, g(:, :, :, 1), g(:, :, :, 2), g(:, :, :, 3), sizes(:, :, 1), sizes(:, :, 2), &
                       g(:, :, :, 4))
  if (abs(sum(g(:, 1, :, 4)) - 280) > 1e-3_rb) error stop "subcolumns"
  tau_sw = 2
  call mcica_subcol_sw(1_im, 1_im, int(nlay, im), 2_im, 1_im, irng, p_lay / 100, fraction, zero, zero, zero, zero, &
                       tau_sw, tau_sw, tau_sw, tau_sw, g_sw(:, :, :, 1), g_sw(:, :, :, 2), g_sw(:, :, :, 3), &
                       sizes(:, :, 1), sizes(:, :, 2), g_sw(:, :, :, 4), g_sw(:, :, :, 5), g_sw(:, :, :, 6), &
                       g_sw(:, :, :, 7))
  if (abs(sum(g_sw(:, 1, :, 4)) - 224) > 1e-3_rb) error stop "subcolumns of the shortwave"
  print "(3a, f8.3, a)", "parhelion ", parhelion_version(), ": ", up(1, nlay + 1), " W m-2 leave the Earth"
end program consumer
