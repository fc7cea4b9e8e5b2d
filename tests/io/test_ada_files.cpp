// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/ada_files.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <cmath>
#include <limits>
#include <numeric>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

constexpr std::size_t nprofile = 2, nlayer = 3, nangle = 2, ntype = 2;

// Values that differ everywhere, so that a mistaken index shows.
Variable ramp(std::vector<std::size_t> const& shape, double first, double step) {
  Variable variable{shape, {}};
  auto const size = std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<>());
  for (std::size_t i = 0; i < size; ++i) variable.values.push_back(first + step * static_cast<double>(i));
  return variable;
}

void add_clear(SyntheticFile& file, std::string const& group) {
  auto& v = file.variables;
  v[group + "/od"] = ramp({nprofile, nlayer}, 0.1, 0.01);
  v[group + "/planck_atm"] = ramp({nprofile, nlayer}, 50., 1.);
  v[group + "/planck_sfc"] = ramp({nprofile}, 100., 1.);
  v[group + "/mu"] = {{nprofile, nangle}, {0.2, 0.8, 0.3, 1.}};
  v[group + "/weight"] = {{nprofile, nangle}, {0.5, 0.5, 1., 0.}};
  v[group + "/emissivity"] = ramp({nprofile, nangle}, 0.9, 0.01);
  v[group + "/reflectivity"] = ramp({nprofile, nangle, nangle}, 0.01, 0.01);
  v[group + "/cosmic"] = ramp({nprofile}, 0.5, 0.25);
  v[group + "/rad_up"] = ramp({nprofile}, 0., 0.);  // not input
}

// Matrices (profile, matrix, 2, 3) whose rows sum to 1 with weights that do.
Variable matrices(std::size_t count, double each) {
  Variable variable{{nprofile, count, nangle, nangle + 1}, {}};
  variable.values.assign(nprofile * count * nangle * (nangle + 1), each);
  return variable;
}

void add_sun(SyntheticFile& file, std::string const& group) {
  file.variables[group + "/cos_sun"] = ramp({nprofile}, 0.5, 0.1);
  file.variables[group + "/solar_irradiance"] = ramp({nprofile}, 0., 1000.);
  file.variables[group + "/direct_reflectivity"] = ramp({nprofile, nangle}, 0.01, 0.01);
}

void add_types(SyntheticFile& file, std::string const& group) {
  add_clear(file, group);
  add_sun(file, group);
  file.variables[group + "/ssa"] = ramp({nprofile, nlayer}, 0.5, 0.1);
  file.variables[group + "/type"] = {{nprofile, nlayer}, {0., 1., 2., 2., 1., 1.}, {}, {}, Stored::int32};
  file.variables[group + "/pff_types"] = matrices(ntype, 0.75);
  file.variables[group + "/pbb_types"] = matrices(ntype, 0.25);
}

void add_layers(SyntheticFile& file, std::string const& group) {
  add_clear(file, group);
  file.variables[group + "/ssa"] = ramp({nprofile, nlayer}, 0.5, 0.1);
  file.variables[group + "/pff"] = matrices(nlayer, 0.75);
  file.variables[group + "/pbb"] = matrices(nlayer, 0.25);
}

template <class View>
std::vector<double> values_of(View const& view) {
  return {view.data(), view.data() + view.size()};
}

// The refusal of a file that `spoil` has changed, without the name of the file.
template <class Make, class Spoil>
std::string refusal(Make const& make, Spoil const& spoil, io::AdaOptions const& options = {}) {
  SyntheticFile file;
  make(file, "g");
  spoil(file.variables);
  auto const path = file.write(scratch_folder() + "/in.h5");
  auto const message = message_of([&] { io::read_ada_input(path, options); });
  std::string const start = path + ": ";
  return message.starts_with(start) ? message.substr(start.size()) : "not of the file: " + message;
}

using Variables = std::map<std::string, Variable>;

}  // namespace

TEST(AdaFiles, ReadsAClearGroup) {
  SyntheticFile file;
  add_clear(file, "g");
  file.variables["g/planck_atm"].text_attributes["units"] = "W m-2 sr-1";
  auto const input = io::read_ada_input(file.write(scratch_folder() + "/in.h5"));
  ASSERT_EQ(input.groups.size(), 1U);
  auto const& group = input.groups.front();
  EXPECT_EQ(group.name, "g");
  EXPECT_EQ(group.unit, "W m-2 sr-1");
  EXPECT_EQ(group.tangent.optical_depth.size(), 0U);
  EXPECT_EQ(group.adjoint.size(), 0U);
  auto const& profiles = group.profiles;
  EXPECT_EQ(profiles.order, adding::VerticalOrder::top_first);
  EXPECT_FALSE(profiles.scatters());
  EXPECT_EQ(profiles.nlay(), 3);
  EXPECT_EQ(values_of(profiles.optical_depth), file["g/od"].values) << "in the order of the file";
  EXPECT_EQ(values_of(profiles.planck), file["g/planck_atm"].values);
  EXPECT_EQ(values_of(profiles.planck_sfc), file["g/planck_sfc"].values);
  EXPECT_EQ(values_of(profiles.mu), file["g/mu"].values);
  EXPECT_EQ(values_of(profiles.weight), file["g/weight"].values);
  EXPECT_EQ(values_of(profiles.emissivity), file["g/emissivity"].values);
  EXPECT_EQ(values_of(profiles.reflectivity), file["g/reflectivity"].values);
  EXPECT_EQ(values_of(profiles.cosmic), file["g/cosmic"].values);
  EXPECT_EQ(profiles.cos_sun.size(), 0U);
}

TEST(AdaFiles, ReadsBothKindsOfPhaseMatrices) {
  SyntheticFile file;
  add_types(file, "types");
  add_layers(file, "layers");
  auto const input = io::read_ada_input(file.write(scratch_folder() + "/in.h5"));
  ASSERT_EQ(input.groups.size(), 2U);
  auto const& layers = input.groups[0];
  EXPECT_EQ(layers.name, "layers");
  EXPECT_FALSE(layers.types);
  EXPECT_EQ(values_of(layers.profiles.phase), (std::vector<double>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(values_of(layers.profiles.phase_forward), file["layers/pff"].values);
  EXPECT_EQ(layers.profiles.cos_sun.size(), 0U);
  auto const& types = input.groups[1];
  EXPECT_TRUE(types.types);
  EXPECT_EQ(values_of(types.profiles.phase), (std::vector<double>{-1, 0, 1, 1, 0, 0}));
  EXPECT_EQ(values_of(types.profiles.single_scattering_albedo), file["types/ssa"].values);
  EXPECT_EQ(values_of(types.profiles.phase_backward), file["types/pbb_types"].values);
  EXPECT_EQ(values_of(types.profiles.solar_irradiance), file["types/solar_irradiance"].values);
}

TEST(AdaFiles, ReadsTheGroupThatIsAskedFor) {
  SyntheticFile file;
  add_clear(file, "a");
  add_clear(file, "b");
  file["b/od"].values[0] = -1;  // what is not asked for is not checked
  auto const path = file.write(scratch_folder() + "/in.h5");
  EXPECT_EQ(io::read_ada_input(path, {.group = "a"}).groups.size(), 1U);
  EXPECT_EQ(message_of([&] { io::read_ada_input(path, {.group = "c"}); }),
            path + ": group c was asked for, expected all or one of a, b");
  SyntheticFile flat;
  flat.variables["od"] = ramp({2}, 0., 1.);
  auto const other = flat.write(scratch_folder() + "/flat.h5");
  EXPECT_EQ(message_of([&] { io::read_ada_input(other); }),
            other + ": has no groups, expected one or more groups of profiles");
}

TEST(AdaFiles, WhatMayBeMissing) {
  SyntheticFile file;
  add_clear(file, "g");
  file.remove("g/cosmic");
  file.remove("g/weight");
  file.variables["g/ssa"] = ramp({nprofile, nlayer}, 0., 0.);
  auto const input = io::read_ada_input(file.write(scratch_folder() + "/in.h5"));
  auto const& profiles = input.groups.front().profiles;
  EXPECT_FALSE(profiles.scatters()) << "albedos of 0 without phase matrices";
  EXPECT_EQ(profiles.cosmic.size(), 0U);
  EXPECT_EQ(profiles.weight.size(), 0U);
}

TEST(AdaFiles, WhatMustNotBeMissing) {
  for (char const* const name :
       {"od", "planck_atm", "planck_sfc", "mu", "emissivity", "reflectivity", "weight", "cos_sun", "solar_irradiance",
        "direct_reflectivity", "ssa", "type", "pff_types", "pbb_types"})
    EXPECT_EQ(refusal(add_types, [&](Variables& v) { v.erase(v.find(std::string("g/") + name)); }),
              std::string("g: ") + name + ": missing");
  for (char const* const name : {"ssa", "pff", "pbb"})
    EXPECT_EQ(refusal(add_layers, [&](Variables& v) { v.erase(v.find(std::string("g/") + name)); }),
              std::string("g: ") + name + ": missing");
}

TEST(AdaFiles, RefusesShapes) {
  auto const reshaped = [](auto const& make, std::string const& name, std::vector<std::size_t> const& shape) {
    return refusal(make, [&](Variables& v) { v["g/" + name] = ramp(shape, 0., 0.); });
  };
  EXPECT_EQ(reshaped(add_clear, "od", {6}), "g: od: has shape (6), expected (profile, layer), at least 1 of each");
  EXPECT_EQ(reshaped(add_clear, "mu", {2, 0}),
            "g: mu: has shape (2, 0), expected (profile, angle), at least 1 of each");
  EXPECT_EQ(reshaped(add_clear, "planck_atm", {2, 4}),
            "g: planck_atm: has shape (2, 4), expected (profile, layer) = (2, 3)");
  EXPECT_EQ(reshaped(add_clear, "mu", {3, 2}), "g: mu: has shape (3, 2), expected (profile, angle) = (2, 2)");
  EXPECT_EQ(reshaped(add_clear, "planck_sfc", {2, 1}), "g: planck_sfc: has shape (2, 1), expected (profile) = (2)");
  EXPECT_EQ(reshaped(add_clear, "reflectivity", {2, 2}),
            "g: reflectivity: has shape (2, 2), expected (profile, angle, angle) = (2, 2, 2)");
  EXPECT_EQ(reshaped(add_types, "pff_types", {2, 2, 2, 2}),
            "g: pff_types: has shape (2, 2, 2, 2), expected (profile, type, angle, angle + 1) = (2, 2, 2, 3)");
  EXPECT_EQ(reshaped(add_types, "pbb_types", {2, 3, 2, 3}),
            "g: pbb_types: has shape (2, 3, 2, 3), expected (profile, type, angle, angle + 1) = (2, 2, 2, 3)");
  EXPECT_EQ(reshaped(add_layers, "pbb", {2, 2, 2, 3}),
            "g: pbb: has shape (2, 2, 2, 3), expected (profile, layer, angle, angle + 1) = (2, 3, 2, 3)");
}

// Names and units go into results, which others would not open.
TEST(AdaFiles, RefusesTextThatNetcdfDoesNotTake) {
  auto const path = scratch_folder() + "/in.h5";
  for (std::string const name : {"caf\xe9", "a\nb", "a "}) {
    SyntheticFile file;
    add_clear(file, name);
    file.write(path);
    EXPECT_TRUE(has(message_of([&] { io::read_ada_input(path); }), "expected a name that netCDF takes")) << name;
  }
  SyntheticFile file;
  add_clear(file, "a");
  file["a/planck_atm"].text_attributes["units"] = "W m\xb2";
  file.write(path);
  EXPECT_EQ(message_of([&] { io::read_ada_input(path); }),
            path + ": a: planck_atm: attribute units is not valid UTF-8");
}

TEST(AdaFiles, RefusesValuesByNameAndIndex) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const spoiled = [](auto const& make, std::string const& name, std::size_t i, double value) {
    return refusal(make, [&](Variables& v) { v["g/" + name].values.at(i) = value; });
  };
  EXPECT_EQ(spoiled(add_clear, "od", 5, -0.1), "g: od(1, 2) = -0.1, expected a number of at least 0");
  EXPECT_EQ(spoiled(add_clear, "mu", 1, 1.5), "g: mu(0, 1) = 1.5, expected more than 0 and at most 1");
  EXPECT_EQ(spoiled(add_clear, "planck_atm", 3, nan),
            "g: planck_atm(1, 0) = nan, expected a finite number that is not a missing value");
  EXPECT_EQ(spoiled(add_clear, "planck_sfc", 1, 0x1.ep+122),
            "g: planck_sfc(1) = 9.969209968386869e+36, expected a finite number that is not a missing value");
  EXPECT_EQ(spoiled(add_clear, "weight", 3, 0.25), "g: weight(1): sums to 1.25, expected 1 within 1e-10");
  EXPECT_EQ(spoiled(add_types, "ssa", 0, 1.1), "g: ssa(0, 0) = 1.1, expected 0 to 1");
  EXPECT_EQ(spoiled(add_types, "type", 4, 3.), "g: type(1, 1) = 3, expected a whole number from 0 to 2");
  EXPECT_EQ(spoiled(add_types, "type", 4, -1.), "g: type(1, 1) = -1, expected a whole number from 0 to 2");
  EXPECT_EQ(refusal(add_types,
                    [](Variables& v) {
                      v["g/type"].stored = Stored::float64;
                      v["g/type"].values[0] = 0.5;
                    }),
            "g: type(0, 0) = 0.5, expected a whole number from 0 to 2");
  EXPECT_EQ(spoiled(add_types, "pff_types", 9, 0.8),
            "g: pff_types + pbb_types(0, 1, 1): row sums to 1.025 with the weights, expected 1 within 1e-06");
  EXPECT_EQ(spoiled(add_layers, "pbb", 0, 0.),
            "g: pff + pbb(0, 0, 0): row sums to 0.875 with the weights, expected 1 within 1e-06");
  EXPECT_EQ(refusal(add_clear, [](Variables& v) { v["g/od"].number_attributes["scale_factor"] = 2.; }),
            "g: od: is packed (attribute scale_factor), expected plain values");
  EXPECT_EQ(refusal(add_clear,
                    [](Variables& v) {
                      v["g/od"] = {{2, 3}, {}, {}, {}, Stored::float64, {}, false};
                    }),
            "g/od: was never written");
}

TEST(AdaFiles, RefusesWhatItWouldHaveToIgnore) {
  EXPECT_EQ(refusal(add_clear,
                    [](Variables& v) {
                      v["g/ssa"] = ramp({2, 3}, 0., 0.01);
                    }),
            "g: ssa(0, 1) = 0.01, expected 0 in a group without phase matrices (pff and pbb, or pff_types and "
            "pbb_types)");
  EXPECT_EQ(refusal(add_types, [](Variables& v) { v["g/pff"] = matrices(3, 1.); }),
            "g: has phase matrices of layers (pff, pbb) and of types (pff_types, pbb_types), expected one of the two");
  EXPECT_EQ(refusal(add_clear,
                    [](Variables& v) {
                      v["g/tl_in/mu"] = ramp({2, 2}, 0., 1.);
                    },
                    {.tangent = true}),
            "g: tl_in/mu cannot be honoured, expected perturbations of od, planck_atm, planck_sfc, emissivity, "
            "reflectivity, direct_reflectivity");
  EXPECT_EQ(refusal(add_clear,
                    [](Variables& v) {
                      v["g/tl_in/ssa"] = ramp({2, 3}, 0., 1.);
                    },
                    {.tangent = true}),
            "g: tl_in/ssa cannot be honoured, expected perturbations of od, planck_atm, planck_sfc, emissivity, "
            "reflectivity, direct_reflectivity");
  EXPECT_EQ(refusal(add_clear,
                    [](Variables& v) {
                      v["g/tl_in/direct_reflectivity"] = ramp({2, 2}, 0., 1.);
                    },
                    {.tangent = true}),
            "g: tl_in/direct_reflectivity is given, but the profiles have no direct_reflectivity");
}

TEST(AdaFiles, ReadsPerturbationsAndSeedsWhenAsked) {
  SyntheticFile file;
  add_types(file, "g");
  file.variables["g/tl_in/od"] = ramp({nprofile, nlayer}, -0.1, 0.01);
  file.variables["g/tl_in/pbb_types"] = matrices(ntype, -0.5);
  auto const folder = scratch_folder();
  auto path = file.write(folder + "/in.h5");
  EXPECT_EQ(io::read_ada_input(path).groups[0].tangent.optical_depth.size(), 0U);
  auto group = io::read_ada_input(path, {.tangent = true, .adjoint = true}).groups[0];
  EXPECT_EQ(values_of(group.tangent.optical_depth), file["g/tl_in/od"].values);
  EXPECT_EQ(values_of(group.tangent.phase_backward), file["g/tl_in/pbb_types"].values);
  EXPECT_EQ(group.tangent.planck.size(), 0U);
  EXPECT_EQ(values_of(group.adjoint), (std::vector<double>{0, 1, 0, 1})) << "the last angle";

  file.variables["g/ad_in/rad_toa"] = ramp({nprofile, nangle}, 1., 1.);
  file["g/tl_in/od"].values[4] = std::numeric_limits<double>::infinity();
  path = file.write(folder + "/in.h5");
  EXPECT_EQ(values_of(io::read_ada_input(path, {.adjoint = true}).groups[0].adjoint),
            (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(message_of([&] { io::read_ada_input(path, {.tangent = true}); }),
            path + ": g: tl_in/od(1, 1) = inf, expected a finite number that is not a missing value");
  EXPECT_EQ(refusal(add_clear, [](Variables&) {}, {.tangent = true}),
            "g: tl_in missing: it holds the perturbation of tangent-linear radiances");
  EXPECT_EQ(refusal(add_clear, [](Variables& v) { v["g/tl_in/planck_sfc"] = ramp({3}, 0., 0.); }, {.tangent = true}),
            "g: tl_in/planck_sfc: has shape (3), expected (profile) = (2)");
  EXPECT_EQ(refusal(add_clear,
                    [](Variables& v) {
                      v["g/ad_in/rad_toa"] = ramp({2, 3}, 0., 0.);
                    },
                    {.adjoint = true}),
            "g: ad_in/rad_toa: has shape (2, 3), expected (profile, angle) = (2, 2)");
}

TEST(AdaFiles, ReadsTheReferenceFiles) {
  PARHELION_REQUIRE_DATA(clear, "ada/clear.h5");
  PARHELION_REQUIRE_DATA(scatter, "ada/scatter.h5");
  PARHELION_REQUIRE_DATA(tlad, "ada/tlad.h5");
  for (auto const& group : io::read_ada_input(clear).groups) EXPECT_FALSE(group.profiles.scatters()) << group.name;
  auto const scattering = io::read_ada_input(scatter, {.adjoint = true});
  EXPECT_EQ(scattering.groups.size(), 8U);
  for (auto const& group : scattering.groups) {
    EXPECT_TRUE(group.types) << group.name;
    EXPECT_EQ(group.profiles.nphase(), 3) << group.name;
  }
  auto const derivatives = io::read_ada_input(tlad, {.tangent = true, .adjoint = true});
  ASSERT_EQ(derivatives.groups.size(), 3U);
  EXPECT_FALSE(derivatives.groups[0].profiles.scatters());
  for (std::size_t g = 1; g < 3; ++g) {
    auto const& group = derivatives.groups[g];
    EXPECT_FALSE(group.types);
    EXPECT_EQ(group.profiles.nphase(), 60);
    EXPECT_EQ(group.tangent.phase_forward.size(), group.profiles.phase_forward.size());
  }
}

namespace {

template <class DataType, class... Extents>
HostArray<DataType> filled(double first, Extents... extents) {
  HostArray<DataType> const view("filled", extents...);
  for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = first + static_cast<double>(i);
  return view;
}

adding::HostRadiances radiances_of(adding::HostProfiles const& p) {
  adding::HostRadiances result;
  result.radiances.up_emergent = filled<double***>(1, p.nprofile(), p.nlev(), p.nangle());
  result.radiances.up = filled<double***>(2, p.nprofile(), p.nlev(), p.nangle());
  result.radiances.dn = filled<double***>(3, p.nprofile(), p.nlev(), p.nangle());
  result.tangent_toa = filled<double**>(4, p.nprofile(), p.nangle());
  result.derivative.optical_depth = p.optical_depth;
  result.derivative.planck = p.planck;
  result.derivative.planck_sfc = p.planck_sfc;
  result.derivative.emissivity = p.emissivity;
  result.derivative.reflectivity = p.reflectivity;
  result.derivative.direct_reflectivity = p.direct_reflectivity;
  result.derivative.single_scattering_albedo = p.single_scattering_albedo;
  result.derivative.phase_forward = p.phase_forward;
  result.derivative.phase_backward = p.phase_backward;
  return result;
}

}  // namespace

TEST(AdaFiles, WritesWhatWasComputed) {
  SyntheticFile file;
  add_types(file, "types");
  add_layers(file, "layers");
  add_clear(file, "clear");
  file["types/planck_atm"].text_attributes["units"] = "K";
  auto const folder = scratch_folder();
  auto const input = io::read_ada_input(file.write(folder + "/in.h5"));
  std::vector<adding::HostRadiances> results;
  for (auto const& group : input.groups) results.push_back(radiances_of(group.profiles));
  results[0].radiances.up = results[0].radiances.dn = {};
  results[0].tangent_toa = {};
  results[0].derivative = {};
  auto const path = folder + "/out.nc";
  io::write_ada_radiances(path, input, results, {.title = "a title", .source = "", .history = "now", .others = {}});

  io::Hdf5File const out(path);
  using Names = std::vector<std::string>;
  EXPECT_EQ(out.groups(), (Names{"clear", "layers", "types"}));
  EXPECT_EQ(out.variables("clear"), (Names{"angle", "level", "mu", "profile", "rad_up"}));
  EXPECT_EQ(out.groups("clear"), Names{});
  EXPECT_EQ(out.groups("types"), (Names{"ad_out", "tl_out"}));
  EXPECT_EQ(out.variables("types/tl_out"), Names{"rad_toa"});
  EXPECT_EQ(out.variables("types/ad_out"), (Names{"direct_reflectivity", "emissivity", "od", "pbb_types", "pff_types",
                                                  "planck_atm", "planck_sfc", "reflectivity", "ssa"}));
  EXPECT_EQ(out.variables("layers/ad_out"),
            (Names{"emissivity", "od", "pbb", "pff", "planck_atm", "planck_sfc", "reflectivity", "ssa"}));
  for (auto const& name : out.variables("types/ad_out")) {
    EXPECT_EQ(out.shape("types/ad_out/" + name), file["types/" + name].shape) << name;
    EXPECT_EQ(out.read("types/ad_out/" + name), file["types/" + name].values) << name;
  }
  EXPECT_EQ(out.shape("types/rad_up"), (std::vector<std::size_t>{2, 4, 2}));
  EXPECT_EQ(out.read("types/full_dn"), values_of(results[2].radiances.dn));
  EXPECT_EQ(out.text_attribute("", "title"), "a title");
  EXPECT_EQ(out.text_attribute("", "source"), std::nullopt);
  EXPECT_EQ(out.text_attribute("", "Conventions"), "CF-1.10");
  EXPECT_EQ(out.text_attribute("types/rad_up", "units"), "K");
  EXPECT_EQ(out.text_attribute("types/ad_out/planck_atm", "units"), "1");
  EXPECT_EQ(out.text_attribute("layers/rad_up", "units"), std::nullopt);
  EXPECT_TRUE(has(out.text_attribute("layers/rad_up", "comment").value_or(""), "in the unit of planck_atm"));
  EXPECT_EQ(out.text_attribute("layers/rad_up", "coordinates"), "mu");
  EXPECT_TRUE(out.text_attribute("layers/ad_out/pff", "long_name"));
  if (succeeds("command -v ncdump")) {
    auto const header = output_of("ncdump -h " + path);
    EXPECT_TRUE(has(header, "double pff_types(profile, type, angle, angle_in_and_sun) ;"));
    EXPECT_TRUE(has(header, "double pff(profile, layer, angle, angle_in_and_sun) ;"));
    EXPECT_TRUE(has(header, "double reflectivity(profile, angle, angle_in) ;"));
  }
  results.pop_back();
  EXPECT_EQ(message_of([&] { io::write_ada_radiances(path, input, results, {}); }),
            "write_ada_radiances: 2 results for 3 groups, expected as many");
}
