! SPDX-License-Identifier: BSD-3-Clause
! Longwave radiation of a climate model in Fortran. The model has its columns in chunks, which its threads work on at
! the same time. Its arrays are (column, layer), longer than what is used (pcols), with the top of the atmosphere first,
! pressures in hPa and water as specific humidity. Sections of them are passed as they are; nothing is copied.
!
!   gfortran -fopenmp model_radiation.f90 -o model_radiation $(pkg-config --cflags --libs parhelion-fortran)

!> What stands in the model where it called its own copy of RRTMG_LW.
module model_radiation
  use, intrinsic :: iso_c_binding, only: c_double
  !$ use omp_lib, only: omp_get_max_threads, omp_get_thread_num
  use parhelion
  implicit none
  private
  public :: radiation_init, radiation_run, radiation_end

  type(longwave), allocatable :: solvers(:)  ! one for each thread: an object serves one call at a time

contains

  !> Once, outside of parallel regions. parhelion_simple needs no file; a climate model leaves `model` out, for
  !! RRTMG_LW, and has PARHELION_DATA name the folder of its coefficients.
  subroutine radiation_init(pcols, pver, cpair)
    integer, intent(in) :: pcols, pver
    real(c_double), intent(in) :: cpair  !< heat capacity of air [J kg-1 K-1]
    integer :: n

    n = 1
    !$ n = omp_get_max_threads()
    allocate (solvers(n))
    do n = 1, size(solvers)
      call solvers(n)%create(nlay=pver, ncol=pcols, model=parhelion_simple, vertical_order=parhelion_top_first, &
                             heat_capacity=cpair)
    end do
  end subroutine radiation_init

  !> The first ncol columns of a chunk. Gases that are not passed count as 0.
  subroutine radiation_run(ncol, pver, pmid, pint, t, tint, tskin, emissivity, q, co2, flux_up, flux_dn, heating)
    integer, intent(in) :: ncol, pver
    real(c_double), intent(in), dimension(:, :) :: pmid, pint, t, tint, q, co2
    real(c_double), intent(in) :: tskin(:), emissivity(:, :)
    real(c_double), intent(inout), dimension(:, :) :: flux_up, flux_dn, heating
    real(c_double), parameter :: dry_air_to_water = 28.966_c_double / 18.016_c_double  ! molar masses
    real(c_double) :: h2o(ncol, pver)  ! moles of water per mole of dry air
    integer :: thread

    h2o = q(:ncol, :pver) / (1 - q(:ncol, :pver)) * dry_air_to_water
    thread = 1
    !$ thread = omp_get_thread_num() + 1
    call solvers(thread)%solve(pmid(:ncol, :pver), pint(:ncol, :pver + 1), t(:ncol, :pver), tint(:ncol, :pver + 1), &
                               tskin(:ncol), emissivity(:ncol, :1), flux_up(:ncol, :pver + 1), &
                               flux_dn(:ncol, :pver + 1), heating(:ncol, :pver), h2o=h2o, co2=co2(:ncol, :pver), &
                               pressure_factor=100.0_c_double)
  end subroutine radiation_run

  subroutine radiation_end()
    deallocate (solvers)
    call parhelion_finalize()
  end subroutine radiation_end

end module model_radiation

program model
  use, intrinsic :: iso_c_binding, only: c_double
  use model_radiation
  implicit none
  integer, parameter :: pcols = 8, pver = 20, chunks = 2, ncols(chunks) = [3, 2]
  real(c_double), dimension(pcols, pver, chunks) :: pmid, t, q, co2, heating
  real(c_double), dimension(pcols, pver + 1, chunks) :: pint, tint, flux_up, flux_dn
  real(c_double) :: tskin(pcols, chunks), emissivity(pcols, 1, chunks)
  integer :: chunk, column, ncol

  call fill()
  call radiation_init(pcols, pver, 1004.64_c_double)
  !$omp parallel do private(ncol)
  do chunk = 1, chunks
    ncol = ncols(chunk)
    call radiation_run(ncol, pver, pmid(:, :, chunk), pint(:, :, chunk), t(:, :, chunk), tint(:, :, chunk), &
                       tskin(:, chunk), emissivity(:, :, chunk), q(:, :, chunk), co2(:, :, chunk), &
                       flux_up(:, :, chunk), flux_dn(:, :, chunk), heating(:, :, chunk))
  end do
  !$omp end parallel do
  do chunk = 1, chunks
    do column = 1, ncols(chunk)
      print "(a, i0, a, i0, 2(a, f0.2), a)", "chunk ", chunk, ", column ", column, ": outgoing ", &
        flux_up(column, 1, chunk), " W m-2, down at the surface ", flux_dn(column, pver + 1, chunk), " W m-2"
    end do
  end do
  call radiation_end()

contains

  !> Stands for the model: a moist troposphere and a stratosphere of one temperature.
  subroutine fill()
    real(c_double) :: surface, mole_ratio
    integer :: k

    do chunk = 1, chunks
      do column = 1, ncols(chunk)
        surface = 1000 + 5 * (column - 1)
        do k = 1, pver + 1
          pint(column, k, chunk) = 0.1_c_double + (surface - 0.1_c_double) * (k - 1) / pver
          tint(column, k, chunk) = max(210.0_c_double, 288 * (pint(column, k, chunk) / surface)**0.19_c_double)
        end do
        do k = 1, pver
          pmid(column, k, chunk) = (pint(column, k, chunk) + pint(column, k + 1, chunk)) / 2
          t(column, k, chunk) = (tint(column, k, chunk) + tint(column, k + 1, chunk)) / 2
          mole_ratio = max(4e-6_c_double, 0.012_c_double * (pmid(column, k, chunk) / surface)**3)
          q(column, k, chunk) = mole_ratio / (mole_ratio + 28.966_c_double / 18.016_c_double)
        end do
        tskin(column, chunk) = 288 + column
        emissivity(column, 1, chunk) = 0.98_c_double
      end do
    end do
    co2 = 420e-6_c_double
  end subroutine fill

end program model
