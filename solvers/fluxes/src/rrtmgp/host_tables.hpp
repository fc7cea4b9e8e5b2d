// SPDX-License-Identifier: BSD-3-Clause
// The tables of RRTMGP as kernels read them, on the host and in double.
#ifndef PARHELION_FLUXES_RRTMGP_HOST_TABLES_HPP
#define PARHELION_FLUXES_RRTMGP_HOST_TABLES_HPP

#include "rrtmgp/tables.hpp"

#include <parhelion/fluxes/rrtmgp/k_distribution.hpp>

#include <vector>

namespace parhelion::fluxes::rrtmgp {

/// The tables of a k-distribution for some gases, on the host.
struct HostTables {
  Axes<double> axes{};
  int stride = 0;
  std::vector<double> values;
  std::vector<BandRows<double>> bands;
  std::vector<MinorRows> minors;
  std::vector<int> pairs;     // (band): most
  std::vector<double> ratio;  // (band, half, temperature)
};

/// \brief Makes the tables.
/// \param k         a k-distribution that was checked
/// \param selected  gases of it, see select_gases()
/// \param alignment first values of tables of rows are multiples of this
HostTables host_tables(KDistribution const& k, SelectedGases const& selected, int alignment);

}  // namespace parhelion::fluxes::rrtmgp

#endif
