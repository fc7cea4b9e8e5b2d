// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/jurassic_control.hpp>

#include "jurassic/text.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace parhelion::io {

namespace {

constexpr double metres_per_km = 1e3;

// --- keys --------------------------------------------------------------------------------------------------------

enum class KeyKind { plain, indexed };

struct Key {
  std::string_view name;
  KeyKind kind;
};

// Keys that a forward calculation needs.
constexpr std::array needed_keys{
    Key{"NG", KeyKind::plain},           Key{"EMITTER", KeyKind::indexed},   Key{"ND", KeyKind::plain},
    Key{"NU", KeyKind::indexed},         Key{"NW", KeyKind::plain},          Key{"WINDOW", KeyKind::indexed},
    Key{"NCL", KeyKind::plain},          Key{"CLNU", KeyKind::indexed},      Key{"NSF", KeyKind::plain},
    Key{"SFNU", KeyKind::indexed},       Key{"SFTYPE", KeyKind::plain},      Key{"SFSZA", KeyKind::plain},
    Key{"TBLBASE", KeyKind::plain},      Key{"TBLFMT", KeyKind::plain},      Key{"HYDZ", KeyKind::plain},
    Key{"CTM_CO2", KeyKind::plain},      Key{"CTM_H2O", KeyKind::plain},     Key{"CTM_N2", KeyKind::plain},
    Key{"CTM_O2", KeyKind::plain},       Key{"REFRAC", KeyKind::plain},      Key{"RAYDS", KeyKind::plain},
    Key{"RAYDZ", KeyKind::plain},        Key{"FOV", KeyKind::plain},         Key{"RETP_ZMIN", KeyKind::plain},
    Key{"RETP_ZMAX", KeyKind::plain},    Key{"RETT_ZMIN", KeyKind::plain},   Key{"RETT_ZMAX", KeyKind::plain},
    Key{"RETQ_ZMIN", KeyKind::indexed},  Key{"RETQ_ZMAX", KeyKind::indexed}, Key{"RETK_ZMIN", KeyKind::indexed},
    Key{"RETK_ZMAX", KeyKind::indexed},  Key{"RET_CLZ", KeyKind::plain},     Key{"RET_CLDZ", KeyKind::plain},
    Key{"RET_CLK", KeyKind::plain},      Key{"RET_SFZ", KeyKind::plain},     Key{"RET_SFP", KeyKind::plain},
    Key{"RET_SFT", KeyKind::plain},      Key{"RET_SFEPS", KeyKind::plain},   Key{"WRITE_BBT", KeyKind::plain},
    Key{"WRITE_MATRIX", KeyKind::plain}, Key{"FORMOD", KeyKind::plain},
};

// Keys that other programs read from the same file. SCA_N and SCA_MULT are checked nevertheless.
constexpr std::array other_keys{
    // line-by-line program
    Key{"RFMBIN", KeyKind::plain},
    Key{"RFMHIT", KeyKind::plain},
    Key{"RFMXSC", KeyKind::indexed},
    // retrieval
    Key{"CONV_DMIN", KeyKind::plain},
    Key{"CONV_ITMAX", KeyKind::plain},
    Key{"KERNEL_RECOMP", KeyKind::plain},
    Key{"RESMAX", KeyKind::plain},
    Key{"ERR_ANA", KeyKind::plain},
    Key{"ERR_FORMOD", KeyKind::indexed},
    Key{"ERR_NOISE", KeyKind::indexed},
    Key{"ERR_PRESS", KeyKind::plain},
    Key{"ERR_PRESS_CZ", KeyKind::plain},
    Key{"ERR_PRESS_CH", KeyKind::plain},
    Key{"ERR_TEMP", KeyKind::plain},
    Key{"ERR_TEMP_CZ", KeyKind::plain},
    Key{"ERR_TEMP_CH", KeyKind::plain},
    Key{"ERR_Q", KeyKind::indexed},
    Key{"ERR_Q_CZ", KeyKind::indexed},
    Key{"ERR_Q_CH", KeyKind::indexed},
    Key{"ERR_K", KeyKind::indexed},
    Key{"ERR_K_CZ", KeyKind::indexed},
    Key{"ERR_K_CH", KeyKind::indexed},
    Key{"ERR_CLZ", KeyKind::plain},
    Key{"ERR_CLDZ", KeyKind::plain},
    Key{"ERR_CLK", KeyKind::indexed},
    Key{"ERR_SFZ", KeyKind::plain},
    Key{"ERR_SFP", KeyKind::plain},
    Key{"ERR_SFT", KeyKind::plain},
    Key{"ERR_SFEPS", KeyKind::indexed},
    Key{"ERR_NN", KeyKind::plain},
    Key{"ERR_RR", KeyKind::plain},
    Key{"ERR_SS", KeyKind::plain},
    Key{"RETNN", KeyKind::plain},
    Key{"RETRR", KeyKind::plain},
    Key{"RETSS", KeyKind::plain},
    Key{"RETNN_ZMIN", KeyKind::plain},
    Key{"RETNN_ZMAX", KeyKind::plain},
    // scattering
    Key{"SCA_N", KeyKind::plain},
    Key{"SCA_MULT", KeyKind::plain},
    Key{"SCA_EXT", KeyKind::plain},
    Key{"TRANSS", KeyKind::plain},
    Key{"AEROFILE", KeyKind::plain},
    Key{"MAX_QUEUE", KeyKind::plain},
    // climatology, geometry, interpolation
    Key{"CLIMPATH", KeyKind::plain},
    Key{"CLIMZONE", KeyKind::plain},
    Key{"ALTITUDEFILE", KeyKind::plain},
    Key{"ZMIN", KeyKind::plain},
    Key{"ZMAX", KeyKind::plain},
    Key{"DZ", KeyKind::plain},
    Key{"CLZ", KeyKind::plain},
    Key{"CLDZ", KeyKind::plain},
    Key{"CLK", KeyKind::indexed},
    Key{"SFZ", KeyKind::plain},
    Key{"SFP", KeyKind::plain},
    Key{"SFT", KeyKind::plain},
    Key{"SFEPS", KeyKind::indexed},
    Key{"T0", KeyKind::plain},
    Key{"T1", KeyKind::plain},
    Key{"DT", KeyKind::plain},
    Key{"Z0", KeyKind::plain},
    Key{"Z1", KeyKind::plain},
    Key{"OBSZ", KeyKind::plain},
    Key{"LAT0", KeyKind::plain},
    Key{"LAT1", KeyKind::plain},
    Key{"DLAT", KeyKind::plain},
    Key{"IP", KeyKind::plain},
    Key{"CX", KeyKind::plain},
    Key{"CZ", KeyKind::plain},
    // what the programs are to do
    Key{"DIRLIST", KeyKind::plain},
    Key{"TASK", KeyKind::plain},
    Key{"LOSBASE", KeyKind::plain},
    // filters and inversion
    Key{"FILTER_CENTER", KeyKind::plain},
    Key{"FILTER_FWHM", KeyKind::plain},
    Key{"FILTER_OPD", KeyKind::plain},
    Key{"FILTER_SAMP", KeyKind::plain},
    Key{"FILTER_TYPE", KeyKind::plain},
    Key{"FILTER_WIDTH", KeyKind::plain},
    Key{"INVERT_DATA", KeyKind::plain},
    Key{"INVERT_DT", KeyKind::plain},
    Key{"INVERT_FIT", KeyKind::plain},
    Key{"INVERT_ITMAX", KeyKind::plain},
    Key{"INVERT_OBS_ERR", KeyKind::plain},
    Key{"INVERT_TOL", KeyKind::plain},
    // devices
    Key{"USEGPU", KeyKind::plain},
    Key{"CHECKMODE", KeyKind::plain},
    Key{"GPU_SHARED_MEMORY", KeyKind::plain},
    Key{"READ_BINARY", KeyKind::plain},
    Key{"WRITE_BINARY", KeyKind::plain},
    Key{"RAND", KeyKind::plain},
};

template <std::size_t N>
Key const* find_key(std::array<Key, N> const& keys, std::string_view name) {
  auto const found = std::find_if(keys.begin(), keys.end(), [&](Key const& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

// --- lines -------------------------------------------------------------------------------------------------------

constexpr int no_index = -1;
constexpr int all_indices = -2;

struct Entry {
  std::string name;  // in capitals, with its index
  std::string value;
  int line = 0;
};

// The lines of a file. Those that are never read are the unused ones.
class Entries {
 public:
  explicit Entries(std::string const& path) {
    TextReader reader(path);
    m_path = path;
    while (reader.next()) add(reader);
    if (m_entries.empty()) reader.fail_file("holds no keys, expected KEY = VALUE");
    m_asked.resize(m_entries.size(), false);
  }

  // The line that counts for a key, if any.
  Entry const* find(std::string_view name, int index = no_index) {
    auto found = m_places.find({std::string(name), index});
    if (index != no_index) {
      auto const wildcard = m_places.find({std::string(name), all_indices});
      if (found == m_places.end() || (wildcard != m_places.end() && wildcard->second < found->second)) found = wildcard;
    }
    if (found == m_places.end()) return nullptr;
    m_asked[found->second] = true;
    return &m_entries[found->second];
  }

  [[noreturn]] void fail(Entry const& entry, std::string_view expected) const {
    throw Error(fmt::format("{}:{}", m_path, entry.line),
                fmt::format("{} = {}, expected {}", entry.name, shown_value(entry.value), expected));
  }

  std::string text(std::string_view name, std::string_view otherwise) {
    auto const* const entry = find(name);
    return entry == nullptr ? std::string(otherwise) : entry->value;
  }

  double number(std::string_view name, int index, double otherwise, std::string_view expected = "a number") {
    auto const* const entry = find(name, index);
    return entry == nullptr ? otherwise : number_of(*entry, expected);
  }

  double number_of(Entry const& entry, std::string_view expected) const {
    auto const value = parse_number(entry.value);
    if (!value || !std::isfinite(*value)) fail(entry, expected);
    return *value;
  }

  // A whole number from `least` to `most`, which JURASSIC also takes in the form of 2.0 or 1e3.
  int whole(std::string_view name, int index, int otherwise, int least, int most, std::string_view expected) {
    auto const* const entry = find(name, index);
    if (entry == nullptr) return otherwise;
    double const value = number_of(*entry, expected);
    if (!(value >= least && value <= most) || value != std::floor(value)) fail(*entry, expected);
    return static_cast<int>(value);
  }

  bool flag(std::string_view name, bool otherwise) {
    return whole(name, no_index, otherwise ? 1 : 0, 0, 1, "0 or 1") != 0;
  }

  // The line of an entry that has to be there for index `index` because a line says how many there are.
  Entry const& required(std::string_view name, int index, std::string_view count_name) {
    if (auto const* const entry = find(name, index)) return *entry;
    auto const& count = *find(count_name);
    fail(count, fmt::format("{}[0] to {}[{}], but {}[{}] is missing", name, name,
                            static_cast<int>(number_of(count, "a number")) - 1, name, index));
  }

  std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < m_entries.size(); ++i)
      if (!m_asked[i]) names.push_back(m_entries[i].name);
    return names;
  }

 private:
  static std::string shown_value(std::string const& value) { return parse_number(value) ? value : in_quotes(value); }

  void add(TextReader const& reader) {
    auto const line = reader.line();
    auto const equals = line.find('=');
    if (equals == std::string_view::npos)
      reader.fail(fmt::format("{} has no \"=\", expected KEY = VALUE", in_quotes(line)));
    auto const key = trimmed(line.substr(0, equals));
    auto const value = trimmed(line.substr(equals + 1));
    if (key.empty()) reader.fail("no key before \"=\", expected KEY = VALUE");
    auto const [name, index] = split(reader, key);
    std::string shown = name;
    if (index == all_indices) shown += "[*]";
    if (index >= 0) shown += fmt::format("[{}]", index);
    if (value.empty()) reader.fail(fmt::format("{} has no value, expected {} = VALUE", shown, shown));

    auto const [place, is_new] = m_places.try_emplace({name, index}, m_entries.size());
    if (is_new) {
      m_entries.push_back({shown, std::string(value), reader.number()});
    } else if (auto const& first = m_entries[place->second]; first.value != value) {
      reader.fail(fmt::format("{} = {}, expected no second value: line {} says {}", shown,
                              shown_value(std::string(value)), first.line, shown_value(first.value)));
    }
  }

  // The name in capitals and the index.
  static std::pair<std::string, int> split(TextReader const& reader, std::string_view key) {
    auto const bracket = key.find('[');
    auto const name = upper_case(trimmed(key.substr(0, bracket)));
    auto const* known = find_key(needed_keys, name);
    if (known == nullptr) known = find_key(other_keys, name);
    if (known == nullptr) reader.fail(fmt::format("{} is not a key of JURASSIC, expected one", in_quotes(key)));
    if (bracket == std::string_view::npos) {
      if (known->kind == KeyKind::indexed)
        reader.fail(fmt::format("{} has no index, expected {}[0], {}[1], ... or {}[*]", name, name, name, name));
      return {name, no_index};
    }
    if (known->kind == KeyKind::plain) reader.fail(fmt::format("{} has an index, expected {}", in_quotes(key), name));
    auto const index_text = key.substr(bracket + 1);
    auto const digits = trimmed(index_text.substr(0, index_text.find(']')));
    int index = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    bool const is_number = error == std::errc() && end == digits.data() + digits.size() && index >= 0;
    if (index_text.empty() || index_text.find(']') != index_text.size() - 1 || !(is_number || digits == "*"))
      reader.fail(
          fmt::format("{} has a bad index, expected {}[0], {}[1], ... or {}[*]", in_quotes(key), name, name, name));
    return {name, is_number ? index : all_indices};
  }

  std::string m_path;
  std::vector<Entry> m_entries;
  std::vector<bool> m_asked;
  std::map<std::pair<std::string, int>, std::size_t> m_places;  // (name, index)
};

// --- meaning -----------------------------------------------------------------------------------------------------

constexpr int most = 1000000;  // of anything that is counted

int count(Entries& entries, std::string_view name, int otherwise, int least) {
  return entries.whole(name, no_index, otherwise, least, most, fmt::format("a whole number of at least {}", least));
}

std::vector<std::string> read_gases(Entries& entries) {
  int const n = count(entries, "NG", 0, 0);
  std::vector<std::string> gases;
  for (int i = 0; i < n; ++i) {
    auto const& entry = entries.required("EMITTER", i, "NG");
    if (entry.value.find_first_of(" \t/") != std::string::npos) entries.fail(entry, "the name of a gas");
    auto const is_the_same = [&](std::string const& other) { return upper_case(other) == upper_case(entry.value); };
    if (std::any_of(gases.begin(), gases.end(), is_the_same)) entries.fail(entry, "a gas that no other emitter has");
    gases.push_back(entry.value);
  }
  return gases;
}

// Ascending wavenumbers between which properties of a cloud or the surface are linear.
std::vector<double> read_nodes(Entries& entries, std::string_view count_name, std::string_view name) {
  int const n = count(entries, count_name, 0, 0);
  if (n == 1) entries.fail(*entries.find(count_name), "0 or at least 2, for something to interpolate between");
  std::vector<double> nodes;
  for (int i = 0; i < n; ++i) {
    auto const& entry = entries.required(name, i, count_name);
    double const nu = entries.number_of(entry, "a wavenumber [cm-1]");
    if (!(nu >= 0)) entries.fail(entry, "a wavenumber [cm-1]");
    if (!nodes.empty() && !(nu > nodes.back()))
      entries.fail(entry, fmt::format("more than {}[{}] = {}", name, i - 1, nodes.back()));
    nodes.push_back(nu);
  }
  return nodes;
}

void read_channels(Entries& entries, JurassicControl& control) {
  auto& channels = control.channels;
  control.nwindow = count(entries, "NW", 1, 1);
  int const n = count(entries, "ND", 0, 0);
  for (int i = 0; i < n; ++i) {
    auto const& entry = entries.required("NU", i, "ND");
    double const nu = entries.number_of(entry, "a wavenumber above 0 [cm-1]");
    if (!(nu > 0)) entries.fail(entry, "a wavenumber above 0 [cm-1]");
    if (nu > 1e6) entries.fail(entry, "a wavenumber of the infrared, at most 1e6 [cm-1]");
    channels.wavenumber.push_back(nu);
    channels.window.push_back(
        entries.whole("WINDOW", i, 0, 0, control.nwindow - 1,
                      fmt::format("a whole number from 0 to {}, because there are NW = {} windows", control.nwindow - 1,
                                  control.nwindow)));
  }
  channels.cloud_wavenumber = read_nodes(entries, "NCL", "CLNU");
  channels.surface_wavenumber = read_nodes(entries, "NSF", "SFNU");
}

void read_options(Entries& entries, ega::ModelOptions& options) {
  switch (entries.whole("FORMOD", no_index, 1, 0, 2,
                        "1 (emissivity growth approximation) or 0 (Curtis-Godson approximation)")) {
    case 0:
      options.method = ega::Method::curtis_godson;
      break;
    case 1:
      options.method = ega::Method::growth;
      break;
    default:
      entries.fail(*entries.find("FORMOD"),
                   "1 (emissivity growth approximation) or 0 (Curtis-Godson approximation): no line-by-line program is "
                   "called");
  }
  options.continua.co2 = entries.flag("CTM_CO2", true);
  options.continua.h2o = entries.flag("CTM_H2O", true);
  options.continua.n2 = entries.flag("CTM_N2", true);
  options.continua.o2 = entries.flag("CTM_O2", true);
  options.refraction = entries.flag("REFRAC", true);

  options.step = entries.number("RAYDS", no_index, 10, "a length above 0 [km]") * metres_per_km;
  if (!(options.step > 0)) entries.fail(*entries.find("RAYDS"), "a length above 0 [km]");
  // Other than above 0 means: steps are limited by RAYDS alone.
  double const dz = entries.number("RAYDZ", no_index, 0.1, "a length [km], 0 or less for no limit");
  options.vertical_step = dz > 0 ? dz * metres_per_km : 0;

  if (double const z = entries.number("HYDZ", no_index, -999, "an altitude [km], below 0 for none"); z >= 0)
    options.hydrostatic_reference = z * metres_per_km;
  options.surface = static_cast<ega::SurfaceType>(
      entries.whole("SFTYPE", no_index, 2, 0, 3, "0 (none), 1 (emission), 2 (and reflection) or 3 (and sunlight)"));
  if (double const sza = entries.number("SFSZA", no_index, -999, "an angle [degree], below 0 for that of the place");
      sza >= 0) {
    if (!(sza <= 180)) entries.fail(*entries.find("SFSZA"), "an angle up to 180 degree, below 0 for that of the place");
    options.solar_zenith_angle = sza;
  }
  options.brightness_temperature = entries.flag("WRITE_BBT", false);
}

ega::ElementRange read_range(Entries& entries, std::string const& name, int index) {
  constexpr double off = -999;
  double const lowest = entries.number(name + "_ZMIN", index, off, "an altitude [km]");
  double const highest = entries.number(name + "_ZMAX", index, off, "an altitude [km]");
  if (lowest == off && highest == off) return {};
  return {lowest * metres_per_km, highest * metres_per_km};
}

ega::ElementChoice read_elements(Entries& entries, int ngas, int nwindow) {
  ega::ElementChoice elements;
  elements.pressure = read_range(entries, "RETP", no_index);
  elements.temperature = read_range(entries, "RETT", no_index);
  for (int i = 0; i < ngas; ++i) elements.mole_fraction.push_back(read_range(entries, "RETQ", i));
  for (int i = 0; i < nwindow; ++i) elements.extinction.push_back(read_range(entries, "RETK", i));
  for (auto const* const name : {"RET_CLZ", "RET_CLDZ", "RET_CLK", "RET_SFZ", "RET_SFP", "RET_SFT", "RET_SFEPS"})
    entries.whole(name, no_index, 0, 0, 0, "0: derivatives by clouds and the surface are not supported");
  return elements;
}

// Scattering would change radiances: a file that asks for it is not one for this model.
void refuse_scattering(Entries& entries, std::vector<std::string>& unused) {
  unused = entries.unused();
  if (entries.number("SCA_MULT", no_index, 0) > 0)
    entries.fail(*entries.find("SCA_MULT"), "0: scattering is not supported");
  if (entries.number("SCA_N", no_index, 0) > 0 && entries.find("SCA_MULT") == nullptr)
    entries.fail(*entries.find("SCA_N"), "0, or SCA_MULT = 0: scattering is not supported");
}

}  // namespace

JurassicControl read_jurassic_control(std::string const& path) {
  Entries entries(path);
  JurassicControl control;
  control.path = path;
  control.gases = read_gases(entries);
  read_channels(entries, control);
  read_options(entries, control.options);
  control.table_base = entries.text("TBLBASE", "-");
  control.table_format = entries.whole("TBLFMT", no_index, 1, 1, 2, "1 (text) or 2 (binary)");
  if (auto const fov = entries.text("FOV", "-"); fov.front() != '-') control.field_of_view = fov;
  control.elements = read_elements(entries, static_cast<int>(control.gases.size()), control.nwindow);
  control.write_matrix = entries.flag("WRITE_MATRIX", false);
  refuse_scattering(entries, control.unused);
  return control;
}

std::string resolve_path(JurassicControl const& control, std::string const& path) {
  namespace fs = std::filesystem;
  if (path.empty() || fs::path(path).is_absolute()) return path;
  // A file or folder of this name, or files whose names begin with it.
  auto const is_there = [](fs::path const& candidate) {
    std::error_code error;
    if (fs::exists(candidate, error)) return true;
    auto const folder = candidate.has_parent_path() ? candidate.parent_path() : fs::path(".");
    auto const beginning = candidate.filename().string();
    if (beginning.empty()) return false;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (entry->path().filename().string().rfind(beginning, 0) == 0) return true;
    return false;
  };
  auto const beside = fs::path(control.path).parent_path() / path;
  return !is_there(beside) && is_there(path) ? path : beside.string();
}

}  // namespace parhelion::io
