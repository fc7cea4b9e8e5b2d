// SPDX-License-Identifier: BSD-3-Clause
#include "jurassic/parts.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/io/jurassic_files.hpp>

#include <fmt/format.h>

namespace parhelion::io {

void check_digits(char const* function, int digits) {
  if (digits < 1 || digits > all_digits)
    throw Error(function, fmt::format("digits = {}, expected 1 to {}", digits, all_digits));
}

bool is_masked(ega::HostObservation const& observation, std::size_t ray, std::size_t channel) {
  return observation.masked.size() > 0 && observation.masked(ray, channel);
}

void check_rays(char const* function, ega::HostObservation const& observation, std::size_t nchannel) {
  check_extents(function, observation, {{dimension::ray, observation.nray()}});
  if (observation.masked.size() > 0)
    expect_shape(function, observation.masked, "masked", {size_of(observation.nray()), nchannel});
}

void check_spectra(char const* function, ega::HostObservation const& observation, ega::HostSpectra const& spectra,
                   std::size_t nchannel) {
  check_rays(function, observation, nchannel);
  Dimensions dimensions{{dimension::ray, observation.nray()},
                        {dimension::channel, static_cast<std::int64_t>(nchannel)}};
  ega::HostSpectra::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        // Files do not hold it.
        if (description.name != "npoint") check_extents(function, description, array_ref(view), dimensions);
      },
      spectra);
}

void print_place(TextWriter& file, HostPlaces const& places, std::size_t i, int digits) {
  file.number(places.altitude(i) / metres_per_km, digits);
  file.number(places.longitude(i), digits);
  file.number(places.latitude(i), digits);
}

}  // namespace parhelion::io
