// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic_files.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace parhelion::Testing {

namespace {

void need(bool good) {
  if (!good) throw std::logic_error("the test could not write its HDF5 file");
}

hid_t text_type(std::size_t size) {
  hid_t const type = H5Tcopy(H5T_C_S1);
  need(H5Tset_size(type, size) >= 0);
  return type;
}

void add_attributes(hid_t object, std::map<std::string, std::string> const& texts,
                    std::map<std::string, double> const& numbers) {
  hid_t const scalar = H5Screate(H5S_SCALAR), empty = H5Screate(H5S_NULL);
  for (auto const& [name, value] : texts) {
    hid_t const type = text_type(std::max<std::size_t>(value.size(), 1));
    hid_t const id = H5Acreate2(object, name.c_str(), type, value.empty() ? empty : scalar, H5P_DEFAULT, H5P_DEFAULT);
    need(value.empty() || H5Awrite(id, type, value.data()) >= 0);
    H5Aclose(id);
    H5Tclose(type);
  }
  for (auto const& [name, value] : numbers) {
    hid_t const id = H5Acreate2(object, name.c_str(), H5T_IEEE_F64LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
    need(H5Awrite(id, H5T_NATIVE_DOUBLE, &value) >= 0);
    H5Aclose(id);
  }
  H5Sclose(scalar);
  H5Sclose(empty);
}

hid_t number_type(Stored stored) {
  switch (stored) {
    case Stored::float32_big_endian:
      return H5T_IEEE_F32BE;
    case Stored::int32:
      return H5T_STD_I32LE;
    case Stored::int8:
      return H5T_STD_I8LE;
    default:
      return H5T_IEEE_F64LE;
  }
}

void add_variable(hid_t file, std::string const& name, Variable const& variable) {
  std::vector<hsize_t> dims(variable.shape.begin(), variable.shape.end());
  bool const text = variable.stored >= Stored::fixed_text;
  std::size_t longest = 1;
  for (auto const& each : variable.strings) longest = std::max(longest, each.size());
  hid_t type = number_type(variable.stored);
  if (text) type = text_type(longest);
  if (variable.stored == Stored::variable_text) need(H5Tset_size(type, H5T_VARIABLE) >= 0);
  if (variable.stored == Stored::characters) {
    need(H5Tset_size(type, 1) >= 0);
    dims.push_back(longest);
  }
  hid_t const space =
      dims.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
  hid_t const with_groups = H5Pcreate(H5P_LINK_CREATE);
  need(H5Pset_create_intermediate_group(with_groups, 1) >= 0);
  hid_t const id = H5Dcreate2(file, name.c_str(), type, space, with_groups, H5P_DEFAULT, H5P_DEFAULT);
  need(id >= 0);
  H5Pclose(with_groups);
  if (variable.stored == Stored::variable_text) {
    std::vector<char const*> pointers;
    for (auto const& each : variable.strings) pointers.push_back(each.c_str());
    need(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) >= 0);
  } else if (text) {
    std::string padded;
    for (auto const& each : variable.strings) padded += each + std::string(longest - each.size(), '\0');
    need(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()) >= 0);
  } else if (variable.written) {
    need(variable.values.size() == static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    need(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, variable.values.data()) >= 0);
  }
  add_attributes(id, variable.text_attributes, variable.number_attributes);
  H5Dclose(id);
  H5Sclose(space);
  if (text) H5Tclose(type);
}

// Values that differ everywhere, so that a mistaken index shows: from `first` by `step`.
std::vector<double> ramp(std::size_t size, double first, double step) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = first + step * static_cast<double>(i);
  return values;
}

// Pressure of interface k / 2 (layer centres are odd) of column c, from the surface up.
double pressure(std::size_t c, std::size_t half_levels) {
  return (1000. + static_cast<double>(c)) * std::exp(-0.4 * static_cast<double>(half_levels));
}

}  // namespace

void SyntheticFile::turn_upside_down() {
  for (auto& [name, variable] : variables) {
    if (variable.shape.size() == 3 && variable.shape[1] == nlay) {
      Variable const as_was = variable;
      for (std::size_t i = 0; i < variable.values.size(); ++i) {
        std::size_t const n = variable.shape[2], k = i / n % nlay;
        variable.values[i + (nlay - 1 - k) * n - k * n] = as_was.values[i];
      }
      continue;
    }
    if (variable.shape.empty() || (variable.shape.back() != nlay && variable.shape.back() != nlev)) continue;
    auto const n = static_cast<std::ptrdiff_t>(variable.shape.back());
    for (auto row = variable.values.begin(); row != variable.values.end(); row += n) std::reverse(row, row + n);
  }
}

std::string SyntheticFile::write(std::string const& path) const {
  hid_t const file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  need(file >= 0);
  for (auto const& [name, variable] : variables) add_variable(file, name, variable);
  hid_t const root = H5Gopen2(file, "/", H5P_DEFAULT);
  add_attributes(root, text_attributes, number_attributes);
  H5Gclose(root);
  need(H5Fclose(file) >= 0);
  return path;
}

SyntheticFile column_file() {
  SyntheticFile file;
  Variable play{{ncol, nlay}, std::vector<double>(ncol * nlay), {{"units", "hPa"}}};
  Variable plev{{ncol, nlev}, std::vector<double>(ncol * nlev), {{"units", "hPa"}}};
  for (std::size_t c = 0; c < ncol; ++c) {
    for (std::size_t k = 0; k < nlay; ++k) play(c, k) = pressure(c, 2 * k + 1);
    for (std::size_t k = 0; k < nlev; ++k) plev(c, k) = pressure(c, 2 * k);
  }
  file.variables["play"] = play;
  file.variables["plev"] = plev;
  file.variables["tlay"] = {{ncol, nlay}, ramp(ncol * nlay, 200., 1.), {{"units", "K"}}};
  file.variables["tlev"] = {{ncol, nlev}, ramp(ncol * nlev, 230., 1.), {{"units", "K"}}};
  file.variables["tsfc"] = {{ncol}, ramp(ncol, 290., 1.), {{"units", "K"}}};
  file.variables["emis"] = {{ncol, 16}, ramp(ncol * 16, 0.5, 0.01), {{"units", "1"}}};
  double scale = 1e-6;
  for (char const* const name :
       {"h2ovmr", "co2vmr", "o3vmr", "n2ovmr", "ch4vmr", "o2vmr", "ccl4vmr", "cfc11vmr", "cfc12vmr", "cfc22vmr"}) {
    file.variables[name] = {{ncol, nlay}, ramp(ncol * nlay, scale, 0.01 * scale), {{"units", "mol mol-1"}}};
    scale *= 1.5;
  }
  return file;
}

SyntheticFile rfmip_file() {
  SyntheticFile file;
  Variable lay{{nsite, nlay}, std::vector<double>(nsite * nlay), {{"units", "Pa"}}};
  Variable lev{{nsite, nlev}, std::vector<double>(nsite * nlev), {{"units", "Pa"}}};
  for (std::size_t s = 0; s < nsite; ++s) {
    for (std::size_t k = 0; k < nlay; ++k) lay(s, k) = 100. * pressure(s, 2 * (nlay - 1 - k) + 1);
    for (std::size_t k = 0; k < nlev; ++k) lev(s, k) = 100. * pressure(s, 2 * (nlay - k));
  }
  file.variables["pres_layer"] = lay;
  file.variables["pres_level"] = lev;
  auto const cells = nexpt * nsite * nlay;
  file.variables["temp_layer"] = {{nexpt, nsite, nlay}, ramp(cells, 200., 1.), {{"units", "K"}}};
  file.variables["temp_level"] = {{nexpt, nsite, nlev}, ramp(nexpt * nsite * nlev, 230., 1.), {{"units", "K"}}};
  file.variables["surface_temperature"] = {{nexpt, nsite}, ramp(nexpt * nsite, 290., 1.), {{"units", "K"}}};
  file.variables["surface_emissivity"] = {{nsite}, ramp(nsite, 0.9, 0.01), {{"units", "1"}}};
  file.variables["water_vapor"] = {{nexpt, nsite, nlay}, ramp(cells, 1e-3, 1e-5), {{"units", "1"}}};
  file.variables["ozone"] = {{nexpt, nsite, nlay}, ramp(cells, 1e-6, 1e-8), {{"units", "1"}}};
  file.variables["carbon_dioxide_GM"] = {{nexpt}, {400., 280.}, {{"units", "1.e-6"}}};
  file.variables["methane_GM"] = {{nexpt}, {1800., 700.}, {{"units", "1.e-9"}}};
  file.variables["nitrous_oxide_GM"] = {{nexpt}, {330., 270.}, {{"units", "1.e-9"}}};
  file.variables["oxygen_GM"] = {{nexpt}, {0.209, 0.208}, {{"units", "1"}}};
  file.variables["carbon_monoxide_GM"] = {{nexpt}, {1.2e-7, 1.1e-7}, {{"units", "1"}}};
  file.variables["cfc11_GM"] = {{nexpt}, {230., 1.}, {{"units", "1.e-12"}}};
  file.variables["cfc12_GM"] = {{nexpt}, {520., 2.}, {{"units", "1.e-12"}}};
  file.variables["hcfc22_GM"] = {{nexpt}, {230., 3.}, {{"units", "1.e-12"}}};
  file.variables["carbon_tetrachloride_GM"] = {{nexpt}, {83., 4.}, {{"units", "1.e-12"}}};
  file.variables["cfc11eq_GM"] = {{nexpt}, {1e9, 1e9}, {{"units", "1.e-12"}}};  // must not be read
  file.variables["expt_label"] = {
      .shape = {nexpt}, .values = {}, .stored = Stored::variable_text, .strings = {"present day", "past"}};
  file.variables["profile_weight"] = {{nsite}, {1., 2., 3.}, {{"units", "1"}}};
  file.variables["lat"] = {{nsite}, {-60., 0., 45.}};
  file.variables["lon"] = {{nsite}, {10., 120., 300.}};
  file.variables["solar_zenith_angle"] = {{nsite}, {60., 90., 120.}, {{"units", "degree"}}};
  file.variables["surface_albedo"] = {{nsite}, {0.1, 0.2, 0.3}, {{"units", "1"}}};
  file.variables["total_solar_irradiance"] = {{nsite}, {1361., 1330., 1400.}, {{"units", "W m-2"}}};
  return file;
}

void add_gpoint_clouds(SyntheticFile& file) {
  std::size_t const ngpt = 140, cells = ncol * nlay * ngpt;
  Variable cloudy{{ncol, nlay, ngpt}, std::vector<double>(cells), {{"units", "1"}}, {}, Stored::int8};
  for (std::size_t i = 0; i < cells; ++i) cloudy.values[i] = i % 3 == 0 ? 1. : 0.;
  file.variables["cldfmcl"] = cloudy;
  file.variables["ciwpmcl"] = {{ncol, nlay, ngpt}, ramp(cells, 1., 0.001), {{"units", "g m-2"}}};
  file.variables["clwpmcl"] = {{ncol, nlay, ngpt}, ramp(cells, 5., 0.001), {{"units", "g m-2"}}};
  file.variables["taucmcl"] = {{ncol, nlay, ngpt}, ramp(cells, 0.1, 0.001), {{"units", "1"}}};
  file.variables["reicmcl"] = {{ncol, nlay}, ramp(ncol * nlay, 20., 1.), {{"units", "um"}}};
  file.variables["relqmcl"] = {{ncol, nlay}, ramp(ncol * nlay, 5., 0.5), {{"units", "um"}}};
  for (auto const& [name, flags] :
       {std::pair("inflglw", std::vector<double>{2., 0., 2.}), std::pair("iceflglw", std::vector<double>{3., 1., 2.}),
        std::pair("liqflglw", std::vector<double>{1., 1., 0.})})
    file.variables[name] = {{ncol}, flags, {}, {}, Stored::int32};
}

void add_layer_clouds(SyntheticFile& file) {
  file.variables["cldfrac"] = {{ncol, nlay}, ramp(ncol * nlay, 0., 0.08), {{"units", "1"}}};
  file.variables["ciwp"] = {{ncol, nlay}, ramp(ncol * nlay, 1., 1.), {{"units", "g m-2"}}};
  file.variables["clwp"] = {{ncol, nlay}, ramp(ncol * nlay, 20., 1.), {{"units", "g m-2"}}};
  file.variables["rei"] = {{ncol, nlay}, ramp(ncol * nlay, 20., 1.), {{"units", "um"}}};
  file.variables["rel"] = {{ncol, nlay}, ramp(ncol * nlay, 5., 0.5), {{"units", "um"}}};
}

void add_aerosol(SyntheticFile& file) {
  file.variables["tauaer"] = {{ncol, nlay, 16}, ramp(ncol * nlay * 16, 0.01, 0.001), {{"units", "1"}}};
}

SyntheticFile shortwave_file() {
  auto file = column_file();
  for (char const* const name : {"tlev", "tsfc", "emis", "n2ovmr", "ccl4vmr", "cfc11vmr", "cfc12vmr", "cfc22vmr"})
    file.remove(name);
  add_sun(file);
  return file;
}

void add_sun(SyntheticFile& file) {
  file.variables["coszen"] = {{ncol}, {0.5, -0.1, 1.}, {{"units", "1"}}};
  double first = 0.1;
  for (char const* const name : {"asdir", "aldir", "asdif", "aldif"})
    file.variables[name] = {{ncol}, ramp(ncol, std::exchange(first, first + 0.2), 0.01), {{"units", "1"}}};
}

void add_shortwave_gpoint_clouds(SyntheticFile& file, std::string const& prefix) {
  std::size_t const ngpt = 112, cells = ncol * nlay * ngpt;
  auto const add = [&](std::string const& name, double first, double step, std::string const& unit) {
    file.variables[prefix + name] = {{ncol, nlay, ngpt}, ramp(cells, first, step), {{"units", unit}}};
  };
  add("cldfmcl", 0.1, 0.0005, "1");
  add("ciwpmcl", 2., 0.002, "g m-2");
  add("clwpmcl", 6., 0.002, "g m-2");
  add("taucmcl", 0.2, 0.001, "1");
  add("ssacmcl", 0.1, 0.0006, "1");
  add("asmcmcl", -0.5, 0.001, "1");
  add("fsfcmcl", 0.2, 0.0005, "1");
  file.variables[prefix + "reicmcl"] = {{ncol, nlay}, ramp(ncol * nlay, 30., 1.), {{"units", "um"}}};
  file.variables[prefix + "relqmcl"] = {{ncol, nlay}, ramp(ncol * nlay, 6., 0.5), {{"units", "um"}}};
  for (auto const& [name, flags] :
       {std::pair("inflgsw", std::vector<double>{2., 0., 2.}), std::pair("iceflgsw", std::vector<double>{3., 0., 1.}),
        std::pair("liqflgsw", std::vector<double>{1., 0., 1.})})
    file.variables[name] = {{ncol}, flags, {}, {}, Stored::int32};
}

void add_shortwave_aerosol(SyntheticFile& file, std::string const& prefix) {
  std::size_t const cells = ncol * nlay * 14;
  file.variables[prefix + "tauaer"] = {{ncol, nlay, 14}, ramp(cells, 0.01, 0.001), {{"units", "1"}}};
  file.variables["ssaaer"] = {{ncol, nlay, 14}, ramp(cells, 0.5, 0.002), {{"units", "1"}}};
  file.variables["asmaer"] = {{ncol, nlay, 14}, ramp(cells, -0.3, 0.003), {{"units", "1"}}};
}

testing::AssertionResult has(std::string const& text, std::string const& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\" does not hold \"" << part << "\"";
}

std::string read_bytes(std::string const& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_bytes(std::string const& path, std::string const& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string output_of(std::string const& command) {
  std::string text;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "(no shell)";
  char buffer[4096];
  while (std::size_t const size = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, size);
  ::pclose(pipe);
  return text;
}

bool succeeds(std::string const& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

std::vector<std::string> list(std::string const& folder) {
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace parhelion::Testing
