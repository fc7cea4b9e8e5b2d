// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_INTEROP_FORTRAN_DROP_IN_HPP
#define PARHELION_INTEROP_FORTRAN_DROP_IN_HPP

#include <parhelion.h>

#include "clouds/subcolumn_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// \file
/// What the drop-ins for RRTMG_LW and RRTMG_SW have in common: the settings of the environment, a solver for each
/// calling thread, errors, subcolumns, and the line of counts at the end.
namespace parhelion::drop_in {

/// An error with the status that Fortran gets.
struct Failure {
  int status;
  std::string message;
};

/// The message of this thread's last error.
std::string& last_message();

/// Passes on the message of a function of the C interface that failed.
void check(int status);

/// Runs an action and gives its status.
template <class Action>
int guarded(Action const& action) noexcept {
  try {
    action();
    return PARHELION_SUCCESS;
  } catch (Failure const& failure) {
    last_message() = failure.message;
    return failure.status;
  } catch (std::bad_alloc const&) {
    last_message() = "not enough memory";
    return PARHELION_ERROR_MEMORY;
  } catch (std::exception const& error) {
    last_message() = error.what();
    return PARHELION_ERROR_INTERNAL;
  }
}

/// What the environment and the initialization of a drop-in say; a solver with other settings is made anew.
struct Settings {
  int generation = 0;  ///< 0 before the initialization
  std::string space;   ///< empty: the default one
  int precision = PARHELION_FLOAT64;
  int checks = PARHELION_CHECK_CLIP;
  int transmittance = PARHELION_TRANSMITTANCE_TABLE;
  bool draw = false;
  double heat_capacity = 0;
  double gravity = 0;
};

/// \brief The settings that variables of the environment ask for.
/// \param variables their names without what they are about, such as "PARHELION_RRTMG_LW_"
Settings settings_of_environment(std::string const& variables, double heat_capacity, double gravity, int precision);

/// Whether two settings are the same, whatever their generations.
bool same(Settings const& a, Settings const& b);

using Counts = std::map<std::string, long long>;

/// Adds a text such as "3 of temperature_lay, 1 of h2o" to counts by name.
void add_counts(Counts& counts, std::string const& text);

/// A drop-in, as the end of the program sees it.
class Library {
 public:
  Library() = default;
  Library(Library const&) = delete;
  Library& operator=(Library const&) = delete;
  virtual ~Library() = default;

  virtual char const* name() const = 0;
  virtual Counts counts() = 0;
};

/// \brief Initializes parhelion for a drop-in that has not been before. At the end of the program its counts are
///        written, and when all have been, parhelion is finalized. The library must live as long as the program.
void begin_library(Library& library);

/// Only one thread initializes at a time.
std::mutex& initialization();

/// What the calls of a thread may ask for; a solver has memory for these.
struct Needs {
  std::int64_t ncol = 0;
  std::int64_t nlay = 0;
  unsigned features = 0;  ///< bits, by the drop-in

  bool has(unsigned feature) const { return (features & feature) != 0; }
  bool covers(Needs const& other) const {
    return ncol >= other.ncol && nlay >= other.nlay && (features & other.features) == other.features;
  }
  void add(Needs const& other) {
    ncol = std::max(ncol, other.ncol);
    nlay = std::max(nlay, other.nlay);
    features |= other.features;
  }
};

/// What all threads of a drop-in share. `Kind` says which solver it has.
template <class Kind>
class Shared;

/// The solver of a thread, and memory for what it has to prepare.
template <class Kind>
class Worker {
 public:
  using Solver = typename Kind::Solver;

  Worker() {
    std::lock_guard const lock(Shared<Kind>::get().mutex);
    Shared<Kind>::get().workers.insert(this);
  }
  Worker(Worker const&) = delete;
  Worker& operator=(Worker const&) = delete;
  ~Worker() {
    std::lock_guard const lock(Shared<Kind>::get().mutex);
    release();
    Shared<Kind>::get().workers.erase(this);
  }

  /// That of the calling thread.
  static Worker& get() {
    thread_local Worker worker;
    return worker;
  }

  /// The counts of this solver. The caller holds the mutex.
  void add_counts_to(Counts& counts) const {
    if (m_solver == nullptr) return;
    char text[1024] = "";
    if (Kind::counts(m_solver, text, sizeof text, nullptr) == PARHELION_SUCCESS) add_counts(counts, text);
  }

  /// The solver for a call, which is made if there is none that can serve it.
  Solver* solver(Needs const& needs) {
    auto& shared = Shared<Kind>::get();
    if (m_solver != nullptr && m_settings.generation == shared.generation && m_needs.covers(needs)) return m_solver;
    std::lock_guard const lock(shared.mutex);
    auto const& settings = shared.settings;
    m_needs.add(needs);
    auto options = Kind::options(m_needs);
    options.size = sizeof options;
    options.space = settings.space.empty() ? nullptr : settings.space.c_str();
    options.precision = settings.precision;
    options.ncol = m_needs.ncol;
    options.nlay = m_needs.nlay;
    options.clear = 1;
    options.transmittance = settings.transmittance;
    options.checks = settings.checks;
    options.out_of_range = PARHELION_OUT_OF_RANGE_EXTRAPOLATE;
    options.heat_capacity = settings.heat_capacity;
    options.gravity = settings.gravity;
    // The one before goes last, so that both share coefficients.
    Solver* solver = nullptr;
    check(Kind::create(&options, &solver));
    release();
    m_solver = solver;
    m_settings = settings;
    return m_solver;
  }

  Settings const& settings() const { return m_settings; }

  /// Memory for `count` entries, which grows where it is too small.
  template <class Real>
  Real* memory(std::size_t which, std::size_t count) {
    if (m_memory.size() <= which) m_memory.resize(which + 1);
    auto& bytes = m_memory[which];
    if (bytes.size() < count * sizeof(Real)) bytes.resize(count * sizeof(Real));
    return reinterpret_cast<Real*>(bytes.data());
  }

 private:
  void release() {
    if (m_solver == nullptr) return;
    add_counts_to(Shared<Kind>::get().past_counts);
    Kind::destroy(m_solver);
    m_solver = nullptr;
  }

  Solver* m_solver = nullptr;
  Needs m_needs;
  Settings m_settings;
  std::vector<std::vector<unsigned char>> m_memory;
};

template <class Kind>
class Shared final : public Library {
 public:
  std::mutex mutex;  ///< of the members below
  Settings settings;
  std::set<Worker<Kind>*> workers;
  Counts past_counts;               ///< of solvers that exist no more
  std::atomic<int> generation = 0;  ///< of the settings, when all is initialized

  /// It is never destroyed, as threads may outlive the static objects of a library.
  static Shared& get() {
    static auto* const shared = new Shared;
    return *shared;
  }

  char const* name() const override { return Kind::name; }
  Counts counts() override {
    std::lock_guard const lock(mutex);
    auto result = past_counts;
    for (auto const* const worker : workers) worker->add_counts_to(result);
    return result;
  }
};

/// Reads the settings of the environment and, at the first time, initializes parhelion and finds coefficients.
template <class Kind>
void initialize(double heat_capacity, double gravity, int precision) {
  if (!(heat_capacity > 0))
    throw Failure{PARHELION_ERROR_VALUE, fmt::format("{}_ini: cpdair = {}, expected > 0", Kind::name, heat_capacity)};
  Settings settings = settings_of_environment(Kind::variables, heat_capacity, gravity, precision);
  std::lock_guard const only_this_thread(initialization());
  auto& shared = Shared<Kind>::get();
  bool const first = shared.generation == 0;
  if (!first && same(settings, shared.settings)) return;
  if (first) check(parhelion_initialize(nullptr));
  {
    std::lock_guard const lock(shared.mutex);
    settings.generation = shared.settings.generation + 1;
    shared.settings = settings;
  }
  if (first) {
    // Nobody finds out at the first time step that there are no coefficients.
    Needs needs;
    needs.ncol = needs.nlay = 1;
    Worker<Kind>::get().solver(needs);
    begin_library(shared);
  }
  shared.generation = settings.generation;
}

/// Refuses calls before the initialization.
template <class Kind>
void require_initialized() {
  if (Shared<Kind>::get().generation == 0)
    throw Failure{PARHELION_ERROR_STATE, fmt::format("{0} has been called before {0}_ini", Kind::name)};
}

/// Entries of an array of the caller, by index.
template <class Real>
class Entries {
 public:
  explicit Entries(parhelion_array const& array)
      : m_data(static_cast<Real*>(array.data)), m_stride{array.stride[0], array.stride[1], array.stride[2]} {}
  Real& operator()(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0) const {
    return m_data[i * m_stride[0] + j * m_stride[1] + k * m_stride[2]];
  }
  explicit operator bool() const { return m_data != nullptr; }

 private:
  Real* m_data;
  std::int64_t m_stride[3];
};

/// Calls an action with a value of the type that an array has.
template <class Action>
void for_type_of(parhelion_array const& array, char const* name, Action const& action) {
  if (array.type == PARHELION_FLOAT64) return action(double{});
  if (array.type == PARHELION_FLOAT32) return action(float{});
  throw Failure{PARHELION_ERROR_SHAPE, fmt::format("the strides of {} are no multiples of its entries", name)};
}

/// An array without gaps in memory of a worker, with the column fastest; `last` is 0 where it has no third index.
parhelion_array own_array(void* data, std::int32_t type, std::int64_t ncol, std::int64_t second, std::int64_t last = 0);

/// The same values for all g-points.
parhelion_array for_all_gpoints(parhelion_array array, std::int64_t ngpt);

/// One integer for all columns.
parhelion_array integer(std::int32_t& value);

/// \brief A number for the subcolumns of a column, from the pressures of its lowest four layers: it does not depend on
///        how columns are divided among calls, and changes with the weather.
std::uint32_t column_number(std::array<double, 4> const& pressures, std::int64_t nlay);

/// \brief Calls action(column, layer, gpoint, cloudy) for all of them.
/// \param correlation with the layer below; may be absent without exponential overlap
template <class Real, class Action>
void draw(fluxes::Overlap overlap, std::int32_t seed, std::int64_t ncol, std::int64_t nlay, int ngpt,
          Entries<Real const> const& pressure, Entries<Real const> const& fraction,
          Entries<Real const> const& correlation, Action const& action) {
  namespace Impl = fluxes::Impl;
  for (std::int64_t column = 0; column < ncol; ++column) {
    std::array<double, 4> lowest{};
    for (std::int64_t layer = 0; layer < std::min<std::int64_t>(nlay, 4); ++layer)
      lowest[static_cast<std::size_t>(layer)] = double(pressure(column, layer));
    std::uint32_t const number = column_number(lowest, nlay);
    for (int gpoint = 0; gpoint < ngpt; ++gpoint) {
      Impl::SubcolumnWalk walk{overlap, static_cast<std::uint32_t>(seed), number, static_cast<std::uint32_t>(gpoint)};
      Impl::LayerCloudiness above(0, 0);
      for (auto layer = static_cast<int>(nlay) - 1; layer >= 0; --layer) {
        bool const follows = correlation && layer + 1 < nlay;
        Impl::LayerCloudiness const here(std::clamp(double(fraction(column, layer)), 0., 1.),
                                         follows ? std::max(0., double(correlation(column, layer + 1))) : 0.);
        action(column, layer, gpoint, walk.is_cloudy(layer, here, above));
        above = here;
      }
    }
  }
}

/// Refuses an overlap of subcolumns that there is not; 4 and 5 need `alpha`.
void check_overlap(char const* where, int overlap, parhelion_array const& alpha);

/// \brief Cloud fractions of g-points from those of layers: all g-points of a layer are cloudy or none, or they are
///        drawn.
///
/// Fractions within 1e-6 of 0 and 1, where the originals have their limit, are those, and so is any fraction of a layer
/// without water.
/// \param fraction,play (column, layer)
/// \param has_water     (column, layer) -> bool
/// \param worker        whose memory 0 holds the result
template <class Kind, class Real, class HasWater>
parhelion_array fractions_of_gpoints(parhelion_array const& fraction, parhelion_array const& play, int overlap,
                                     HasWater const& has_water, Worker<Kind>& worker) {
  constexpr double tolerance = 1e-6;
  constexpr int ngpt = Kind::ngpt;
  Entries<Real const> const fractions(fraction);
  auto const ncol = fraction.extent[0];
  auto const nlay = fraction.extent[1];
  auto const size = static_cast<std::size_t>(ncol * nlay);
  bool const drawn = worker.settings().draw;
  Real* const cloudy = worker.template memory<Real>(0, size * (drawn ? ngpt : 1));
  auto const result = own_array(cloudy, fraction.type, ncol, nlay, ngpt);
  if (drawn) {
    draw(static_cast<fluxes::Overlap>(overlap), 0, ncol, nlay, ngpt, Entries<Real const>(play), fractions,
         Entries<Real const>(parhelion_array{}), [&](std::int64_t column, std::int64_t layer, int gpoint, bool is) {
           cloudy[(gpoint * nlay + layer) * ncol + column] = is ? 1 : 0;
         });
    return result;
  }
  for (std::int64_t layer = 0; layer < nlay; ++layer) {
    for (std::int64_t column = 0; column < ncol; ++column) {
      auto const value = double(fractions(column, layer));
      bool const overcast = value > 1 - tolerance;
      if (!(value < tolerance || overcast) && has_water(column, layer))
        throw Failure{PARHELION_ERROR_VALUE,
                      fmt::format("cldfr({}, {}) = {}, expected 0 or 1: {} without McICA does not compute partly "
                                  "cloudy layers; with {}FRACTIONS=draw it draws subcolumns",
                                  column + 1, layer + 1, value, Kind::name, Kind::variables)};
      cloudy[layer * ncol + column] = overcast ? 1 : 0;
    }
  }
  return for_all_gpoints(result, ngpt);
}

/// Optical properties of g-points from those of bands, (column, layer, band), in memory `which` of a worker.
template <class Kind, class Real>
parhelion_array of_gpoints(parhelion_array const& of_bands, Worker<Kind>& worker, std::size_t which) {
  constexpr int ngpt = Kind::ngpt;
  Entries<Real const> const values(of_bands);
  auto const ncol = of_bands.extent[0];
  auto const nlay = of_bands.extent[1];
  Real* const result = worker.template memory<Real>(which, static_cast<std::size_t>(ncol * nlay * ngpt));
  auto const& band = Kind::band_of_gpoint();
  for (int gpoint = 0; gpoint < ngpt; ++gpoint) {
    for (std::int64_t layer = 0; layer < nlay; ++layer) {
      for (std::int64_t column = 0; column < ncol; ++column)
        result[(gpoint * nlay + layer) * ncol + column] = values(column, layer, band[gpoint]);
    }
  }
  return own_array(result, of_bands.type, ncol, nlay, ngpt);
}

/// Which band each g-point is of, from the bands.
template <class Bands>
std::vector<int> bands_of_gpoints(Bands const& bands) {
  std::vector<int> result;
  for (std::size_t band = 0; band < bands.size(); ++band)
    result.insert(result.end(), static_cast<std::size_t>(bands[band].ng), static_cast<int>(band));
  return result;
}

}  // namespace parhelion::drop_in

#endif
