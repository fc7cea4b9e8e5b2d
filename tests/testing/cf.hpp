// SPDX-License-Identifier: BSD-3-Clause
// Whether results follow the CF conventions, as netCDF, xarray and UDUNITS see them.
#ifndef PARHELION_TESTING_CF_HPP
#define PARHELION_TESTING_CF_HPP

#include <string>

namespace parhelion::Testing {

/// Whether there are the Python modules xarray and netCDF4, and the library of UDUNITS.
bool have_cf_tools();

/// Expects no problem in a file; nothing without those tools.
void expect_cf(std::string const& path);

}  // namespace parhelion::Testing

#endif
