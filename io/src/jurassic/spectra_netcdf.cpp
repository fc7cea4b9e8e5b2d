// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/array_files.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/jurassic_files.hpp>

#include "jurassic/parts.hpp"
#include "observation_variables.hpp"

#include <parhelion/core/arrays.hpp>

#include <algorithm>
#include <span>
#include <string>

namespace parhelion::io {

void write_channels_and_times(NetcdfWriter& file, std::vector<double> const& wavenumber,
                              ega::HostObservation const& observation) {
  file.variable("wavenumber", {"channel"}, wavenumber,
                {{"long_name", "central wavenumber of the channel"},
                 {"standard_name", "sensor_band_central_radiation_wavenumber"},
                 {"units", "cm-1"}});
  file.variable("time", {"ray"}, std::span(observation.time.data(), observation.time.size()),
                {{"long_name", "time of the observation"},
                 {"standard_name", "time"},
                 {"units", "seconds since 2000-01-01 00:00:00"},
                 {"calendar", "standard"}});
}

void write_spectra_netcdf(std::string const& path, ega::HostObservation const& observation,
                          ega::HostSpectra const& spectra, ega::Channels const& channels, bool brightness_temperature,
                          Provenance const& provenance, SharedItems const& rays) {
  write_netcdf(path, rays.sharing, [&](NetcdfWriter& file) {
    if (rays.sharing != nullptr && rays.range.empty()) return;
    check_spectra("write_spectra_netcdf", observation, spectra, channels.wavenumber.size());
    auto attributes = global_attributes(provenance, "");
    // Nothing in the file is over levels.
    attributes.erase(std::remove_if(attributes.begin(), attributes.end(),
                                    [](auto const& attribute) { return attribute.first == "vertical_order"; }),
                     attributes.end());
    file.attributes(attributes);
    auto const nray = size_of(observation.nray());
    file.dimension("ray", rays.sharing == nullptr ? nray : rays.of_file);
    if (rays.sharing != nullptr) file.share("ray", rays.range);
    file.dimension("channel", channels.wavenumber.size());
    write_channels_and_times(file, channels.wavenumber, observation);
    auto const add_places = [&](ArrayDescription const& description, auto const& view) {
      if (description.unit == "m" || description.unit.starts_with("degrees"))
        add_array(file, description, array_ref(view));
    };
    ega::HostSpectra::for_each_array(add_places, spectra);
    ega::HostObservation::for_each_array(add_places, observation);

    std::string const coordinates = "time tangent_altitude tangent_longitude tangent_latitude wavenumber";
    auto const radiance = std::span(spectra.radiance.data(), spectra.radiance.size());
    if (brightness_temperature)
      file.variable("brightness_temperature", {"ray", "channel"}, radiance,
                    {{"long_name", "brightness temperature at the observer"},
                     {"standard_name", "brightness_temperature"},
                     {"units", "K"},
                     {"coordinates", coordinates},
                     {"comment", "NaN: masked"}});
    else
      file.variable("radiance", {"ray", "channel"}, radiance,
                    {{"long_name", "radiance at the observer by wavenumber"},
                     {"units", "W m-2 sr-1 (cm-1)-1"},
                     {"coordinates", coordinates},
                     {"comment", "NaN: masked"}});
    file.variable("transmittance", {"ray", "channel"},
                  std::span(spectra.transmittance.data(), spectra.transmittance.size()),
                  {{"long_name", "transmittance of the whole path"}, {"units", "1"}, {"coordinates", coordinates}});
  });
}

}  // namespace parhelion::io
