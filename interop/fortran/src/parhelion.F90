! SPDX-License-Identifier: BSD-3-Clause
!> parhelion for Fortran: longwave and shortwave fluxes of columns, radiances of profiles, infrared spectra along rays,
!! and radiation in boxes of gas, on the host and on GPUs.
!!
!! An object of a type holds what does not change between calls, and its memory:
!!
!!     type(longwave) :: solver
!!     call solver%create(nlay=51)
!!     call solver%solve(pressure_lay, pressure_lev, temperature_lay, temperature_lev, temperature_sfc, &
!!                       emissivity_sfc, flux_up, flux_dn, heating_rate, h2o=h2o, co2=co2, o3=o3)
!!
!! solve() takes arrays of real(4), of real(8), or descriptions of arrays (parhelion_array_at), which may all be on a
!! device: with device pointers (type(c_ptr)) and a `stream` it enqueues the work there and returns, and status() waits
!! for it and tells whether all results are finite. The type of the arrays does not matter for the precision of the
!! calculation, which create() chooses. Results are the same bits whether arrays have gaps or not, and in whatever
!! pieces columns are passed.
!!
!! Every procedure takes `stat`, which becomes 0 or one of parhelion_error_..., and `errmsg`, which keeps its value
!! unless there is an error. Without `stat` an error writes the message to the error unit and stops the program.
!! Messages count indices from 0. An array without entries counts as one that is absent.
!!
!! An object serves one call at a time; several threads may call at the same time with an object each.
module parhelion
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use parhelion_c
  implicit none
  private

  public :: longwave, shortwave, adding, spectra, monte_carlo, monte_carlo_side
  public :: parhelion_initialize, parhelion_finalize, parhelion_version
  public :: parhelion_array, parhelion_array_at
  public :: parhelion_float64, parhelion_float32, parhelion_int32
  public :: parhelion_surface_first, parhelion_top_first
  public :: parhelion_check_refuse, parhelion_check_clip, parhelion_check_trust
  public :: parhelion_device_by_rank, parhelion_device_current
  public :: parhelion_gas_optics_of_file, parhelion_gas_optics_simple, parhelion_gas_optics_rrtmg
  public :: parhelion_gas_optics_rrtmgp, parhelion_gas_optics_ecckd, parhelion_rrtmg_lw, parhelion_simple
  public :: parhelion_clouds_none, parhelion_clouds_of_layers, parhelion_clouds_of_gpoints, parhelion_clouds_masked
  public :: parhelion_level_temperatures_given, parhelion_level_temperatures_interpolated, parhelion_angles_optimal
  public :: parhelion_scattering_none, parhelion_scattering_rescaling, parhelion_scattering_two_stream
  public :: parhelion_cloud_averaging_thick, parhelion_cloud_averaging_thin
  public :: parhelion_role_none, parhelion_role_optional, parhelion_role_default, parhelion_role_required
  public :: parhelion_ngas, parhelion_gas_name, parhelion_find_gas, gas_optics_model, parhelion_shortwave_sun
  public :: parhelion_overlap_random, parhelion_overlap_maximum_random, parhelion_overlap_maximum
  public :: parhelion_overlap_exponential, parhelion_overlap_exponential_random
  public :: parhelion_out_of_range_refuse, parhelion_out_of_range_clip, parhelion_out_of_range_extrapolate
  public :: parhelion_transmittance_exact, parhelion_transmittance_table
  public :: parhelion_two_stream_pifm, parhelion_two_stream_eddington, parhelion_two_stream_quadrature
  public :: parhelion_direct_scaled, parhelion_direct_unscaled
  public :: parhelion_aerosol_none, parhelion_aerosol_types, parhelion_aerosol_optical
  public :: parhelion_sun_kurucz_unscaled, parhelion_sun_kurucz, parhelion_sun_mean_cycle, parhelion_sun_cycle
  public :: parhelion_sun_indices, parhelion_sun_scaled_bands
  public :: parhelion_gas_grey, parhelion_gas_grey_gases, parhelion_gas_narrow_bands
  public :: parhelion_origin_centre, parhelion_origin_volume
  public :: parhelion_directions_tiles, parhelion_directions_shared, parhelion_directions_independent
  public :: parhelion_side_wall, parhelion_side_periodic
  public :: parhelion_success, parhelion_error_argument, parhelion_error_shape, parhelion_error_value, &
            parhelion_error_state, parhelion_error_device, parhelion_error_file, parhelion_error_memory, &
            parhelion_error_not_finite, parhelion_error_internal

  !> Longwave fluxes and heating rates of columns of an atmosphere.
  type :: longwave
    private
    type(c_ptr) :: object = c_null_ptr
  contains
    procedure :: create => longwave_create
    procedure :: bytes => longwave_bytes
    procedure :: status => longwave_status
    procedure :: counts => longwave_counts
    procedure :: model => longwave_model
    procedure :: missing => longwave_missing
    procedure :: interval_weights => longwave_interval_weights
    procedure :: destroy => longwave_destroy
    procedure, private :: longwave_solve_real32, longwave_solve_real64, longwave_solve_described
    generic :: solve => longwave_solve_real32, longwave_solve_real64, longwave_solve_described
    procedure, private :: longwave_copy
    generic :: assignment(=) => longwave_copy
    final :: longwave_finalize
  end type longwave

  !> Shortwave fluxes and heating rates of columns of an atmosphere.
  type :: shortwave
    private
    type(c_ptr) :: object = c_null_ptr
  contains
    procedure :: create => shortwave_create
    procedure :: bytes => shortwave_bytes
    procedure :: status => shortwave_status
    procedure :: counts => shortwave_counts
    procedure :: model => shortwave_model
    procedure :: missing => shortwave_missing
    procedure :: interval_weights => shortwave_interval_weights
    procedure :: sun => shortwave_sun
    procedure :: destroy => shortwave_destroy
    procedure, private :: shortwave_solve_real32, shortwave_solve_real64, shortwave_solve_described
    generic :: solve => shortwave_solve_real32, shortwave_solve_real64, shortwave_solve_described
    procedure, private :: shortwave_copy
    generic :: assignment(=) => shortwave_copy
    final :: shortwave_finalize
  end type shortwave

  !> What there is to know of the gas optics of an object. Both ends of a range belong to it; numbers that a model does
  !! not have are 0.
  type :: gas_optics_model
    character(:), allocatable :: name    !< such as "RRTMG_LW" or "ecCKD"
    integer(c_int32_t) :: gas_optics = 0 !< parhelion_gas_optics_..., and not ..._of_file
    logical :: uses_levels = .false.     !< whether it needs temperatures and pressures of levels, and none of layers
    integer :: nband = 0                 !< bands of the surface, of aerosol and of fluxes
    integer :: ngpoint = 0               !< g-points, of which clouds may be given
    real(c_double), allocatable :: wavenumber_low(:), wavenumber_high(:)  !< limits of the bands [cm-1]
    integer(c_int32_t) :: role(parhelion_ngas) = parhelion_role_none      !< of each gas, parhelion_role_...
    real(c_double) :: default_mole_ratio(parhelion_ngas) = 0  !< of those with parhelion_role_default [mol mol-1]
    real(c_double) :: temperature(2) = 0      !< of layers, levels and the surface: lowest and highest [K]
    real(c_double) :: low_pressure = 0        !< where the pressure is less than this [Pa],
    real(c_double) :: lowest_temperature = 0  !< temperatures may go down to this [K]
    real(c_double) :: pressure(2) = 0         !< of layers [Pa]
    real(c_double) :: level_pressure(2) = 0   !< of levels [Pa]
    real(c_double) :: mole_ratio(2) = 0       !< of each gas to dry air [1]
    real(c_double) :: liquid_size(2) = 0      !< effective radius of droplets [m], of a model with its own optics
    real(c_double) :: ice_size(2) = 0         !< effective diameter of ice, with ecCKD radius [m], likewise
    real(c_double) :: aerosol_size(2) = 0     !< radius of dust and sea salt [m], likewise
    real(c_double) :: total_irradiance = 0    !< of its sun at 1 au, unless a call says it [W m-2], of the shortwave
  end type gas_optics_model

  !> Radiances of profiles of emitting, absorbing and scattering layers.
  type :: adding
    private
    type(c_ptr) :: object = c_null_ptr
  contains
    procedure :: create => adding_create
    procedure :: bytes => adding_bytes
    procedure :: status => adding_status
    procedure :: destroy => adding_destroy
    procedure, private :: adding_solve_real32, adding_solve_real64, adding_solve_described
    generic :: solve => adding_solve_real32, adding_solve_real64, adding_solve_described
    procedure, private :: adding_copy
    generic :: assignment(=) => adding_copy
    final :: adding_finalize
  end type adding

  !> Infrared spectra along rays, by emissivity growth.
  type :: spectra
    private
    type(c_ptr) :: object = c_null_ptr
  contains
    procedure :: create => spectra_create
    procedure :: bytes => spectra_bytes
    procedure :: status => spectra_status
    procedure :: sizes => spectra_sizes
    procedure :: gas => spectra_gas
    procedure :: wavenumber => spectra_wavenumber
    procedure :: destroy => spectra_destroy
    procedure, private :: spectra_solve_real32, spectra_solve_real64, spectra_solve_described
    generic :: solve => spectra_solve_real32, spectra_solve_real64, spectra_solve_described
    procedure, private :: spectra_copy
    generic :: assignment(=) => spectra_copy
    final :: spectra_finalize
  end type spectra

  !> Radiation in a box of gas, by Monte Carlo.
  type :: monte_carlo
    private
    type(c_ptr) :: object = c_null_ptr
  contains
    procedure :: create => monte_carlo_create
    procedure :: bytes => monte_carlo_bytes
    procedure :: status => monte_carlo_status
    procedure :: destroy => monte_carlo_destroy
    procedure, private :: monte_carlo_solve_real32, monte_carlo_solve_real64, monte_carlo_solve_described
    generic :: solve => monte_carlo_solve_real32, monte_carlo_solve_real64, monte_carlo_solve_described
    procedure, private :: monte_carlo_copy
    generic :: assignment(=) => monte_carlo_copy
    final :: monte_carlo_finalize
  end type monte_carlo

  !> A side of the box.
  type :: monte_carlo_side
    integer(c_int32_t) :: type = parhelion_side_wall  !< or parhelion_side_periodic
    real(c_double) :: reflectivity = 0                !< of a wall [1], 0 to 1: 1 - emissivity, 0 is a black wall
    real(c_double) :: temperature = 0                 !< of a wall [K], >= 0, unless its faces have their own
  end type monte_carlo_side

contains

  !> The version of the library, "major.minor.patch".
  function parhelion_version() result(version)
    character(:), allocatable :: version
    character(kind=c_char), pointer :: text(:)
    integer :: n

    call c_f_pointer(parhelion_version_c(), text, [64])
    n = 0
    do while (text(n + 1) /= c_null_char)
      n = n + 1
    end do
    version = repeat(" ", n)
    do n = 1, len(version)
      version(n:n) = text(n)
    end do
  end function parhelion_version

  !> Initializes Kokkos, unless it is already; it is then used as it is, and remains the property of whoever did it.
  !! create() calls this with default settings if nobody has.
  subroutine parhelion_initialize(device, device_by, threads, stat, errmsg)
    integer, intent(in), optional :: device     !< number of the device, counted from 0; absent: as device_by says
    integer(c_int32_t), intent(in), optional :: device_by  !< parhelion_device_by_rank (default) or ..._current
    integer, intent(in), optional :: threads    !< of the host, >= 1; absent: OMP_NUM_THREADS, or all cores
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_settings) :: settings

    if (is_less("device", device, 0, stat, errmsg)) return
    if (is_less("threads", threads, 1, stat, errmsg)) return
    settings%size = c_sizeof(settings)
    if (present(device)) settings%device = int(device, c_int32_t) + 1
    if (present(device_by)) settings%device_by = device_by
    if (present(threads)) settings%threads = int(threads, c_int32_t)
    call report(parhelion_initialize_c(settings), stat, errmsg)
  end subroutine parhelion_initialize

  !> Finalizes Kokkos if parhelion_initialize() or create() has initialized it, which is possible once in a program.
  !! Objects that still exist release their memory and can only be destroyed after that.
  subroutine parhelion_finalize(stat, errmsg)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(parhelion_finalize_c(), stat, errmsg)
  end subroutine parhelion_finalize

  !> Makes a longwave solver, reads its coefficients and allocates its memory.
  subroutine longwave_create(self, nlay, ncol, space, precision, model, coefficients, vertical_order, clouds, &
                             cloud_optical_depth, aerosol, clear, derivative, bands, overlap, transmittance, &
                             extra_layer, checks, out_of_range, heat_capacity, gravity, chunk, devices, cloud_optics, &
                             aerosol_optics, gases, level_temperatures, angles, scattering, ice_roughness, &
                             droplet_scattering, ice_scattering, cloud_averaging, incident_flux, stat, errmsg)
    class(longwave), intent(inout) :: self
    integer, intent(in) :: nlay                              !< most layers of a call, >= 1
    integer, intent(in), optional :: ncol                    !< expected columns of a call, which may have more or fewer
    character(*), intent(in), optional :: space              !< execution space: "CUDA", "OpenMP", "Serial", ...
    integer(c_int32_t), intent(in), optional :: precision    !< of the calculation: parhelion_float64 or ..._float32
    integer(c_int32_t), intent(in), optional :: model        !< parhelion_gas_optics_...; absent: that of the file
    !> File RRTMG_LW_DATA or RRTMG_LW_DATA.DBL, a definition of ecCKD, or gas optics of RRTMGP; absent: that of `model`,
    !! found.
    character(*), intent(in), optional :: coefficients
    integer(c_int32_t), intent(in), optional :: vertical_order  !< parhelion_surface_first or parhelion_top_first
    integer(c_int32_t), intent(in), optional :: clouds       !< parhelion_clouds_none, ..._of_layers, ...
    logical, intent(in), optional :: cloud_optical_depth     !< calls may have optical_depth_gpt
    logical, intent(in), optional :: aerosol                 !< calls may have aerosol
    logical, intent(in), optional :: clear                   !< calls may ask for results without clouds, too
    logical, intent(in), optional :: derivative              !< calls may ask for derivatives
    logical, intent(in), optional :: bands                   !< calls may ask for the fluxes of bands
    integer(c_int32_t), intent(in), optional :: overlap      !< parhelion_overlap_...; absent: maximum-random
    integer(c_int32_t), intent(in), optional :: transmittance  !< parhelion_transmittance_exact or ..._table
    logical, intent(in), optional :: extra_layer             !< adds a layer from the top of the columns to 0.01 Pa
    integer(c_int32_t), intent(in), optional :: checks       !< parhelion_check_refuse, ..._clip or ..._trust
    integer(c_int32_t), intent(in), optional :: out_of_range !< parhelion_out_of_range_refuse, ..._clip, ..._extrapolate
    real(c_double), intent(in), optional :: heat_capacity    !< of air at constant pressure [J kg-1 K-1]; absent: 1004
    real(c_double), intent(in), optional :: gravity          !< for heating rates [m s-2]; absent: that of the model
    integer, intent(in), optional :: chunk                   !< columns that are computed at a time; absent: automatic
    integer, intent(in), optional :: devices                 !< that compute chunks of host arrays; -1: all; absent: one
    character(*), intent(in), optional :: cloud_optics       !< RRTMGP: file of the optics of clouds; absent: no clouds
    character(*), intent(in), optional :: aerosol_optics     !< RRTMGP: file of the optics of aerosol by type
    character(*), intent(in), optional :: gases              !< that calls may give: "h2o, co2"; absent: all known ones
    integer(c_int32_t), intent(in), optional :: level_temperatures  !< parhelion_level_temperatures_...
    integer, intent(in), optional :: angles                  !< RRTMGP: 1 to 4 or parhelion_angles_optimal; absent: 1
    integer(c_int32_t), intent(in), optional :: scattering   !< RRTMGP: parhelion_scattering_...; absent: ..._none
    integer, intent(in), optional :: ice_roughness           !< RRTMGP: from 1 on; absent: 2
    character(*), intent(in), optional :: droplet_scattering !< ecCKD: scattering file of ecRad; absent: no clouds
    character(*), intent(in), optional :: ice_scattering     !< ecCKD: the same of ice; both or none
    integer(c_int32_t), intent(in), optional :: cloud_averaging  !< ecCKD: parhelion_cloud_averaging_...; absent: thick
    logical, intent(in), optional :: incident_flux           !< calls may have incident_flux
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_longwave_options) :: options
    character(kind=c_char), allocatable, target :: space_text(:), coefficients_text(:), clouds_text(:), &
                                                    aerosol_text(:), gases_text(:), droplets_text(:), ice_text(:)
    integer(c_int) :: status

    status = parhelion_longwave_destroy(self%object)
    self%object = c_null_ptr
    if (is_zero("heat_capacity", heat_capacity, stat, errmsg)) return
    if (is_zero("gravity", gravity, stat, errmsg)) return
    options%size = c_sizeof(options)
    options%nlay = nlay
    if (present(ncol)) options%ncol = ncol
    call set_text(options%space, space_text, space)
    if (present(precision)) options%precision = precision
    if (present(model)) options%model = model
    call set_text(options%coefficients, coefficients_text, coefficients)
    if (present(vertical_order)) options%vertical_order = vertical_order
    if (present(clouds)) options%clouds = clouds
    options%cloud_optical_depth = flag(cloud_optical_depth)
    options%aerosol = flag(aerosol)
    options%clear = flag(clear)
    options%derivative = flag(derivative)
    options%bands = flag(bands)
    if (present(overlap)) options%overlap = overlap
    if (present(transmittance)) options%transmittance = transmittance
    options%extra_layer = flag(extra_layer)
    if (present(checks)) options%checks = checks
    if (present(out_of_range)) options%out_of_range = out_of_range
    if (present(heat_capacity)) options%heat_capacity = heat_capacity
    if (present(gravity)) options%gravity = gravity
    if (present(chunk)) options%chunk = chunk
    if (present(devices)) options%devices = int(devices, c_int32_t)
    call set_text(options%cloud_optics, clouds_text, cloud_optics)
    call set_text(options%aerosol_optics, aerosol_text, aerosol_optics)
    call set_text(options%gases, gases_text, gases)
    if (present(level_temperatures)) options%level_temperatures = level_temperatures
    if (present(angles)) options%angles = int(angles, c_int32_t)
    if (present(scattering)) options%scattering = scattering
    if (present(ice_roughness)) options%ice_roughness = int(ice_roughness, c_int32_t)
    call set_text(options%droplet_scattering, droplets_text, droplet_scattering)
    call set_text(options%ice_scattering, ice_text, ice_scattering)
    if (present(cloud_averaging)) options%cloud_averaging = cloud_averaging
    options%incident_flux = flag(incident_flux)
    call report(parhelion_longwave_create(options, self%object), stat, errmsg)
  end subroutine longwave_create

  !> Waits for calls with arrays on a device and looks whether all their results are finite.
  subroutine longwave_status(self, stat, errmsg)
    class(longwave), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(parhelion_longwave_status(self%object), stat, errmsg)
  end subroutine longwave_status

  !> Waits for calls with arrays on a device and looks whether all their results are finite.
  subroutine adding_status(self, stat, errmsg)
    class(adding), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(parhelion_adding_status(self%object), stat, errmsg)
  end subroutine adding_status

  !> Waits for calls with arrays on a device and looks whether all their results are finite.
  subroutine spectra_status(self, stat, errmsg)
    class(spectra), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(parhelion_spectra_status(self%object), stat, errmsg)
  end subroutine spectra_status

  !> Waits for calls with arrays on a device and looks whether all their results are finite.
  subroutine monte_carlo_status(self, stat, errmsg)
    class(monte_carlo), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(parhelion_monte_carlo_status(self%object), stat, errmsg)
  end subroutine monte_carlo_status

  !> How many values of the calls were outside of their range, and were clipped or extrapolated.
  subroutine longwave_counts(self, count, text, stat, errmsg)
    class(longwave), intent(in) :: self
    integer(c_int64_t), intent(out) :: count
    character(*), intent(out), optional :: text  !< such as "3 of temperature_lay, 1 of h2o"
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char) :: buffer(1024)
    integer(c_int) :: status

    buffer(1) = c_null_char
    status = parhelion_longwave_counts(self%object, buffer, size(buffer, kind=c_size_t), count)
    if (present(text)) text = fortran_text(buffer)
    call report(status, stat, errmsg)
  end subroutine longwave_counts

  !> Makes a shortwave solver, reads its coefficients and allocates its memory.
  subroutine shortwave_create(self, nlay, ncol, space, precision, coefficients, vertical_order, clouds, &
                              cloud_optical_properties, aerosol_optical, aerosol_types, clear, parts, bands, overlap, &
                              transmittance, two_stream, direct, band28_level, checks, out_of_range, heat_capacity, &
                              gravity, chunk, devices, cloud_optics, aerosol_optics, gases, model, &
                              level_temperatures, ice_roughness, droplet_scattering, ice_scattering, &
                              cloud_averaging, stat, errmsg)
    class(shortwave), intent(inout) :: self
    integer, intent(in) :: nlay                              !< most layers of a call, >= 1
    integer, intent(in), optional :: ncol                    !< expected columns of a call, which may have more or fewer
    character(*), intent(in), optional :: space              !< execution space: "CUDA", "OpenMP", "Serial", ...
    integer(c_int32_t), intent(in), optional :: precision    !< of the calculation: parhelion_float64 or ..._float32
    !> File RRTMG_SW_DATA or RRTMG_SW_DATA.DBL, a definition of ecCKD, or gas optics of RRTMGP; absent: that of `model`,
    !! found.
    character(*), intent(in), optional :: coefficients
    integer(c_int32_t), intent(in), optional :: vertical_order  !< parhelion_surface_first or parhelion_top_first
    integer(c_int32_t), intent(in), optional :: clouds       !< parhelion_clouds_none, ..._of_layers, ...
    logical, intent(in), optional :: cloud_optical_properties  !< calls may have optical_depth_gpt and those beside it
    logical, intent(in), optional :: aerosol_optical         !< calls may have aerosol_optical_depth and those beside it
    logical, intent(in), optional :: aerosol_types           !< calls may have aerosol_550nm
    logical, intent(in), optional :: clear                   !< calls may ask for results without clouds, too
    logical, intent(in), optional :: parts                   !< calls may ask for uv and visible, and near infrared
    logical, intent(in), optional :: bands                   !< calls may ask for the fluxes of bands
    integer(c_int32_t), intent(in), optional :: overlap      !< parhelion_overlap_...; absent: maximum-random
    integer(c_int32_t), intent(in), optional :: transmittance  !< parhelion_transmittance_exact or ..._table
    integer(c_int32_t), intent(in), optional :: two_stream   !< parhelion_two_stream_...; absent: ..._pifm
    integer(c_int32_t), intent(in), optional :: direct       !< parhelion_direct_scaled or ..._unscaled
    integer(c_int32_t), intent(in), optional :: band28_level !< of the sun in 38000-50000 cm-1: 42 or, as in WRF, 58
    integer(c_int32_t), intent(in), optional :: checks       !< parhelion_check_refuse, ..._clip or ..._trust
    integer(c_int32_t), intent(in), optional :: out_of_range !< parhelion_out_of_range_refuse, ..._clip, ..._extrapolate
    real(c_double), intent(in), optional :: heat_capacity    !< of air at constant pressure [J kg-1 K-1]; absent: 1004
    real(c_double), intent(in), optional :: gravity          !< for heating rates [m s-2]; absent: that of the model
    integer, intent(in), optional :: chunk                   !< columns that are computed at a time; absent: automatic
    integer, intent(in), optional :: devices                 !< that compute chunks of host arrays; -1: all; absent: one
    character(*), intent(in), optional :: cloud_optics       !< RRTMGP: file of the optics of clouds; absent: no clouds
    character(*), intent(in), optional :: aerosol_optics     !< RRTMGP: file of the optics of aerosol by type
    character(*), intent(in), optional :: gases              !< that calls may give: "h2o, co2"; absent: all known ones
    integer(c_int32_t), intent(in), optional :: model        !< parhelion_gas_optics_...; absent: that of the file
    integer(c_int32_t), intent(in), optional :: level_temperatures  !< parhelion_level_temperatures_...
    integer, intent(in), optional :: ice_roughness           !< RRTMGP: from 1 on; absent: 2
    character(*), intent(in), optional :: droplet_scattering !< ecCKD: scattering file of ecRad; absent: no clouds
    character(*), intent(in), optional :: ice_scattering     !< ecCKD: the same of ice; both or none
    integer(c_int32_t), intent(in), optional :: cloud_averaging  !< ecCKD: parhelion_cloud_averaging_...; absent: thick
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_shortwave_options) :: options
    character(kind=c_char), allocatable, target :: space_text(:), coefficients_text(:), clouds_text(:), &
                                                    aerosol_text(:), gases_text(:), droplets_text(:), ice_text(:)
    integer(c_int) :: status

    status = parhelion_shortwave_destroy(self%object)
    self%object = c_null_ptr
    if (is_zero("heat_capacity", heat_capacity, stat, errmsg)) return
    if (is_zero("gravity", gravity, stat, errmsg)) return
    options%size = c_sizeof(options)
    options%nlay = nlay
    if (present(ncol)) options%ncol = ncol
    call set_text(options%space, space_text, space)
    if (present(precision)) options%precision = precision
    call set_text(options%coefficients, coefficients_text, coefficients)
    if (present(vertical_order)) options%vertical_order = vertical_order
    if (present(clouds)) options%clouds = clouds
    options%cloud_optical_properties = flag(cloud_optical_properties)
    options%aerosol_optical = flag(aerosol_optical)
    options%aerosol_types = flag(aerosol_types)
    options%clear = flag(clear)
    options%parts = flag(parts)
    options%bands = flag(bands)
    if (present(overlap)) options%overlap = overlap
    if (present(transmittance)) options%transmittance = transmittance
    if (present(two_stream)) options%two_stream = two_stream
    if (present(direct)) options%direct = direct
    if (present(band28_level)) options%band28_level = band28_level
    if (present(checks)) options%checks = checks
    if (present(out_of_range)) options%out_of_range = out_of_range
    if (present(heat_capacity)) options%heat_capacity = heat_capacity
    if (present(gravity)) options%gravity = gravity
    if (present(chunk)) options%chunk = chunk
    if (present(devices)) options%devices = int(devices, c_int32_t)
    call set_text(options%cloud_optics, clouds_text, cloud_optics)
    call set_text(options%aerosol_optics, aerosol_text, aerosol_optics)
    call set_text(options%gases, gases_text, gases)
    if (present(model)) options%model = model
    if (present(level_temperatures)) options%level_temperatures = level_temperatures
    if (present(ice_roughness)) options%ice_roughness = int(ice_roughness, c_int32_t)
    call set_text(options%droplet_scattering, droplets_text, droplet_scattering)
    call set_text(options%ice_scattering, ice_text, ice_scattering)
    if (present(cloud_averaging)) options%cloud_averaging = cloud_averaging
    call report(parhelion_shortwave_create(options, self%object), stat, errmsg)
  end subroutine shortwave_create

  !> Waits for calls with arrays on a device and looks whether all their results are finite.
  subroutine shortwave_status(self, stat, errmsg)
    class(shortwave), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(parhelion_shortwave_status(self%object), stat, errmsg)
  end subroutine shortwave_status

  !> How many values of the calls were outside of their range, and were clipped or extrapolated.
  subroutine shortwave_counts(self, count, text, stat, errmsg)
    class(shortwave), intent(in) :: self
    integer(c_int64_t), intent(out) :: count
    character(*), intent(out), optional :: text  !< such as "3 of albedo_direct, 1 of h2o"
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char) :: buffer(1024)
    integer(c_int) :: status

    buffer(1) = c_null_char
    status = parhelion_shortwave_counts(self%object, buffer, size(buffer, kind=c_size_t), count)
    if (present(text)) text = fortran_text(buffer)
    call report(status, stat, errmsg)
  end subroutine shortwave_counts

  !> What there is to know of the gas optics of the object.
  subroutine longwave_model(self, model, stat, errmsg)
    class(longwave), intent(in) :: self
    type(gas_optics_model), intent(out) :: model
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_model) :: told
    integer(c_int) :: status
    integer :: gas

    told%size = c_sizeof(told)
    status = parhelion_longwave_model(self%object, told)
    if (status == parhelion_success) then
      call take_model(told, model)
      status = parhelion_longwave_bands(self%object, model%wavenumber_low, model%wavenumber_high)
      do gas = 1, parhelion_ngas
        if (status == parhelion_success) &
          status = parhelion_longwave_gas(self%object, int(gas - 1, c_int32_t), model%role(gas), &
                                     model%default_mole_ratio(gas))
      end do
    end if
    call report(status, stat, errmsg)
  end subroutine longwave_model

  !> Which gases the model of the object requires that are not among those given.
  subroutine longwave_missing(self, given, names, count, stat, errmsg)
    class(longwave), intent(in) :: self
    character(*), intent(in) :: given             !< names of gases, separated by commas or spaces
    character(:), allocatable, intent(out) :: names  !< those that are missing, separated by ", "; empty: none
    integer, intent(out), optional :: count       !< their number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_longwave_input) :: input
    logical :: there(parhelion_ngas)
    character(kind=c_char) :: buffer(512)
    integer(c_int64_t) :: number
    integer(c_int) :: status
    integer, target :: anything
    integer :: gas

    names = ""
    number = 0
    call find_gases(given, there, status)
    if (status == parhelion_success) then
      input%size = c_sizeof(input)
      do gas = 1, size(input%gases)
        if (there(gas)) input%gases(gas)%data = c_loc(anything)
      end do
      do gas = 1, size(input%more_gases)
        if (there(size(input%gases) + gas)) input%more_gases(gas)%data = c_loc(anything)
      end do
      buffer(1) = c_null_char
      status = parhelion_longwave_missing(self%object, input, buffer, size(buffer, kind=c_size_t), number)
      names = fortran_text(buffer)
    end if
    if (present(count)) count = int(number)
    call report(status, stat, errmsg)
  end subroutine longwave_missing

  !> ecCKD: how much an emissivity of each interval of wavenumber counts in that of each g-point, which is the sum of
  !! those of all intervals times these weights: matmul(of_intervals, transpose(weights)) of (column, interval).
  subroutine longwave_interval_weights(self, between, weights, stat, errmsg)
    class(longwave), intent(in) :: self
    real(c_double), intent(in) :: between(:)  !< where an interval ends and the next begins [cm-1], increasing
    !> (g-point, interval): one interval more than `between`, from 0 up to infinity; 1 in all for each g-point.
    real(c_double), allocatable, intent(out) :: weights(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_model) :: told
    real(c_double), allocatable :: found(:, :)
    integer(c_int) :: status

    told%size = c_sizeof(told)
    status = parhelion_longwave_model(self%object, told)
    allocate (found(size(between) + 1, told%ngpoint))
    found = 0
    if (status == parhelion_success) &
      status = parhelion_longwave_interval_weights(self%object, between, size(between, kind=c_int64_t), found)
    weights = transpose(found)
    call report(status, stat, errmsg)
  end subroutine longwave_interval_weights

  !> What there is to know of the gas optics of the object.
  subroutine shortwave_model(self, model, stat, errmsg)
    class(shortwave), intent(in) :: self
    type(gas_optics_model), intent(out) :: model
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_model) :: told
    integer(c_int) :: status
    integer :: gas

    told%size = c_sizeof(told)
    status = parhelion_shortwave_model(self%object, told)
    if (status == parhelion_success) then
      call take_model(told, model)
      status = parhelion_shortwave_bands(self%object, model%wavenumber_low, model%wavenumber_high)
      do gas = 1, parhelion_ngas
        if (status == parhelion_success) &
          status = parhelion_shortwave_gas(self%object, int(gas - 1, c_int32_t), model%role(gas), &
                                     model%default_mole_ratio(gas))
      end do
    end if
    call report(status, stat, errmsg)
  end subroutine shortwave_model

  !> Which gases the model of the object requires that are not among those given.
  subroutine shortwave_missing(self, given, names, count, stat, errmsg)
    class(shortwave), intent(in) :: self
    character(*), intent(in) :: given             !< names of gases, separated by commas or spaces
    character(:), allocatable, intent(out) :: names  !< those that are missing, separated by ", "; empty: none
    integer, intent(out), optional :: count       !< their number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_shortwave_input) :: input
    logical :: there(parhelion_ngas)
    character(kind=c_char) :: buffer(512)
    integer(c_int64_t) :: number
    integer(c_int) :: status
    integer, target :: anything
    integer :: gas

    names = ""
    number = 0
    call find_gases(given, there, status)
    if (status == parhelion_success) then
      input%size = c_sizeof(input)
      do gas = 1, size(input%gases)
        if (there(gas)) input%gases(gas)%data = c_loc(anything)
      end do
      do gas = 1, size(input%more_gases)
        if (there(size(input%gases) + gas)) input%more_gases(gas)%data = c_loc(anything)
      end do
      buffer(1) = c_null_char
      status = parhelion_shortwave_missing(self%object, input, buffer, size(buffer, kind=c_size_t), number)
      names = fortran_text(buffer)
    end if
    if (present(count)) count = int(number)
    call report(status, stat, errmsg)
  end subroutine shortwave_missing

  !> ecCKD: how much an albedo of each interval of wavenumber counts in that of each g-point, which is the sum of
  !! those of all intervals times these weights: matmul(of_intervals, transpose(weights)) of (column, interval).
  subroutine shortwave_interval_weights(self, between, weights, stat, errmsg)
    class(shortwave), intent(in) :: self
    real(c_double), intent(in) :: between(:)  !< where an interval ends and the next begins [cm-1], increasing
    !> (g-point, interval): one interval more than `between`, from 0 up to infinity; 1 in all for each g-point.
    real(c_double), allocatable, intent(out) :: weights(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_model) :: told
    real(c_double), allocatable :: found(:, :)
    integer(c_int) :: status

    told%size = c_sizeof(told)
    status = parhelion_shortwave_model(self%object, told)
    allocate (found(size(between) + 1, told%ngpoint))
    found = 0
    if (status == parhelion_success) &
      status = parhelion_shortwave_interval_weights(self%object, between, size(between, kind=c_int64_t), found)
    weights = transpose(found)
    call report(status, stat, errmsg)
  end subroutine shortwave_interval_weights

  !> The sun of a column as solve() takes it for columns with different suns, for the spectra of the object's model.
  !! With ecCKD and RRTMGP the weights are in proportion to total_irradiance.
  subroutine shortwave_sun(self, weights, factors, sun, day_of_year, total_irradiance, distance_factor, &
                           solar_indices, cycle_fraction, band_factors, stat, errmsg)
    class(shortwave), intent(in) :: self
    real(c_double), intent(out) :: weights(4)                 !< of the solar spectra: solar_weights of a column
    real(c_double), intent(out), optional :: factors(14)      !< on RRTMG's bands: solar_band_factors of a column
    integer(c_int32_t), intent(in), optional :: sun           !< parhelion_sun_...; absent: ..._mean_cycle
    integer, intent(in), optional :: day_of_year              !< 1 to 366, which gives the sun's distance
    real(c_double), intent(in), optional :: total_irradiance  !< at 1 au [W m-2]; absent: that of the spectrum
    real(c_double), intent(in), optional :: distance_factor   !< factor by the distance of the sun; absent: 1
    real(c_double), intent(in), optional, target :: solar_indices(2)  !< amplitudes or indices, faculae and sunspots
    real(c_double), intent(in), optional, target :: cycle_fraction    !< place in the solar cycle, 0 to 1
    real(c_double), intent(in), optional, target :: band_factors(14)  !< factor on each band
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_shortwave_input) :: input
    real(c_double) :: found(14)

    input%size = c_sizeof(input)
    if (present(sun)) input%sun = sun
    if (present(day_of_year)) input%day_of_year = int(day_of_year, c_int32_t)
    if (present(total_irradiance)) input%total_irradiance = total_irradiance
    if (present(distance_factor)) input%distance_factor = distance_factor
    if (present(solar_indices)) input%solar_indices = c_loc(solar_indices)
    if (present(cycle_fraction)) input%cycle_fraction = c_loc(cycle_fraction)
    if (present(band_factors)) input%band_factors = c_loc(band_factors)
    weights = 0
    found = 1
    call report(parhelion_shortwave_sun_of(self%object, input, weights, found), stat, errmsg)
    if (present(factors)) factors = found
  end subroutine shortwave_sun

  !> The same for the spectra of RRTMG_SW, without an object.
  subroutine parhelion_shortwave_sun(weights, factors, sun, day_of_year, total_irradiance, distance_factor, &
                                     solar_indices, cycle_fraction, band_factors, stat, errmsg)
    real(c_double), intent(out) :: weights(4)                 !< of the solar spectra: solar_weights of a column
    real(c_double), intent(out), optional :: factors(14)      !< on RRTMG's bands: solar_band_factors of a column
    integer(c_int32_t), intent(in), optional :: sun           !< parhelion_sun_...; absent: ..._mean_cycle
    integer, intent(in), optional :: day_of_year              !< 1 to 366, which gives the sun's distance
    real(c_double), intent(in), optional :: total_irradiance  !< at 1 au [W m-2]; absent: that of the spectrum
    real(c_double), intent(in), optional :: distance_factor   !< factor by the distance of the sun; absent: 1
    real(c_double), intent(in), optional, target :: solar_indices(2)  !< amplitudes or indices, faculae and sunspots
    real(c_double), intent(in), optional, target :: cycle_fraction    !< place in the solar cycle, 0 to 1
    real(c_double), intent(in), optional, target :: band_factors(14)  !< factor on each band
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_shortwave_input) :: input
    real(c_double) :: found(14)

    input%size = c_sizeof(input)
    if (present(sun)) input%sun = sun
    if (present(day_of_year)) input%day_of_year = int(day_of_year, c_int32_t)
    if (present(total_irradiance)) input%total_irradiance = total_irradiance
    if (present(distance_factor)) input%distance_factor = distance_factor
    if (present(solar_indices)) input%solar_indices = c_loc(solar_indices)
    if (present(cycle_fraction)) input%cycle_fraction = c_loc(cycle_fraction)
    if (present(band_factors)) input%band_factors = c_loc(band_factors)
    weights = 0
    found = 1
    call report(parhelion_shortwave_sun_c(input, weights, found), stat, errmsg)
    if (present(factors)) factors = found
  end subroutine parhelion_shortwave_sun

  !> The name of a gas in lower case, such as "h2o"; empty where there is no such gas.
  function parhelion_gas_name(gas) result(name)
    integer, intent(in) :: gas  !< its number, 1 to parhelion_ngas
    character(:), allocatable :: name
    type(c_ptr) :: text
    character(kind=c_char), pointer :: letters(:)

    name = ""
    text = parhelion_gas_name_c(int(gas - 1, c_int32_t))
    if (.not. c_associated(text)) return
    call c_f_pointer(text, letters, [32])
    do while (letters(len(name) + 1) /= c_null_char)
      name = name // letters(len(name) + 1)
    end do
  end function parhelion_gas_name

  !> The number of the gas of a name: its formula, or a name in use such as "carbon_dioxide", in either case.
  subroutine parhelion_find_gas(name, gas, stat, errmsg)
    character(*), intent(in) :: name
    integer, intent(out) :: gas  !< 1 to parhelion_ngas; 0 where there is no such gas
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    call find_gas(name, gas, status)
    call report(status, stat, errmsg)
  end subroutine parhelion_find_gas

  subroutine find_gas(name, gas, status)
    character(*), intent(in) :: name
    integer, intent(out) :: gas
    integer(c_int), intent(out) :: status
    integer(c_int32_t) :: number

    number = -1
    status = parhelion_find_gas_c(trim(name) // c_null_char, number)
    gas = number + 1
  end subroutine find_gas

  !> The gases of a list of names.
  subroutine find_gases(names, there, status)
    character(*), intent(in) :: names
    logical, intent(out) :: there(:)
    integer(c_int), intent(out) :: status
    integer :: begin, end, gas

    there = .false.
    status = parhelion_success
    begin = 1
    do
      begin = begin + verify(names(begin:) // "x", ", ") - 1
      if (begin > len(names)) return
      end = begin + scan(names(begin:) // ",", ", ") - 2
      call find_gas(names(begin:end), gas, status)
      if (status /= parhelion_success) return
      there(gas) = .true.
      begin = end + 1
    end do
  end subroutine find_gases

  subroutine take_model(told, model)
    type(parhelion_model), intent(in) :: told
    type(gas_optics_model), intent(inout) :: model

    model%name = fortran_text(told%name)
    model%gas_optics = told%gas_optics
    model%uses_levels = told%uses_levels /= 0
    model%nband = int(told%nband)
    model%ngpoint = int(told%ngpoint)
    allocate (model%wavenumber_low(model%nband), model%wavenumber_high(model%nband))
    model%temperature = told%temperature
    model%low_pressure = told%low_pressure
    model%lowest_temperature = told%lowest_temperature
    model%pressure = told%pressure
    model%level_pressure = told%level_pressure
    model%mole_ratio = told%mole_ratio
    model%liquid_size = told%liquid_size
    model%ice_size = told%ice_size
    model%aerosol_size = told%aerosol_size
    model%total_irradiance = told%total_irradiance
  end subroutine take_model

  !> Makes a solver of radiances. Its memory is allocated by the first call, and again by a call with larger extents.
  subroutine adding_create(self, space, precision, vertical_order, chunk, devices, stat, errmsg)
    class(adding), intent(inout) :: self
    character(*), intent(in), optional :: space            !< execution space: "CUDA", "OpenMP", "Serial", ...
    integer(c_int32_t), intent(in), optional :: precision  !< of the calculation: parhelion_float64 or ..._float32
    integer(c_int32_t), intent(in), optional :: vertical_order  !< parhelion_surface_first or parhelion_top_first
    integer, intent(in), optional :: chunk                 !< profiles that are computed at a time; absent: automatic
    integer, intent(in), optional :: devices               !< that compute chunks of host arrays; -1: all; absent: one
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_adding_options) :: options
    character(kind=c_char), allocatable, target :: space_text(:)
    integer(c_int) :: status

    status = parhelion_adding_destroy(self%object)
    options%size = c_sizeof(options)
    call set_text(options%space, space_text, space)
    if (present(precision)) options%precision = precision
    if (present(vertical_order)) options%vertical_order = vertical_order
    if (present(chunk)) options%chunk = chunk
    if (present(devices)) options%devices = int(devices, c_int32_t)
    call report(parhelion_adding_create(options, self%object), stat, errmsg)
  end subroutine adding_create

  !> Makes a solver of spectra and reads its control file. Tables are read by the first call.
  subroutine spectra_create(self, control, tables, continua, space, precision, missing_tables_allowed, out_of_range, &
                            memory_limit, chunk, devices, stat, errmsg)
    class(spectra), intent(inout) :: self
    character(*), intent(in) :: control                    !< control file in JURASSIC's format
    character(*), intent(in), optional :: tables           !< folder of emissivity tables; absent: as control says
    character(*), intent(in), optional :: continua         !< folder of continuum coefficients; absent: found
    character(*), intent(in), optional :: space            !< execution space: "CUDA", "OpenMP", "Serial", ...
    integer(c_int32_t), intent(in), optional :: precision  !< of the calculation: parhelion_float64 or ..._float32
    logical, intent(in), optional :: missing_tables_allowed  !< gases without a table are transparent
    integer(c_int32_t), intent(in), optional :: out_of_range !< parhelion_out_of_range_refuse, ..._clip, ..._extrapolate
    integer(c_int64_t), intent(in), optional :: memory_limit !< for tables on the device [bytes]; absent: automatic
    integer, intent(in), optional :: chunk                 !< rays that are computed at a time; absent: automatic
    integer, intent(in), optional :: devices               !< that compute chunks of host arrays; -1: all; absent: one
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_spectra_options) :: options
    character(kind=c_char), allocatable, target :: control_text(:), tables_text(:), continua_text(:), space_text(:)
    integer(c_int) :: status

    status = parhelion_spectra_destroy(self%object)
    self%object = c_null_ptr
    options%size = c_sizeof(options)
    call set_text(options%control, control_text, control)
    call set_text(options%tables, tables_text, tables)
    call set_text(options%continua, continua_text, continua)
    call set_text(options%space, space_text, space)
    if (present(precision)) options%precision = precision
    options%missing_tables_allowed = flag(missing_tables_allowed)
    if (present(out_of_range)) options%out_of_range = out_of_range
    if (present(memory_limit)) then
      if (memory_limit < 0) then
        call tell(parhelion_error_argument, "memory_limit is negative, expected a number of bytes", stat, errmsg)
        return
      end if
      options%memory_limit = memory_limit
    end if
    if (present(chunk)) options%chunk = chunk
    if (present(devices)) options%devices = int(devices, c_int32_t)
    call report(parhelion_spectra_create(options, self%object), stat, errmsg)
  end subroutine spectra_create

  !> The numbers of gases and channels.
  subroutine spectra_sizes(self, ngas, nchannel, stat, errmsg)
    class(spectra), intent(in) :: self
    integer, intent(out) :: ngas, nchannel
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: gases, channels
    integer(c_int) :: status

    gases = 0
    channels = 0
    status = parhelion_spectra_sizes(self%object, gases, channels)
    ngas = int(gases)
    nchannel = int(channels)
    call report(status, stat, errmsg)
  end subroutine spectra_sizes

  !> The name of a gas.
  subroutine spectra_gas(self, gas, name, stat, errmsg)
    class(spectra), intent(in) :: self
    integer, intent(in) :: gas  !< index of the gas in mole_fraction, from 1
    character(*), intent(out) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char) :: buffer(256)
    integer(c_int) :: status

    buffer(1) = c_null_char
    status = parhelion_spectra_gas(self%object, gas - 1_c_int64_t, buffer, size(buffer, kind=c_size_t))
    name = fortran_text(buffer)
    call report(status, stat, errmsg)
  end subroutine spectra_gas

  !> The wavenumber of a channel [cm-1].
  subroutine spectra_wavenumber(self, channel, wavenumber, stat, errmsg)
    class(spectra), intent(in) :: self
    integer, intent(in) :: channel  !< from 1
    real(c_double), intent(out) :: wavenumber
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    wavenumber = 0
    call report(parhelion_spectra_wavenumber(self%object, channel - 1_c_int64_t, wavenumber), stat, errmsg)
  end subroutine spectra_wavenumber

  !> Makes a solver of boxes of gas.
  subroutine monte_carlo_create(self, gas, absorption, narrow_bands, space, precision, rays, repetitions, seed, &
                                ray_origin, out_of_range, target_error, max_repetitions, directions, devices, stat, errmsg)
    class(monte_carlo), intent(inout) :: self
    integer(c_int32_t), intent(in), optional :: gas        !< parhelion_gas_grey, ..._grey_gases, ..._narrow_bands
    real(c_double), intent(in), optional :: absorption     !< of the grey gas at 1 atm [m-1], >= 0
    character(*), intent(in), optional :: narrow_bands     !< HDF5 file of narrow bands
    character(*), intent(in), optional :: space            !< execution space: "CUDA", "OpenMP", "Serial", ...
    integer(c_int32_t), intent(in), optional :: precision  !< of the calculation: parhelion_float64 or ..._float32
    integer, intent(in), optional :: rays                  !< of each cell and face of a wall; absent: 4096
    integer, intent(in), optional :: repetitions           !< whose scatter gives the errors, >= 2; absent: 8
    integer(c_int64_t), intent(in), optional :: seed       !< absent: 1
    integer(c_int32_t), intent(in), optional :: ray_origin !< parhelion_origin_centre or parhelion_origin_volume
    integer(c_int32_t), intent(in), optional :: out_of_range !< parhelion_out_of_range_refuse, ..._clip, ..._extrapolate
    real(c_double), intent(in), optional :: target_error   !< if > 0, goal of the error [% of the largest |q|]
    integer, intent(in), optional :: max_repetitions       !< limit with a target_error; absent: 4096
    integer(c_int32_t), intent(in), optional :: directions !< parhelion_directions_tiles, ..._shared, ..._independent
    integer, intent(in), optional :: devices               !< that share the cells of host arrays; -1: all; absent: one
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(parhelion_monte_carlo_options) :: options
    character(kind=c_char), allocatable, target :: narrow_bands_text(:), space_text(:)
    integer(c_int) :: status

    status = parhelion_monte_carlo_destroy(self%object)
    options%size = c_sizeof(options)
    if (present(gas)) options%gas = gas
    if (present(absorption)) options%absorption = absorption
    call set_text(options%narrow_bands, narrow_bands_text, narrow_bands)
    call set_text(options%space, space_text, space)
    if (present(precision)) options%precision = precision
    if (present(rays)) options%rays = rays
    if (present(repetitions)) options%repetitions = repetitions
    if (present(seed)) options%seed = seed
    if (present(ray_origin)) options%ray_origin = ray_origin
    if (present(out_of_range)) options%out_of_range = out_of_range
    if (present(target_error)) options%target_error = target_error
    if (present(max_repetitions)) options%max_repetitions = max_repetitions
    if (present(directions)) options%directions = directions
    if (present(devices)) options%devices = int(devices, c_int32_t)
    call report(parhelion_monte_carlo_create(options, self%object), stat, errmsg)
  end subroutine monte_carlo_create

  !> The memory that the object holds [bytes].
  subroutine longwave_bytes(self, host, device, stat, errmsg)
    class(longwave), intent(in) :: self
    integer(c_size_t), intent(out) :: host, device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    host = 0
    device = 0
    call report(parhelion_longwave_bytes(self%object, host, device), stat, errmsg)
  end subroutine longwave_bytes

  !> Releases the object's memory; create() makes it anew. This also happens when a variable ceases to exist.
  subroutine longwave_destroy(self, stat, errmsg)
    class(longwave), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    status = parhelion_longwave_destroy(self%object)
    self%object = c_null_ptr
    call report(status, stat, errmsg)
  end subroutine longwave_destroy

  impure elemental subroutine longwave_finalize(self)
    type(longwave), intent(inout) :: self
    integer(c_int) :: status

    status = parhelion_longwave_destroy(self%object)
    self%object = c_null_ptr
  end subroutine longwave_finalize

  subroutine longwave_copy(self, other)
    class(longwave), intent(inout) :: self
    class(longwave), intent(in) :: other

    call refuse_copy(c_associated(self%object, other%object))
  end subroutine longwave_copy

  !> The memory that the object holds [bytes].
  subroutine shortwave_bytes(self, host, device, stat, errmsg)
    class(shortwave), intent(in) :: self
    integer(c_size_t), intent(out) :: host, device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    host = 0
    device = 0
    call report(parhelion_shortwave_bytes(self%object, host, device), stat, errmsg)
  end subroutine shortwave_bytes

  !> Releases the object's memory; create() makes it anew. This also happens when a variable ceases to exist.
  subroutine shortwave_destroy(self, stat, errmsg)
    class(shortwave), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    status = parhelion_shortwave_destroy(self%object)
    self%object = c_null_ptr
    call report(status, stat, errmsg)
  end subroutine shortwave_destroy

  impure elemental subroutine shortwave_finalize(self)
    type(shortwave), intent(inout) :: self
    integer(c_int) :: status

    status = parhelion_shortwave_destroy(self%object)
    self%object = c_null_ptr
  end subroutine shortwave_finalize

  subroutine shortwave_copy(self, other)
    class(shortwave), intent(inout) :: self
    class(shortwave), intent(in) :: other

    call refuse_copy(c_associated(self%object, other%object))
  end subroutine shortwave_copy

  !> The memory that the object holds [bytes].
  subroutine adding_bytes(self, host, device, stat, errmsg)
    class(adding), intent(in) :: self
    integer(c_size_t), intent(out) :: host, device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    host = 0
    device = 0
    call report(parhelion_adding_bytes(self%object, host, device), stat, errmsg)
  end subroutine adding_bytes

  !> Releases the object's memory; create() makes it anew. This also happens when a variable ceases to exist.
  subroutine adding_destroy(self, stat, errmsg)
    class(adding), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    status = parhelion_adding_destroy(self%object)
    self%object = c_null_ptr
    call report(status, stat, errmsg)
  end subroutine adding_destroy

  impure elemental subroutine adding_finalize(self)
    type(adding), intent(inout) :: self
    integer(c_int) :: status

    status = parhelion_adding_destroy(self%object)
    self%object = c_null_ptr
  end subroutine adding_finalize

  subroutine adding_copy(self, other)
    class(adding), intent(inout) :: self
    class(adding), intent(in) :: other

    call refuse_copy(c_associated(self%object, other%object))
  end subroutine adding_copy

  !> The memory that the object holds [bytes].
  subroutine spectra_bytes(self, host, device, stat, errmsg)
    class(spectra), intent(in) :: self
    integer(c_size_t), intent(out) :: host, device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    host = 0
    device = 0
    call report(parhelion_spectra_bytes(self%object, host, device), stat, errmsg)
  end subroutine spectra_bytes

  !> Releases the object's memory; create() makes it anew. This also happens when a variable ceases to exist.
  subroutine spectra_destroy(self, stat, errmsg)
    class(spectra), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    status = parhelion_spectra_destroy(self%object)
    self%object = c_null_ptr
    call report(status, stat, errmsg)
  end subroutine spectra_destroy

  impure elemental subroutine spectra_finalize(self)
    type(spectra), intent(inout) :: self
    integer(c_int) :: status

    status = parhelion_spectra_destroy(self%object)
    self%object = c_null_ptr
  end subroutine spectra_finalize

  subroutine spectra_copy(self, other)
    class(spectra), intent(inout) :: self
    class(spectra), intent(in) :: other

    call refuse_copy(c_associated(self%object, other%object))
  end subroutine spectra_copy

  !> The memory that the object holds [bytes].
  subroutine monte_carlo_bytes(self, host, device, stat, errmsg)
    class(monte_carlo), intent(in) :: self
    integer(c_size_t), intent(out) :: host, device
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    host = 0
    device = 0
    call report(parhelion_monte_carlo_bytes(self%object, host, device), stat, errmsg)
  end subroutine monte_carlo_bytes

  !> Releases the object's memory; create() makes it anew. This also happens when a variable ceases to exist.
  subroutine monte_carlo_destroy(self, stat, errmsg)
    class(monte_carlo), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    status = parhelion_monte_carlo_destroy(self%object)
    self%object = c_null_ptr
    call report(status, stat, errmsg)
  end subroutine monte_carlo_destroy

  impure elemental subroutine monte_carlo_finalize(self)
    type(monte_carlo), intent(inout) :: self
    integer(c_int) :: status

    status = parhelion_monte_carlo_destroy(self%object)
    self%object = c_null_ptr
  end subroutine monte_carlo_finalize

  subroutine monte_carlo_copy(self, other)
    class(monte_carlo), intent(inout) :: self
    class(monte_carlo), intent(in) :: other

    call refuse_copy(c_associated(self%object, other%object))
  end subroutine monte_carlo_copy

  !> Two objects cannot share one memory: the first that ceases to exist would take it from the other.
  subroutine refuse_copy(same)
    logical, intent(in) :: same

    if (same) return
    write (error_unit, "(a)") "parhelion: an object cannot be assigned to another one; make each with create()"
    error stop 1
  end subroutine refuse_copy

  ! solve() for arrays of real(4).
#define LONGWAVE_SOLVE longwave_solve_real32
#define SHORTWAVE_SOLVE shortwave_solve_real32
#define ADDING_SOLVE adding_solve_real32
#define SPECTRA_SOLVE spectra_solve_real32
#define MONTE_CARLO_SOLVE monte_carlo_solve_real32
#define NEED_1 real(c_float), intent(in), target, dimension(:)
#define NEED_2 real(c_float), intent(in), target, dimension(:, :)
#define NEED_3 real(c_float), intent(in), target, dimension(:, :, :)
#define IN_1 real(c_float), intent(in), optional, target, dimension(:)
#define IN_2 real(c_float), intent(in), optional, target, dimension(:, :)
#define IN_3 real(c_float), intent(in), optional, target, dimension(:, :, :)
#define IN_4 real(c_float), intent(in), optional, target, dimension(:, :, :, :)
#define RESULT_2 real(c_float), intent(inout), target, dimension(:, :)
#define RESULT_3 real(c_float), intent(inout), target, dimension(:, :, :)
#define OUT_1 real(c_float), intent(inout), optional, target, dimension(:)
#define OUT_2 real(c_float), intent(inout), optional, target, dimension(:, :)
#define OUT_3 real(c_float), intent(inout), optional, target, dimension(:, :, :)
#define INDEX_1 integer(c_int32_t), intent(in), optional, target, dimension(:)
#define INDEX_2 integer(c_int32_t), intent(in), optional, target, dimension(:, :)
#define INDEX_OUT_1 integer(c_int32_t), intent(inout), optional, target, dimension(:)
#define SET_1 describe_real32_1
#define SET_2 describe_real32_2
#define SET_3 describe_real32_3
#define SET_4 describe_real32_4
#define SET_INDEX_1 describe_int32_1
#define SET_INDEX_2 describe_int32_2
#include "solve.inc"

  ! solve() for arrays of real(8).
#define LONGWAVE_SOLVE longwave_solve_real64
#define SHORTWAVE_SOLVE shortwave_solve_real64
#define ADDING_SOLVE adding_solve_real64
#define SPECTRA_SOLVE spectra_solve_real64
#define MONTE_CARLO_SOLVE monte_carlo_solve_real64
#define NEED_1 real(c_double), intent(in), target, dimension(:)
#define NEED_2 real(c_double), intent(in), target, dimension(:, :)
#define NEED_3 real(c_double), intent(in), target, dimension(:, :, :)
#define IN_1 real(c_double), intent(in), optional, target, dimension(:)
#define IN_2 real(c_double), intent(in), optional, target, dimension(:, :)
#define IN_3 real(c_double), intent(in), optional, target, dimension(:, :, :)
#define IN_4 real(c_double), intent(in), optional, target, dimension(:, :, :, :)
#define RESULT_2 real(c_double), intent(inout), target, dimension(:, :)
#define RESULT_3 real(c_double), intent(inout), target, dimension(:, :, :)
#define OUT_1 real(c_double), intent(inout), optional, target, dimension(:)
#define OUT_2 real(c_double), intent(inout), optional, target, dimension(:, :)
#define OUT_3 real(c_double), intent(inout), optional, target, dimension(:, :, :)
#define INDEX_1 integer(c_int32_t), intent(in), optional, target, dimension(:)
#define INDEX_2 integer(c_int32_t), intent(in), optional, target, dimension(:, :)
#define INDEX_OUT_1 integer(c_int32_t), intent(inout), optional, target, dimension(:)
#define SET_1 describe_real64_1
#define SET_2 describe_real64_2
#define SET_3 describe_real64_3
#define SET_4 describe_real64_4
#define SET_INDEX_1 describe_int32_1
#define SET_INDEX_2 describe_int32_2
#include "solve.inc"

  ! solve() for descriptions of arrays, which may be on a device.
#define LONGWAVE_SOLVE longwave_solve_described
#define SHORTWAVE_SOLVE shortwave_solve_described
#define ADDING_SOLVE adding_solve_described
#define SPECTRA_SOLVE spectra_solve_described
#define MONTE_CARLO_SOLVE monte_carlo_solve_described
#define NEED_1 type(parhelion_array), intent(in)
#define NEED_2 type(parhelion_array), intent(in)
#define NEED_3 type(parhelion_array), intent(in)
#define IN_1 type(parhelion_array), intent(in), optional
#define IN_2 type(parhelion_array), intent(in), optional
#define IN_3 type(parhelion_array), intent(in), optional
#define IN_4 type(parhelion_array), intent(in), optional
#define RESULT_2 type(parhelion_array), intent(in)
#define RESULT_3 type(parhelion_array), intent(in)
#define OUT_1 type(parhelion_array), intent(in), optional
#define OUT_2 type(parhelion_array), intent(in), optional
#define OUT_3 type(parhelion_array), intent(in), optional
#define INDEX_1 type(parhelion_array), intent(in), optional
#define INDEX_2 type(parhelion_array), intent(in), optional
#define INDEX_OUT_1 type(parhelion_array), intent(in), optional
#define SET_1 describe_description
#define SET_2 describe_description
#define SET_3 describe_description
#define SET_4 describe_description
#define SET_INDEX_1 describe_description
#define SET_INDEX_2 describe_description
#include "solve.inc"

  !> Gives the status of a call to the caller, or stops the program where the caller does not ask for it.
  subroutine report(status, stat, errmsg)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable :: buffer(:)
    integer(c_size_t) :: needed

    if (present(stat)) stat = status
    if (status == parhelion_success) return
    allocate (buffer(1024))
    needed = parhelion_last_error_c(buffer, size(buffer, kind=c_size_t))
    if (needed > size(buffer)) then
      deallocate (buffer)
      allocate (buffer(needed))
      needed = parhelion_last_error_c(buffer, needed)
    end if
    call tell(status, fortran_text(buffer), stat, errmsg)
  end subroutine report

  !> Gives an error to the caller, or stops the program where the caller does not ask for its status.
  subroutine tell(status, message, stat, errmsg)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: message
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (present(stat)) stat = status
    if (present(errmsg)) errmsg = message
    if (present(stat)) return
    write (error_unit, "(2a)") "parhelion: ", message
    error stop 1
  end subroutine tell

  !> Whether an argument is there and less than what it has to be, which the caller is then told. The C interface would
  !! take it for another number, or for an absent one.
  logical function is_less(name, value, least, stat, errmsg)
    character(*), intent(in) :: name
    integer, intent(in), optional :: value
    integer, intent(in) :: least
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(80) :: text

    is_less = .false.
    if (present(value)) is_less = value < least
    if (.not. is_less) return
    write (text, "(a, i0, a, i0)") " = ", value, ", expected at least ", least
    call tell(parhelion_error_argument, name // trim(text), stat, errmsg)
  end function is_less

  !> Whether an argument that has to be positive is there and 0, by which the C interface means that it is absent. The
  !! caller is then told.
  logical function is_zero(name, value, stat, errmsg)
    character(*), intent(in) :: name
    real(c_double), intent(in), optional :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    is_zero = .false.
    if (present(value)) is_zero = abs(value) <= 0
    if (is_zero) call tell(parhelion_error_argument, name // " = 0, expected a positive number; it may be left out", &
                           stat, errmsg)
  end function is_zero

  function fortran_text(buffer) result(text)
    character(kind=c_char), intent(in) :: buffer(:)
    character(:), allocatable :: text
    integer :: i, n

    n = 0
    do while (n < size(buffer))
      if (buffer(n + 1) == c_null_char) exit
      n = n + 1
    end do
    allocate (character(n) :: text)
    do i = 1, n
      text(i:i) = buffer(i)
    end do
  end function fortran_text

  !> Sets an option of C to a text, which has to live as long as it is used, and to null without one.
  subroutine set_text(option, buffer, text)
    type(c_ptr), intent(out) :: option
    character(kind=c_char), allocatable, target, intent(out) :: buffer(:)
    character(*), intent(in), optional :: text
    integer :: i

    option = c_null_ptr
    if (.not. present(text)) return
    allocate (buffer(len_trim(text) + 1))
    do i = 1, len_trim(text)
      buffer(i) = text(i:i)
    end do
    buffer(size(buffer)) = c_null_char
    option = c_loc(buffer(1))
  end subroutine set_text

  pure function flag(yes) result(number)
    logical, intent(in), optional :: yes
    integer(c_int32_t) :: number

    number = 0
    if (present(yes)) number = merge(1_c_int32_t, 0_c_int32_t, yes)
  end function flag

  function stream_of(stream) result(pointer)
    type(c_ptr), intent(in), optional :: stream
    type(c_ptr) :: pointer

    pointer = c_null_ptr
    if (present(stream)) pointer = stream
  end function stream_of

end module parhelion
