! SPDX-License-Identifier: BSD-3-Clause
! A model that was compiled with the original's modules of the shortwave: subcolumns, fluxes, and the constants that it
! uses.
program caller_of_original_sw
  use, intrinsic :: iso_c_binding
  use parkind, only: im => kind_im, rb => kind_rb
  use parrrsw, only: nbndsw, ngptsw, naerec
  use rrsw_con, only: avogad, gascon, heatfac
  use rrsw_wvn, only: delwave, ngb
  use rrtmg_sw_init, only: rrtmg_sw_ini
  use rrtmg_sw_rad, only: rrtmg_sw
  use mcica_subcol_gen_sw, only: mcica_subcol_sw
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
  real(rb), dimension(ncol, nlay) :: play, tlay, h2o, o3, co2, ch4, n2o, o2, swhr, swhrc
  real(rb), dimension(ncol, nlay) :: fraction, ice, liquid, rei, rel, rei_g, rel_g
  real(rb), dimension(ncol, nlay + 1) :: plev, tlev, swuflx, swdflx, swuflxc, swdflxc, reference
  real(rb) :: tsfc(ncol), asdir(ncol), asdif(ncol), aldir(ncol), aldif(ncol), coszen(ncol)
  real(rb), dimension(nbndsw, ncol, nlay) :: tauc, ssac, asmc, fsfc
  real(rb) :: tauaer(ncol, nlay, nbndsw), ecaer(ncol, nlay, naerec)
  real(rb), dimension(nbndsw) :: factors
  real(rb), allocatable, dimension(:, :, :) :: cldf, tau, ssa, asm_, fsf, ciwp, clwp
  integer(im) :: icld, iaer, irng

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
  call read("swdflx", reference)
  call read_column("tsfc", tsfc)
  call read_column("asdir", asdir)
  call read_column("asdif", asdif)
  call read_column("aldir", aldir)
  call read_column("aldif", aldif)
  call read_column("coszen", coszen)
  tauaer = 0
  ecaer = 0
  tauc = 0
  ssac = 1
  asmc = 0
  fsfc = 0
  fraction = 0
  fraction(:, 10) = 0.5_rb
  ice = 0
  liquid = 50
  rei = 30
  rel = 10
  allocate (cldf(ngptsw, ncol, nlay))
  allocate (tau, ssa, asm_, fsf, ciwp, clwp, mold=cldf)

  call rrtmg_sw_ini(1004.0_rb)
  if (abs(heatfac - 9.8066_rb * 864 / 1004) > 1e-12_rb) error stop "heatfac"
  if (abs(avogad - 6.02214199e23_rb) > 1e10_rb .or. abs(gascon - 8.314472e7_rb) > 1e-3_rb) error stop "constants"
  if (ngb(1) /= 16 .or. ngb(7) /= 17 .or. ngb(112) /= 29 .or. abs(sum(delwave) - 49180) > 1e-9_rb) error stop "bands"
  irng = 0
  call mcica_subcol_sw(1_im, ncol, nlay, 2_im, 1_im, irng, play, fraction, ice, liquid, rei, rel, tauc, ssac, asmc, &
                       fsfc, cldf, ciwp, clwp, rei_g, rel_g, tau, ssa, asm_, fsf)
  icld = 2
  iaer = 0
  ! Every tenth column of the reference has this sun.
  call rrtmg_sw(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, h2o, o3, co2, ch4, n2o, o2, asdir, asdif, aldir, &
                aldif, coszen, 1._rb, 0_im, 0._rb, -1_im, 2_im, 3_im, 1_im, cldf, tau, ssa, asm_, fsf, ciwp, clwp, &
                rei_g, rel_g, tauaer, tauaer, tauaer, ecaer, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc)
  if (maxval(abs(swdflxc(::10, :) - reference(::10, :))) > 1e-5_rb) error stop "fluxes without clouds"
  if (.not. any(abs(swdflx - swdflxc) > 1)) error stop "fluxes with clouds"
  ! Another layer has no clouds, and the optional arguments are there.
  icld = 9
  iaer = -1
  cldf = 0
  factors = 1
  call rrtmg_sw(ncol, nlay, icld, iaer, play, plev, tlay, tlev, tsfc, h2o, o3, co2, ch4, n2o, o2, asdir, asdif, aldir, &
                aldif, coszen, 1._rb, 0_im, 0._rb, -1_im, 2_im, 3_im, 1_im, cldf, tau, ssa, asm_, fsf, ciwp, clwp, &
                rei_g, rel_g, tauaer, tauaer, tauaer, ecaer, swuflx, swdflx, swhr, swuflxc, swdflxc, swhrc, factors, &
                [1._rb, 1._rb], 0.5_rb)
  if (icld /= 2 .or. iaer /= 0) error stop "icld or iaer"
  if (maxval(abs(swdflx(::10, :) - reference(::10, :))) > 1e-5_rb) error stop "fluxes of clear g-points"
  print "(a)", "passed"

contains

  subroutine read(dataset, array)
    character(*), intent(in) :: dataset
    real(rb), intent(out) :: array(:, :)
    real(c_double) :: values(size(array, 2), size(array, 1))
    call read_case("rrtmg_sw/case_sw_clear_a.nc" // c_null_char, dataset // c_null_char, values, size(values))
    array = transpose(values)
  end subroutine read

  subroutine read_column(dataset, array)
    character(*), intent(in) :: dataset
    real(rb), intent(out) :: array(:)
    call read_case("rrtmg_sw/case_sw_clear_a.nc" // c_null_char, dataset // c_null_char, array, size(array))
  end subroutine read_column

end program caller_of_original_sw
