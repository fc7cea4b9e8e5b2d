// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_GAS_OPTICS_DATA_HPP
#define PARHELION_FLUXES_GAS_OPTICS_DATA_HPP

#include <parhelion/fluxes/model_description.hpp>
#include <parhelion/fluxes/rrtmgp/angles.hpp>
#include <parhelion/fluxes/rrtmgp/particles.hpp>
#include <parhelion/fluxes/sun.hpp>

#include <cstddef>
#include <string>
#include <variant>

namespace parhelion::fluxes {

class Coefficients;
class ShortwaveCoefficients;
namespace ecckd {
struct Definition;
}
namespace rrtmgp {

struct KDistribution;
struct CloudOptics;

/// What a calculation of the longwave with RRTMGP is set up with.
struct LongwaveSetup {
  KDistribution const* k = nullptr;  ///< of the longwave
  GasSet gases = GasSet::all();      ///< offered: gases whose amounts will be given; others do not absorb
  Angles angles = {};
  Particles particles = {};  ///< with optics of the longwave
  Scattering scattering = Scattering::none;
};

/// The same of the shortwave.
struct ShortwaveSetup {
  KDistribution const* k = nullptr;  ///< of the shortwave
  GasSet gases = GasSet::all();
  Particles particles = {};  ///< with optics of the shortwave
};

}  // namespace rrtmgp

/// The data of the simple spectral model, which needs none.
struct SimpleSpectralData {};

/// \brief The data of the gas optics of the longwave: that of one of the models.
///
/// It refers to the data, which must outlive the object, but not what is made of it.
class LongwaveData {
 public:
  using Data = std::variant<SimpleSpectralData, Coefficients const*, ecckd::Definition const*, rrtmgp::LongwaveSetup>;

  /// The simple spectral model.
  LongwaveData(SimpleSpectralData) {}  // NOLINT(google-explicit-constructor)
  /// RRTMG_LW.
  LongwaveData(Coefficients const& coefficients) : m_data(&coefficients) {}  // NOLINT(google-explicit-constructor)
  /// ecCKD, with a definition of the longwave, and optics of clouds, see ecckd::average_clouds(); nullptr: no clouds.
  LongwaveData(ecckd::Definition const& definition,  // NOLINT(google-explicit-constructor)
               rrtmgp::CloudOptics const* clouds = nullptr)
      : m_data(&definition), m_ecckd_clouds(clouds) {}
  /// RRTMGP.
  LongwaveData(rrtmgp::LongwaveSetup const& setup) : m_data(setup) {}  // NOLINT(google-explicit-constructor)

  Data const& data() const { return m_data; }

  /// \throws parhelion::Error where data are of the shortwave, or gases that they need are not offered
  ModelDescription description() const;

  /// Optics of clouds of ecCKD; nullptr where there are none.
  rrtmgp::CloudOptics const* ecckd_clouds() const { return m_ecckd_clouds; }
  /// Whether there are optics of clouds, or clouds need none of their own.
  bool has_cloud_optics() const;

 private:
  Data m_data;
  rrtmgp::CloudOptics const* m_ecckd_clouds = nullptr;
};

/// The same of the shortwave.
class ShortwaveData {
 public:
  using Data = std::variant<ShortwaveCoefficients const*, ecckd::Definition const*, rrtmgp::ShortwaveSetup>;

  /// RRTMG_SW.
  ShortwaveData(ShortwaveCoefficients const& coefficients)  // NOLINT(google-explicit-constructor)
      : m_data(&coefficients) {}
  /// ecCKD, with a definition of the shortwave, and optics of clouds as in LongwaveData.
  ShortwaveData(ecckd::Definition const& definition,  // NOLINT(google-explicit-constructor)
                rrtmgp::CloudOptics const* clouds = nullptr)
      : m_data(&definition), m_ecckd_clouds(clouds) {}
  /// RRTMGP.
  ShortwaveData(rrtmgp::ShortwaveSetup const& setup) : m_data(setup) {}  // NOLINT(google-explicit-constructor)

  Data const& data() const { return m_data; }

  /// \throws parhelion::Error as above
  ModelDescription description() const;

  rrtmgp::CloudOptics const* ecckd_clouds() const { return m_ecckd_clouds; }
  bool has_cloud_optics() const;

 private:
  Data m_data;
  rrtmgp::CloudOptics const* m_ecckd_clouds = nullptr;
};

/// \brief The sun of a model, as the weights of solar spectra that its calls take.
///
/// Those of RRTMG_SW are those of solar_source(SolarOptions). ecCKD has one spectrum, whose weight is the irradiance
/// [W m-2]. RRTMGP has the three of NRLSSI2: `indices`, with SolarVariability::indices, are those of Mg II and of
/// sunspots (SPOT67); what is not a number of them is as the file says, and so are both without `indices`. The spectrum
/// is scaled to the total irradiance where that is not 0.
///
/// \param data    of the model
/// \param options the distance counts with all models; with ecCKD and RRTMGP, `variability` is mean_cycle or, with
///                RRTMGP, indices, and neither cycle_fraction nor band_factors are given
/// \param where   opens the message
/// \throws parhelion::Error on an option out of its range or one that the model does not have, naming it
SolarSource solar_source(ShortwaveData const& data, SolarOptions const& options, std::string const& where = "sun");

/// The irradiance of the sun of a model where options do not say it [W m-2], at 1 au.
double solar_irradiance(ShortwaveData const& data);

}  // namespace parhelion::fluxes

#endif
