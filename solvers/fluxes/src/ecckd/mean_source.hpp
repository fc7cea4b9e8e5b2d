// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_ECCKD_MEAN_SOURCE_HPP
#define PARHELION_FLUXES_ECCKD_MEAN_SOURCE_HPP

#include "ecckd/tables.hpp"
#include "transfer.hpp"

namespace parhelion::fluxes::ecckd {

/// \brief The transfer through a layer as in ecRad: exact, but thin layers emit their optical depth times the mean of
///        the sources at both boundaries.
struct MeanSourceTransfer {
  static constexpr bool is_consistent = true;
  static constexpr double thin_limit = 0.001;  ///< vertical optical depth up to which layers are thin

  template <class Real>
  KOKKOS_INLINE_FUNCTION Impl::LayerTransfer<Real> operator()(Real tau) const {
    Impl::LayerTransfer<Real> const exact = Impl::ExactTransfer()(tau);
    bool const is_thin = tau <= static_cast<Real>(thin_limit * model_constants::diffusivity);
    return {exact.transmittance, is_thin ? tau : exact.absorptivity, is_thin ? Real(0) : exact.source_weight};
  }

  template <class Real>
  KOKKOS_INLINE_FUNCTION Impl::LayerTransfer<Real> operator()(Real gas, Real cloud) const {
    return (*this)(gas + cloud);
  }
};

}  // namespace parhelion::fluxes::ecckd

#endif
