// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMGP_K_DISTRIBUTION_HPP
#define PARHELION_FLUXES_RRTMGP_K_DISTRIBUTION_HPP

#include <parhelion/fluxes/gas_set.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// \file
/// The k-distributions of RRTMGP (Pincus, Mlawer & Delamere 2019, doi:10.1029/2019MS001621) as their files hold them.
namespace parhelion::fluxes::rrtmgp {

/// The two parts of the atmosphere with coefficients of their own, by number; the lower one has the higher pressures.
inline constexpr int lower = 0, upper = 1, nhalf = 2;

/// \brief One of RRTMGP's gas optics files, of the longwave or of the shortwave.
///
/// Numbers of gases, bands and g-points count from 1, as in the file, 0 meaning none; arrays are in row-major order.
/// Names of gases are in lower case. check() says what is required of the numbers.
struct KDistribution {
  std::string file;  ///< its name, for messages

  std::vector<std::string> gases;  ///< gas_names

  /// Which gas the name of an absorption means: `h2o_self` that of `h2o`.
  struct Identifier {
    std::string identifier;  ///< identifier_minor
    std::string gas;         ///< gas_minor
  };
  std::vector<Identifier> identifiers;

  struct Band {
    std::array<std::array<int, 2>, nhalf> key;  ///< key_species: two numbers of gases; (0, 0): there are none
    int first_gpoint;                           ///< bnd_limits_gpt
    int last_gpoint;                            ///< the last one itself
    double wavenumber_low;                      ///< bnd_limits_wavenumber [cm-1]
    double wavenumber_high;
  };
  std::vector<Band> bands;

  std::vector<double> pressure;     ///< press_ref [Pa], decreasing, evenly spaced in its logarithm
  double tropopause_pressure = 0;   ///< press_ref_trop [Pa], one of them, where the lower half ends
  std::vector<double> temperature;  ///< temp_ref [K], increasing, evenly spaced
  int nmixing = 0;                  ///< entries between none of the first key species and nothing but it
  int ngpoint = 0;

  /// vmr_ref: mole ratios (temperature, gas, half); gas 0 is dry air.
  std::vector<double> vmr;
  /// kmajor [cm2]: (temperature, pressure, mixing, g-point); the tropopause has two entries, lower and upper.
  std::vector<double> major;

  /// An absorption that does not depend on pressure, in some g-points of a band.
  struct MinorInterval {
    std::string identifier;   ///< minor_gases_*
    std::string scaling_gas;  ///< scaling_gas_*; empty: none
    int first_gpoint;         ///< minor_limits_gpt_*
    int last_gpoint;          ///< the last one itself
    int scales_with_density;  ///< minor_scales_with_density_*: 0 or 1
    int by_complement;        ///< scale_by_complement_*: 0 or 1
    int start;                ///< kminor_start_*: first of its g-points among the contributors
  };
  struct Minor {
    std::vector<MinorInterval> intervals;
    int ncontributor = 0;
    std::vector<double> coefficients;  ///< kminor_* [cm2, or cm2 K hPa-1]: (temperature, mixing, contributor)
  };
  std::array<Minor, nhalf> minor;

  // Of the longwave; empty in the shortwave.
  int nplanck = 0;             ///< temperatures of `planck`, evenly spaced from the first of temp_ref to the last
  std::vector<double> planck;  ///< totplnk [W m-2 sr-1]: (band, temperature)
  std::vector<double> planck_fraction;  ///< plank_fraction [1]: as `major`
  std::vector<double> angle_fit;        ///< optimal_angle_fit: (band, {slope, intercept}); may be empty

  // Of the shortwave; empty in the longwave.
  std::array<std::vector<double>, nhalf> rayleigh;  ///< rayl_lower, rayl_upper [cm2]: (temperature, mixing, g-point)
  std::vector<double> solar_quiet;                  ///< solar_source_quiet [W m-2]: (g-point)
  std::vector<double> solar_facular;                ///< solar_source_facular [W m-2]: (g-point)
  std::vector<double> solar_sunspot;                ///< solar_source_sunspot [W m-2]: (g-point)
  double mg_default = 0;                            ///< facular index where the caller gives none
  double sb_default = 0;                            ///< sunspot index where the caller gives none

  bool is_longwave() const { return !planck.empty(); }
  int nband() const { return static_cast<int>(bands.size()); }
  int nlevel() const { return static_cast<int>(pressure.size()); }
  int ntemperature() const { return static_cast<int>(temperature.size()); }
};

/// \brief Refuses a k-distribution that cannot be computed with.
/// \throws parhelion::Error that names file, variable and index (from 0), what was found and what was expected
void check(KDistribution const& k);

/// The gases of a k-distribution that parhelion knows.
GasSet known_gases(KDistribution const& k);

/// \brief The gases that must be offered: water vapour and the key species of all bands.
/// \throws parhelion::Error where one of them is not among the gases that parhelion knows
GasSet required_gases(KDistribution const& k);

/// \brief What a set of gases makes of a k-distribution.
///
/// Gases are numbered by `kept`, from 1; 0 is dry air.
struct SelectedGases {
  std::vector<Gas> kept;  ///< those that are offered and known, in the order of the file

  /// Pairs of key species, without repeats, by bands, lower before upper.
  std::vector<std::array<int, 2>> flavors;
  std::vector<std::array<int, nhalf>> flavor_of_band;  ///< numbers of flavors, from 0

  /// Minor absorption of a gas that is kept.
  struct Minor {
    int interval;     ///< in KDistribution::minor, from 0
    int band;         ///< from 0
    int gas;          ///< that absorbs
    int scaling_gas;  ///< whose mole fraction in moist air scales it; -1: none
    bool scales_with_density;
    bool by_complement;
  };
  std::array<std::vector<Minor>, nhalf> minor;
};

/// \brief Chooses gases. Those of the file that are not offered do not absorb.
/// \param k       checked
/// \param offered gases whose amounts will be given; those that the file does not have are without effect
/// \throws parhelion::Error that names each gas of required_gases() that is not offered, and a band that needs it
SelectedGases select_gases(KDistribution const& k, GasSet const& offered);

/// Weights of the three solar spectra of a k-distribution.
struct SolarWeights {
  double quiet, facular, sunspot;
};

/// What the sun is like. Where something is not given, the k-distribution says it.
struct SolarActivity {
  std::optional<double> total_irradiance = {};  ///< [W m-2], > 0: the spectrum is scaled to it; else it is not scaled
  std::optional<double> mg = {};                ///< facular brightening, the Bremen composite index of Mg II
  std::optional<double> sb = {};                ///< sunspot dimming, the index SPOT67
};

/// \brief Weights of the solar spectra (Coddington et al. 2016, doi:10.1175/BAMS-D-14-00265.1).
/// \param k        of the shortwave, checked
/// \param activity what differs from the k-distribution's own sun
/// \throws parhelion::Error where `k` is of the longwave, or an input is not finite or makes no sun
SolarWeights solar_source(KDistribution const& k, SolarActivity const& activity = {});

}  // namespace parhelion::fluxes::rrtmgp

#endif
