! SPDX-License-Identifier: BSD-3-Clause
!> The initialization of RRTMG_LW.
module rrtmg_lw_init
  use, intrinsic :: iso_c_binding, only: c_double
  use parkind, only: rb => kind_rb
  implicit none
  private
  public :: rrtmg_lw_ini

contains

  !> Has to be called before rrtmg_lw(), and may be called again with another heat capacity. The first call reads the
  !! variables PARHELION_RRTMG_LW_... of the environment, initializes Kokkos unless it is already, and reads the
  !! coefficients.
  subroutine rrtmg_lw_ini(cpdair)
    use rrtmg_lw_parhelion, only: initialize
    use rrlw_con, only: grav, heatfac, secdy
    use rrlw_wvn, only: ngm, ngn, ngs, rwgt, wt
    use rrtmg_parhelion, only: reduced_gpoints
    real(rb), intent(in) :: cpdair  !< heat capacity of dry air at constant pressure [J kg-1 K-1], > 0
    real(c_double) :: weights(size(rwgt))

    call reduced_gpoints(ngn, ngs, real(wt, c_double), ngm, weights)
    rwgt = real(weights, rb)
    heatfac = grav * secdy / (cpdair * 100)
    call initialize(cpdair, grav * secdy / 86400)
  end subroutine rrtmg_lw_ini

end module rrtmg_lw_init
