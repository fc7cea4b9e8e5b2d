// SPDX-License-Identifier: BSD-3-Clause
// `parhelion adding` as its users meet it: files in, files out, messages and exit codes.
#include <parhelion/core/device.hpp>
#include <parhelion/io/hdf5.hpp>

#include "program.hpp"
#include "testing.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

std::vector<std::string> const strategies{"sweep", "team-scan"};

double largest(std::vector<double> const& values, std::size_t first, std::size_t count) {
  double most = 0;
  for (std::size_t i = first; i < first + count; ++i) most = std::max(most, std::abs(values[i]));
  return most;
}

// The largest difference of a variable from its reference, relative to the larger of the reference and `share` of the
// largest reference of the same profile: what is a small part of a radiance cannot be better than the radiance.
double relative_difference(io::Hdf5File const& result, std::string const& name, io::Hdf5File const& reference,
                           std::string const& reference_name, double share) {
  auto const a = result.read(name), b = reference.read(reference_name);
  if (result.shape(name) != reference.shape(reference_name)) return INFINITY;
  std::size_t const profile = a.size() / result.shape(name).front();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double const scale = std::max(std::abs(b[i]), share * largest(b, i / profile * profile, profile));
    double const difference = a[i] == b[i] ? 0 : std::abs(a[i] - b[i]) / scale;
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

void solve(std::string const& input, std::string const& output, std::string const& options) {
  auto const outcome = run("adding " + quoted(input) + " -o " + quoted(output) + " --quiet " + options);
  ASSERT_EQ(outcome.code, 0) << options << '\n' << outcome.output;
  ASSERT_EQ(outcome.output, "") << "--quiet";
}

struct Values {
  std::vector<std::string> dimensions;
  std::vector<double> values;
};

// Two profiles of three layers and two angles, the second with a sun, which tests may spoil. Isotropic scattering.
std::map<std::string, Values> small_case() {
  std::vector<std::string> const profile{"profile"}, layer{"profile", "layer"}, angle{"profile", "angle"},
      phase{"profile", "matrix", "angle", "angle_in"};
  return {{"od", {layer, {0.1, 0.5, 0.2, 0.3, 0.7, 0.9}}},
          {"planck_atm", {layer, {50, 70, 90, 40, 60, 80}}},
          {"planck_sfc", {profile, {100, 110}}},
          {"mu", {angle, {0.25, 0.75, 0.3, 0.6}}},
          {"weight", {angle, {0.5, 0.5, 0.25, 0.75}}},
          {"emissivity", {angle, {0.9, 0.95, 0.8, 0.7}}},
          {"reflectivity", {{"profile", "angle", "angle_out"}, {0.05, 0.05, 0.02, 0.03, 0.1, 0.1, 0.2, 0.1}}},
          {"cosmic", {profile, {1, 2}}},
          {"cos_sun", {profile, {0.5, 0.5}}},
          {"solar_irradiance", {profile, {0, 100}}},
          {"direct_reflectivity", {angle, {0.1, 0.1, 0.1, 0.1}}},
          {"ssa", {layer, {0, 0.5, 0.9, 0.3, 0, 0.99}}},
          {"type", {layer, {0, 1, 1, 1, 0, 1}}},
          {"pff_types", {phase, std::vector<double>(12, 0.5)}},
          {"pbb_types", {phase, std::vector<double>(12, 0.5)}}};
}

void write_case(std::string const& path, std::map<std::string, std::map<std::string, Values>> const& groups,
                std::size_t layers = 3) {
  io::NetcdfWriter writer(path);
  for (auto const& [group, variables] : groups) {
    writer.group(group);
    for (auto const& [name, size] : std::map<std::string, std::size_t>{
             {"profile", 2}, {"layer", layers}, {"angle", 2}, {"angle_out", 2}, {"matrix", 1}, {"angle_in", 3}})
      writer.dimension(group + "/" + name, size);
    writer.group(group + "/tl_in");
    for (auto const& [name, variable] : variables)
      writer.variable(group + "/" + name, variable.dimensions, variable.values, {});
  }
  writer.commit();
}

// Each of up to 200 layers adds a few roundings of 1.1e-16 to what passes it, and as many to an exponential: 1e-13 if
// they all go the same way, in both codes.
TEST(Adding, ClearReferenceCases) {
  PARHELION_REQUIRE_DATA(input, "ada/clear.h5");
  std::string const output = scratch_folder() + "/out.nc";
  io::Hdf5File const reference(input);
  for (auto const& strategy : strategies)
    for (std::string const real : {"double", "float"}) {
      solve(input, output, "--strategy " + strategy + " --real " + real);
      io::Hdf5File const result(output);
      // Single precision rounds by 6e-8, the input as well; over 200 layers that is 1e-6 if roundings go their own
      // ways.
      double const tolerance = real == "double" ? 1e-12 : 5e-6;
      ASSERT_EQ(result.groups(), reference.groups());
      for (auto const& group : reference.groups())
        EXPECT_LE(relative_difference(result, group + "/rad_up", reference, group + "/rad_up", 0), tolerance)
            << group << ", " << strategy << ", " << real;
    }
}

// The reference in quadruple precision is good to 3e-11. An albedo of 0.999999 leaves an absorption of 1e-6, of which
// double precision knows 1e-16 / 1e-6 = 1e-10 and single precision 6e-8 / 1e-6 = 0.06; that much of the layer's own
// emission is uncertain. In these profiles such layers reflect much and emit little: single precision keeps 1e-4.
TEST(Adding, ScatteringReferenceCases) {
  PARHELION_REQUIRE_DATA(input, "ada/scatter.h5");
  std::string const output = scratch_folder() + "/out.nc";
  io::Hdf5File const reference(input);
  for (auto const& strategy : strategies)
    for (std::string const real : {"double", "float"}) {
      solve(input, output, "--levels --strategy " + strategy + " --real " + real);
      io::Hdf5File const result(output);
      double const tolerance = real == "double" ? 1e-9 : 2e-4;
      ASSERT_EQ(result.groups(), reference.groups());
      for (auto const& group : reference.groups())
        for (std::string const name : {"rad_up", "full_up", "full_dn"})
          EXPECT_LE(relative_difference(result, group + "/" + name, reference, group + "/" + name + "_quad", 1e-3),
                    tolerance)
              << group << "/" << name << ", " << strategy << ", " << real;
    }
}

// The reference is in double precision, by a method that is off quadruple precision by up to 1e-8 of the radiances.
// A derivative by an element of a phase matrix is one of thousands, small differences of large terms: small ones are as
// good as the tenth of the largest.
TEST(Adding, ReferenceDerivatives) {
  PARHELION_REQUIRE_DATA(input, "ada/tlad.h5");
  std::string const output = scratch_folder() + "/out.nc";
  io::Hdf5File const reference(input);
  for (auto const& strategy : strategies) {
    solve(input, output, "--tangent --adjoint --strategy " + strategy);
    io::Hdf5File const result(output);
    for (auto const& group : reference.groups()) {
      EXPECT_LE(relative_difference(result, group + "/tl_out/rad_toa", reference, group + "/tl_out/rad_toa", 1e-3),
                1e-8)
          << group << ", " << strategy;
      for (auto const& name : reference.variables(group + "/ad_out")) {
        std::string const path = group + "/ad_out/" + name;
        double const share = name == "pff" || name == "pbb" ? 0.1 : 1e-3;
        EXPECT_LE(relative_difference(result, path, reference, path, share), 1e-8) << path << ", " << strategy;
      }
    }
  }
}

TEST(Adding, OptionsThatMustNotChangeTheResult) {
  std::string const folder = scratch_folder(), input = folder + "/in.h5", output = folder + "/out.nc";
  write_case(input, {{"a", small_case()}, {"b", small_case()}});
  auto const radiances = [&](std::string const& options) {
    solve(input, output, options);
    return io::Hdf5File(output).read("a/rad_up");
  };
  auto const plain = radiances("");
  EXPECT_EQ(radiances("--chunk 1"), plain);
  EXPECT_EQ(radiances("--chunk 2 --levels --adjoint --strategy auto --real double --group all"), plain);
  EXPECT_EQ(radiances("--group a"), plain);
  EXPECT_EQ(io::Hdf5File(output).groups(), std::vector<std::string>{"a"});
  auto const in_float = radiances("--real float");
  EXPECT_NE(in_float, plain);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(in_float[i], plain[i], 1e-3);
  for (auto const& space : execution_space_names()) {
    auto const other = radiances("--space " + space);
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(other[i], plain[i], 1e-10) << space;
  }
}

// Two profiles of 24 layers that scatter, all alike: few enough profiles and enough layers for a choice of strategy.
std::map<std::string, Values> deep_case() {
  auto c = small_case();
  auto const repeated = [&](std::string const& name) {
    std::vector<double> values;
    for (std::size_t p = 0; p < 2; ++p)
      for (std::size_t k = 0; k < 24; ++k) values.push_back(c[name].values[3 * p + k % 3]);
    c[name].values = values;
  };
  for (std::string const name : {"od", "planck_atm", "ssa", "type"}) repeated(name);
  c["tl_in/od"] = c["od"];
  return c;
}

TEST(Adding, SameBitsForAnyNumberOfThreads) {
  std::string const folder = scratch_folder(), input = folder + "/in.h5", output = folder + "/out.nc";
  write_case(input, {{"a", deep_case()}}, 24);
  std::vector<std::string> names{"rad_up", "full_up", "full_dn", "tl_out/rad_toa"};
  for (std::string const name : {"od", "planck_atm", "planck_sfc", "emissivity", "reflectivity", "ssa", "pff_types"})
    names.push_back("ad_out/" + name);
  for (std::string const strategy : {"auto", "sweep", "team-scan"})
    for (std::string const real : {"double", "float"}) {
      std::map<std::string, std::vector<double>> first;
      for (int const threads : {1, 2, 3, 7}) {
        solve(input, output,
              "--levels --tangent --adjoint --strategy " + strategy + " --real " + real + " --threads " +
                  std::to_string(threads));
        io::Hdf5File const file(output);
        for (auto const& name : names) {
          auto const values = file.read("a/" + name);
          if (threads == 1)
            first[name] = values;
          else
            EXPECT_TRUE(values == first[name])
                << name << ", " << strategy << ", " << real << ", " << threads << " threads";
        }
      }
    }
}

TEST(Adding, DryRunPrintsThePlanAndWritesNothing) {
  std::string const folder = scratch_folder(), input = folder + "/in.h5";
  write_case(input, {{"a", small_case()}});
  auto const outcome = run("adding " + quoted(input) + " --dry-run -o " + quoted(folder + "/out.nc"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  for (std::string const part : {"in.h5: 1 group of profiles", "2 profiles of 3 layers, 2 angles, scattering",
                                 "host memory", "nothing computed"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
  EXPECT_EQ(files_in(folder).size(), 1U);
  auto spoiled = small_case();
  spoiled["od"].values[4] = -0.1;
  write_case(input, {{"a", spoiled}});
  expect_refused("adding", folder, quoted(input) + " --dry-run", "od(1, 1) = -0.1");
}

// Arrays that were never written take no room in a file, and gigabytes in memory.
TEST(Adding, ShapesAreComparedBeforeAnythingIsRead) {
  std::string const folder = scratch_folder(), input = folder + "/in.h5";
  auto const write = [&](hsize_t layers_of_planck) {
    write_case(input, {{"a", small_case()}});
    hid_t const file = H5Fopen(input.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    for (auto const& [name, layers] :
         {std::pair("od", hsize_t(300000000)), std::pair("planck_atm", layers_of_planck)}) {
      std::string const path = std::string("a/") + name;
      H5Ldelete(file, path.c_str(), H5P_DEFAULT);
      hsize_t const extents[2] = {2, layers}, chunk[2] = {1, std::min<hsize_t>(layers, 1000)};
      hid_t const space = H5Screate_simple(2, extents, nullptr);
      hid_t const properties = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_chunk(properties, 2, chunk);
      H5Dclose(H5Dcreate2(file, path.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
      H5Pclose(properties);
      H5Sclose(space);
    }
    H5Fclose(file);
  };
  std::string const limit = "ulimit -v 2000000; env -u PARHELION_DATA";
  write(200);
  expect_refused("adding", folder, quoted(input) + " --threads 1", "a: planck_atm: has shape (2, 200)", limit);
  // Valid input that does not fit into memory is refused, too, without the message of bad_alloc.
  write(300000000);
  auto const outcome = run("adding " + quoted(input) + " --threads 1", limit);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.output.find("alloc"), std::string::npos) << outcome.output;
}

TEST(Adding, WritesWhatIsAskedFor) {
  std::string const folder = scratch_folder(), input = folder + "/in.h5", output = folder + "/out.nc";
  auto variables = small_case();
  variables["tl_in/od"] = variables["od"];
  write_case(input, {{"a", variables}});
  solve(input, output, "");
  {
    io::Hdf5File const file(output);
    EXPECT_EQ(file.shape("a/rad_up"), (std::vector<std::size_t>{2, 4, 2}));
    EXPECT_FALSE(file.exists("a/full_up"));
    EXPECT_EQ(file.groups("a"), std::vector<std::string>{});
    EXPECT_NE(file.text_attribute("", "history")->find("parhelion adding "), std::string::npos);
    EXPECT_NE(file.text_attribute("", "source")->find("double precision"), std::string::npos);
  }
  solve(input, output, "--levels --tangent --adjoint");
  io::Hdf5File const file(output);
  auto const up = file.read("a/rad_up"), full = file.read("a/full_up"), down = file.read("a/full_dn");
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(full[p * 8 + i], up[p * 8 + i], 1e-12 * up[p * 8 + i]) << "level 0 is the top";
      EXPECT_NEAR(down[p * 8 + i], p == 0 ? 1 : 2, 1e-14) << "the sky's";
      EXPECT_GT(down[p * 8 + 6 + i], 5) << "at the surface";
    }
  EXPECT_EQ(file.shape("a/tl_out/rad_toa"), (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(file.shape("a/ad_out/pff_types"), (std::vector<std::size_t>{2, 1, 2, 3}));
  // The seed is 1 for the last angle: the surface radiates into it directly and by scattering.
  auto const by_surface = file.read("a/ad_out/planck_sfc");
  EXPECT_GT(by_surface[0], 0.1);
  EXPECT_LT(by_surface[0], 1);
}

TEST(Adding, PrintsASummary) {
  std::string const folder = scratch_folder(), input = folder + "/in.h5";
  write_case(input, {{"first", small_case()}, {"second", small_case()}});
  auto const outcome = run("adding " + quoted(input));
  EXPECT_EQ(outcome.code, 0);
  for (char const* const part : {"first", "second", "sweep", "yes", "profiles/s", "in.h5: radiances"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
  EXPECT_EQ(files_in(folder).size(), 1U);
}

TEST(Adding, BadUsageExitsWithTwo) {
  std::string const folder = scratch_folder();
  write_case(folder + "/in.h5", {{"a", small_case()}});
  std::string const input = quoted(folder + "/in.h5");
  for (std::string const& arguments :
       {std::string("adding"), "adding --strategy guess " + input, "adding --real half " + input,
        "adding --chunk 0 " + input, "adding --space abacus " + input, "adding --bogus " + input,
        "adding --levels=maybe " + input}) {
    auto const outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << '\n' << outcome.output;
    EXPECT_NE(outcome.output.find("--help"), std::string::npos) << outcome.output;
  }
  EXPECT_EQ(run("adding --help").code, 0);
}

TEST(Adding, BadInputIsRefusedByNameAndIndex) {
  std::string const folder = scratch_folder(), input = folder + "/in.h5";
  std::string const arguments = quoted(input) + " -o " + quoted(folder + "/out.nc");
  auto const spoiled = [&](auto const& spoil, std::string const& message, std::string const& options = "") {
    auto variables = small_case();
    spoil(variables);
    // The group before it is good, and must not be written either.
    write_case(input, {{"a", small_case()}, {"b", variables}});
    expect_refused("adding", folder, arguments + " " + options, input + ": b: " + message);
  };
  using Case = std::map<std::string, Values>;
  spoiled([](Case& c) { c["od"].values[4] = -0.1; }, "od(1, 1) = -0.1, expected a number of at least 0");
  spoiled([](Case& c) { c["planck_atm"].values[0] = NAN; }, "planck_atm(0, 0) = nan");
  spoiled([](Case& c) { c["weight"].values[3] = 0.5; }, "weight(1): sums to 0.75, expected 1");
  spoiled([](Case& c) { c["type"].values[2] = 2; }, "type(0, 2) = 2, expected a whole number from 0 to 1");
  spoiled([](Case& c) { c["pff_types"].values[0] = 0.6; }, "pff_types + pbb_types(0, 0, 0): row sums to 1.05");
  spoiled([](Case& c) { c["pff_types"].values[0] = -0.1; },
          "pff_types(0, 0, 0, 0) = -0.1, expected a number of at least 0");
  spoiled([](Case& c) { c["pbb_types"].values[0] = INFINITY; }, "pbb_types(0, 0, 0, 0) = inf");
  spoiled([](Case& c) { c["ssa"].values[0] = 1.1; }, "ssa(0, 0) = 1.1, expected 0 to 1");
  spoiled([](Case& c) { c["od"].values[0] = INFINITY; }, "od(0, 0) = inf");
  spoiled([](Case& c) { c.erase("emissivity"); }, "emissivity: missing");
  spoiled(
      [](Case& c) {
        c["mu"].dimensions = {"angle", "profile", "angle_out"}, c["mu"].values.resize(8);
      },
      "mu: has shape (2, 2, 2)");
  spoiled([](Case& c) { c.erase("pff_types"), c.erase("pbb_types"); }, "ssa(0, 1) = 0.5, expected 0");
  spoiled([](Case&) {}, "tl_in missing", "--group b --tangent");
  spoiled([](Case& c) { c["tl_in/cosmic"] = c["cosmic"]; }, "tl_in/cosmic cannot be honoured", "--group b --tangent");

  write_case(input, {{"a", small_case()}});
  expect_refused("adding", folder, quoted(folder + "/absent.h5"), "absent.h5: no such file");
  expect_refused("adding", folder, arguments + " --group c", "group c was asked for, expected all or one of a");
  expect_bad_usage("adding " + arguments + " --space abacus", "abacus");
  expect_refused("adding", folder, quoted(input) + " -o /nonexistent/folder/out.nc", "/nonexistent/folder");
  expect_refused("adding", folder, quoted(input) + " -o " + quoted(input), "is the input file");
  std::filesystem::resize_file(input, std::filesystem::file_size(input) / 2);
  expect_refused("adding", folder, arguments, "in.h5: damaged or truncated HDF5");
}

// A result that is not finite is refused before anything is written, and the old file stays.
TEST(Adding, OldResultStaysWhereTheNewOneFails) {
  std::string const folder = scratch_folder(), input = folder + "/in.h5", output = folder + "/out.nc";
  auto variables = small_case();
  write_case(input, {{"a", variables}});
  solve(input, output, "");
  auto const before = io::Hdf5File(output).read("a/rad_up");
  variables["planck_sfc"].values[1] = 1e300;  // beyond single precision
  write_case(input, {{"a", small_case()}, {"b", variables}});
  expect_refused("adding", folder, quoted(input) + " --real float -o " + quoted(output),
                 input + ": b: the result of profile 1 is not finite");
  EXPECT_EQ(io::Hdf5File(output).read("a/rad_up"), before);
}

}  // namespace
