// SPDX-License-Identifier: BSD-3-Clause
#include "clouds/cloud_absorption.hpp"
#include "kokkos_manners.hpp"
#include "other_layouts.hpp"
#include "synthetic_coefficients.hpp"
#include "synthetic_columns.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/stream.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::Clouds;
using fluxes::Columns;
using fluxes::Fluxes;
using fluxes::FluxOutputs;
using fluxes::HostClouds;
using fluxes::HostColumns;
using fluxes::HostFluxes;
using fluxes::HostLongwave;
using fluxes::HostLongwaveOptions;
using fluxes::HostLongwaveReport;
using fluxes::nbnd;
using fluxes::ngpt;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr FluxOutputs everything{.clear = true, .derivative = true, .bands = true};
constexpr double untouched = -12345;

template <class Action, class FluxesType>
void for_each_flux(FluxesType const& fluxes, Action const& action) {
  action("flux_up", fluxes.flux_up);
  action("flux_dn", fluxes.flux_dn);
  action("heating_rate", fluxes.heating_rate);
  action("flux_up_clear", fluxes.flux_up_clear);
  action("flux_dn_clear", fluxes.flux_dn_clear);
  action("heating_rate_clear", fluxes.heating_rate_clear);
  action("dflux_up_dt", fluxes.dflux_up_dt);
  action("dflux_up_clear_dt", fluxes.dflux_up_clear_dt);
  action("flux_up_band", fluxes.flux_up_band);
  action("flux_dn_band", fluxes.flux_dn_band);
}

/// All values of all arrays, one array after another.
template <class Real>
std::vector<Real> all_values(Fluxes<Host, Real> const& fluxes) {
  std::vector<Real> values;
  for_each_flux(fluxes, [&](char const*, auto const& view) {
    values.insert(values.end(), view.data(), view.data() + view.size());
  });
  return values;
}

template <class Real>
Fluxes<Host, Real> untouched_fluxes(int ncol, int nlay, FluxOutputs wanted = {}) {
  auto const fluxes = fluxes::make_fluxes<Host, Real>(ncol, nlay, wanted);
  for_each_flux(fluxes,
                [](char const*, auto const& view) { parhelion::assign_array(view, static_cast<Real>(untouched)); });
  return fluxes;
}

bool is_untouched(HostFluxes const& fluxes) {
  auto const values = all_values(fluxes);
  return std::all_of(values.begin(), values.end(), [](double x) { return x == untouched; });
}

HostColumns columns_with_aerosol(int ncol, int nlay, int nemis) {
  auto columns = synthetic_columns(ncol, nlay, nemis);
  columns.aerosol = decltype(columns.aerosol)("aerosol", ncol, nlay, nbnd);
  for (std::size_t i = 0; i < columns.aerosol.size(); ++i)
    columns.aerosol.data()[i] = 1e-3 * static_cast<double>(i % 7);
  return columns;
}

HostClouds gpoint_clouds(int ncol, int nlay) {
  auto const of_layers = synthetic_clouds(ncol, nlay);
  auto clouds = fluxes::make_gpoint_clouds<Host, double>(ncol, nlay, true);
  clouds.ice_size = of_layers.ice_size;
  clouds.liquid_size = of_layers.liquid_size;
  for (int c = 0; c < ncol; ++c) {
    if (c % 3 == 0) clouds.input(c) = 0;
    for (int k = 0; k < nlay; ++k)
      for (int g = 0; g < ngpt; ++g) {
        clouds.fraction_gpt(c, k, g) = (c + k + g) % 4 == 0 ? 1 : 0;
        clouds.ice_path_gpt(c, k, g) = of_layers.ice_path(c, k);
        clouds.liquid_path_gpt(c, k, g) = of_layers.liquid_path(c, k);
        clouds.optical_depth_gpt(c, k, g) = 0.1 * ((c + k) % 5);
      }
  }
  return clouds;
}

template <class Pair>
HostLongwaveOptions options_of(HostLongwaveOptions options = {}) {
  options.space = Pair::ExecutionSpace::name();
  options.precision = std::is_same_v<typename Pair::Real, float> ? Precision::float32 : Precision::float64;
  return options;
}

template <class Pair>
struct HostLongwaveTest : testing::Test {};
TYPED_TEST_SUITE(HostLongwaveTest, SpacesAndReals, PairName);

/// Fluxes for chunks, devices and calls of several kinds, which must all be the same to the bit.
template <class Pair>
void expect_same_bits_however_cut(HostColumns const& columns, HostClouds const& clouds,
                                  fluxes::LongwaveData const& data, FluxOutputs outputs, bool extra_layer) {
  auto const solve = [&](HostLongwaveOptions options) {
    options.outputs = outputs;
    options.extra_layer = extra_layer;
    return all_values(fluxes::compute_longwave(columns, clouds, data, options_of<Pair>(options)));
  };
  auto const expected = solve({});
  EXPECT_TRUE(std::none_of(expected.begin(), expected.end(), [](double x) { return std::isnan(x); }));
  for (int const chunk : {1, 5, 12, 1000}) {
    EXPECT_TRUE(solve({.chunk = chunk}) == expected) << "chunks of " << chunk;
    EXPECT_TRUE(solve({.chunk = chunk, .devices = 1}) == expected) << "chunks of " << chunk << " on one device";
  }
  // An object that was made for fewer columns, and one that is used again.
  auto options = options_of<Pair>({.chunk = 4, .extra_layer = extra_layer, .outputs = outputs});
  HostLongwave<double> longwave(3, columns.nlay(), clouds, columns.aerosol.size() > 0, data, options);
  for (int call = 0; call < 2; ++call) {
    auto const fluxes = untouched_fluxes<double>(columns.ncol(), columns.nlay(), outputs);
    longwave.compute(columns, clouds, fluxes);
    EXPECT_TRUE(all_values(fluxes) == expected) << "call " << call;
  }
}

TYPED_TEST(HostLongwaveTest, TheWayInPiecesChangesNoBit) {
  for (bool const extra_layer : {false, true}) {
    expect_same_bits_however_cut<TypeParam>(synthetic_columns(37, 9, 1), {}, fluxes::SimpleSpectralData(),
                                            {.clear = true}, extra_layer);
    auto const& coefficients = synthetic_coefficients();
    auto clouds = synthetic_clouds(37, 9);
    clouds.first_column = 100;
    expect_same_bits_however_cut<TypeParam>(columns_with_aerosol(37, 9, nbnd), clouds, coefficients, everything,
                                            extra_layer);
    clouds.overlap = fluxes::Overlap::exponential_random;
    clouds.decorrelation_length = decltype(clouds.decorrelation_length)("length", 37);
    parhelion::assign_array(clouds.decorrelation_length, 2000.);
    expect_same_bits_however_cut<TypeParam>(synthetic_columns(37, 9, 1), clouds, coefficients, {}, extra_layer);
    expect_same_bits_however_cut<TypeParam>(synthetic_columns(37, 9, nbnd), gpoint_clouds(37, 9), coefficients,
                                            {.bands = true}, extra_layer);
  }
}

TYPED_TEST(HostLongwaveTest, ExtraLayerHasNeitherCloudsNorAerosol) {
  int const ncol = 5;
  int const nlay = 8;
  auto const columns = columns_with_aerosol(ncol, nlay, nbnd);
  auto const more = fluxes::make_columns<Host, double>(ncol, nlay + 1, nbnd, true);
  auto const clouds = synthetic_clouds(ncol, nlay);
  auto const more_clouds = fluxes::make_layer_clouds<Host, double>(ncol, nlay + 1);
  parhelion::assign_array(more.temperature_sfc, columns.temperature_sfc);
  parhelion::assign_array(more.emissivity_sfc, columns.emissivity_sfc);
  parhelion::assign_array(more.aerosol, 0);
  for (int c = 0; c < ncol; ++c) {
    for (int k = 0; k <= nlay; ++k) {
      bool const extra = k == nlay;
      more.pressure_lev(c, k) = columns.pressure_lev(c, k);
      more.temperature_lev(c, k) = extra ? columns.temperature_lay(c, nlay - 1) : columns.temperature_lev(c, k);
      more.pressure_lay(c, k) = extra ? 0.5 * columns.pressure_lev(c, nlay) : columns.pressure_lay(c, k);
      more.temperature_lay(c, k) = columns.temperature_lay(c, std::min(k, nlay - 1));
      for (int gas = 0; gas < fluxes::ngas; ++gas) more.vmr(c, gas, k) = columns.vmr(c, gas, std::min(k, nlay - 1));
      if (extra) continue;
      for (int b = 0; b < nbnd; ++b) more.aerosol(c, k, b) = columns.aerosol(c, k, b);
      more_clouds.fraction(c, k) = clouds.fraction(c, k);
      more_clouds.ice_path(c, k) = clouds.ice_path(c, k);
      more_clouds.liquid_path(c, k) = clouds.liquid_path(c, k);
      more_clouds.ice_size(c, k) = clouds.ice_size(c, k);
      more_clouds.liquid_size(c, k) = clouds.liquid_size(c, k);
    }
    more.pressure_lev(c, nlay + 1) = 0.01;
    more.temperature_lev(c, nlay + 1) = columns.temperature_lay(c, nlay - 1);
  }
  auto more_seeded = more_clouds;
  more_seeded.seed = clouds.seed;
  auto const options = options_of<TypeParam>({.chunk = 2, .outputs = everything});
  auto with_extra = options;
  with_extra.extra_layer = true;
  auto const mine = fluxes::compute_longwave(columns, clouds, synthetic_coefficients(), with_extra);
  auto const expected = fluxes::compute_longwave(more, more_seeded, synthetic_coefficients(), options);
  auto const compare = [&](char const* name, auto const& a, auto const& b) {
    ASSERT_EQ(b.extent(1), a.extent(1) + 1) << name;
    for (std::size_t c = 0; c < a.extent(0); ++c)
      for (std::size_t k = 0; k < a.extent(1); ++k)
        if constexpr (std::decay_t<decltype(a)>::rank() == 2) {
          EXPECT_EQ(a(c, k), b(c, k)) << name << ", column " << c << ", level " << k;
        } else {
          for (int band = 0; band < nbnd; ++band) {
            EXPECT_EQ(a(c, k, band), b(c, k, band)) << name << ", column " << c << ", level " << k;
          }
        }
  };
  compare("flux_up", mine.flux_up, expected.flux_up);
  compare("flux_dn", mine.flux_dn, expected.flux_dn);
  compare("heating_rate", mine.heating_rate, expected.heating_rate);
  compare("flux_up_clear", mine.flux_up_clear, expected.flux_up_clear);
  compare("flux_dn_clear", mine.flux_dn_clear, expected.flux_dn_clear);
  compare("heating_rate_clear", mine.heating_rate_clear, expected.heating_rate_clear);
  compare("dflux_up_dt", mine.dflux_up_dt, expected.dflux_up_dt);
  compare("dflux_up_clear_dt", mine.dflux_up_clear_dt, expected.dflux_up_clear_dt);
  compare("flux_up_band", mine.flux_up_band, expected.flux_up_band);
  compare("flux_dn_band", mine.flux_dn_band, expected.flux_dn_band);
}

template <class To, class From>
To rounded(From const& from) {
  To to(from.label(), from.layout());
  for (std::size_t i = 0; i < from.size(); ++i)
    to.data()[i] = static_cast<typename To::non_const_value_type>(from.data()[i]);
  return to;
}

// A model's own floats take the same way as doubles of the same values.
TYPED_TEST(HostLongwaveTest, ArraysOfFloats) {
  int const ncol = 21;
  int const nlay = 7;
  auto const in_double = synthetic_columns(ncol, nlay, 1);
  Columns<Host, float> in_float;
  in_float.pressure_lay = rounded<Array<float**, Host>>(in_double.pressure_lay);
  in_float.pressure_lev = rounded<Array<float**, Host>>(in_double.pressure_lev);
  in_float.temperature_lay = rounded<Array<float**, Host>>(in_double.temperature_lay);
  in_float.temperature_lev = rounded<Array<float**, Host>>(in_double.temperature_lev);
  in_float.temperature_sfc = rounded<Array<float*, Host>>(in_double.temperature_sfc);
  in_float.emissivity_sfc = rounded<Array<float**, Host>>(in_double.emissivity_sfc);
  in_float.vmr = rounded<Array<float***, Host>>(in_double.vmr);
  HostColumns widened;
  widened.pressure_lay = rounded<Array<double**, Host>>(in_float.pressure_lay);
  widened.pressure_lev = rounded<Array<double**, Host>>(in_float.pressure_lev);
  widened.temperature_lay = rounded<Array<double**, Host>>(in_float.temperature_lay);
  widened.temperature_lev = rounded<Array<double**, Host>>(in_float.temperature_lev);
  widened.temperature_sfc = rounded<Array<double*, Host>>(in_float.temperature_sfc);
  widened.emissivity_sfc = rounded<Array<double**, Host>>(in_float.emissivity_sfc);
  widened.vmr = rounded<Array<double***, Host>>(in_float.vmr);

  auto const options = options_of<TypeParam>({.chunk = 8});
  auto const expected = all_values(fluxes::compute_longwave(widened, fluxes::SimpleSpectralData(), options));
  HostLongwave<float> longwave(ncol, nlay, {}, false, fluxes::SimpleSpectralData(), options);
  auto const fluxes = untouched_fluxes<float>(ncol, nlay);
  longwave.compute(in_float, {}, fluxes);
  auto const values = all_values(fluxes);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<float>(expected[i])) << i;
}

// What Kokkos allocates for the arrays of streams, for layer maps and for the teams of a solver [bytes], wherever that
// is.
std::uint64_t stream_bytes = 0;

void count_stream_bytes(Kokkos_Profiling_SpaceHandle, char const* label, void const*, std::uint64_t bytes) {
  std::string_view const name(label);
  if (name.starts_with("parhelion::core::host_driver_") || name == "parhelion::fluxes::longwave_workspace" ||
      name == "parhelion::fluxes::in_step" || name == "parhelion::fluxes::arrived")
    stream_bytes += bytes;
}

template <class Action>
std::uint64_t stream_bytes_of(Action const& action) {
  namespace Tools = Kokkos::Tools::Experimental;
  auto const callbacks = Tools::get_callbacks();
  stream_bytes = 0;
  Tools::set_allocate_data_callback(count_stream_bytes);
  action();
  Tools::set_callbacks(callbacks);
  return stream_bytes;
}

TYPED_TEST(HostLongwaveTest, ThePlanSaysWhatIsTaken) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const check = [](int ncol, HostClouds const& clouds, bool aerosol, fluxes::LongwaveData const& data,
                        HostLongwaveOptions options) {
    options = options_of<TypeParam>(options);
    int const nlay = 9;
    auto const plan = fluxes::plan_longwave(ncol, nlay, clouds, aerosol, data, options);
    std::unique_ptr<HostLongwave<double>> longwave;
    std::uint64_t const bytes = stream_bytes_of(
        [&] { longwave = std::make_unique<HostLongwave<double>>(ncol, nlay, clouds, aerosol, data, options); });
    auto const& made = longwave->plan();
    EXPECT_EQ(made.space, Space::name());
    EXPECT_EQ(plan.space, made.space);
    EXPECT_EQ(plan.chunk, made.chunk);
    EXPECT_EQ(plan.streams, made.streams);
    EXPECT_EQ(plan.devices, made.devices);
    EXPECT_EQ(plan.device_bytes, made.device_bytes);
    EXPECT_EQ(plan.host_bytes, made.host_bytes);
    std::uint64_t const planned = static_cast<std::uint64_t>(plan.devices) * plan.device_bytes + plan.host_bytes;
    // A workspace takes a little more than its blocks. What solvers hold beside, above all optics of clouds, is planned
    // but not counted here.
    auto const solvers = static_cast<std::uint64_t>(plan.devices * plan.streams);
    constexpr std::uint64_t most_beside = 8192 + fluxes::Impl::cloud_optics_values * sizeof(Real);
    EXPECT_GE(bytes + solvers * most_beside, planned);
    EXPECT_LE(bytes, planned + solvers * workspace_alignment);
    // The columns alone: pressures, temperatures and gases.
    EXPECT_GE(plan.device_bytes,
              static_cast<std::size_t>(plan.streams) * plan.chunk * (4 * nlay + 11 * nlay) * sizeof(Real));
    EXPECT_LE(plan.chunk, ncol);
    if (runs_on_host<Space>) {
      EXPECT_EQ(plan.streams, 1);
      EXPECT_EQ(plan.devices, 1);
      EXPECT_EQ(plan.host_bytes, 0U);
    }
    return plan;
  };
  auto const one = check(500, {}, false, fluxes::SimpleSpectralData(), {.devices = 1});
  EXPECT_EQ(one.chunk, 500);
  EXPECT_EQ(one.streams, 1) << "one chunk needs one stream";
  check(20000, {}, false, fluxes::SimpleSpectralData(), {});
  EXPECT_EQ(check(500, {}, false, fluxes::SimpleSpectralData(), {.chunk = 7}).chunk, 7);
  auto const deeper = check(500, {}, false, fluxes::SimpleSpectralData(), {.devices = 1, .extra_layer = true});
  auto const more = check(500, {}, false, fluxes::SimpleSpectralData(), {.devices = 1, .outputs = {.clear = true}});
  EXPECT_GT(deeper.device_bytes, one.device_bytes);
  EXPECT_GE(more.device_bytes, one.device_bytes + 500 * 29 * sizeof(Real));
  auto const& coefficients = synthetic_coefficients();
  auto const clear = check(64, {}, false, coefficients, {.devices = 1});
  auto const cloudy = check(64, synthetic_clouds(64, 9), true, coefficients, {.devices = 1});
  EXPECT_GE(cloudy.device_bytes, clear.device_bytes + 64 * 9 * (5 + nbnd) * sizeof(Real));
  auto const by_gpoints = check(64, gpoint_clouds(64, 9), false, coefficients, {.devices = 1});
  EXPECT_GE(by_gpoints.device_bytes, clear.device_bytes + 64 * 9 * (4 * ngpt + 2) * sizeof(Real));
}

TYPED_TEST(HostLongwaveTest, ErrorsLeaveResultsUntouched) {
  int const ncol = 20;
  int const nlay = 6;
  HostLongwave<double> longwave(ncol, nlay, {}, false, fluxes::SimpleSpectralData(),
                                options_of<TypeParam>({.chunk = 3}));
  auto const fluxes = untouched_fluxes<double>(ncol, nlay);
  auto columns = synthetic_columns(ncol, nlay, 1);
  auto const refusal = [&](HostColumns const& input, HostClouds const& clouds = {}) {
    auto const message = message_of([&] { longwave.compute(input, clouds, fluxes); });
    EXPECT_TRUE(is_untouched(fluxes)) << message;
    return message;
  };
  columns.temperature_lay(19, 5) = -1;
  EXPECT_EQ(refusal(columns), "validate: temperature_lay(19, 5) = -1 K, expected a positive number");
  EXPECT_EQ(refusal(synthetic_columns(ncol, nlay + 1, 1)), "longwave: columns have 7 layers, expected at most 6");
  EXPECT_EQ(refusal(columns_with_aerosol(ncol, nlay, 1)),
            "longwave: aerosol is given, expected none, because this was made for calls without it");
  EXPECT_EQ(refusal(synthetic_columns(ncol, nlay, 1), synthetic_clouds(ncol, nlay)),
            "longwave: fraction is given, expected none, because this was made for calls without it");
  EXPECT_EQ(refusal(synthetic_columns(ncol + 1, nlay, 1)), "longwave: flux_up has shape (20, 7), expected (21, 7)");
  auto wanting = fluxes;
  wanting.heating_rate = {};
  EXPECT_EQ(message_of([&] { longwave.compute(synthetic_columns(ncol, nlay, 1), {}, wanting); }),
            "longwave: heating_rate has shape (0, 0), expected (20, 6)");
  auto const too_many = untouched_fluxes<double>(ncol, nlay, {.derivative = true});
  EXPECT_EQ(message_of([&] { longwave.compute(synthetic_columns(ncol, nlay, 1), {}, too_many); }),
            "longwave: dflux_up_dt is given, expected none, because this was made for calls without it");
  EXPECT_TRUE(is_untouched(too_many));
  // It still works.
  longwave.compute(synthetic_columns(ncol, nlay, 1), {}, fluxes);
  EXPECT_TRUE(all_values(fluxes) ==
              all_values(fluxes::compute_longwave(synthetic_columns(ncol, nlay, 1), fluxes::SimpleSpectralData(),
                                                  options_of<TypeParam>())));
}

TYPED_TEST(HostLongwaveTest, AFluxThatIsNotFiniteIsReportedWithItsColumn) {
  int const ncol = 20;
  int const nlay = 6;
  HostLongwave<double> longwave(ncol, nlay, {}, false, fluxes::SimpleSpectralData(),
                                options_of<TypeParam>({.chunk = 3, .out_of_range = OutOfRange::extrapolate}));
  auto const columns = synthetic_columns(ncol, nlay, 1);
  auto const fluxes = untouched_fluxes<double>(ncol, nlay);
  longwave.compute(columns, {}, fluxes);
  auto const expected = all_values(fluxes);
  // So hot that no number holds its radiation.
  columns.temperature_sfc(10) = std::numeric_limits<typename TypeParam::Real>::max();
  EXPECT_EQ(message_of([&] { longwave.compute(columns, {}, fluxes); }),
            "longwave: the result of column 10 is not finite");
  columns.temperature_sfc(10) = synthetic_columns(ncol, nlay, 1).temperature_sfc(10);
  columns.temperature_sfc(19) = std::numeric_limits<typename TypeParam::Real>::max();
  EXPECT_EQ(message_of([&] { longwave.compute(columns, {}, fluxes); }),
            "longwave: the result of column 19 is not finite");
  columns.temperature_sfc(19) = synthetic_columns(ncol, nlay, 1).temperature_sfc(19);
  longwave.compute(columns, {}, fluxes);
  EXPECT_TRUE(all_values(fluxes) == expected) << "nothing of the calls before is left";
}

// Fortran's arrays, padded ones, and those that may only be read.
TYPED_TEST(HostLongwaveTest, ArraysHaveAnyLayout) {
  int const ncol = 21;
  int const nlay = 6;
  auto const columns = columns_with_aerosol(ncol, nlay, nbnd);
  columns.vmr(20, 0, 5) = 0;
  for (auto const& clouds : {synthetic_clouds(ncol, nlay), gpoint_clouds(ncol, nlay)}) {
    HostLongwave<double> longwave(ncol, nlay, clouds, true, synthetic_coefficients(),
                                  options_of<TypeParam>({.chunk = 4, .outputs = everything}));
    auto const fluxes = untouched_fluxes<double>(ncol, nlay, everything);
    longwave.compute(columns, clouds, fluxes);
    auto const expected = all_values(fluxes);
    auto const expect_same = [&]<class Layout>(Layout, char const* what) {
      auto const other = in_layout<Layout>(fluxes, false);
      auto other_clouds = in_layout<Layout>(clouds);
      other_clouds.overlap = clouds.overlap;
      other_clouds.seed = clouds.seed;
      auto const read_only = refer_to<Columns<Host, double const, Layout>>(in_layout<Layout>(columns));
      longwave.compute(read_only, other_clouds, other);
      ArrayCopies copies;
      auto const back = untouched_fluxes<double>(ncol, nlay, everything);
      Fluxes<Host, double>::for_each_array([&](ArrayDescription const&, auto const& to,
                                               auto const& from) { copies.add(array_ref(from), array_ref(to)); },
                                           back, other);
      copies.run(Host());
      EXPECT_TRUE(all_values(back) == expected) << what;
    };
    expect_same(Kokkos::LayoutLeft(), "columns fastest");
    expect_same(Kokkos::LayoutStride(), "columns fastest and padded");
  }
}

TYPED_TEST(HostLongwaveTest, BadValuesInAnyLayoutAreNamed) {
  auto const columns = in_layout<Kokkos::LayoutStride>(synthetic_columns(150, 6, 1));
  auto const fluxes = untouched_fluxes<double>(150, 6);
  HostLongwave<double> longwave(150, 6, {}, false, fluxes::SimpleSpectralData(), options_of<TypeParam>());
  double const good = columns.pressure_lev(130, 3);
  columns.pressure_lev(130, 3) = columns.pressure_lev(130, 2);
  EXPECT_NE(message_of([&] { longwave.compute(columns, HostClouds(), fluxes); }).find("pressure_lev(130, 3) = "),
            std::string::npos);
  columns.pressure_lev(130, 3) = good;
  columns.temperature_lay(149, 5) = -3;
  EXPECT_EQ(message_of([&] { longwave.compute(columns, HostClouds(), fluxes); }),
            "validate: temperature_lay(149, 5) = -3 K, expected a positive number");
  EXPECT_TRUE(is_untouched(fluxes));
}

// Each thread of a caller has a solver on an instance of its own: threads of the language, and those of a parallel
// region, from which Kokkos can be called where its instances were made outside and two levels may be active.
TYPED_TEST(HostLongwaveTest, ThreadsOfACallerHaveOneEach) {
  using Space = typename TypeParam::ExecutionSpace;
  int const ncol = 40;
  int const nlay = 12;
  auto const columns = synthetic_columns(ncol, nlay, 1);
  auto const clouds = synthetic_clouds(ncol, nlay);
  // What is clipped is copied before, by the same threads.
  columns.temperature_lay(17, 3) = 800;
  clouds.fraction(4, 0) = 1.5;
  auto const options = options_of<TypeParam>({.chunk = 8, .out_of_range = OutOfRange::clip});
  auto const expected = untouched_fluxes<double>(ncol, nlay);
  HostLongwave<double>(ncol, nlay, clouds, false, synthetic_coefficients(), options).compute(columns, clouds, expected);
  std::vector<Space> const instances{another_instance<Space>(), another_instance<Space>()};
  std::vector<HostLongwave<double>> solvers;
  std::vector<HostFluxes> fluxes;
  for (auto const& instance : instances) {
    solvers.emplace_back(instance, ncol, nlay, clouds, false, synthetic_coefficients(), options);
    fluxes.push_back(untouched_fluxes<double>(ncol, nlay));
  }
  auto const work = [&](std::size_t t) {
    for (int i = 0; i < 5; ++i) solvers[t].compute(columns, clouds, fluxes[t]);
  };
  auto const expect_same = [&](char const* what) {
    for (auto const& of_thread : fluxes) {
      EXPECT_TRUE(all_values(of_thread) == all_values(expected)) << what;
      for_each_flux(of_thread, [](char const*, auto const& view) { parhelion::assign_array(view, untouched); });
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t) threads.emplace_back(work, t);
  for (auto& thread : threads) thread.join();
  expect_same("from std::thread");
  if (call_from_a_region<Space>(work)) expect_same("from a parallel region");
}

TYPED_TEST(HostLongwaveTest, ProgressIsToldInOrderAndMayEndTheCall) {
  std::vector<int> done;
  int last = 20;
  auto const options = options_of<TypeParam>({.chunk = 3, .progress = [&](std::int64_t columns, std::int64_t all) {
                                                EXPECT_EQ(all, 20);
                                                done.push_back(static_cast<int>(columns));
                                                if (last < 0) return columns < -last;
                                                if (columns >= last) throw std::runtime_error("enough");
                                                return true;
                                              }});
  HostLongwave<double> longwave(20, 6, {}, false, fluxes::SimpleSpectralData(), options);
  auto const columns = synthetic_columns(20, 6, 1);
  auto const fluxes = untouched_fluxes<double>(20, 6);
  last = 6;
  EXPECT_THROW(longwave.compute(columns, {}, fluxes), std::runtime_error);
  EXPECT_EQ(done, (std::vector<int>{3, 6}));
  done.clear();
  last = 100;
  longwave.compute(columns, {}, fluxes);
  EXPECT_EQ(done, (std::vector<int>{3, 6, 9, 12, 15, 18, 20}));
  done.clear();
  last = -9;
  HostLongwaveReport report;
  longwave.compute(columns, {}, fluxes, &report);
  EXPECT_EQ(done, (std::vector<int>{3, 6, 9}));
  EXPECT_EQ(report.done, 9);
}

TYPED_TEST(HostLongwaveTest, ClippingLeavesTheCallersArraysAlone) {
  int const ncol = 9;
  int const nlay = 6;
  auto const columns = synthetic_columns(ncol, nlay, 1);
  auto const clouds = synthetic_clouds(ncol, nlay);
  clouds.fraction(4, 0) = 1.5;
  clouds.liquid_path(4, 0) = 0.03;
  clouds.liquid_size(4, 0) = 100e-6;
  clouds.ice_path(8, 1) = -1;
  auto options = options_of<TypeParam>({.chunk = 2});
  auto const solve = [&](HostLongwaveReport& report) {
    return fluxes::compute_longwave(columns, clouds, synthetic_coefficients(), options, &report);
  };
  HostLongwaveReport report;
  EXPECT_EQ(message_of([&] { (void)solve(report); }), "validate: fraction(4, 0) = 1.5, expected 0 to 1");
  options.clip_clouds = true;
  auto const clipped = all_values(solve(report));
  EXPECT_EQ(report.clipped.fractions, 1);
  EXPECT_EQ(report.clipped.sizes, 1);
  EXPECT_EQ(report.clipped.water_paths, 1);
  EXPECT_EQ(clouds.fraction(4, 0), 1.5);
  EXPECT_EQ(clouds.liquid_size(4, 0), 100e-6);
  EXPECT_EQ(clouds.ice_path(8, 1), -1);
  clouds.fraction(4, 0) = 1;
  clouds.liquid_size(4, 0) = 60e-6;
  clouds.ice_path(8, 1) = 0;
  EXPECT_TRUE(all_values(solve(report)) == clipped);
  EXPECT_EQ(report.clipped.all(), 0);
}

TEST(HostLongwave, TheReportTellsPlanAndTimes) {
  HostLongwaveReport report;
  HostLongwaveOptions const options{.chunk = 4};
  (void)fluxes::compute_longwave(synthetic_columns(10, 5, 1), fluxes::SimpleSpectralData(), options, &report);
  auto const plan = fluxes::plan_longwave(10, 5, {}, false, fluxes::SimpleSpectralData(), options);
  EXPECT_EQ(report.plan.chunk, 4);
  EXPECT_EQ(report.plan.space, plan.space);
  EXPECT_EQ(report.plan.device_bytes, plan.device_bytes);
  EXPECT_GT(report.solve_seconds, 0);
  EXPECT_GE(report.total_seconds, report.solve_seconds);
}

TEST(HostLongwave, OptionsThatCannotBeHonouredAreRefused) {
  auto const columns = synthetic_columns(3, 5, 1);
  auto const refusal = [&](HostLongwaveOptions const& options) {
    auto const message =
        message_of([&] { (void)fluxes::plan_longwave(3, 5, {}, false, fluxes::SimpleSpectralData(), options); });
    EXPECT_EQ(message_of([&] { (void)fluxes::compute_longwave(columns, fluxes::SimpleSpectralData(), options); }),
              message);
    return message;
  };
  std::string const host = Host::name();
  EXPECT_EQ(refusal({.chunk = -1}), "longwave: chunk = -1, expected at least 1, or 0 for an automatic choice");
  EXPECT_EQ(refusal({.devices = -2}), "longwave: devices = -2, expected at least 1, or 0 for all");
  EXPECT_EQ(refusal({.space = host, .devices = 2}),
            "longwave: devices = 2, expected at most the 1 that " + host + " has here");
  EXPECT_EQ(refusal({.outputs = {.derivative = true}}),
            "longwave: the simple spectral model has no derivatives; use RRTMG_LW's coefficients");
  EXPECT_EQ(refusal({.outputs = {.bands = true}}),
            "longwave: the simple spectral model has no fluxes of bands; use RRTMG_LW's coefficients");
  EXPECT_NE(refusal({.transmittance = fluxes::Transmittance::table}), "(no parhelion::Error)");
  EXPECT_EQ(message_of(
                [&] { (void)fluxes::compute_longwave(columns, synthetic_clouds(3, 5), fluxes::SimpleSpectralData()); }),
            "longwave: the simple spectral model has no clouds; use RRTMG_LW's coefficients");
  EXPECT_EQ(
      message_of([&] { (void)fluxes::compute_longwave(columns_with_aerosol(3, 5, 1), fluxes::SimpleSpectralData()); }),
      "longwave: the simple spectral model has no aerosol; use RRTMG_LW's coefficients");
  EXPECT_EQ(message_of([] { (void)fluxes::plan_longwave(0, 5, {}, false, fluxes::SimpleSpectralData()); }),
            "longwave: ncol = 0, expected at least 1");
  EXPECT_EQ(message_of([] { HostLongwave<float>(1, 0, {}, false, fluxes::SimpleSpectralData()); }),
            "longwave: nlay = 0, expected at least 1");
}

TEST(HostLongwave, AerosolIsChecked) {
  auto const columns = columns_with_aerosol(3, 5, 1);
  fluxes::validate(columns);
  columns.aerosol(2, 4, 15) = -1;
  EXPECT_EQ(message_of([&] { fluxes::validate(columns); }),
            "validate: aerosol(2, 4, 15) = -1, expected a number of at least 0");
  auto other = columns;
  other.aerosol = decltype(other.aerosol)("aerosol", 3, 5, 2);
  EXPECT_EQ(message_of([&] { fluxes::validate(other); }), "validate: aerosol has shape (3, 5, 2), expected (3, 5, 16)");
}

/// Largest difference between the fluxes of two spaces, relative to the value or, where that is small, to 1e-3 W m-2.
double largest_relative_difference(HostFluxes const& one, HostFluxes const& other) {
  double largest = 0;
  std::vector<double> const a = all_values(one), b = all_values(other);
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::fmax(largest, std::abs(a[i] - b[i]) / std::fmax(std::abs(a[i]), 1e-3));
  return largest;
}

TEST(HostLongwave, ExecutionSpacesAgreeToRounding) {
  auto const spaces = execution_space_names();
  PARHELION_REQUIRE_DEVICE(spaces.size() >= 2, "a second execution space");
  auto const columns = columns_with_aerosol(200, 51, nbnd);
  std::vector<HostClouds> skies{{}, gpoint_clouds(200, 51)};
  for (auto const overlap : {fluxes::Overlap::maximum_random, fluxes::Overlap::exponential_random}) {
    skies.push_back(synthetic_clouds(200, 51));
    skies.back().overlap = overlap;
  }
  for (std::size_t sky = 0; sky < skies.size(); ++sky)
    for (auto const precision : {Precision::float64, Precision::float32}) {
      auto const solve = [&](std::string const& space) {
        auto fluxes = fluxes::compute_longwave(columns, skies[sky], synthetic_coefficients(),
                                               {.space = space, .precision = precision, .outputs = everything});
        // A small difference of large numbers.
        fluxes.heating_rate = {};
        fluxes.heating_rate_clear = {};
        return fluxes;
      };
      auto const expected = solve(spaces.front());
      for (std::size_t i = 1; i < spaces.size(); ++i) {
        double const largest = largest_relative_difference(expected, solve(spaces[i]));
        std::string const what =
            fmt::format("{}_sky{}_{}", spaces[i], sky, precision == Precision::float64 ? "double" : "float");
        RecordProperty(what, fmt::format("{:.1e}", largest));
        EXPECT_LE(largest, precision == Precision::float64 ? 1e-10 : 1e-3) << spaces.front() << " and " << what;
      }
    }
}

}  // namespace
