! SPDX-License-Identifier: BSD-3-Clause
!> The initialization of RRTMG_SW.
module rrtmg_sw_init
  use, intrinsic :: iso_c_binding, only: c_double
  use parkind, only: rb => kind_rb
  implicit none
  private
  public :: rrtmg_sw_ini

contains

  !> Has to be called before rrtmg_sw(), and may be called again with another heat capacity. The first call reads the
  !! variables PARHELION_RRTMG_SW_... of the environment, initializes Kokkos unless it is already, and reads the
  !! coefficients.
  subroutine rrtmg_sw_ini(cpdair)
    use rrtmg_sw_parhelion, only: initialize
    use rrsw_con, only: grav, heatfac, secdy
    use rrsw_wvn, only: ngm, ngn, ngs, rwgt, wt
    use rrtmg_parhelion, only: reduced_gpoints
    real(rb), intent(in) :: cpdair  !< heat capacity of dry air at constant pressure [J kg-1 K-1], > 0
    real(c_double) :: weights(size(rwgt))

    call reduced_gpoints(ngn, ngs, real(wt, c_double), ngm, weights)
    rwgt = real(weights, rb)
    heatfac = grav * secdy / (cpdair * 100)
    call initialize(cpdair, grav * secdy / 86400)
  end subroutine rrtmg_sw_ini

end module rrtmg_sw_init
