// SPDX-License-Identifier: BSD-3-Clause
// The result file of flux calculations.
#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>
#include <parhelion/fluxes/rrtmg_sw/bands.hpp>
#include <parhelion/io/radiation_files.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace parhelion::io {

namespace {

// The bands of a result.
template <class Bands>
std::vector<fluxes::BandLimits> bands_of(std::vector<fluxes::BandLimits> const& of_result, Bands const& of_rrtmg) {
  auto bands = of_result;
  for (auto const& band : of_rrtmg)
    if (of_result.empty()) bands.push_back({band.wavenumber_low, band.wavenumber_high});
  return bands;
}
std::vector<fluxes::BandLimits> longwave_bands(RadiationResult const& result) {
  return bands_of(result.longwave_bands, fluxes::bands());
}
std::vector<fluxes::BandLimits> shortwave_bands(RadiationResult const& result) {
  return bands_of(result.shortwave_bands, fluxes::shortwave_bands());
}

// `rows` rows of a View in the file's vertical order.
template <KokkosView View>
std::vector<double> in_file_order(View const& from, std::size_t rows, bool top_first) {
  std::size_t const n = from.extent(1), row = from.size() / from.extent(0), inner = row / n;
  std::vector<double> values(rows * row);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t const k = i / inner % n;
    values[i] = from.data()[i / row * row + (top_first ? n - 1 - k : k) * inner + i % inner];
  }
  return values;
}

template <KokkosView View>
void check_result(std::string const& name, View const& values, std::initializer_list<std::size_t> shape) {
  expect_shape("write_fluxes", values, name, shape);
  expect_values("write_fluxes", values, name, "", "a finite value", [](double) { return true; });
}

void check_longwave(RadiationResult const& result, std::size_t ncol, std::size_t nlay) {
  auto const& fluxes = *result.longwave;
  std::size_t const nlev = nlay + 1, nband = longwave_bands(result).size();
  check_result("flux_up", fluxes.flux_up, {ncol, nlev});
  check_result("flux_dn", fluxes.flux_dn, {ncol, nlev});
  check_result("heating_rate", fluxes.heating_rate, {ncol, nlay});
  if (fluxes.flux_up_clear.size() > 0) {
    check_result("flux_up_clear", fluxes.flux_up_clear, {ncol, nlev});
    check_result("flux_dn_clear", fluxes.flux_dn_clear, {ncol, nlev});
    check_result("heating_rate_clear", fluxes.heating_rate_clear, {ncol, nlay});
  }
  for (auto const& [name, values] :
       {std::pair("dflux_up_dt", fluxes.dflux_up_dt), std::pair("dflux_up_clear_dt", fluxes.dflux_up_clear_dt),
        std::pair("surface_share", fluxes.surface_share)})
    if (values.size() > 0) check_result(name, values, {ncol, nlev});
  if (fluxes.flux_up_band.size() > 0) {
    check_result("flux_up_band", fluxes.flux_up_band, {ncol, nlev, nband});
    check_result("flux_dn_band", fluxes.flux_dn_band, {ncol, nlev, nband});
  }
}

bool is_of_layers(ArrayDescription const& array) { return array.dimensions[1] == dimension::layer; }

void check_shortwave(RadiationResult const& result, std::size_t ncol, std::size_t nlay) {
  std::size_t const nband = shortwave_bands(result).size();
  fluxes::HostShortwaveFluxes::for_each_array(
      [&](ArrayDescription const& array, auto const& values) {
        if (array.optional && values.size() == 0) return;
        std::size_t const n = is_of_layers(array) ? nlay : nlay + 1;
        auto const name = fmt::format("sw_{}", array.name);
        if constexpr (std::decay_t<decltype(values)>::rank() == 3)
          check_result(name, values, {ncol, n, nband});
        else
          check_result(name, values, {ncol, n});
      },
      *result.shortwave);
}

// Writes what both ranges have in common first, and then arrays of either.
class ResultWriter {
 public:
  // \param sites the columns of one experiment that this process has
  ResultWriter(NetcdfWriter& file, RadiationInput const& input, SharedItems const& sites, Provenance const& provenance,
               NetcdfType type)
      : m_input(input), m_sites(sites), m_rfmip(input.layout == RadiationLayout::rfmip), m_type(type), m_file(file) {
    std::string const order = input.top_first ? "index 0 is the highest layer and the top interface"
                                              : "index 0 is the lowest layer and the surface interface";
    m_file.attributes(global_attributes(provenance, order));
    write_places();
    write_pressures(order);
  }

  void write_longwave(RadiationResult const& result);
  void write_shortwave(RadiationResult const& result);
  void write_total(HostArray<double**> const& longwave, HostArray<double**> const& shortwave);

 private:
  // The vertical dimension of an array, and the one of bands behind it, if any: "", "band" or "sw_band".
  struct Shape {
    char const* vertical;
    std::string bands = {};
  };
  struct Words {
    std::string units, standard_name, long_name;
  };

  std::size_t ncol() const { return static_cast<std::size_t>(m_input.columns.ncol()); }
  std::string site() const { return m_rfmip ? "site" : "column"; }
  std::string play() const { return m_rfmip ? "pres_layer" : "play"; }
  std::string plev() const { return m_rfmip ? "pres_level" : "plev"; }

  template <KokkosView View>
  std::vector<double> ordered(View const& view) const {
    return in_file_order(view, ncol(), m_input.top_first);
  }

  void write_places();
  void write_pressures(std::string const& order);
  // Bands with their limits under names that begin with a prefix.
  void write_bands(std::string const& prefix, std::vector<fluxes::BandLimits> const& bands, std::string const& about,
                   std::string const& about_highest);
  void write(std::string const& name, Shape const& shape, std::vector<double> const& values, Words const& words);

  RadiationInput const& m_input;
  SharedItems m_sites;
  bool m_rfmip;
  NetcdfType m_type;
  NetcdfWriter& m_file;
  std::vector<std::string> m_coordinates;
};

// Places and labels, so that the fluxes can name as `coordinates` those that there are.
void ResultWriter::write_places() {
  auto const& input = m_input;
  if (m_rfmip) {
    std::vector<double> const numbers(input.experiments.begin(), input.experiments.end());
    m_file.coordinate("expt", numbers, {{"long_name", "experiment, counted from 1 in the input file"}, {"units", "1"}},
                      NetcdfType::int32);
  }
  m_file.dimension(site(), m_sites.of_file);
  m_file.share(site(), m_sites.range);
  m_file.dimension("layer", static_cast<std::size_t>(input.columns.nlay()));
  m_file.dimension("level", static_cast<std::size_t>(input.columns.nlay()) + 1);
  if (!input.longitude.empty()) {
    m_file.variable("lon", {site()}, input.longitude,
                    {{"long_name", "longitude"}, {"standard_name", "longitude"}, {"units", "degrees_east"}});
    m_coordinates.emplace_back("lon");
  }
  if (!input.latitude.empty()) {
    m_file.variable("lat", {site()}, input.latitude,
                    {{"long_name", "latitude"}, {"standard_name", "latitude"}, {"units", "degrees_north"}});
    m_coordinates.emplace_back("lat");
  }
  if (!input.column_labels.empty()) {
    m_file.strings("column_label", site(), input.column_labels, {{"long_name", "name of the column"}});
    m_coordinates.emplace_back("column_label");
  }
  if (!input.experiment_labels.empty()) {
    m_file.strings("expt_label", "expt", input.experiment_labels, {{"long_name", "name of the experiment"}});
    m_coordinates.emplace_back("expt_label");
  }
  if (!input.profile_weight.empty())
    m_file.variable("profile_weight", {site()}, input.profile_weight,
                    {{"long_name", "weight of the profile in the global mean"}, {"units", "1"}});
}

// Pressure is the same in all experiments, so the first nsite columns hold it.
void ResultWriter::write_pressures(std::string const& order) {
  auto const& columns = m_input.columns;
  auto const nsite = static_cast<std::size_t>(m_input.nsite);
  Attributes const pressure{
      {"standard_name", "air_pressure"}, {"units", "Pa"}, {"positive", "down"}, {"comment", order}};
  auto const with_name = [](char const* long_name, Attributes attributes) {
    attributes.insert(attributes.begin(), {"long_name", long_name});
    return attributes;
  };
  m_file.variable(plev(), {site(), "level"}, in_file_order(columns.pressure_lev, nsite, m_input.top_first),
                  with_name("air pressure at the interfaces of layers", pressure));
  m_file.variable(play(), {site(), "layer"}, in_file_order(columns.pressure_lay, nsite, m_input.top_first),
                  with_name("air pressure of layers", pressure));
}

void ResultWriter::write_bands(std::string const& prefix, std::vector<fluxes::BandLimits> const& bands,
                               std::string const& about, std::string const& about_highest) {
  std::string const band = prefix + "band", wavenumber = prefix + "wavenumber";
  std::vector<double> numbers, low, high, centre, bounds;
  for (auto const& each : bands) {
    numbers.push_back(static_cast<double>(numbers.size()) + 1.);
    low.push_back(each.wavenumber_low);
    high.push_back(each.wavenumber_high);
    centre.push_back(0.5 * (low.back() + high.back()));
    bounds.insert(bounds.end(), {low.back(), high.back()});
  }
  if (!m_file.has_dimension("bound")) m_file.dimension("bound", 2);
  m_file.coordinate(band, numbers, {{"long_name", about}, {"units", "1"}}, NetcdfType::int32);
  m_file.variable(wavenumber, {band}, centre,
                  {{"long_name", "centre of the band"}, {"units", "cm-1"}, {"bounds", wavenumber + "_bounds"}});
  m_file.variable(wavenumber + "_bounds", {band, "bound"}, bounds,
                  {{"long_name", "limits of the band"}, {"units", "cm-1"}});
  m_file.variable(wavenumber + "_low", {band}, low, {{"long_name", "lower limit of the band"}, {"units", "cm-1"}});
  Attributes highest{{"long_name", "upper limit of the band"}, {"units", "cm-1"}};
  if (!about_highest.empty()) highest.emplace_back("comment", about_highest);
  m_file.variable(wavenumber + "_high", {band}, high, highest);
}

void ResultWriter::write(std::string const& name, Shape const& shape, std::vector<double> const& values,
                         Words const& words) {
  std::vector<std::string> dimensions{site(), shape.vertical};
  if (m_rfmip) dimensions.insert(dimensions.begin(), "expt");
  auto places = m_coordinates;
  places.push_back(shape.vertical == std::string_view("level") ? plev() : play());
  if (!shape.bands.empty()) {
    std::string const wavenumber = (shape.bands == "band" ? "" : "sw_") + std::string("wavenumber");
    dimensions.push_back(shape.bands);
    places.insert(places.end(), {wavenumber, wavenumber + "_low", wavenumber + "_high"});
  }
  Attributes attributes{{"long_name", words.long_name}};
  if (!words.standard_name.empty()) attributes.emplace_back("standard_name", words.standard_name);
  attributes.emplace_back("units", words.units);
  attributes.emplace_back("coordinates", fmt::format("{}", fmt::join(places, " ")));
  m_file.variable(name, dimensions, values, attributes, m_type);
}

void ResultWriter::write_longwave(RadiationResult const& result) {
  auto const& fluxes = *result.longwave;
  // Fluxes and heating rates of all that is there, or without clouds.
  auto const write_all_of = [&](auto const& flux_up, auto const& flux_dn, auto const& heating_rate,
                                std::string const& suffix, std::string const& standard, std::string const& words) {
    auto const up = ordered(flux_up), dn = ordered(flux_dn);
    write((m_rfmip ? "rlu" : "flux_up") + suffix, {"level"}, up,
          {"W m-2", "upwelling_longwave_flux_in_air" + standard, "upward longwave flux" + words + ", positive upward"});
    write((m_rfmip ? "rld" : "flux_dn") + suffix, {"level"}, dn,
          {"W m-2", "downwelling_longwave_flux_in_air" + standard,
           "downward longwave flux" + words + ", positive downward"});
    if (!m_rfmip) {
      std::vector<double> net(up.size());
      std::transform(up.begin(), up.end(), dn.begin(), net.begin(), std::minus<>());
      write("flux_net" + suffix, {"level"}, net,
            {"W m-2", "net_upward_longwave_flux_in_air" + standard,
             "net longwave flux" + words + ", upward minus downward, positive upward"});
    }
    write("heating_rate" + suffix, {"layer"}, ordered(heating_rate),
          {"K day-1", "tendency_of_air_temperature_due_to_longwave_heating" + standard,
           "heating rate by longwave radiation" + words + ", negative where the layer cools"});
  };
  write_all_of(fluxes.flux_up, fluxes.flux_dn, fluxes.heating_rate, "", "", "");
  if (fluxes.flux_up_clear.size() > 0)
    write_all_of(fluxes.flux_up_clear, fluxes.flux_dn_clear, fluxes.heating_rate_clear, "_clear", "_assuming_clear_sky",
                 " without clouds");
  if (fluxes.dflux_up_dt.size() > 0)
    write("dflux_up_dt", {"level"}, ordered(fluxes.dflux_up_dt),
          {"W m-2 K-1", "", "derivative of the upward longwave flux with respect to the temperature of the surface"});
  if (fluxes.dflux_up_clear_dt.size() > 0)
    write("dflux_up_clear_dt", {"level"}, ordered(fluxes.dflux_up_clear_dt),
          {"W m-2 K-1", "",
           "derivative of the upward longwave flux without clouds with respect to the temperature of the surface"});
  if (fluxes.surface_share.size() > 0)
    write("lw_derivative", {"level"}, ordered(fluxes.surface_share),
          {"1", "", "change of the upward longwave flux with that of the surface, as ecRad has it"});
  if (fluxes.flux_up_band.size() == 0) return;
  bool const of_rrtmg = result.longwave_bands.empty();
  write_bands("", longwave_bands(result), "band, counted from 1",
              of_rrtmg ? "the last band counts all above its lower limit" : "");
  write("flux_up_band", {"level", "band"}, ordered(fluxes.flux_up_band),
        {"W m-2", "", "upward longwave flux of the band, positive upward"});
  write("flux_dn_band", {"level", "band"}, ordered(fluxes.flux_dn_band),
        {"W m-2", "", "downward longwave flux of the band, positive downward"});
}

void ResultWriter::write_shortwave(RadiationResult const& result) {
  auto const& fluxes = *result.shortwave;
  // Only RRTMG_SW's own order of bands is not that of wavenumber.
  bool const of_rrtmg = result.shortwave_bands.empty();
  auto const order = of_rrtmg ? m_input.band_order : BandOrder::original;
  auto const model_bands = shortwave_bands(result);
  std::size_t const nband = model_bands.size();
  auto const in_model = [&](std::size_t i) {
    return static_cast<std::size_t>(band_of_file(order, static_cast<int>(i)));
  };
  if (fluxes.flux_up_band.size() > 0) {
    std::vector<fluxes::BandLimits> in_order;
    for (std::size_t i = 0; i < nband; ++i) in_order.push_back(model_bands[in_model(i)]);
    write_bands(
        "sw_", in_order,
        !of_rrtmg ? "shortwave band, counted from 1"
        : order == BandOrder::original
            ? "shortwave band, counted from 1 in the order of RRTMG_SW: the last one is the lowest in wavenumber"
            : "shortwave band, counted from 1 by wavenumber",
        "");
  }
  fluxes::HostShortwaveFluxes::for_each_array(
      [&](ArrayDescription const& array, auto const& of_array) {
        if (of_array.size() == 0) return;
        auto values = ordered(of_array);
        constexpr bool of_bands = std::decay_t<decltype(of_array)>::rank() == 3;
        if constexpr (of_bands) {
          auto const original = values;
          for (std::size_t i = 0; i < values.size(); ++i) values[i] = original[i / nband * nband + in_model(i % nband)];
        }
        std::string name = fmt::format("sw_{}", array.name);
        if (m_rfmip && name == "sw_flux_up") name = "rsu";
        if (m_rfmip && name == "sw_flux_dn") name = "rsd";
        write(name, {is_of_layers(array) ? "layer" : "level", of_bands ? "sw_band" : ""}, values,
              {std::string(array.unit), std::string(array.standard_name), fmt::format("shortwave {}", array.meaning)});
      },
      fluxes);
  if (m_rfmip) return;
  auto const write_net = [&](auto const& flux_up, auto const& flux_dn, std::string const& suffix,
                             std::string const& standard, std::string const& words) {
    auto const up = ordered(flux_up), dn = ordered(flux_dn);
    std::vector<double> net(up.size());
    std::transform(up.begin(), up.end(), dn.begin(), net.begin(), std::minus<>());
    write("sw_flux_net" + suffix, {"level"}, net,
          {"W m-2", "net_upward_shortwave_flux_in_air" + standard,
           "shortwave net flux" + words + ", upward minus downward, positive upward"});
  };
  write_net(fluxes.flux_up, fluxes.flux_dn, "", "", "");
  if (fluxes.flux_up_clear.size() > 0)
    write_net(fluxes.flux_up_clear, fluxes.flux_dn_clear, "_clear", "_assuming_clear_sky", ", without clouds");
}

void ResultWriter::write_total(HostArray<double**> const& longwave, HostArray<double**> const& shortwave) {
  auto total = ordered(longwave);
  auto const added = ordered(shortwave);
  std::transform(total.begin(), total.end(), added.begin(), total.begin(), std::plus<>());
  write("heating_rate_total", {"layer"}, total,
        {"K day-1", "tendency_of_air_temperature_due_to_radiative_heating",
         "heating rate by longwave and shortwave radiation, negative where the layer cools"});
}

}  // namespace

void write_fluxes(std::string const& path, RadiationInput const& input, RadiationResult const& result,
                  Provenance const& provenance, NetcdfType type, FileSharing const* sharing) {
  auto const nsite = static_cast<std::size_t>(input.nsite);
  SharedItems const sites = sharing == nullptr
                                ? SharedItems{.range = {0, nsite}, .of_file = nsite}
                                : SharedItems{sharing, input.sites, static_cast<std::size_t>(input.nsite_of_file)};
  auto const ncol = static_cast<std::size_t>(input.columns.ncol());
  auto const nlay = static_cast<std::size_t>(input.columns.nlay());
  write_netcdf(path, sharing, [&](NetcdfWriter& file) {
    if (sharing != nullptr && sites.range.empty()) return;
    if (!result.longwave && !result.shortwave) throw Error("write_fluxes", "no result, expected that of a range");
    if (result.longwave) check_longwave(result, ncol, nlay);
    if (result.shortwave) check_shortwave(result, ncol, nlay);
    ResultWriter writer(file, input, sites, provenance, type);
    if (result.longwave) writer.write_longwave(result);
    if (result.shortwave) writer.write_shortwave(result);
    if (result.longwave && result.shortwave)
      writer.write_total(result.longwave->heating_rate, result.shortwave->heating_rate);
  });
}

void write_fluxes(std::string const& path, RadiationInput const& input, fluxes::HostFluxes const& fluxes,
                  Provenance const& provenance, NetcdfType type) {
  write_fluxes(path, input, RadiationResult{.longwave = fluxes}, provenance, type);
}

}  // namespace parhelion::io
