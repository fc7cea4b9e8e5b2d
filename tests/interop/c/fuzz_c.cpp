// SPDX-License-Identifier: BSD-3-Clause
// Random calls of the C interface, good and bad, the same for the same seed:
//
//   fuzz_c [CASES [SEED [FIRST]]]
//
// Each has to return a status, with a message if it is not 0, and to write nothing but its results. A case is a call of
// one solver with some mistakes: FIRST is the case to begin with, so that one that ends the process can be repeated.
#include "c_cases.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <random>
#include <string>

using namespace parhelion::Testing;

namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : m_engine(seed) {}

  /// 0 .. n - 1
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(m_engine() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class Value>
  Value one_of(std::initializer_list<Value> values) {
    return *(values.begin() + below(values.size()));
  }

 private:
  std::mt19937_64 m_engine;
};

constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr auto smallest = std::numeric_limits<std::int64_t>::min();

Style any_style(Dice& dice) {
  return {.type = dice.one_in(2) ? PARHELION_FLOAT32 : PARHELION_FLOAT64,
          .first_fastest = dice.one_in(2),
          .padding = static_cast<int>(dice.below(4)),
          .backwards = dice.one_in(3)};
}

Style of_type(Style style, bool single) {
  style.type = single ? PARHELION_FLOAT32 : PARHELION_FLOAT64;
  return style;
}

/// A mistake in a description, which never lets a call reach beyond the memory of the array.
void spoil(Dice& dice, parhelion_array& array) {
  auto const d = dice.below(4);
  switch (dice.below(10)) {
    case 0:
      array.data = nullptr;
      break;
    case 1:
      array = {};
      break;
    case 2:
      array.type = dice.one_of<std::int32_t>({-1, 2, 3, 1 << 30});
      break;
    case 3:
      array.where = dice.one_of<std::int32_t>({-1, 1, 2, 77});
      array.device = dice.one_of<std::int32_t>({-1, 0, 5});
      break;
    case 4:
      array.rank = dice.one_of<std::int32_t>({-1, 0, 1, 5, 1 << 30});
      break;
    case 5:
      array.extent[d] -= array.extent[d] > 0 ? 1 : 0;
      break;
    case 6:
      array.extent[d] = dice.one_of<std::int64_t>({-1, 0, smallest, largest, std::int64_t{1} << 31});
      break;
    case 7:
      array.stride[d] = dice.one_of<std::int64_t>({0, smallest, largest, -largest, std::int64_t{1} << 60});
      // A stride of 0 in all dimensions, too, stays in the array.
      break;
    case 8:
      if (array.data != nullptr && array.type != PARHELION_FLOAT64) array.data = static_cast<char*>(array.data) + 1;
      break;
    default:
      array.extent[d] = array.extent[d] > 1 ? 1 : array.extent[d];
  }
}

void spoil_values(Dice& dice, CallerArray& array) {
  Index i = {};
  for (int d = 0; d < array.rank(); ++d)
    i[static_cast<std::size_t>(d)] = static_cast<std::int64_t>(dice.below(static_cast<std::size_t>(array.extent(d))));
  if (array.type() == PARHELION_INT32)
    array.set(i, dice.one_of({-1., 0., 1., 2., 3., 4., 7., 2147483647., -2147483648.}));
  else
    array.set(i, dice.one_of({0., -0., -1e-12, -1., 1.0000001, 1e10, -1e30, 1e-30, 1e38, std::nan(""),
                              std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}));
}

/// A number of an option that is not right, or right by chance.
std::int32_t any_choice(Dice& dice) {
  return dice.one_of<std::int32_t>({-2, -1, 0, 1, 2, 3, 5, 6, 1 << 30, -(1 << 30)});
}

char const* any_space(Dice& dice) {
  return dice.one_of<char const*>({nullptr, "", "openmp", "Serial", "Abacus", "CUDA"});
}

std::int64_t any_count(Dice& dice) {
  return dice.one_of<std::int64_t>({0, 1, 2, 5, -1, smallest, largest, std::int64_t{1} << 31});
}

double any_number(Dice& dice) {
  return dice.one_of({0., 1., -1., 1e300, 100., std::nan(""), std::numeric_limits<double>::infinity()});
}

/// What is particular to ecCKD and RRTMGP, of which cases have no files: options that both ranges have.
template <class Options>
void spoil_gas_optics(Dice& dice, Options& o) {
  auto const any_path = [&] { return dice.one_of<char const*>({nullptr, "", "/", "/no/such"}); };
  switch (dice.below(9)) {
    case 0:
      o.model = any_choice(dice);
      break;
    case 1:
      o.cloud_optics = any_path();
      break;
    case 2:
      o.aerosol_optics = any_path();
      break;
    case 3:
      o.gases = dice.one_of<char const*>({nullptr, "", ",", "h2o", "h2o, Carbon_Dioxide;o3", "h2o,,co2 o3", "neon"});
      break;
    case 4:
      o.level_temperatures = any_choice(dice);
      break;
    case 5:
      o.ice_roughness = any_choice(dice);
      break;
    case 6:
      o.droplet_scattering = any_path();
      o.ice_scattering = any_path();
      break;
    case 7:
      o.cloud_averaging = any_choice(dice);
      break;
    default:
      o.model = dice.one_of<std::int32_t>({PARHELION_GAS_OPTICS_RRTMGP, PARHELION_GAS_OPTICS_ECCKD});
      o.coefficients = any_path();
  }
}

void spoil_options(Dice& dice, parhelion_longwave_options& o) {
  if (dice.one_in(4)) {
    spoil_gas_optics(dice, o);
    if (dice.one_in(4)) o.angles = any_choice(dice);
    if (dice.one_in(4)) o.scattering = any_choice(dice);
    return;
  }
  switch (dice.below(19)) {
    case 0:
      o.space = any_space(dice);
      break;
    case 1:
      o.precision = any_choice(dice);
      break;
    case 2:
      o.model = any_choice(dice);
      break;
    case 3:
      o.coefficients = dice.one_of<char const*>({nullptr, "", "/", "/no/such"});
      break;
    case 4:
      o.vertical_order = any_choice(dice);
      break;
    case 5:
      o.ncol = any_count(dice);
      break;
    case 6:
      o.nlay = any_count(dice);
      break;
    case 7:
      o.clouds = any_choice(dice);
      break;
    case 8:
      o.cloud_optical_depth = any_choice(dice);
      break;
    case 9:
      o.clear = o.derivative = o.bands = any_choice(dice);
      break;
    case 10:
      o.overlap = any_choice(dice);
      break;
    case 11:
      o.transmittance = any_choice(dice);
      break;
    case 12:
      o.extra_layer = any_choice(dice);
      break;
    case 13:
      o.checks = any_choice(dice);
      break;
    case 14:
      o.out_of_range = any_choice(dice);
      break;
    case 15:
      o.heat_capacity = any_number(dice);
      break;
    case 16:
      o.chunk = any_count(dice);
      break;
    case 17:
      o.incident_flux = dice.one_of<std::int32_t>({0, 1});
      break;
    default:
      o.devices = any_choice(dice);
  }
}

void spoil_options(Dice& dice, parhelion_shortwave_options& o) {
  if (dice.one_in(4)) {
    spoil_gas_optics(dice, o);
    return;
  }
  switch (dice.below(20)) {
    case 0:
      o.space = any_space(dice);
      break;
    case 1:
      o.precision = any_choice(dice);
      break;
    case 2:
      o.coefficients = dice.one_of<char const*>({nullptr, "", "/", "/no/such"});
      break;
    case 3:
      o.vertical_order = any_choice(dice);
      break;
    case 4:
      o.ncol = any_count(dice);
      break;
    case 5:
      o.nlay = any_count(dice);
      break;
    case 6:
      o.clouds = any_choice(dice);
      break;
    case 7:
      o.cloud_optical_properties = any_choice(dice);
      break;
    case 8:
      o.aerosol_optical = dice.one_of<std::int32_t>({0, 1});
      break;
    case 9:
      o.aerosol_types = dice.one_of<std::int32_t>({0, 1});
      break;
    case 10:
      o.clear = o.parts = any_choice(dice);
      break;
    case 11:
      o.bands = any_choice(dice);
      break;
    case 12:
      o.overlap = any_choice(dice);
      break;
    case 13:
      o.transmittance = any_choice(dice);
      break;
    case 14:
      o.two_stream = any_choice(dice);
      break;
    case 15:
      o.direct = any_choice(dice);
      o.band28_level = dice.one_of<std::int32_t>({0, 42, 58, 1, -1});
      break;
    case 16:
      o.checks = any_choice(dice);
      break;
    case 17:
      o.out_of_range = any_choice(dice);
      break;
    case 18:
      o.heat_capacity = any_number(dice);
      break;
    default:
      o.chunk = any_count(dice);
      o.devices = any_choice(dice);
  }
}

void spoil_options(Dice& dice, parhelion_adding_options& o) {
  switch (dice.below(5)) {
    case 0:
      o.space = any_space(dice);
      break;
    case 1:
      o.precision = any_choice(dice);
      break;
    case 2:
      o.vertical_order = any_choice(dice);
      break;
    case 3:
      o.chunk = any_count(dice);
      break;
    default:
      o.devices = any_choice(dice);
  }
}

void spoil_options(Dice& dice, parhelion_spectra_options& o) {
  switch (dice.below(9)) {
    case 0:
      o.space = any_space(dice);
      break;
    case 1:
      o.precision = any_choice(dice);
      break;
    case 2:
      o.control = dice.one_of<char const*>({nullptr, "", "/", "/no/such"});
      break;
    case 3:
      o.tables = dice.one_of<char const*>({nullptr, "", "/", "/no/such"});
      break;
    case 4:
      o.continua = dice.one_of<char const*>({nullptr, "", "/", "/no/such"});
      break;
    case 5:
      o.out_of_range = any_choice(dice);
      break;
    case 6:
      o.memory_limit = dice.one_of<std::uint64_t>({0, 1, 1 << 20, ~std::uint64_t{0}});
      break;
    case 7:
      o.chunk = any_count(dice);
      break;
    default:
      o.devices = any_choice(dice);
  }
}

void spoil_options(Dice& dice, parhelion_monte_carlo_options& o) {
  switch (dice.below(11)) {
    case 0:
      o.space = any_space(dice);
      break;
    case 1:
      o.precision = any_choice(dice);
      break;
    case 2:
      o.gas = any_choice(dice);
      break;
    case 3:
      o.absorption = any_number(dice);
      break;
    case 4:
      o.narrow_bands = dice.one_of<char const*>({nullptr, "", "/", "/no/such"});
      break;
    case 5:
      o.rays = dice.one_of<std::int64_t>({0, 1, 3, -1, smallest, std::int64_t{1} << 31});
      break;
    case 6:
      o.repetitions = dice.one_of<std::int64_t>({0, 1, 2, -1, largest});
      break;
    case 7:
      o.ray_origin = any_choice(dice);
      o.directions = any_choice(dice);
      break;
    case 8:
      o.out_of_range = any_choice(dice);
      break;
    case 9:
      o.devices = any_choice(dice);
      break;
    default:
      o.target_error = any_number(dice);
      o.max_repetitions = 8;
  }
}

void spoil_input(Dice& dice, parhelion_longwave_input& in) {
  in.seed = dice.below(3);
  in.first_column = static_cast<std::uint32_t>(dice.below(2) * 0xffffffff);
  double* const factors[] = {&in.pressure_factor, &in.path_factor, &in.particle_size_factor};
  *factors[dice.below(3)] = any_number(dice);
}
void spoil_input(Dice& dice, parhelion_shortwave_input& in) {
  static double const numbers[PARHELION_SW_NBAND] = {1, 0.5, std::nan(""), -1, 1e300};
  in.seed = dice.below(3);
  switch (dice.below(8)) {
    case 0:
      in.pressure_factor = any_number(dice);
      break;
    case 1:
      in.path_factor = in.particle_size_factor = any_number(dice);
      break;
    case 2:
      in.day_of_year = dice.one_of({0, 1, 366, 367, -1, 1 << 30});
      break;
    case 3:
      in.total_irradiance = any_number(dice);
      break;
    case 4:
      in.distance_factor = any_number(dice);
      break;
    case 5:
      in.solar_indices = numbers + dice.below(4);
      in.cycle_fraction = numbers + dice.below(5);
      break;
    case 6:
      in.band_factors = numbers;
      break;
    default:
      in.first_column = static_cast<std::uint32_t>(dice.below(2) * 0xffffffff);
  }
  if (dice.one_in(2)) in.sun = dice.one_of({-3, -2, -1, 0, 1, 2, 3, 4});
}
void spoil_input(Dice&, parhelion_adding_input&) {}
void spoil_input(Dice&, parhelion_spectra_input&) {}
void spoil_input(Dice& dice, parhelion_monte_carlo_input& in) {
  auto& side = in.sides[dice.below(6)];
  switch (dice.below(4)) {
    case 0:
      in.pressure = any_number(dice);
      break;
    case 1:
      side.type = any_choice(dice);
      break;
    case 2:
      side.reflectivity = any_number(dice);
      break;
    default:
      side.temperature = any_number(dice);
  }
}

/// What a case has shown: a description of what is wrong, or nothing.
std::string judge(int status, char const* call) {
  if (status < PARHELION_SUCCESS || status > PARHELION_ERROR_INTERNAL)
    return std::string(call) + " returned " + std::to_string(status);
  if (status == PARHELION_ERROR_INTERNAL) return std::string(call) + ": an internal error: " + last_error();
  if (status != PARHELION_SUCCESS && last_error().empty()) return std::string(call) + " left no message";
  return {};
}

/// Asks an object of columns about its model. \return what was wrong; empty: nothing
#define PARHELION_QUERY(NAME)                                                                                       \
  std::string query(Dice& dice, parhelion_##NAME const* object, parhelion_##NAME##_input const& input) {            \
    parhelion_model model{};                                                                                        \
    model.size = dice.one_of<std::size_t>({0, 7, 8, 48, sizeof(model), sizeof(model), std::size_t{1} << 40});       \
    if (auto wrong = judge(parhelion_##NAME##_model(object, dice.one_in(20) ? nullptr : &model), "model");          \
        !wrong.empty())                                                                                             \
      return wrong;                                                                                                 \
    double low[32] = {}, high[32] = {};                                                                             \
    if (auto wrong = judge(parhelion_##NAME##_bands(object, dice.one_in(20) ? nullptr : low, high), "bands");       \
        !wrong.empty())                                                                                             \
      return wrong;                                                                                                 \
    std::int32_t role = 0;                                                                                          \
    if (auto wrong =                                                                                                \
            judge(parhelion_##NAME##_gas(object, any_choice(dice), dice.one_in(20) ? nullptr : &role, low), "gas"); \
        !wrong.empty())                                                                                             \
      return wrong;                                                                                                 \
    double weights[8] = {};                                                                                         \
    if (auto wrong = judge(parhelion_##NAME##_interval_weights(object, dice.one_in(4) ? nullptr : high,             \
                                                               dice.one_of<std::int64_t>({0, 1, -1, smallest}),     \
                                                               dice.one_in(4) ? nullptr : weights),                 \
                           "interval_weights");                                                                     \
        !wrong.empty())                                                                                             \
      return wrong;                                                                                                 \
    char text[8];                                                                                                   \
    return judge(parhelion_##NAME##_missing(object, dice.one_in(20) ? nullptr : &input, text,                       \
                                            dice.one_of<std::size_t>({0, 1, 8}), nullptr),                          \
                 "missing");                                                                                        \
  }
PARHELION_QUERY(longwave)
PARHELION_QUERY(shortwave)
#undef PARHELION_QUERY
template <class Handle, class Input>
std::string query(Dice&, Handle const*, Input const&) {
  return {};
}

struct Tally {
  int good = 0, refused = 0;
};

/// One case. \return what was wrong with it; empty: nothing
template <class Case>
std::string run(Dice& dice, Case c, Tally& tally) {
  if (dice.one_in(4)) spoil_options(dice, c.options);
  std::size_t const of_values = dice.one_in(5) ? 1 + dice.below(2) : 0;
  for (std::size_t n = 0; n < of_values; ++n) {
    auto array = c.in.begin();
    std::advance(array, dice.below(c.in.size()));
    spoil_values(dice, array->second);
  }
  if (dice.one_in(20))
    c.options.size =
        dice.one_of<std::size_t>({0, 4, 9, 16, 24, sizeof(c.options) - 4, sizeof(c.options) - 8, std::size_t{1} << 40});
  typename Case::Handle* handle = nullptr;
  int status = c_create(dice.one_in(50) ? nullptr : &c.options, dice.one_in(50) ? nullptr : &handle);
  if (auto wrong = judge(status, "create"); !wrong.empty()) return wrong;
  if ((status == PARHELION_SUCCESS) != (handle != nullptr)) return "create: status and handle disagree";

  c.describe();
  if (dice.one_in(8)) spoil_input(dice, c.input);
  std::size_t const of_arrays = dice.one_in(3) ? 1 + dice.below(2) : 0;
  for (std::size_t n = 0; n < of_arrays; ++n) {
    auto all = dice.one_in(4) ? members(c.output) : members(c.input);
    auto& array = *all[dice.below(all.size())].second;
    if (array.data != nullptr) spoil(dice, array);
  }
  if (dice.one_in(20)) c.input.size = dice.one_of<std::size_t>({0, 7, 100, sizeof(c.input) / 2, std::size_t{1} << 40});
  if (dice.one_in(20)) c.output.size = dice.one_of<std::size_t>({0, 7, 100, std::size_t{1} << 40});
  auto* const used = dice.one_in(30) ? reinterpret_cast<typename Case::Handle*>(2 * dice.below(100000) + 1) : handle;
  status = c_solve(used, dice.one_in(50) ? nullptr : &c.input, dice.one_in(50) ? nullptr : &c.output,
                   dice.one_in(50) ? &c : nullptr);
  if (auto wrong = judge(status, "solve"); !wrong.empty()) return wrong;
  if (!c.guards_are_untouched()) return "solve wrote where it should not";
  if (auto wrong = query(dice, used, c.input); !wrong.empty()) return wrong;
  ++(status == PARHELION_SUCCESS ? tally.good : tally.refused);
  std::size_t host = 0, device = 0;
  if (auto wrong = judge(c_bytes(used, &host, dice.one_in(2) ? nullptr : &device), "bytes"); !wrong.empty())
    return wrong;
  if (auto wrong = judge(c_destroy(used), "destroy"); !wrong.empty()) return wrong;
  if (used != handle && c_destroy(handle) != PARHELION_SUCCESS && handle != nullptr &&
      last_error().find("destroyed") == std::string::npos)
    return "destroy: " + last_error();
  if (handle != nullptr && c_solve(handle, &c.input, &c.output) == PARHELION_SUCCESS) return "a ghost computed";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  long const cases = argc > 1 ? std::atol(argv[1]) : 500;
  std::uint64_t const seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  long const first = argc > 3 ? std::atol(argv[3]) : 0;
  auto const folder = std::filesystem::temp_directory_path() / ("parhelion_fuzz_c_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  int failures = 0;
  Tally tally;
  Kokkos::initialize();
  {
    std::string const coefficients = write_synthetic_coefficients(folder.string());
    std::string const of_shortwave = write_synthetic_shortwave_coefficients(folder.string());
    std::string const control = write_control(folder.string());
    auto const atmosphere = small_atmosphere({"CO2", "H2O"});
    auto const rays = some_rays();
    auto const box = small_box(2, 2, 2);
    // They keep the coefficients, so that these are read once.
    auto const keeper = longwave_case<double>(2, 3, coefficients, CloudsOf::none, {});
    parhelion_longwave* kept = nullptr;
    if (c_create(&keeper.options, &kept) != PARHELION_SUCCESS) ++failures;
    auto const shortwave_keeper = shortwave_case<double>(2, 3, of_shortwave, CloudsOf::none, {});
    parhelion_shortwave* shortwave_kept = nullptr;
    if (c_create(&shortwave_keeper.options, &shortwave_kept) != PARHELION_SUCCESS) ++failures;

    for (long i = first; i < first + cases && failures < 10; ++i) {
      Dice dice(seed * 1000003 + static_cast<std::uint64_t>(i));
      auto const style = any_style(dice);
      auto const which = dice.one_of({CloudsOf::none, CloudsOf::layers, CloudsOf::gpoints});
      bool const single = dice.one_in(2);
      int const n = 2 + static_cast<int>(dice.below(3));
      std::string wrong;
      switch (dice.below(6)) {
        case 0:
          wrong = single ? run(dice, longwave_case<float>(n, 4, "", CloudsOf::none, style), tally)
                         : run(dice, longwave_case<double>(n, 4, "", CloudsOf::none, style), tally);
          break;
        case 1: {
          // Radiation enters half of them at the top.
          auto const run_case = [&](auto c) {
            if (dice.one_in(2)) {
              c.options.incident_flux = 1;
              auto& flux = c.in["incident_flux"] = CallerArray({n, 140}, of_type(style, single));
              flux.for_each([&](Index const& at) { flux.set(at, 0.01 * static_cast<double>(at[1])); });
            }
            return run(dice, c, tally);
          };
          wrong = single ? run_case(longwave_case<float>(n, 3, coefficients, which, style))
                         : run_case(longwave_case<double>(n, 3, coefficients, which, style));
          break;
        }
        case 2: {
          // Half of them by the options of the sun.
          auto const run_case = [&](auto c) {
            if (dice.one_in(2)) c.in.erase("solar_weights");
            return run(dice, c, tally);
          };
          wrong = single ? run_case(shortwave_case<float>(n, 3, of_shortwave, which, style))
                         : run_case(shortwave_case<double>(n, 3, of_shortwave, which, style));
          break;
        }
        case 3:
          wrong = run(dice, adding_case(sunny_profiles(n, 3, 2, single), style), tally);
          break;
        case 4:
          wrong = run(dice, spectra_case(control, atmosphere, rays, style), tally);
          break;
        default: {
          auto c = monte_carlo_case(box, style);
          c.options.rays = 8;
          wrong = run(dice, c, tally);
        }
      }
      if (wrong.empty()) continue;
      std::cerr << "case " << i << " of seed " << seed << ": " << wrong << '\n';
      ++failures;
    }
    if (c_destroy(kept) != PARHELION_SUCCESS || c_destroy(shortwave_kept) != PARHELION_SUCCESS) ++failures;
  }
  Kokkos::finalize();
  std::filesystem::remove_all(folder);
  std::cout << cases << " cases: " << tally.good << " calls computed, " << tally.refused << " were refused, "
            << failures << " went wrong\n";
  return failures == 0 && tally.good > 0 && tally.refused > 0 ? 0 : 1;
}
