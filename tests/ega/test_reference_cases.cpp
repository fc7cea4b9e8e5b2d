// SPDX-License-Identifier: BSD-3-Clause
// Spectra, lines of sight and Jacobians of JURASSIC 1.12, as it was run in double precision.
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/io/emissivity_files.hpp>
#include <parhelion/io/jurassic_files.hpp>

#include "reference_columns.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

struct ReferenceCase {
  char const* name;
  char const* atmosphere;
  char const* observation;
};

constexpr ReferenceCase cases[] = {
    {"limb_base", "midlat.tab", "limb.tab"},
    {"limb_norefrac", "midlat.tab", "limb.tab"},
    {"limb_noctm", "midlat.tab", "limb.tab"},
    {"limb_noctm_norefrac", "midlat.tab", "limb.tab"},
    {"limb_aerosol", "midlat_aerosol.tab", "limb.tab"},
    {"limb_step01", "midlat.tab", "limb.tab"},
    {"limb_hydz", "midlat.tab", "limb.tab"},
    {"limb_cga", "midlat.tab", "limb.tab"},
    {"limb_co2only", "midlat_CO2.tab", "limb.tab"},
    {"nadir_base", "midlat.tab", "nadir.tab"},
    {"nadir_noctm_norefrac", "midlat.tab", "nadir.tab"},
    {"nadir_bbt", "midlat.tab", "nadir.tab"},
    {"nadir_surface_t1", "midlat_surface.tab", "nadir.tab"},
    {"nadir_surface_t2", "midlat_surface.tab", "nadir.tab"},
    {"nadir_surface_t3", "midlat_surface.tab", "nadir.tab"},
    {"zenith_base", "midlat.tab", "zenith.tab"},
    {"balloon_base", "midlat_aerosol.tab", "balloon.tab"},
    {"occultation_base", "midlat_aerosol.tab", "occ.tab"},
    {"limb_ctm_channels", "midlat.tab", "limb_nd5.tab"},
    {"limb_ctm_channels_off", "midlat.tab", "limb_nd5.tab"},
    {"nadir_ctm_channels", "midlat.tab", "nadir_nd5.tab"},
    {"limb_dbg", "midlat_aerosol.tab", "limb6.tab"},
    {"nadir_dbg", "midlat_aerosol.tab", "nadir3.tab"},
};

/// Tables are the same in all cases, so each is read once.
ega::TableProvider tables_of(std::string const& base, io::JurassicControl const& control) {
  static std::map<std::pair<std::string, double>, ega::EmissivityTable> known;
  io::TableFiles const files({.base = base, .first = io::TableFormat::scatter_binary}, control.gases,
                             control.channels.wavenumber);
  return [files, gases = control.gases, wavenumbers = control.channels.wavenumber](int gas, int channel) {
    std::pair const key(gases[static_cast<std::size_t>(gas)], wavenumbers[static_cast<std::size_t>(channel)]);
    auto found = known.find(key);
    if (found == known.end()) found = known.emplace(key, files(gas, channel)).first;
    return found->second;
  };
}

/// A case as the program reads it.
struct Loaded {
  io::JurassicControl control;
  ega::HostAtmosphere atmosphere;
  ega::HostObservation observation;
  ega::Problem problem;

  Loaded(std::string const& folder, ReferenceCase const& which) {
    control = io::read_jurassic_control(folder + "/cases/" + which.name + "/case.ctl");
    atmosphere = io::read_jurassic_atmosphere(folder + "/atm/" + which.atmosphere, control);
    observation = io::read_jurassic_observation(folder + "/obs/" + which.observation, control);
    problem.gases = control.gases;
    problem.channels = control.channels;
    problem.options = control.options;
    std::string const base = folder + "/tables/boxcar";
    for (double const nu : control.channels.wavenumber)
      problem.channels.filter.push_back(io::read_filter(io::filter_path(base, nu)));
    problem.continua = io::read_continua(folder + "/continua", {});
    problem.tables = tables_of(base, control);
  }
};

std::string folder_of(std::string const& path) { return std::filesystem::path(path).parent_path().string(); }

/// The largest of some differences, and where it is.
struct Worst {
  double value = 0;
  std::string where;

  void add(double difference, std::string const& at) {
    if (difference <= value) return;
    value = std::isnan(difference) ? INFINITY : difference;
    where = at;
  }
};

struct Differences {
  Worst radiance, transmittance, tangent, place;
};

/// Radiances relative to the reference plus `share` of the channel's largest, transmittances absolutely, tangent points
/// in km and degree.
Differences differences(ega::HostSpectra const& spectra, std::vector<std::vector<double>> const& rows, double share) {
  Differences all;
  std::size_t const nchannel = spectra.radiance.extent(1);
  for (std::size_t c = 0; c < nchannel; ++c) {
    double largest = 0;
    for (auto const& row : rows) largest = std::max(largest, std::abs(row.at(10 + c)));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      auto const at = "ray " + std::to_string(r) + ", channel " + std::to_string(c);
      double const reference = rows[r].at(10 + c), scale = std::abs(reference) + share * largest;
      double const off = std::abs(spectra.radiance(r, c) - reference);
      all.radiance.add(off == 0 ? 0 : off / scale, at);
      all.transmittance.add(std::abs(spectra.transmittance(r, c) - rows[r].at(10 + nchannel + c)), at);
      all.tangent.add(std::abs(spectra.tangent.altitude(r) / 1000 - rows[r][7]), at);
      all.place.add(std::abs(spectra.tangent.longitude(r) - rows[r][8]), at);
      all.place.add(std::abs(spectra.tangent.latitude(r) - rows[r][9]), at);
    }
  }
  return all;
}

void expect_within(Worst const& worst, double tolerance, char const* what) {
  EXPECT_LE(worst.value, tolerance) << what << " at " << worst.where;
}

template <class P>
struct EgaReference : testing::Test {};
TYPED_TEST_SUITE(EgaReference, SpacesAndReals, PairName);

// The same formulas in the same precision: some hundred to two thousand segments are rounded in another order, 2000
// times 1e-16 with what tables make of it. Positions are rounded to 1e-12 km as often.
// With slopes of tables in double precision each of them changes by up to 6e-8, errors of a path average out.
// Single precision rounds emissivities by 6e-8, and where little is left of a gas, that is much of it.
TYPED_TEST(EgaReference, Spectra) {
  using Space = typename TypeParam::ExecutionSpace;
  constexpr bool single = std::is_same_v<typename TypeParam::Real, float>;
  PARHELION_REQUIRE_DATA(list, "jurassic/cases.json");
  auto const folder = folder_of(list);
  for (auto const& which : cases) {
    SCOPED_TRACE(which.name);
    Loaded loaded(folder, which);
    auto const rows = columns_of(folder + "/cases/" + which.name + "/rad.tab");
    ASSERT_EQ(static_cast<int>(rows.size()), loaded.observation.nray());
    auto const solve = [&](ega::TableSlopes slopes, double share) {
      loaded.problem.options.table_slopes = slopes;
      return differences(
          ega::compute_spectra(loaded.problem, loaded.atmosphere, loaded.observation,
                               {.space = Space::name(), .precision = single ? Precision::float32 : Precision::float64}),
          rows, share);
    };
    auto const off = solve(ega::TableSlopes::float32, single ? 1e-2 : 0);
    expect_within(off.radiance, single ? 1e-4 : 1e-11, "radiance");
    expect_within(off.transmittance, single ? 1e-4 : 1e-12, "transmittance");
    expect_within(off.tangent, 1e-9, "tangent altitude");
    expect_within(off.place, 1e-9, "tangent point");
    if (single) continue;
    auto const smooth = solve(ega::TableSlopes::float64, 0);
    expect_within(smooth.radiance, 1e-6, "radiance with slopes in double precision");
    expect_within(smooth.transmittance, 1e-6, "transmittance with slopes in double precision");
    expect_within(smooth.tangent, 1e-9, "tangent altitude");
  }
}

template <class Space>
struct EgaReferenceSights : testing::Test {};
TYPED_TEST_SUITE(EgaReferenceSights, Spaces, SpaceName);

/// The numbers of the comment about the surface, in order.
std::vector<double> surface_line(std::string const& path) {
  std::ifstream file(path);
  std::vector<double> numbers;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("# surface[", 0) != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::string name;
    for (double value; words >> name >> value;) numbers.push_back(value);
  }
  return numbers;
}

TYPED_TEST(EgaReferenceSights, PointByPoint) {
  PARHELION_REQUIRE_DATA(list, "jurassic/cases.json");
  auto const folder = folder_of(list);
  int const shown[2][2] = {{21, 2}, {22, 1}};  // case and ray
  for (auto const& numbers : shown) {
    auto const& which = cases[numbers[0]];
    int const ray = numbers[1];
    SCOPED_TRACE(which.name);
    Loaded loaded(folder, which);
    loaded.problem.options.table_slopes = ega::TableSlopes::float32;
    auto const path = folder + "/cases/" + which.name + "/los_ray" + std::to_string(ray) + ".tab";
    auto const rows = columns_of(path);
    auto const sight = ega::compute_lines_of_sight(loaded.problem, loaded.atmosphere, loaded.observation, {ray},
                                                   {.space = TypeParam::name()})
                           .front();
    ASSERT_EQ(sight.npoint(), static_cast<int>(rows.size()));
    Worst altitude, place, pressure, temperature, length, amount, column, extinction, continuum, of_gas, segment,
        emissivity, planck, tau, radiance;
    auto const relative = [](double a, double b) { return a == b ? 0 : std::abs(a - b) / std::abs(b); };
    for (int i = 0; i < sight.npoint(); ++i) {
      auto const n = static_cast<std::size_t>(i);
      auto const at = "point " + std::to_string(i);
      auto const& row = rows[n];
      ASSERT_EQ(row.size(), 23U);
      altitude.add(std::abs(sight.place[n].altitude / 1000 - row[1]), at);
      place.add(std::abs(sight.place[n].longitude - row[2]), at);
      place.add(std::abs(sight.place[n].latitude - row[3]), at);
      pressure.add(relative(sight.pressure[n] / 100, row[4]), at);
      temperature.add(relative(sight.temperature[n], row[5]), at);
      length.add(std::abs(sight.length[n] / 1000 - row[6]), at);
      for (int g = 0; g < 3; ++g) {
        auto const k = static_cast<std::size_t>(g);
        amount.add(relative(sight.mole_fraction(i, g), row[7 + k]), at);
        // As well known as the length of the segment.
        column.add(std::abs(sight.column_density(i, g) / row[10 + k] - 1) * row[6], at);
        of_gas.add(std::abs(sight.path_transmittance(i, g, 0) - row[15 + k]), at);
      }
      extinction.add(relative(1000 * sight.extinction(i, 0), row[13]), at);
      continuum.add(relative(1000 * sight.continuum(i, 0), row[14]), at);
      segment.add(std::abs(sight.segment_transmittance(i, 0) - row[18]), at);
      emissivity.add(std::abs(sight.segment_emissivity(i, 0) - row[19]), at);
      planck.add(relative(sight.planck(i, 0), row[20]), at);
      tau.add(std::abs(sight.transmittance(i, 0) - row[21]), at);
      radiance.add(std::abs(sight.radiance(i, 0) - row[22]), at);
    }
    // Places are sums of some hundred steps, each rounded to the 1e-12 km that a distance from the Earth's centre has
    // in double precision: 1e-10 km. Pressure changes by as much over its scale height of 7 km, amounts of water by ten
    // times more. Segments next to the ends are cut where the ray meets an altitude, at slopes of up to 1 / 6.
    expect_within(altitude, 1e-10, "altitude [km]");
    expect_within(place, 1e-11, "longitude or latitude [degree]");
    expect_within(pressure, 1e-10, "pressure");
    expect_within(temperature, 1e-11, "temperature");
    expect_within(length, 1e-9, "length [km]");
    expect_within(amount, 1e-9, "mole fraction");
    expect_within(column, 1e-9, "column density");
    expect_within(extinction, 1e-9, "extinction");
    expect_within(continuum, 1e-9, "continuum");
    // Transmittances are rounded to 1e-16 in each of some hundred segments.
    expect_within(of_gas, 1e-12, "transmittance of a gas");
    expect_within(segment, 1e-12, "transmittance of a segment");
    expect_within(emissivity, 1e-12, "emissivity of a segment");
    expect_within(planck, 1e-11, "source");
    expect_within(tau, 1e-12, "transmittance");
    expect_within(radiance, 1e-13, "radiance");  // of 0.1 W m-2 sr-1 (cm-1)-1 at most

    auto const surface = surface_line(path);
    ASSERT_EQ(sight.surface_emission.size(), surface.empty() ? 0U : 1U);
    if (surface.empty()) {
      EXPECT_EQ(sight.surface_temperature, -999);
      continue;
    }
    EXPECT_NEAR(sight.surface_temperature, rows.back()[5], 1e-9);
    EXPECT_EQ(sight.surface_emissivity(0), surface.at(0));
    EXPECT_NEAR(sight.surface_planck(0), surface.at(1), 1e-12);
    EXPECT_NEAR(sight.surface_emission(0), surface.at(2), 1e-12);
    EXPECT_NEAR(sight.radiance(sight.npoint() - 1, 0) + sight.surface_emission(0), surface.at(3), 1e-12);
  }
}

/// The last column of a kernel, row by row, without the names in it.
std::vector<double> kernel_of(std::string const& path) {
  std::ifstream file(path);
  std::vector<double> elements;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') elements.push_back(std::stod(line.substr(line.rfind(' ') + 1)));
  return elements;
}

/// How far an element is moved, in the units of the files.
double step_of(ega::HostAtmosphere const& atmosphere, ega::Element const& element) {
  switch (element.quantity) {
    case ega::Quantity::pressure:
      return std::max(0.01 * atmosphere.pressure(0, element.level) / 100, 1e-7);
    case ega::Quantity::mole_fraction:
      return std::max(0.01 * atmosphere.mole_fraction(0, element.which, element.level), 1e-15);
    default:
      return element.quantity == ega::Quantity::temperature ? 1 : 1e-4;
  }
}

// Differences of a percent of a quantity are 1e-4 of the radiance where an element counts: 1e-11 of the radiance is
// 1e-7 of them. The slopes of tables as the original rounds them differ from piece to piece by up to 6e-8, which an
// element may cross. Near the top a percent of the pressure is 1e-5 hPa: radiances, rounded in some hundred segments to
// 1e-15, hardly show it.
TYPED_TEST(EgaReferenceSights, JacobiansByDifferences) {
  PARHELION_REQUIRE_DATA(list, "jurassic/cases.json");
  auto const folder = folder_of(list);
  for (auto const& which : {cases[21], cases[22]})
    for (auto const slopes : {ega::TableSlopes::float32, ega::TableSlopes::float64}) {
      SCOPED_TRACE(which.name);
      Loaded loaded(folder, which);
      loaded.problem.options.table_slopes = slopes;
      auto const jacobian =
          ega::compute_jacobian(loaded.problem, loaded.atmosphere, loaded.observation, loaded.control.elements,
                                ega::JacobianMethod::differences, {.space = TypeParam::name()});
      auto const reference = kernel_of(folder + "/cases/" + which.name + "/kernel.tab");
      std::size_t const n = jacobian.elements.size();
      int const nray = loaded.observation.nray();
      ASSERT_EQ(reference.size(), n * static_cast<std::size_t>(nray));
      for (int r = 0; r < nray; ++r) {
        // (quantity, which): the largest element and the largest difference from it
        std::map<std::pair<int, int>, std::pair<double, double>> largest;
        for (std::size_t i = 0; i < n; ++i) {
          auto const& element = jacobian.elements[i];
          double const unit = element.quantity == ega::Quantity::pressure     ? 100
                              : element.quantity == ega::Quantity::extinction ? 1e-3
                                                                              : 1;
          double const expected = reference[static_cast<std::size_t>(r) * n + i];
          auto& [value, off] = largest[{static_cast<int>(element.quantity), element.which}];
          value = std::max(value, std::abs(expected));
          double const rounding = 4e-15 * jacobian.spectra.radiance(r, 0) / step_of(loaded.atmosphere, element);
          off = std::max(off, std::abs(jacobian.derivative(r, 0, i) * unit - expected) - rounding);
        }
        ASSERT_EQ(largest.size(), 6U);
        for (auto const& [quantity, both] : largest)
          EXPECT_LE(both.second, (slopes == ega::TableSlopes::float32 ? 1e-6 : 3e-4) * both.first)
              << "ray " << r << ", quantity " << quantity.first << " of " << quantity.second;
      }
    }
}

}  // namespace
