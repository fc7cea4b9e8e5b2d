// SPDX-License-Identifier: BSD-3-Clause
#include "transfer.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace parhelion::fluxes::Impl {

template <class ExecutionSpace, class Real>
Array<Real const**, ExecutionSpace> make_transfer_table(ExecutionSpace const& space) {
  using Rules = TableTransfer<ExecutionSpace, Real>;
  Array<Real**, ExecutionSpace> const table(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("parhelion::fluxes::transfer_table")),
      Rules::intervals + 1, 2);
  auto const host = Kokkos::create_mirror_view(table);
  for (int i = 0; i <= Rules::intervals; ++i) {
    double transmittance = 1;
    double weight = 0;
    if (i == Rules::intervals) {
      transmittance = Rules::least_transmittance;
      weight = 1;
    } else if (i > 0) {
      double const x = static_cast<double>(i) / Rules::intervals;
      double const tau = Rules::pade * x / (1 - x);
      transmittance = std::max(std::exp(-tau), Rules::least_transmittance);
      weight = tau < Rules::series_limit ? tau / 6 : 1 - 2 * (1 / tau - transmittance / (1 - transmittance));
    }
    host(i, 0) = static_cast<Real>(transmittance);
    host(i, 1) = static_cast<Real>(weight);
  }
  copy_array(space, table, host);
  space.fence("parhelion::fluxes::make_transfer_table");
  return table;
}

#define PARHELION_INSTANTIATE(SPACE)                                                    \
  template Array<float const**, SPACE> make_transfer_table<SPACE, float>(SPACE const&); \
  template Array<double const**, SPACE> make_transfer_table<SPACE, double>(SPACE const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes::Impl
