// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/output_file.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

namespace fs = std::filesystem;

void write(std::string const& path, std::string const& text) {
  io::OutputFile file(path);
  file.write(text);
  file.commit();
}

std::size_t files_in(std::string const& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

int permissions_of(std::string const& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return static_cast<int>(status.st_mode & 07777);
}

}  // namespace

TEST(OutputFile, AppearsWhenItIsComplete) {
  auto const folder = scratch_folder();
  auto const path = folder + "/a.txt";
  write_bytes(path, "old");
  {
    io::OutputFile file(path);
    file.write("new");
    EXPECT_EQ(read_bytes(path), "old");
  }
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(files_in(folder), 1U);
  write(path, "new");
  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(OutputFile, KeepsThePermissionsOfAnExistingFile) {
  auto const path = scratch_folder() + "/a.txt";
  auto const mask = ::umask(0027);
  write(path, "first");
  EXPECT_EQ(permissions_of(path), 0640);
  ASSERT_EQ(::chmod(path.c_str(), 0604), 0);
  write(path, "second");
  EXPECT_EQ(permissions_of(path), 0604);
  ::umask(mask);
}

TEST(OutputFile, FollowsLinksAlsoToWhatIsNotThere) {
  auto const folder = scratch_folder();
  fs::create_directory(folder + "/inner");
  fs::create_symlink("inner/target", folder + "/relative");
  fs::create_symlink(folder + "/relative", folder + "/absolute");
  write(folder + "/absolute", "text");  // the target does not exist yet
  EXPECT_TRUE(fs::is_symlink(folder + "/relative"));
  EXPECT_TRUE(fs::is_symlink(folder + "/absolute"));
  EXPECT_EQ(read_bytes(folder + "/inner/target"), "text");
  write(folder + "/absolute", "again");  // and now it does
  EXPECT_TRUE(fs::is_symlink(folder + "/relative"));
  EXPECT_EQ(read_bytes(folder + "/inner/target"), "again");

  fs::create_symlink("loop", folder + "/loop");
  EXPECT_TRUE(has(message_of([&] { write(folder + "/loop", ""); }), "cannot be written"));
  fs::create_symlink("nowhere/file", folder + "/dangling");
  EXPECT_TRUE(has(message_of([&] { write(folder + "/dangling", ""); }), "no folder"));
  // As does the writer of netCDF files, which stands on this one.
  fs::create_symlink("inner/netcdf", folder + "/link.nc");
  io::NetcdfWriter netcdf(folder + "/link.nc");
  netcdf.commit();
  EXPECT_TRUE(fs::is_symlink(folder + "/link.nc"));
  EXPECT_GT(fs::file_size(folder + "/inner/netcdf"), 0U);
}

TEST(OutputFile, RemovesWhatKilledProcessesLeft) {
  auto const folder = scratch_folder();
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t const child = ::fork();
  if (child == 0) {
    io::OutputFile file(folder + "/a.txt");
    file.write("half of it");
    [[maybe_unused]] auto const said = ::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char letter = 0;
  ASSERT_EQ(::read(ready[0], &letter, 1), 1);
  EXPECT_EQ(files_in(folder), 1U);
  // What a living process writes stays.
  write(folder + "/b.txt", "text");
  EXPECT_EQ(files_in(folder), 2U);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(files_in(folder), 2U);
  write(folder + "/b.txt", "text");
  EXPECT_EQ(files_in(folder), 1U);
  write_bytes(folder + "/.parhelion-1-1.tmp", "left behind");
  io::check_writable(folder + "/b.txt");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(OutputGroup, PutsAllInPlaceOrNone) {
  auto const folder = scratch_folder();
  write_bytes(folder + "/a", "old a");
  {
    io::OutputGroup group;
    write(folder + "/a", "new a");
    write(folder + "/b", "new b");
    EXPECT_EQ(read_bytes(folder + "/a"), "old a");
    EXPECT_FALSE(fs::exists(folder + "/b"));
    EXPECT_TRUE(has(message_of([] { io::OutputGroup const second; }), "one at a time"));
  }
  EXPECT_EQ(read_bytes(folder + "/a"), "old a");
  EXPECT_EQ(files_in(folder), 1U);
  {
    io::OutputGroup group;
    write(folder + "/a", "new a");
    write(folder + "/b", "new b");
    group.commit();
  }
  EXPECT_EQ(read_bytes(folder + "/a"), "new a");
  EXPECT_EQ(read_bytes(folder + "/b"), "new b");
  EXPECT_EQ(files_in(folder), 2U);
  write(folder + "/a", "alone");
  EXPECT_EQ(read_bytes(folder + "/a"), "alone");
}

TEST(CheckFiles, ComparesFilesNotNames) {
  auto const folder = scratch_folder();
  auto const input = folder + "/in";
  write_bytes(input, "x");
  fs::create_hard_link(input, folder + "/hard");
  fs::create_symlink("in", folder + "/soft");
  fs::create_symlink("not-there", folder + "/dangling");
  auto const refusal = [](std::vector<std::string> const& inputs, std::vector<std::string> const& outputs) {
    return message_of([&] { io::check_files(inputs, outputs); });
  };
  auto const around = "/../" + fs::path(folder).filename().string() + "/in";
  for (auto const& name : std::vector<std::string>{"/in", "/hard", "/soft", "/./in", around})
    EXPECT_TRUE(has(refusal({"", folder + "/other", input}, {folder + "/out", folder + name}), "is the input file"))
        << name;
  EXPECT_TRUE(has(refusal({}, {folder + "/out", folder + "/./out"}), "is asked for twice"));
  EXPECT_TRUE(has(refusal({}, {folder + "/dangling", folder + "/not-there"}), "is asked for twice"));
  EXPECT_TRUE(has(refusal({}, {folder + "/hard", input}), "is asked for twice"));
  auto const before = fs::current_path();
  fs::current_path(folder);
  EXPECT_TRUE(has(refusal({}, {"out", "./out"}), "is asked for twice"));
  EXPECT_TRUE(has(refusal({}, {"out", folder + "/out"}), "is asked for twice"));
  EXPECT_NO_THROW(io::check_files({}, {"out", "./other"}));
  fs::current_path(before);
  EXPECT_EQ(files_in(folder), 4U);
  EXPECT_NO_THROW(io::check_files({input, ""}, {folder + "/out", "", folder + "/other", ""}));
}
