// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/radiation_files.hpp>

#include "cf.hpp"
#include "synthetic_files.hpp"
#include "testing.hpp"

#include <cmath>
#include <limits>
#include <utility>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

using Shape = std::vector<std::size_t>;
using Host = Kokkos::DefaultHostExecutionSpace;

// Fluxes that tell column and level: 1000 c + k upward, a tenth of it downward.
fluxes::HostFluxes make_result(io::RadiationInput const& input) {
  auto fluxes = fluxes::make_fluxes<Host, double>(input.columns.ncol(), input.columns.nlay());
  for (int c = 0; c < input.columns.ncol(); ++c) {
    for (int k = 0; k <= input.columns.nlay(); ++k) {
      fluxes.flux_up(c, k) = 1000. * c + k;
      fluxes.flux_dn(c, k) = 0.1 * (1000. * c + k);
    }
    for (int k = 0; k < input.columns.nlay(); ++k) fluxes.heating_rate(c, k) = -(1000. * c + k);
  }
  return fluxes;
}

io::RadiationInput input_of(SyntheticFile const& file, std::string const& folder,
                            std::string const& experiment = "all") {
  return io::read_radiation_input(file.write(folder + "/in.nc"), {.experiment = experiment});
}

// Two things that every variable of a CF file has.
void expect_described(io::Hdf5File const& file, std::vector<std::string> const& names) {
  for (auto const& name : names) {
    EXPECT_NE(file.text_attribute(name, "long_name").value_or(""), "") << name;
    EXPECT_NE(file.text_attribute(name, "units").value_or(""), "") << name;
  }
}

}  // namespace

TEST(WriteFluxes, ColumnLayoutInTheOrderOfTheInput) {
  for (bool const top_first : {false, true}) {
    auto const folder = scratch_folder();
    auto source = column_file();
    source.variables["lat"] = {{ncol}, {-10., 0., 10.}};
    source.variables["column_label"] = {
        .shape = {ncol}, .values = {}, .stored = Stored::variable_text, .strings = {"south", "equator", "north"}};
    if (top_first) source.turn_upside_down();
    auto const input = input_of(source, folder);
    auto const path = folder + "/out.nc";
    io::write_fluxes(path, input, make_result(input),
                     {"A title", "A program", "today: a command", {{"gas_optics", "none"}}});

    io::Hdf5File const file(path);
    auto const up = file.read("flux_up"), dn = file.read("flux_dn"), net = file.read("flux_net"),
               rate = file.read("heating_rate");
    EXPECT_EQ(file.shape("flux_up"), (Shape{ncol, nlev}));
    EXPECT_EQ(file.shape("flux_dn"), (Shape{ncol, nlev}));
    EXPECT_EQ(file.shape("flux_net"), (Shape{ncol, nlev}));
    EXPECT_EQ(file.shape("heating_rate"), (Shape{ncol, nlay}));
    for (std::size_t c = 0; c < ncol; ++c) {
      for (std::size_t k = 0; k < nlev; ++k) {
        double const expected = 1000. * static_cast<double>(c) + static_cast<double>(top_first ? nlay - k : k);
        EXPECT_EQ(up[c * nlev + k], expected);
        EXPECT_EQ(dn[c * nlev + k], 0.1 * expected);
        EXPECT_EQ(net[c * nlev + k], expected - 0.1 * expected);
      }
      for (std::size_t k = 0; k < nlay; ++k)
        EXPECT_EQ(rate[c * nlay + k],
                  -(1000. * static_cast<double>(c) + static_cast<double>(top_first ? nlay - 1 - k : k)));
    }
    // Pressure comes back in Pa.
    auto const plev = file.read("plev"), play = file.read("play");
    for (std::size_t i = 0; i < plev.size(); ++i) EXPECT_EQ(plev[i], 100. * source["plev"].values[i]);
    for (std::size_t i = 0; i < play.size(); ++i) EXPECT_EQ(play[i], 100. * source["play"].values[i]);
    EXPECT_EQ(file.read("lat"), source["lat"].values);
    EXPECT_EQ(file.read_strings("column_label"), source["column_label"].strings);
    EXPECT_FALSE(file.exists("lon"));

    expect_described(file, {"flux_up", "flux_dn", "flux_net", "heating_rate", "plev", "play", "lat"});
    EXPECT_EQ(file.text_attribute("flux_up", "standard_name"), "upwelling_longwave_flux_in_air");
    EXPECT_EQ(file.text_attribute("flux_dn", "standard_name"), "downwelling_longwave_flux_in_air");
    EXPECT_EQ(file.text_attribute("heating_rate", "standard_name"),
              "tendency_of_air_temperature_due_to_longwave_heating");
    EXPECT_EQ(file.text_attribute("flux_up", "units"), "W m-2");
    EXPECT_EQ(file.text_attribute("heating_rate", "units"), "K day-1");
    EXPECT_EQ(file.text_attribute("plev", "units"), "Pa");
    EXPECT_EQ(file.text_attribute("flux_up", "coordinates"), "lat column_label plev");
    EXPECT_EQ(file.text_attribute("heating_rate", "coordinates"), "lat column_label play");
    EXPECT_EQ(file.text_attribute("flux_net", "standard_name"), "net_upward_longwave_flux_in_air");
    expect_cf(path);
    EXPECT_EQ(file.text_attribute("", "Conventions"), "CF-1.10");
    EXPECT_EQ(file.text_attribute("", "title"), "A title");
    EXPECT_EQ(file.text_attribute("", "source"), "A program");
    EXPECT_EQ(file.text_attribute("", "history"), "today: a command");
    EXPECT_EQ(file.text_attribute("", "gas_optics"), "none");
    EXPECT_EQ(file.text_attribute("", "vertical_order"), top_first
                                                             ? "index 0 is the highest layer and the top interface"
                                                             : "index 0 is the lowest layer and the surface interface");
  }
}

TEST(WriteFluxes, RfmipLayout) {
  auto const folder = scratch_folder();
  auto source = rfmip_file();
  auto const input = input_of(source, folder);
  auto const path = folder + "/out.nc";
  io::write_fluxes(path, input, make_result(input), {});

  io::Hdf5File const file(path);
  EXPECT_EQ(file.shape("rlu"), (Shape{nexpt, nsite, nlev}));
  EXPECT_EQ(file.shape("rld"), (Shape{nexpt, nsite, nlev}));
  EXPECT_EQ(file.shape("heating_rate"), (Shape{nexpt, nsite, nlay}));
  auto const up = file.read("rlu"), dn = file.read("rld"), rate = file.read("heating_rate");
  for (std::size_t column = 0; column < nexpt * nsite; ++column) {
    // The file has the top first, the solver the surface.
    for (std::size_t k = 0; k < nlev; ++k) {
      double const expected = 1000. * static_cast<double>(column) + static_cast<double>(nlay - k);
      EXPECT_EQ(up[column * nlev + k], expected);
      EXPECT_EQ(dn[column * nlev + k], 0.1 * expected);
    }
    for (std::size_t k = 0; k < nlay; ++k)
      EXPECT_EQ(rate[column * nlay + k], -(1000. * static_cast<double>(column) + static_cast<double>(nlay - 1 - k)));
  }
  EXPECT_EQ(file.read("expt"), (std::vector<double>{1., 2.}));
  EXPECT_EQ(file.read_strings("expt_label"), (std::vector<std::string>{"present day", "past"}));
  EXPECT_EQ(file.read("pres_level"), source["pres_level"].values);
  EXPECT_EQ(file.read("pres_layer"), source["pres_layer"].values);
  for (char const* const name : {"profile_weight", "lat", "lon"}) EXPECT_EQ(file.read(name), source[name].values);
  EXPECT_FALSE(file.exists("flux_up"));
  expect_described(file,
                   {"rlu", "rld", "heating_rate", "pres_level", "pres_layer", "lat", "lon", "profile_weight", "expt"});
  EXPECT_EQ(file.text_attribute("rlu", "standard_name"), "upwelling_longwave_flux_in_air");
  EXPECT_EQ(file.text_attribute("rld", "standard_name"), "downwelling_longwave_flux_in_air");
  EXPECT_EQ(file.text_attribute("rlu", "coordinates"), "lon lat expt_label pres_level");
  expect_cf(path);
}

TEST(WriteFluxes, OneExperimentKeepsItsDimension) {
  auto const folder = scratch_folder();
  auto const input = input_of(rfmip_file(), folder, "2");
  auto const path = folder + "/out.nc";
  io::write_fluxes(path, input, make_result(input), {});
  io::Hdf5File const file(path);
  EXPECT_EQ(file.shape("rlu"), (Shape{1, nsite, nlev}));
  EXPECT_EQ(file.shape("heating_rate"), (Shape{1, nsite, nlay}));
  EXPECT_EQ(file.read("expt"), (std::vector<double>{2.}));
  EXPECT_EQ(file.read_strings("expt_label"), (std::vector<std::string>{"past"}));
}

TEST(WriteFluxes, WhatElseTheFluxesHoldInTheOrderOfTheInput) {
  for (bool const rfmip : {false, true}) {
    for (bool const turned : {false, true}) {
      auto const folder = scratch_folder();
      auto source = rfmip ? rfmip_file() : column_file();
      if (turned) source.turn_upside_down();
      auto const input = input_of(source, folder);
      auto const columns = static_cast<std::size_t>(input.columns.ncol());
      // Every array tells what it is, column and level; bands follow as hundredths.
      auto fluxes = make_result(input);
      auto const more = fluxes::make_fluxes<Host, double>(input.columns.ncol(), input.columns.nlay(),
                                                          {.clear = true, .derivative = true, .bands = true});
      auto const fill = [](auto const& view, double what) {
        for (std::size_t c = 0; c < view.extent(0); ++c)
          for (std::size_t k = 0; k < view.extent(1); ++k)
            view(c, k) = what + 1000. * static_cast<double>(c) + static_cast<double>(k);
      };
      fill(fluxes.flux_up_clear = more.flux_up_clear, 1e5);
      fill(fluxes.flux_dn_clear = more.flux_dn_clear, 2e5);
      fill(fluxes.heating_rate_clear = more.heating_rate_clear, 3e5);
      fill(fluxes.dflux_up_dt = more.dflux_up_dt, 4e5);
      fill(fluxes.dflux_up_clear_dt = more.dflux_up_clear_dt, 5e5);
      fluxes.flux_up_band = more.flux_up_band;
      fluxes.flux_dn_band = more.flux_dn_band;
      for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t k = 0; k < nlev; ++k)
          for (std::size_t b = 0; b < 16; ++b) {
            double const value =
                1000. * static_cast<double>(c) + static_cast<double>(k) + 0.01 * static_cast<double>(b);
            fluxes.flux_up_band(c, k, b) = 6e5 + value;
            fluxes.flux_dn_band(c, k, b) = 7e5 + value;
          }
      auto const path = folder + "/out.nc";
      io::write_fluxes(path, input, fluxes, {});

      io::Hdf5File const file(path);
      auto const expect_field = [&](std::string const& name, std::size_t n, double what, std::string const& unit,
                                    std::string const& standard_name) {
        EXPECT_EQ(file.shape(name), rfmip ? (Shape{nexpt, nsite, n}) : (Shape{ncol, n})) << name;
        auto const values = file.read(name);
        for (std::size_t i = 0; i < values.size(); ++i) {
          std::size_t const k = input.top_first ? n - 1 - i % n : i % n;
          EXPECT_EQ(values[i], what + 1000. * static_cast<double>(i / n) + static_cast<double>(k)) << name << ' ' << i;
        }
        EXPECT_EQ(file.text_attribute(name, "units"), unit);
        EXPECT_EQ(file.text_attribute(name, "standard_name").value_or(""), standard_name);
        expect_described(file, {name});
      };
      expect_field(rfmip ? "rlu_clear" : "flux_up_clear", nlev, 1e5, "W m-2",
                   "upwelling_longwave_flux_in_air_assuming_clear_sky");
      expect_field(rfmip ? "rld_clear" : "flux_dn_clear", nlev, 2e5, "W m-2",
                   "downwelling_longwave_flux_in_air_assuming_clear_sky");
      expect_field("heating_rate_clear", nlay, 3e5, "K day-1",
                   "tendency_of_air_temperature_due_to_longwave_heating_assuming_clear_sky");
      expect_field("dflux_up_dt", nlev, 4e5, "W m-2 K-1", "");
      expect_field("dflux_up_clear_dt", nlev, 5e5, "W m-2 K-1", "");
      if (!rfmip) {
        auto const net = file.read("flux_net_clear");
        for (double const value : net) EXPECT_EQ(value, -1e5);
      }

      for (auto const& [name, what] : {std::pair("flux_up_band", 6e5), std::pair("flux_dn_band", 7e5)}) {
        EXPECT_EQ(file.shape(name), rfmip ? (Shape{nexpt, nsite, nlev, 16}) : (Shape{ncol, nlev, 16}));
        auto const values = file.read(name);
        for (std::size_t i = 0; i < values.size(); ++i) {
          std::size_t const band = i % 16, c = i / 16 / nlev, k = i / 16 % nlev;
          double const value = 1000. * static_cast<double>(c) +
                               static_cast<double>(input.top_first ? nlev - 1 - k : k) +
                               0.01 * static_cast<double>(band);
          EXPECT_EQ(values[i], what + value) << name << ' ' << i;
        }
        EXPECT_TRUE(has(file.text_attribute(name, "coordinates").value_or(""), "wavenumber_low wavenumber_high"));
      }
      expect_described(file, {"flux_up_band", "flux_dn_band", "band", "wavenumber_low", "wavenumber_high"});
      EXPECT_EQ(file.text_attribute("wavenumber", "bounds"), "wavenumber_bounds");
      EXPECT_EQ(file.shape("wavenumber_bounds"), (Shape{16, 2}));
      expect_cf(path);
      auto const low = file.read("wavenumber_low"), high = file.read("wavenumber_high"), number = file.read("band");
      EXPECT_EQ(low.front(), 10.);
      EXPECT_EQ(high.front(), 350.);
      EXPECT_EQ(low.back(), 2600.);
      EXPECT_EQ(high.back(), 3250.);
      EXPECT_EQ(number.front(), 1.);
      EXPECT_EQ(number.back(), 16.);
      EXPECT_EQ(file.text_attribute("wavenumber_low", "units"), "cm-1");
    }
  }
}

TEST(WriteFluxes, WhatIsNotThereIsNotWritten) {
  auto const folder = scratch_folder();
  auto const input = input_of(column_file(), folder);
  auto const path = folder + "/out.nc";
  io::write_fluxes(path, input, make_result(input), {});
  io::Hdf5File const file(path);
  for (char const* const name : {"flux_up_clear", "flux_dn_clear", "flux_net_clear", "heating_rate_clear",
                                 "dflux_up_dt", "dflux_up_clear_dt", "flux_up_band", "flux_dn_band", "band"})
    EXPECT_FALSE(file.exists(name)) << name;
}

TEST(WriteFluxes, SinglePrecisionOnRequest) {
  auto const folder = scratch_folder();
  auto const input = input_of(column_file(), folder);
  auto const path = folder + "/out.nc";
  io::write_fluxes(path, input, make_result(input), {}, io::NetcdfType::float32);
  io::Hdf5File const file(path);
  EXPECT_EQ(file.read("flux_dn")[1], static_cast<double>(0.1f));
  EXPECT_EQ(file.read("plev"), [&] {
    std::vector<double> pressure;
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 5; ++k) pressure.push_back(input.columns.pressure_lev(c, k));
    return pressure;
  }());
}

TEST(WriteFluxes, RefusesResultsThatAreNoNumbersAndKeepsTheOldFile) {
  auto const folder = scratch_folder();
  auto const input = input_of(column_file(), folder);
  auto const path = folder + "/out.nc";
  write_bytes(path, "the old one");
  for (double const bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto const text = std::isnan(bad) ? "nan" : "inf";
    auto const refusal = [&](auto const& damage) {
      auto fluxes = make_result(input);
      damage(fluxes);
      return message_of([&] { io::write_fluxes(path, input, fluxes, {}); });
    };
    EXPECT_EQ(refusal([&](auto& fluxes) { fluxes.flux_up(1, 4) = bad; }),
              std::string("write_fluxes: flux_up(1, 4) = ") + text + ", expected a finite value");
    EXPECT_EQ(refusal([&](auto& fluxes) { fluxes.flux_dn(2, 0) = bad; }),
              std::string("write_fluxes: flux_dn(2, 0) = ") + text + ", expected a finite value");
    EXPECT_EQ(refusal([&](auto& fluxes) { fluxes.heating_rate(0, 3) = bad; }),
              std::string("write_fluxes: heating_rate(0, 3) = ") + text + ", expected a finite value");
    EXPECT_EQ(refusal([&](auto& fluxes) {
                fluxes.flux_up_band = HostArray<double***>("flux_up_band", 3, 5, 16);
                fluxes.flux_dn_band = HostArray<double***>("flux_dn_band", 3, 5, 16);
                fluxes.flux_dn_band(1, 2, 15) = bad;
              }),
              std::string("write_fluxes: flux_dn_band(1, 2, 15) = ") + text + ", expected a finite value");
    EXPECT_EQ(refusal([&](auto& fluxes) {
                fluxes.dflux_up_dt = HostArray<double**>("dflux_up_dt", 3, 5);
                fluxes.dflux_up_dt(2, 4) = bad;
              }),
              std::string("write_fluxes: dflux_up_dt(2, 4) = ") + text + ", expected a finite value");
  }
  EXPECT_EQ(read_bytes(path), "the old one");
  EXPECT_EQ(list(folder), (std::vector<std::string>{"in.nc", "out.nc"}));
}

TEST(WriteFluxes, RefusesResultsOfAnotherShape) {
  auto const folder = scratch_folder();
  auto const input = input_of(column_file(), folder);
  auto const fluxes = fluxes::make_fluxes<Host, double>(3, 5);
  EXPECT_EQ(message_of([&] { io::write_fluxes(folder + "/out.nc", input, fluxes, {}); }),
            "write_fluxes: flux_up has shape (3, 6), expected (3, 5)");
  auto without_downward = make_result(input);
  without_downward.flux_up_clear = without_downward.flux_up;
  EXPECT_EQ(message_of([&] { io::write_fluxes(folder + "/out.nc", input, without_downward, {}); }),
            "write_fluxes: flux_dn_clear has shape (0, 0), expected (3, 5)");
  EXPECT_EQ(list(folder), (std::vector<std::string>{"in.nc"}));
}

TEST(WriteFluxes, RefusesFoldersThatAreMissing) {
  auto const folder = scratch_folder();
  auto const input = input_of(column_file(), folder);
  auto const path = folder + "/none/out.nc";
  EXPECT_EQ(message_of([&] { io::write_fluxes(path, input, make_result(input), {}); }),
            path + ": cannot be written: no folder " + folder + "/none");
}
