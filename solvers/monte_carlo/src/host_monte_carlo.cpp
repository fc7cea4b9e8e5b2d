// SPDX-License-Identifier: BSD-3-Clause
#include "repeat.hpp"

namespace parhelion::monte_carlo {

Results compute(Problem const& problem, Options const& options, HostMonteCarloOptions const& host,
                HostMonteCarloReport* report) {
  return Impl::compute_by(Impl::Alone{}, problem, options, host, report);
}

}  // namespace parhelion::monte_carlo
