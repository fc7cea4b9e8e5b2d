// SPDX-License-Identifier: BSD-3-Clause

#include "rrtmg.h"

#include "common/objects.hpp"
#include "drop_in.hpp"

#include <parhelion/fluxes/subcolumns.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace parhelion::drop_in {

namespace {

/// What all drop-ins share. It is never destroyed, as threads may outlive the static objects of a library.
struct Program {
  std::mutex initialization;
  std::mutex mutex;  ///< of the member below
  std::vector<Library*> libraries;
};

Program& program() {
  static auto* const program = new Program;
  return *program;
}

void at_exit() {
  std::vector<Library*> libraries;
  {
    std::lock_guard const lock(program().mutex);
    libraries = program().libraries;
  }
  for (Library* const library : libraries) {
    std::string line;
    for (auto const& [name, count] : library->counts()) {
      if (count > 0) line += fmt::format("{}{} of {}", line.empty() ? "" : ", ", count, name);
    }
    if (!line.empty())
      fmt::print(stderr, "{} (parhelion): values outside of their range, clipped or extrapolated: {}\n",
                 library->name(), line);
  }
}

/// The value that a variable of the environment stands for; `otherwise` where it is not set or empty.
int choice(std::string const& variable, std::vector<std::pair<char const*, int>> const& choices, int otherwise) {
  char const* const text = std::getenv(variable.c_str());
  if (text == nullptr || *text == '\0') return otherwise;
  std::string names;
  for (auto const& [name, value] : choices) {
    if (std::strcmp(name, text) == 0) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw Failure{PARHELION_ERROR_ARGUMENT, fmt::format("{} = '{}', expected {}", variable, text, names)};
}

}  // namespace

std::string& last_message() {
  thread_local std::string message;
  return message;
}

void check(int status) {
  if (status == PARHELION_SUCCESS) return;
  std::string message(parhelion_last_error(nullptr, 0), '\0');
  parhelion_last_error(message.data(), message.size());
  message.resize(std::strlen(message.c_str()));
  throw Failure{status, message};
}

Settings settings_of_environment(std::string const& variables, double heat_capacity, double gravity, int precision) {
  Settings settings;
  char const* const space = std::getenv((variables + "SPACE").c_str());
  if (space != nullptr) settings.space = space;
  settings.precision =
      choice(variables + "PRECISION", {{"double", PARHELION_FLOAT64}, {"single", PARHELION_FLOAT32}}, precision);
  settings.checks =
      choice(variables + "CHECKS",
             {{"refuse", PARHELION_CHECK_REFUSE}, {"clip", PARHELION_CHECK_CLIP}, {"trust", PARHELION_CHECK_TRUST}},
             settings.checks);
  settings.transmittance = choice(variables + "TRANSMITTANCE",
                                  {{"table", PARHELION_TRANSMITTANCE_TABLE}, {"exact", PARHELION_TRANSMITTANCE_EXACT}},
                                  settings.transmittance);
  settings.draw = choice(variables + "FRACTIONS", {{"stop", 0}, {"draw", 1}}, 0) != 0;
  settings.heat_capacity = heat_capacity;
  settings.gravity = gravity;
  return settings;
}

bool same(Settings const& a, Settings const& b) {
  return a.space == b.space && a.precision == b.precision && a.checks == b.checks &&
         a.transmittance == b.transmittance && a.draw == b.draw && a.heat_capacity == b.heat_capacity &&
         a.gravity == b.gravity;
}

void add_counts(Counts& counts, std::string const& text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    auto const end = std::min(text.find(", ", begin), text.size());
    std::string const item = text.substr(begin, end - begin);
    auto const of = item.find(" of ");
    if (of != std::string::npos) counts[item.substr(of + 4)] += std::atoll(item.c_str());
    begin = end + 2;
  }
}

void begin_library(Library& library) {
  std::lock_guard const lock(program().mutex);
  if (program().libraries.empty()) static_cast<void>(std::atexit(at_exit));
  program().libraries.push_back(&library);
}

std::mutex& initialization() { return program().initialization; }

parhelion_array own_array(void* data, std::int32_t type, std::int64_t ncol, std::int64_t second, std::int64_t last) {
  parhelion_array array{};
  array.data = data;
  array.type = type;
  array.rank = last > 0 ? 3 : 2;
  std::int64_t const extents[3] = {ncol, second, last};
  std::int64_t const strides[3] = {1, ncol, ncol * second};
  std::copy_n(extents, array.rank, array.extent);
  std::copy_n(strides, array.rank, array.stride);
  return array;
}

parhelion_array for_all_gpoints(parhelion_array array, std::int64_t ngpt) {
  array.rank = 3;
  array.extent[2] = ngpt;
  array.stride[2] = 0;
  return array;
}

parhelion_array integer(std::int32_t& value) {
  parhelion_array array{};
  array.data = &value;
  array.type = PARHELION_INT32;
  array.rank = 1;
  array.extent[0] = 1;
  return array;
}

std::uint32_t column_number(std::array<double, 4> const& pressures, std::int64_t nlay) {
  std::uint64_t state = 0;
  for (std::size_t layer = 0; layer < std::min<std::size_t>(static_cast<std::size_t>(nlay), 4); ++layer) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &pressures[layer], sizeof bits);
    // SplitMix64 (Steele, Lea & Flood 2014, doi:10.1145/2660193.2660195).
    state += bits + 0x9e3779b97f4a7c15U;
    state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
    state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
    state ^= state >> 31U;
  }
  return static_cast<std::uint32_t>(state >> 32U);
}

void check_overlap(char const* where, int overlap, parhelion_array const& alpha) {
  int const most = alpha.data != nullptr ? 5 : 3;
  if (overlap < 1 || overlap > most)
    throw Failure{PARHELION_ERROR_ARGUMENT, fmt::format("{}: icld = {}, expected 0 to {}{}", where, overlap, most,
                                                        most == 3 ? ", or 4 and 5 with alpha" : "")};
}

}  // namespace parhelion::drop_in

using namespace parhelion::drop_in;

size_t parhelion_rrtmg_last_error(char* text, size_t size) {
  std::string const& message = last_message();
  if (size > 0) {
    std::size_t const count = std::min(size - 1, message.size());
    std::memcpy(text, message.data(), count);
    text[count] = '\0';
  }
  return message.size() + 1;
}

void parhelion_rrtmg_stopping(void) { parhelion::C::end_without_finalizing(); }

int parhelion_rrtmg_correlation(int32_t overlap, int32_t by_place, double length, const parhelion_array* thickness,
                                const parhelion_array* latitude, int32_t day, const parhelion_array* fraction,
                                const parhelion_array* alpha) {
  return guarded([&] {
    if (overlap != 4 && overlap != 5) return;
    for_type_of(*thickness, "dz", [&](auto zero) {
      using Real = decltype(zero);
      Entries<Real const> const dz(*thickness);
      Entries<Real const> const degrees(*latitude);
      Entries<Real const> const cloudiness(*fraction);
      Entries<Real> const result(*alpha);
      for (std::int64_t column = 0; column < thickness->extent[0]; ++column) {
        auto const scale = static_cast<Real>(
            by_place != 0 ? parhelion::fluxes::decorrelation_length(double(degrees(column)), day) : length);
        result(column, 0) = 0;
        for (std::int64_t layer = 1; layer < thickness->extent[1]; ++layer) {
          bool const apart = overlap == 5 && !(cloudiness(column, layer) > 0) && cloudiness(column, layer - 1) > 0;
          result(column, layer) =
              apart ? Real{0} : std::exp(-(dz(column, layer) + dz(column, layer - 1)) / (2 * scale));
        }
      }
    });
  });
}
