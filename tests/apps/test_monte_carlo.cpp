// SPDX-License-Identifier: BSD-3-Clause
// `parhelion monte-carlo` as its users meet it: files in, files out, messages and exit codes.
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/monte_carlo_cases.hpp>
#include <parhelion/io/monte_carlo_checkpoint.hpp>
#include <parhelion/io/monte_carlo_files.hpp>

#include "program.hpp"
#include "testing.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
namespace fs = std::filesystem;
using Shape = std::vector<std::size_t>;

std::string const small = "--case case01 --cells 6,4,2 --rays 256 ";

/// A folder and how its files are named on command lines.
struct Folder {
  std::string path = scratch_folder();
  std::string file(std::string const& name) const { return path + "/" + name; }
  std::string word(std::string const& name) const { return quoted(file(name)); }

  io::Hdf5File solve(std::string const& arguments, std::string const& name = "out.nc") const {
    auto const outcome = run("monte-carlo " + arguments + " --quiet -o " + word(name));
    EXPECT_EQ(outcome.code, 0) << arguments << '\n' << outcome.output;
    EXPECT_EQ(outcome.output, "") << "--quiet";
    return io::Hdf5File(file(name));
  }

  void expect_refusal(std::string const& message, std::string const& arguments) const {
    expect_refused("monte-carlo", path, arguments + " --quiet -o " + word("refused.nc"), message);
  }

  void expect_bad_usage(std::string const& message, std::string const& arguments) const {
    auto const outcome = run("monte-carlo " + arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(message), std::string::npos) << outcome.output << "\nexpected: " << message;
    EXPECT_TRUE(files_in(path).empty()) << "something was written";
  }
};

std::vector<std::string> const of_planes{"q_radiative_plane_error_x", "q_radiative_plane_error_y",
                                         "q_radiative_plane_error_z", "q_radiative_box_error"};
std::vector<std::string> const results{"q_radiative",           "q_radiative_error", "incident_radiation",
                                       "wall_flux/x_low",       "wall_flux/x_high",  "wall_flux_error/x_low",
                                       "wall_flux_error/x_high"};

void expect_same(io::Hdf5File const& a, io::Hdf5File const& b) {
  for (auto const* const names : {&results, &of_planes})
    for (auto const& name : *names) EXPECT_EQ(a.read(name), b.read(name)) << name;
}

/// The value of an attribute of the file as a text.
std::string written(io::Hdf5File const& file, std::string const& name) {
  if (auto const number = file.number_attribute("", name)) return io::AttributeValue(number->front()).text();
  return file.text_attribute("", name).value_or("missing");
}

// --- results -----------------------------------------------------------------------------------------------------

TEST(MonteCarlo, FilesHaveAllVariablesWithUnitsAndShapes) {
  Folder const folder;
  auto const file = folder.solve(small);
  EXPECT_EQ(file.shape("x"), Shape{7});
  EXPECT_EQ(file.shape("z_centre"), Shape{2});
  for (auto const& [name, units] : {std::pair("q_radiative", "W m-3"), std::pair("q_radiative_error", "W m-3"),
                                    std::pair("incident_radiation", "W m-2"), std::pair("temperature", "K")}) {
    EXPECT_EQ(file.shape(name), (Shape{6, 4, 2})) << name;
    EXPECT_EQ(file.text_attribute(name, "units"), units) << name;
    for (double const value : file.read(name)) EXPECT_TRUE(std::isfinite(value)) << name;
  }
  for (auto const& [name, shape] : {std::pair(of_planes[0], Shape{6}),
                                    {of_planes[1], Shape{4}},
                                    {of_planes[2], Shape{2}},
                                    {of_planes[3], Shape{}}}) {
    EXPECT_EQ(file.shape(name), shape) << name;
    EXPECT_EQ(file.text_attribute(name, "units"), "W m-3") << name;
    for (double const value : file.read(name)) EXPECT_GT(value, 0) << name;
  }
  for (std::string const group : {"wall_flux", "wall_flux_error"}) {
    EXPECT_EQ(file.variables(group), (std::vector<std::string>{"x_high", "x_low"}));
    for (std::string const side : {"/x_low", "/x_high"}) {
      EXPECT_EQ(file.shape(group + side), (Shape{4, 2}));
      EXPECT_EQ(file.text_attribute(group + side, "units"), "W m-2");
    }
  }
  for (auto const& [name, value] :
       {std::pair("case", "case01_grey_lin1_black"), std::pair("sampling", "kronecker"),
        std::pair("directions", "tiles"), std::pair("precision", "double"), std::pair("spectrum", "grey, 1 m-1")})
    EXPECT_EQ(file.text_attribute("", name), value) << name;
  for (auto const& [name, value] : {std::pair("rays", 256.), std::pair("repetitions", 8.), std::pair("seed", 1.),
                                    std::pair("grids", 0.), std::pair("tolerance", 1e-3)})
    EXPECT_EQ(file.number_attribute("", name), std::vector<double>{value}) << name;
  EXPECT_NE(file.text_attribute("", "history")->find("parhelion monte-carlo --case"), std::string::npos);
  EXPECT_EQ(files_in(folder.path), std::vector<std::string>{"out.nc"});
  // The gas is warm at the upper end and takes heat from the middle on.
  auto const q = file.read("q_radiative");
  EXPECT_LT(q[1 * 8], 0);
  EXPECT_GT(q[5 * 8], 0);
}

// Written by the library, by the program, and by nobody: all are the same problem.
TEST(MonteCarlo, FilesOfACaseGiveTheSameAsTheCase) {
  Folder const folder;
  auto const expected = folder.solve(small);
  expect_same(folder.solve(folder.word("out.nc") + " --rays 256", "again.nc"), expected);
  io::write_monte_carlo_problem(folder.file("in.h5"), io::built_in_case("case01", {.cells = {6, 4, 2}}));
  expect_same(folder.solve(folder.word("in.h5") + " --rays 256", "again.nc"), expected);
  expect_same(folder.solve(folder.word("in.h5") + " --rays 256 --spectrum grey:1", "again.nc"), expected);
  auto const other = folder.solve(folder.word("in.h5") + " --rays 256 --spectrum wsgg", "wsgg.nc");
  EXPECT_NE(other.read("q_radiative"), expected.read("q_radiative"));
  // The file says what the gas was.
  EXPECT_EQ(folder.solve(folder.word("wsgg.nc") + " --rays 256", "again.nc").read("q_radiative"),
            other.read("q_radiative"));
}

TEST(MonteCarlo, OptionsArriveAndAreWrittenDown) {
  Folder const folder;
  auto const plain = folder.solve(small).read("q_radiative");
  EXPECT_EQ(folder
                .solve(small + "--seed 1 --sampling kronecker --directions tiles --grids 0 --steps 3 --coarse "
                               "emission --launch centre --real double")
                .read("q_radiative"),
            plain);
  for (auto const& [option, value] :
       {std::pair("seed", "2"), std::pair("sampling", "sobol"), std::pair("sampling", "random"),
        std::pair("sampling", "stratified"), std::pair("directions", "independent"), std::pair("directions", "shared"),
        std::pair("tolerance", "0.1"), std::pair("reconstruction", "constant"), std::pair("launch", "volume"),
        std::pair("repetitions", "4")}) {
    auto const file = folder.solve(small + "--" + option + " " + value);
    EXPECT_NE(file.read("q_radiative"), plain) << option;
    EXPECT_EQ(written(file, option), value);
  }
  for (auto const& [option, value] :
       {std::pair("grids", "1"), std::pair("coarse", "mean"), std::pair("steps", "9"), std::pair("order", "table")})
    EXPECT_EQ(written(folder.solve(small + "--" + option + " " + value), option), value);
  EXPECT_EQ(folder.solve(small + "--absorbed 0.25,0.5 --absorbed-by band").text_attribute("", "absorbed"),
            "0.25,0.5 by band");
  auto const without = folder.solve(small + "--no-walls");
  EXPECT_EQ(without.read("q_radiative"), plain);
  EXPECT_FALSE(without.exists("wall_flux/x_low"));
  auto const in_float = folder.solve(small + "--real float");
  EXPECT_EQ(in_float.text_attribute("", "precision"), "float");
  auto const q = in_float.read("q_radiative");
  // Of the largest, which is about 2e5 W m-3; rays are the same but for rounding.
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(q[i], plain[i], 200);
}

TEST(MonteCarlo, TheSummarySaysWhatCameOut) {
  Folder const folder;
  auto const outcome = run("monte-carlo " + small + "-o " + folder.word("out.nc"));
  EXPECT_EQ(outcome.code, 0);
  for (std::string const part : {"case01_grey_lin1_black: 6 x 4 x 2 cells, grey, 1 m-1, 256 rays each in 8 repetitions",
                                 "largest |q|", "standard deviation of q (rms)", "% of the largest |q|",
                                 "net flux out through walls", "cell crossings/s", "written to"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
}

TEST(MonteCarlo, HelpListsTheCases) {
  auto const outcome = run("monte-carlo --help");
  EXPECT_EQ(outcome.code, 0);
  for (auto const& name : io::case_names()) EXPECT_NE(outcome.output.find(name), std::string::npos) << name;
}

TEST(MonteCarlo, RepetitionsAreAddedUntilTheErrorIsSmall) {
  Folder const folder;
  auto const file = folder.solve(small + "--sampling random --target-error 4");
  double square = 0, largest = 0;
  auto const q = file.read("q_radiative"), error = file.read("q_radiative_error");
  for (std::size_t i = 0; i < q.size(); ++i) {
    square += error[i] * error[i];
    largest = std::max(largest, std::abs(q[i]));
  }
  double const reached = 100 * std::sqrt(square / static_cast<double>(q.size())) / largest;
  EXPECT_LE(reached, 4);
  EXPECT_EQ(file.number_attribute("", "target_error"), std::vector<double>{4});
  EXPECT_NEAR(file.number_attribute("", "reached_error").value().at(0), reached, 1e-9);
  EXPECT_GT(file.number_attribute("", "repetitions").value().front(), 8);
}

// The result is there, but it is not what was asked for.
TEST(MonteCarlo, TargetsThatAreMissedAreSaid) {
  Folder const folder;
  std::string const arguments = "--case case01 --cells 2,1,1 --rays 16 --sampling random --target-error 0.0001 ";
  auto const outcome = run("monte-carlo " + arguments + "-o " + folder.word("out.nc"));
  EXPECT_EQ(outcome.code, 3) << outcome.output;
  EXPECT_NE(outcome.output.find("% of the largest |q|, NOT reached"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("the target error of 0.0001 % was not reached"), std::string::npos) << outcome.output;
  io::Hdf5File const file(folder.file("out.nc"));
  EXPECT_EQ(file.number_attribute("", "target_error"), std::vector<double>{0.0001});
  EXPECT_GT(file.number_attribute("", "reached_error").value().at(0), 0.0001);
  EXPECT_EQ(file.number_attribute("", "repetitions"), std::vector<double>{4096});
}

TEST(MonteCarlo, TheRangeOfASpectrumIsKeptToOrLeftAsAsked) {
  Folder const folder;
  auto problem = io::built_in_case("case01", {.cells = {6, 4, 2}});
  problem.spectrum = monte_carlo::Spectrum::weighted_sum_of_grey_gases();
  auto const write = [&] { io::write_monte_carlo_problem(folder.file("in.h5"), problem); };
  std::string const arguments = folder.word("in.h5") + " --rays 256 --spectrum wsgg ";
  problem.temperature(1, 2, 1) = 2900;
  write();
  auto const allowed = folder.solve(arguments).read("q_radiative");
  {
    // A library that was asked to write this would refuse.
    io::NetcdfWriter file(folder.file("hot.h5"));
    for (auto const& [axis, n] : {std::pair("x", 6), std::pair("y", 4), std::pair("z", 2)}) {
      std::vector<double> faces;
      for (int i = 0; i <= n; ++i) faces.push_back(i / double(n));
      file.coordinate(axis, faces, {{"units", "m"}});
      faces.pop_back();
      file.coordinate(std::string(axis) + "_centre", faces, {});
    }
    std::vector<double> temperature(48, 1000);
    temperature[1] = 20;
    temperature[40] = temperature[41] = 9000;
    file.variable("temperature", {"x_centre", "y_centre", "z_centre"}, temperature, {{"units", "K"}});
    file.group("boundaries");
    for (std::string const side : monte_carlo::side_names) {
      file.group("boundaries/" + side, {{"type", "wall"}, {"temperature", 500}});
    }
    file.commit();
  }
  std::string const hot = folder.word("hot.h5") + " --rays 256 --spectrum wsgg ";
  folder.expect_refusal("hot.h5: temperature(0, 0, 1) = 20 K, expected 250 to 3000 K, the range of the spectrum", hot);
  auto const outcome = run("monte-carlo " + hot + "--out-of-range clip -o " + folder.word("clipped.nc"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("out of range (clip): 3 of temperature"), std::string::npos) << outcome.output;
  io::Hdf5File const clipped(folder.file("clipped.nc"));
  EXPECT_EQ(clipped.text_attribute("", "out_of_range"), "clip: 3 of temperature");
  EXPECT_EQ(clipped.read("temperature").at(1), 250);
  EXPECT_EQ(clipped.read("temperature").at(40), 3000);
  auto const further = folder.solve(hot + "--out-of-range extrapolate");
  EXPECT_EQ(further.text_attribute("", "out_of_range"), "extrapolate: 3 of temperature");
  EXPECT_EQ(further.read("temperature").at(40), 9000);
  for (double const value : further.read("q_radiative")) EXPECT_TRUE(std::isfinite(value));
  EXPECT_GT(further.read("q_radiative").at(40), clipped.read("q_radiative").at(40));
  for (double const value : further.read("incident_radiation")) EXPECT_GT(value, 0);
  // Inside nothing changes.
  for (std::string const what : {"clip", "extrapolate"}) {
    auto const file = folder.solve(arguments + "--out-of-range " + what);
    EXPECT_EQ(file.read("q_radiative"), allowed);
    EXPECT_EQ(file.text_attribute("", "out_of_range"), what + ": none");
  }
}

TEST(MonteCarlo, DryRunsSayWhatIsComputedAndWriteNothing) {
  Folder const folder;
  auto const outcome = run("monte-carlo " + small + "--dry-run -o " + folder.word("out.nc"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  for (std::string const part : {"6 x 4 x 2 cells, grey, 1 m-1", "256 of each cell and face of a wall in 8 repetitions",
                                 "host memory", "nothing written"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
  EXPECT_TRUE(files_in(folder.path).empty());
  // A problem that does not fit is refused before it is allocated.
  for (std::string const more : {"", "--dry-run "})
    folder.expect_refusal("fewer --cells make it fit", "--case case01 --cells 100000 " + more);
}

TEST(MonteCarlo, FilesAreNotWrittenOverEachOther) {
  PARHELION_REQUIRE_DATA(table, "mc/h2o_nbck.h5");
  Folder const folder;
  fs::copy_file(table, folder.file("table.h5"));
  fs::permissions(folder.file("table.h5"), fs::perms::owner_all);
  fs::create_hard_link(folder.file("table.h5"), folder.file("link.h5"));
  auto const size = fs::file_size(folder.file("table.h5"));
  std::string const arguments = "--case case05 --cells 2,1,1 --rays 64 --quiet --spectrum " + folder.word("table.h5");
  for (std::string const other : {"table.h5", "link.h5"}) {
    EXPECT_EQ(run("monte-carlo " + arguments + " -o " + folder.word(other)).code, 1);
    EXPECT_EQ(
        run("monte-carlo " + arguments + " -o " + folder.word("out.nc") + " --checkpoint " + folder.word(other)).code,
        1);
  }
  EXPECT_EQ(fs::file_size(folder.file("table.h5")), size);
  folder.solve(small + "--checkpoint " + folder.word("half.h5"));
  EXPECT_EQ(
      run("monte-carlo " + small + "--quiet --resume " + folder.word("half.h5") + " -o " + folder.word("half.h5")).code,
      1);
  folder.solve(small + "--resume " + folder.word("half.h5") + " --checkpoint " + folder.word("half.h5"));
}

TEST(MonteCarlo, NarrowBandTableIsFoundByOptionOrEnvironment) {
  PARHELION_REQUIRE_DATA(table, "mc/h2o_nbck.h5");
  Folder const folder;
  std::string const arguments = "--case case05 --cells 4,1,1 --rays 64 ";
  auto const expected = folder.solve(arguments + "--spectrum " + quoted(table));
  for (auto const& data : {fs::path(table).parent_path(), fs::path(table).parent_path().parent_path()}) {
    auto const outcome = run("monte-carlo " + arguments + "--quiet -o " + folder.word("found.nc"),
                             "env PARHELION_DATA=" + quoted(data.string()));
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    expect_same(io::Hdf5File(folder.file("found.nc")), expected);
  }
  folder.expect_refusal("say with --spectrum", folder.word("out.nc"));
}

// --- going on ----------------------------------------------------------------------------------------------------

// A checkpoint of the end is one of the middle of a longer run.
TEST(MonteCarlo, ResumedRunsGiveTheSameBits) {
  Folder const folder;
  for (std::string const more : {"", "--directions independent --sampling random ", "--real float "}) {
    auto const expected = folder.solve(small + more, "whole.nc");
    auto const half = "--case case01 --cells 6,4,2 --rays 96 --repetitions 3 " + more;
    folder.solve(half + "--checkpoint " + folder.word("half.h5"));
    auto const resumed = folder.solve(small + more + "--resume " + folder.word("half.h5"), "resumed.nc");
    expect_same(resumed, expected);
    EXPECT_EQ(written(resumed, "rays"), "256");
    EXPECT_EQ(resumed.text_attribute("", "resumed_from"), folder.file("half.h5"));
  }
  // With a target that makes them more.
  std::string const target = "--sampling random --target-error 4 ";
  auto const expected = folder.solve(small + target, "whole.nc");
  folder.solve(small + "--sampling random --checkpoint " + folder.word("half.h5"));
  auto const resumed = folder.solve(small + target + "--resume " + folder.word("half.h5"), "resumed.nc");
  expect_same(resumed, expected);
  EXPECT_EQ(written(resumed, "repetitions"), written(expected, "repetitions"));
}

// A run of hours is stopped after two seconds; what it had done is then a part of a shorter one.
TEST(MonteCarlo, InterruptedRunsGoOnToTheSameBits) {
  Folder const folder;
  constexpr int rays_per_repetition = 256;
  auto const work = [](int repetitions) {
    return "--case case01 --cells 6,4,2 --rays " + std::to_string(rays_per_repetition * repetitions) +
           " --repetitions " + std::to_string(repetitions) + " ";
  };
  for (std::string const signal : {"INT", "TERM"}) {
    // On a busy machine a program may not have begun yet after some seconds: then the signal just ends it.
    auto outcome = run("--version");
    for (std::string const seconds : {"2", "10", "60"}) {
      outcome = run("monte-carlo " + work(4000000) + "-o " + folder.word("out.nc"),
                    "timeout --preserve-status -s " + signal + " " + seconds);
      if (outcome.output.find("interrupted after ") != std::string::npos &&
          io::Hdf5File(folder.file("out.nc.checkpoint.h5")).read("repetitions").at(0) > 0)
        break;
    }
    ASSERT_EQ(outcome.code, 130) << outcome.output;
    EXPECT_NE(outcome.output.find("interrupted after "), std::string::npos) << outcome.output;
    auto const checkpoint = folder.file("out.nc.checkpoint.h5");
    EXPECT_NE(outcome.output.find("--resume " + checkpoint), std::string::npos) << outcome.output;
    EXPECT_FALSE(fs::exists(folder.file("out.nc")));
    int const done = static_cast<int>(io::Hdf5File(checkpoint).read("repetitions").at(0));
    EXPECT_GT(done, 0);
    expect_same(folder.solve(work(done + 9) + "--resume " + quoted(checkpoint), "resumed.nc"),
                folder.solve(work(done + 9), "whole.nc"));
  }
}

// A repetition of hours is left within five seconds, of which one chance in three is asked of a busy machine.
TEST(MonteCarlo, LongRepetitionsAreStopped) {
  Folder const folder;
  std::string const arguments = "--case case01 --cells 6,4,2 --repetitions 2 --rays 1000000000 ";
  for (std::string const seconds : {"3", "20", "60"}) {
    auto const outcome =
        run("monte-carlo " + arguments + "-o " + folder.word("out.nc"),
            "timeout --preserve-status -k 5 -s TERM " + seconds);  // which ends what lives five seconds longer
    bool const again = outcome.code == 137 || outcome.output.find("before the first ray") != std::string::npos;
    if (again && seconds != "60") continue;
    ASSERT_EQ(outcome.code, 130) << outcome.output;
    break;
  }
  io::Hdf5File const file(folder.file("out.nc.checkpoint.h5"));
  EXPECT_EQ(file.read("repetitions").at(0), 0);
  EXPECT_EQ(file.read("begun").at(0), 1);
  EXPECT_GT(file.read("stretch_rays").at(0), 0);
}

// Wherever it was stopped. On a machine that is too fast the run is made longer.
TEST(MonteCarlo, RepetitionsThatWereStoppedGoOnToTheSameBits) {
  Folder const folder;
  int stops = 0;
  for (int rays = 40000; stops == 0 && rays < (1 << 30) / 8; rays *= 8) {
    std::string const arguments = "--case case01 --cells 6,4,2 --repetitions 2 --rays " + std::to_string(rays) + " ";
    std::string resume;
    for (int i = 0; i < 60; ++i) {
      auto const outcome = run("monte-carlo " + arguments + "--quiet -o " + folder.word("out.nc") + resume,
                               "timeout --preserve-status -s INT " + std::to_string(0.3 + 0.1 * (i % 5) + 0.05 * i));
      if (outcome.code == 0) break;
      ASSERT_EQ(outcome.code, 130) << outcome.output;
      if (!fs::exists(folder.file("out.nc.checkpoint.h5"))) continue;
      resume = " --resume " + folder.word("out.nc.checkpoint.h5");
      ++stops;
    }
    if (stops > 0) expect_same(folder.solve(arguments + resume, "resumed.nc"), folder.solve(arguments, "whole.nc"));
  }
  EXPECT_GT(stops, 0);
}

// The folder of the checkpoint goes away while the program runs: after some time if it begins slowly, and with more to
// do if it is soon at its end.
TEST(MonteCarlo, CheckpointsThatCannotBeWrittenDoNotEndARun) {
  Folder const folder;
  std::string arguments, checkpoint;
  Outcome outcome{0, {}};
  int seconds = 1;
  for (int rays = 40000; outcome.code != 4 && seconds < 100 && rays < (1 << 30) / 8;) {
    arguments = "--case case01 --cells 6,4,2 --repetitions 2 --rays " + std::to_string(rays) + " ";
    auto const sub = std::to_string(rays) + "_" + std::to_string(seconds);
    fs::create_directory(folder.file(sub));
    checkpoint = sub + "/half.h5";
    outcome =
        run("monte-carlo " + arguments + "-o " + folder.word("out.nc") + " --checkpoint " + folder.word(checkpoint),
            "sh -c '(sleep " + std::to_string(seconds) + "; rm -r \"$0\") > /dev/null 2>&1 & exec \"$@\"' " +
                folder.word(sub));
    if (outcome.code == 0)
      rays *= 8;
    else
      seconds *= 4;
  }
  EXPECT_EQ(outcome.code, 4) << outcome.output;
  EXPECT_NE(
      outcome.output.find("warning: the checkpoint cannot be written, the run continues: " + folder.file(checkpoint)),
      std::string::npos)
      << outcome.output;
  expect_same(io::Hdf5File(folder.file("out.nc")), folder.solve(arguments, "whole.nc"));
}

class MonteCarloLayouts : public testing::TestWithParam<std::string> {};

TEST_P(MonteCarloLayouts, OfFormerCheckpointsAreRead) {
  auto const& layout = GetParam();
  Folder const folder;
  auto const expected = folder.solve(small, "whole.nc");
  folder.solve("--case case01 --cells 6,4,2 --rays 96 --repetitions 3 --checkpoint " + folder.word("half.h5"));
  io::Hdf5File const now(folder.file("half.h5"));
  auto const problem = io::built_in_case("case01", {.cells = {6, 4, 2}});
  io::NetcdfWriter before(folder.file("before.h5"));
  before.attributes({{"layout", layout}});
  before.group("fingerprint", io::monte_carlo_fingerprint(problem, {.rays = 256}, Precision::float64));
  for (std::string const name : {"repetitions", "planned"})
    before.variable(name, {}, now.read(name), {}, io::NetcdfType::int32);
  before.dimension("quantity", now.shape("sum").at(0));
  before.dimension("item", now.shape("sum").at(1));
  before.variable("sum", {"quantity", "item"}, now.read("sum"), {});
  if (layout.back() == '3') {
    double const none = 0;
    before.variable("begun", {}, std::span(&none, 1), {}, io::NetcdfType::int32);
  }
  before.commit();
  auto const resumed = folder.solve(small + "--resume " + folder.word("before.h5"), "resumed.nc");
  for (auto const& name : results) EXPECT_EQ(resumed.read(name), expected.read(name)) << name;
  // What is not known of the earlier repetitions is left out.
  for (auto const& name : of_planes) EXPECT_FALSE(resumed.exists(name)) << name;
}

INSTANTIATE_TEST_SUITE_P(Layouts, MonteCarloLayouts,
                         testing::Values("parhelion Monte Carlo checkpoint 2", "parhelion Monte Carlo checkpoint 3"),
                         [](auto const& which) { return "Number" + which.param.substr(which.param.size() - 1); });

TEST(MonteCarlo, CheckpointsOfOtherRunsAreRefused) {
  Folder const folder;
  folder.solve(small + "--checkpoint " + folder.word("half.h5"));
  auto const resume = " --resume " + folder.word("half.h5");
  for (auto const& [arguments, message] :
       {std::pair(small + "--seed 2", "is a checkpoint of another run: seed is 1 there, and 2 here"),
        std::pair(small + "--repetitions 4", "rays_per_repetition is 32 there, and 64 here"),
        std::pair(small + "--real float", "precision is double there, and float here"),
        std::pair(small + "--sampling sobol", "sampling is kronecker there, and sobol here"),
        std::pair(small + "--stretch 1", "faces_x is 6 cells"),
        std::pair(small + "--no-walls", "walls is true there, and false here"),
        std::pair(std::string("--case case02 --cells 6,4,2 --rays 256"), "temperature is "),
        std::pair(std::string("--case wall_grey_lin1_e0.5_1 --cells 6,4,2 --rays 256"),
                  "x_low is wall of emissivity 1 at 500 K there, and wall of emissivity 0.5 at 500 K here")})
    folder.expect_refusal(message, arguments + resume);
  auto problem = io::built_in_case("case01", {.cells = {6, 4, 2}});
  io::write_monte_carlo_problem(folder.file("in.h5"), problem);
  folder.expect_refusal("spectrum is grey, 1 m-1",
                        folder.word("in.h5") + " --rays 256 --spectrum grey:1.0000000001" + resume);
  folder.expect_refusal("is no checkpoint, expected a file of layout", small + "--resume " + folder.word("in.h5"));
  folder.expect_refusal("nowhere.h5", small + "--resume " + folder.word("nowhere.h5"));
  // Truncated.
  fs::resize_file(folder.file("half.h5"), fs::file_size(folder.file("half.h5")) / 2);
  folder.expect_refusal("half.h5", small + resume);
}

// --- refusals ----------------------------------------------------------------------------------------------------

TEST(MonteCarlo, BadUsageIsRefused) {
  Folder const folder;
  auto const out = " -o " + folder.word("out.nc");
  folder.expect_bad_usage("--case", out);
  folder.expect_bad_usage("--output", small);
  folder.expect_bad_usage("2 were given", "in.h5 --case case01" + out);
  folder.expect_bad_usage("--colour", small + "--colour=red" + out);
  for (std::string const option :
       {"--rays 0", "--rays many", "--repetitions -1", "--seed -1", "--sampling lattice", "--directions some",
        "--reconstruction cubic", "--order random", "--launch corner", "--coarse median", "--absorbed-by mean",
        "--real half", "--stretch 11", "--target-error -1"})
    folder.expect_bad_usage(option.substr(0, option.find(' ')), "--case case01 " + option + out);
  for (std::string const option : {"--repetitions 1", "--rays 4", "--grids 13", "--steps 0", "--absorbed 0.5,0.6",
                                   "--absorbed 0,0.2", "--tolerance 1", "--tolerance nan", "--stretch nan",
                                   "--target-error inf", "--space Abacus", "--out-of-range wrap", "--checkpoint ''"}) {
    folder.expect_bad_usage(option.substr(0, option.find(' ')), "--case case01 " + option + out);
    auto const outcome = run("monte-carlo --case case01 " + option + out);
    EXPECT_EQ(outcome.output.find("check:"), std::string::npos) << outcome.output;
    EXPECT_LT(outcome.output.size(), 300U) << outcome.output;
  }
  folder.expect_bad_usage("--steps", "--case case01 --steps 3 --absorbed 0.2" + out);
  folder.expect_bad_usage("--absorbed", "--case case01 --absorbed-by band" + out);
  folder.expect_bad_usage("--cells", "--case case01 --cells 0" + out);
  folder.expect_bad_usage("expected one number or three", "--case case01 --cells 4,4" + out);
  folder.expect_bad_usage("--cells excludes", "in.h5 --cells 4" + out);
  // Whole numbers have decimal digits, and as many as fit.
  folder.expect_bad_usage("--seed: 18446744073709551616, expected a whole number from 0 to 18446744073709551615",
                          "--case case01 --seed 18446744073709551616" + out);
  for (std::string const option : {"--seed -1", "--seed 0x10", "--rays 0x40", "--rays +64", "--rays ' 64'",
                                   "--rays 64.0", "--repetitions 2147483648", "--threads 1e0", "--tolerance 0x1p-4"})
    folder.expect_bad_usage(option.substr(0, option.find(' ')) + ": ", "--case case01 " + option + out);
  // Nor is a number of a list left out.
  for (std::string const option : {"--absorbed 0.5,", "--absorbed ,0.5", "--absorbed=0.5,,0.2", "--absorbed ,",
                                   "--cells 4,,4,4", "--cells 4 4, 4"})
    folder.expect_bad_usage("' has an empty entry, expected entries between and around its commas",
                            "--case case01 " + option + out);
  folder.expect_bad_usage("expected grey:KAPPA", "--case case05 --spectrum grey:-1" + out);
  folder.expect_bad_usage("expected grey:KAPPA", "--case case05 --spectrum grey:1m" + out);
}

TEST(MonteCarlo, WrongProblemsAndOptionsAreRefused) {
  Folder const folder;
  folder.expect_refusal("'case99', expected one of case01_grey_lin1_black", "--case case99");
  folder.expect_refusal("narrow-band table of H2O: h2o_nbck.h5", "--case case05");
  folder.expect_refusal("needs the narrow-band table of its gas, CO2", "--case case07");
  folder.expect_refusal("expected none: the case has its own", small + "--spectrum grey:1");
  folder.expect_refusal("nowhere.h5: no such file", "--case case05 --spectrum " + folder.word("nowhere.h5"));
  auto const name = folder.path.substr(folder.path.rfind('/') + 1);
  for (std::string const& other :
       {std::string("refused.nc"), std::string("./refused.nc"), "../" + name + "/refused.nc"})
    folder.expect_refusal("is asked for twice", small + "--checkpoint " + folder.word(other));
  folder.expect_refusal("nowhere", small + "--checkpoint " + folder.word("nowhere/half.h5"));
}

// A file that the limit of the size of files does not allow is an error like a full disk.
TEST(MonteCarlo, TooLargeFilesLeaveNothing) {
  Folder const folder;
  auto const outcome =
      run("monte-carlo " + small + "--quiet -o " + folder.word("out.nc"), "ulimit -f 4; env -u PARHELION_DATA");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("out.nc: cannot be written: "), std::string::npos) << outcome.output;
  EXPECT_TRUE(files_in(folder.path).empty()) << "something was written";
}

TEST(MonteCarlo, BrokenInputIsRefused) {
  Folder const folder;
  folder.expect_refusal("in.h5", folder.word("in.h5"));
  std::ofstream(folder.file("in.h5")) << "temperature = 300";
  folder.expect_refusal("in.h5", folder.word("in.h5"));
  auto const problem = io::built_in_case("case01", {.cells = {6, 4, 2}});
  io::write_monte_carlo_problem(folder.file("in.h5"), problem);
  auto const size = fs::file_size(folder.file("in.h5"));
  fs::resize_file(folder.file("in.h5"), size / 2);
  folder.expect_refusal("in.h5", folder.word("in.h5"));
  {
    io::NetcdfWriter file(folder.file("in.h5"));
    file.coordinate("x", std::vector<double>{0, 1}, {{"units", "m"}});
    file.coordinate("y", std::vector<double>{0, 1}, {{"units", "m"}});
    file.commit();
  }
  folder.expect_refusal("names no spectrum; say with --spectrum", folder.word("in.h5"));
  folder.expect_refusal("in.h5: z", folder.word("in.h5") + " --spectrum wsgg");
  // The input is not written over.
  io::write_monte_carlo_problem(folder.file("in.h5"), problem);
  auto const outcome = run("monte-carlo " + folder.word("in.h5") + " --quiet -o " + folder.word("in.h5"));
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_EQ(io::read_monte_carlo_problem(folder.file("in.h5")).grid.size(), problem.grid.size());
}

}  // namespace
