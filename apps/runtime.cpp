// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.hpp"

#include "commands.hpp"
#include "ranks.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/process.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

namespace parhelion::Apps {

namespace {

// The kinds of values of settings of Kokkos.
enum class Kind { flag, threads, device, devices, mapping, file, text };

struct Setting {
  std::string_view option;  ///< without `--kokkos-`; empty if there is only a variable
  std::string_view variable;
  Kind kind;
};

constexpr std::array settings{Setting{"num-threads", "KOKKOS_NUM_THREADS", Kind::threads},
                              Setting{"device-id", "KOKKOS_DEVICE_ID", Kind::device},
                              Setting{"", "KOKKOS_VISIBLE_DEVICES", Kind::devices},
                              Setting{"map-device-id-by", "KOKKOS_MAP_DEVICE_ID_BY", Kind::mapping},
                              Setting{"disable-warnings", "KOKKOS_DISABLE_WARNINGS", Kind::flag},
                              Setting{"print-configuration", "KOKKOS_PRINT_CONFIGURATION", Kind::flag},
                              Setting{"tune-internals", "KOKKOS_TUNE_INTERNALS", Kind::flag},
                              Setting{"tools-libs", "KOKKOS_TOOLS_LIBS", Kind::file},
                              Setting{"tools-args", "KOKKOS_TOOLS_ARGS", Kind::text}};

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The number of devices that --device and --kokkos-device-id choose from. The host counts as one.
int device_count() { return std::max(1, Kokkos::num_devices()); }

bool is_in(std::optional<int> number, int lowest, int highest) {
  return number && *number >= lowest && *number <= highest;
}

[[noreturn]] void refuse(std::string const& name, std::string_view value, std::string const& expected) {
  throw CLI::ValidationError(name, fmt::format("'{}', expected {}", value, expected));
}

std::string device_range() {
  int const count = device_count();
  return count == 1 ? "0, as there is one device" : fmt::format("a number from 0 to {}", count - 1);
}

void check_value(std::string const& name, std::string_view value, Kind kind) {
  switch (kind) {
    case Kind::threads:
      if (!is_in(whole_number(value), 1, max_threads))
        refuse(name, value, fmt::format("a number of threads from 1 to {}", max_threads));
      break;
    case Kind::device:
      if (!is_in(whole_number(value), 0, device_count() - 1)) refuse(name, value, device_range());
      break;
    case Kind::devices: {
      std::istringstream list{std::string(value)};
      for (std::string each; std::getline(list, each, ',');)
        if (!is_in(whole_number(each), 0, std::numeric_limits<int>::max()))
          refuse(name, value, "numbers of devices with commas between them");
      break;
    }
    case Kind::mapping:
      if (value != "random" && value != "mpi_rank") refuse(name, value, "random or mpi_rank");
      break;
    case Kind::flag: {
      std::string lower(value);
      std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
      constexpr std::array words{"true", "yes", "1", "false", "no", "0"};
      if (std::find(words.begin(), words.end(), lower) == words.end()) refuse(name, value, "yes or no");
      break;
    }
    case Kind::file: {
      std::istringstream list{std::string(value)};
      for (std::string each; std::getline(list, each, ';');)
        if (!std::filesystem::is_regular_file(each)) refuse(name, value, "files of Kokkos's tools");
      break;
    }
    case Kind::text:
      break;
  }
}

void check_option(std::string const& word) {
  std::string_view rest = std::string_view(word).substr(std::string_view("--kokkos-").size());
  auto const equals = rest.find('=');
  auto const name = rest.substr(0, equals);
  if (name == "help" || name == "tools-help") return;
  auto const found =
      std::find_if(settings.begin(), settings.end(), [&](Setting const& each) { return each.option == name; });
  if (name.empty() || found == settings.end())
    throw CLI::ValidationError("Kokkos has no option " + word + "; --kokkos-help lists them");
  auto const option = "--kokkos-" + std::string(name);
  if (equals != std::string_view::npos)
    check_value(option, rest.substr(equals + 1), found->kind);
  else if (found->kind != Kind::flag)
    throw CLI::ValidationError(option, fmt::format("has no value, expected {}=VALUE in one word", option));
}

// Kokkos first starts the number of OpenMP threads that this variable names, whatever number it is asked for.
void check_openmp() {
  char const* const variable = std::getenv("OMP_NUM_THREADS");
  if (variable == nullptr) return;
  std::string_view text = variable;
  text = text.substr(0, text.find(','));
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  bool const digits =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits && !is_in(whole_number(text), 1, max_threads))
    refuse("OMP_NUM_THREADS", text, fmt::format("a number of threads from 1 to {}", max_threads));
}

// Whether one of Kokkos's options says which device this rank has.
bool chooses_device(std::vector<std::string> const& kokkos_options) {
  return std::any_of(kokkos_options.begin(), kokkos_options.end(), [](std::string const& word) {
    return word.starts_with("--kokkos-device-id") || word.starts_with("--kokkos-map-device-id-by");
  });
}

}  // namespace

void check_kokkos_options(std::vector<std::string> const& words) {
  for (auto const& word : words) check_option(word);
}

Runtime::Runtime(CommonOptions const& options, std::vector<std::string> const& kokkos_options) {
  for (auto const& each : settings) {
    std::string const name(each.variable);
    if (char const* const value = std::getenv(name.c_str())) check_value(name, value, each.kind);
  }
  check_openmp();
  if (options.device && *options.device >= device_count())
    refuse("--device", std::to_string(*options.device), device_range());
  if (ranks().several() && options.devices > 1)
    refuse("--devices", std::to_string(options.devices),
           fmt::format("1, as each of the {} ranks has a device of its own", ranks().size()));

  // Kokkos's advice on thread binding is for benchmarks, not for every run. A setting of the user takes precedence.
  setenv("KOKKOS_DISABLE_WARNINGS", "true", 0);
  std::vector<std::string> words{"parhelion"};
  words.insert(words.end(), kokkos_options.begin(), kokkos_options.end());
  if (options.threads) words.push_back(fmt::format("--kokkos-num-threads={}", *options.threads));
  if (options.device && Kokkos::num_devices() > 0)
    words.push_back(fmt::format("--kokkos-device-id={}", *options.device));
  // Each rank of a machine has its own device, as long as there are enough. MPI knows its number better than the
  // environment, where Slurm may speak of the task that started an mpiexec.
  if (ranks().several() && !options.device && !chooses_device(kokkos_options))
    if (auto const device = device_of_process(Kokkos::num_devices(), ranks().local_rank()))
      words.push_back(fmt::format("--kokkos-device-id={}", *device));
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);  // like argv
  int count = static_cast<int>(words.size());
  Kokkos::initialize(count, pointers.data());
}

Runtime::~Runtime() { Kokkos::finalize(); }

void warn_of_too_many_threads(CommonOptions const& options) {
  auto const& all = ranks();
  if (!all.several()) return;
  bool on_host = false;
  with_execution_space(resolve_execution_space(options.space),
                       [&]<class Space>(Space const&) { on_host = runs_on_host<Space>; });
  int const threads =
      static_cast<int>(all.sum_on_machine(on_host ? Kokkos::DefaultHostExecutionSpace().concurrency() : 0));
  int const cores = all.cores_of_machine();
  // Of several machines, the one with the most threads that have no core.
  auto const excess = all.largest({static_cast<double>(threads - cores)}).front();
  if (excess <= 0) return;
  bool const here = threads - cores == static_cast<int>(excess);
  auto const worst = all.largest({here ? static_cast<double>(all.local_size()) : 0.,
                                  here ? static_cast<double>(threads) : 0., here ? static_cast<double>(cores) : 0.});
  warn(
      fmt::format("parhelion: warning: {:.0f} ranks on one machine have {:.0f} threads together, and {:.0f} core{}; "
                  "--threads or OMP_NUM_THREADS says how many a rank has\n",
                  worst[0], worst[1], worst[2], worst[2] == 1 ? "" : "s"));
}

}  // namespace parhelion::Apps
