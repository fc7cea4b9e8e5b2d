// SPDX-License-Identifier: BSD-3-Clause
// The smallest solver that keeps the contract: grey fluxes without scattering. What it does not have to write - checks
// of arrays, chunks, streams, devices, files - is what core/ and io/ give to every solver.
#ifndef PARHELION_TESTING_TOY_SOLVER_HPP
#define PARHELION_TESTING_TOY_SOLVER_HPP

#include <parhelion/core/constants.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/solver.hpp>
#include <parhelion/core/workspace.hpp>

namespace parhelion::Testing {

/// Grey columns; layer 0 is next to the surface.
template <KokkosExecutionSpace Space, Floating Real = double>
struct GreyColumns {
  Array<Real const**, Space> optical_depth = {};
  Array<Real const**, Space> temperature = {};
  Array<Real const*, Space> temperature_sfc = {};

  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    action(
        ArrayDescription{
            "optical_depth", "1", "vertical optical depth of the layer", {}, {column, layer}, ranges::not_negative},
        sets.optical_depth...);
    action(
        ArrayDescription{
            "temperature", "K", "temperature of the layer", "air_temperature", {column, layer}, ranges::positive},
        sets.temperature...);
    action(
        ArrayDescription{
            "temperature_sfc", "K", "temperature of the surface", "surface_temperature", {column}, ranges::positive},
        sets.temperature_sfc...);
  }
};

/// Their fluxes; level 0 is the surface.
template <KokkosExecutionSpace Space, Floating Real = double>
struct GreyFluxes {
  Array<Real**, Space> flux_up = {};
  Array<Real**, Space> flux_dn = {};

  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    action(ArrayDescription{"flux_up", "W m-2", "upward flux", "upwelling_longwave_flux_in_air", {column, level}},
           sets.flux_up...);
    action(ArrayDescription{"flux_dn", "W m-2", "downward flux", "downwelling_longwave_flux_in_air", {column, level}},
           sets.flux_dn...);
  }
};

/// What a solver may do wrong.
enum class Fault { none, allocates, fences, uses_another_instance, labels_without_prefix, forgets_status };

template <KokkosExecutionSpace Space, Floating Real = double, Fault fault = Fault::none>
class ToySolver {
 public:
  using execution_space = Space;
  using value_type = Real;
  using model_type = NoModel;
  using tuning_type = NoTuning;
  using input_type = GreyColumns<Space, Real>;
  using result_type = GreyFluxes<Space, Real>;
  struct capacity_type {
    int ncol = 0;
    int nlay = 0;
  };

  ToySolver(Space const& space, NoModel const&, capacity_type const& capacity, NoTuning const& = {})
      : m_work(space, workspace_bytes(space, capacity, {}) - NotFinite<Space>::bytes(), "parhelion::Toy::workspace"),
        m_emission(m_work.template take<Real**>("emission", capacity.ncol, capacity.nlay)),
        m_not_finite(space) {}
  ToySolver(ToySolver&&) noexcept = default;
  ToySolver& operator=(ToySolver&&) noexcept = default;

  static std::size_t workspace_bytes(Space const&, capacity_type const& capacity, NoTuning const&) {
    WorkspaceSize<Space> size;
    size.template take<Real**>("emission", capacity.ncol, capacity.nlay);
    return size.bytes() + NotFinite<Space>::bytes();
  }
  std::size_t workspace_bytes() const { return m_work.capacity_bytes() + NotFinite<Space>::bytes(); }

  void solve(Space const& space, input_type const& in, result_type const& out) {
    auto const n = check_extents("ToySolver::solve", in, {});
    check_extents("ToySolver::solve", out,
                  {{dimension::column, n[dimension::column]}, {dimension::level, n[dimension::layer] + 1}});
    if (n[dimension::column] * n[dimension::layer] > static_cast<std::int64_t>(m_emission.size()))
      throw Error("ToySolver::solve", "more columns or layers than the solver was made for");
    if constexpr (fault == Fault::allocates) Kokkos::View<int*, Space> const more("parhelion::Toy::more", 1000);
    if constexpr (fault == Fault::fences) space.fence("parhelion::Toy::fence");
    enqueue(space, in, out);
  }

  SolveStatus status(Space const& space) {
    auto const status = m_not_finite.status(space);
    return fault == Fault::forgets_status ? SolveStatus{} : status;
  }

 private:
  void enqueue(Space const& space, input_type const& in, result_type const& out);

  Workspace<Space> m_work;
  WorkspaceArray<Real**, Space> m_emission;
  NotFinite<Space> m_not_finite;
};

namespace Impl {
/// Downward, then upward: each layer is an affine map of the flux (Goody & Yung 1989, diffusivity factor 1.66).
template <class Space, class Real>
struct SweepGreyColumn {
  GreyColumns<Space, Real> in;
  GreyFluxes<Space, Real> out;
  WorkspaceArray<Real**, Space> emission;
  NotFinite<Space> not_finite;

  KOKKOS_FUNCTION void operator()(int c) const {
    constexpr auto sigma = static_cast<Real>(constants::stefan_boltzmann);
    int const nlay = static_cast<int>(in.temperature.extent(1));
    auto const black = [](Real t) { return sigma * t * t * t * t; };
    Real flux = 0;
    out.flux_dn(c, nlay) = 0;
    for (int k = nlay - 1; k >= 0; --k) {
      emission(c, k) = -Kokkos::expm1(static_cast<Real>(-1.66) * in.optical_depth(c, k)) * black(in.temperature(c, k));
      out.flux_dn(c, k) = flux = Kokkos::exp(static_cast<Real>(-1.66) * in.optical_depth(c, k)) * flux + emission(c, k);
    }
    out.flux_up(c, 0) = flux = black(in.temperature_sfc(c));
    for (int k = 0; k < nlay; ++k)
      out.flux_up(c, k + 1) = flux =
          Kokkos::exp(static_cast<Real>(-1.66) * in.optical_depth(c, k)) * flux + emission(c, k);
    not_finite.check(out.flux_up(c, nlay) + out.flux_dn(c, 0), c);
  }
};
}  // namespace Impl

template <KokkosExecutionSpace Space, Floating Real, Fault fault>
void ToySolver<Space, Real, fault>::enqueue(Space const& space, input_type const& in, result_type const& out) {
  char const* const label = fault == Fault::labels_without_prefix ? "toy_fluxes" : "parhelion::Toy::fluxes";
  Impl::SweepGreyColumn<Space, Real> const sweep{in, out, m_emission, m_not_finite};
  Space const used = fault == Fault::uses_another_instance ? Space() : space;
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(used, 0, in.temperature.extent_int(0)), sweep);
}

}  // namespace parhelion::Testing

#endif
