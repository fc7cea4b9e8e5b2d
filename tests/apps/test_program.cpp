// SPDX-License-Identifier: BSD-3-Clause
// Common features of all subcommands: help, refused options, threads and devices, standard streams.
#include "program.hpp"
#include "testing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace parhelion::Testing;

namespace {

// Works without a file.
std::string const tables = "tables synthetic --gases CO2 --channels 690 -o ";

}  // namespace

TEST(Program, NamesTheNearestSubcommand) {
  expect_bad_usage("flux", "there is no subcommand 'flux'; did you mean 'fluxes'?");
  expect_bad_usage("monte_carlo x.nc", "did you mean 'monte-carlo'?");
  expect_bad_usage("tables pak", "did you mean 'pack'?");
  expect_bad_usage("photosynthesis", "there are fluxes, adding, ega, monte-carlo, retrieve, tables");
  expect_bad_usage("help flux", "did you mean 'fluxes'?");
}

TEST(Program, HelpIsHelp) {
  for (std::string const name : {"", "fluxes", "adding", "ega", "monte-carlo", "retrieve", "tables", "tables pack"}) {
    auto const help = run(name + " --help");
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(run("help " + name).output, help.output);
    EXPECT_EQ(run("help " + name).code, 0);
    if (name == "tables pack") continue;
    for (std::string const part : {"Example", "PARHELION_DATA", "Exit status", "130"})
      EXPECT_NE(help.output.find(part), std::string::npos) << name << " lacks " << part;
  }
}

TEST(Program, ChecksThreadsAndDevices) {
  auto const input = scratch_folder() + "/none.nc";
  for (auto const& command :
       std::vector<std::string>{"fluxes " + input, "adding " + input, "monte-carlo -o x.nc " + input,
                                "ega --control a --atmosphere b --observation c"}) {
    for (std::string const bad :
         {"--threads 0", "--threads -1", "--threads 513", "--threads x", "--threads 2.5", "--threads 99999999999",
          "--device -1", "--device 4096", "--device x", "--space abacus", "--threads 1 --threads 2"})
      expect_bad_usage(command + " " + bad, bad.substr(0, bad.find(' ')));
    EXPECT_EQ(run(command + " --threads 2 --device 0").code, 1) << command;  // there is no such input
  }
  for (std::string const command : {"fluxes ", "monte-carlo -o x.nc "})
    expect_bad_usage(command + input + " --device 0 --devices 1", "--device");
}

// The subcommands that compute have one set of common options; those that divide their work into chunks have one more.
TEST(Program, CommonOptionsAreEverywhere) {
  for (std::string const name : {"fluxes", "adding", "ega", "monte-carlo", "retrieve"}) {
    auto const help = run(name + " --help").output;
    std::vector<std::string> options{"--real TEXT:{float,double}",
                                     "--space NAME",
                                     "--threads N",
                                     "--device N",
                                     "--devices N",
                                     "--dry-run",
                                     "--quiet"};
    if (name != "monte-carlo") options.emplace_back("--chunk ");
    if (name != "adding") options.emplace_back("--out-of-range TEXT:{refuse,clip,extrapolate}");
    for (auto const& option : options) EXPECT_NE(help.find(option), std::string::npos) << name << " lacks " << option;
  }
}

// Options with a choice accept their words only, not the numbers of values, and the message lists the words.
TEST(Program, ChoicesAreWords) {
  std::string const ega = "ega --control a --atmosphere b --observation c ", box = "monte-carlo --case case02 -o a.nc ";
  for (auto const& [command, expected] :
       {std::pair(std::string("fluxes a.nc --real half"), "half not in {float,double}"),
        {"fluxes a.nc --real 0", "0 not in {float,double}"},
        {"fluxes a.nc --gas-optics 1", "1 not in {rrtmg,rrtmgp,ecckd,simple}"},
        {"fluxes a.nc --transmittance exactly", "exactly not in {exact,table}"},
        {"fluxes a.nc --overlap 2", "2 not in {random,maximum-random,maximum,"},
        {"fluxes a.nc --ice-optics 3", "3 not in {all-bands,broad-bands,streamer,fu}"},
        {"fluxes a.nc --out-of-range 1", "1 not in {refuse,clip,extrapolate}"},
        {"adding a.h5 --strategy lane-scan", "lane-scan not in {auto,sweep,team-scan}"},
        {ega + "--jacobian numeric", "numeric not in {differences,analytic}"},
        {ega + "--table-slopes half", "half not in {double,float}"},
        {box + "--sampling halton", "halton not in {random,stratified,sobol,kronecker}"},
        {box + "--launch 1", "1 not in {centre,volume}"},
        {"tables convert a.tab -o b.h5 --to 3", "3 not in {text,scatter,reference,hdf5}"}})
    expect_bad_usage(command, expected);
}

TEST(Program, RefusesWhatKokkosWouldAbortOn) {
  auto const output = scratch_folder() + "/t.h5";
  for (std::string const option :
       {"--kokkos-num-threads=0", "--kokkos-num-threads=-3", "--kokkos-num-threads=513", "--kokkos-num-threads=x",
        "--kokkos-num-threads=", "--kokkos-device-id=x", "--kokkos-device-id=-1", "--kokkos-device-id=4096",
        "--kokkos-map-device-id-by=luck", "--kokkos-disable-warnings=perhaps", "--kokkos-tools-libs=none.so",
        "--kokkos-nonsense=1", "--kokkos-"})
    expect_bad_usage(tables + output + " " + option, option.substr(0, option.find('=')));
  expect_bad_usage(tables + output + " --kokkos-num-threads 4", "expected --kokkos-num-threads=VALUE in one word");
  for (std::string const variable :
       {"KOKKOS_NUM_THREADS=x", "KOKKOS_NUM_THREADS=0", "KOKKOS_NUM_THREADS=1000", "KOKKOS_DEVICE_ID=x",
        "KOKKOS_DEVICE_ID=77", "KOKKOS_VISIBLE_DEVICES=a,b", "KOKKOS_MAP_DEVICE_ID_BY=luck",
        "KOKKOS_PRINT_CONFIGURATION=perhaps", "OMP_NUM_THREADS=100000"})
    expect_bad_usage(tables + output, variable.substr(0, variable.find('=')), "env " + variable);
  EXPECT_TRUE(files_in(output.substr(0, output.rfind('/'))).empty());
  for (std::string const good : {"--kokkos-num-threads=1", "--kokkos-disable-warnings", "--kokkos-num-threads=2"})
    EXPECT_EQ(run(tables + output + " --quiet " + good).code, 0) << good;
  EXPECT_EQ(run(tables + output, "env KOKKOS_NUM_THREADS=2 OMP_NUM_THREADS=4").code, 0);
}

TEST(Program, RefusesEmptyValues) {
  auto const folder = scratch_folder();
  for (std::string const command :
       {"fluxes a.nc -o ''", "fluxes a.nc --coefficients ''", "fluxes ''", "fluxes a.nc --coefficients= -o b.nc",
        "monte-carlo --case case02 -o a.nc --resume ''", "monte-carlo --case case02 -o ''",
        "monte-carlo --case case02 -o a.nc --checkpoint ''", "adding a.h5 -o ''", "fluxes a.nc --space ''",
        "ega --control a --atmosphere b --observation c --kernel ''",
        "ega --control a --atmosphere b --observation c --los ''",
        "ega --control a --atmosphere b --observation c --tables ''", "tables info ''",
        "monte-carlo a.h5 -o a.nc --spectrum --quiet --rays 16 '' --resume b.h5", "''"})
    expect_bad_usage(command, "");
  EXPECT_TRUE(files_in(folder).empty());
}

TEST(Program, MessagesAreOneLineThatCanBePrinted) {
  expect_bad_usage("fluxes a.nc --real \"$(printf 'line\\nbreak \\033[31mred\\tand tab')\"",
                   "line break \\x1b[31mred\\x09and tab");
  expect_bad_usage("monte-carlo in.h5 -o a.nc ' ' --colour", "parhelion: not expected: ' ' '--colour'");
  auto const outcome = run("adding " + std::string(5000, 'x'));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_LT(outcome.output.size(), 2000U);
  EXPECT_NE(outcome.output.find("xxx ... xxx"), std::string::npos) << outcome.output;
}

TEST(Program, MindsStandardStreamsThatAreClosedOrFull) {
  auto const folder = scratch_folder();
  auto const output = folder + "/t.h5";
  auto const code_of = [](std::string const& arguments, std::string const& redirection) {
    // The redirection goes before those of run(), which are not of the program but of the shell that starts it.
    auto const outcome = run("", "sh -c '\"$0\" " + arguments + " " + redirection + "'");
    return outcome.code;
  };
  EXPECT_EQ(code_of("fluxes no.nc", "2>&-"), 1);
  EXPECT_EQ(code_of("fluxes no.nc", "2>/dev/full"), 1);
  EXPECT_EQ(code_of("flux", "2>&- >&- <&-"), 2);
  EXPECT_EQ(code_of("--help", ">/dev/full"), 1);
  EXPECT_EQ(code_of("--help", ">&-"), 1);
  EXPECT_EQ(code_of(tables + output, ">/dev/full"), 1);
  EXPECT_EQ(code_of(tables + output, ">&- 2>&-"), 1);
  EXPECT_EQ(code_of(tables + output + " --quiet", ">&- 2>&- <&-"), 0);
  EXPECT_EQ(code_of("tables info " + output, ""), 0);
  EXPECT_EQ(code_of("tables info " + output, ">/dev/full"), 1);
}
