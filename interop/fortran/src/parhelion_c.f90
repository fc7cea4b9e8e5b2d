! SPDX-License-Identifier: BSD-3-Clause
!> The C interface of parhelion, parhelion.h, for Fortran: its structs, constants and functions, and descriptions of
!! Fortran arrays. Programs use the module parhelion, which is made of this one.
module parhelion_c
  use, intrinsic :: iso_c_binding
  implicit none
  private :: begin_description, set_stride

  ! What functions return.
  enum, bind(C)
    enumerator :: parhelion_success = 0
    enumerator :: parhelion_error_argument = 1    !< an option has no such value, a pointer is null
    enumerator :: parhelion_error_shape = 2       !< type, rank, extents or strides of an array
    enumerator :: parhelion_error_value = 3       !< a value is impossible or outside the range of the model
    enumerator :: parhelion_error_state = 4       !< not created, finalized, or in use by another thread
    enumerator :: parhelion_error_device = 5      !< no such execution space or device, or the device failed
    enumerator :: parhelion_error_file = 6        !< a file is missing or bad
    enumerator :: parhelion_error_memory = 7      !< not enough memory
    enumerator :: parhelion_error_not_finite = 8  !< a result is not finite
    enumerator :: parhelion_error_internal = 9    !< an error of parhelion itself
  end enum

  integer(c_int32_t), parameter :: parhelion_float64 = 0, parhelion_float32 = 1, parhelion_int32 = 2
  integer(c_int32_t), parameter :: parhelion_host = 0, parhelion_device = 1
  integer(c_int32_t), parameter :: parhelion_surface_first = 0, parhelion_top_first = 1
  integer(c_int32_t), parameter :: parhelion_check_refuse = 0, parhelion_check_clip = 1, parhelion_check_trust = 2
  integer(c_int32_t), parameter :: parhelion_device_by_rank = 0, parhelion_device_current = 1
  integer(c_int32_t), parameter :: parhelion_gas_optics_of_file = 0, parhelion_gas_optics_simple = 1, &
                                   parhelion_gas_optics_rrtmg = 2, parhelion_gas_optics_rrtmgp = 3, &
                                   parhelion_gas_optics_ecckd = 4
  integer(c_int32_t), parameter :: parhelion_rrtmg_lw = 0, parhelion_simple = 1  !< older names
  integer(c_int32_t), parameter :: parhelion_clouds_none = 0, parhelion_clouds_of_layers = 1, &
                                   parhelion_clouds_of_gpoints = 2, parhelion_clouds_masked = 3
  integer(c_int32_t), parameter :: parhelion_level_temperatures_given = 0, parhelion_level_temperatures_interpolated = 1
  integer(c_int32_t), parameter :: parhelion_angles_optimal = -1
  integer(c_int32_t), parameter :: parhelion_scattering_none = 0, parhelion_scattering_rescaling = 1, &
                                   parhelion_scattering_two_stream = 2
  integer(c_int32_t), parameter :: parhelion_cloud_averaging_thick = 0, parhelion_cloud_averaging_thin = 1
  integer(c_int32_t), parameter :: parhelion_role_none = 0, parhelion_role_optional = 1, parhelion_role_default = 2, &
                                   parhelion_role_required = 3
  integer, parameter :: parhelion_ngas = 19  !< gases that parhelion knows, whose numbers begin with 1 in Fortran
  integer(c_int32_t), parameter :: parhelion_overlap_default = 0, parhelion_overlap_random = 1, &
                                   parhelion_overlap_maximum_random = 2, parhelion_overlap_maximum = 3, &
                                   parhelion_overlap_exponential = 4, parhelion_overlap_exponential_random = 5
  integer(c_int32_t), parameter :: parhelion_out_of_range_refuse = 0, parhelion_out_of_range_clip = 1, &
                                   parhelion_out_of_range_extrapolate = 2
  integer(c_int32_t), parameter :: parhelion_transmittance_exact = 0, parhelion_transmittance_table = 1
  integer(c_int32_t), parameter :: parhelion_two_stream_pifm = 0, parhelion_two_stream_eddington = 1, &
                                   parhelion_two_stream_quadrature = 2
  integer(c_int32_t), parameter :: parhelion_direct_scaled = 0, parhelion_direct_unscaled = 1
  integer(c_int32_t), parameter :: parhelion_aerosol_none = 0, parhelion_aerosol_types = 6, &
                                   parhelion_aerosol_optical = 10
  integer(c_int32_t), parameter :: parhelion_sun_kurucz_unscaled = -2, parhelion_sun_kurucz = -1, &
                                   parhelion_sun_mean_cycle = 0, parhelion_sun_cycle = 1, &
                                   parhelion_sun_indices = 2, parhelion_sun_scaled_bands = 3
  integer(c_int32_t), parameter :: parhelion_gas_grey = 0, parhelion_gas_grey_gases = 1, parhelion_gas_narrow_bands = 2
  integer(c_int32_t), parameter :: parhelion_origin_centre = 0, parhelion_origin_volume = 1
  integer(c_int32_t), parameter :: parhelion_directions_tiles = 0, parhelion_directions_shared = 1, &
                                   parhelion_directions_independent = 2
  integer(c_int32_t), parameter :: parhelion_side_wall = 0, parhelion_side_periodic = 1

  !> An array in memory of the caller, absent where `data` is null. Entry (i, j, ...) is at data + ((i - 1) * stride(1)
  !! + (j - 1) * stride(2) + ...) * (size of an entry).
  type, bind(C) :: parhelion_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int32_t) :: type = parhelion_float64
    integer(c_int32_t) :: where = parhelion_host
    integer(c_int32_t) :: device = 0
    integer(c_int32_t) :: rank = 0
    integer(c_int64_t) :: extent(4) = 0
    integer(c_int64_t) :: stride(4) = 0  !< [entries]
  end type parhelion_array

  type, bind(C) :: parhelion_settings
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: device = 0
    integer(c_int32_t) :: device_by = parhelion_device_by_rank
    integer(c_int32_t) :: threads = 0
  end type parhelion_settings

  type, bind(C) :: parhelion_longwave_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: space = c_null_ptr
    integer(c_int32_t) :: precision = 0
    integer(c_int32_t) :: model = 0
    type(c_ptr) :: coefficients = c_null_ptr
    integer(c_int32_t) :: vertical_order = 0
    integer(c_int64_t) :: ncol = 0
    integer(c_int64_t) :: nlay = 0
    integer(c_int32_t) :: clouds = 0
    integer(c_int32_t) :: cloud_optical_depth = 0
    integer(c_int32_t) :: aerosol = 0
    integer(c_int32_t) :: clear = 0
    integer(c_int32_t) :: derivative = 0
    integer(c_int32_t) :: bands = 0
    integer(c_int32_t) :: overlap = 0
    integer(c_int32_t) :: transmittance = 0
    integer(c_int32_t) :: extra_layer = 0
    integer(c_int32_t) :: checks = 0
    integer(c_int32_t) :: out_of_range = 0
    real(c_double) :: heat_capacity = 0
    real(c_double) :: gravity = 0
    integer(c_int64_t) :: chunk = 0
    integer(c_int32_t) :: devices = 0
    type(c_ptr) :: cloud_optics = c_null_ptr
    type(c_ptr) :: aerosol_optics = c_null_ptr
    type(c_ptr) :: gases = c_null_ptr
    integer(c_int32_t) :: level_temperatures = 0
    integer(c_int32_t) :: angles = 0
    integer(c_int32_t) :: scattering = 0
    integer(c_int32_t) :: ice_roughness = 0
    type(c_ptr) :: droplet_scattering = c_null_ptr
    type(c_ptr) :: ice_scattering = c_null_ptr
    integer(c_int32_t) :: cloud_averaging = 0
    integer(c_int32_t) :: incident_flux = 0
  end type parhelion_longwave_options

  type, bind(C) :: parhelion_longwave_input
    integer(c_size_t) :: size = 0
    type(parhelion_array) :: pressure_lay
    type(parhelion_array) :: pressure_lev
    type(parhelion_array) :: temperature_lay
    type(parhelion_array) :: temperature_lev
    type(parhelion_array) :: temperature_sfc
    type(parhelion_array) :: emissivity_sfc
    type(parhelion_array) :: gases(11)
    type(parhelion_array) :: aerosol
    type(parhelion_array) :: fraction
    type(parhelion_array) :: ice_path
    type(parhelion_array) :: liquid_path
    type(parhelion_array) :: decorrelation_length
    type(parhelion_array) :: fraction_gpt
    type(parhelion_array) :: ice_path_gpt
    type(parhelion_array) :: liquid_path_gpt
    type(parhelion_array) :: optical_depth_gpt
    type(parhelion_array) :: ice_size
    type(parhelion_array) :: liquid_size
    type(parhelion_array) :: cloud_input
    type(parhelion_array) :: ice_optics
    type(parhelion_array) :: liquid_optics
    integer(c_int64_t) :: seed = 0
    integer(c_int32_t) :: first_column = 0
    real(c_double) :: pressure_factor = 0, path_factor = 0, particle_size_factor = 0
    type(parhelion_array) :: more_gases(8)
    type(parhelion_array) :: aerosol_type
    type(parhelion_array) :: aerosol_size
    type(parhelion_array) :: aerosol_mass
    type(parhelion_array) :: relative_humidity
    type(parhelion_array) :: incident_flux
  end type parhelion_longwave_input

  type, bind(C) :: parhelion_longwave_output
    integer(c_size_t) :: size = 0
    type(parhelion_array) :: flux_up
    type(parhelion_array) :: flux_dn
    type(parhelion_array) :: heating_rate
    type(parhelion_array) :: flux_up_clear
    type(parhelion_array) :: flux_dn_clear
    type(parhelion_array) :: heating_rate_clear
    type(parhelion_array) :: dflux_up_dt
    type(parhelion_array) :: dflux_up_clear_dt
    type(parhelion_array) :: flux_up_band
    type(parhelion_array) :: flux_dn_band
    type(parhelion_array) :: surface_share
  end type parhelion_longwave_output

  type, bind(C) :: parhelion_shortwave_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: space = c_null_ptr
    integer(c_int32_t) :: precision = 0
    integer(c_int32_t) :: vertical_order = 0
    type(c_ptr) :: coefficients = c_null_ptr
    integer(c_int64_t) :: ncol = 0
    integer(c_int64_t) :: nlay = 0
    integer(c_int32_t) :: clouds = 0
    integer(c_int32_t) :: cloud_optical_properties = 0
    integer(c_int32_t) :: aerosol_optical = 0
    integer(c_int32_t) :: aerosol_types = 0
    integer(c_int32_t) :: clear = 0
    integer(c_int32_t) :: parts = 0
    integer(c_int32_t) :: bands = 0
    integer(c_int32_t) :: overlap = 0
    integer(c_int32_t) :: transmittance = 0
    integer(c_int32_t) :: two_stream = 0
    integer(c_int32_t) :: direct = 0
    integer(c_int32_t) :: band28_level = 0
    integer(c_int32_t) :: checks = 0
    integer(c_int32_t) :: out_of_range = 0
    real(c_double) :: heat_capacity = 0
    real(c_double) :: gravity = 0
    integer(c_int64_t) :: chunk = 0
    integer(c_int32_t) :: devices = 0
    type(c_ptr) :: cloud_optics = c_null_ptr
    type(c_ptr) :: aerosol_optics = c_null_ptr
    type(c_ptr) :: gases = c_null_ptr
    integer(c_int32_t) :: model = 0
    integer(c_int32_t) :: level_temperatures = 0
    integer(c_int32_t) :: ice_roughness = 0
    type(c_ptr) :: droplet_scattering = c_null_ptr
    type(c_ptr) :: ice_scattering = c_null_ptr
    integer(c_int32_t) :: cloud_averaging = 0
  end type parhelion_shortwave_options

  type, bind(C) :: parhelion_shortwave_input
    integer(c_size_t) :: size = 0
    type(parhelion_array) :: pressure_lay
    type(parhelion_array) :: pressure_lev
    type(parhelion_array) :: temperature_lay
    type(parhelion_array) :: temperature_lev
    type(parhelion_array) :: gases(11)
    type(parhelion_array) :: cos_zenith
    type(parhelion_array) :: albedo_direct
    type(parhelion_array) :: albedo_diffuse
    type(parhelion_array) :: solar_weights
    type(parhelion_array) :: solar_band_factors
    type(parhelion_array) :: aerosol_optical_depth
    type(parhelion_array) :: aerosol_single_scattering_albedo
    type(parhelion_array) :: aerosol_asymmetry
    type(parhelion_array) :: aerosol_550nm
    type(parhelion_array) :: aerosol_input
    type(parhelion_array) :: fraction
    type(parhelion_array) :: ice_path
    type(parhelion_array) :: liquid_path
    type(parhelion_array) :: decorrelation_length
    type(parhelion_array) :: fraction_gpt
    type(parhelion_array) :: ice_path_gpt
    type(parhelion_array) :: liquid_path_gpt
    type(parhelion_array) :: optical_depth_gpt
    type(parhelion_array) :: single_scattering_albedo_gpt
    type(parhelion_array) :: asymmetry_gpt
    type(parhelion_array) :: forward_fraction_gpt
    type(parhelion_array) :: ice_size
    type(parhelion_array) :: liquid_size
    type(parhelion_array) :: cloud_input
    type(parhelion_array) :: ice_optics
    type(parhelion_array) :: liquid_optics
    integer(c_int64_t) :: seed = 0
    integer(c_int32_t) :: first_column = 0
    real(c_double) :: pressure_factor = 0
    real(c_double) :: path_factor = 0
    real(c_double) :: particle_size_factor = 0
    integer(c_int32_t) :: sun = 0
    integer(c_int32_t) :: day_of_year = 0
    real(c_double) :: total_irradiance = 0
    real(c_double) :: distance_factor = 0
    type(c_ptr) :: solar_indices = c_null_ptr
    type(c_ptr) :: cycle_fraction = c_null_ptr
    type(c_ptr) :: band_factors = c_null_ptr
    type(parhelion_array) :: more_gases(8)
    type(parhelion_array) :: aerosol_type
    type(parhelion_array) :: aerosol_size
    type(parhelion_array) :: aerosol_mass
    type(parhelion_array) :: relative_humidity
  end type parhelion_shortwave_input

  type, bind(C) :: parhelion_shortwave_output
    integer(c_size_t) :: size = 0
    type(parhelion_array) :: flux_up
    type(parhelion_array) :: flux_dn
    type(parhelion_array) :: flux_dn_direct
    type(parhelion_array) :: heating_rate
    type(parhelion_array) :: flux_dn_uvvis
    type(parhelion_array) :: flux_dn_nir
    type(parhelion_array) :: flux_dn_direct_uvvis
    type(parhelion_array) :: flux_dn_direct_nir
    type(parhelion_array) :: flux_up_clear
    type(parhelion_array) :: flux_dn_clear
    type(parhelion_array) :: flux_dn_direct_clear
    type(parhelion_array) :: heating_rate_clear
    type(parhelion_array) :: flux_dn_uvvis_clear
    type(parhelion_array) :: flux_dn_nir_clear
    type(parhelion_array) :: flux_dn_direct_uvvis_clear
    type(parhelion_array) :: flux_dn_direct_nir_clear
    type(parhelion_array) :: flux_up_band
    type(parhelion_array) :: flux_dn_band
    type(parhelion_array) :: flux_dn_direct_band
  end type parhelion_shortwave_output

  type, bind(C) :: parhelion_model
    integer(c_size_t) :: size = 0
    character(kind=c_char) :: name(32) = c_null_char
    integer(c_int32_t) :: gas_optics = 0
    integer(c_int32_t) :: uses_levels = 0
    integer(c_int64_t) :: nband = 0
    integer(c_int64_t) :: ngpoint = 0
    real(c_double) :: temperature(2) = 0
    real(c_double) :: low_pressure = 0
    real(c_double) :: lowest_temperature = 0
    real(c_double) :: pressure(2) = 0
    real(c_double) :: level_pressure(2) = 0
    real(c_double) :: mole_ratio(2) = 0
    real(c_double) :: liquid_size(2) = 0
    real(c_double) :: ice_size(2) = 0
    real(c_double) :: aerosol_size(2) = 0
    real(c_double) :: total_irradiance = 0
  end type parhelion_model

  type, bind(C) :: parhelion_adding_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: space = c_null_ptr
    integer(c_int32_t) :: precision = 0
    integer(c_int32_t) :: vertical_order = 0
    integer(c_int64_t) :: chunk = 0
    integer(c_int32_t) :: devices = 0
  end type parhelion_adding_options

  type, bind(C) :: parhelion_adding_input
    integer(c_size_t) :: size = 0
    type(parhelion_array) :: optical_depth
    type(parhelion_array) :: transmittance
    type(parhelion_array) :: planck
    type(parhelion_array) :: mu
    type(parhelion_array) :: weight
    type(parhelion_array) :: planck_sfc
    type(parhelion_array) :: emissivity
    type(parhelion_array) :: specular_reflectivity
    type(parhelion_array) :: reflectivity
    type(parhelion_array) :: cosmic
    type(parhelion_array) :: cos_sun
    type(parhelion_array) :: solar_irradiance
    type(parhelion_array) :: direct_reflectivity
    type(parhelion_array) :: single_scattering_albedo
    type(parhelion_array) :: phase
    type(parhelion_array) :: phase_forward
    type(parhelion_array) :: phase_backward
  end type parhelion_adding_input

  type, bind(C) :: parhelion_adding_output
    integer(c_size_t) :: size = 0
    type(parhelion_array) :: toa
    type(parhelion_array) :: up
    type(parhelion_array) :: dn
    type(parhelion_array) :: up_emergent
  end type parhelion_adding_output

  type, bind(C) :: parhelion_spectra_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: space = c_null_ptr
    integer(c_int32_t) :: precision = 0
    type(c_ptr) :: control = c_null_ptr
    type(c_ptr) :: tables = c_null_ptr
    type(c_ptr) :: continua = c_null_ptr
    integer(c_int32_t) :: missing_tables_allowed = 0
    integer(c_int32_t) :: out_of_range = 0
    integer(c_int64_t) :: memory_limit = 0
    integer(c_int64_t) :: chunk = 0
    integer(c_int32_t) :: devices = 0
  end type parhelion_spectra_options

  type, bind(C) :: parhelion_spectra_input
    integer(c_size_t) :: size = 0
    type(parhelion_array) :: altitude
    type(parhelion_array) :: pressure
    type(parhelion_array) :: temperature
    type(parhelion_array) :: mole_fraction
    type(parhelion_array) :: extinction
    type(parhelion_array) :: cloud_height
    type(parhelion_array) :: cloud_depth
    type(parhelion_array) :: cloud_extinction
    type(parhelion_array) :: surface_altitude
    type(parhelion_array) :: surface_pressure
    type(parhelion_array) :: surface_temperature
    type(parhelion_array) :: surface_emissivity
    type(parhelion_array) :: time
    type(parhelion_array) :: observer_altitude
    type(parhelion_array) :: observer_longitude
    type(parhelion_array) :: observer_latitude
    type(parhelion_array) :: view_point_altitude
    type(parhelion_array) :: view_point_longitude
    type(parhelion_array) :: view_point_latitude
    type(parhelion_array) :: profile
  end type parhelion_spectra_input

  type, bind(C) :: parhelion_spectra_output
    integer(c_size_t) :: size = 0
    type(parhelion_array) :: radiance
    type(parhelion_array) :: transmittance
    type(parhelion_array) :: npoint
    type(parhelion_array) :: tangent_altitude
    type(parhelion_array) :: tangent_longitude
    type(parhelion_array) :: tangent_latitude
  end type parhelion_spectra_output

  type, bind(C) :: parhelion_monte_carlo_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: space = c_null_ptr
    integer(c_int32_t) :: precision = 0
    integer(c_int32_t) :: gas = 0
    real(c_double) :: absorption = 0
    type(c_ptr) :: narrow_bands = c_null_ptr
    integer(c_int64_t) :: rays = 0
    integer(c_int64_t) :: repetitions = 0
    integer(c_int64_t) :: seed = 0
    integer(c_int32_t) :: ray_origin = 0
    integer(c_int32_t) :: out_of_range = 0
    real(c_double) :: target_error = 0
    integer(c_int64_t) :: max_repetitions = 0
    integer(c_int32_t) :: directions = 0
    integer(c_int32_t) :: devices = 0
  end type parhelion_monte_carlo_options

  type, bind(C) :: parhelion_side
    integer(c_int32_t) :: type = 0
    real(c_double) :: reflectivity = 0
    real(c_double) :: temperature = 0
    type(parhelion_array) :: face_temperature
  end type parhelion_side

  type, bind(C) :: parhelion_monte_carlo_input
    integer(c_size_t) :: size = 0
    type(parhelion_array) :: x, y, z
    type(parhelion_array) :: temperature
    type(parhelion_array) :: mole_fraction
    real(c_double) :: pressure = 0
    type(parhelion_side) :: sides(6)
  end type parhelion_monte_carlo_input

  type, bind(C) :: parhelion_monte_carlo_output
    integer(c_size_t) :: size = 0
    type(parhelion_array) :: q
    type(parhelion_array) :: q_error
    type(parhelion_array) :: incident
    type(parhelion_array) :: wall_flux(6)
    type(parhelion_array) :: wall_flux_error(6)
    type(c_ptr) :: reached_error = c_null_ptr
    type(c_ptr) :: repetitions = c_null_ptr
    type(parhelion_array) :: q_plane_error_x, q_plane_error_y, q_plane_error_z
    type(parhelion_array) :: q_box_error
  end type parhelion_monte_carlo_output

  interface
    function parhelion_version_c() bind(C, name="parhelion_version") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function

    function parhelion_last_error_c(text, size) bind(C, name="parhelion_last_error") result(needed)
      import :: c_char, c_size_t
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
      integer(c_size_t) :: needed
    end function

    function parhelion_initialize_c(settings) bind(C, name="parhelion_initialize") result(status)
      import :: c_int, parhelion_settings
      type(parhelion_settings), intent(in) :: settings
      integer(c_int) :: status
    end function

    function parhelion_finalize_c() bind(C, name="parhelion_finalize") result(status)
      import :: c_int
      integer(c_int) :: status
    end function

    function parhelion_longwave_create(options, object) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_longwave_options
      type(parhelion_longwave_options), intent(in) :: options
      type(c_ptr), intent(out) :: object
      integer(c_int) :: status
    end function

    function parhelion_longwave_bytes(object, host, device) bind(C) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: object
      integer(c_size_t), intent(out) :: host, device
      integer(c_int) :: status
    end function

    function parhelion_longwave_solve(object, input, output, stream) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_longwave_input, parhelion_longwave_output
      type(c_ptr), value :: object
      type(parhelion_longwave_input), intent(in) :: input
      type(parhelion_longwave_output), intent(in) :: output
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function

    function parhelion_longwave_destroy(object) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
      integer(c_int) :: status
    end function

    function parhelion_shortwave_create(options, object) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_shortwave_options
      type(parhelion_shortwave_options), intent(in) :: options
      type(c_ptr), intent(out) :: object
      integer(c_int) :: status
    end function

    function parhelion_shortwave_bytes(object, host, device) bind(C) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: object
      integer(c_size_t), intent(out) :: host, device
      integer(c_int) :: status
    end function

    function parhelion_shortwave_solve(object, input, output, stream) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_shortwave_input, parhelion_shortwave_output
      type(c_ptr), value :: object
      type(parhelion_shortwave_input), intent(in) :: input
      type(parhelion_shortwave_output), intent(in) :: output
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function

    function parhelion_shortwave_destroy(object) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
      integer(c_int) :: status
    end function

    function parhelion_adding_create(options, object) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_adding_options
      type(parhelion_adding_options), intent(in) :: options
      type(c_ptr), intent(out) :: object
      integer(c_int) :: status
    end function

    function parhelion_adding_bytes(object, host, device) bind(C) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: object
      integer(c_size_t), intent(out) :: host, device
      integer(c_int) :: status
    end function

    function parhelion_adding_solve(object, input, output, stream) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_adding_input, parhelion_adding_output
      type(c_ptr), value :: object
      type(parhelion_adding_input), intent(in) :: input
      type(parhelion_adding_output), intent(in) :: output
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function

    function parhelion_adding_destroy(object) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
      integer(c_int) :: status
    end function

    function parhelion_spectra_create(options, object) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_spectra_options
      type(parhelion_spectra_options), intent(in) :: options
      type(c_ptr), intent(out) :: object
      integer(c_int) :: status
    end function

    function parhelion_spectra_bytes(object, host, device) bind(C) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: object
      integer(c_size_t), intent(out) :: host, device
      integer(c_int) :: status
    end function

    function parhelion_spectra_solve(object, input, output, stream) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_spectra_input, parhelion_spectra_output
      type(c_ptr), value :: object
      type(parhelion_spectra_input), intent(in) :: input
      type(parhelion_spectra_output), intent(in) :: output
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function

    function parhelion_spectra_destroy(object) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
      integer(c_int) :: status
    end function

    function parhelion_monte_carlo_create(options, object) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_monte_carlo_options
      type(parhelion_monte_carlo_options), intent(in) :: options
      type(c_ptr), intent(out) :: object
      integer(c_int) :: status
    end function

    function parhelion_monte_carlo_bytes(object, host, device) bind(C) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: object
      integer(c_size_t), intent(out) :: host, device
      integer(c_int) :: status
    end function

    function parhelion_monte_carlo_solve(object, input, output, stream) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_monte_carlo_input, parhelion_monte_carlo_output
      type(c_ptr), value :: object
      type(parhelion_monte_carlo_input), intent(in) :: input
      type(parhelion_monte_carlo_output), intent(in) :: output
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function

    function parhelion_monte_carlo_destroy(object) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
      integer(c_int) :: status
    end function

    function parhelion_longwave_status(object) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
      integer(c_int) :: status
    end function

    function parhelion_adding_status(object) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
      integer(c_int) :: status
    end function

    function parhelion_spectra_status(object) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
      integer(c_int) :: status
    end function

    function parhelion_monte_carlo_status(object) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
      integer(c_int) :: status
    end function

    function parhelion_longwave_counts(object, text, size, count) bind(C) result(status)
      import :: c_char, c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: object
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
      integer(c_int64_t), intent(out) :: count
      integer(c_int) :: status
    end function

    function parhelion_shortwave_status(object) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: object
      integer(c_int) :: status
    end function

    function parhelion_shortwave_counts(object, text, size, count) bind(C) result(status)
      import :: c_char, c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: object
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
      integer(c_int64_t), intent(out) :: count
      integer(c_int) :: status
    end function

    function parhelion_longwave_model(object, model) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_model
      type(c_ptr), value :: object
      type(parhelion_model), intent(inout) :: model
      integer(c_int) :: status
    end function

    function parhelion_longwave_bands(object, wavenumber_low, wavenumber_high) bind(C) result(status)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: object
      real(c_double), intent(inout) :: wavenumber_low(*), wavenumber_high(*)
      integer(c_int) :: status
    end function

    function parhelion_longwave_interval_weights(object, between, nbetween, weights) bind(C) result(status)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: object
      real(c_double), intent(in) :: between(*)
      integer(c_int64_t), value :: nbetween
      real(c_double), intent(inout) :: weights(*)
      integer(c_int) :: status
    end function

    function parhelion_longwave_gas(object, gas, role, default_mole_ratio) bind(C) result(status)
      import :: c_double, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: object
      integer(c_int32_t), value :: gas
      integer(c_int32_t), intent(inout) :: role
      real(c_double), intent(inout) :: default_mole_ratio
      integer(c_int) :: status
    end function

    function parhelion_longwave_missing(object, input, text, size, count) bind(C) result(status)
      import :: c_char, c_int, c_int64_t, c_ptr, c_size_t, parhelion_longwave_input
      type(c_ptr), value :: object
      type(parhelion_longwave_input), intent(in) :: input
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
      integer(c_int64_t), intent(inout) :: count
      integer(c_int) :: status
    end function

    function parhelion_shortwave_model(object, model) bind(C) result(status)
      import :: c_int, c_ptr, parhelion_model
      type(c_ptr), value :: object
      type(parhelion_model), intent(inout) :: model
      integer(c_int) :: status
    end function

    function parhelion_shortwave_bands(object, wavenumber_low, wavenumber_high) bind(C) result(status)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: object
      real(c_double), intent(inout) :: wavenumber_low(*), wavenumber_high(*)
      integer(c_int) :: status
    end function

    function parhelion_shortwave_interval_weights(object, between, nbetween, weights) bind(C) result(status)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: object
      real(c_double), intent(in) :: between(*)
      integer(c_int64_t), value :: nbetween
      real(c_double), intent(inout) :: weights(*)
      integer(c_int) :: status
    end function

    function parhelion_shortwave_gas(object, gas, role, default_mole_ratio) bind(C) result(status)
      import :: c_double, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: object
      integer(c_int32_t), value :: gas
      integer(c_int32_t), intent(inout) :: role
      real(c_double), intent(inout) :: default_mole_ratio
      integer(c_int) :: status
    end function

    function parhelion_shortwave_missing(object, input, text, size, count) bind(C) result(status)
      import :: c_char, c_int, c_int64_t, c_ptr, c_size_t, parhelion_shortwave_input
      type(c_ptr), value :: object
      type(parhelion_shortwave_input), intent(in) :: input
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
      integer(c_int64_t), intent(inout) :: count
      integer(c_int) :: status
    end function

    function parhelion_shortwave_sun_c(input, weights, band_factors) bind(C, name="parhelion_shortwave_sun") &
        result(status)
      import :: c_double, c_int, parhelion_shortwave_input
      type(parhelion_shortwave_input), intent(in) :: input
      real(c_double), intent(inout) :: weights(4), band_factors(14)
      integer(c_int) :: status
    end function

    function parhelion_shortwave_sun_of(object, input, weights, band_factors) bind(C) result(status)
      import :: c_double, c_int, c_ptr, parhelion_shortwave_input
      type(c_ptr), value :: object
      type(parhelion_shortwave_input), intent(in) :: input
      real(c_double), intent(inout) :: weights(4), band_factors(14)
      integer(c_int) :: status
    end function

    function parhelion_gas_name_c(gas) bind(C, name="parhelion_gas_name") result(name)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: gas
      type(c_ptr) :: name
    end function

    function parhelion_find_gas_c(name, gas) bind(C, name="parhelion_find_gas") result(status)
      import :: c_char, c_int, c_int32_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t), intent(inout) :: gas
      integer(c_int) :: status
    end function

    function parhelion_spectra_sizes(object, ngas, nchannel) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: object
      integer(c_int64_t), intent(out) :: ngas, nchannel
      integer(c_int) :: status
    end function

    function parhelion_spectra_gas(object, gas, text, size) bind(C) result(status)
      import :: c_char, c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: object
      integer(c_int64_t), value :: gas
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
      integer(c_int) :: status
    end function

    function parhelion_spectra_wavenumber(object, channel, wavenumber) bind(C) result(status)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: object
      integer(c_int64_t), value :: channel
      real(c_double), intent(out) :: wavenumber
      integer(c_int) :: status
    end function
  end interface

contains

  ! describe_TYPE_RANK(description, a) describes an array of the host as it lies in memory, without a copy. An array
  ! that is not present or that has no entries is described as absent. A dimension with one entry gets the stride that
  ! it would have in an array without gaps, since callers declare arrays that are longer than they say.

  !> An array on a device, or any other of which only the address is known.
  !! \param address of its first entry, such as c_loc() in a region `host_data use_device` of OpenACC
  !! \param type    parhelion_float64, parhelion_float32 or parhelion_int32
  !! \param extent  of each dimension, the fastest first unless stride says otherwise
  !! \param stride  [entries]; absent: without gaps, as Fortran lays out arrays
  !! \param device  number of the device, from 0; absent: the array is on the host
  function parhelion_array_at(address, type, extent, stride, device) result(description)
    type(c_ptr), intent(in) :: address
    integer(c_int32_t), intent(in) :: type
    integer, intent(in) :: extent(:)
    integer, intent(in), optional :: stride(:)
    integer, intent(in), optional :: device
    type(parhelion_array) :: description
    integer(c_int64_t) :: extents(4)
    integer :: dimension, rank

    rank = min(size(extent), 4)
    do dimension = 1, rank
      extents(dimension) = extent(dimension)
    end do
    call begin_description(description, address, type, extents(:rank))
    if (present(stride)) then
      do dimension = 1, min(size(stride), 4)
        description%stride(dimension) = stride(dimension)
      end do
    end if
    if (present(device)) then
      description%where = parhelion_device
      description%device = int(device, c_int32_t)
    end if
  end function parhelion_array_at

  subroutine describe_description(description, a)
    type(parhelion_array), intent(inout) :: description
    type(parhelion_array), intent(in), optional :: a

    if (present(a)) description = a
  end subroutine describe_description

  subroutine describe_real32_1(description, a)
    type(parhelion_array), intent(inout) :: description
    real(c_float), intent(in), optional, target :: a(:)

    if (.not. present(a)) return
    if (size(a) == 0) return
    call begin_description(description, c_loc(a(1)), parhelion_float32, shape(a, c_int64_t))
    if (size(a, 1) > 1) call set_stride(description, 1, c_loc(a(2)))
  end subroutine describe_real32_1

  subroutine describe_real32_2(description, a)
    type(parhelion_array), intent(inout) :: description
    real(c_float), intent(in), optional, target :: a(:, :)

    if (.not. present(a)) return
    if (size(a) == 0) return
    call begin_description(description, c_loc(a(1, 1)), parhelion_float32, shape(a, c_int64_t))
    if (size(a, 1) > 1) call set_stride(description, 1, c_loc(a(2, 1)))
    if (size(a, 2) > 1) call set_stride(description, 2, c_loc(a(1, 2)))
  end subroutine describe_real32_2

  subroutine describe_real32_3(description, a)
    type(parhelion_array), intent(inout) :: description
    real(c_float), intent(in), optional, target :: a(:, :, :)

    if (.not. present(a)) return
    if (size(a) == 0) return
    call begin_description(description, c_loc(a(1, 1, 1)), parhelion_float32, shape(a, c_int64_t))
    if (size(a, 1) > 1) call set_stride(description, 1, c_loc(a(2, 1, 1)))
    if (size(a, 2) > 1) call set_stride(description, 2, c_loc(a(1, 2, 1)))
    if (size(a, 3) > 1) call set_stride(description, 3, c_loc(a(1, 1, 2)))
  end subroutine describe_real32_3

  subroutine describe_real32_4(description, a)
    type(parhelion_array), intent(inout) :: description
    real(c_float), intent(in), optional, target :: a(:, :, :, :)

    if (.not. present(a)) return
    if (size(a) == 0) return
    call begin_description(description, c_loc(a(1, 1, 1, 1)), parhelion_float32, shape(a, c_int64_t))
    if (size(a, 1) > 1) call set_stride(description, 1, c_loc(a(2, 1, 1, 1)))
    if (size(a, 2) > 1) call set_stride(description, 2, c_loc(a(1, 2, 1, 1)))
    if (size(a, 3) > 1) call set_stride(description, 3, c_loc(a(1, 1, 2, 1)))
    if (size(a, 4) > 1) call set_stride(description, 4, c_loc(a(1, 1, 1, 2)))
  end subroutine describe_real32_4

  subroutine describe_real64_1(description, a)
    type(parhelion_array), intent(inout) :: description
    real(c_double), intent(in), optional, target :: a(:)

    if (.not. present(a)) return
    if (size(a) == 0) return
    call begin_description(description, c_loc(a(1)), parhelion_float64, shape(a, c_int64_t))
    if (size(a, 1) > 1) call set_stride(description, 1, c_loc(a(2)))
  end subroutine describe_real64_1

  subroutine describe_real64_2(description, a)
    type(parhelion_array), intent(inout) :: description
    real(c_double), intent(in), optional, target :: a(:, :)

    if (.not. present(a)) return
    if (size(a) == 0) return
    call begin_description(description, c_loc(a(1, 1)), parhelion_float64, shape(a, c_int64_t))
    if (size(a, 1) > 1) call set_stride(description, 1, c_loc(a(2, 1)))
    if (size(a, 2) > 1) call set_stride(description, 2, c_loc(a(1, 2)))
  end subroutine describe_real64_2

  subroutine describe_real64_3(description, a)
    type(parhelion_array), intent(inout) :: description
    real(c_double), intent(in), optional, target :: a(:, :, :)

    if (.not. present(a)) return
    if (size(a) == 0) return
    call begin_description(description, c_loc(a(1, 1, 1)), parhelion_float64, shape(a, c_int64_t))
    if (size(a, 1) > 1) call set_stride(description, 1, c_loc(a(2, 1, 1)))
    if (size(a, 2) > 1) call set_stride(description, 2, c_loc(a(1, 2, 1)))
    if (size(a, 3) > 1) call set_stride(description, 3, c_loc(a(1, 1, 2)))
  end subroutine describe_real64_3

  subroutine describe_real64_4(description, a)
    type(parhelion_array), intent(inout) :: description
    real(c_double), intent(in), optional, target :: a(:, :, :, :)

    if (.not. present(a)) return
    if (size(a) == 0) return
    call begin_description(description, c_loc(a(1, 1, 1, 1)), parhelion_float64, shape(a, c_int64_t))
    if (size(a, 1) > 1) call set_stride(description, 1, c_loc(a(2, 1, 1, 1)))
    if (size(a, 2) > 1) call set_stride(description, 2, c_loc(a(1, 2, 1, 1)))
    if (size(a, 3) > 1) call set_stride(description, 3, c_loc(a(1, 1, 2, 1)))
    if (size(a, 4) > 1) call set_stride(description, 4, c_loc(a(1, 1, 1, 2)))
  end subroutine describe_real64_4

  subroutine describe_int32_1(description, a)
    type(parhelion_array), intent(inout) :: description
    integer(c_int32_t), intent(in), optional, target :: a(:)

    if (.not. present(a)) return
    if (size(a) == 0) return
    call begin_description(description, c_loc(a(1)), parhelion_int32, shape(a, c_int64_t))
    if (size(a, 1) > 1) call set_stride(description, 1, c_loc(a(2)))
  end subroutine describe_int32_1

  subroutine describe_int32_2(description, a)
    type(parhelion_array), intent(inout) :: description
    integer(c_int32_t), intent(in), optional, target :: a(:, :)

    if (.not. present(a)) return
    if (size(a) == 0) return
    call begin_description(description, c_loc(a(1, 1)), parhelion_int32, shape(a, c_int64_t))
    if (size(a, 1) > 1) call set_stride(description, 1, c_loc(a(2, 1)))
    if (size(a, 2) > 1) call set_stride(description, 2, c_loc(a(1, 2)))
  end subroutine describe_int32_2
  subroutine begin_description(description, data, type, extent)
    type(parhelion_array), intent(inout) :: description
    type(c_ptr), intent(in) :: data
    integer(c_int32_t), intent(in) :: type
    integer(c_int64_t), intent(in) :: extent(:)
    integer :: dimension

    description%data = data
    description%type = type
    description%where = parhelion_host
    description%rank = size(extent, kind=c_int32_t)
    description%extent = 0
    description%stride = 0
    do dimension = 1, min(size(extent), 4)
      description%extent(dimension) = extent(dimension)
      description%stride(dimension) = product(extent(:dimension - 1))
    end do
  end subroutine begin_description

  !> Sets the stride of a dimension, and of those behind it that it implies, from the address of its second entry.
  subroutine set_stride(description, dimension, second)
    type(parhelion_array), intent(inout) :: description
    integer, intent(in) :: dimension
    type(c_ptr), intent(in) :: second
    integer(c_int64_t) :: bytes, entry
    integer :: d

    entry = merge(8, 4, description%type == parhelion_float64)
    bytes = transfer(second, 0_c_intptr_t) - transfer(description%data, 0_c_intptr_t)
    ! Entries of a derived type may lie at distances that are no multiple of their size: no such stride can be told.
    if (modulo(bytes, entry) /= 0) description%type = -1
    description%stride(dimension) = bytes / entry
    do d = dimension + 1, description%rank
      description%stride(d) = description%stride(d - 1) * description%extent(d - 1)
    end do
  end subroutine set_stride

end module parhelion_c
