// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_MODEL_SIZES_HPP
#define PARHELION_FLUXES_MODEL_SIZES_HPP

namespace parhelion::fluxes {

/// The extents of arrays that depend on the model of gas optics.
struct ModelSizes {
  int ngas = 0;     ///< gases in `vmr`: the first ngas of Gas
  int nband = 0;    ///< bands of the surface, of aerosol and of fluxes
  int ngpoint = 0;  ///< g-points, of which clouds may be given
  /// Whether the surface may be given for each g-point, too.
  bool has_gpoint_surface = false;

  bool operator==(ModelSizes const&) const = default;
};

/// Those of a model.
template <class Model>
ModelSizes sizes_of(Model const& model) {
  if constexpr (requires { Model::sizes; })
    return Model::sizes;
  else
    return model.sizes();
}

}  // namespace parhelion::fluxes

#endif
