! SPDX-License-Identifier: BSD-3-Clause
!> What a climate model has around its shortwave radiation, see host_model.
module host_model_sw
  use host_model
  implicit none

  type :: sunny_atmosphere
    integer :: ncol = 0, nlay = 0
    real(rb), allocatable, dimension(:, :) :: play, plev, tlay, tlev, h2ovmr, o3vmr, co2vmr, ch4vmr, n2ovmr, o2vmr, &
                                              reic, relq
    real(rb), allocatable, dimension(:) :: tsfc, asdir, asdif, aldir, aldif, coszen
    real(rb), allocatable, dimension(:, :, :) :: tauaer, ssaaer, asmaer, ecaer
    !> (112, column, layer)
    real(rb), allocatable, dimension(:, :, :) :: cldf, tauc, ssac, asmc, fsfc, ciwp, clwp
    ! Of each column.
    real(rb), allocatable, dimension(:) :: adjes, scon, solcycfrac
    real(rb), allocatable, dimension(:, :) :: indsolvar, bndsolvar
    integer(im), allocatable, dimension(:) :: dyofyr, isolvar, has_indsolvar, has_bndsolvar, icld, iaer, inflg, &
                                              iceflg, liqflg
  end type sunny_atmosphere

  type :: sunlight
    real(rb), allocatable, dimension(:, :) :: uflx, dflx, hr, uflxc, dflxc, hrc
  end type sunlight

contains

  subroutine padded_column(file, dataset, ncol, array)
    character(*), intent(in) :: file, dataset
    integer, intent(in) :: ncol
    real(rb), allocatable, intent(out) :: array(:)
    real(rb), allocatable :: values(:, :)

    call padded(file, dataset, ncol, 1, values)
    array = values(:, 1)
  end subroutine padded_column

  !> An array (column, layer, n).
  subroutine padded_last(file, dataset, ncol, nlay, n, there, array)
    character(*), intent(in) :: file, dataset
    integer, intent(in) :: ncol, nlay, n
    logical, intent(in) :: there  !< otherwise it is full of NaN
    real(rb), allocatable, intent(out) :: array(:, :, :)
    real(rb), allocatable :: values(:, :, :)

    if (there) then
      call padded_gpoints(file, dataset, n, ncol, nlay, values)
      array = reshape(values, [size(values, 2), size(values, 3), n], order=[3, 1, 2])
    else
      allocate (array(ncol + more_columns, nlay + more_layers, n))
      array = nan()
    end if
  end subroutine padded_last

  subroutine padded_clouds(file, dataset, ncol, nlay, there, array)
    character(*), intent(in) :: file, dataset
    integer, intent(in) :: ncol, nlay
    logical, intent(in) :: there
    real(rb), allocatable, intent(out) :: array(:, :, :)

    if (there) then
      call padded_gpoints(file, dataset, 112, ncol, nlay, array)
    else
      allocate (array(112, ncol + more_columns, nlay + more_layers))
      array = nan()
    end if
  end subroutine padded_clouds

  !> The atmosphere of a file of the reference data, and its fluxes.
  !! \param clouds,aerosol whether the file has any
  subroutine read_sunny_atmosphere(name, clouds, aerosol, a, reference)
    character(*), intent(in) :: name
    logical, intent(in) :: clouds, aerosol
    type(sunny_atmosphere), intent(out) :: a
    type(sunlight), intent(out) :: reference
    integer, parameter :: ncol = 32, nlay = 51
    character(:), allocatable :: file

    file = "rrtmg_sw/" // name
    a%ncol = ncol
    a%nlay = nlay
    call padded(file, "play", ncol, nlay, a%play)
    call padded(file, "plev", ncol, nlay + 1, a%plev)
    call padded(file, "tlay", ncol, nlay, a%tlay)
    call padded(file, "h2ovmr", ncol, nlay, a%h2ovmr)
    call padded(file, "o3vmr", ncol, nlay, a%o3vmr)
    call padded(file, "co2vmr", ncol, nlay, a%co2vmr)
    call padded(file, "ch4vmr", ncol, nlay, a%ch4vmr)
    call padded(file, "o2vmr", ncol, nlay, a%o2vmr)
    call padded_column(file, "asdir", ncol, a%asdir)
    call padded_column(file, "asdif", ncol, a%asdif)
    call padded_column(file, "aldir", ncol, a%aldir)
    call padded_column(file, "aldif", ncol, a%aldif)
    call padded_column(file, "coszen", ncol, a%coszen)
    ! What the original does not use either.
    allocate (a%tlev, a%n2ovmr, mold=a%plev)
    a%tlev = nan()
    a%n2ovmr = nan()
    allocate (a%tsfc(ncol))
    a%tsfc = nan()

    call padded_column(file, "adjes", ncol, a%adjes)
    call padded_column(file, "scon", ncol, a%scon)
    call padded_column(file, "solcycfrac", ncol, a%solcycfrac)
    call padded(file, "indsolvar", ncol, 2, a%indsolvar)
    call padded(file, "bndsolvar", ncol, 14, a%bndsolvar)
    allocate (a%dyofyr(ncol), a%isolvar(ncol), a%has_indsolvar(ncol), a%has_bndsolvar(ncol), a%icld(ncol), &
              a%iaer(ncol), a%inflg(ncol), a%iceflg(ncol), a%liqflg(ncol))
    call read_flags(file, "dyofyr", a%dyofyr)
    call read_flags(file, "isolvar", a%isolvar)
    call read_flags(file, "has_indsolvar", a%has_indsolvar)
    call read_flags(file, "has_bndsolvar", a%has_bndsolvar)
    a%iaer = 0
    a%icld = 0
    a%inflg = 2
    a%iceflg = 3
    a%liqflg = 1
    if (aerosol) call read_flags(file, "iaer", a%iaer)
    call padded_last(file, "tauaer", ncol, nlay, 14, aerosol, a%tauaer)
    call padded_last(file, "ssaaer", ncol, nlay, 14, aerosol, a%ssaaer)
    call padded_last(file, "asmaer", ncol, nlay, 14, aerosol, a%asmaer)
    call padded_last(file, "ecaer", ncol, nlay, 6, aerosol, a%ecaer)
    call padded_clouds(file, "cldfmcl", ncol, nlay, clouds, a%cldf)
    call padded_clouds(file, "taucmcl", ncol, nlay, clouds, a%tauc)
    call padded_clouds(file, "ssacmcl", ncol, nlay, clouds, a%ssac)
    call padded_clouds(file, "asmcmcl", ncol, nlay, clouds, a%asmc)
    call padded_clouds(file, "fsfcmcl", ncol, nlay, clouds, a%fsfc)
    call padded_clouds(file, "ciwpmcl", ncol, nlay, clouds, a%ciwp)
    call padded_clouds(file, "clwpmcl", ncol, nlay, clouds, a%clwp)
    if (clouds) then
      call padded(file, "reicmcl", ncol, nlay, a%reic)
      call padded(file, "relqmcl", ncol, nlay, a%relq)
      call read_flags(file, "icld", a%icld)
      call read_flags(file, "inflgsw", a%inflg)
      call read_flags(file, "iceflgsw", a%iceflg)
      call read_flags(file, "liqflgsw", a%liqflg)
    else
      allocate (a%reic, a%relq, mold=a%play)
      a%reic = nan()
      a%relq = nan()
    end if

    call padded(file, "swuflx", ncol, nlay + 1, reference%uflx)
    call padded(file, "swdflx", ncol, nlay + 1, reference%dflx)
    call padded(file, "swhr", ncol, nlay, reference%hr)
    call padded(file, "swuflxc", ncol, nlay + 1, reference%uflxc)
    call padded(file, "swdflxc", ncol, nlay + 1, reference%dflxc)
    call padded(file, "swhrc", ncol, nlay, reference%hrc)
  end subroutine read_sunny_atmosphere

  !> Results full of NaN.
  subroutine make_sunlight(a, r)
    type(sunny_atmosphere), intent(in) :: a
    type(sunlight), intent(out) :: r

    allocate (r%uflx(a%ncol + more_columns, a%nlay + 1 + more_layers))
    r%uflx = nan()
    r%dflx = r%uflx
    r%uflxc = r%uflx
    r%dflxc = r%uflx
    allocate (r%hr(a%ncol + more_columns, a%nlay + more_layers))
    r%hr = nan()
    r%hrc = r%hr
  end subroutine make_sunlight

  !> Whether all of two results is the same, what has not been written included.
  subroutine expect_same_sunlight(r, s, what)
    type(sunlight), intent(in) :: r, s
    character(*), intent(in) :: what

    call expect(same_bits(r%uflx, s%uflx), what // ": swuflx is the same")
    call expect(same_bits(r%dflx, s%dflx), what // ": swdflx is the same")
    call expect(same_bits(r%hr, s%hr), what // ": swhr is the same")
    call expect(same_bits(r%uflxc, s%uflxc), what // ": swuflxc is the same")
    call expect(same_bits(r%dflxc, s%dflxc), what // ": swdflxc is the same")
    call expect(same_bits(r%hrc, s%hrc), what // ": swhrc is the same")
  end subroutine expect_same_sunlight

  !> That results are the reference's: within 1e-5 W m-2 and K day-1. With real(4) this is 0.05 W m-2 and, at 1 hPa and
  !! below, 0.1 K day-1; but 0.1 W m-2 and 0.2 K day-1 where it is told to compute in single precision, with which the
  !! transmittances of some layers come from the next entry of the table.
  subroutine expect_reference_sunlight(a, r, reference, what, which)
    type(sunny_atmosphere), intent(in) :: a
    type(sunlight), intent(in) :: r, reference
    character(*), intent(in) :: what
    logical, intent(in), optional :: which(:)  !< the columns that count
    real(rb) :: of_flux, of_heating
    character(16) :: precision
    logical, dimension(a%ncol, a%nlay + 1) :: counts, layers_count

    call get_environment_variable("PARHELION_RRTMG_SW_PRECISION", precision)
    of_flux = merge(1e-5, 0.05, rb == c_double)
    of_heating = merge(1e-5, 0.1, rb == c_double)
    if (rb /= c_double .and. precision == "single") then
      of_flux = 0.1
      of_heating = 0.2
    end if
    counts = .true.
    if (present(which)) counts = spread(which(:a%ncol), 2, a%nlay + 1)
    layers_count = counts
    layers_count(:, :a%nlay) = counts(:, :a%nlay) .and. (rb == c_double .or. a%plev(:a%ncol, 2:a%nlay + 1) >= 1)
    call expect_near(r%uflx, reference%uflx, a%ncol, a%nlay + 1, of_flux, what // ", swuflx", counts)
    call expect_near(r%dflx, reference%dflx, a%ncol, a%nlay + 1, of_flux, what // ", swdflx", counts)
    call expect_near(r%hr, reference%hr, a%ncol, a%nlay, of_heating, what // ", swhr", layers_count)
    call expect_near(r%uflxc, reference%uflxc, a%ncol, a%nlay + 1, of_flux, what // ", swuflxc", counts)
    call expect_near(r%dflxc, reference%dflxc, a%ncol, a%nlay + 1, of_flux, what // ", swdflxc", counts)
    call expect_near(r%hrc, reference%hrc, a%ncol, a%nlay, of_heating, what // ", swhrc", layers_count)
  end subroutine expect_reference_sunlight

end module host_model_sw
