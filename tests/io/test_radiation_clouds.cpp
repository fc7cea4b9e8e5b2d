// SPDX-License-Identifier: BSD-3-Clause
// Clouds, aerosol and flags of atmosphere files, and the derivatives that they ask for.
#include <parhelion/io/radiation_files.hpp>

#include "radiation_testing.hpp"
#include "synthetic_files.hpp"
#include "testing.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

SyntheticFile gpoint_file() {
  auto file = column_file();
  add_gpoint_clouds(file);
  return file;
}

SyntheticFile layer_file() {
  auto file = column_file();
  add_layer_clouds(file);
  return file;
}

template <class Damage>
std::string gpoint_refusal(Damage const& damage, io::CloudOptions const& options = {}) {
  auto file = gpoint_file();
  damage(file);
  return refusal(file, {.clouds = options});
}

template <class Damage>
std::string layer_refusal(Damage const& damage, io::CloudOptions const& options = {}) {
  auto file = layer_file();
  damage(file);
  return refusal(file, {.clouds = options});
}

io::RadiationInput read(SyntheticFile const& file, io::CloudOptions const& options) {
  return read(file, io::RadiationOptions{.clouds = options});
}

void expect_equal(fluxes::HostClouds const& a, fluxes::HostClouds const& b) {
  EXPECT_EQ(values_of(a.fraction), values_of(b.fraction));
  EXPECT_EQ(values_of(a.ice_path), values_of(b.ice_path));
  EXPECT_EQ(values_of(a.liquid_path), values_of(b.liquid_path));
  EXPECT_EQ(values_of(a.fraction_gpt), values_of(b.fraction_gpt));
  EXPECT_EQ(values_of(a.ice_path_gpt), values_of(b.ice_path_gpt));
  EXPECT_EQ(values_of(a.liquid_path_gpt), values_of(b.liquid_path_gpt));
  EXPECT_EQ(values_of(a.optical_depth_gpt), values_of(b.optical_depth_gpt));
  EXPECT_EQ(values_of(a.ice_size), values_of(b.ice_size));
  EXPECT_EQ(values_of(a.liquid_size), values_of(b.liquid_size));
}

}  // namespace

TEST(RadiationFiles, CloudsOfGpoints) {
  auto source = gpoint_file();
  auto const input = read(source);
  auto const& clouds = input.clouds;
  EXPECT_TRUE(input.has_clouds);
  ASSERT_TRUE(clouds.of_gpoints());
  ASSERT_FALSE(clouds.of_layers());
  EXPECT_EQ(values_of(clouds.fraction_gpt), source["cldfmcl"].values);
  // The second column is given by optical depths, the others by water paths; what a column does not use is not read.
  EXPECT_EQ(values_of(clouds.ice_path_gpt), of_columns(in_si(source["ciwpmcl"].values, 1e-3), {true, false, true}));
  EXPECT_EQ(values_of(clouds.liquid_path_gpt), of_columns(in_si(source["clwpmcl"].values, 1e-3), {true, false, true}));
  EXPECT_EQ(values_of(clouds.optical_depth_gpt), of_columns(source["taucmcl"].values, {false, true, false}));
  EXPECT_EQ(values_of(clouds.ice_size), of_columns(in_si(source["reicmcl"].values, 1e-6), {true, false, true}));
  EXPECT_EQ(values_of(clouds.liquid_size), of_columns(in_si(source["relqmcl"].values, 1e-6), {true, false, true}));
  EXPECT_EQ(flags_of(clouds.input), (std::vector<int>{2, 0, 2}));
  EXPECT_EQ(flags_of(clouds.ice_optics), (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(flags_of(clouds.liquid_optics), (std::vector<int>{1, 1, 0}));
  EXPECT_FALSE(read(column_file()).has_clouds);
  EXPECT_FALSE(read(column_file()).clouds.any());
}

TEST(RadiationFiles, CloudsOfLayers) {
  auto source = layer_file();
  auto const input = read(source);
  auto const& clouds = input.clouds;
  EXPECT_TRUE(input.has_clouds);
  ASSERT_TRUE(clouds.of_layers());
  ASSERT_FALSE(clouds.of_gpoints());
  EXPECT_EQ(values_of(clouds.fraction), source["cldfrac"].values);
  EXPECT_EQ(values_of(clouds.ice_path), in_si(source["ciwp"].values, 1e-3));
  EXPECT_EQ(values_of(clouds.liquid_path), in_si(source["clwp"].values, 1e-3));
  EXPECT_EQ(values_of(clouds.ice_size), in_si(source["rei"].values, 1e-6));
  EXPECT_EQ(values_of(clouds.liquid_size), in_si(source["rel"].values, 1e-6));
  EXPECT_EQ(clouds.overlap, fluxes::Overlap::maximum_random);
  EXPECT_EQ(clouds.seed, 0U);
  EXPECT_EQ(flags_of(clouds.input), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(flags_of(clouds.ice_optics), (std::vector<int>{3, 3, 3}));
  EXPECT_EQ(flags_of(clouds.liquid_optics), (std::vector<int>{1, 1, 1}));

  auto const asked = read(source, io::CloudOptions{.overlap = fluxes::Overlap::random,
                                                   .seed = ~std::uint64_t(0),
                                                   .ice_optics = fluxes::IceOptics::streamer,
                                                   .liquid_optics = fluxes::LiquidOptics::all_bands});
  EXPECT_EQ(asked.clouds.overlap, fluxes::Overlap::random);
  EXPECT_EQ(asked.clouds.seed, ~std::uint64_t(0));
  EXPECT_EQ(flags_of(asked.clouds.ice_optics), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(flags_of(asked.clouds.liquid_optics), (std::vector<int>{0, 0, 0}));
}

TEST(RadiationFiles, EitherVerticalOrderGivesTheSameCloudsAndAerosol) {
  for (auto const& source : {gpoint_file(), layer_file()}) {
    auto file = source;
    add_aerosol(file);
    auto const as_is = read(file);
    file.turn_upside_down();
    auto const turned = read(file);
    ASSERT_TRUE(turned.top_first);
    expect_equal(turned.clouds, as_is.clouds);
    ASSERT_GT(as_is.columns.aerosol.size(), 0U);
    EXPECT_EQ(values_of(turned.columns.aerosol), values_of(as_is.columns.aerosol));
  }
}

TEST(RadiationFiles, Aerosol) {
  auto file = column_file();
  add_aerosol(file);
  EXPECT_EQ(values_of(read(file).columns.aerosol), file["tauaer"].values);
  auto none = file;
  for (double& depth : none["tauaer"].values) depth = 0.;
  EXPECT_EQ(read(none).columns.aerosol.size(), 0U) << "zero is no aerosol";
  EXPECT_EQ(read(column_file()).columns.aerosol.size(), 0U);
  auto const spoiled = [&](double value) {
    auto damaged = file;
    damaged["tauaer"](1, 2, 3) = value;
    return refusal(damaged, {.clouds = {.clip = true}});  // which is for clouds only
  };
  EXPECT_EQ(spoiled(-0.1), "tauaer(1, 2, 3) = -0.1, expected a finite optical depth of at least 0");
  EXPECT_EQ(spoiled(not_a_number), "tauaer(1, 2, 3) = nan, expected a finite optical depth of at least 0");
  file["tauaer"].shape = {ncol, 16, nlay};
  EXPECT_EQ(refusal(file), "tauaer: has shape (3, 16, 4), expected (column, layer, band) = (3, 4, 16)");
}

TEST(RadiationFiles, UnitsOfClouds) {
  struct Unit {
    char const* name;
    double per_unit;
  };
  auto const reference = read(layer_file());
  for (auto const& [name, per_unit] :
       {Unit{"g m-2", 1.}, Unit{"g/m2", 1.}, Unit{"kg m-2", 1e-3}, Unit{"kg m^-2", 1e-3}}) {
    auto file = layer_file();
    for (double& path : file["ciwp"].values) path *= per_unit;
    file["ciwp"].text_attributes["units"] = name;
    auto const input = read(file);
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 4; ++k)
        EXPECT_DOUBLE_EQ(input.clouds.ice_path(c, k), reference.clouds.ice_path(c, k)) << name;
  }
  for (auto const& [name, per_unit] : {Unit{"um", 1.}, Unit{"micron", 1.}, Unit{"microns", 1.}, Unit{"micrometer", 1.},
                                       Unit{"micrometre", 1.}, Unit{"m", 1e-6}}) {
    auto file = layer_file();
    for (double& size : file["rel"].values) size *= per_unit;
    file["rel"].text_attributes["units"] = name;
    auto const input = read(file);
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 4; ++k)
        EXPECT_DOUBLE_EQ(input.clouds.liquid_size(c, k), reference.clouds.liquid_size(c, k)) << name;
  }
  auto const with_units = [](char const* variable, char const* units) {
    return layer_refusal([&](auto& file) { file[variable].text_attributes["units"] = units; });
  };
  EXPECT_EQ(with_units("ciwp", "kg kg-1"), "ciwp: units = \"kg kg-1\", expected g m-2 or kg m-2");
  EXPECT_EQ(with_units("rei", "mm"), "rei: units = \"mm\", expected um, micron, micrometer or m");
  EXPECT_EQ(with_units("cldfrac", "%"), "cldfrac: units = \"%\", expected 1");
  EXPECT_EQ(layer_refusal([](auto& file) { file["clwp"].text_attributes.clear(); }),
            "clwp: has no attribute units, expected g m-2 or kg m-2");
  EXPECT_EQ(layer_refusal([](auto& file) { file["rel"].text_attributes.clear(); }),
            "rel: has no attribute units, expected um, micron, micrometer or m");
  auto bare = gpoint_file();
  for (char const* const name : {"cldfmcl", "taucmcl"}) bare[name].text_attributes.clear();
  expect_equal(read(bare).clouds, read(gpoint_file()).clouds);
}

// The ends of the ranges of sizes are in them, whatever the unit.
TEST(RadiationFiles, EndsOfTheRangesOfSizes) {
  struct Case {
    char const* variable;
    int iceflglw, liqflglw;
    std::vector<double> good, bad;
  };
  for (auto const& each : {Case{"rei", 0, 1, {10, 1000}, {9.99}}, Case{"rei", 1, 1, {13, 130}, {12.99, 130.1}},
                           Case{"rei", 2, 1, {5, 131}, {4.99, 131.1}}, Case{"rei", 3, 1, {5, 140}, {4.99, 140.1}},
                           Case{"rel", 3, 1, {2.5, 60}, {2.49, 60.1}}, Case{"rel", 3, 0, {0, 1000}, {}}}) {
    auto file = layer_file();
    file.number_attributes["iceflglw"] = each.iceflglw;
    file.number_attributes["liqflglw"] = each.liqflglw;
    for (double const scale : {1., 1e6}) {
      for (double const size : each.good) {
        file[each.variable](1, 2) = size;
        auto scaled = file;
        if (scale != 1.) {
          for (double& value : scaled[each.variable].values) value /= scale;
          scaled[each.variable].text_attributes["units"] = std::string("m");
        }
        EXPECT_EQ(refusal(scaled), nothing_refused) << each.variable << ' ' << each.iceflglw << ' ' << size;
      }
    }
    for (double const size : each.bad) {
      file[each.variable](1, 2) = size;
      EXPECT_TRUE(has(refusal(file), std::string(each.variable) + "(1, 2) = ")) << size;
    }
  }
}

TEST(RadiationFiles, SizesCountWhereThereIsSuchWaterInACloud) {
  std::string const message = "rei(0, 1) = 200 um, expected 5 to 140 um with iceflglw = 3";
  auto const spoil = [](auto& file) { file["rei"](0, 1) = 200.; };
  EXPECT_EQ(layer_refusal(spoil), message);
  auto upside_down = layer_file();
  spoil(upside_down);
  for (std::size_t const k : {0U, 2U, 3U}) upside_down["ciwp"](0, k) = 0.;
  upside_down.turn_upside_down();
  EXPECT_EQ(refusal(upside_down), "rei(0, 2) = 200 um, expected 5 to 140 um with iceflglw = 3");
  EXPECT_EQ(layer_refusal([&](auto& file) {
              spoil(file);
              for (double& size : file["rei"].values) size /= 1e6;
              file["rei"].text_attributes["units"] = std::string("m");
            }),
            "rei(0, 1) = 0.0002 m, expected 5e-06 to 0.00014 m with iceflglw = 3");
  EXPECT_EQ(layer_refusal([&](auto& file) {
              spoil(file);
              file["ciwp"](0, 1) = 0.;
            }),
            nothing_refused);
  EXPECT_EQ(layer_refusal([&](auto& file) {
              spoil(file);
              file["cldfrac"](0, 1) = 0.;
            }),
            nothing_refused);
  EXPECT_EQ(layer_refusal(spoil, {.clip = true}), nothing_refused);
  EXPECT_EQ(layer_refusal(spoil, {.ice_optics = fluxes::IceOptics::all_bands}), nothing_refused);

  EXPECT_EQ(gpoint_refusal([](auto& file) { file["relqmcl"](0, 2) = 1.; }),
            "relqmcl(0, 2) = 1 um, expected 2.5 to 60 um with liqflglw = 1");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file["relqmcl"](1, 2) = 1.; }), nothing_refused) << "inflglw is 0 there";
  EXPECT_EQ(gpoint_refusal([](auto& file) { file["relqmcl"](2, 2) = -1.; }), nothing_refused) << "liqflglw is 0 there";
  EXPECT_EQ(gpoint_refusal([](auto& file) {
              file["relqmcl"](0, 2) = 1.;
              for (std::size_t g = 0; g < 140; ++g)
                if (file["cldfmcl"](0, 2, g) == 1.) file["clwpmcl"](0, 2, g) = 0.;
            }),
            nothing_refused);
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.remove("reicmcl"); }), "reicmcl: missing: iceflglw = 3 needs sizes");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.remove("reicmcl"); }, {.clip = true}),
            "reicmcl: missing: iceflglw = 3 needs sizes");
  EXPECT_EQ(layer_refusal([](auto& file) { file.remove("rel"); }, {.liquid_optics = fluxes::LiquidOptics::all_bands}),
            nothing_refused);
}

TEST(RadiationFiles, CloudInputOutOfRange) {
  struct Bad {
    char const* variable;
    double value;
    std::string text, expected;
  };
  std::string const fraction = "a cloud fraction from 0 to 1", path = "a finite water path of at least 0",
                    depth = "a finite optical depth of at least 0", size = "a finite size";
  for (auto const& bad :
       {Bad{"cldfmcl", 2., "2", fraction}, Bad{"cldfmcl", -1., "-1", fraction}, Bad{"ciwpmcl", -1., "-1 g m-2", path},
        Bad{"ciwpmcl", not_a_number, "nan g m-2", path}, Bad{"clwpmcl", infinity, "inf g m-2", path},
        Bad{"taucmcl", -0.5, "-0.5", depth}, Bad{"taucmcl", not_a_number, "nan", depth}}) {
    // Columns that say so are given by optical depths, others by water paths.
    std::size_t const used = std::string(bad.variable) == "taucmcl" ? 1 : 2;
    auto const spoil = [&](auto& file) { file[bad.variable](used, 2, 139) = bad.value; };
    auto const where =
        std::string(bad.variable) + "(" + std::to_string(used) + ", 2, 139) = " + bad.text + ", expected ";
    if (std::string(bad.variable) != "cldfmcl") {
      EXPECT_EQ(gpoint_refusal([&](auto& file) { file[bad.variable](3 - used, 2, 139) = bad.value; }), nothing_refused);
    }
    EXPECT_EQ(gpoint_refusal(spoil), where + bad.expected);
    EXPECT_EQ(gpoint_refusal(spoil, {.clip = true}),
              std::isfinite(bad.value) ? nothing_refused : where + "a finite number");
  }
  for (auto const& bad : {Bad{"cldfrac", 1.01, "1.01", fraction}, Bad{"cldfrac", not_a_number, "nan", fraction},
                          Bad{"ciwp", -1., "-1 g m-2", path}, Bad{"clwp", -1e-9, "-1e-09 g m-2", path},
                          Bad{"rei", not_a_number, "nan um", size}, Bad{"rel", -infinity, "-inf um", size}}) {
    auto const spoil = [&](auto& file) { file[bad.variable](2, 3) = bad.value; };
    auto const where = std::string(bad.variable) + "(2, 3) = " + bad.text + ", expected ";
    EXPECT_EQ(layer_refusal(spoil), where + bad.expected);
    EXPECT_EQ(layer_refusal(spoil, {.clip = true}),
              std::isfinite(bad.value) ? nothing_refused : where + "a finite number");
  }
  auto const missing = [](auto& file) {
    file["cldfrac"].number_attributes["_FillValue"] = -9.;
    file["cldfrac"](0, 3) = -9.;
  };
  EXPECT_EQ(layer_refusal(missing), "cldfrac(0, 3) is a missing value (-9), expected " + fraction);
  EXPECT_EQ(layer_refusal(missing, {.clip = true}), "cldfrac(0, 3) is a missing value (-9), expected a finite number");
  // What passes for clipping arrives as it is.
  auto file = layer_file();
  file["cldfrac"](2, 3) = 1.25;
  file["rei"](2, 3) = 1.;
  auto const input = read(file, io::CloudOptions{.clip = true});
  EXPECT_EQ(input.clouds.fraction(2, 3), 1.25);
  EXPECT_EQ(input.clouds.ice_size(2, 3), 1e-6);
}

TEST(RadiationFiles, ShapesOfClouds) {
  EXPECT_EQ(gpoint_refusal([](auto& file) {
              file["ciwpmcl"].shape = {ncol, 140, nlay};
            }),
            "ciwpmcl: has shape (3, 140, 4), expected (column, layer, gpt) = (3, 4, 140)");
  EXPECT_EQ(layer_refusal([](auto& file) {
              file["cldfrac"].shape = {nlay, ncol};
            }),
            "cldfrac: has shape (4, 3), expected (column, layer) = (3, 4)");
  EXPECT_EQ(gpoint_refusal([](auto& file) {
              file["inflglw"].shape = {2};
              file["inflglw"].values = {2., 2.};
            }),
            "inflglw: has shape (2), expected () or (column) = (3)");
}

TEST(RadiationFiles, AbsentCloudInputIsZero) {
  auto file = gpoint_file();
  for (char const* const name : {"ciwpmcl", "reicmcl", "inflglw", "taucmcl"}) file.remove(name);
  auto const input = read(file);
  for (double const path : values_of(input.clouds.ice_path_gpt)) EXPECT_EQ(path, 0.);
  EXPECT_EQ(values_of(input.clouds.liquid_path_gpt), in_si(file["clwpmcl"].values, 1e-3));
  EXPECT_EQ(input.clouds.optical_depth_gpt.size(), 0U);
  EXPECT_EQ(flags_of(input.clouds.input), (std::vector<int>{2, 2, 2}));
  auto layers = layer_file();
  layers.remove("clwp");
  layers.remove("rel");
  for (double const path : values_of(read(layers).clouds.liquid_path)) EXPECT_EQ(path, 0.);

  // But nothing that would make other input go unnoticed.
  EXPECT_EQ(gpoint_refusal([](auto& damaged) { damaged.remove("cldfmcl"); }),
            "cldfmcl: missing: other variables of clouds of g-points are there");
  EXPECT_EQ(layer_refusal([](auto& damaged) { damaged.remove("cldfrac"); }),
            "cldfrac: missing: other variables of clouds of layers are there");
  EXPECT_EQ(gpoint_refusal([](auto& damaged) { damaged.remove("taucmcl"); }), "taucmcl: missing: inflglw = 0 needs it");
  EXPECT_EQ(gpoint_refusal([](auto& damaged) { damaged.remove("inflglw"); }),
            "inflglw: missing: it says where taucmcl counts and where the water paths do");
}

TEST(RadiationFiles, FlagsMayBeAttributesScalarsOrOfColumns) {
  auto const all = std::vector<int>{2, 2, 2};
  auto const with = [](auto const& change) {
    auto file = gpoint_file();
    file.remove("iceflglw");
    change(file);
    return flags_of(read(file).clouds.ice_optics);
  };
  EXPECT_EQ(with([](auto& file) { file.number_attributes["iceflglw"] = 2.; }), all);
  EXPECT_EQ(with([](auto& file) { file.text_attributes["iceflglw"] = "2"; }), all);
  EXPECT_EQ(with([](auto& file) { file.variables["iceflglw"] = {{}, {2.}, {}, {}, Stored::int32}; }), all);
  EXPECT_EQ(with([](auto& file) { file.variables["iceflglw"] = {{1}, {2.}, {}, {}, Stored::int8}; }), all);
  EXPECT_EQ(with([](auto& file) { file.variables["iceflglw"] = {{3}, {2., 2., 3.}}; }), (std::vector<int>{2, 2, 3}));
  EXPECT_EQ(with([](auto&) {}), (std::vector<int>{3, 3, 3}));
}

TEST(RadiationFiles, BadFlags) {
  auto const set = [](char const* name, double value) {
    return [name, value](auto& file) { file[name].values[1] = value; };
  };
  std::string const inputs =
      ", expected 0 (optical depths) or 2 (water paths); 1 is not available with McICA in RRTMG_LW";
  EXPECT_EQ(gpoint_refusal(set("inflglw", 1.)), "inflglw(1) = 1" + inputs);
  EXPECT_EQ(gpoint_refusal(set("inflglw", 3.)), "inflglw(1) = 3" + inputs);
  EXPECT_EQ(gpoint_refusal(set("iceflglw", 4.)), "iceflglw(1): iceflglw = 4, expected 0, 1, 2 or 3");
  EXPECT_EQ(gpoint_refusal(set("liqflglw", -1.)), "liqflglw(1): liqflglw = -1, expected 0 or 1");
  EXPECT_EQ(gpoint_refusal([](auto& file) {
              file["iceflglw"].stored = Stored::float64;
              file["iceflglw"].values[2] = 1.5;
            }),
            "iceflglw(2) = 1.5, expected a whole number");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.number_attributes["inflglw"] = 2.; }),
            "inflglw: is a variable and an attribute, expected one of them");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.text_attributes["icld"] = "on"; }),
            "attribute icld = on, expected a whole number");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.number_attributes["icld"] = 6.; }),
            "attribute icld = 6, expected 0 (no clouds), 1 to 5 (an overlap), or -1 (left to the clouds themselves)");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.number_attributes["idrv"] = 2.; }),
            "attribute idrv = 2, expected 0 or 1");
  EXPECT_EQ(layer_refusal([](auto& file) { file.number_attributes["inflglw"] = 0.; }),
            "attribute inflglw = 0, expected 2: clouds of layers are given by their water paths");
  EXPECT_TRUE(has(column_refusal([](auto& file) { file.number_attributes["icld"] = 2.; }),
                  "attribute icld = 2, but no clouds are there, expected one of cldfmcl, "));
}

TEST(RadiationFiles, WithoutCloudsWhereIcldIsZero) {
  for (bool const of_layers : {false, true}) {
    auto file = of_layers ? layer_file() : gpoint_file();
    char const* const path = of_layers ? "ciwp" : "ciwpmcl";
    file.number_attributes["icld"] = 0.;
    file[path].values[0] = not_a_number;  // not looked at
    auto const input = read(file);
    EXPECT_TRUE(input.has_clouds);
    EXPECT_FALSE(input.clouds.any());

    // In the second column only.
    file.number_attributes.clear();
    file[path].values[0] = 1.;
    file[path].values[file[path].values.size() / 3] = not_a_number;
    file.variables["icld"] = {{ncol}, {2., 0., 2.}, {}, {}, Stored::int32};
    auto const one_clear = read(file);
    auto const fraction = of_layers ? values_of(one_clear.clouds.fraction) : values_of(one_clear.clouds.fraction_gpt);
    auto expected = file[of_layers ? "cldfrac" : "cldfmcl"].values;
    for (std::size_t i = expected.size() / 3; i < 2 * expected.size() / 3; ++i) expected[i] = 0.;
    EXPECT_EQ(fraction, expected);
    file["icld"].values = {2., 2., 0.};
    if (!of_layers) file["inflglw"].values = {2., 2., 2.};
    EXPECT_TRUE(has(refusal(file), std::string(path) + (of_layers ? "(1, 0) = nan" : "(1, 0, 0) = nan")));
  }
  // What the columns say for themselves.
  auto file = gpoint_file();
  file.number_attributes["icld"] = -1.;
  expect_equal(read(file).clouds, read(gpoint_file()).clouds);
}

TEST(RadiationFiles, OverlapOfTheFile) {
  auto file = layer_file();
  for (int icld = 1; icld <= 5; ++icld) {
    file.number_attributes["icld"] = icld;
    auto const input = read(file);
    EXPECT_EQ(static_cast<int>(input.clouds.overlap), icld);
    EXPECT_EQ(read(file, io::CloudOptions{.overlap = fluxes::Overlap::maximum}).clouds.overlap,
              fluxes::Overlap::maximum);
  }
  file.number_attributes.clear();
  file.variables["icld"] = {{ncol}, {4., 0., 4.}, {}, {}, Stored::int32};
  EXPECT_EQ(read(file).clouds.overlap, fluxes::Overlap::exponential);
  file["icld"].values = {4., 0., 2.};
  EXPECT_EQ(refusal(file), "icld(2) = 2 after 4 in another column, expected one overlap for all");
  auto missing = file;
  missing["icld"].values[1] = 4;
  missing["icld"].number_attributes["_FillValue"] = 2;
  EXPECT_EQ(refusal(missing),
            "icld(2) is a missing value (2), expected 0 (no clouds), 1 to 5 (an overlap), or -1 (left to the clouds "
            "themselves)");
  EXPECT_EQ(read(file, io::CloudOptions{.overlap = fluxes::Overlap::random}).clouds.overlap, fluxes::Overlap::random);
}

TEST(RadiationFiles, DecorrelationLengths) {
  auto file = layer_file();
  file.number_attributes["icld"] = 5.;
  auto const lengths = [&](io::CloudOptions const& options) {
    return values_of(read(file, options).clouds.decorrelation_length);
  };
  EXPECT_EQ(lengths({}), std::vector<double>(3, fluxes::default_decorrelation_length));
  EXPECT_EQ(lengths({.decorrelation_length = 1800.}), std::vector<double>(3, 1800.));
  EXPECT_EQ(refusal(file, {.clouds = {.day = 100}}), "lat: missing: decorrelation lengths of latitude were asked for");
  file.variables["lat"] = {{ncol}, {-60., 0., 45.}, {{"units", "degrees_north"}}};
  EXPECT_EQ(lengths({.day = 200}),
            (std::vector<double>{fluxes::decorrelation_length(-60., 200), fluxes::decorrelation_length(0., 200),
                                 fluxes::decorrelation_length(45., 200)}));
  EXPECT_EQ(refusal(file, {.clouds = {.day = 367}}), "day 367 was asked for, expected 1 to 366");
  EXPECT_EQ(refusal(file, {.clouds = {.decorrelation_length = 0.}}),
            "a decorrelation length of 0 m was asked for, expected a positive one");
  EXPECT_EQ(refusal(file, {.clouds = {.decorrelation_length = 1000., .day = 3}}),
            "a decorrelation length and a day for one were asked for, expected one of them");
  file["lat"].values[2] = 91.;
  EXPECT_EQ(refusal(file, {.clouds = {.day = 3}}), "lat(2) = 91 degrees_north, expected a latitude from -90 to 90");
  file.number_attributes["icld"] = 2.;
  for (auto const& options : {io::CloudOptions{.decorrelation_length = 1000.}, io::CloudOptions{.day = 3}})
    EXPECT_EQ(refusal(file, {.clouds = options}),
              "a decorrelation length was asked for, expected an exponential or exponential-random overlap with it");
}

TEST(RadiationFiles, OptionsThatTheFileCannotHonour) {
  auto both = gpoint_file();
  add_layer_clouds(both);
  EXPECT_EQ(refusal(both), "has clouds of g-points (cldfmcl) and of layers (cldfrac), expected one of them");

  struct Wish {
    io::CloudOptions options;
    char const* name;
    bool of_layers;
  };
  for (auto const& [options, name, of_layers] :
       {Wish{{.overlap = fluxes::Overlap::random}, "an overlap", true}, Wish{{.seed = 0}, "a seed", true},
        Wish{{.decorrelation_length = 1000.}, "a decorrelation length", true},
        Wish{{.day = 3}, "a decorrelation length", true},
        Wish{{.ice_optics = fluxes::IceOptics::fu}, "optics of ice", false},
        Wish{{.liquid_optics = fluxes::LiquidOptics::hu_stamnes}, "optics of droplets", false}}) {
    auto const asked = std::string(name) + " was asked for, but ";
    EXPECT_EQ(refusal(rfmip_file(), {.clouds = options}), asked + "an RFMIP file has no clouds");
    EXPECT_EQ(refusal(column_file(), {.clouds = options}),
              asked + (of_layers ? "the file has no clouds of layers" : "the file has no clouds"));
    if (of_layers) {
      EXPECT_EQ(refusal(gpoint_file(), {.clouds = options}), asked + "the file has no clouds of layers");
    }
  }
  EXPECT_EQ(refusal(rfmip_file(), {.clouds = {.clip = true}}),
            "clipping was asked for, but an RFMIP file has no clouds");
  EXPECT_EQ(refusal(column_file(), {.clouds = {.clip = true}}), nothing_refused);
  EXPECT_EQ(gpoint_refusal([](auto&) {}, {.ice_optics = fluxes::IceOptics::fu}),
            "iceflglw: is in the file, but other particle optics were asked for");
}

TEST(RadiationFiles, DerivativesThatTheFileAsksFor) {
  auto const asks = [](auto const& change) {
    auto file = column_file();
    change(file);
    return read(file).derivative;
  };
  EXPECT_FALSE(asks([](auto&) {}));
  EXPECT_FALSE(asks([](auto& file) { file.number_attributes["idrv"] = 0.; }));
  EXPECT_TRUE(asks([](auto& file) { file.number_attributes["idrv"] = 1.; }));
  EXPECT_TRUE(asks([](auto& file) { file.variables["idrv"] = {{ncol}, {0., 0., 1.}, {}, {}, Stored::int32}; }));
}
