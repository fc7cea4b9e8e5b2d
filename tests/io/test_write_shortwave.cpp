// SPDX-License-Identifier: BSD-3-Clause
// The shortwave's results in result files.
#include <parhelion/io/radiation_files.hpp>

#include "cf.hpp"
#include "synthetic_files.hpp"
#include "testing.hpp"

#include <cmath>
#include <map>
#include <utility>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

using Shape = std::vector<std::size_t>;
using Host = Kokkos::DefaultHostExecutionSpace;

io::RadiationInput input_of(SyntheticFile const& file, std::string const& folder,
                            io::RadiationOptions const& options = {.longwave = false, .shortwave = true}) {
  return io::read_radiation_input(file.write(folder + "/in.nc"), options);
}

// Arrays that tell which they are, column, level and band: the first has 1e5, the second 2e5, ...
fluxes::HostShortwaveFluxes make_result(io::RadiationInput const& input, fluxes::ShortwaveOutputs const& wanted) {
  auto const fluxes = fluxes::make_shortwave_fluxes<Host, double>(input.columns.ncol(), input.columns.nlay(), wanted);
  double first = 0.;
  fluxes::HostShortwaveFluxes::for_each_array(
      [&](ArrayDescription const&, auto const& array) {
        first += 1e5;
        std::size_t const inner = array.rank() > 2 ? array.extent(2) : 1, n = array.extent(1);
        for (std::size_t i = 0; i < array.size(); ++i)
          array.data()[i] = first + 1000. * static_cast<double>(i / inner / n) + static_cast<double>(i / inner % n) +
                            0.01 * static_cast<double>(i % inner);
      },
      fluxes);
  return fluxes;
}

std::map<std::string, std::string> const standard_names{
    {"flux_up", "upwelling_shortwave_flux_in_air"},
    {"flux_dn", "downwelling_shortwave_flux_in_air"},
    {"flux_dn_direct", "direct_downwelling_shortwave_flux_in_air"},
    {"heating_rate", "tendency_of_air_temperature_due_to_shortwave_heating"},
    {"flux_up_clear", "upwelling_shortwave_flux_in_air_assuming_clear_sky"},
    {"flux_dn_clear", "downwelling_shortwave_flux_in_air_assuming_clear_sky"},
    {"heating_rate_clear", "tendency_of_air_temperature_due_to_shortwave_heating_assuming_clear_sky"}};

}  // namespace

TEST(WriteShortwave, EveryArrayInTheOrderOfTheInput) {
  for (bool const rfmip : {false, true})
    for (bool const turned : {false, true}) {
      auto const folder = scratch_folder();
      auto source = rfmip ? rfmip_file() : shortwave_file();
      if (turned) source.turn_upside_down();
      auto const input = input_of(source, folder);
      auto const path = folder + "/out.nc";
      io::write_fluxes(
          path, input,
          io::RadiationResult{.shortwave = make_result(input, {.clear = true, .parts = true, .bands = true})}, {});
      io::Hdf5File const file(path);
      double first = 0.;
      auto const expected = fluxes::make_shortwave_fluxes<Host, double>(1, 1, {true, true, true});
      fluxes::HostShortwaveFluxes::for_each_array(
          [&](ArrayDescription const& array, auto const& of_array) {
            first += 1e5;
            std::string name = "sw_" + std::string(array.name);
            if (rfmip && name == "sw_flux_up") name = "rsu";
            if (rfmip && name == "sw_flux_dn") name = "rsd";
            bool const layers = name.find("heating_rate") != std::string::npos;
            std::size_t const n = layers ? nlay : nlev, inner = of_array.rank() > 2 ? 14 : 1;
            Shape shape = rfmip ? Shape{nexpt, nsite, n} : Shape{ncol, n};
            if (inner > 1) shape.push_back(inner);
            ASSERT_TRUE(file.exists(name)) << name;
            EXPECT_EQ(file.shape(name), shape) << name;
            auto const values = file.read(name);
            for (std::size_t i = 0; i < values.size(); ++i) {
              std::size_t const k = i / inner % n;
              ASSERT_EQ(values[i], first + 1000. * static_cast<double>(i / inner / n) +
                                       static_cast<double>(input.top_first ? n - 1 - k : k) +
                                       0.01 * static_cast<double>(i % inner))
                  << name << ' ' << i;
            }
            EXPECT_EQ(file.text_attribute(name, "units"), layers ? "K day-1" : "W m-2") << name;
            auto const standard = standard_names.find(std::string(array.name));
            EXPECT_EQ(file.text_attribute(name, "standard_name").value_or(""),
                      standard == standard_names.end() ? "" : standard->second);
            EXPECT_EQ(file.text_attribute(name, "long_name"), "shortwave " + std::string(array.meaning));
          },
          expected);
      EXPECT_EQ(file.exists("sw_flux_net"), !rfmip);
      if (!rfmip) {
        for (double const net : file.read("sw_flux_net")) EXPECT_EQ(net, -1e5);
        for (double const net : file.read("sw_flux_net_clear")) EXPECT_EQ(net, -1e5);
        EXPECT_EQ(file.text_attribute("sw_flux_net", "standard_name"), "net_upward_shortwave_flux_in_air");
      }
      EXPECT_EQ(file.shape("sw_band"), Shape{14});
      EXPECT_EQ(file.read("sw_wavenumber_low").front(), 2600.);
      EXPECT_EQ(file.read("sw_wavenumber_high").front(), 3250.);
      EXPECT_EQ(file.read("sw_wavenumber_low").back(), 820.);
      EXPECT_EQ(file.read("sw_wavenumber_high").back(), 2600.);
      EXPECT_TRUE(has(file.text_attribute("sw_flux_up_band", "coordinates").value_or(""),
                      "sw_wavenumber sw_wavenumber_low sw_wavenumber_high"));
      for (char const* const name : {"flux_up", "rlu", "heating_rate", "heating_rate_total", "band"})
        EXPECT_FALSE(file.exists(name)) << name;
      expect_cf(path);
    }
}

TEST(WriteShortwave, BandsByWavenumber) {
  auto const folder = scratch_folder();
  auto const input = input_of(shortwave_file(), folder,
                              {.longwave = false, .shortwave = true, .band_order = io::BandOrder::wavenumber});
  auto const path = folder + "/out.nc";
  auto const result = make_result(input, {.bands = true});
  io::write_fluxes(path, input, io::RadiationResult{.shortwave = result}, {});
  io::Hdf5File const file(path);
  auto const low = file.read("sw_wavenumber_low"), high = file.read("sw_wavenumber_high"),
             up = file.read("sw_flux_up_band");
  EXPECT_EQ(low.front(), 820.);
  EXPECT_EQ(high.back(), 50000.);
  for (std::size_t b = 1; b < 14; ++b) EXPECT_EQ(low[b], high[b - 1]) << b;
  for (std::size_t b = 0; b < 14; ++b)
    EXPECT_EQ(up[(1 * nlev + 2) * 14 + b], result.flux_up_band(1, 2, b == 0 ? 13 : b - 1)) << b;
  expect_cf(path);
}

TEST(WriteShortwave, BothRangesAndTheTotalHeatingRate) {
  for (bool const rfmip : {false, true}) {
    auto const folder = scratch_folder();
    auto source = rfmip ? rfmip_file() : column_file();
    if (!rfmip) add_sun(source);
    auto const input = input_of(source, folder, {.longwave = true, .shortwave = true});
    auto const longwave =
        fluxes::make_fluxes<Host, double>(input.columns.ncol(), input.columns.nlay(), {.bands = true});
    fluxes::HostFluxes::for_each_array(
        [](ArrayDescription const&, auto const& array) {
          for (std::size_t i = 0; i < array.size(); ++i) array.data()[i] = 0.5;
        },
        longwave);
    auto const shortwave = make_result(input, {.bands = true});
    auto const path = folder + "/out.nc";
    io::write_fluxes(path, input, io::RadiationResult{longwave, shortwave}, {});
    io::Hdf5File const file(path);
    auto const total = file.read("heating_rate_total"), part = file.read("sw_heating_rate");
    ASSERT_EQ(total.size(), part.size());
    for (std::size_t i = 0; i < total.size(); ++i) EXPECT_EQ(total[i], part[i] + 0.5);
    EXPECT_EQ(file.shape("heating_rate_total"), rfmip ? (Shape{nexpt, nsite, nlay}) : (Shape{ncol, nlay}));
    EXPECT_EQ(file.text_attribute("heating_rate_total", "standard_name"),
              "tendency_of_air_temperature_due_to_radiative_heating");
    for (char const* const name : {rfmip ? "rlu" : "flux_up", rfmip ? "rsu" : "sw_flux_up", "heating_rate",
                                   "flux_up_band", "sw_flux_up_band", "wavenumber_low", "sw_wavenumber_low"})
      EXPECT_TRUE(file.exists(name)) << name;
    EXPECT_EQ(file.shape("band"), Shape{16});
    expect_cf(path);
  }
}

TEST(WriteShortwave, RefusesWhatCannotBe) {
  auto const folder = scratch_folder();
  auto const input = input_of(shortwave_file(), folder);
  auto const refusal = [&](auto const& damage) {
    io::RadiationResult result{.shortwave = make_result(input, {})};
    damage(*result.shortwave);
    return message_of([&] { io::write_fluxes(folder + "/out.nc", input, result, {}); });
  };
  EXPECT_EQ(refusal([](auto& fluxes) { fluxes.flux_dn_direct(2, 1) = std::nan(""); }),
            "write_fluxes: sw_flux_dn_direct(2, 1) = nan, expected a finite value");
  EXPECT_EQ(refusal([](auto& fluxes) { fluxes.flux_dn = {}; }),
            "write_fluxes: sw_flux_dn has shape (0, 0), expected (3, 5)");
  EXPECT_EQ(refusal([](auto& fluxes) { fluxes.flux_up_band = HostArray<double***>("bands", 3, 5, 16); }),
            "write_fluxes: sw_flux_up_band has shape (3, 5, 16), expected (3, 5, 14)");
  EXPECT_EQ(message_of([&] { io::write_fluxes(folder + "/out.nc", input, io::RadiationResult{}, {}); }),
            "write_fluxes: no result, expected that of a range");
  EXPECT_EQ(list(folder), (std::vector<std::string>{"in.nc"}));
}
