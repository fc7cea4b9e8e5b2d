// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/jurassic_files.hpp>

#include "jurassic/parts.hpp"
#include "jurassic/text.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <string>

namespace parhelion::io {

namespace {

std::string name_of(ega::Element const& element, JurassicControl const& control) {
  switch (element.quantity) {
    case ega::Quantity::pressure:
      return "PRESSURE";
    case ega::Quantity::temperature:
      return "TEMPERATURE";
    case ega::Quantity::mole_fraction:
      return control.gases.at(size_of(element.which));
    case ega::Quantity::extinction:
      return fmt::format("EXTINCT_WINDOW_{}", element.which);
  }
  return {};
}

// The unit of the element in SI over that in the file: what a derivative is multiplied with.
double derivative_factor(ega::Quantity quantity) {
  switch (quantity) {
    case ega::Quantity::pressure:
      return pascals_per_hPa;
    case ega::Quantity::extinction:
      return from_per_km(1);
    default:
      return 1;
  }
}

}  // namespace

void write_kernel(std::string const& path, ega::HostObservation const& observation,
                  ega::HostAtmosphere const& atmosphere, ega::HostJacobian const& jacobian,
                  JurassicControl const& control, int digits) {
  check_digits("write_kernel", digits);
  auto const& wavenumber = control.channels.wavenumber;
  auto const nray = size_of(observation.nray());
  auto const& elements = jacobian.elements;
  check_rays("write_kernel", observation, wavenumber.size());
  expect_shape("write_kernel", jacobian.derivative, "jacobian.derivative", {nray, wavenumber.size(), elements.size()});
  for (std::size_t j = 0; j < elements.size(); ++j) {
    auto const& [quantity, which, level] = elements[j];
    int const most = quantity == ega::Quantity::mole_fraction ? static_cast<int>(control.gases.size())
                     : quantity == ega::Quantity::extinction  ? control.nwindow
                                                              : 1;
    if (level < 0 || level >= atmosphere.nlev() || which < 0 || which >= most)
      throw Error("write_kernel", fmt::format("element {} is number {} at level {}, expected below {} and below {}", j,
                                              which, level, most, atmosphere.nlev()));
  }

  TextWriter file(path);
  int n = 0;
  for (auto const* const what :
       {"Row: index (measurement space)", "Row: channel wavenumber [cm^-1]",
        "Row: time (seconds since 2000-01-01T00:00Z)", "Row: view point altitude [km]",
        "Row: view point longitude [deg]", "Row: view point latitude [deg]", "Col: index (state space)",
        "Col: name of quantity", "Col: time (seconds since 2000-01-01T00:00Z)", "Col: altitude [km]",
        "Col: longitude [deg]", "Col: latitude [deg]", "Matrix element"})
    file.print("# ${} = {}\n", ++n, what);
  file.print("\n");
  std::size_t row = 0;
  for (std::size_t r = 0; r < nray; ++r)
    for (std::size_t i = 0; i < wavenumber.size(); ++i) {
      if (is_masked(observation, r, i)) continue;
      for (std::size_t j = 0; j < elements.size(); ++j) {
        auto const k = size_of(elements[j].level);
        file.print("{} {:.4f} {:.2f}", row, wavenumber[i], observation.time(r));
        print_place(file, observation.view_point, r, digits);
        file.print(" {} {} {:.2f}", j, name_of(elements[j], control), atmosphere.time(0, k));
        file.number(atmosphere.altitude(0, k) / metres_per_km, digits);
        file.number(atmosphere.longitude(0, k), digits);
        file.number(atmosphere.latitude(0, k), digits);
        file.number(jacobian.derivative(r, i, j) * derivative_factor(elements[j].quantity), digits);
        file.print("\n");
      }
      if (!elements.empty()) file.print("\n");
      ++row;
    }
  file.commit();
}

}  // namespace parhelion::io
