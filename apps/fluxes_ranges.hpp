// SPDX-License-Identifier: BSD-3-Clause
// The longwave and the shortwave of `parhelion fluxes`: each is planned, computed and reported in the same way.
#ifndef PARHELION_APPS_FLUXES_RANGES_HPP
#define PARHELION_APPS_FLUXES_RANGES_HPP

#include "fluxes_models.hpp"
#include "fluxes_options.hpp"
#include "ranks.hpp"

#include <parhelion/core/host_driver.hpp>
#include <parhelion/fluxes/gas_optics_data.hpp>
#include <parhelion/io/radiation_files.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::Apps {

/// What a run has read, before either range is computed.
struct FluxesInput {
  FluxesArguments const& arguments;
  io::RadiationInput atmosphere = {};
  /// Gases that the file does not have, and the mole fractions that the model takes for them.
  std::vector<DefaultGas> defaults = {};
  OutOfRangeCounts beyond_tables = {};  ///< of ecCKD, where the ends of the tables hold
  std::string space = {};               ///< execution space

  /// Whether this rank has columns.
  bool busy() const { return !atmosphere.sites.empty(); }
};

/// A flux whose means are in the summary.
struct PrintedFlux {
  std::string head;
  HostArray<double*> of_column;  ///< of the columns of this rank [W m-2]
};

/// One range of wavelengths. Functions that say so are collective.
class SpectralRange {
 public:
  SpectralRange() = default;
  SpectralRange(SpectralRange const&) = delete;
  SpectralRange& operator=(SpectralRange const&) = delete;
  virtual ~SpectralRange() = default;

  /// "longwave"
  virtual std::string name() const = 0;
  /// "RRTMG_LW"
  virtual std::string model() const = 0;

  /// Plans the work of this rank, which has columns.
  virtual HostPlan plan() = 0;
  /// Results of the range for each column and level, in reals of 8 bytes.
  virtual std::size_t values_of_level() const = 0;
  /// Computes what this rank has, if anything.
  virtual void compute() = 0;
  /// The fluxes that are printed, of the columns that this rank has computed.
  virtual std::vector<PrintedFlux> printed() const = 0;
  /// Completes the report on the first rank, and the results, too, where it writes them all; collective.
  virtual void gather(bool results) = 0;

  /// Adds the results to those that are written.
  virtual void add_to(io::RadiationResult& result) = 0;
  virtual HostReport const& report() const = 0;
  /// Values of clouds that were clipped, and the same in words; 0 and "" where there were none.
  virtual int clipped() const = 0;
  virtual std::string describe_clipped() const = 0;
  /// Adds what is said of the range in the attributes of the result.
  virtual void describe(io::Attributes& attributes) const = 0;
};

/// \brief The longwave.
/// \param input lives longer, and is complete when plan() is called
/// \param data  of the gas optics, which lives longer
/// \param file  that it is of; empty for the simple spectral model
std::unique_ptr<SpectralRange> make_longwave(FluxesInput& input, fluxes::LongwaveData const& data,
                                             std::string const& file);

/// The shortwave.
std::unique_ptr<SpectralRange> make_shortwave(FluxesInput& input, fluxes::ShortwaveData const& data,
                                              std::string const& file);

// --- what both do alike ---

/// Columns that all ranks compute.
std::size_t columns_of_file(io::RadiationInput const& input);

/// Shows the progress of a range.
std::function<bool(std::int64_t done, std::int64_t all)> progress_of_range(FluxesInput const& input,
                                                                           std::string const& range);

/// A flux at one level of all columns.
HostArray<double*> at_level(HostArray<double**> const& flux, int level);

/// Completes on the first rank an array over the columns; collective.
template <KokkosView View>
void gather_columns(io::RadiationInput const& input, View& array) {
  ranks().gather(array, ranks().ranges(static_cast<std::size_t>(input.nsite_of_file)),
                 std::max<std::size_t>(input.experiments.size(), 1));
}

/// Completes arrays of results on the first rank; collective.
template <class Fluxes>
void gather_fluxes(io::RadiationInput const& input, Fluxes& fluxes) {
  Fluxes::for_each_array([&](ArrayDescription const&, auto& array) { gather_columns(input, array); }, fluxes);
}

/// Sums up what was clipped and takes the longest times of all ranks; collective.
template <class Report>
void gather_report(Report& report) {
  auto& clipped = report.clipped;
  std::vector<double> const of_this_rank{double(clipped.fractions), double(clipped.water_paths), double(clipped.sizes),
                                         double(clipped.optical_depths), double(clipped.optical_properties)};
  auto const counts = ranks().sums(of_this_rank);
  clipped = {int(counts[0]), int(counts[1]), int(counts[2]), int(counts[3]), int(counts[4])};
  auto const seconds = ranks().largest(std::vector<double>{report.solve_seconds, report.total_seconds});
  report.solve_seconds = seconds[0];
  report.total_seconds = seconds[1];
}

}  // namespace parhelion::Apps

#endif
