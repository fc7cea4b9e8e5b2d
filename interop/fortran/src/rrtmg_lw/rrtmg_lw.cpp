// SPDX-License-Identifier: BSD-3-Clause

#include "rrtmg_lw.h"

#include "clouds/subcolumn_walk.hpp"

#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using parhelion::fluxes::nbnd;
using parhelion::fluxes::ngpt;

/// An error with the status that Fortran gets.
struct Failure {
  int status;
  std::string message;
};

// The message of this thread's last error.
std::string& last_message() {
  thread_local std::string message;
  return message;
}

/// Passes on the message of a function of the C interface that failed.
void check(int status) {
  if (status == PARHELION_SUCCESS) return;
  std::string message(parhelion_last_error(nullptr, 0), '\0');
  parhelion_last_error(message.data(), message.size());
  message.resize(std::strlen(message.c_str()));
  throw Failure{status, message};
}

/// What the environment and rrtmg_lw_ini() say; a solver that was made with other settings is made anew.
struct Settings {
  int generation = 0;  ///< 0 before rrtmg_lw_ini()
  std::string space;   ///< empty: the default one
  int precision = PARHELION_FLOAT64;
  int checks = PARHELION_CHECK_CLIP;
  int transmittance = PARHELION_TRANSMITTANCE_TABLE;
  bool draw = false;
  double heat_capacity = 0;
  double gravity = 0;
};

/// The value that a variable of the environment stands for; `otherwise` where it is not set or empty.
int choice(char const* variable, std::vector<std::pair<char const*, int>> const& choices, int otherwise) {
  char const* const text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  std::string names;
  for (auto const& [name, value] : choices) {
    if (std::strcmp(name, text) == 0) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw Failure{PARHELION_ERROR_ARGUMENT, fmt::format("{} = '{}', expected {}", variable, text, names)};
}

Settings settings_of_environment(double heat_capacity, double gravity, int precision) {
  Settings settings;
  char const* const space = std::getenv("PARHELION_RRTMG_LW_SPACE");
  if (space != nullptr) settings.space = space;
  settings.precision =
      choice("PARHELION_RRTMG_LW_PRECISION", {{"double", PARHELION_FLOAT64}, {"single", PARHELION_FLOAT32}}, precision);
  settings.checks =
      choice("PARHELION_RRTMG_LW_CHECKS",
             {{"refuse", PARHELION_CHECK_REFUSE}, {"clip", PARHELION_CHECK_CLIP}, {"trust", PARHELION_CHECK_TRUST}},
             settings.checks);
  settings.transmittance = choice("PARHELION_RRTMG_LW_TRANSMITTANCE",
                                  {{"table", PARHELION_TRANSMITTANCE_TABLE}, {"exact", PARHELION_TRANSMITTANCE_EXACT}},
                                  settings.transmittance);
  settings.draw = choice("PARHELION_RRTMG_LW_FRACTIONS", {{"stop", 0}, {"draw", 1}}, 0) != 0;
  settings.heat_capacity = heat_capacity;
  settings.gravity = gravity;
  return settings;
}

bool same(Settings const& a, Settings const& b) {
  return a.space == b.space && a.precision == b.precision && a.checks == b.checks &&
         a.transmittance == b.transmittance && a.draw == b.draw && a.heat_capacity == b.heat_capacity &&
         a.gravity == b.gravity;
}

class Worker;

/// What all threads share. It is never destroyed, as threads may outlive the static objects of a library.
struct Shared {
  std::mutex initialization;
  std::mutex mutex;  ///< of the members below
  Settings settings;
  std::set<Worker*> workers;
  std::map<std::string, long long> counts;  ///< of solvers that exist no more
  std::atomic<int> generation = 0;          ///< of the settings, when all is initialized
  std::atomic<bool> stopping = false;
};

Shared& shared() {
  static auto* const shared = new Shared;
  return *shared;
}

/// Adds a text such as "3 of temperature_lay, 1 of h2o" to counts by name.
void add_counts(std::map<std::string, long long>& counts, std::string const& text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    auto const end = std::min(text.find(", ", begin), text.size());
    std::string const item = text.substr(begin, end - begin);
    auto const of = item.find(" of ");
    if (of != std::string::npos) counts[item.substr(of + 4)] += std::atoll(item.c_str());
    begin = end + 2;
  }
}

/// What the calls of a thread may ask for; a solver has memory for these.
struct Needs {
  std::int64_t ncol = 0;
  std::int64_t nlay = 0;
  bool clouds = false;
  bool cloud_optical_depth = false;
  bool derivative = false;
  bool bands = false;

  bool covers(Needs const& other) const {
    return ncol >= other.ncol && nlay >= other.nlay && clouds >= other.clouds &&
           cloud_optical_depth >= other.cloud_optical_depth && derivative >= other.derivative && bands >= other.bands;
  }
  void add(Needs const& other) {
    ncol = std::max(ncol, other.ncol);
    nlay = std::max(nlay, other.nlay);
    clouds = clouds || other.clouds;
    cloud_optical_depth = cloud_optical_depth || other.cloud_optical_depth;
    derivative = derivative || other.derivative;
    bands = bands || other.bands;
  }
};

/// The solver of a thread, and memory for what it has to prepare.
class Worker {
 public:
  Worker() {
    std::lock_guard const lock(shared().mutex);
    shared().workers.insert(this);
  }
  Worker(Worker const&) = delete;
  Worker& operator=(Worker const&) = delete;
  ~Worker() {
    std::lock_guard const lock(shared().mutex);
    release();
    shared().workers.erase(this);
  }

  /// The counts of this solver. The caller holds the mutex.
  void add_counts_to(std::map<std::string, long long>& counts) const {
    if (m_longwave == nullptr) return;
    char text[1024] = "";
    if (parhelion_longwave_counts(m_longwave, text, sizeof text, nullptr) == PARHELION_SUCCESS)
      add_counts(counts, text);
  }

  /// The solver for a call, which is made if there is none that can serve it.
  parhelion_longwave* longwave(Needs const& needs) {
    if (m_longwave != nullptr && m_generation == shared().generation && m_needs.covers(needs)) return m_longwave;
    std::lock_guard const lock(shared().mutex);
    auto const& settings = shared().settings;
    m_needs.add(needs);
    parhelion_longwave_options options{};
    options.size = sizeof options;
    options.space = settings.space.empty() ? nullptr : settings.space.c_str();
    options.precision = settings.precision;
    options.ncol = m_needs.ncol;
    options.nlay = m_needs.nlay;
    options.clouds = m_needs.clouds ? PARHELION_CLOUDS_OF_GPOINTS : PARHELION_CLOUDS_NONE;
    options.cloud_optical_depth = m_needs.cloud_optical_depth;
    options.aerosol = 1;
    options.clear = 1;
    options.derivative = m_needs.derivative;
    options.bands = m_needs.bands;
    options.transmittance = settings.transmittance;
    options.checks = settings.checks;
    options.out_of_range = PARHELION_OUT_OF_RANGE_EXTRAPOLATE;
    options.heat_capacity = settings.heat_capacity;
    options.gravity = settings.gravity;
    // The one before goes last, so that both share coefficients.
    parhelion_longwave* longwave = nullptr;
    check(parhelion_longwave_create(&options, &longwave));
    release();
    m_longwave = longwave;
    m_settings = settings;
    m_generation = settings.generation;
    return m_longwave;
  }

  Settings const& settings() const { return m_settings; }

  /// Memory for `count` entries, which grows where it is too small.
  template <class Real>
  Real* memory(int which, std::size_t count) {
    auto& bytes = m_memory[which];
    if (bytes.size() < count * sizeof(Real)) bytes.resize(count * sizeof(Real));
    return reinterpret_cast<Real*>(bytes.data());
  }

 private:
  void release() {
    if (m_longwave == nullptr) return;
    add_counts_to(shared().counts);
    parhelion_longwave_destroy(m_longwave);
    m_longwave = nullptr;
  }

  parhelion_longwave* m_longwave = nullptr;
  int m_generation = 0;
  Needs m_needs;
  Settings m_settings;
  std::vector<unsigned char> m_memory[4];
};

Worker& worker() {
  thread_local Worker worker;
  return worker;
}

void at_exit() {
  {
    std::lock_guard const lock(shared().mutex);
    auto counts = shared().counts;
    for (Worker const* const worker : shared().workers) worker->add_counts_to(counts);
    std::string line;
    for (auto const& [name, count] : counts) {
      if (count > 0) line += fmt::format("{}{} of {}", line.empty() ? "" : ", ", count, name);
    }
    if (!line.empty())
      fmt::print(stderr, "rrtmg_lw (parhelion): values outside of their range, clipped or extrapolated: {}\n", line);
  }
  if (!shared().stopping) parhelion_finalize();
}

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

/// Entries of an array of the caller, by index.
template <class Real>
class Entries {
 public:
  explicit Entries(parhelion_array const& array)
      : m_data(static_cast<Real*>(array.data)), m_stride{array.stride[0], array.stride[1], array.stride[2]} {}
  Real& operator()(std::int64_t i, std::int64_t j, std::int64_t k = 0) const {
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

std::vector<int> const& band_of_gpoint() {
  static std::vector<int> const bands = [] {
    std::vector<int> result;
    for (int band = 0; band < nbnd; ++band)
      result.insert(result.end(), static_cast<std::size_t>(parhelion::fluxes::bands()[band].ng), band);
    return result;
  }();
  return bands;
}

/// \brief A number for the subcolumns of a column, from the pressures of its lowest four layers: it does not depend on
///        how columns are divided among calls, and changes with the weather.
template <class Real>
std::uint32_t column_number(Entries<Real const> const& pressure, std::int64_t column, std::int64_t nlay) {
  std::uint64_t state = 0;
  for (std::int64_t layer = 0; layer < std::min<std::int64_t>(nlay, 4); ++layer) {
    auto const value = static_cast<double>(pressure(column, layer));
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    // SplitMix64 (Steele, Lea & Flood 2014, doi:10.1145/2660193.2660195).
    state += bits + 0x9e3779b97f4a7c15U;
    state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
    state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
    state ^= state >> 31U;
  }
  return static_cast<std::uint32_t>(state >> 32U);
}

/// \brief Calls action(column, layer, gpoint, cloudy) for all of them.
/// \param correlation with the layer below; may be absent without exponential overlap
template <class Real, class Action>
void draw(parhelion::fluxes::Overlap overlap, std::int32_t seed, std::int64_t ncol, std::int64_t nlay,
          Entries<Real const> const& pressure, Entries<Real const> const& fraction,
          Entries<Real const> const& correlation, Action const& action) {
  namespace Impl = parhelion::fluxes::Impl;
  for (std::int64_t column = 0; column < ncol; ++column) {
    std::uint32_t const number = column_number(pressure, column, nlay);
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

/// An array without gaps in memory of a worker, with the column fastest.
parhelion_array own_array(void* data, std::int32_t type, std::int64_t ncol, std::int64_t nlay, std::int64_t last) {
  parhelion_array array{};
  array.data = data;
  array.type = type;
  array.rank = 3;
  std::int64_t const extents[3] = {ncol, nlay, last};
  std::int64_t const strides[3] = {1, ncol, ncol * nlay};
  std::copy_n(extents, 3, array.extent);
  std::copy_n(strides, 3, array.stride);
  return array;
}

/// The same values for all g-points.
parhelion_array for_all_gpoints(parhelion_array array) {
  array.rank = 3;
  array.extent[2] = ngpt;
  array.stride[2] = 0;
  return array;
}

/// \brief Makes clouds of g-points of clouds of layers: all g-points of a layer are cloudy or none, or they are drawn.
///
/// Fractions within 1e-6 of 0 and 1, where RRTMG_LW has its limit, are those, and so is any fraction of a layer without
/// water.
template <class Real>
void set_layer_clouds(parhelion_rrtmg_lw_call const& call, Worker& worker, parhelion_longwave_input& input) {
  constexpr double tolerance = 1e-6;
  constexpr double least_water = 1e-20;  // [g m-2], of optical depth too; RRTMG_LW neglects what is less
  Entries<Real const> const fraction(call.fraction);
  Entries<Real const> const ice(call.ice_path);
  Entries<Real const> const liquid(call.liquid_path);
  Entries<Real const> const optical_depth(call.optical_depth);
  bool const of_optical_depth = call.inflglw == 0;
  auto const ncol = call.fraction.extent[0];
  auto const nlay = call.fraction.extent[1];
  auto const has_water = [&](std::int64_t column, std::int64_t layer) {
    if (!of_optical_depth) return double(ice(column, layer)) + double(liquid(column, layer)) >= least_water;
    for (int band = 0; band < nbnd; ++band) {
      if (double(optical_depth(column, layer, band)) >= least_water) return true;
    }
    return false;
  };

  auto const type = call.fraction.type;
  auto const size = static_cast<std::size_t>(ncol * nlay);
  bool const drawn = worker.settings().draw;
  Real* const cloudy = worker.memory<Real>(0, size * (drawn ? ngpt : 1));
  input.fraction_gpt = own_array(cloudy, type, ncol, nlay, ngpt);
  if (drawn) {
    Entries<Real const> const pressure(call.play);
    draw(static_cast<parhelion::fluxes::Overlap>(call.icld), 0, ncol, nlay, pressure, fraction,
         Entries<Real const>(parhelion_array{}), [&](std::int64_t column, std::int64_t layer, int gpoint, bool is) {
           cloudy[(gpoint * nlay + layer) * ncol + column] = is ? 1 : 0;
         });
  } else {
    input.fraction_gpt = for_all_gpoints(input.fraction_gpt);
    for (std::int64_t layer = 0; layer < nlay; ++layer) {
      for (std::int64_t column = 0; column < ncol; ++column) {
        auto const value = double(fraction(column, layer));
        bool const overcast = value > 1 - tolerance;
        if (!(value < tolerance || overcast) && has_water(column, layer))
          throw Failure{PARHELION_ERROR_VALUE,
                        fmt::format("cldfr({}, {}) = {}, expected 0 or 1: rrtmg_lw without McICA does not compute "
                                    "partly cloudy layers; with PARHELION_RRTMG_LW_FRACTIONS=draw it draws subcolumns",
                                    column + 1, layer + 1, value)};
        cloudy[layer * ncol + column] = overcast ? 1 : 0;
      }
    }
  }
  input.ice_path_gpt = for_all_gpoints(call.ice_path);
  input.liquid_path_gpt = for_all_gpoints(call.liquid_path);
  if (of_optical_depth) {
    Real* const values = worker.memory<Real>(1, size * ngpt);
    auto const& band = band_of_gpoint();
    for (int gpoint = 0; gpoint < ngpt; ++gpoint) {
      for (std::int64_t layer = 0; layer < nlay; ++layer) {
        for (std::int64_t column = 0; column < ncol; ++column)
          values[(gpoint * nlay + layer) * ncol + column] = optical_depth(column, layer, band[gpoint]);
      }
    }
    input.optical_depth_gpt = own_array(values, type, ncol, nlay, ngpt);
  }
}

/// One integer for all columns.
parhelion_array integer(std::int32_t& value) {
  parhelion_array array{};
  array.data = &value;
  array.type = PARHELION_INT32;
  array.rank = 1;
  array.extent[0] = 1;
  return array;
}

void solve(parhelion_rrtmg_lw_call const& call, parhelion_longwave_input& input, parhelion_longwave_output& output) {
  if (shared().generation == 0) throw Failure{PARHELION_ERROR_STATE, "rrtmg_lw has been called before rrtmg_lw_ini"};
  auto const ncol = input.pressure_lay.extent[0];
  auto const nlay = input.pressure_lay.extent[1];
  Needs needs;
  needs.ncol = ncol;
  needs.nlay = nlay;
  needs.clouds = call.icld != 0;
  needs.cloud_optical_depth = needs.clouds && call.inflglw == 0;
  needs.derivative = output.dflux_up_dt.data != nullptr;
  needs.bands = call.olr_sr.data != nullptr;
  Worker& own = worker();
  parhelion_longwave* const longwave = own.longwave(needs);

  std::int32_t cloud_input = call.inflglw;
  std::int32_t ice_optics = call.iceflglw;
  std::int32_t liquid_optics = call.liqflglw;
  if (needs.clouds) {
    if (call.mcica == 0) {
      for_type_of(call.fraction, "cldfr", [&](auto zero) { set_layer_clouds<decltype(zero)>(call, own, input); });
    }
    if (!needs.cloud_optical_depth) input.optical_depth_gpt = parhelion_array{};
    input.cloud_input = integer(cloud_input);
    input.ice_optics = integer(ice_optics);
    input.liquid_optics = integer(liquid_optics);
  }
  input.pressure_factor = 100;        // hPa
  input.path_factor = 1e-3;           // g m-2
  input.particle_size_factor = 1e-6;  // um
  if (needs.bands) {
    for_type_of(call.olr_sr, "olr_sr", [&](auto zero) {
      using Real = decltype(zero);
      auto const size = static_cast<std::size_t>(ncol * (nlay + 1) * nbnd);
      auto const type = call.olr_sr.type;
      output.flux_up_band = own_array(own.memory<Real>(2, size), type, ncol, nlay + 1, nbnd);
      output.flux_dn_band = own_array(own.memory<Real>(3, size), type, ncol, nlay + 1, nbnd);
    });
  }
  check(parhelion_longwave_solve(longwave, &input, &output, nullptr));
  if (needs.bands) {
    for_type_of(call.olr_sr, "olr_sr", [&](auto zero) {
      using Real = decltype(zero);
      Entries<Real> const result(call.olr_sr);
      Entries<Real const> const up(output.flux_up_band);
      for (int band = 0; band < nbnd; ++band) {
        for (std::int64_t column = 0; column < ncol; ++column) result(column, band) = up(column, nlay, band);
      }
    });
  }
}

}  // namespace

int parhelion_rrtmg_lw_initialize(double heat_capacity, double gravity, int32_t precision) {
  return guarded([&] {
    if (!(heat_capacity > 0))
      throw Failure{PARHELION_ERROR_VALUE, fmt::format("rrtmg_lw_ini: cpdair = {}, expected > 0", heat_capacity)};
    Settings settings = settings_of_environment(heat_capacity, gravity, precision);
    std::lock_guard const initialization(shared().initialization);
    bool const first = shared().generation == 0;
    if (!first && same(settings, shared().settings)) return;
    if (first) check(parhelion_initialize(nullptr));
    {
      std::lock_guard const lock(shared().mutex);
      settings.generation = shared().settings.generation + 1;
      shared().settings = settings;
    }
    if (first) {
      // Nobody finds out at the first time step that there are no coefficients.
      Needs needs;
      needs.ncol = needs.nlay = 1;
      worker().longwave(needs);
      static int const registered = std::atexit(at_exit);
      static_cast<void>(registered);
    }
    shared().generation = settings.generation;
  });
}

int parhelion_rrtmg_lw_solve(const parhelion_rrtmg_lw_call* call, parhelion_longwave_input* input,
                             parhelion_longwave_output* output) {
  return guarded([&] { solve(*call, *input, *output); });
}

int parhelion_rrtmg_lw_subcolumns(int32_t overlap, int32_t seed, const parhelion_array* pressure_lay,
                                  const parhelion_array* fraction, const parhelion_array* ice_path,
                                  const parhelion_array* liquid_path, const parhelion_array* optical_depth,
                                  const parhelion_array* alpha, const parhelion_array* fraction_gpt,
                                  const parhelion_array* ice_path_gpt, const parhelion_array* liquid_path_gpt,
                                  const parhelion_array* optical_depth_gpt) {
  return guarded([&] {
    int const most = alpha->data != nullptr ? 5 : 3;
    if (overlap < 1 || overlap > most)
      throw Failure{PARHELION_ERROR_ARGUMENT, fmt::format("mcica_subcol_lw: icld = {}, expected 0 to {}{}", overlap,
                                                          most, most == 3 ? ", or 4 and 5 with alpha" : "")};
    for_type_of(*fraction, "cldfrac", [&](auto zero) {
      using Real = decltype(zero);
      auto const ncol = fraction->extent[0];
      auto const nlay = fraction->extent[1];
      Entries<Real const> const ice(*ice_path);
      Entries<Real const> const liquid(*liquid_path);
      Entries<Real const> const depth(*optical_depth);
      Entries<Real> const fraction_result(*fraction_gpt);
      Entries<Real> const ice_result(*ice_path_gpt);
      Entries<Real> const liquid_result(*liquid_path_gpt);
      Entries<Real> const depth_result(*optical_depth_gpt);
      auto const& band = band_of_gpoint();
      draw(static_cast<parhelion::fluxes::Overlap>(overlap), seed, ncol, nlay, Entries<Real const>(*pressure_lay),
           Entries<Real const>(*fraction), Entries<Real const>(*alpha),
           [&](std::int64_t column, std::int64_t layer, int gpoint, bool cloudy) {
             fraction_result(column, layer, gpoint) = cloudy ? 1 : 0;
             ice_result(column, layer, gpoint) = cloudy ? ice(column, layer) : 0;
             liquid_result(column, layer, gpoint) = cloudy ? liquid(column, layer) : 0;
             depth_result(column, layer, gpoint) = cloudy ? depth(column, layer, band[gpoint]) : 0;
           });
    });
  });
}

double parhelion_rrtmg_lw_decorrelation_length(double latitude, int32_t day) {
  return parhelion::fluxes::decorrelation_length(latitude, day);
}

size_t parhelion_rrtmg_lw_last_error(char* text, size_t size) {
  std::string const& message = last_message();
  if (size > 0) {
    std::size_t const count = std::min(size - 1, message.size());
    std::memcpy(text, message.data(), count);
    text[count] = '\0';
  }
  return message.size() + 1;
}

void parhelion_rrtmg_lw_stopping(void) { shared().stopping = true; }
