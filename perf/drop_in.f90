! SPDX-License-Identifier: BSD-3-Clause
!> rrtmg_lw() called as a climate model calls it, for the benchmark in drop_in.cpp, which makes the arrays.
module perf_drop_in
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use rrtmg_lw_init, only: rrtmg_lw_ini
  use rrtmg_lw_rad, only: rrtmg_lw
  implicit none
  private
  public :: perf_rrtmg_lw_ini, perf_rrtmg_lw

contains

  subroutine perf_rrtmg_lw_ini(heat_capacity) bind(C)
    real(c_double), value :: heat_capacity  !< [J kg-1 K-1]

    call rrtmg_lw_ini(heat_capacity)
  end subroutine perf_rrtmg_lw_ini

  !> The arrays have the names and units of rrtmg_lw().
  subroutine perf_rrtmg_lw(ncol, nlay, cloudy, play, plev, tlay, tlev, tsfc, gases, emis, cldfmcl, taucmcl, ciwpmcl, &
                           clwpmcl, reicmcl, relqmcl, tauaer, uflx, dflx, hr, uflxc, dflxc, hrc) bind(C)
    integer(c_int), value :: ncol, nlay
    integer(c_int), value :: cloudy  !< whether the clouds count, 0 or 1
    real(c_double), intent(in) :: play(ncol, nlay), plev(ncol, nlay + 1), tlay(ncol, nlay), tlev(ncol, nlay + 1)
    real(c_double), intent(in) :: tsfc(ncol)
    real(c_double), intent(in) :: gases(ncol, nlay, 11)  !< in the order of parhelion's Gas
    real(c_double), intent(in) :: emis(ncol, 16)
    real(c_double), intent(in), dimension(140, ncol, nlay) :: cldfmcl, taucmcl, ciwpmcl, clwpmcl
    real(c_double), intent(in) :: reicmcl(ncol, nlay), relqmcl(ncol, nlay), tauaer(ncol, nlay, 16)
    real(c_double), intent(inout), dimension(ncol, nlay + 1) :: uflx, dflx, uflxc, dflxc
    real(c_double), intent(inout), dimension(ncol, nlay) :: hr, hrc
    integer(c_int) :: icld

    icld = 2 * cloudy
    call rrtmg_lw(ncol, nlay, icld, 0, play, plev, tlay, tlev, tsfc, gases(:, :, 1), gases(:, :, 3), gases(:, :, 2), &
                  gases(:, :, 6), gases(:, :, 4), gases(:, :, 7), gases(:, :, 9), gases(:, :, 10), gases(:, :, 11), &
                  gases(:, :, 8), emis, 2, 3, 1, cldfmcl, taucmcl, ciwpmcl, clwpmcl, reicmcl, relqmcl, tauaer, uflx, &
                  dflx, hr, uflxc, dflxc, hrc)
  end subroutine perf_rrtmg_lw

end module perf_drop_in
