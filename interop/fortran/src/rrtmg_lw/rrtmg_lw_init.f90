! SPDX-License-Identifier: BSD-3-Clause
!> The initialization of RRTMG_LW.
module rrtmg_lw_init
  use parkind, only: im => kind_im, rb => kind_rb
  implicit none
  private
  public :: rrtmg_lw_ini

contains

  !> Has to be called before rrtmg_lw(), and may be called again with another heat capacity. The first call reads the
  !! variables PARHELION_RRTMG_LW_... of the environment, initializes Kokkos unless it is already, and reads the
  !! coefficients.
  subroutine rrtmg_lw_ini(cpdair)
    use rrtmg_lw_parhelion, only: initialize
    use parrrtm, only: mg, nbndlw
    use rrlw_con, only: grav, heatfac, secdy
    use rrlw_wvn, only: ngm, ngn, ngs, rwgt, wt
    real(rb), intent(in) :: cpdair  !< heat capacity of dry air at constant pressure [J kg-1 K-1], > 0
    integer(im) :: band, first, last, g, point

    ! The g-points of each band that are merged into one, and their weights in it.
    g = 0
    do band = 1, nbndlw
      last = (band - 1) * mg
      do point = merge(1_im, ngs(max(band - 1, 1)) + 1, band == 1), ngs(band)
        first = last + 1
        last = last + ngn(point)
        ngm(first:last) = point - merge(0_im, ngs(max(band - 1, 1)), band == 1)
        do g = first, last
          rwgt(g) = wt(g - (band - 1) * mg) / sum(wt(first - (band - 1) * mg:last - (band - 1) * mg))
        end do
      end do
    end do
    heatfac = grav * secdy / (cpdair * 100)
    call initialize(cpdair, grav * secdy / 86400)
  end subroutine rrtmg_lw_ini

end module rrtmg_lw_init
