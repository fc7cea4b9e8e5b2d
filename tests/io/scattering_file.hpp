// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_TESTS_IO_SCATTERING_FILE_HPP
#define PARHELION_TESTS_IO_SCATTERING_FILE_HPP

#include <parhelion/io/hdf5.hpp>

#include <string>
#include <utility>
#include <vector>

namespace parhelion::Testing {

/// A scattering file of ecRad's layout, made up.
inline void write_scattering(std::string const& path, double extinction) {
  io::NetcdfWriter file(path);
  std::vector<double> const wavenumber{10, 500, 1500, 4000, 20000, 50000}, radius{2e-6, 22e-6, 42e-6, 62e-6};
  std::vector<double> ext, albedo, asymmetry;
  for (double const r : radius)
    for (double const nu : wavenumber) {
      ext.push_back(extinction * 1e-5 / r);
      albedo.push_back(nu > 10000 ? 0.9999 : 0.5);
      asymmetry.push_back(0.85);
    }
  file.dimension("size", radius.size());
  file.dimension("point", wavenumber.size());
  file.variable("effective_radius", {"size"}, radius, {{"units", "m"}});
  file.variable("wavenumber", {"point"}, wavenumber, {{"units", "cm-1"}});
  for (auto const& [name, values] :
       {std::pair("mass_extinction_coefficient", ext), std::pair("single_scattering_albedo", albedo),
        std::pair("asymmetry_factor", asymmetry)})
    file.variable(name, {"size", "point"}, values, {});
  file.commit();
}

}  // namespace parhelion::Testing

#endif
