// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMGP_GAS_OPTICS_HPP
#define PARHELION_FLUXES_RRTMGP_GAS_OPTICS_HPP

#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/model_description.hpp>
#include <parhelion/fluxes/rrtmgp/angles.hpp>
#include <parhelion/fluxes/rrtmgp/k_distribution.hpp>
#include <parhelion/fluxes/rrtmgp/particles.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>
#include <parhelion/fluxes/validity.hpp>

#include <memory>
#include <vector>

namespace parhelion::fluxes::rrtmgp {

template <class ExecutionSpace, class Real>
struct Tables;
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct CloudTables;
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct AerosolTables;

/// \brief What drivers and readers need to know of a k-distribution.
/// \param k       of either range
/// \param offered gases whose amounts will be given, see select_gases()
/// \param particles optics of clouds and aerosol
/// \throws parhelion::Error where check() or select_gases() refuse, or the optics of particles are of other bands
ModelDescription describe(KDistribution const& k, GasSet const& offered, Particles const& particles = {});

/// What the device models of both ranges have in common. Immutable; copies share their data.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class Model {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;

  /// Gases are all that parhelion knows.
  ModelSizes sizes() const { return m_facts->description.sizes; }

  /// Temperatures and pressures of layers that the tables span; levels may have any pressure.
  Validity validity() const { return m_facts->description.validity; }

  /// The gases whose amounts count, in the order of the file. All others are without effect.
  std::vector<Gas> const& gases() const { return m_facts->gases; }

  /// Limits of the bands, in which the surface and the fluxes of bands are given.
  std::vector<BandLimits> const& bands() const { return m_facts->description.bands; }

  /// The g-points of each band; those of a band follow those of the band before.
  std::vector<int> const& gpoints() const { return m_facts->description.gpoints; }

  /// Most pairs of rows that the absorption terms of a band may have, for parhelion's own sources.
  std::vector<int> const& pairs() const { return m_facts->pairs; }

  /// What kernels read, for parhelion's own sources.
  Tables<ExecutionSpace, Real> const& tables() const { return *m_tables; }
  CloudTables<ExecutionSpace, Real> const& cloud_tables() const { return *m_clouds; }
  AerosolTables<ExecutionSpace, Real> const& aerosol_tables() const { return *m_aerosol; }

  /// Which particles there are optics of.
  bool has_clouds() const { return m_facts->has_clouds; }
  bool has_aerosol() const { return m_facts->has_aerosol; }

 protected:
  Model(ExecutionSpace const& space, KDistribution const& k, GasSet const& offered, bool longwave,
        Particles const& particles);

 private:
  struct Facts {
    ModelDescription description;
    std::vector<Gas> gases;
    std::vector<int> pairs;
    bool has_clouds, has_aerosol;
  };
  std::shared_ptr<Facts const> m_facts;
  std::shared_ptr<Tables<ExecutionSpace, Real> const> m_tables;
  std::shared_ptr<CloudTables<ExecutionSpace, Real> const> m_clouds;
  std::shared_ptr<AerosolTables<ExecutionSpace, Real> const> m_aerosol;
};

/// Longwave gas optics of RRTMGP on a device.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
class Longwave : public Model<ExecutionSpace, Real> {
 public:
  /// \brief Copies the tables to a device; fences.
  /// \param space   execution space instance, whose device they are copied to
  /// \param k       of the longwave; not needed afterwards
  /// \param offered gases whose amounts will be given, see select_gases()
  /// \param angles  of the transfer
  /// \param particles  optics of clouds and aerosol, not needed afterwards
  /// \param scattering by particles; the two-stream method has one angle
  /// \throws parhelion::Error where `k` is of the shortwave, check() or select_gases() refuse, there are other numbers
  ///         of angles, `k` has no fit for optimal ones, or the optics of particles are of other bands or g-points
  Longwave(ExecutionSpace const& space, KDistribution const& k, GasSet const& offered, Angles angles = {},
           Particles const& particles = {}, Scattering scattering = Scattering::none);

  /// The same for the default instance.
  Longwave(KDistribution const& k, GasSet const& offered, Angles angles = {})
      : Longwave(ExecutionSpace(), k, offered, angles) {}

  Angles const& angles() const { return m_angles; }
  Scattering scattering() const { return m_scattering; }

 private:
  Angles m_angles;
  Scattering m_scattering;
};

/// Shortwave gas optics of RRTMGP on a device.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
class Shortwave : public Model<ExecutionSpace, Real> {
 public:
  /// \brief Copies the tables to a device; fences.
  /// \param space   execution space instance, whose device they are copied to
  /// \param k       of the shortwave; not needed afterwards
  /// \param offered gases whose amounts will be given, see select_gases()
  /// \param particles optics of clouds and aerosol, not needed afterwards
  /// \throws parhelion::Error where `k` is of the longwave, check() or select_gases() refuse, or the optics of
  ///         particles are of other bands or g-points
  Shortwave(ExecutionSpace const& space, KDistribution const& k, GasSet const& offered, Particles const& particles = {})
      : Model<ExecutionSpace, Real>(space, k, offered, false, particles) {}

  /// The same for the default instance.
  Shortwave(KDistribution const& k, GasSet const& offered) : Shortwave(ExecutionSpace(), k, offered) {}
};

/// The share of a band that lies above 16000 cm-1, in the ultraviolet and visible, by wavenumber.
double uvvis_share(BandLimits const& band);

/// \brief Optical depth and Planck fraction of every layer and g-point.
///
/// The solver never stores these; this function is for callers who need them.
///
/// \param space           execution space instance; fenced
/// \param model           gas optics
/// \param columns         the atmosphere, with all gases; layer 0 is next to the surface
/// \param optical_depth   vertical absorption optical depth [1], (ncol, nlay, ngpoint), overwritten
/// \param planck_fraction share of the g-point in the Planck radiance of its band [1], (ncol, nlay, ngpoint),
///                        overwritten
/// \throws parhelion::Error on mismatched extents, before anything is enqueued
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_optical_depths(ExecutionSpace const& space, Longwave<ExecutionSpace, Real> const& model,
                            Columns<ExecutionSpace, Real> const& columns,
                            Array<Real***, ExecutionSpace> const& optical_depth,
                            Array<Real***, ExecutionSpace> const& planck_fraction);

/// \brief Optical depths of absorption and of Rayleigh scattering of every layer and g-point.
/// \param space      execution space instance; fenced
/// \param model      gas optics
/// \param columns    the atmosphere, with all gases; layer 0 is next to the surface
/// \param absorption vertical optical depth of absorption [1], (ncol, nlay, ngpoint), overwritten
/// \param rayleigh   that of Rayleigh scattering [1], (ncol, nlay, ngpoint), overwritten
/// \throws parhelion::Error on mismatched extents, before anything is enqueued
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_optical_depths(ExecutionSpace const& space, Shortwave<ExecutionSpace, Real> const& model,
                            ShortwaveColumns<ExecutionSpace, Real> const& columns,
                            Array<Real***, ExecutionSpace> const& absorption,
                            Array<Real***, ExecutionSpace> const& rayleigh);

}  // namespace parhelion::fluxes::rrtmgp

#endif
