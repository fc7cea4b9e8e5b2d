// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/rrtmg_files.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

// Sets a variable of the environment, or removes it where the value is null, and puts back what it was.
struct Environment {
  char const* name;
  std::optional<std::string> old;
  Environment(char const* variable, char const* value) : name(variable) {
    if (char const* const before = std::getenv(name)) old = before;
    set(value);
  }
  ~Environment() { set(old ? old->c_str() : nullptr); }
  Environment(Environment const&) = delete;
  Environment& operator=(Environment const&) = delete;

 private:
  void set(char const* value) const {
    if (value == nullptr)
      ::unsetenv(name);
    else
      ::setenv(name, value, 1);
  }
};

struct DataFolders : Environment {
  explicit DataFolders(char const* value) : Environment("PARHELION_DATA", value) {}
};

std::string find(std::string const& explicit_path = {}) {
  return io::find_data_file("tables", explicit_path, {"best.dat", "good.dat"}, "ask the makers");
}

std::string make(std::string const& folder, std::string const& name) {
  std::filesystem::create_directories(std::filesystem::path(folder + "/" + name).parent_path());
  write_bytes(folder + "/" + name, "x");
  return folder + "/" + name;
}

}  // namespace

TEST(DataFiles, ExplicitPathComesFirst) {
  auto const folder = scratch_folder();
  auto const own = make(folder, "own/other-name"), found = make(folder, "data/best.dat");
  DataFolders const variable((folder + "/data").c_str());
  EXPECT_EQ(find(own), own);
  EXPECT_EQ(find(), found);
}

TEST(DataFiles, ExplicitPathIsNotReplacedByAnother) {
  auto const folder = scratch_folder();
  make(folder, "data/best.dat");
  DataFolders const variable((folder + "/data").c_str());
  EXPECT_EQ(message_of([&] { find(folder + "/none"); }), folder + "/none: no such file, expected tables");
  EXPECT_EQ(message_of([&] { find(folder); }), folder + ": is not a file, expected tables");
}

TEST(DataFiles, FoldersAreSearchedInTheirOrderDirectlyThenOneDown) {
  auto const folder = scratch_folder();
  std::filesystem::create_directories(folder + "/empty");
  auto const deep = make(folder, "second/b/best.dat");
  DataFolders const variable(
      (folder + "/missing:" + folder + "/empty::" + folder + "/second:" + folder + "/third").c_str());
  auto const third = make(folder, "third/best.dat");
  EXPECT_EQ(find(), deep);
  auto const earlier = make(folder, "second/a/good.dat");
  EXPECT_EQ(find(), earlier);
  auto const direct = make(folder, "second/good.dat");
  EXPECT_EQ(find(), direct);
  auto const preferred = make(folder, "second/best.dat");
  EXPECT_EQ(find(), preferred);
  std::filesystem::remove_all(folder + "/second");
  EXPECT_EQ(find(), third);
}

// The third place, the installation, is searched by package.data_of_the_installation.
TEST(DataFiles, FetchedDataComeAfterTheVariableAndBeforeTheInstallation) {
  auto const folder = scratch_folder();
  auto const fetched = make(folder, "home/.local/share/parhelion/best.dat");
  Environment const home("HOME", (folder + "/home").c_str());
  {
    Environment const xdg("XDG_DATA_HOME", nullptr);
    DataFolders const none(nullptr);
    EXPECT_EQ(find(), fetched);
    auto const named = make(folder, "named/good.dat");
    DataFolders const variable((folder + "/named").c_str());
    EXPECT_EQ(find(), named) << "the order of folders comes before that of names";
  }
  DataFolders const none(nullptr);
  {
    Environment const xdg("XDG_DATA_HOME", (folder + "/xdg").c_str());
    EXPECT_TRUE(has(message_of([] { find(); }), " not found in " + folder + "/xdg/parhelion (no such folder), "));
    auto const moved = make(folder, "xdg/parhelion/deeper/good.dat");
    EXPECT_EQ(find(), moved);
  }
  for (char const* const unusable : {"", "xdg"}) {
    Environment const xdg("XDG_DATA_HOME", unusable);
    EXPECT_EQ(find(), fetched) << "XDG_DATA_HOME is '" << unusable << "'";
  }
  Environment const xdg("XDG_DATA_HOME", nullptr), homeless("HOME", nullptr);
  EXPECT_FALSE(has(message_of([] { find(); }), ".local/share"));
}

TEST(DataFiles, TwoFoldersDownIsNotSearched) {
  auto const folder = scratch_folder();
  make(folder, "data/a/b/best.dat");
  DataFolders const variable((folder + "/data").c_str());
  EXPECT_TRUE(has(message_of([] { find(); }), "not found"));
}

TEST(DataFiles, FolderOfThatNameIsNoFile) {
  auto const folder = scratch_folder();
  std::filesystem::create_directories(folder + "/data/best.dat");
  DataFolders const variable((folder + "/data").c_str());
  EXPECT_TRUE(has(message_of([] { find(); }), "not found"));
}

TEST(DataFiles, ErrorSaysWhereItLookedAndWhereToGetTheFile) {
  auto const folder = scratch_folder();
  DataFolders const variable((folder + ":" + folder + "/none").c_str());
  auto const message = message_of([] { find(); });
  EXPECT_TRUE(message.starts_with("tables: best.dat or good.dat not found in " + folder + ", " + folder +
                                  "/none (no such folder), "))
      << message;
  EXPECT_TRUE(has(message, "/share/parhelion"));
  EXPECT_TRUE(message.ends_with(" or one folder down; ask the makers")) << message;
}

TEST(DataFiles, ErrorSaysThatTheVariableIsNotSet) {
  DataFolders const variable(nullptr);
  EXPECT_TRUE(has(message_of([] { find(); }), "PARHELION_DATA is not set"));
}

TEST(DataFiles, ShortwaveCoefficientsByAnyOfTheirNames) {
  auto const folder = scratch_folder();
  DataFolders const variable(folder.c_str());
  make(folder, "RRTMG_LW_DATA.DBL");
  auto const message = message_of([] { io::find_rrtmg_sw_data(); });
  EXPECT_TRUE(
      message.starts_with("RRTMG_SW coefficients: RRTMG_SW_DATA.DBL or RRTMG_SW_DATA_DBL or RRTMG_SW_DATA not found"))
      << message;
  EXPECT_TRUE(has(message, "WRF (run/RRTMG_SW_DATA, run/RRTMG_SW_DATA_DBL)"));
  for (char const* const name : {"RRTMG_SW_DATA", "RRTMG_SW_DATA_DBL", "RRTMG_SW_DATA.DBL"}) {
    auto const path = make(folder, name);
    EXPECT_EQ(io::find_rrtmg_sw_data(), path);
  }
}

TEST(DataFiles, RrtmgCoefficientsByEitherName) {
  auto const folder = scratch_folder();
  DataFolders const variable(folder.c_str());
  auto const message = message_of([] { io::find_rrtmg_lw_data(); });
  EXPECT_TRUE(
      message.starts_with("RRTMG_LW coefficients: RRTMG_LW_DATA.DBL or RRTMG_LW_DATA_DBL or RRTMG_LW_DATA not found"))
      << message;
  EXPECT_TRUE(has(message, "scripts/get-data.sh"));
  EXPECT_TRUE(has(message, "WRF"));
  EXPECT_TRUE(has(message, "MPAS-Data repository"));
  auto const single_precision = make(folder, "RRTMG_LW_DATA");
  EXPECT_EQ(io::find_rrtmg_lw_data(), single_precision);
  auto const wrf = make(folder, "RRTMG_LW_DATA_DBL");
  EXPECT_EQ(io::find_rrtmg_lw_data(), wrf);
  auto const double_precision = make(folder, "RRTMG_LW_DATA.DBL");
  EXPECT_EQ(io::find_rrtmg_lw_data(), double_precision);
}
