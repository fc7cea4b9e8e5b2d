! SPDX-License-Identifier: BSD-3-Clause
! A model that was compiled with the original's modules: subcolumns, fluxes, and the constants that it uses.
program caller_of_original
  use, intrinsic :: iso_c_binding
  use parkind, only: im => kind_im, rb => kind_rb
  use parrrtm, only: nbndlw, ngptlw
  use rrlw_con, only: avogad, gascon, heatfac
  use rrlw_wvn, only: delwave, ngb
  use rrtmg_lw_init, only: rrtmg_lw_ini
  use rrtmg_lw_rad, only: rrtmg_lw
  use mcica_subcol_gen_lw, only: mcica_subcol_lw
  implicit none

  interface
    function has_test_data() bind(C) result(yes)
      import :: c_int
      integer(c_int) :: yes
    end function has_test_data
    subroutine read_case(file, dataset, values, count) bind(C)
      import :: c_char, c_double, c_int
      character(kind=c_char), intent(in) :: file(*), dataset(*)
      real(c_double), intent(inout) :: values(*)
      integer(c_int), value :: count
    end subroutine read_case
  end interface

  integer(im), parameter :: ncol = 32, nlay = 51
  real(rb), dimension(ncol, nlay) :: play, tlay, h2o, o3, co2, ch4, n2o, o2, cfc11, cfc12, cfc22, ccl4
  real(rb), dimension(ncol, nlay) :: hr, hrc, fraction, ice, liquid, rei, rel, rei_g, rel_g
  real(rb), dimension(ncol, nlay + 1) :: plev, tlev, uflx, dflx, uflxc, dflxc, du, duc, reference
  real(rb) :: tsfc(ncol), emis(ncol, nbndlw), tauaer(ncol, nlay, nbndlw), tauc(nbndlw, ncol, nlay)
  real(rb), allocatable, dimension(:, :, :) :: cldf, tau, ciwp, clwp
  integer(im) :: icld, irng

  if (has_test_data() == 0) stop 77
  call read("play", play)
  call read("plev", plev)
  call read("tlay", tlay)
  call read("tlev", tlev)
  call read("h2ovmr", h2o)
  call read("o3vmr", o3)
  call read("co2vmr", co2)
  call read("ch4vmr", ch4)
  call read("n2ovmr", n2o)
  call read("o2vmr", o2)
  call read("cfc11vmr", cfc11)
  call read("cfc12vmr", cfc12)
  call read("cfc22vmr", cfc22)
  call read("ccl4vmr", ccl4)
  call read("emis", emis)
  call read("uflx", reference)
  call read_case("rrtmg_lw/case_clear_a.nc" // c_null_char, "tsfc" // c_null_char, tsfc, int(ncol))
  tauaer = 0
  tauc = 0
  fraction = 0
  fraction(:, 10) = 0.5_rb
  ice = 0
  liquid = 50
  rei = 30
  rel = 10
  allocate (cldf(ngptlw, ncol, nlay), tau(ngptlw, ncol, nlay), ciwp(ngptlw, ncol, nlay), clwp(ngptlw, ncol, nlay))

  call rrtmg_lw_ini(1004.0_rb)
  if (abs(heatfac - 9.8066_rb * 864 / 1004) > 1e-12_rb) error stop "heatfac"
  if (abs(avogad - 6.02214199e23_rb) > 1e10_rb .or. abs(gascon - 8.314472e7_rb) > 1e-3_rb) error stop "constants"
  if (ngb(1) /= 1 .or. ngb(11) /= 2 .or. ngb(140) /= 16 .or. abs(sum(delwave) - 3240) > 1e-9_rb) error stop "bands"
  irng = 0
  call mcica_subcol_lw(1_im, ncol, nlay, 2_im, 1_im, irng, play, fraction, ice, liquid, rei, rel, tauc, cldf, ciwp, &
                       clwp, rei_g, rel_g, tau)
  icld = 2
  call rrtmg_lw(ncol, nlay, icld, 1_im, play, plev, tlay, tlev, tsfc, h2o, o3, co2, ch4, n2o, o2, cfc11, cfc12, cfc22, &
                ccl4, emis, 2_im, 3_im, 1_im, cldf, tau, ciwp, clwp, rei_g, rel_g, tauaer, uflx, dflx, hr, uflxc, &
                dflxc, hrc, du, duc)
  if (maxval(abs(uflxc - reference)) > 1e-5_rb) error stop "fluxes without clouds"
  if (.not. any(abs(uflx - uflxc) > 1) .or. any(abs(uflx - uflxc) > 300)) error stop "fluxes with clouds"
  if (.not. all(du(:, 1) > 0.1_rb .and. duc(:, 1) > 0.1_rb)) error stop "derivatives"
  ! Another layer has no clouds, and the optional arguments are absent.
  icld = 9
  cldf = 0
  call rrtmg_lw(ncol, nlay, icld, 0_im, play, plev, tlay, tlev, tsfc, h2o, o3, co2, ch4, n2o, o2, cfc11, cfc12, cfc22, &
                ccl4, emis, 2_im, 3_im, 1_im, cldf, tau, ciwp, clwp, rei_g, rel_g, tauaer, uflx, dflx, hr, uflxc, &
                dflxc, hrc)
  if (icld /= 2) error stop "icld"
  if (maxval(abs(uflx - reference)) > 1e-5_rb) error stop "fluxes of clear g-points"
  print "(a)", "passed"

contains

  subroutine read(dataset, array)
    character(*), intent(in) :: dataset
    real(rb), intent(out) :: array(:, :)
    real(c_double) :: values(size(array, 2), size(array, 1))
    call read_case("rrtmg_lw/case_clear_a.nc" // c_null_char, dataset // c_null_char, values, size(values))
    array = transpose(values)
  end subroutine read

end program caller_of_original
