/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * \file
 * The C interface of parhelion: radiative transfer on hosts and GPUs.
 *
 * Every function that can fail returns a status: PARHELION_SUCCESS, or another value of parhelion_status, and then
 * parhelion_last_error() gives the message for the calling thread. Nothing is thrown across this interface.
 *
 * Structs begin with their size, `.size = sizeof(the struct)`, so that they can grow: members that a caller's older
 * header does not have count as 0. A struct that is 0 apart from its size holds the default of every option, and no
 * array.
 *
 * Arrays are described by parhelion_array, with any strides, like those of DLPack. The order of their indices is the
 * one in the comment of each array; a Fortran array has the same indices in the same order with stride[0] = 1. Layer 0
 * is next to the surface, and level k is the lower boundary of layer k, unless the vertical order of the object is
 * PARHELION_TOP_FIRST. Units are those of the SI except where a comment says otherwise.
 *
 * An object serves one call at a time; several threads may call at the same time with an object each, also inside a
 * parallel region of OpenMP. On a host a call from inside a region computes with the calling thread alone, any other
 * with all threads; results have the same bits. The first call of an object from inside, if it was made outside, or the
 * other way round, allocates memory of its own. Calls from regions inside regions cost the start of a thread.
 *
 * The arrays of a call are all on the host or all on one device, the one where the object computes. With host arrays a
 * call returns when the results are written. With device arrays it enqueues its work in the order of `stream`, a
 * cudaStream_t or hipStream_t (NULL: the default stream), and returns; no array is copied to the host. Apart from
 * types, shapes and strides nothing is looked at then: values must be such as calls with host arrays accept, indices
 * must exist, and the options `checks` and `out_of_range` have no effect unless a comment says so. The functions
 * parhelion_..._status() tell later whether all results are finite. A call that first has to allocate or to make tables
 * waits for that. Calls of one object that follow each other on different streams wait for each other. A device that
 * shares memory with the host has host arrays.
 */
#ifndef PARHELION_H
#define PARHELION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define PARHELION_API
#else
#define PARHELION_API __attribute__((visibility("default")))
#endif

/** What a function returns. */
typedef enum parhelion_status {
  PARHELION_SUCCESS = 0,
  PARHELION_ERROR_ARGUMENT = 1,   /**< a pointer is null, a struct has no size, an option has no such value */
  PARHELION_ERROR_SHAPE = 2,      /**< type, rank, extents or strides of an array */
  PARHELION_ERROR_VALUE = 3,      /**< a value is impossible or outside the range of the model */
  PARHELION_ERROR_STATE = 4,      /**< not initialized, finalized, destroyed, or in use by another thread */
  PARHELION_ERROR_DEVICE = 5,     /**< no such execution space or device, or the device failed */
  PARHELION_ERROR_FILE = 6,       /**< a file is missing or bad */
  PARHELION_ERROR_MEMORY = 7,     /**< not enough memory */
  PARHELION_ERROR_NOT_FINITE = 8, /**< a result is not finite */
  PARHELION_ERROR_INTERNAL = 9    /**< an error of parhelion itself */
} parhelion_status;

/** The type of the entries of an array, and the precision of a calculation. */
enum {
  PARHELION_FLOAT64 = 0, /**< `double`, `real(8)` */
  PARHELION_FLOAT32 = 1, /**< `float`, `real(4)` */
  PARHELION_INT32 = 2
};

/** Where the memory of an array is. */
enum { PARHELION_HOST = 0, PARHELION_DEVICE = 1 };

/** Which end of a column has index 0. Messages count layers and levels from the surface in either case. */
enum { PARHELION_SURFACE_FIRST = 0, PARHELION_TOP_FIRST = 1 };

/** What to do with input that is not as it should be. */
enum {
  PARHELION_CHECK_REFUSE = 0, /**< the call fails before anything is written */
  /** Values slightly or far outside their range are replaced by the nearest end of it, in copies, and counted. Values
   *  that are not finite are refused. */
  PARHELION_CHECK_CLIP = 1,
  PARHELION_CHECK_TRUST = 2 /**< values are not looked at; shapes are */
};

/** \brief An array in memory of the caller.
 *
 *  An absent array has `data = NULL`. Entries are at data + sum over d of index[d] * stride[d] * (size of an entry).
 *  Results are in memory of their own, which no other array of the call has. */
typedef struct parhelion_array {
  void* data;
  int32_t type;      /**< PARHELION_FLOAT64, PARHELION_FLOAT32 or PARHELION_INT32 */
  int32_t where;     /**< PARHELION_HOST or PARHELION_DEVICE */
  int32_t device;    /**< number of the device, with PARHELION_DEVICE */
  int32_t rank;      /**< number of dimensions, 1 to 4 */
  int64_t extent[4]; /**< of each dimension, >= 1 */
  int64_t stride[4]; /**< [entries]; any, 0 where an input has the same value for all indices */
} parhelion_array;

/** The version of the library, "major.minor.patch". */
PARHELION_API const char* parhelion_version(void);

/** \brief The message of the last error of the calling thread, ended by a 0 byte; empty if there was none.
 *  \param text where to write as much of it as fits; may be NULL if size is 0
 *  \param size of `text` [bytes]
 *  \return     the number of bytes that the whole message needs, with its 0 byte */
PARHELION_API size_t parhelion_last_error(char* text, size_t size);

/** The settings of parhelion_initialize(). */
typedef struct parhelion_settings {
  size_t size;
  /** Number of the device, counted from 1, so that 0 stands for the choice by `device_by`. */
  int32_t device;
  int32_t device_by; /**< PARHELION_DEVICE_BY_RANK or PARHELION_DEVICE_CURRENT */
  int32_t threads;   /**< of the host; 0: OMP_NUM_THREADS, or all cores */
} parhelion_settings;

enum {
  /** The device with the number of this process on its node, modulo the number of devices. The launcher's environment
   *  has that number; a process without a launcher gets the first device. */
  PARHELION_DEVICE_BY_RANK = 0,
  /** The device that the calling thread has selected, with cudaSetDevice() or by OpenACC. */
  PARHELION_DEVICE_CURRENT = 1
};

/** \brief Initializes Kokkos, unless it is already; it is then used as it is, and remains the property of whoever did
 * it.
 *
 *  The functions that make objects call this with default settings if nobody has.
 *  \param settings NULL for the defaults */
PARHELION_API int parhelion_initialize(const parhelion_settings* settings);

/** \brief Finalizes Kokkos if parhelion_initialize() has initialized it, which is possible once in a process.
 *
 *  Objects that still exist release their memory; calls with them return PARHELION_ERROR_STATE, and they can still be
 *  destroyed. The same happens when somebody else finalizes Kokkos. */
PARHELION_API int parhelion_finalize(void);

/* ---- longwave fluxes of columns ---------------------------------------------------------------------------------- */

/** The gases that RRTMG knows; some of them matter in the shortwave, too. Other models know more, see below. */
enum {
  PARHELION_H2O = 0,
  PARHELION_CO2,
  PARHELION_O3,
  PARHELION_N2O,
  PARHELION_CO,
  PARHELION_CH4,
  PARHELION_O2,
  PARHELION_CCL4,
  PARHELION_CFC11,
  PARHELION_CFC12,
  PARHELION_CFC22,
  PARHELION_NGAS
};

/** The gases that ecCKD and RRTMGP may know beside them: those of their files. They are in `more_gases` of the input,
 *  gas i at index i - PARHELION_NGAS. */
enum {
  PARHELION_N2 = 11,
  PARHELION_HFC143A = 12,
  PARHELION_HFC125 = 13,
  PARHELION_HFC23 = 14,
  PARHELION_HFC32 = 15,
  PARHELION_HFC134A = 16,
  PARHELION_CF4 = 17,
  PARHELION_NO2 = 18,
  PARHELION_NGAS_ALL = 19,
  PARHELION_NGAS_MORE = 8 /**< NGAS_ALL - NGAS */
};

/** \brief The name of a gas in lower case, such as "h2o".
 *  \param gas PARHELION_H2O to PARHELION_NO2
 *  \return    NULL where there is no such gas */
PARHELION_API const char* parhelion_gas_name(int32_t gas);

/** \brief The gas of a name.
 *  \param name in either case: the formula or a name in use, such as "carbon_dioxide", "methane" or "hcfc22"
 *  \param gas  set to PARHELION_H2O to PARHELION_NO2 */
PARHELION_API int parhelion_find_gas(const char* name, int32_t* gas);

/** The models of gas optics. */
enum {
  PARHELION_GAS_OPTICS_OF_FILE = 0, /**< that of the file `coefficients`; RRTMG without one */
  PARHELION_GAS_OPTICS_SIMPLE = 1,  /**< the simple spectral model of H2O and CO2, without a file: longwave only */
  PARHELION_GAS_OPTICS_RRTMG = 2,   /**< correlated k of RRTMG: 16 bands and 140 g-points, and 14 and 112 */
  PARHELION_GAS_OPTICS_RRTMGP = 3,
  PARHELION_GAS_OPTICS_ECCKD = 4,
  PARHELION_RRTMG_LW = 0, /**< an older name of ..._OF_FILE */
  PARHELION_SIMPLE = 1    /**< an older name of ..._SIMPLE */
};

/** How clouds are given. The simple spectral model has none; ecCKD and RRTMGP need files of their optics. */
enum {
  PARHELION_CLOUDS_NONE = 0,
  PARHELION_CLOUDS_OF_LAYERS = 1,  /**< fractions of layers; the solver draws subcolumns */
  PARHELION_CLOUDS_OF_GPOINTS = 2, /**< for each g-point, as McICA's arrays */
  /** ecCKD and RRTMGP: water of layers, and fraction_gpt, 1 where a g-point sees it, else 0. */
  PARHELION_CLOUDS_MASKED = 3
};

/** Where level temperatures come from. */
enum {
  PARHELION_LEVEL_TEMPERATURES_GIVEN = 0,
  /** From those of layers, as RRTMGP makes them: inside, means that are weighted by pressure; at both ends, on the line
   *  through the two layers next to it. temperature_lev must be absent. */
  PARHELION_LEVEL_TEMPERATURES_INTERPOLATED = 1
};

/** RRTMGP's longwave: one angle for each column and g-point, by the fit of the file, in place of a number of angles. */
enum { PARHELION_ANGLES_OPTIMAL = -1 };

/** How scattering by clouds and aerosol counts in the longwave of RRTMGP. */
enum {
  PARHELION_SCATTERING_NONE = 0,      /**< not at all: particles absorb */
  PARHELION_SCATTERING_RESCALING = 1, /**< absorption, rescaled */
  PARHELION_SCATTERING_TWO_STREAM = 2 /**< two-stream layers; there is one angle and no derivative */
};

/** ecCKD: how the single scattering albedos of clouds are averaged to those of g-points. */
enum {
  PARHELION_CLOUD_AVERAGING_THICK = 0, /**< so that a very thick cloud reflects what it reflects on average */
  PARHELION_CLOUD_AVERAGING_THIN = 1   /**< means, weighted by extinction */
};

/** What the model of an object makes of a gas. */
enum {
  PARHELION_ROLE_NONE = 0,     /**< no effect */
  PARHELION_ROLE_OPTIONAL = 1, /**< it absorbs, and counts as 0 where it is absent */
  PARHELION_ROLE_DEFAULT = 2,  /**< it absorbs, and has the model's amount where it is absent */
  /** It absorbs, and there is no sense without it. ecCKD and RRTMGP refuse calls in which it is absent; with RRTMG and
   *  the simple spectral model it counts as 0 then. */
  PARHELION_ROLE_REQUIRED = 3
};

/** \brief What there is to know of the model of an object. The ends of a range belong to it.
 *
 *  Numbers that a model does not have are 0. A range without an end has infinity there. */
typedef struct parhelion_model {
  size_t size;
  char name[32];             /**< such as "RRTMG_LW" or "ecCKD", ended by a 0 byte */
  int32_t gas_optics;        /**< PARHELION_GAS_OPTICS_..., and not ..._OF_FILE */
  int32_t uses_levels;       /**< 1 where it needs temperatures and pressures of levels, and none of layers, else 0 */
  int64_t nband;             /**< bands of the surface, of aerosol and of fluxes */
  int64_t ngpoint;           /**< g-points, of which clouds may be given */
  double temperature[2];     /**< of layers, levels and the surface: lowest and highest [K] */
  double low_pressure;       /**< where the pressure is less than this [Pa], */
  double lowest_temperature; /**< temperatures may go down to this [K] */
  double pressure[2];        /**< of layers [Pa] */
  double level_pressure[2];  /**< of levels [Pa] */
  double mole_ratio[2];      /**< of each gas to dry air [1] */
  /** Effective radius of droplets [m], of a model with its own optics of clouds. To ecCKD what lies outside is as the
   *  nearest end. */
  double liquid_size[2];
  double ice_size[2];      /**< effective diameter of ice particles, with ecCKD their radius [m], likewise */
  double aerosol_size[2];  /**< radius of dust and sea salt [m], of a model with its own optics of aerosol */
  double total_irradiance; /**< of its sun at 1 au [W m-2], of the shortwave: what counts where a call gives none */
} parhelion_model;

/** How clouds of different layers overlap. */
enum {
  PARHELION_OVERLAP_DEFAULT = 0, /**< maximum-random */
  PARHELION_OVERLAP_RANDOM = 1,
  PARHELION_OVERLAP_MAXIMUM_RANDOM = 2,
  PARHELION_OVERLAP_MAXIMUM = 3,
  PARHELION_OVERLAP_EXPONENTIAL = 4,
  PARHELION_OVERLAP_EXPONENTIAL_RANDOM = 5
};

/** What is done with temperatures, pressures and mole ratios outside the range of the model. */
enum { PARHELION_OUT_OF_RANGE_REFUSE = 0, PARHELION_OUT_OF_RANGE_CLIP = 1, PARHELION_OUT_OF_RANGE_EXTRAPOLATE = 2 };

/** How transmittances are computed. */
enum {
  PARHELION_TRANSMITTANCE_EXACT = 0,
  PARHELION_TRANSMITTANCE_TABLE = 1 /**< by the table of RRTMG_LW or RRTMG_SW, for the same digits */
};

typedef struct parhelion_longwave_options {
  size_t size;
  const char* space; /**< execution space: "CUDA", "OpenMP", "Serial"...; NULL: the default one of the build */
  int32_t precision; /**< of the calculation: PARHELION_FLOAT64 or PARHELION_FLOAT32, whatever that of the arrays */
  int32_t model;     /**< PARHELION_GAS_OPTICS_... */
  /** The coefficient file: RRTMG_LW_DATA or RRTMG_LW_DATA.DBL, a definition of ecCKD, or gas optics of RRTMGP such as
   *  rrtmgp-gas-lw-g128.nc. NULL: that of `model`, found in PARHELION_DATA, with RRTMG in the working folder, or in the
   *  installation. */
  const char* coefficients;
  int32_t vertical_order; /**< of all arrays: PARHELION_SURFACE_FIRST or PARHELION_TOP_FIRST */
  /** Expected columns of a call, by which the work is divided; a call may have more or fewer. 0: 1024. */
  int64_t ncol;
  int64_t nlay;                /**< most layers of a call, 1 to 10000 */
  int32_t clouds;              /**< PARHELION_CLOUDS_...; calls may have none */
  int32_t cloud_optical_depth; /**< not 0: calls may have optical_depth_gpt */
  int32_t aerosol;             /**< not 0: calls may have aerosol */
  int32_t clear;               /**< not 0: calls may ask for results without clouds, too */
  int32_t derivative;          /**< not 0: calls may ask for derivatives with respect to the surface temperature */
  int32_t bands;               /**< not 0: calls may ask for the fluxes of bands */
  int32_t overlap;             /**< PARHELION_OVERLAP_... */
  int32_t transmittance;       /**< PARHELION_TRANSMITTANCE_... */
  int32_t extra_layer;         /**< not 0: adds a layer from the top of the columns to 0.01 Pa */
  int32_t checks;              /**< PARHELION_CHECK_... */
  int32_t out_of_range;        /**< PARHELION_OUT_OF_RANGE_...; without effect with PARHELION_CHECK_TRUST */
  double heat_capacity;        /**< of air at constant pressure [J kg-1 K-1], for heating rates; 0: 1004 */
  /** [m s-2], for heating rates; 0: 9.8066 with RRTMG, 9.80665 with ecCKD, RRTMGP and the simple spectral model. */
  double gravity;
  int64_t chunk;   /**< columns that are computed at a time; 0: automatic. Results do not depend on it. */
  int32_t devices; /**< number of devices for chunks of host arrays; 0: one; -1: all */
  /** RRTMGP: a file of the optics of clouds of the longwave, by band or by g-point; NULL: there are no clouds. */
  const char* cloud_optics;
  /** RRTMGP: a file of the optics of aerosol of the longwave; calls may then have aerosol_type and the three arrays
   *  beside it. NULL: they may not. */
  const char* aerosol_optics;
  /** The gases that calls may give, by name, separated by commas or spaces; calls with others that the model knows are
   *  refused. NULL: all that the model knows. RRTMGP's tables are made for these gases. A call that gives fewer, or
   *  others than the call before it, makes them anew, because to RRTMGP a gas that a call does not give does not exist:
   *  it does not absorb, and what it scales is not scaled. */
  const char* gases;
  int32_t level_temperatures; /**< PARHELION_LEVEL_TEMPERATURES_... */
  int32_t angles;             /**< RRTMGP: 1 to 4, or PARHELION_ANGLES_OPTIMAL; 0: 1 */
  int32_t scattering;         /**< RRTMGP: PARHELION_SCATTERING_... */
  int32_t ice_roughness;      /**< RRTMGP: of ice in `cloud_optics`, from 1 (smooth) to the number of the file; 0: 2 */
  /** ecCKD: scattering files of ecRad for droplets and for ice particles, both or none; NULL: there are no clouds. */
  const char* droplet_scattering;
  const char* ice_scattering;
  int32_t cloud_averaging; /**< ecCKD, with these files: PARHELION_CLOUD_AVERAGING_... */
  int32_t incident_flux;   /**< not 0: calls may have incident_flux */
} parhelion_longwave_options;

/** \brief The atmosphere. All arrays of float or all of double, except those of integers.
 *
 *  What becomes of a gas that is absent depends on the model, see PARHELION_ROLE_REQUIRED: with RRTMG and the simple
 * spectral model it counts as 0. `column` of any array but pressure_lay may have extent 1 and stride 0. "band" and
 * "g-point" are those of the model: with RRTMG 16 and 140. */
typedef struct parhelion_longwave_input {
  size_t size;
  parhelion_array pressure_lay; /**< of layers [Pa], (column, layer), > 0; ecCKD: may be absent, with temperature_lay */
  parhelion_array pressure_lev; /**< of interfaces [Pa], (column, level), >= 0 */
  parhelion_array temperature_lay; /**< of layers [K], (column, layer), > 0 */
  parhelion_array temperature_lev; /**< of interfaces [K], (column, level), > 0 */
  parhelion_array temperature_sfc; /**< of the surface's skin [K], (column), > 0 */
  /** Emissivity of the surface [1], (column), (column, 1) or (column, band), with ecCKD also (column, g-point), 0 to 1;
   *  parhelion_longwave_interval_weights() makes those of g-points. */
  parhelion_array emissivity_sfc;
  parhelion_array gases[PARHELION_NGAS]; /**< moles of gas per mole of dry air [1], (column, layer), >= 0 */
  /** Absorption optical depth [1], (column, layer, band), >= 0; may be absent. ecCKD and the simple spectral model have
   *  no aerosol. */
  parhelion_array aerosol;

  /* Clouds of layers: present where the object was made for them and there are clouds. */
  parhelion_array fraction;             /**< cloud fraction [1], (column, layer), 0 to 1 */
  parhelion_array ice_path;             /**< of the cloudy part [kg m-2], (column, layer), >= 0 */
  parhelion_array liquid_path;          /**< of the cloudy part [kg m-2], (column, layer), >= 0 */
  parhelion_array decorrelation_length; /**< [m], (column), > 0; absent: 2500 m */

  /* Clouds of g-points, instead. */
  parhelion_array fraction_gpt;      /**< cloudy where it is 1, clear where less [1], (column, layer, g-point) */
  parhelion_array ice_path_gpt;      /**< [kg m-2], (column, layer, g-point), >= 0 */
  parhelion_array liquid_path_gpt;   /**< [kg m-2], (column, layer, g-point), >= 0 */
  parhelion_array optical_depth_gpt; /**< absorption [1], (column, layer, g-point), >= 0 */

  /* Of both. */
  /** Size of ice particles, as `ice_optics` has it, with RRTMGP their effective diameter and with ecCKD their effective
   *  radius [m], (column, layer). */
  parhelion_array ice_size;
  parhelion_array liquid_size;   /**< effective radius of droplets [m], (column, layer) */
  parhelion_array cloud_input;   /**< integers, (column): 0: optical depth, 2: water paths; absent: 2 */
  parhelion_array ice_optics;    /**< integers, (column), RRTMG_LW's iceflglw 0 to 3; absent: 3 (Fu) */
  parhelion_array liquid_optics; /**< integers, (column), RRTMG_LW's liqflglw 0 to 1; absent: 1 (Hu and Stamnes) */

  uint64_t seed;         /**< of the subcolumns that are drawn */
  uint32_t first_column; /**< number of the first column among all, on which its subcolumns depend */
  /** Factors that bring values of the caller to the units above, such as 100 for pressures in hPa; 0: 1. */
  double pressure_factor, path_factor, particle_size_factor;

  parhelion_array more_gases[PARHELION_NGAS_MORE]; /**< as gases, from PARHELION_N2 on */

  /* Aerosol by type, for the optics of RRTMGP: all four or none. */
  /** integers, (column, layer): 0: none, 1: dust, 2: sea salt, 3: sulfate, 4 and 5: black carbon, hydrophilic and
   *  hydrophobic, 6 and 7: organic carbon, likewise. */
  parhelion_array aerosol_type;
  parhelion_array aerosol_size;      /**< radius of dust and sea salt [m], (column, layer), >= 0 */
  parhelion_array aerosol_mass;      /**< [kg m-2], (column, layer), >= 0 */
  parhelion_array relative_humidity; /**< [1], (column, layer), >= 0 */

  /** Downward flux that enters at the top, of each g-point [W m-2], (column, g-point), >= 0; absent: 0. With several
   *  angles it is the same radiance in all of them. Not with the simple spectral model. */
  parhelion_array incident_flux;
} parhelion_longwave_input;

/** \brief The results, overwritten. Arrays of float or double. flux_up, flux_dn and heating_rate must be there. */
typedef struct parhelion_longwave_output {
  size_t size;
  parhelion_array flux_up;       /**< upward, positive [W m-2], (column, level) */
  parhelion_array flux_dn;       /**< downward, positive [W m-2], (column, level) */
  parhelion_array heating_rate;  /**< [K day-1], negative where the layer cools, (column, layer) */
  parhelion_array flux_up_clear; /**< the same without clouds: all three or none */
  parhelion_array flux_dn_clear;
  parhelion_array heating_rate_clear;
  parhelion_array dflux_up_dt; /**< derivative of flux_up by the surface temperature [W m-2 K-1], (column, level) */
  parhelion_array dflux_up_clear_dt; /**< the same without clouds */
  parhelion_array flux_up_band;      /**< flux_up of each band [W m-2], (column, level, band): both or none */
  parhelion_array flux_dn_band;
  /** ecCKD, made with `derivative`: what is left at each level of a change of the upward flux at the surface whose
   *  spectrum is that of the flux itself [1], (column, level), 1 at the surface. Files have it as lw_derivative. */
  parhelion_array surface_share;
} parhelion_longwave_output;

/** An object that computes longwave fluxes, with its memory. */
typedef struct parhelion_longwave parhelion_longwave;

/** \brief Makes an object, reads its coefficients and allocates its memory.
 *  \param options  nlay must be set
 *  \param longwave set to the object; NULL on failure */
PARHELION_API int parhelion_longwave_create(const parhelion_longwave_options* options, parhelion_longwave** longwave);

/** The memory that an object holds [bytes]. */
PARHELION_API int parhelion_longwave_bytes(const parhelion_longwave* longwave, size_t* host, size_t* device);

/** \brief Computes longwave fluxes and heating rates of columns.
 *
 *  With device arrays it returns at once. PARHELION_CHECK_CLIP sets negative amounts to 0, also there.
 *  \param stream NULL with host arrays */
PARHELION_API int parhelion_longwave_solve(parhelion_longwave* longwave, const parhelion_longwave_input* input,
                                           const parhelion_longwave_output* output, void* stream);

/** \brief Waits for the object's work and looks whether all results since the last call of this function are finite.
 *  \return PARHELION_ERROR_NOT_FINITE with the first such column in the message */
PARHELION_API int parhelion_longwave_status(parhelion_longwave* longwave);

/** \brief How many values of the calls of an object were outside of their range, and were clipped or extrapolated.
 *  \param text  such as "3 of temperature_lay, 1 of h2o", ended by a 0 byte, as much as fits; "none"
 *  \param size  of `text` [bytes]
 *  \param count set to the number of values; may be NULL */
PARHELION_API int parhelion_longwave_counts(const parhelion_longwave* longwave, char* text, size_t size,
                                            int64_t* count);

/** \brief What there is to know of the model of an object.
 *  \param model its size must be set; the rest is overwritten */
PARHELION_API int parhelion_longwave_model(const parhelion_longwave* longwave, parhelion_model* model);

/** \brief The limits of the bands of an object's model.
 *  \param wavenumber_low  set to the lower end of each band [cm-1]; has room for `nband` numbers
 *  \param wavenumber_high set to the upper ends likewise */
PARHELION_API int parhelion_longwave_bands(const parhelion_longwave* longwave, double* wavenumber_low,
                                           double* wavenumber_high);

/** \brief ecCKD: how much an emissivity of each interval of wavenumber counts in that of each g-point, whose
 *         emissivity is the sum of those of all intervals times these weights. They add up to 1 for each g-point.
 *  \param between   wavenumbers where an interval ends and the next one begins [cm-1], increasing; the first interval
 *                   reaches down to 0 and the last one up to infinity, so that there are nbetween + 1
 *  \param nbetween  number of these, >= 0
 *  \param weights   set to the weight of interval i in g-point g, at g * (nbetween + 1) + i; has room for `ngpoint` *
 *                   (nbetween + 1) numbers */
PARHELION_API int parhelion_longwave_interval_weights(const parhelion_longwave* longwave, const double* between,
                                                      int64_t nbetween, double* weights);

/** \brief What the model of an object makes of a gas.
 *  \param gas          PARHELION_H2O to PARHELION_NO2
 *  \param role         set to PARHELION_ROLE_...
 *  \param default_mole_ratio set to what counts where it is absent [1], with PARHELION_ROLE_DEFAULT, else to 0; may be
 *                      NULL */
PARHELION_API int parhelion_longwave_gas(const parhelion_longwave* longwave, int32_t gas, int32_t* role,
                                         double* default_mole_ratio);

/** \brief Which gases the model of an object requires that a call does not give.
 *  \param input of the call; only its gases are looked at, and whether they have data
 *  \param text  their names, separated by ", ", ended by a 0 byte, as much as fits
 *  \param size  of `text` [bytes]
 *  \param count set to their number; may be NULL */
PARHELION_API int parhelion_longwave_missing(const parhelion_longwave* longwave, const parhelion_longwave_input* input,
                                             char* text, size_t size, int64_t* count);

/** Releases an object; NULL is allowed. */
PARHELION_API int parhelion_longwave_destroy(parhelion_longwave* longwave);

/* ---- shortwave fluxes of columns --------------------------------------------------------------------------------- */

/** The numbers of bands, g-points and types of aerosol of RRTMG_SW, and of the solar spectra. Its bands are in its
 *  order: from 2600 to 50000 cm-1, and 820-2600 cm-1 as the last. */
enum { PARHELION_SW_NBAND = 14, PARHELION_SW_NGPOINT = 112, PARHELION_SW_NAEROSOL = 6, PARHELION_SW_NSPECTRUM = 4 };

/** The two-stream approximation of a layer. */
enum {
  PARHELION_TWO_STREAM_PIFM = 0, /**< practical improved flux method, RRTMG_SW's */
  PARHELION_TWO_STREAM_EDDINGTON = 1,
  PARHELION_TWO_STREAM_QUADRATURE = 2
};

/** What counts as the direct beam. */
enum {
  PARHELION_DIRECT_SCALED = 0,  /**< also the forward peak of scattering, which delta scaling leaves in the beam */
  PARHELION_DIRECT_UNSCALED = 1 /**< light that nothing has scattered */
};

/** What the aerosol of a column is given by; the values are those of RRTMG_SW's `iaer`. */
enum {
  PARHELION_AEROSOL_NONE = 0,
  PARHELION_AEROSOL_TYPES = 6,   /**< aerosol_550nm */
  PARHELION_AEROSOL_OPTICAL = 10 /**< optical depth, single scattering albedo and asymmetry of each band */
};

/** Which sun shines; the values are those of RRTMG_SW's `isolvar`. */
enum {
  PARHELION_SUN_KURUCZ_UNSCALED = -2, /**< Kurucz; nothing scales it */
  PARHELION_SUN_KURUCZ = -1,          /**< Kurucz, 1368.22 W m-2, scaled to total_irradiance and by band_factors */
  PARHELION_SUN_MEAN_CYCLE = 0,       /**< NRLSSI2, mean of the solar cycle, scaled to total_irradiance */
  PARHELION_SUN_CYCLE = 1,            /**< NRLSSI2 at a place in the mean solar cycle, with amplitudes */
  PARHELION_SUN_INDICES = 2,          /**< NRLSSI2 with given indices of faculae and sunspots */
  PARHELION_SUN_SCALED_BANDS = 3      /**< PARHELION_SUN_MEAN_CYCLE with band_factors */
};

typedef struct parhelion_shortwave_options {
  size_t size;
  const char* space; /**< execution space: "CUDA", "OpenMP", "Serial"...; NULL: the default one of the build */
  int32_t precision; /**< of the calculation: PARHELION_FLOAT64 or PARHELION_FLOAT32, whatever that of the arrays */
  int32_t vertical_order; /**< of all arrays: PARHELION_SURFACE_FIRST or PARHELION_TOP_FIRST */
  /** The coefficient file: RRTMG_SW_DATA or RRTMG_SW_DATA.DBL, a definition of ecCKD, or gas optics of RRTMGP such as
   *  rrtmgp-gas-sw-g112.nc. NULL: that of `model`, found in PARHELION_DATA, with RRTMG in the working folder, or in the
   *  installation. */
  const char* coefficients;
  /** Expected columns of a call, by which the work is divided; a call may have more or fewer. 0: 1024. */
  int64_t ncol;
  int64_t nlay;                     /**< most layers of a call, 1 to 10000 */
  int32_t clouds;                   /**< PARHELION_CLOUDS_...; calls may have none */
  int32_t cloud_optical_properties; /**< not 0: calls may have optical_depth_gpt and the three arrays beside it */
  int32_t aerosol_optical;          /**< not 0: calls may have aerosol_optical_depth and the two arrays beside it */
  int32_t aerosol_types;            /**< RRTMG: not 0: calls may have aerosol_550nm */
  int32_t clear;                    /**< not 0: calls may ask for results without clouds, too */
  int32_t parts;                    /**< not 0: calls may ask for the ultraviolet and visible, and the near infrared */
  int32_t bands;                    /**< not 0: calls may ask for the fluxes of bands */
  int32_t overlap;                  /**< PARHELION_OVERLAP_... */
  int32_t transmittance; /**< PARHELION_TRANSMITTANCE_...; with the table all that RRTMG_SW does, to the digit */
  int32_t two_stream;    /**< PARHELION_TWO_STREAM_... */
  int32_t direct;        /**< PARHELION_DIRECT_... */
  int32_t band28_level;  /**< reference level of the sun in 38000-50000 cm-1: 42, or 58 as in WRF and MPAS; 0: 42 */
  int32_t checks;        /**< PARHELION_CHECK_... */
  int32_t out_of_range;  /**< PARHELION_OUT_OF_RANGE_...; without effect with PARHELION_CHECK_TRUST */
  double heat_capacity;  /**< of air at constant pressure [J kg-1 K-1], for heating rates; 0: 1004 */
  double gravity;        /**< [m s-2], for heating rates; 0: 9.8066 with RRTMG, 9.80665 with ecCKD and RRTMGP */
  int64_t chunk;         /**< columns that are computed at a time; 0: automatic. Results do not depend on it. */
  int32_t devices;       /**< number of devices for chunks of host arrays; 0: one; -1: all */
  /** RRTMGP: a file of the optics of clouds of the shortwave, by band or by g-point; NULL: there are no clouds. */
  const char* cloud_optics;
  /** RRTMGP: a file of the optics of aerosol of the shortwave; calls may then have aerosol_type and the three arrays
   *  beside it. NULL: they may not. */
  const char* aerosol_optics;
  const char* gases;          /**< the gases that calls will give, as for the longwave */
  int32_t model;              /**< PARHELION_GAS_OPTICS_..., and not ..._SIMPLE */
  int32_t level_temperatures; /**< PARHELION_LEVEL_TEMPERATURES_...; interpolated where they are needed */
  int32_t ice_roughness;      /**< RRTMGP: of ice in `cloud_optics`, from 1 (smooth) to the number of the file; 0: 2 */
  /** ecCKD: scattering files of ecRad for droplets and for ice particles, both or none; NULL: there are no clouds. */
  const char* droplet_scattering;
  const char* ice_scattering;
  int32_t cloud_averaging; /**< ecCKD, with these files: PARHELION_CLOUD_AVERAGING_... */
} parhelion_shortwave_options;

/** \brief The atmosphere and the sun. All arrays of float or all of double, except those of integers.
 *
 *  With RRTMG H2O, CO2, O3, CH4 and O2 absorb; other gases have no effect, and a gas that is absent counts as 0. What
 *  other models make of gases, see PARHELION_ROLE_REQUIRED and those beside it. `column` of any array but pressure_lay
 * may have extent 1 and stride 0. "band" and "g-point" are those of the model: with RRTMG 14 and 112. */
typedef struct parhelion_shortwave_input {
  size_t size;
  parhelion_array pressure_lay; /**< of layers [Pa], (column, layer), > 0; ecCKD: may be absent, with temperature_lay */
  parhelion_array pressure_lev; /**< of interfaces [Pa], (column, level), >= 0 */
  parhelion_array temperature_lay;       /**< of layers [K], (column, layer), > 0 */
  parhelion_array temperature_lev;       /**< of interfaces [K], (column, level), > 0; may be absent unless the model is
                                              ecCKD or clouds of layers overlap exponentially */
  parhelion_array gases[PARHELION_NGAS]; /**< moles of gas per mole of dry air [1], (column, layer), >= 0 */
  parhelion_array cos_zenith;            /**< of the solar zenith angle [1], (column), -1 to 1; night where <= 0 */
  /** Albedo of the surface for direct radiation [1], 0 to 1: (column) or (column, 1): for all wavenumbers; (column,
   * band): of each band; (column, 2) where there are other numbers of bands: from 16000 cm-1 up, and below; with ecCKD
   * also (column, g-point), which parhelion_shortwave_interval_weights() makes. */
  parhelion_array albedo_direct;
  parhelion_array albedo_diffuse; /**< the same for diffuse radiation, of the same shape */

  /* The sun of each column, instead of the members from `sun` on, which hold for all columns. */
  /** Weights of the spectra of Kurucz, and of NRLSSI2's quiet sun, faculae and sunspots, with the factor of the sun's
   *  distance [1], (column, 4). RRTMGP uses the last three; with ecCKD the first is the irradiance [W m-2], and the
   *  others have no effect. parhelion_shortwave_sun() and parhelion_shortwave_sun_of() give them. */
  parhelion_array solar_weights;
  parhelion_array solar_band_factors; /**< further factor on each band [1], (column, band), >= 0; absent: 1 */

  /* Aerosol. The first three are there together. */
  parhelion_array aerosol_optical_depth;            /**< vertical [1], (column, layer, band), >= 0 */
  parhelion_array aerosol_single_scattering_albedo; /**< [1], (column, layer, band), 0 to 1 */
  parhelion_array aerosol_asymmetry;                /**< [1], (column, layer, band), -1 to 1 */
  /** Optical depth at 550 nm of ECMWF's types: continental average, maritime, desert, urban, volcanic active,
   *  stratospheric background [1], (column, layer, 6), >= 0. */
  parhelion_array aerosol_550nm;
  parhelion_array aerosol_input; /**< integers, (column): PARHELION_AEROSOL_...; absent: what there are arrays of, which
                                      must be one of both kinds then */

  /* Clouds of layers: present where the object was made for them and there are clouds. */
  parhelion_array fraction;             /**< cloud fraction [1], (column, layer), 0 to 1 */
  parhelion_array ice_path;             /**< of the cloudy part [kg m-2], (column, layer), >= 0 */
  parhelion_array liquid_path;          /**< of the cloudy part [kg m-2], (column, layer), >= 0 */
  parhelion_array decorrelation_length; /**< [m], (column), > 0; absent: 2500 m */

  /* Clouds of g-points, instead. The last four are there together, where cloud_input is 0. */
  parhelion_array fraction_gpt;                 /**< cloud fraction [1], (column, layer, g-point), 0 to 1 */
  parhelion_array ice_path_gpt;                 /**< [kg m-2], (column, layer, g-point), >= 0 */
  parhelion_array liquid_path_gpt;              /**< [kg m-2], (column, layer, g-point), >= 0 */
  parhelion_array optical_depth_gpt;            /**< before delta scaling [1], (column, layer, g-point), >= 0 */
  parhelion_array single_scattering_albedo_gpt; /**< [1], (column, layer, g-point), 0 to 1 */
  parhelion_array asymmetry_gpt;                /**< [1], (column, layer, g-point), -1 to 1 */
  parhelion_array forward_fraction_gpt;         /**< of scattered light that counts as unscattered [1],
                                                     (column, layer, g-point), 0 to 1 */

  /* Of both. */
  /** Size of ice particles, as `ice_optics` has it, with RRTMGP their effective diameter and with ecCKD their effective
   *  radius [m], (column, layer). */
  parhelion_array ice_size;
  parhelion_array liquid_size;   /**< effective radius of droplets, with RRTMG 2.5e-6 to 6e-5 [m], (column, layer) */
  parhelion_array cloud_input;   /**< integers, (column): 0: optical properties, 2: water paths; absent: 2 */
  parhelion_array ice_optics;    /**< integers, (column), RRTMG_SW's iceflgsw 1 to 3; absent: 3 (Fu) */
  parhelion_array liquid_optics; /**< integers, (column), RRTMG_SW's liqflgsw 1; absent: 1 (Hu and Stamnes) */

  uint64_t seed;         /**< of the subcolumns that are drawn, which are the longwave's for the same seed */
  uint32_t first_column; /**< number of the first column among all, on which its subcolumns depend */
  /** Factors that bring values of the caller to the units above, such as 100 for pressures in hPa; 0: 1. */
  double pressure_factor, path_factor, particle_size_factor;

  /* The sun of all columns by the options of RRTMG_SW; all must be 0 where there are solar_weights. With ecCKD and
     RRTMGP, day_of_year, total_irradiance and distance_factor count, and RRTMGP has PARHELION_SUN_INDICES, too, where
     an index that is not a number is as the file says; others must be 0 or NULL. */
  int32_t sun;                  /**< PARHELION_SUN_... (`isolvar`) */
  int32_t day_of_year;          /**< 1 to 366, from which the sun's distance follows (`dyofyr`); 0: distance_factor */
  double total_irradiance;      /**< at 1 au [W m-2] (`scon`); 0: that of the spectrum, with ecCKD 1361 */
  double distance_factor;       /**< factor by the distance of the sun, not used with a day (`adjes`); 0: 1 */
  const double* solar_indices;  /**< 2 numbers on the host, `indsolvar`: amplitudes of faculae and sunspots with
                                     PARHELION_SUN_CYCLE, Mg and sunspot index with ..._INDICES; NULL: none */
  const double* cycle_fraction; /**< 1 number on the host: place in the solar cycle, 0 to 1 (`solcycfrac`); or NULL */
  const double* band_factors;   /**< 14 numbers on the host: factor on each band (`bndsolvar`); or NULL */

  parhelion_array more_gases[PARHELION_NGAS_MORE]; /**< as gases, from PARHELION_N2 on */

  /* Aerosol by type, for the optics of RRTMGP, as for the longwave: all four or none. */
  parhelion_array aerosol_type;      /**< integers, (column, layer), 0 to 7 */
  parhelion_array aerosol_size;      /**< radius of dust and sea salt [m], (column, layer), >= 0 */
  parhelion_array aerosol_mass;      /**< [kg m-2], (column, layer), >= 0 */
  parhelion_array relative_humidity; /**< [1], (column, layer), >= 0 */
} parhelion_shortwave_input;

/** \brief The results, overwritten. Arrays of float or double. flux_up, flux_dn, flux_dn_direct and heating_rate must
 * be there.
 *
 *  Fluxes are positive [W m-2], (column, level). Ultraviolet and visible (uvvis) are all wavenumbers from 16000 cm-1
 *  up, near infrared (nir) all below. */
typedef struct parhelion_shortwave_output {
  size_t size;
  parhelion_array flux_up;        /**< upward */
  parhelion_array flux_dn;        /**< downward, direct and diffuse */
  parhelion_array flux_dn_direct; /**< downward, of the direct beam */
  parhelion_array heating_rate;   /**< [K day-1], positive where the layer warms, (column, layer) */
  /* Parts of the spectrum: all four or none. */
  parhelion_array flux_dn_uvvis;
  parhelion_array flux_dn_nir;
  parhelion_array flux_dn_direct_uvvis;
  parhelion_array flux_dn_direct_nir;
  /* The same without clouds: the first four or none; the parts where there are those above, and only there. */
  parhelion_array flux_up_clear;
  parhelion_array flux_dn_clear;
  parhelion_array flux_dn_direct_clear;
  parhelion_array heating_rate_clear;
  parhelion_array flux_dn_uvvis_clear;
  parhelion_array flux_dn_nir_clear;
  parhelion_array flux_dn_direct_uvvis_clear;
  parhelion_array flux_dn_direct_nir_clear;
  /* Fluxes of each band, (column, level, band): all three or none. */
  parhelion_array flux_up_band;
  parhelion_array flux_dn_band;
  parhelion_array flux_dn_direct_band;
} parhelion_shortwave_output;

/** An object that computes shortwave fluxes, with its memory. */
typedef struct parhelion_shortwave parhelion_shortwave;

/** \brief Makes an object, reads its coefficients and allocates its memory.
 *  \param options   nlay must be set
 *  \param shortwave set to the object; NULL on failure */
PARHELION_API int parhelion_shortwave_create(const parhelion_shortwave_options* options,
                                             parhelion_shortwave** shortwave);

/** The memory that an object holds [bytes]. */
PARHELION_API int parhelion_shortwave_bytes(const parhelion_shortwave* shortwave, size_t* host, size_t* device);

/** \brief Computes shortwave fluxes and heating rates of columns. Columns at night get zeros and cost nothing, except
 *         with PARHELION_TRANSMITTANCE_TABLE.
 *
 *  Arrays, returning and waiting as in parhelion_longwave_solve().
 *  \param stream with device arrays: the cudaStream_t (or hipStream_t) in whose order the work is done; NULL: the
 *                default stream. With host arrays: NULL. */
PARHELION_API int parhelion_shortwave_solve(parhelion_shortwave* shortwave, const parhelion_shortwave_input* input,
                                            const parhelion_shortwave_output* output, void* stream);

/** \brief The sun of a column as solar_weights and solar_band_factors have it, by the options of RRTMG_SW and for its
 *         spectra: for calls whose columns have different suns.
 *  \param input        members from `sun` on; no other ones are looked at
 *  \param weights      set to the PARHELION_SW_NSPECTRUM weights of the solar spectra
 *  \param band_factors set to the PARHELION_SW_NBAND factors on bands; may be NULL */
PARHELION_API int parhelion_shortwave_sun(const parhelion_shortwave_input* input, double* weights,
                                          double* band_factors);

/** \brief The same for the spectra of an object's model: solar_weights of a column.
 *  \param input        members from `sun` on; no other ones are looked at
 *  \param weights      set to the PARHELION_SW_NSPECTRUM weights of the solar spectra. Those for an irradiance of 1 W
 * m-2 times that of a column are its weights. \param band_factors set to the PARHELION_SW_NBAND factors on bands, which
 * are all 1 unless the model is RRTMG; may be NULL */
PARHELION_API int parhelion_shortwave_sun_of(const parhelion_shortwave* shortwave,
                                             const parhelion_shortwave_input* input, double* weights,
                                             double* band_factors);

/** \brief Waits for the object's work and looks whether all results since the last call of this function are finite.
 *  \return PARHELION_ERROR_NOT_FINITE with the first such column in the message */
PARHELION_API int parhelion_shortwave_status(parhelion_shortwave* shortwave);

/** \brief How many values of the calls of an object were outside of their range, and were clipped or extrapolated.
 *  \param text  such as "3 of albedo_direct, 1 of h2o", ended by a 0 byte, as much as fits; "none"
 *  \param size  of `text` [bytes]
 *  \param count set to the number of values; may be NULL */
PARHELION_API int parhelion_shortwave_counts(const parhelion_shortwave* shortwave, char* text, size_t size,
                                             int64_t* count);

/** \brief What there is to know of the model of an object.
 *  \param model its size must be set; the rest is overwritten */
PARHELION_API int parhelion_shortwave_model(const parhelion_shortwave* shortwave, parhelion_model* model);

/** \brief The limits of the bands of an object's model, as parhelion_longwave_bands() has them. */
PARHELION_API int parhelion_shortwave_bands(const parhelion_shortwave* shortwave, double* wavenumber_low,
                                            double* wavenumber_high);

/** \brief ecCKD: the same for albedos, as parhelion_longwave_interval_weights() has it for emissivities. */
PARHELION_API int parhelion_shortwave_interval_weights(const parhelion_shortwave* shortwave, const double* between,
                                                       int64_t nbetween, double* weights);

/** \brief What the model of an object makes of a gas, as parhelion_longwave_gas() has it. */
PARHELION_API int parhelion_shortwave_gas(const parhelion_shortwave* shortwave, int32_t gas, int32_t* role,
                                          double* default_mole_ratio);

/** \brief Which gases the model of an object requires that a call does not give, as parhelion_longwave_missing() has
 *         it. */
PARHELION_API int parhelion_shortwave_missing(const parhelion_shortwave* shortwave,
                                              const parhelion_shortwave_input* input, char* text, size_t size,
                                              int64_t* count);

/** Releases an object; NULL is allowed. */
PARHELION_API int parhelion_shortwave_destroy(parhelion_shortwave* shortwave);

/* ---- radiances of profiles: adding ------------------------------------------------------------------------------- */

typedef struct parhelion_adding_options {
  size_t size;
  const char* space;      /**< as for the longwave */
  int32_t precision;      /**< as for the longwave */
  int32_t vertical_order; /**< as for the longwave */
  int64_t chunk;          /**< profiles that are computed at a time; 0: automatic */
  int32_t devices;        /**< number of devices; 0: one; -1: all */
} parhelion_adding_options;

/** \brief Optical properties of profiles. Radiances have the unit of the Planck radiances. Absent arrays do not count.
 *
 *  Angles are directions of one hemisphere. */
typedef struct parhelion_adding_input {
  size_t size;
  parhelion_array optical_depth;            /**< vertical [1], (profile, layer), >= 0 */
  parhelion_array transmittance;            /**< instead, without scattering [1], (profile, layer, angle) */
  parhelion_array planck;                   /**< Planck radiance of layers, (profile, layer), >= 0 */
  parhelion_array mu;                       /**< cosines of zenith angles, (profile or 1, angle), 0 to 1 */
  parhelion_array weight;                   /**< quadrature weights, whose sum is 1, (profile or 1, angle) */
  parhelion_array planck_sfc;               /**< Planck radiance of the surface, (profile), >= 0 */
  parhelion_array emissivity;               /**< of the surface, (profile, angle), 0 to 1 */
  parhelion_array specular_reflectivity;    /**< (profile, angle); not together with reflectivity */
  parhelion_array reflectivity;             /**< (profile, angle out, angle in) */
  parhelion_array cosmic;                   /**< radiance that enters at the top, (profile), >= 0 */
  parhelion_array cos_sun;                  /**< cosine of the sun's zenith angle, (profile) */
  parhelion_array solar_irradiance;         /**< on a plane across the beam [radiance sr], (profile) */
  parhelion_array direct_reflectivity;      /**< pi * reflected radiance / beam's irradiance, (profile, angle) */
  parhelion_array single_scattering_albedo; /**< [1], (profile, layer); absent: no scattering */
  parhelion_array phase;                    /**< integers: index of a layer's phase matrix or -1, (profile, layer) */
  parhelion_array phase_forward;            /**< (profile or 1, matrix, angle out, angle in and last the sun's) */
  parhelion_array phase_backward;           /**< the same into the other hemisphere */
} parhelion_adding_input;

/** \brief Results, overwritten, in the unit of the Planck radiances; those that are absent are not computed. */
typedef struct parhelion_adding_output {
  size_t size;
  parhelion_array toa;         /**< upward at the top, (profile, angle) */
  parhelion_array up;          /**< upward at each level, positive, (profile, level, angle) */
  parhelion_array dn;          /**< downward, without the sun's beam, positive, (profile, level, angle) */
  parhelion_array up_emergent; /**< upward, of everything below the level, (profile, level, angle) */
} parhelion_adding_output;

typedef struct parhelion_adding parhelion_adding;

/** \brief Makes an object. Its memory is allocated by the first call, and again by a call with other arrays or
 *         extents; the number of profiles may vary. */
PARHELION_API int parhelion_adding_create(const parhelion_adding_options* options, parhelion_adding** adding);
/** The memory that an object holds [bytes]; 0 before its first call. */
PARHELION_API int parhelion_adding_bytes(const parhelion_adding* adding, size_t* host, size_t* device);
/** \brief Computes radiances.
 *
 *  With device arrays it returns at once, after the first call of a kind (see parhelion_adding_create(); here also one
 *  with more profiles than before). A `reflectivity` whose matrices are diagonal gives results that differ from those
 *  of host arrays by rounding; specular_reflectivity does not, and is faster.
 *  \param stream NULL with host arrays */
PARHELION_API int parhelion_adding_solve(parhelion_adding* adding, const parhelion_adding_input* input,
                                         const parhelion_adding_output* output, void* stream);
/** \brief Waits for the object's work and looks whether the results of its calls with device arrays since the last
 *         question are finite.
 *  \return PARHELION_ERROR_NOT_FINITE with such a profile in the message, counted in its chunk */
PARHELION_API int parhelion_adding_status(parhelion_adding* adding);
PARHELION_API int parhelion_adding_destroy(parhelion_adding* adding);

/* ---- infrared spectra along rays --------------------------------------------------------------------------------- */

typedef struct parhelion_spectra_options {
  size_t size;
  const char* space; /**< as for the longwave */
  int32_t precision; /**< as for the longwave */
  /** Control file in JURASSIC's format: gases, channels, continua, surface, field of view. */
  const char* control;
  const char* tables;             /**< folder of emissivity tables and filters; NULL: that of the control file */
  const char* continua;           /**< folder of continuum coefficients; NULL: found like the longwave's coefficients */
  int32_t missing_tables_allowed; /**< not 0: gases without a table are transparent */
  int32_t out_of_range;           /**< PARHELION_OUT_OF_RANGE_... */
  uint64_t memory_limit;          /**< for tables on the device [bytes]; 0: automatic */
  int64_t chunk;                  /**< rays that are computed at a time; 0: automatic */
  int32_t devices;                /**< number of devices; 0: one; -1: all */
} parhelion_spectra_options;

/** \brief Atmosphere and rays. Level 0 is the lowest: altitudes ascend. */
typedef struct parhelion_spectra_input {
  size_t size;
  parhelion_array altitude;      /**< above the reference sphere [m], (profile, level) */
  parhelion_array pressure;      /**< [Pa], (profile, level), > 0 */
  parhelion_array temperature;   /**< [K], (profile, level), > 0 */
  parhelion_array mole_fraction; /**< [1], (profile, gas in the order of the control file, level) */
  parhelion_array extinction;    /**< of aerosol [m-1], (profile, window, level), >= 0; absent: 0 */
  /* One cloud layer: all three or none. */
  parhelion_array cloud_height;     /**< altitude of its middle [m], (profile) */
  parhelion_array cloud_depth;      /**< standard deviation of its Gaussian shape [m], (profile), > 0 */
  parhelion_array cloud_extinction; /**< in its middle [m-1], (profile, node) */
  /* The surface: all four or none. */
  parhelion_array surface_altitude;    /**< [m], (profile) */
  parhelion_array surface_pressure;    /**< [Pa], (profile); if > 0, the surface is not below this pressure */
  parhelion_array surface_temperature; /**< [K], (profile); if <= 0, that of the air */
  parhelion_array surface_emissivity;  /**< [1], (profile, node), 0 to 1 */
  /* Rays. */
  parhelion_array time;                 /**< seconds since 2000-01-01T00:00Z, (ray); absent: 0 */
  parhelion_array observer_altitude;    /**< [m], (ray) */
  parhelion_array observer_longitude;   /**< [degrees east], (ray); absent: 0 */
  parhelion_array observer_latitude;    /**< [degrees north], (ray); absent: 0 */
  parhelion_array view_point_altitude;  /**< [m], (ray) */
  parhelion_array view_point_longitude; /**< [degrees east], (ray); absent: 0 */
  parhelion_array view_point_latitude;  /**< [degrees north], (ray) */
  parhelion_array profile;              /**< integers: index of the ray's profile, (ray); absent: 0 */
} parhelion_spectra_input;

/** \brief Results, overwritten; radiance must be there. */
typedef struct parhelion_spectra_output {
  size_t size;
  parhelion_array radiance;      /**< [W m-2 sr-1 (cm-1)-1], or [K] if the control file asks for it, (ray, channel) */
  parhelion_array transmittance; /**< of the whole path [1], (ray, channel) */
  parhelion_array npoint;        /**< integers: points of the line of sight, (ray) */
  parhelion_array tangent_altitude;  /**< [m], (ray) */
  parhelion_array tangent_longitude; /**< [degrees east], (ray) */
  parhelion_array tangent_latitude;  /**< [degrees north], (ray) */
} parhelion_spectra_output;

typedef struct parhelion_spectra parhelion_spectra;

/** \brief Makes an object and reads its control file. Tables are read by the first call. */
PARHELION_API int parhelion_spectra_create(const parhelion_spectra_options* options, parhelion_spectra** spectra);
/** The memory that an object holds [bytes]: its tables; 0 before its first call. A call needs more. */
PARHELION_API int parhelion_spectra_bytes(const parhelion_spectra* spectra, size_t* host, size_t* device);
/** The numbers of gases and channels of an object; pointers may be NULL. */
PARHELION_API int parhelion_spectra_sizes(const parhelion_spectra* spectra, int64_t* ngas, int64_t* nchannel);
/** \brief The name of a gas, in the order of mole_fraction, ended by a 0 byte, as much as fits. */
PARHELION_API int parhelion_spectra_gas(const parhelion_spectra* spectra, int64_t gas, char* text, size_t size);
/** \brief The wavenumber of a channel [cm-1]. */
PARHELION_API int parhelion_spectra_wavenumber(const parhelion_spectra* spectra, int64_t channel, double* wavenumber);
/** \brief Computes radiances along rays.
 *
 *  With device arrays it returns at once, after the first call and those with other numbers of profiles, levels or rays
 *  or other optional arrays, which allocate, and look at the range of altitudes. Later atmospheres may be a quarter
 *  deeper; where there is no room for the points of a ray, npoint is -1 and the results are not a number. The tables of
 *  all channels have to fit into memory_limit; otherwise the call returns PARHELION_ERROR_DEVICE. Hydrostatic
 *  pressures, fields of view and brightness temperatures are computed on the device, too, and may differ from those of
 *  host arrays by rounding; a ray whose field of view has no rays to interpolate between gets no numbers. out_of_range
 *  has no effect.
 *  \param stream NULL with host arrays */
PARHELION_API int parhelion_spectra_solve(parhelion_spectra* spectra, const parhelion_spectra_input* input,
                                          const parhelion_spectra_output* output, void* stream);
/** \brief Waits for the object's work and looks whether the results of its calls with device arrays since the last
 *         question are finite.
 *  \return PARHELION_ERROR_NOT_FINITE with such a ray in the message, counted in its chunk */
PARHELION_API int parhelion_spectra_status(parhelion_spectra* spectra);
PARHELION_API int parhelion_spectra_destroy(parhelion_spectra* spectra);

/* ---- radiation in a box of gas: Monte Carlo ---------------------------------------------------------------------- */

/** The absorption of the gas. */
enum {
  PARHELION_GAS_GREY = 0,        /**< one absorption coefficient */
  PARHELION_GAS_GREY_GASES = 1,  /**< weighted sum of grey gases of H2O and CO2 */
  PARHELION_GAS_NARROW_BANDS = 2 /**< narrow bands with correlated k, of a file */
};

/** Where rays start: results are those at the centres of cells, or means over cells. */
enum { PARHELION_ORIGIN_CENTRE = 0, PARHELION_ORIGIN_VOLUME = 1 };

/** Which cells share the directions of their rays; the errors of cells that do go together. */
enum {
  PARHELION_DIRECTIONS_TILES = 0,      /**< 32 neighbouring cells along z: fast, and errors average out */
  PARHELION_DIRECTIONS_SHARED = 1,     /**< all cells: the fastest, but averages have the error of a cell */
  PARHELION_DIRECTIONS_INDEPENDENT = 2 /**< none: the slowest */
};

typedef struct parhelion_monte_carlo_options {
  size_t size;
  const char* space;        /**< as for the longwave */
  int32_t precision;        /**< as for the longwave */
  int32_t gas;              /**< PARHELION_GAS_... */
  double absorption;        /**< of the grey gas at 1 atm [m-1], >= 0 */
  const char* narrow_bands; /**< HDF5 file of narrow bands */
  int64_t rays;             /**< of each cell and face of a wall; 0: 4096 */
  int64_t repetitions;      /**< whose scatter gives the errors, >= 2; 0: 8 */
  uint64_t seed;            /**< 0: 1 */
  int32_t ray_origin;       /**< PARHELION_ORIGIN_... */
  int32_t out_of_range;     /**< PARHELION_OUT_OF_RANGE_... */
  double target_error;      /**< if > 0, repetitions are added until the error is this percentage of the largest |q| */
  int64_t max_repetitions;  /**< limit with a target_error; 0: 4096 */
  int32_t directions;       /**< PARHELION_DIRECTIONS_... */
  int32_t devices;          /**< number of devices that share the cells of host arrays; 0: one; -1: all */
} parhelion_monte_carlo_options;

/** The kind of a side of the box. */
enum { PARHELION_SIDE_WALL = 0, PARHELION_SIDE_PERIODIC = 1 };

typedef struct parhelion_side {
  int32_t type; /**< PARHELION_SIDE_... */
  /** Reflectivity of a wall [1], 0 to 1: 1 - emissivity, so that 0 is a black wall. */
  double reflectivity;
  double temperature; /**< of a wall [K], >= 0 */
  /** Temperature of each face [K] instead, (y, z), (x, z) or (x, y). */
  parhelion_array face_temperature;
} parhelion_side;

/** Sides and their results have the order x low, x high, y low, y high, z low, z high. */
typedef struct parhelion_monte_carlo_input {
  size_t size;
  parhelion_array x, y, z;       /**< faces of the cells [m], (number of cells + 1), ascending; always on the host */
  parhelion_array temperature;   /**< of the gas [K], (x, y, z), >= 0 */
  parhelion_array mole_fraction; /**< of the absorbing gas [1], (x, y, z), 0 to 1; absent: 1 */
  double pressure;               /**< [Pa]; 0: 101325 */
  parhelion_side sides[6];
} parhelion_monte_carlo_input;

/** \brief Results, overwritten; q must be there. Errors are standard deviations. */
typedef struct parhelion_monte_carlo_output {
  size_t size;
  parhelion_array q;            /**< power emitted minus absorbed [W m-3], positive where the gas cools, (x, y, z) */
  parhelion_array q_error;      /**< [W m-3], (x, y, z) */
  parhelion_array incident;     /**< radiance over all directions [W m-2], (x, y, z) */
  parhelion_array wall_flux[6]; /**< net, positive in the direction of the ascending coordinate [W m-2] */
  parhelion_array wall_flux_error[6]; /**< [W m-2] */
  /** Root mean square of q_error [% of the largest |q|], not a number with device arrays; may be NULL. */
  double* reached_error;
  int64_t* repetitions;            /**< that were made; may be NULL */
  parhelion_array q_plane_error_x; /**< of averages of q over planes across x, weighted by volumes [W m-3], (x) */
  parhelion_array q_plane_error_y; /**< the same across y [W m-3], (y) */
  parhelion_array q_plane_error_z; /**< the same across z [W m-3], (z) */
  parhelion_array q_box_error;     /**< of the average of q over the box [W m-3], (box), 1 */
} parhelion_monte_carlo_output;

typedef struct parhelion_monte_carlo parhelion_monte_carlo;

PARHELION_API int parhelion_monte_carlo_create(const parhelion_monte_carlo_options* options,
                                               parhelion_monte_carlo** monte_carlo);
/** The memory that an object holds [bytes]: its spectrum, and what calls with device arrays keep. A call needs more, by
 *  the cells of its box. */
PARHELION_API int parhelion_monte_carlo_bytes(const parhelion_monte_carlo* monte_carlo, size_t* host, size_t* device);
/** \brief Computes the radiative source, incident radiation and fluxes at walls.
 *
 *  With device arrays x, y and z are on the host, all others on the device. The call waits for a few numbers, on which
 *  tables depend: the ranges of temperatures and mole fractions, which are refused, clipped or extrapolated as with
 * host arrays, and the mean mole fraction. It makes tables where these numbers or the box are not those of the call
 * before, enqueues its rays and returns. With a target_error it returns PARHELION_ERROR_DEVICE. \param stream NULL with
 * host arrays */
PARHELION_API int parhelion_monte_carlo_solve(parhelion_monte_carlo* monte_carlo,
                                              const parhelion_monte_carlo_input* input,
                                              const parhelion_monte_carlo_output* output, void* stream);
/** \brief Waits for the object's work and looks whether the temperatures and results of its calls with device arrays
 *         since the last call of this function are finite.
 *  \return PARHELION_ERROR_NOT_FINITE with the first such cell, or face behind all cells, in the message */
PARHELION_API int parhelion_monte_carlo_status(parhelion_monte_carlo* monte_carlo);
PARHELION_API int parhelion_monte_carlo_destroy(parhelion_monte_carlo* monte_carlo);

#ifdef __cplusplus
}
#endif

#endif
