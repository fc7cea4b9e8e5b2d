// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/hdf5.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

std::string open_error(std::string const& path) {
  return message_of([&] { io::Hdf5File const file(path); });
}

// Everything that NetcdfWriter can write.
void write_sample(std::string const& path, int deflate = 0) {
  io::NetcdfWriter file(path, deflate);
  file.attributes({{"Conventions", "CF-1.10"}, {"title", "a sample"}, {"empty", ""}});
  file.coordinate("time", std::vector<double>{3., 4.}, {{"units", "s"}}, io::NetcdfType::int32);
  file.dimension("level", 3);
  file.variable("flux", {"time", "level"}, std::vector<double>{1.5, 2.5, 3.5, 4.5, 5.5, 0.1},
                {{"units", "W m-2"}, {"long_name", "a flux"}});
  file.variable("flux_float", {"level"}, std::vector<double>{0.1, 0.2, 0.3}, {}, io::NetcdfType::float32);
  file.variable("scalar", {}, std::vector<double>{7.}, {});
  file.strings("label", "time", std::vector<std::string>{"first", "été"}, {{"long_name", "name"}});
  file.commit();
}

}  // namespace

TEST(Hdf5File, RefusesWhatItCannotOpen) {
  auto const folder = scratch_folder();
  auto const path = folder + "/a.nc";
  EXPECT_EQ(open_error(path), path + ": no such file");
  EXPECT_EQ(open_error(folder), folder + ": is a folder, expected an HDF5 or netCDF-4 file");
  write_bytes(path, "");
  EXPECT_EQ(open_error(path), path + ": is empty, expected an HDF5 or netCDF-4 file");
  write_bytes(path, "These are words.");
  EXPECT_EQ(open_error(path), path + ": is not an HDF5 or netCDF-4 file");
  for (char const version : {'\1', '\2', '\5'}) {
    write_bytes(path, std::string("CDF") + version + "....");
    EXPECT_EQ(open_error(path),
              path + ": is a netCDF-3 file, expected netCDF-4; convert it: nccopy -k nc4 OLD.nc NEW.nc");
  }
}

TEST(Hdf5File, RefusesFilesWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is forbidden to root";
  auto const path = column_file().write(scratch_folder() + "/a.nc");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  EXPECT_EQ(open_error(path), path + ": cannot be opened: Permission denied");
}

TEST(Hdf5File, RefusesTruncatedFilesAtAnyLength) {
  auto const folder = scratch_folder();
  auto const whole = read_bytes(column_file().write(folder + "/whole.nc"));
  auto const path = folder + "/cut.nc";
  for (std::size_t size = 8; size < whole.size(); size += 97) {
    write_bytes(path, whole.substr(0, size));
    EXPECT_TRUE(has(open_error(path), path + ": ")) << size;
  }
  write_bytes(path, whole.substr(0, whole.size() - 1));
  EXPECT_TRUE(has(open_error(path), path + ": damaged or truncated HDF5: truncated file"));
}

TEST(Hdf5File, DamageShowsAtTheLatestWhenTheVariableIsRead) {
  auto const folder = scratch_folder();
  auto const path = folder + "/packed.nc";
  write_sample(path, 4);
  auto bytes = read_bytes(path);
  // Compressed blocks begin with the bytes of zlib; wipe out all that look like one.
  for (std::size_t i = 0; i + 2 < bytes.size(); ++i)
    if (bytes[i] == 0x78 && (bytes[i + 1] == 0x5e || bytes[i + 1] == char(0x9c))) bytes[i] = bytes[i + 1] = 0;
  write_bytes(path, bytes);
  EXPECT_TRUE(has(message_of([&] { io::Hdf5File(path).read("flux"); }), path + ": flux: cannot be read: "));
}

TEST(Hdf5File, RefusesFifosAndDevicesAtOnce) {
  auto const fifo = scratch_folder() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(has(open_error(fifo), fifo + ": is a FIFO, expected a regular file"));
  EXPECT_TRUE(has(open_error("/dev/zero"), "/dev/zero: is a device, expected a regular file"));
}

TEST(Hdf5File, RefusesWhatMemoryCannotHoldBeforeItReads) {
  auto const path = scratch_folder() + "/huge.h5";
  hid_t const file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  auto const create = [&](char const* name, std::vector<hsize_t> const& dims, hid_t type) {
    hid_t const creation = H5Pcreate(H5P_DATASET_CREATE);
    std::vector<hsize_t> chunk;
    for (hsize_t const extent : dims) chunk.push_back(std::min<hsize_t>(extent, 64));
    H5Pset_chunk(creation, static_cast<int>(dims.size()), chunk.data());
    hid_t const space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
    hid_t const data = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    std::vector<hsize_t> const one(dims.size(), 1), zero(dims.size(), 0);
    hid_t const element = H5Screate_simple(static_cast<int>(one.size()), one.data(), nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, zero.data(), nullptr, one.data(), nullptr);
    std::string const value(8, '\0');
    H5Dwrite(data, type, element, space, H5P_DEFAULT, value.data());
    for (hid_t const each : {element, space}) H5Sclose(each);
    H5Dclose(data);
    H5Pclose(creation);
  };
  constexpr hsize_t large = hsize_t(1) << 40;
  create("x", {3, large}, H5T_NATIVE_DOUBLE);
  create("beyond", {large, large >> 18}, H5T_NATIVE_DOUBLE);
  create("words", {large}, H5T_C_S1);
  H5Fclose(file);
  for (bool const in_child : {false, true}) {
    io::read_hdf5_in_child(in_child);
    io::Hdf5File const huge(path);
    EXPECT_TRUE(has(message_of([&] { huge.read("x"); }),
                    path + ": x: shape (3, 1099511627776): needs 52776.6 GB of memory, but this process may use "));
    EXPECT_EQ(message_of([&] { huge.read("beyond"); }),
              path + ": beyond: has shape (1099511627776, 4194304), more than any memory holds");
    EXPECT_TRUE(has(message_of([&] { huge.read_strings("words"); }), path + ": words: shape (1099511627776): needs "));
  }
  io::read_hdf5_in_child(false);
}

namespace {

std::size_t pass_through(unsigned, std::size_t, unsigned const*, std::size_t size, std::size_t*, void**) {
  return size;
}

}  // namespace

TEST(Hdf5File, NamesTheFilterThatIsMissing) {
  auto const path = scratch_folder() + "/packed.h5";
  H5Z_class2_t const filter{H5Z_CLASS_T_VERS, 32000, 1, 1, "lzf", nullptr, nullptr, pass_through};
  ASSERT_GE(H5Zregister(&filter), 0);
  {
    hid_t const file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t const creation = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t const size = 8;
    H5Pset_chunk(creation, 1, &size);
    H5Pset_filter(creation, 32000, H5Z_FLAG_MANDATORY, 0, nullptr);
    hid_t const space = H5Screate_simple(1, &size, nullptr);
    hid_t const data = H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    std::vector<double> const values(size, 1.);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
    H5Pclose(creation);
    H5Fclose(file);
  }
  EXPECT_EQ(io::Hdf5File(path).read("x"), std::vector<double>(8, 1.));
  ASSERT_GE(H5Zunregister(32000), 0);
  EXPECT_TRUE(has(message_of([&] { io::Hdf5File(path).read("x"); }),
                  path + ": x: is packed by an HDF5 filter that is not installed (lzf, number 32000), expected "));
}

// HDF5 1.10 crashes on all of these.
TEST(Hdf5File, ADamagedHeapIsAnErrorInAChild) {
  auto const folder = scratch_folder();
  SyntheticFile sample;
  sample.variables["label"] = {
      .shape = {2}, .values = {}, .stored = Stored::variable_text, .strings = {"first", "second"}};
  sample.variables["x"] = {{2}, {1., 2.}};
  auto const whole = read_bytes(sample.write(folder + "/whole.h5"));
  auto const heap = whole.find("GCOL");
  ASSERT_NE(heap, std::string::npos);
  auto const path = folder + "/damaged.h5";
  io::read_hdf5_in_child(true);
  for (std::size_t const byte : {27, 29, 31}) {  // of the length of the first object in the heap
    auto bytes = whole;
    bytes[heap + byte] = '\xff';
    write_bytes(path, bytes);
    io::Hdf5File const file(path);
    EXPECT_EQ(file.read("x"), (std::vector<double>{1., 2.}));
    EXPECT_TRUE(has(message_of([&] { file.read_strings("label"); }), path + ": label: ")) << byte;
  }
  io::read_hdf5_in_child(false);
}

TEST(Hdf5File, AChildReadsTheSame) {
  auto const path = scratch_folder() + "/a.nc";
  // Rows in several pieces, which are not a whole number of chunks.
  std::vector<double> values(700 * 5003);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 1013) / 7;
  {
    io::NetcdfWriter file(path, 1);
    file.attributes({{"title", "été"}, {"number", 3.5}});
    file.dimension("row", 700);
    file.dimension("column", 5003);
    file.dimension("word", 2);
    file.group("g");
    file.variable("g/x", {"row", "column"}, values, {{"units", "K"}});
    file.variable("scalar", {}, std::vector<double>{7.}, {});
    file.strings("label", "word", std::vector<std::string>{"first", ""}, {});
    file.commit();
  }
  io::read_hdf5_in_child(true);
  io::Hdf5File file(path);
  io::read_hdf5_in_child(false);
  EXPECT_EQ(file.groups(), std::vector<std::string>{"g"});
  EXPECT_EQ(file.variables("g"), std::vector<std::string>{"x"});
  EXPECT_EQ(file.shape("g/x"), (std::vector<std::size_t>{700, 5003}));
  EXPECT_TRUE(file.exists("g/x"));
  EXPECT_FALSE(file.exists("x"));
  EXPECT_EQ(file.read("g/x"), values);
  EXPECT_EQ(file.read("g/x", 417, 200), std::vector<double>(values.begin() + 417 * 5003, values.begin() + 617 * 5003));
  EXPECT_EQ(file.read("g/x", 700, 0), std::vector<double>());
  // More rows than are asked for at a time, and some columns of them.
  std::vector<double> some;
  for (std::size_t row = 3; row < 699; ++row)
    some.insert(some.end(), values.begin() + static_cast<std::ptrdiff_t>(row * 5003 + 17),
                values.begin() + static_cast<std::ptrdiff_t>(row * 5003 + 20));
  EXPECT_EQ(file.read("g/x", std::vector<io::ItemRange>{{3, 696}, {17, 3}}), some);
  EXPECT_EQ(file.read("scalar"), std::vector<double>{7.});
  EXPECT_EQ(file.read_strings("label"), (std::vector<std::string>{"first", ""}));
  EXPECT_EQ(file.text_attribute("", "title"), "été");
  EXPECT_EQ(file.text_attribute("", "none"), std::nullopt);
  EXPECT_EQ(file.number_attribute("", "number"), std::vector<double>{3.5});
  auto const other = std::move(file);
  for (auto const& action : std::vector<std::function<void()>>{
           [&] { other.read("none"); }, [&] { other.read("label"); }, [&] { other.read("g/x", 700, 1); },
           [&] { other.read_strings("scalar"); }, [&] { other.text_attribute("none", "units"); }}) {
    auto const message = message_of(action);
    EXPECT_TRUE(message.starts_with(path + ": ") && !has(message.substr(path.size()), path)) << message;
  }
  EXPECT_EQ(message_of([&] { other.read("none"); }), path + ": none: missing");
}

TEST(Hdf5File, LeavesTheErrorHandlerOfItsCallerAlone) {
  auto const handler = [](hid_t, void*) -> herr_t { return 0; };
  H5E_auto2_t const own = handler;
  H5E_auto2_t old = nullptr, after = nullptr;
  void *old_data = nullptr, *after_data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &old, &old_data);
  H5Eset_auto2(H5E_DEFAULT, own, nullptr);
  auto const path = scratch_folder() + "/a.nc";
  write_bytes(path, "These are words.");
  testing::internal::CaptureStderr();
  EXPECT_NE(open_error(path), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
  H5Eset_auto2(H5E_DEFAULT, old, old_data);
  EXPECT_EQ(after, own);
}

TEST(Hdf5File, ReadsNumbersOfAnyType) {
  SyntheticFile sample;
  sample.variables["float64"] = {{2, 2}, {0.1, -2., 3e300, 4.}};
  sample.variables["float32"] = {{3}, {0.1, -2., 3.}, {}, {}, Stored::float32_big_endian};
  sample.variables["int32"] = {{2, 1}, {-7., 2147483647.}, {}, {}, Stored::int32};
  sample.variables["int8"] = {{3, 1, 1}, {-128., 0., 127.}, {}, {}, Stored::int8};
  sample.variables["scalar"] = {{}, {42.}};
  io::Hdf5File const file(sample.write(scratch_folder() + "/a.nc"));
  EXPECT_EQ(file.read("float64"), (std::vector<double>{0.1, -2., 3e300, 4.}));
  EXPECT_EQ(file.read("float32"), (std::vector<double>{0.1f, -2., 3.}));
  EXPECT_EQ(file.read("int32"), (std::vector<double>{-7., 2147483647.}));
  EXPECT_EQ(file.read("int8"), (std::vector<double>{-128., 0., 127.}));
  EXPECT_EQ(file.read("scalar"), (std::vector<double>{42.}));
  EXPECT_EQ(file.shape("scalar"), (std::vector<std::size_t>{}));
  EXPECT_EQ(file.shape("int8"), (std::vector<std::size_t>{3, 1, 1}));
  EXPECT_EQ(file.variables(), (std::vector<std::string>{"float32", "float64", "int32", "int8", "scalar"}));
}

TEST(Hdf5File, ReadsSomeRows) {
  SyntheticFile sample;
  sample.variables["x"] = {{4, 2}, {0., 1., 2., 3., 4., 5., 6., 7.}};
  io::Hdf5File const file(sample.write(scratch_folder() + "/a.nc"));
  EXPECT_EQ(file.read("x", 1, 2), (std::vector<double>{2., 3., 4., 5.}));
  EXPECT_EQ(file.read("x", 3, 1), (std::vector<double>{6., 7.}));
  EXPECT_EQ(file.read("x", 4, 0), (std::vector<double>{}));
  auto const expected = file.path() + ": x: has shape (4, 2), expected at least 5 entries in the first dimension";
  EXPECT_EQ(message_of([&] { file.read("x", 3, 2); }), expected);
  EXPECT_EQ(message_of([&] { file.read("x", 5, 0); }), expected);
  std::vector<io::ItemRange> const inner{{1, 2}, {1, 1}}, too_far{{0, 4}, {1, 2}};
  EXPECT_EQ(file.read("x", inner), (std::vector<double>{3., 5.}));
  EXPECT_EQ(message_of([&] { file.read("x", too_far); }),
            file.path() + ": x: has shape (4, 2), expected at least 3 entries in the next dimension");
}

TEST(Hdf5File, ReadsGroups) {
  SyntheticFile sample;
  sample.variables["top"] = {{1}, {1.}};
  sample.variables["b/od"] = {{2}, {2., 3.}, {{"units", "1"}}};
  sample.variables["b/deep/od"] = {{1}, {4.}};
  sample.variables["b/deep/a"] = {{1}, {5.}};
  sample.variables["a/x"] = {{1}, {6.}};
  io::Hdf5File const file(sample.write(scratch_folder() + "/a.nc"));
  using Names = std::vector<std::string>;
  EXPECT_EQ(file.groups(), (Names{"a", "b"}));
  EXPECT_EQ(file.groups("b"), Names{"deep"});
  EXPECT_EQ(file.groups("b/deep"), Names{});
  EXPECT_EQ(file.variables(), Names{"top"});
  EXPECT_EQ(file.variables("b"), Names{"od"});
  EXPECT_EQ(file.variables("b/deep"), (Names{"a", "od"}));
  for (char const* const missing : {"c", "b/none", "b/od", "c/none"}) {
    EXPECT_EQ(file.variables(missing), Names{}) << missing;
    EXPECT_EQ(file.groups(missing), Names{}) << missing;
  }
  EXPECT_TRUE(file.exists("b/deep/od"));
  for (char const* const missing : {"b", "b/deep", "b/none", "c/od", "b/od/od", "od", ""})
    EXPECT_FALSE(file.exists(missing)) << missing;
  EXPECT_EQ(file.shape("b/od"), std::vector<std::size_t>{2});
  EXPECT_EQ(file.read("b/od"), (std::vector<double>{2., 3.}));
  EXPECT_EQ(file.read("b/deep/od"), std::vector<double>{4.});
  EXPECT_EQ(file.text_attribute("b/od", "units"), "1");
  EXPECT_EQ(message_of([&] { file.read("c/od"); }), file.path() + ": c/od: missing");
  EXPECT_TRUE(has(message_of([&] { file.read("b"); }), file.path() + ": b: cannot be opened: "));
}

TEST(Hdf5File, RefusesVariablesThatItCannotRead) {
  SyntheticFile sample;
  sample.variables["text"] = {.shape = {1}, .values = {}, .stored = Stored::fixed_text, .strings = {"abc"}};
  sample.variables["hollow"] = {.shape = {2}, .values = {}, .written = false};
  sample.variables["number"] = {{2}, {1., 2.}};
  sample.variables["table"] = {.shape = {1, 1}, .values = {}, .stored = Stored::fixed_text, .strings = {"abc"}};
  io::Hdf5File const file(sample.write(scratch_folder() + "/a.nc"));
  auto const path = file.path();
  EXPECT_EQ(message_of([&] { file.read("none"); }), path + ": none: missing");
  EXPECT_EQ(message_of([&] { file.shape("none"); }), path + ": none: missing");
  EXPECT_EQ(message_of([&] { file.read("text"); }), path + ": text: does not hold numbers");
  EXPECT_EQ(message_of([&] { file.read("hollow"); }), path + ": hollow: was never written");
  EXPECT_EQ(message_of([&] { file.read_strings("number"); }), path + ": number: does not hold text");
  EXPECT_EQ(message_of([&] { file.read_strings("table"); }),
            path + ": table: has shape (1, 1), expected one dimension of strings");
  EXPECT_FALSE(file.exists("none"));
  EXPECT_TRUE(file.exists("hollow"));
}

TEST(Hdf5File, ReadsStringsOfAllKinds) {
  SyntheticFile sample;
  std::vector<std::string> const words{"present day", "", "4xCO2"};
  for (auto const& [name, stored] :
       {std::pair{"fixed", Stored::fixed_text}, std::pair{"variable", Stored::variable_text},
        std::pair{"characters", Stored::characters}})
    sample.variables[name] = {.shape = {3}, .values = {}, .stored = stored, .strings = words};
  io::Hdf5File const file(sample.write(scratch_folder() + "/a.nc"));
  for (char const* const name : {"fixed", "variable", "characters"}) EXPECT_EQ(file.read_strings(name), words) << name;
}

TEST(Hdf5File, ReadsAttributes) {
  SyntheticFile sample;
  sample.variables["x"] = {{1}, {1.}, {{"units", "hPa"}, {"none", ""}, {"blank", "K  "}}, {{"_FillValue", -9.5}}};
  sample.number_attributes = {{"icld", 2.}};
  sample.text_attributes = {{"title", "a sample"}};
  io::Hdf5File const file(sample.write(scratch_folder() + "/a.nc"));
  EXPECT_EQ(file.text_attribute("x", "units"), "hPa");
  EXPECT_EQ(file.text_attribute("x", "none"), "");
  EXPECT_EQ(file.text_attribute("x", "blank"), "K");
  EXPECT_EQ(file.text_attribute("x", "other"), std::nullopt);
  EXPECT_EQ(file.text_attribute("x", "_FillValue"), std::nullopt);
  EXPECT_EQ(file.number_attribute("x", "_FillValue"), std::vector<double>{-9.5});
  EXPECT_EQ(file.number_attribute("x", "units"), std::nullopt);
  EXPECT_EQ(file.number_attribute("", "icld"), std::vector<double>{2.});
  EXPECT_EQ(file.text_attribute("", "title"), "a sample");
}

TEST(NetcdfWriter, WritesWhatHdf5FileReads) {
  for (int const deflate : {0, 1, 9}) {
    auto const path = scratch_folder() + "/out.nc";
    write_sample(path, deflate);
    io::Hdf5File const file(path);
    EXPECT_EQ(file.shape("flux"), (std::vector<std::size_t>{2, 3}));
    EXPECT_EQ(file.read("flux"), (std::vector<double>{1.5, 2.5, 3.5, 4.5, 5.5, 0.1}));
    EXPECT_EQ(file.read("flux_float"), (std::vector<double>{0.1f, 0.2f, 0.3f}));
    EXPECT_EQ(file.read("time"), (std::vector<double>{3., 4.}));
    EXPECT_EQ(file.read("scalar"), (std::vector<double>{7.}));
    EXPECT_EQ(file.read_strings("label"), (std::vector<std::string>{"first", "été"}));
    EXPECT_EQ(file.text_attribute("flux", "units"), "W m-2");
    EXPECT_EQ(file.text_attribute("", "Conventions"), "CF-1.10");
    EXPECT_EQ(file.text_attribute("", "empty"), "");
  }
}

TEST(NetcdfWriter, AttributesAreTextInUtf8OrNumbers) {
  auto const path = scratch_folder() + "/out.nc";
  {
    io::NetcdfWriter file(path);
    file.attributes({{"whole", 7},
                     {"large", std::uint64_t(1) << 63},
                     {"real", 0.1},
                     {"bytes", "caf\xe9 \xc3\xa9"},
                     {"long", std::string(70000, 'x')}});
    file.group("g");
    file.attributes("g", {{"negative", -3000000000LL}});
    file.commit();
  }
  io::Hdf5File const file(path);
  EXPECT_EQ(file.number_attribute("", "whole"), std::vector<double>{7.});
  EXPECT_EQ(file.number_attribute("", "large"), std::vector<double>{0x1p63});
  EXPECT_EQ(file.number_attribute("", "real"), std::vector<double>{0.1});
  EXPECT_EQ(file.number_attribute("g", "negative"), std::vector<double>{-3e9});
  EXPECT_EQ(file.text_attribute("", "bytes"), "caf\xef\xbf\xbd \xc3\xa9");
  auto const text = file.text_attribute("", "long").value_or("");
  EXPECT_EQ(text.size(), 60000u);
  EXPECT_TRUE(text.ends_with("x ..."));
  EXPECT_EQ(io::AttributeValue(0.1).text(), "0.1");
  EXPECT_EQ(io::AttributeValue(-7).text(), "-7");
}

TEST(NetcdfWriter, RefusesNamesAndStringsThatNetcdfDoesNotTake) {
  auto const path = scratch_folder() + "/out.nc";
  io::NetcdfWriter file(path);
  file.dimension("x", 1);
  for (std::string const name : {"caf\xe9", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80", "a\nb", "a ", "+a"})
    EXPECT_TRUE(has(message_of([&] { file.group(name); }), "is no name that netCDF takes")) << name;
  EXPECT_TRUE(has(message_of([&] { file.variable("\xff", {}, std::vector<double>{1.}, {}); }), "is no name"));
  file.group("été \xf0\x9f\x8c\x9e");
  EXPECT_EQ(message_of([&] { file.strings("label", "x", std::vector<std::string>{"caf\xe9"}, {}); }),
            path + ": label: \"caf\xef\xbf\xbd\" is not valid UTF-8");
}

TEST(NetcdfWriter, AttachesDimensionScales) {
  auto const path = scratch_folder() + "/out.nc";
  write_sample(path);
  hid_t const file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t const flux = H5Dopen2(file, "flux", H5P_DEFAULT);
  auto const name_of_scale = [](hid_t, unsigned, hid_t scale, void* result) -> herr_t {
    char name[64] = {};
    H5Iget_name(scale, name, sizeof name);
    *static_cast<std::string*>(result) += name;
    return 0;
  };
  std::string names;
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(H5DSget_num_scales(flux, i), 1);
    H5DSiterate_scales(flux, i, nullptr, name_of_scale, &names);
  }
  EXPECT_EQ(names, "/time/level");
  H5Dclose(flux);
  H5Fclose(file);
}

TEST(NetcdfWriter, FilesOpenWithTheNetcdfLibrary) {
  if (!succeeds("command -v ncdump")) GTEST_SKIP() << "ncdump is not installed";
  auto const path = scratch_folder() + "/out.nc";
  write_sample(path);
  EXPECT_EQ(output_of("ncdump " + path), R"(netcdf out {
dimensions:
	time = 2 ;
	level = 3 ;
variables:
	int time(time) ;
		time:units = "s" ;
	double flux(time, level) ;
		flux:units = "W m-2" ;
		flux:long_name = "a flux" ;
	float flux_float(level) ;
	double scalar ;
	string label(time) ;
		label:long_name = "name" ;

// global attributes:
		:Conventions = "CF-1.10" ;
		:title = "a sample" ;
		:empty = "" ;
data:

 time = 3, 4 ;

 flux =
  1.5, 2.5, 3.5,
  4.5, 5.5, 0.1 ;

 flux_float = 0.1, 0.2, 0.3 ;

 scalar = 7 ;

 label = "first", "été" ;
}
)");
}

TEST(NetcdfWriter, FilesOpenWithXarray) {
  std::string python = "python3";
  if (!succeeds(python + " -c 'import xarray, netCDF4'")) python = "/usr/bin/python3";
  if (!succeeds(python + " -c 'import xarray, netCDF4'")) GTEST_SKIP() << "xarray is not installed";
  auto const path = scratch_folder() + "/out.nc";
  write_sample(path, 1);
  EXPECT_EQ(output_of(python + " -c \"import xarray; f = xarray.open_dataset('" + path +
                      "'); print(dict(f.sizes), f.flux.dims, float(f.flux.sel(time=4)[1]), f.label.values.tolist(), "
                      "f.flux.units, f.title)\""),
            "{'time': 2, 'level': 3} ('time', 'level') 5.5 ['first', 'été'] W m-2 a sample\n");
}

namespace {

// Two groups with dimensions of the same names, and a group in one of them.
void write_groups(std::string const& path) {
  io::NetcdfWriter file(path);
  file.dimension("x", 1);
  file.group("a", {{"long_name", "one"}});
  file.dimension("a/profile", 2);
  file.coordinate("a/angle", std::vector<double>{0.25, 0.75, 1.}, {{"units", "1"}});
  file.variable("a/rad", {"profile", "angle"}, std::vector<double>{1., 2., 3., 4., 5., 6.}, {{"units", "K"}});
  file.group("a/out");
  file.variable("a/out/rad", {"angle", "x"}, std::vector<double>{7., 8., 9.}, {});
  file.group("b");
  file.dimension("b/profile", 1);
  file.variable("b/rad", {"profile"}, std::vector<double>{10.}, {});
  file.commit();
}

}  // namespace

TEST(NetcdfWriter, WritesGroups) {
  auto const path = scratch_folder() + "/out.nc";
  write_groups(path);
  io::Hdf5File const file(path);
  EXPECT_EQ(file.groups(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file.text_attribute("a", "long_name"), "one");
  EXPECT_EQ(file.shape("a/rad"), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(file.read("a/out/rad"), (std::vector<double>{7., 8., 9.}));
  EXPECT_EQ(file.read("b/rad"), std::vector<double>{10.});
}

TEST(NetcdfWriter, GroupsOpenWithTheNetcdfLibrary) {
  if (!succeeds("command -v ncdump")) GTEST_SKIP() << "ncdump is not installed";
  auto const path = scratch_folder() + "/out.nc";
  write_groups(path);
  EXPECT_EQ(output_of("ncdump -h " + path), R"(netcdf out {
dimensions:
	x = 1 ;

group: a {
  dimensions:
  	profile = 2 ;
  	angle = 3 ;
  variables:
  	double angle(angle) ;
  		angle:units = "1" ;
  	double rad(profile, angle) ;
  		rad:units = "K" ;

  // group attributes:
  		:long_name = "one" ;

  group: out {
    variables:
    	double rad(angle, x) ;
    } // group out
  } // group a

group: b {
  dimensions:
  	profile = 1 ;
  variables:
  	double rad(profile) ;
  } // group b
}
)");
}

TEST(NetcdfWriter, GroupsOpenWithXarray) {
  std::string python = "python3";
  if (!succeeds(python + " -c 'import xarray, netCDF4'")) python = "/usr/bin/python3";
  if (!succeeds(python + " -c 'import xarray, netCDF4'")) GTEST_SKIP() << "xarray is not installed";
  auto const path = scratch_folder() + "/out.nc";
  write_groups(path);
  EXPECT_EQ(output_of(python + " -c \"import xarray; f = xarray.open_dataset('" + path +
                      "', group='a'); print(f.rad.dims, float(f.rad.sel(angle=0.75)[1])); "
                      "g = xarray.open_dataset('" +
                      path + "', group='a/out'); print(g.rad.dims, g.rad.values.tolist())\""),
            "('profile', 'angle') 5.0\n('angle', 'x') [[7.0], [8.0], [9.0]]\n");
}

TEST(NetcdfWriter, OldFileStaysUntilCommit) {
  auto const folder = scratch_folder();
  auto const path = folder + "/out.nc";
  write_bytes(path, "the old one");
  {
    io::NetcdfWriter file(path);
    file.dimension("x", 2);
    file.variable("y", {"x"}, std::vector<double>{1., 2.}, {});
    EXPECT_EQ(list(folder), std::vector<std::string>{"out.nc"});
    EXPECT_EQ(read_bytes(path), "the old one");
  }
  EXPECT_EQ(list(folder), std::vector<std::string>{"out.nc"});
  EXPECT_EQ(read_bytes(path), "the old one");
  write_sample(path);
  EXPECT_EQ(list(folder), std::vector<std::string>{"out.nc"});
  EXPECT_EQ(io::Hdf5File(path).read("scalar"), std::vector<double>{7.});
}

TEST(NetcdfWriter, OldFileMayBeOpen) {
  auto const path = scratch_folder() + "/out.nc";
  write_sample(path);
  io::Hdf5File const old(path);
  {
    io::NetcdfWriter file(path);
    file.variable("scalar", {}, std::vector<double>{8.}, {});
    file.commit();
  }
  EXPECT_EQ(old.read("flux_float").size(), 3u);
  EXPECT_EQ(io::Hdf5File(path).read("scalar"), std::vector<double>{8.});
}

TEST(NetcdfWriter, FullDiskLeavesTheOldFile) {
  auto const folder = scratch_folder();
  auto const path = folder + "/out.nc";
  write_bytes(path, "the old one");
  // A limit on the size of files stands for a disk that fills up while the data are written.
  auto const old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ::getrlimit(RLIMIT_FSIZE, &old_limit);
  rlimit limit = old_limit;
  limit.rlim_cur = 100000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  auto const message = message_of([&] {
    io::NetcdfWriter file(path);
    file.dimension("x", 100000);
    file.variable("y", {"x"}, std::vector<double>(100000, 1.), {});
    file.commit();
  });
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_action);
  EXPECT_EQ(message, path + ": cannot be written: File too large");
  EXPECT_EQ(list(folder), std::vector<std::string>{"out.nc"});
  EXPECT_EQ(read_bytes(path), "the old one");
}

// One of two processes that share a file. There is no other one: what it would write stays 0.
class OneOfTwo : public io::FileSharing {
 public:
  explicit OneOfTwo(int index, std::string first_says = {}) : m_index(index), m_first_says(std::move(first_says)) {}
  io::Part part() const override { return {m_index, 2}; }
  void collectively(std::function<void()> const& action) const override { action(); }
  void broadcast(std::string& text) const override {
    if (m_index > 0) text = m_first_says;
  }
  void set_properties(std::int64_t /*access*/, std::int64_t /*transfer*/) const override { before_opening(); }

  std::function<void()> before_opening = [] {};

 private:
  int m_index;
  std::string m_first_says;
};

// HDF5 would not open the file, which this process itself has locked.
[[maybe_unused]] int const no_locks = ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);

TEST(NetcdfWriter, WritesTheEntriesOfAProcess) {
  auto const folder = scratch_folder();
  auto const path = folder + "/out.nc";
  OneOfTwo const first(0);
  {
    io::NetcdfWriter file(path, 0, &first);
    file.coordinate("expt", std::vector<double>{1., 2.}, {}, io::NetcdfType::int32);
    file.dimension("site", 5);
    EXPECT_EQ(file.range("site"), (io::ItemRange{0, 5}));
    file.share("site", {1, 3});
    EXPECT_EQ(file.range("site"), (io::ItemRange{1, 3}));
    file.group("inner");
    file.variable("inner/part", {"expt", "site"}, std::vector<double>{1., 2., 3., 4., 5., 6.}, {{"units", "K"}});
    file.variable("part_int", {"site"}, std::vector<double>{7., 8., 9.}, {}, io::NetcdfType::int32);
    file.variable("whole", {"site"}, std::vector<double>{1., 2., 3., 4., 5.}, {});
    file.strings("label", "site", std::vector<std::string>{"a", "b", "c", "d", "e"}, {});
    EXPECT_EQ(message_of([&] {
                file.variable("odd", {"expt", "site"}, std::vector<double>(9), {});
              }),
              path + ": odd: has 9 values, expected 10");
    EXPECT_EQ(message_of([&] { file.share("side", {0, 1}); }), path + ": side: this dimension has not been added");
    EXPECT_EQ(message_of([&] {
                file.share("site", {3, 3});
              }),
              path + ": site: entries 3 to 6 are shared, expected at most 5 of them");
    file.commit();
  }
  io::Hdf5File const file(path);
  EXPECT_EQ(file.read("inner/part"), (std::vector<double>{0., 1., 2., 3., 0., 0., 4., 5., 6., 0.}));
  EXPECT_EQ(file.text_attribute("inner/part", "units"), "K");
  EXPECT_EQ(file.read("part_int"), (std::vector<double>{0., 7., 8., 9., 0.}));
  EXPECT_EQ(file.read("whole"), (std::vector<double>{1., 2., 3., 4., 5.}));
  EXPECT_EQ(file.read_strings("label"), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(list(folder), std::vector<std::string>{"out.nc"});
}

TEST(NetcdfWriter, OfProcessesTheFirstMakesTheFile) {
  auto const folder = scratch_folder();
  auto const path = folder + "/out.nc";
  // What the first one would broadcast: nothing that is shared.
  OneOfTwo const second(1);
  io::write_netcdf(path, &second, [](io::NetcdfWriter& file) { file.dimension("site", 5); });
  EXPECT_EQ(list(folder), std::vector<std::string>{});
  // The same text stands for the temporary name and for the variables, of which this process has none.
  OneOfTwo const without(1, "flux\nsite\n");
  EXPECT_EQ(message_of([&] {
              io::write_netcdf(path, &without, [](io::NetcdfWriter& file) {
                file.dimension("site", 5);
                file.share("site", {3, 2});
              });
            }),
            path + ": flux: process 1 has no values, expected those of site 3 to 4");
  // Without entries none are expected, but the file has to be there.
  EXPECT_EQ(message_of([&] { io::write_netcdf(path, &without, [](io::NetcdfWriter&) {}); }),
            path + ": process 1 cannot write it: No such file or directory; expected a folder that all processes see");
  EXPECT_EQ(message_of([&] { io::NetcdfWriter const file(path, 1, &second); }),
            "NetcdfWriter: deflate = 1, expected 0 where processes share a file");
}

TEST(NetcdfWriter, FullDiskLeavesTheOldFileOfProcesses) {
  auto const folder = scratch_folder();
  auto const path = folder + "/out.nc";
  write_bytes(path, "the old one");
  auto const old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ::getrlimit(RLIMIT_FSIZE, &old_limit);
  auto const fill = [&] {
    rlimit limit = old_limit;
    limit.rlim_cur = 100000;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  };
  // Before the first one takes space for the file, and after that.
  for (bool const reserved : {false, true}) {
    OneOfTwo first(0);
    if (reserved) first.before_opening = fill;
    auto const message = message_of([&] {
      io::NetcdfWriter file(path, 0, &first);
      file.dimension("x", 200000);
      file.share("x", {0, 100000});
      file.variable("y", {"x"}, std::vector<double>(100000, 1.), {});
      if (!reserved) fill();
      file.commit();
    });
    ::setrlimit(RLIMIT_FSIZE, &old_limit);
    if (reserved)
      EXPECT_TRUE(message.starts_with(path + ": y cannot be written: ")) << message;
    else
      EXPECT_EQ(message, path + ": cannot be written: File too large");
    EXPECT_EQ(list(folder), std::vector<std::string>{"out.nc"});
    EXPECT_EQ(read_bytes(path), "the old one");
  }
  std::signal(SIGXFSZ, old_action);
}

TEST(NetcdfWriter, RefusesWhatDoesNotFit) {
  auto const folder = scratch_folder();
  auto const path = folder + "/out.nc";
  io::NetcdfWriter file(path);
  file.dimension("x", 2);
  std::vector<double> const three{1., 2., 3.};
  EXPECT_EQ(message_of([&] { file.variable("y", {"x"}, three, {}); }), path + ": y: has 3 values, expected 2");
  EXPECT_EQ(message_of([&] { file.variable("y", {"z"}, three, {}); }), path + ": y: dimension z has not been added");
  EXPECT_EQ(message_of([&] { file.strings("y", "x", std::vector<std::string>{"a"}, {}); }),
            path + ": y: has 1 values, expected 2");
  file.group("g");
  file.dimension("g/w", 3);
  EXPECT_EQ(message_of([&] { file.variable("y", {"w"}, three, {}); }), path + ": y: dimension w has not been added");
  EXPECT_TRUE(has(message_of([&] { file.group("none/g"); }), path + ": none/g cannot be created: "));
  EXPECT_TRUE(has(message_of([&] { file.group("g"); }), path + ": g cannot be created: "));
  EXPECT_EQ(message_of([&] { file.dimension("w", 0); }), path + ": w: size = 0, expected a positive number");
  file.variable("y", {"x"}, std::vector<double>{1., 2.}, {});
  EXPECT_TRUE(has(message_of([&] {
                    file.variable("y", {"x"}, std::vector<double>{1., 2.}, {});
                  }),
                  path + ": y cannot be created: "));
  file.commit();
  EXPECT_EQ(message_of([&] { file.commit(); }), path + ": has been completed before");
  EXPECT_EQ(message_of([&] { io::NetcdfWriter const other(path, 10); }),
            "NetcdfWriter: deflate = 10, expected a level from 0 to 9");
}

TEST(CheckWritable, RefusesWhatCannotBeWritten) {
  auto const folder = scratch_folder();
  auto const refusal = [](std::string const& path) { return message_of([&] { io::check_writable(path); }); };
  EXPECT_EQ(refusal(""), "output file: its name is empty");
  EXPECT_EQ(refusal(folder), folder + ": cannot be written: is a folder");
  EXPECT_EQ(refusal(folder + "/"), folder + "/: cannot be written: is a folder");
  EXPECT_EQ(refusal(folder + "/none/a.nc"), folder + "/none/a.nc: cannot be written: no folder " + folder + "/none");
  EXPECT_EQ(refusal("/dev/null"), "/dev/null: cannot be written: is not a regular file");
  write_bytes(folder + "/file", "x");
  EXPECT_EQ(refusal(folder + "/file/a.nc"),
            folder + "/file/a.nc: cannot be written: " + folder + "/file is not a folder");
  // A writer refuses the same, before anything else.
  EXPECT_EQ(message_of([&] { io::NetcdfWriter const file(folder); }), folder + ": cannot be written: is a folder");
  EXPECT_EQ(list(folder), std::vector<std::string>{"file"});
}

TEST(CheckWritable, RefusesFoldersThatTakeNoFile) {
  // /proc takes no new files, not even from root.
  if (!std::filesystem::is_directory("/proc/self")) GTEST_SKIP() << "needs /proc";
  EXPECT_TRUE(has(message_of([] { io::check_writable("/proc/self/a.nc"); }),
                  "/proc/self/a.nc: cannot be written: folder /proc/self: "));
  if (::geteuid() == 0) return;
  auto const folder = scratch_folder();
  ASSERT_EQ(::chmod(folder.c_str(), 0500), 0);
  EXPECT_EQ(message_of([&] { io::check_writable(folder + "/a.nc"); }),
            folder + "/a.nc: cannot be written: folder " + folder + ": Permission denied");
}

TEST(CheckWritable, RefusesTheInputFile) {
  auto const folder = scratch_folder();
  auto const input = folder + "/in.nc";
  write_bytes(input, "x");
  std::filesystem::create_symlink(input, folder + "/link.nc");
  EXPECT_EQ(message_of([&] { io::check_writable(input, input); }),
            input + ": is the input file, which is not written over");
  EXPECT_EQ(message_of([&] { io::check_writable(folder + "/link.nc", input); }),
            folder + "/link.nc: is the input file " + input + ", which is not written over");
  EXPECT_NO_THROW(io::check_writable(folder + "/out.nc", input));
  // What is not there is no input yet: tables are packed into the file that will be looked for first.
  EXPECT_NO_THROW(io::check_writable(folder + "/out.nc", folder + "/out.nc"));
}

TEST(CheckWritable, AcceptsNewAndOldFilesAndLeavesNothing) {
  auto const folder = scratch_folder();
  EXPECT_NO_THROW(io::check_writable(folder + "/new.nc"));
  write_bytes(folder + "/old.nc", "old");
  EXPECT_NO_THROW(io::check_writable(folder + "/old.nc"));
  EXPECT_EQ(list(folder), std::vector<std::string>{"old.nc"});
  EXPECT_EQ(read_bytes(folder + "/old.nc"), "old");
}

TEST(NetcdfWriter, ReplacesTheTargetOfALink) {
  auto const folder = scratch_folder();
  write_bytes(folder + "/target.nc", "old");
  std::filesystem::create_symlink("target.nc", folder + "/link.nc");
  write_sample(folder + "/link.nc");
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link.nc"));
  EXPECT_EQ(io::Hdf5File(folder + "/target.nc").read("scalar"), std::vector<double>{7.});
}
