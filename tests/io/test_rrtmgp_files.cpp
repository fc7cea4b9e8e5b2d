// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/rrtmgp_files.hpp>

#include <parhelion/io/hdf5.hpp>

#include "synthetic_k_distribution.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace parhelion;
using fluxes::rrtmgp::KDistribution;

namespace {

// The variables of a gas optics file before they are written.
struct Content {
  struct Numbers {
    std::vector<std::string> dimensions;
    std::vector<double> values;
    io::NetcdfType type = io::NetcdfType::float64;
    io::Attributes attributes = {};
  };
  struct Texts {
    std::string dimension;
    std::vector<std::string> values;
  };
  std::map<std::string, std::size_t> dimensions;
  std::map<std::string, Numbers> numbers;
  std::map<std::string, Texts> texts;

  std::string write(std::string const& name = "gas.nc") const {
    std::string const path = Testing::scratch_folder() + "/" + name;
    io::NetcdfWriter file(path);
    for (auto const& [dimension, size] : dimensions)
      if (auto const coordinate = numbers.find(dimension); coordinate != numbers.end())
        file.coordinate(dimension, coordinate->second.values, {});
      else
        file.dimension(dimension, size);
    for (auto const& [variable, of] : numbers)
      if (!dimensions.contains(variable)) file.variable(variable, of.dimensions, of.values, of.attributes, of.type);
    for (auto const& [variable, of] : texts) file.strings(variable, of.dimension, of.values, {});
    file.commit();
    return path;
  }
};

// In capitals and with blanks, neither of which counts.
std::string disguised(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name + "   ";
}

Content content_of(KDistribution const& k) {
  Content c;
  c.dimensions = {{"temperature", k.temperature.size()},
                  {"pressure", k.pressure.size()},
                  {"pressure_interp", k.pressure.size() + 1},
                  {"absorber", k.gases.size()},
                  {"absorber_ext", k.gases.size() + 1},
                  {"minor_absorber", k.identifiers.size()},
                  {"mixing_fraction", static_cast<std::size_t>(k.nmixing)},
                  {"atmos_layer", 2},
                  {"bnd", k.bands.size()},
                  {"gpt", static_cast<std::size_t>(k.ngpoint)},
                  {"pair", 2},
                  {"fit_coeffs", 2}};
  auto const texts = [&](std::string const& variable, std::string const& dimension, auto const& from,
                         auto const& name_of) {
    Content::Texts to{dimension, {}};
    for (auto const& one : from) to.values.push_back(disguised(name_of(one)));
    c.texts[variable] = to;
  };
  texts("gas_names", "absorber", k.gases, [](auto const& name) { return name; });
  texts("identifier_minor", "minor_absorber", k.identifiers, [](auto const& one) { return one.identifier; });
  texts("gas_minor", "minor_absorber", k.identifiers, [](auto const& one) { return one.gas; });

  auto const integers = [&](std::string const& variable, std::vector<std::string> const& dimensions) {
    c.numbers[variable] = {dimensions, {}, io::NetcdfType::int32};
    return [&to = c.numbers[variable].values](double value) { to.push_back(value); };
  };
  auto const key = integers("key_species", {"bnd", "atmos_layer", "pair"});
  auto const limits = integers("bnd_limits_gpt", {"bnd", "pair"});
  c.numbers["bnd_limits_wavenumber"] = {{"bnd", "pair"}, {}};
  for (auto const& band : k.bands) {
    for (auto const& pair : band.key)
      for (int const gas : pair) key(gas);
    limits(band.first_gpoint);
    limits(band.last_gpoint);
    c.numbers["bnd_limits_wavenumber"].values.push_back(band.wavenumber_low);
    c.numbers["bnd_limits_wavenumber"].values.push_back(band.wavenumber_high);
  }
  c.numbers["press_ref"] = {{"pressure"}, k.pressure};
  c.numbers["press_ref_trop"] = {{}, {k.tropopause_pressure}};
  c.numbers["temp_ref"] = {{"temperature"}, k.temperature};
  c.numbers["vmr_ref"] = {{"temperature", "absorber_ext", "atmos_layer"}, k.vmr};
  std::vector<std::string> const as_major{"temperature", "pressure_interp", "mixing_fraction", "gpt"};
  c.numbers["kmajor"] = {as_major, k.major};
  for (int half = 0; half < 2; ++half) {
    auto const& minor = k.minor[static_cast<std::size_t>(half)];
    std::string const end = half == 0 ? "_lower" : "_upper";
    std::string const intervals = "minor_absorber_intervals" + end;
    c.dimensions[intervals] = minor.intervals.size();
    c.dimensions["contributors" + end] = static_cast<std::size_t>(minor.ncontributor);
    texts("minor_gases" + end, intervals, minor.intervals, [](auto const& one) { return one.identifier; });
    texts("scaling_gas" + end, intervals, minor.intervals, [](auto const& one) { return one.scaling_gas; });
    auto const of_gpoints = integers("minor_limits_gpt" + end, {intervals, "pair"});
    auto const density = integers("minor_scales_with_density" + end, {intervals});
    auto const complement = integers("scale_by_complement" + end, {intervals});
    auto const start = integers("kminor_start" + end, {intervals});
    for (auto const& interval : minor.intervals) {
      of_gpoints(interval.first_gpoint);
      of_gpoints(interval.last_gpoint);
      density(interval.scales_with_density);
      complement(interval.by_complement);
      start(interval.start);
    }
    c.numbers["kminor" + end] = {{"temperature", "mixing_fraction", "contributors" + end}, minor.coefficients};
  }
  if (k.is_longwave()) {
    c.dimensions["temperature_Planck"] = static_cast<std::size_t>(k.nplanck);
    c.numbers["totplnk"] = {{"bnd", "temperature_Planck"}, k.planck};
    c.numbers["plank_fraction"] = {as_major, k.planck_fraction};
    c.numbers["optimal_angle_fit"] = {{"bnd", "fit_coeffs"}, k.angle_fit};
  } else {
    c.numbers["rayl_lower"] = {{"temperature", "mixing_fraction", "gpt"}, k.rayleigh[0]};
    c.numbers["rayl_upper"] = {{"temperature", "mixing_fraction", "gpt"}, k.rayleigh[1]};
    c.numbers["solar_source_quiet"] = {{"gpt"}, k.solar_quiet};
    c.numbers["solar_source_facular"] = {{"gpt"}, k.solar_facular};
    c.numbers["solar_source_sunspot"] = {{"gpt"}, k.solar_sunspot};
    c.numbers["tsi_default"] = {{}, {1360.8}};
    c.numbers["mg_default"] = {{}, {k.mg_default}};
    c.numbers["sb_default"] = {{}, {k.sb_default}};
  }
  return c;
}

void expect_same(KDistribution const& a, KDistribution const& b) {
  EXPECT_EQ(a.gases, b.gases);
  ASSERT_EQ(a.identifiers.size(), b.identifiers.size());
  for (std::size_t i = 0; i < a.identifiers.size(); ++i) {
    EXPECT_EQ(a.identifiers[i].identifier, b.identifiers[i].identifier);
    EXPECT_EQ(a.identifiers[i].gas, b.identifiers[i].gas);
  }
  ASSERT_EQ(a.bands.size(), b.bands.size());
  for (std::size_t i = 0; i < a.bands.size(); ++i) {
    EXPECT_EQ(a.bands[i].key, b.bands[i].key);
    EXPECT_EQ(a.bands[i].first_gpoint, b.bands[i].first_gpoint);
    EXPECT_EQ(a.bands[i].last_gpoint, b.bands[i].last_gpoint);
    EXPECT_EQ(a.bands[i].wavenumber_low, b.bands[i].wavenumber_low);
    EXPECT_EQ(a.bands[i].wavenumber_high, b.bands[i].wavenumber_high);
  }
  EXPECT_EQ(a.pressure, b.pressure);
  EXPECT_EQ(a.tropopause_pressure, b.tropopause_pressure);
  EXPECT_EQ(a.temperature, b.temperature);
  EXPECT_EQ(a.nmixing, b.nmixing);
  EXPECT_EQ(a.ngpoint, b.ngpoint);
  EXPECT_EQ(a.vmr, b.vmr);
  EXPECT_EQ(a.major, b.major);
  for (std::size_t half = 0; half < 2; ++half) {
    auto const& mine = a.minor[half];
    auto const& other = b.minor[half];
    ASSERT_EQ(mine.intervals.size(), other.intervals.size());
    for (std::size_t i = 0; i < mine.intervals.size(); ++i) {
      EXPECT_EQ(mine.intervals[i].identifier, other.intervals[i].identifier);
      EXPECT_EQ(mine.intervals[i].scaling_gas, other.intervals[i].scaling_gas);
      EXPECT_EQ(mine.intervals[i].first_gpoint, other.intervals[i].first_gpoint);
      EXPECT_EQ(mine.intervals[i].last_gpoint, other.intervals[i].last_gpoint);
      EXPECT_EQ(mine.intervals[i].scales_with_density, other.intervals[i].scales_with_density);
      EXPECT_EQ(mine.intervals[i].by_complement, other.intervals[i].by_complement);
      EXPECT_EQ(mine.intervals[i].start, other.intervals[i].start);
    }
    EXPECT_EQ(mine.ncontributor, other.ncontributor);
    EXPECT_EQ(mine.coefficients, other.coefficients);
    EXPECT_EQ(a.rayleigh[half], b.rayleigh[half]);
  }
  EXPECT_EQ(a.nplanck, b.nplanck);
  EXPECT_EQ(a.planck, b.planck);
  EXPECT_EQ(a.planck_fraction, b.planck_fraction);
  EXPECT_EQ(a.angle_fit, b.angle_fit);
  EXPECT_EQ(a.solar_quiet, b.solar_quiet);
  EXPECT_EQ(a.solar_facular, b.solar_facular);
  EXPECT_EQ(a.solar_sunspot, b.solar_sunspot);
  EXPECT_EQ(a.mg_default, b.mg_default);
  EXPECT_EQ(a.sb_default, b.sb_default);
}

}  // namespace

TEST(RrtmgpFiles, OfAnyDimensionsAreRead) {
  for (bool const longwave : {true, false}) {
    auto const k = Testing::synthetic_k_distribution(longwave);
    auto content = content_of(k);
    // What some files hold there are numbers of entries.
    if (longwave) content.numbers["temperature_Planck"] = {{"temperature_Planck"}, std::vector<double>(61, 7.)};
    auto const path = content.write();
    auto const read = io::read_rrtmgp_gas_optics(path);
    EXPECT_EQ(read.file, path);
    expect_same(read, k);
  }
  auto content = content_of(Testing::synthetic_k_distribution(true));
  content.numbers.erase("optimal_angle_fit");
  EXPECT_TRUE(io::read_rrtmgp_gas_optics(content.write()).angle_fit.empty());
}

TEST(RrtmgpFiles, AsDistributedAreRead) {
  PARHELION_REQUIRE_DATA(longwave_path, "rrtmgp/synthetic-gas-lw-g128.nc");
  PARHELION_REQUIRE_DATA(shortwave_path, "rrtmgp/synthetic-gas-sw-g112.nc");
  auto const longwave = io::read_rrtmgp_gas_optics(longwave_path);
  EXPECT_TRUE(longwave.is_longwave());
  EXPECT_EQ(longwave.nband(), 16);
  EXPECT_EQ(longwave.ngpoint, 128);
  EXPECT_EQ(longwave.gases.size(), 19u);
  EXPECT_EQ(longwave.gases.back(), "no2");
  EXPECT_EQ(longwave.nlevel(), 59);
  EXPECT_EQ(longwave.ntemperature(), 14);
  EXPECT_EQ(longwave.nmixing, 9);
  EXPECT_EQ(longwave.nplanck, 196);
  EXPECT_EQ(longwave.minor[0].intervals.size(), 57u);
  EXPECT_EQ(longwave.minor[0].intervals[1].identifier, "h2o_frgn");
  EXPECT_EQ(longwave.minor[0].intervals[1].scaling_gas, "h2o");
  EXPECT_EQ(longwave.minor[0].intervals[2].scaling_gas, "");
  auto const shortwave = io::read_rrtmgp_gas_optics(shortwave_path);
  EXPECT_FALSE(shortwave.is_longwave());
  EXPECT_EQ(shortwave.nband(), 14);
  EXPECT_EQ(shortwave.ngpoint, 112);
  EXPECT_EQ(shortwave.solar_quiet.size(), 112u);
}

// Values are used as they stand.
TEST(RrtmgpFiles, OtherUnitsPackedAndMissingValuesAreRefused) {
  auto const good = content_of(Testing::synthetic_k_distribution(true));
  auto const refusal = [&](std::string const& variable, std::function<void(Content::Numbers&)> const& spoil) {
    auto content = good;
    spoil(content.numbers.at(variable));
    auto const path = content.write();
    auto const message = Testing::message_of([&] { io::read_rrtmgp_gas_optics(path); });
    return message.substr(message.rfind(path + ": ", 0) == 0 ? path.size() + 2 : 0);
  };
  auto const with = [&](std::string const& variable, std::string const& attribute, io::AttributeValue const& value) {
    return refusal(variable, [&](auto& of) { of.attributes = {{attribute, value}}; });
  };
  EXPECT_EQ(with("press_ref", "units", "hPa"), "press_ref: has the units 'hPa', expected 'Pa'");
  EXPECT_EQ(with("temp_ref", "units", "K"), "(no parhelion::Error)");
  EXPECT_EQ(with("bnd_limits_wavenumber", "units", "m-1"),
            "bnd_limits_wavenumber: has the units 'm-1', expected 'cm-1'");
  EXPECT_EQ(with("kmajor", "add_offset", 1.), "kmajor: is packed (attribute add_offset), expected plain values");
  EXPECT_EQ(with("vmr_ref", "missing_value", 1.),
            "vmr_ref(0, 0, 0) = 1, expected a number that does not stand for a missing one");
  EXPECT_EQ(refusal("kminor_lower", [](auto& of) { of.values[51] = 0x1.ep+122; }),
            "kminor_lower(0, 1, 1) = 9.969209968386869e+36, expected a number that does not stand for a missing one");
}

// Every variable that is used must be there and have the shape that the others say.
TEST(RrtmgpFiles, OfOtherShapesAreRefused) {
  for (bool const longwave : {true, false}) {
    auto const good = content_of(Testing::synthetic_k_distribution(longwave));
    auto const refusal = [](Content const& content) {
      auto const path = content.write();
      auto const message = Testing::message_of([&] { io::read_rrtmgp_gas_optics(path); });
      EXPECT_EQ(message.rfind(path + ": ", 0), 0u) << message;
      return message.substr(std::min(message.size(), path.size() + 2));
    };
    std::set<std::string> const tells{"totplnk", "solar_source_quiet"};
    for (auto const& [name, of] : good.numbers) {
      if (name == "tsi_default" || name == "optimal_angle_fit") continue;
      auto without = good;
      without.numbers.erase(name);
      EXPECT_EQ(refusal(without),
                tells.count(name) > 0
                    ? "has neither totplnk nor solar_source_quiet, expected a gas optics file of RRTMGP"
                    : name + ": is missing, expected a gas optics file of RRTMGP");
      auto deeper = good;
      deeper.dimensions["one"] = 1;
      deeper.numbers[name].dimensions.emplace_back("one");
      EXPECT_EQ(refusal(deeper), name + ": has " + std::to_string(of.dimensions.size() + 1) + " dimensions, expected " +
                                     std::to_string(of.dimensions.size()));
    }
    for (auto const& [name, of] : good.texts) {
      auto without = good;
      without.texts.erase(name);
      EXPECT_EQ(refusal(without), name + ": is missing, expected a gas optics file of RRTMGP");
    }
    auto both = good;
    both.numbers[longwave ? "solar_source_quiet" : "totplnk"] = {{"gpt"}, std::vector<double>(36)};
    EXPECT_EQ(refusal(both), "has totplnk and solar_source_quiet, expected one of them: longwave or shortwave");

    auto longer = good;
    longer.dimensions["other"] = 37;
    longer.numbers["vmr_ref"] = {{"temperature", "other", "atmos_layer"}, std::vector<double>(5 * 37 * 2, 1)};
    EXPECT_EQ(refusal(longer),
              "vmr_ref: has shape (5, 37, 2), expected (5, 7, 2): temperature, absorber_ext, atmos_layer");
    auto strings = good;
    strings.dimensions["other"] = 2;
    strings.texts["scaling_gas_upper"] = {"other", {"", ""}};
    EXPECT_EQ(refusal(strings), "scaling_gas_upper: has 2 strings, expected 3: minor_absorber_intervals");
    auto broken = good;
    broken.numbers["key_species"].type = io::NetcdfType::float64;
    broken.numbers["key_species"].values[3] = 1.5;
    EXPECT_EQ(refusal(broken), "key_species: holds 1.5, expected whole numbers");
    auto spoiled = good;
    spoiled.numbers["temp_ref"].values[1] = 400;
    EXPECT_EQ(refusal(spoiled), "temp_ref(2) = 245, expected more than 400, the number before");
  }
  EXPECT_NE(Testing::message_of([] { io::read_rrtmgp_gas_optics("/no/such/file.nc"); }).find("/no/such/file.nc"),
            std::string::npos);
}
