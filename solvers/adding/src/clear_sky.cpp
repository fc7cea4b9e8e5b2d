// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/adding/clear_sky.hpp>

#include "clear_sky_launch.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/error.hpp>

#include "checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace parhelion::adding {

namespace Impl {

namespace {

// ---- checks ---------------------------------------------------------------------------------------------------------

template <class ES, class Real>
void check(char const* where, AddingInput<ES, Real> const& input, AddingResult<ES, Real> const& result,
           Capacity const& capacity) {
  auto const& in = input.profiles;
  expect_empty(where, "single_scattering_albedo", in.single_scattering_albedo, "but ClearSky does not scatter");
  if (in.transmittance.size() > 0) {
    expect_empty(where, "optical_depth", in.optical_depth, "but transmittance is, too");
    expect_empty(where, "solar_irradiance", in.solar_irradiance,
                 "which needs optical_depth: transmittances along the angles do not give that of the sun's beam");
  }
  check_arrays(where, input, result, capacity);
}

// ---- kernels except those of runs of layers
// --------------------------------------------------------------------------

/// mu0 F0 / pi exp(-tau / mu0): the irradiance of the surface by the sun over pi.
template <class Number>
struct SunBeam {
  using Real = ValueOf<Number>;
  Atmosphere<Number> in;
  Field<Real const> cos_sun, irradiance;
  Field<Real> beam, change;

  KOKKOS_INLINE_FUNCTION void operator()(int p) const {
    Number result = Real(0);
    if (irradiance(p) > 0) {  // otherwise its direction is arbitrary
      Number depth = Real(0);
      for (int k = 0; k < in.nlay; ++k) depth += in.template get<&Members<Real>::depth>(p, k);
      constexpr Real log2_e = static_cast<Real>(1.4426950408889634074);
      constexpr Real per_pi = static_cast<Real>(0.31830988618379067154);
      result = Number(cos_sun(p) * irradiance(p) * per_pi) *
               attenuate_exp2(depth * Number(-log2_e / cos_sun(p))).transmittance;
    }
    if constexpr (Atmosphere<Number>::has_change) {
      beam(p) = result.value;
      change(p) = result.change;
    } else {
      beam(p) = result;
    }
  }
};

/// The radiance at the top, or its change, from the maps of whole columns, over any surface.
template <class ExecutionSpace, class Number>
struct CoupleAngles {
  using Real = ValueOf<Number>;
  Atmosphere<Number> in;
  RunSink<Number> runs;
  Field<Real> top;
  NotFinite<ExecutionSpace> not_finite;

  KOKKOS_INLINE_FUNCTION Number reflectivity(int p, int i, int j) const {
    Real value = 0;
    if (in.value.reflectivity) value = in.value.reflectivity(p, i, j);
    if (in.value.specular && i == j) value = in.value.specular(p, i);
    if constexpr (Atmosphere<Number>::has_change) {
      return {value, in.change.reflectivity ? in.change.reflectivity(p, i, j) : Real(0)};
    } else {
      return value;
    }
  }

  KOKKOS_INLINE_FUNCTION void operator()(int n) const {
    int const i = n / in.nprofile;
    int const p = n - i * in.nprofile;
    Number reflected = Real(0);
    for (int j = 0; j < in.nangle; ++j)
      reflected += reflectivity(p, i, j) * (runs.down(p, j) + runs.gain(p, j) * Number(in.from_space(p)));
    Number const radiance = runs.up(p, i) + runs.gain(p, i) * reflected;
    if constexpr (Atmosphere<Number>::has_change)
      top(p, i) = radiance.change;
    else
      top(p, i) = radiance;
    not_finite.check(top(p, i), in.first + p);
  }
};

/// Radiances and their adjoints at all levels, (profile, level, angle). Downward ones may be empty if they have no
/// effect.
template <class Real>
struct AdjointLevels {
  Field<Real const> up, dn, adjoint_up, adjoint_dn;
};

template <class ES, class Real>
struct Derivative {
  Field<Real> depth, transmittance, planck, planck_sfc, emissivity, reflectivity, direct;
  NotFinite<ES> not_finite;
  int first = 0;  ///< index of the first profile in the call

  Derivative(Gradient<ES, Real> const& d, NotFinite<ES> const& noted)
      : depth(field(d.optical_depth)),
        transmittance(field(d.transmittance)),
        planck(field(d.planck)),
        planck_sfc(field(d.planck_sfc)),
        emissivity(field(d.emissivity)),
        reflectivity(field(d.reflectivity)),
        direct(field(d.direct_reflectivity)),
        not_finite(noted) {}

  /// Stores a value of a profile, unless the array is empty.
  template <class... Indices>
  KOKKOS_INLINE_FUNCTION void give(Field<Real> const& to, Real value, int p, Indices... indices) const {
    if (!to) return;
    to(p, indices...) = value;
    not_finite.check(value, first + p);
  }

  Derivative from(int begin) const {
    Derivative part = *this;
    part.first = first + begin;
    for (auto member : {&Derivative::depth, &Derivative::transmittance, &Derivative::planck, &Derivative::planck_sfc,
                        &Derivative::emissivity, &Derivative::reflectivity, &Derivative::direct})
      part.*member = (this->*member).from(begin);
    return part;
  }
};

/// The derivatives with respect to the properties of the surface and the optical depth of the sun's beam.
template <class ES, class Real>
struct AdjointSurface {
  Atmosphere<Real> in;
  Field<Real const> cos_sun;
  AdjointLevels<Real> levels;
  Derivative<ES, Real> derivative;
  Field<Real> by_beam_depth;  ///< (profile)

  KOKKOS_INLINE_FUNCTION void operator()(int p) const {
    Real by_planck = 0;
    Real by_beam = 0;
    for (int i = 0; i < in.nangle; ++i) {
      Real const adjoint = levels.adjoint_up(p, 0, i);
      by_planck += adjoint * in.value.emissivity(p, i);
      derivative.give(derivative.emissivity, adjoint * in.value.planck_sfc(p), p, i);
      if (in.value.beam) {
        by_beam += adjoint * in.value.direct(p, i);
        derivative.give(derivative.direct, adjoint * in.value.beam(p), p, i);
      }
      if (derivative.reflectivity)
        for (int j = 0; j < in.nangle; ++j)
          derivative.give(derivative.reflectivity, adjoint * levels.dn(p, 0, j), p, i, j);
    }
    derivative.give(derivative.planck_sfc, by_planck, p);
    if (in.value.beam) by_beam_depth(p) = in.value.beam(p) > 0 ? -by_beam * in.value.beam(p) / cos_sun(p) : Real(0);
  }
};

/// The derivatives with respect to the properties of a layer.
template <class ES, class Real>
struct AdjointLayers {
  Atmosphere<Real> in;
  AdjointLevels<Real> levels;
  Derivative<ES, Real> derivative;
  Field<Real const> by_beam_depth;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t n) const {
    int const k = static_cast<int>(n / in.nprofile);
    int const p = static_cast<int>(n - static_cast<std::int64_t>(k) * in.nprofile);
    Real const planck = in.value.planck(p, k);
    Real by_depth = in.value.beam ? by_beam_depth(p) : Real(0);
    Real by_planck = 0;
    for (int i = 0; i < in.nangle; ++i) {
      Real const up = levels.adjoint_up(p, k + 1, i);
      Real const dn = levels.adjoint_dn ? levels.adjoint_dn(p, k, i) : Real(0);
      Real by_transmittance = up * (levels.up(p, k, i) - planck);
      if (levels.adjoint_dn) by_transmittance += dn * (levels.dn(p, k + 1, i) - planck);
      if (in.value.transmittance) {
        by_planck += (1 - in.value.transmittance(p, k, i)) * (up + dn);
        derivative.give(derivative.transmittance, by_transmittance, p, k, i);
      } else {
        Real const rate = in.rate(p, i);
        Attenuation<Real> const pass = attenuate_exp2(in.value.depth(p, k) * rate);
        constexpr Real ln2 = static_cast<Real>(0.69314718055994530942);
        by_planck += pass.absorptivity * (up + dn);
        by_depth += ln2 * rate * pass.transmittance * by_transmittance;
      }
    }
    derivative.give(derivative.planck, by_planck, p, k);
    derivative.give(derivative.depth, by_depth, p, k);
  }
};

// ---- views of the caller and of the workspace -----------------------------------------------------------------------

template <class ES, class Real>
Atmosphere<Real> atmosphere(Profiles<ES, Real> const& in) {
  Atmosphere<Real> result;
  result.value.depth = field(in.optical_depth);
  result.value.transmittance = field(in.transmittance);
  result.value.planck = field(in.planck);
  result.value.planck_sfc = field(in.planck_sfc);
  result.value.emissivity = field(in.emissivity);
  result.value.specular = field(in.specular_reflectivity);
  result.value.reflectivity = field(in.reflectivity);
  result.value.direct = field(in.direct_reflectivity);
  result.mu = field(in.mu);
  result.cosmic = field(in.cosmic);
  result.mu_step = in.mu.extent(0) == 1 ? 0 : 1;
  result.nprofile = in.nprofile();
  result.nlay = in.nlay();
  result.nangle = in.nangle();
  return result;
}

template <class Real>
Field<Real const> read_only(Field<Real> const& field) {
  return {field.data, field.stride1, field.stride2};
}

/// Part `what` of a block of the workspace as (profile, angle).
template <class T>
Field<T> columns_of(T* data, int what, int nprofile, int nangle) {
  std::size_t const n = nprofile;
  return {data + what * n * nangle, n, 0};
}

/// The same as (profile, level, angle).
template <class T>
Field<T> levels_of(T* data, int what, int nprofile, int nlev, int nangle) {
  std::size_t const n = nprofile;
  return {data + what * n * nlev * nangle, n, n * nlev};
}

/// The surface level of (profile, level, angle) as (profile, angle).
template <class Real>
Field<Real const> at_surface(Field<Real> const& levels) {
  return {levels.data, levels.stride2, 0};
}

template <class Real>
bool reflects(Atmosphere<Real> const& in) {
  return in.value.specular || in.value.reflectivity;
}

template <class ES, class Index, class Functor>
void for_each(ES const& space, char const* label, Index n, Functor const& functor) {
  Kokkos::parallel_for(label, light_weight(Kokkos::RangePolicy<ES, Kokkos::IndexType<Index>>(space, 0, n)), functor);
}

/// Adds the sun's beam, which needs the optical depth of the whole column before the surface.
template <class Number, class ES, class Real>
void add_sun(ES const& space, Atmosphere<Number>& in, Profiles<ES, Real> const& profiles, Real* columns) {
  if (profiles.solar_irradiance.size() == 0) return;
  Field<Real> const beam{columns, 0, 0};
  Field<Real> const change{columns + in.nprofile, 0, 0};
  for_each(space, "parhelion::Adding::sun_beam", in.nprofile,
           SunBeam<Number>{in, field(profiles.cos_sun), field(profiles.solar_irradiance), beam, change});
  in.value.beam = read_only(beam);
  if constexpr (Atmosphere<Number>::has_change) in.change.beam = read_only(change);
}

}  // namespace

}  // namespace Impl

template <KokkosExecutionSpace ES, Floating Real>
int ClearSky<ES, Real>::profiles_per_block(Capacity const& capacity) {
  // Enough to fill a machine, with a workspace that is small compared to the input of many profiles.
  constexpr std::int64_t values = 1 << 22;
  std::int64_t const each = static_cast<std::int64_t>(capacity.nlay + 1) * capacity.nangle;
  return static_cast<int>(std::min<std::int64_t>(capacity.nprofile, std::max<std::int64_t>(32, values / each)));
}

template <KokkosExecutionSpace ES, Floating Real>
template <class AnyWorkspace>
auto ClearSky<ES, Real>::take_blocks(AnyWorkspace& workspace, Capacity const& capacity) -> Blocks {
  Blocks blocks;
  blocks.columns = workspace.template take<Real**>("columns", 3, capacity.nprofile);
  blocks.dn_sfc = workspace.template take<Real**>("dn_sfc", capacity.nangle, capacity.nprofile);
  blocks.runs = workspace.template take<Dual<Real>***>("runs", 3, capacity.nangle, capacity.nprofile);
  blocks.levels =
      workspace.template take<Real****>("levels", 4, capacity.nangle, capacity.nlay + 1, profiles_per_block(capacity));
  return blocks;
}

template <KokkosExecutionSpace ES, Floating Real>
std::size_t ClearSky<ES, Real>::needed_bytes(Capacity const& capacity) {
  if (capacity.nprofile < 1 || capacity.nlay < 1 || capacity.nangle < 1)
    throw Error("ClearSky", fmt::format("a capacity of {} profiles, {} layers and {} angles, expected positive numbers",
                                        capacity.nprofile, capacity.nlay, capacity.nangle));
  WorkspaceSize<ES> size;
  take_blocks(size, capacity);
  return size.bytes();
}

template <KokkosExecutionSpace ES, Floating Real>
std::size_t ClearSky<ES, Real>::workspace_bytes(ES const& /* space */, Capacity const& capacity,
                                                ClearSkyTuning const& /* tuning */) {
  return needed_bytes(capacity) + NotFinite<ES>::bytes();
}

template <KokkosExecutionSpace ES, Floating Real>
ClearSky<ES, Real>::ClearSky(ES const& space, NoModel const& /* model */, Capacity const& capacity,
                             ClearSkyTuning const& tuning)
    : m_capacity(capacity),
      m_tuning(tuning),
      m_workspace(space, needed_bytes(capacity), "parhelion::Adding::workspace"),
      m_blocks(take_blocks(m_workspace, capacity)),
      m_not_finite(space) {
  static_assert(Solver<ClearSky>);
}

template <KokkosExecutionSpace ES, Floating Real>
parhelion::Impl::LaunchRequest ClearSky<ES, Real>::request() const {
  return {m_tuning.strategy == Strategy::sweep,
          m_tuning.strategy == Strategy::team_scan ? 2 : 1,
          m_tuning.nprofile > 0 ? m_tuning.nprofile : m_capacity.nprofile,
          m_tuning.angles_per_lane,
          m_tuning.layers_per_run,
          m_tuning.lanes,
          m_tuning.threads};
}

template <KokkosExecutionSpace ES, Floating Real>
void ClearSky<ES, Real>::solve(ES const& space, input_type const& input, result_type const& result) {
  m_checked([&] { Impl::check("ClearSky::solve", input, result, m_capacity); }, input, result);
  if (input.profiles.nprofile() == 0 || input.profiles.nangle() == 0) return;
  radiances(space, input, result.radiances);
  if (result.tangent_toa.size() > 0) tangent_linear(space, input, result.tangent_toa);
  if (Impl::any_array(result.derivative)) adjoint(space, input, result.derivative);
}

template <KokkosExecutionSpace ES, Floating Real>
void ClearSky<ES, Real>::radiances(ES const& space, input_type const& input, Radiances<ES, Real> const& wanted) {
  if (!Impl::any_array(wanted)) return;
  auto const& profiles = input.profiles;
  int const nprofile = profiles.nprofile(), nlay = profiles.nlay(), nangle = profiles.nangle();
  using Kind = typename Impl::Entry<Real>::Kind;
  Impl::LaunchRequest const request = this->request();
  Impl::Atmosphere<Real> in = Impl::atmosphere(profiles);
  Impl::add_sun(space, in, profiles, m_blocks.columns.data());
  auto const toa = Impl::field(wanted.toa);
  auto const up = Impl::field(wanted.up);
  auto const dn = Impl::field(wanted.dn);
  auto const emergent = Impl::field(wanted.up_emergent);
  bool const reflects = Impl::reflects(in);

  if (toa && in.value.reflectivity) {
    auto* const data = reinterpret_cast<Real*>(m_blocks.runs.data());
    Impl::RunSink<Real> const runs{Impl::columns_of(data, 0, nprofile, nangle),
                                   Impl::columns_of(data, 1, nprofile, nangle),
                                   Impl::columns_of(data, 2, nprofile, nangle)};
    Impl::launch_runs(space, in, runs, request);
    Impl::for_each(space, "parhelion::Adding::couple_angles", nprofile * nangle,
                   Impl::CoupleAngles<ES, Real>{in, runs, toa, m_not_finite});
  } else if (toa) {
    Impl::launch_top(space, in, toa, m_not_finite, request);
  }
  bool const both_done = dn && up && Impl::launch_levels_both_ways(space, in, dn, up, m_not_finite, request);
  if (!both_done && (dn || (up && reflects))) {
    auto const dn_sfc = Impl::columns_of(m_blocks.dn_sfc.data(), 0, nprofile, nangle);
    Impl::launch_levels(space, in, Impl::Entry<Real>{Kind::sky, {}}, dn, dn_sfc, false, true, m_not_finite, request);
    if (up)
      Impl::launch_levels(space, in, Impl::Entry<Real>{Kind::surface, Impl::read_only(dn_sfc)}, up, {}, true, true,
                          m_not_finite, request);
  } else if (!both_done && up) {
    Impl::launch_levels(space, in, Impl::Entry<Real>{Kind::surface, {}}, up, {}, true, true, m_not_finite, request);
  }
  if (!emergent) return;
  if (!reflects) {
    Impl::launch_levels(space, in, Impl::Entry<Real>{Kind::surface, {}}, emergent, {}, true, true, m_not_finite,
                        request);
    return;
  }
  int const step = in.value.specular ? nprofile : profiles_per_block(m_capacity);
  for (int first = 0; first < nprofile; first += step) {
    int const count = std::min(step, nprofile - first);
    Impl::launch_emergent(space, in.from(first, count), emergent.from(first),
                          Impl::levels_of(m_blocks.levels.data(), 0, count, nlay + 1, nangle), m_not_finite, request);
  }
}

template <KokkosExecutionSpace ES, Floating Real>
void ClearSky<ES, Real>::tangent_linear(ES const& space, input_type const& input,
                                        ProfileArray<Real**, ES> const& tangent_toa) {
  auto const& profiles = input.profiles;
  auto const& perturbation = input.perturbation;
  int const nprofile = profiles.nprofile(), nangle = profiles.nangle();
  using Number = Dual<Real>;
  Impl::Atmosphere<Real> const base = Impl::atmosphere(profiles);
  Impl::Atmosphere<Number> in;
  in.value = base.value;
  in.mu = base.mu;
  in.cosmic = base.cosmic;
  in.mu_step = base.mu_step;
  in.nprofile = base.nprofile;
  in.nlay = base.nlay;
  in.nangle = base.nangle;
  in.change.depth = Impl::read_only(Impl::field(perturbation.optical_depth));
  in.change.transmittance = Impl::read_only(Impl::field(perturbation.transmittance));
  in.change.planck = Impl::read_only(Impl::field(perturbation.planck));
  in.change.planck_sfc = Impl::read_only(Impl::field(perturbation.planck_sfc));
  in.change.emissivity = Impl::read_only(Impl::field(perturbation.emissivity));
  in.change.reflectivity = Impl::read_only(Impl::field(perturbation.reflectivity));
  in.change.direct = Impl::read_only(Impl::field(perturbation.direct_reflectivity));
  Impl::add_sun(space, in, profiles, m_blocks.columns.data());
  Impl::RunSink<Number> const runs{Impl::columns_of(m_blocks.runs.data(), 0, nprofile, nangle),
                                   Impl::columns_of(m_blocks.runs.data(), 1, nprofile, nangle),
                                   Impl::columns_of(m_blocks.runs.data(), 2, nprofile, nangle)};
  Impl::launch_runs(space, in, runs, request());
  Impl::for_each(space, "parhelion::Adding::couple_angles", nprofile * nangle,
                 Impl::CoupleAngles<ES, Number>{in, runs, Impl::field(tangent_toa), m_not_finite});
}

template <KokkosExecutionSpace ES, Floating Real>
void ClearSky<ES, Real>::adjoint(ES const& space, input_type const& input, Gradient<ES, Real> const& derivative) {
  auto const& profiles = input.profiles;
  int const nprofile = profiles.nprofile(), nlay = profiles.nlay(), nangle = profiles.nangle();
  using Entry = Impl::Entry<Real>;
  using Kind = typename Entry::Kind;
  Impl::LaunchRequest const request = this->request();
  Impl::Atmosphere<Real> in = Impl::atmosphere(profiles);
  Real* const columns = m_blocks.columns.data();
  Impl::add_sun(space, in, profiles, columns);
  bool const reflects = Impl::reflects(in);
  Impl::Derivative<ES, Real> const all(derivative, m_not_finite);
  int const step = profiles_per_block(m_capacity);
  for (int first = 0; first < nprofile; first += step) {
    int const count = std::min(step, nprofile - first);
    Impl::Atmosphere<Real> const part = in.from(first, count);
    auto const levels = [&](int what) {
      return Impl::levels_of(m_blocks.levels.data(), what, count, nlay + 1, nangle);
    };
    Impl::Field<Real> const up = levels(0), dn = levels(1), adjoint_up = levels(2), adjoint_dn = levels(3);
    auto const incident = Impl::field(input.adjoint_toa).from(first);
    // Adjoint radiances propagate in the opposite direction of the radiances, through layers that do not emit.
    Impl::launch_levels(space, part, Entry{Kind::given, incident}, adjoint_up, {}, false, false, m_not_finite, request);
    if (reflects || all.reflectivity)
      Impl::launch_levels(space, part, Entry{Kind::sky, {}}, dn, {}, false, true, m_not_finite, request);
    Entry entry{Kind::surface, {}};
    if (reflects) entry.incident = Impl::at_surface(dn);
    Impl::launch_levels(space, part, entry, up, {}, true, true, m_not_finite, request);
    if (reflects)
      Impl::launch_levels(space, part, Entry{Kind::transposed, Impl::at_surface(adjoint_up)}, adjoint_dn, {}, true,
                          false, m_not_finite, request);
    Impl::AdjointLevels<Real> const levels_of_all{Impl::read_only(up), Impl::read_only(dn), Impl::read_only(adjoint_up),
                                                  reflects ? Impl::read_only(adjoint_dn) : Impl::Field<Real const>{}};
    Impl::Field<Real> const by_beam_depth{columns + 2 * nprofile + first, 0, 0};
    Impl::for_each(space, "parhelion::Adding::adjoint_surface", count,
                   Impl::AdjointSurface<ES, Real>{part, Impl::field(profiles.cos_sun).from(first), levels_of_all,
                                                  all.from(first), by_beam_depth});
    Impl::for_each(space, "parhelion::Adding::adjoint_layers", static_cast<std::int64_t>(count) * nlay,
                   Impl::AdjointLayers<ES, Real>{part, levels_of_all, all.from(first), Impl::read_only(by_beam_depth)});
  }
}

#define PARHELION_INSTANTIATE(SPACE)     \
  template class ClearSky<SPACE, float>; \
  template class ClearSky<SPACE, double>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::adding
