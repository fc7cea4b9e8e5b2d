// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_ECCKD_GAS_OPTICS_HPP
#define PARHELION_FLUXES_ECCKD_GAS_OPTICS_HPP

#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/ecckd/definition.hpp>
#include <parhelion/fluxes/model_description.hpp>
#include <parhelion/fluxes/model_sizes.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>
#include <parhelion/fluxes/validity.hpp>

#include <memory>
#include <vector>

namespace parhelion::fluxes::rrtmgp {
struct CloudOptics;
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct CloudTables;
}  // namespace parhelion::fluxes::rrtmgp

namespace parhelion::fluxes::ecckd {

template <class ExecutionSpace, class Real>
struct Tables;

/// \brief Where ecCKD computes. Its rules for what lies outside its tables are part of the model (see TableRanges), so
///        that only temperatures outside of 100 to 400 K are out of its range.
Validity model_validity();

/// \brief What drivers and readers need to know of a definition.
/// \param definition of either range
/// \param clouds     optics of clouds, see average_clouds(); nullptr: there are no clouds
/// \throws parhelion::Error where check() refuses the definition, or the optics are not by its g-points
ModelDescription describe(Definition const& definition, rrtmgp::CloudOptics const* clouds = nullptr);

/// \brief What the tables of a definition span. Outside, absorption coefficients are those at the end of the table, and
///        amounts are not limited; Planck functions follow temperature in proportion below their table, and on the
///        line through its last two entries above it.
struct TableRanges {
  ValidRange temperature;  ///< of layers [K]: the lowest and the highest at any pressure
  ValidRange pressure;     ///< of layers [Pa]
  ValidRange planck;       ///< temperature [K] of levels and of the surface; of the shortwave 0 to infinity
  struct OfGas {
    Gas gas;
    ValidRange mole_fraction;  ///< [mol mol-1]
  };
  std::vector<OfGas> gases;  ///< those whose coefficients depend on their amount
};
TableRanges table_ranges(Definition const& definition);

/// What the device models of both ranges have in common. Immutable; copies share their data.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class Model {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;

  ModelSizes sizes() const { return m_facts->description.sizes; }
  Validity validity() const { return m_facts->description.validity; }

  /// What lies outside of these is counted, and neither refused nor changed.
  TableRanges const& table_ranges() const { return m_facts->ranges; }

  /// The gases whose amounts count, in the order of the file. All but these are without effect; what is not given
  /// counts as zero.
  std::vector<Gas> const& gases() const { return m_facts->gases; }

  /// Limits of the bands, in which the surface and the fluxes of bands are given.
  std::vector<BandLimits> const& bands() const { return m_facts->description.bands; }

  /// The band of each g-point, from 0.
  std::vector<int> const& band_of_gpoints() const { return m_facts->band_of_gpoints; }

  /// Share of each g-point in the irradiance of the sun, adding up to 1; empty in the longwave.
  std::vector<double> const& solar_share() const { return m_facts->solar_share; }

  /// Share of each g-point from 16000 cm-1 up, see share_above().
  std::vector<double> const& uvvis_share() const { return m_facts->uvvis_share; }

  /// Whether there are optics of clouds. There are none of aerosol.
  bool has_clouds() const { return m_facts->has_clouds; }
  bool has_aerosol() const { return false; }

  /// What kernels read, for parhelion's own sources.
  Tables<ExecutionSpace, Real> const& tables() const { return *m_tables; }
  rrtmgp::CloudTables<ExecutionSpace, Real> const& cloud_tables() const { return *m_clouds; }

 protected:
  Model(ExecutionSpace const& space, Definition const& definition, bool longwave, rrtmgp::CloudOptics const* clouds);

 private:
  struct Facts {
    ModelDescription description;
    TableRanges ranges;
    std::vector<Gas> gases;
    std::vector<int> band_of_gpoints;
    std::vector<double> solar_share, uvvis_share;
    bool has_clouds;
  };
  std::shared_ptr<Facts const> m_facts;
  std::shared_ptr<Tables<ExecutionSpace, Real> const> m_tables;
  std::shared_ptr<rrtmgp::CloudTables<ExecutionSpace, Real> const> m_clouds;
};

/// \brief Longwave gas optics of ecCKD on a device: one list of absorption terms for all g-points.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
class Longwave : public Model<ExecutionSpace, Real> {
 public:
  /// \brief Copies the tables to a device; fences.
  /// \param space      execution space instance, whose device they are copied to
  /// \param definition of the longwave; not needed afterwards
  /// \param clouds     optics of clouds, see average_clouds(), not needed afterwards; nullptr: there are no clouds
  /// \throws parhelion::Error where the definition is of the shortwave, check() refuses it, or the optics are not by
  ///         its g-points
  Longwave(ExecutionSpace const& space, Definition const& definition, rrtmgp::CloudOptics const* clouds = nullptr)
      : Model<ExecutionSpace, Real>(space, definition, true, clouds) {}

  /// The same for the default instance.
  explicit Longwave(Definition const& definition) : Longwave(ExecutionSpace(), definition) {}
};

/// The same of the shortwave.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
class Shortwave : public Model<ExecutionSpace, Real> {
 public:
  /// \param space      execution space instance, whose device they are copied to
  /// \param definition of the shortwave; not needed afterwards
  /// \param clouds     as above
  /// \throws parhelion::Error as above, where the definition is of the longwave
  Shortwave(ExecutionSpace const& space, Definition const& definition, rrtmgp::CloudOptics const* clouds = nullptr)
      : Model<ExecutionSpace, Real>(space, definition, false, clouds) {}

  explicit Shortwave(Definition const& definition) : Shortwave(ExecutionSpace(), definition) {}
};

/// \brief Optical depth of every layer and g-point, and Planck functions of levels and of the surface.
///
/// The solver never stores these; this function is for callers who need them. Layers have the means of pressure and of
/// temperature, weighted by pressure, of the levels around them; pressure_lay and temperature_lay are not read.
///
/// \param space         execution space instance; work is enqueued there and not fenced
/// \param model         gas optics
/// \param columns       the atmosphere; layer 0 is next to the surface
/// \param optical_depth vertical absorption optical depth [1], (ncol, nlay, ngpoint), overwritten, >= 0
/// \param planck_lev    Planck irradiance of levels, with pi [W m-2], (ncol, nlay + 1, ngpoint), overwritten
/// \param planck_sfc    the same of the surface, without its emissivity [W m-2], (ncol, ngpoint), overwritten
/// \throws parhelion::Error on mismatched extents, before anything is enqueued
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_optical_depths(ExecutionSpace const& space, Longwave<ExecutionSpace, Real> const& model,
                            Columns<ExecutionSpace, Real> const& columns,
                            Array<Real***, ExecutionSpace> const& optical_depth,
                            Array<Real***, ExecutionSpace> const& planck_lev,
                            Array<Real**, ExecutionSpace> const& planck_sfc);

/// \brief Optical depths of absorption and of Rayleigh scattering of every layer and g-point.
///
/// As above. Columns need temperature_lev.
///
/// \param space      execution space instance; work is enqueued there and not fenced
/// \param model      gas optics
/// \param columns    the atmosphere; layer 0 is next to the surface
/// \param absorption vertical optical depth of absorption [1], (ncol, nlay, ngpoint), overwritten, >= 0
/// \param rayleigh   that of Rayleigh scattering [1], (ncol, nlay, ngpoint), overwritten
/// \throws parhelion::Error on mismatched extents, before anything is enqueued
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_optical_depths(ExecutionSpace const& space, Shortwave<ExecutionSpace, Real> const& model,
                            ShortwaveColumns<ExecutionSpace, Real> const& columns,
                            Array<Real***, ExecutionSpace> const& absorption,
                            Array<Real***, ExecutionSpace> const& rayleigh);

}  // namespace parhelion::fluxes::ecckd

#endif
