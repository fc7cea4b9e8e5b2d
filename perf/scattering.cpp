// SPDX-License-Identifier: BSD-3-Clause
// Adding with scattering: profiles per second over profiles x angles x scattering layers x strategy x precision.
//
//   perf_scattering [--tiny] [--benchmark_...]
#include "machine.hpp"

#include <parhelion/adding/scattering.hpp>
#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/quadrature.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::adding;

bool tiny = false;

enum class Output { toa, levels, tangent, adjoint };

double random_number(std::uint64_t key) {
  key = (key ^ (key >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ (key >> 27U)) * 0x94d049bb133111ebULL;
  return static_cast<double>((key ^ (key >> 31U)) >> 11U) * 0x1p-53;
}

double legendre(int l, double x) {
  double before = 1;
  double now = x;
  if (l == 0) return 1;
  for (int k = 1; k < l; ++k) {
    double const next = ((2 * k + 1) * x * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
  return now;
}

// Henyey & Greenstein's phase function in Legendre polynomials up to the degree that the angles resolve, each row
// scaled so that energy is conserved.
struct PhaseMatrix {
  std::vector<double> forward, backward;
  PhaseMatrix(QuadratureRule const& rule, double g) {
    int const n = static_cast<int>(rule.nodes.size());
    int const terms = std::max(2 * n - 2, 1);
    forward.resize(n * (n + 1));
    backward.resize(n * (n + 1));
    double const cut = std::pow(g, terms);
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j <= n; ++j) {
        double const mu_in = j < n ? rule.nodes[j] : 0.5;
        double same = 0;
        double other = 0;
        for (int l = 0; l < terms; ++l) {
          double const term =
              (2 * l + 1) / 2. * (std::pow(g, l) - cut) / (1 - cut) * legendre(l, rule.nodes[i]) * legendre(l, mu_in);
          same += term;
          other += l % 2 == 0 ? term : -term;
        }
        forward[i * (n + 1) + j] = std::max(same, 1e-7);
        backward[i * (n + 1) + j] = std::max(other, 1e-7);
        if (j < n) sum += (forward[i * (n + 1) + j] + backward[i * (n + 1) + j]) * rule.weights[j];
      }
      for (int j = 0; j <= n; ++j) {
        forward[i * (n + 1) + j] /= sum;
        backward[i * (n + 1) + j] /= sum;
      }
    }
  }
};

// Air whose optical depth falls off with height from 0.015 a layer, and a cloud of five layers with optical depths of 1
// to 14 that absorbs next to nothing. `nscatter` layers scatter, those next to the surface; the cloud is among them.
template <class Space, class Real>
Profiles<Space, Real> random_profiles(int nprofile, int nlay, int nangle, int nscatter) {
  auto const rule = gauss_legendre(nangle, 0, 1);
  constexpr int nphase = 3;
  double const asymmetry[nphase] = {0.6, 0.77, 0.9};
  ProfileArray<Real**, Space> const depth("parhelion::optical_depth", nprofile, nlay);
  ProfileArray<Real**, Space> const albedo("parhelion::albedo", nprofile, nlay);
  ProfileArray<Real**, Space> const planck("parhelion::planck", nprofile, nlay);
  ProfileArray<int**, Space> const phase("parhelion::phase", nprofile, nlay);
  ProfileArray<Real**, Space> const mu("parhelion::mu", 1, nangle);
  ProfileArray<Real**, Space> const weight("parhelion::weight", 1, nangle);
  ProfileArray<Real*, Space> const planck_sfc("parhelion::planck_sfc", nprofile);
  ProfileArray<Real**, Space> const emissivity("parhelion::emissivity", nprofile, nangle);
  ProfileArray<Real**, Space> const reflectivity("parhelion::reflectivity", nprofile, nangle);
  Array<Real****, Space> const forward("parhelion::forward", 1, nphase, nangle, nangle + 1);
  Array<Real****, Space> const backward("parhelion::backward", 1, nphase, nangle, nangle + 1);
  auto const h_depth = Kokkos::create_mirror_view(depth);
  auto const h_albedo = Kokkos::create_mirror_view(albedo);
  auto const h_planck = Kokkos::create_mirror_view(planck);
  auto const h_phase = Kokkos::create_mirror_view(phase);
  auto const h_mu = Kokkos::create_mirror_view(mu);
  auto const h_weight = Kokkos::create_mirror_view(weight);
  auto const h_forward = Kokkos::create_mirror_view(forward);
  auto const h_backward = Kokkos::create_mirror_view(backward);
  for (int k = 0; k < nlay; ++k)
    for (int p = 0; p < nprofile; ++p) {
      std::uint64_t const key = 4 * (static_cast<std::uint64_t>(k) * 1000003 + p);
      bool const cloud = k >= nlay / 6 && k < nlay / 6 + 5;
      double const random = random_number(key);
      h_depth(p, k) = static_cast<Real>(cloud ? 1 + 13 * random * random
                                              : 0.015 * std::exp(-12. * k / nlay) * (0.6 + 0.8 * random));
      h_albedo(p, k) = static_cast<Real>(k >= nscatter ? 0 : cloud ? 0.9995 : 0.1 + 0.8 * random_number(key + 1));
      h_planck(p, k) = static_cast<Real>(100 * std::exp(-1.5 * k / nlay) + random_number(key + 2));
      h_phase(p, k) = k >= nscatter ? -1 : k % nphase;
    }
  for (int i = 0; i < nangle; ++i) {
    h_mu(0, i) = static_cast<Real>(rule.nodes[i]);
    h_weight(0, i) = static_cast<Real>(rule.weights[i]);
  }
  for (int m = 0; m < nphase; ++m) {
    PhaseMatrix const matrix(rule, asymmetry[m]);
    for (int i = 0; i < nangle; ++i)
      for (int j = 0; j <= nangle; ++j) {
        h_forward(0, m, i, j) = static_cast<Real>(matrix.forward[i * (nangle + 1) + j]);
        h_backward(0, m, i, j) = static_cast<Real>(matrix.backward[i * (nangle + 1) + j]);
      }
  }
  parhelion::assign_array(depth, h_depth);
  parhelion::assign_array(albedo, h_albedo);
  parhelion::assign_array(planck, h_planck);
  parhelion::assign_array(phase, h_phase);
  parhelion::assign_array(mu, h_mu);
  parhelion::assign_array(weight, h_weight);
  parhelion::assign_array(forward, h_forward);
  parhelion::assign_array(backward, h_backward);
  parhelion::assign_array(planck_sfc, Real(110));
  parhelion::assign_array(emissivity, Real(0.9));
  parhelion::assign_array(reflectivity, Real(0.1));
  return {.optical_depth = depth,
          .planck = planck,
          .mu = mu,
          .planck_sfc = planck_sfc,
          .emissivity = emissivity,
          .specular_reflectivity = reflectivity,
          .weight = weight,
          .single_scattering_albedo = albedo,
          .phase = phase,
          .phase_forward = forward,
          .phase_backward = backward};
}

// Multiplications and additions for radiances at the top: of the layers' operators 14 n^3 for the start layer, 20/3 n^3
// for each doubling and 22/3 n^3 at the end, and 26/3 n^3 for adding the layer.
template <class Space, class Real>
double operations_per_profile(Profiles<Space, Real> const& profiles) {
  auto const depth = parhelion::host_copy(profiles.optical_depth);
  auto const phase = parhelion::host_copy(profiles.phase);
  auto const mu = parhelion::host_copy(profiles.mu);
  double cubes = 0;
  int const sample = std::min(profiles.nprofile(), 64);
  for (int p = 0; p < sample; ++p)
    for (int k = 0; k < profiles.nlay(); ++k) {
      if (phase(p, k) < 0) continue;
      cubes += 14 + 22. / 3 + 26. / 3;
      for (double h = static_cast<double>(depth(p, k)) / 2; h > 0.25 * static_cast<double>(mu(0, 0)); h /= 2)
        cubes += 20. / 3;
    }
  return cubes * std::pow(profiles.nangle(), 3) / sample;
}

template <class Space, class Real>
double compulsory_bytes_per_profile(Profiles<Space, Real> const& p) {
  return sizeof(Real) * (3. * p.nlay() + 3. * p.nangle() + 1) + sizeof(int) * static_cast<double>(p.nlay());
}

template <class Space, class Real>
void scattering(benchmark::State& state, Output output) {
  int const nprofile = static_cast<int>(state.range(0));
  int const nangle = static_cast<int>(state.range(2));
  auto const strategy = static_cast<Strategy>(state.range(4));
  Space const space;
  auto const profiles = random_profiles<Space, Real>(nprofile, static_cast<int>(state.range(1)), nangle,
                                                     static_cast<int>(state.range(3)));
  Scattering<Space, Real> solver(space, NoModel(),
                                 {.nprofile = nprofile,
                                  .nlay = profiles.nlay(),
                                  .nangle = nangle,
                                  .nphase = profiles.nphase(),
                                  .levels = output != Output::toa,
                                  .derivatives = output == Output::tangent || output == Output::adjoint},
                                 {.strategy = strategy});
  ProfileArray<Real**, Space> const toa("parhelion::toa", nprofile, nangle);
  ProfileArray<Real**, Space> const seed("parhelion::seed", nprofile, nangle);
  parhelion::assign_array(seed, Real(1));
  Radiances<Space, Real> radiances{.toa = toa};
  Perturbation<Space, Real> change;
  if (output == Output::levels) {
    radiances.up = ProfileArray<Real***, Space>("parhelion::up", nprofile, profiles.nlev(), nangle);
    radiances.dn = ProfileArray<Real***, Space>("parhelion::dn", nprofile, profiles.nlev(), nangle);
  }
  if (output == Output::tangent || output == Output::adjoint) {
    change.optical_depth = ProfileArray<Real**, Space>("parhelion::change", nprofile, profiles.nlay());
    change.single_scattering_albedo = ProfileArray<Real**, Space>("parhelion::change", nprofile, profiles.nlay());
    change.planck = ProfileArray<Real**, Space>("parhelion::change", nprofile, profiles.nlay());
    change.planck_sfc = ProfileArray<Real*, Space>("parhelion::change", nprofile);
    change.emissivity = ProfileArray<Real**, Space>("parhelion::change", nprofile, nangle);
    parhelion::assign_array(change.optical_depth, Real(0.01));
  }
  AddingInput<Space, Real> input(profiles);
  AddingResult<Space, Real> result;
  if (output == Output::tangent) {
    input.perturbation = change;
    result.tangent_toa = toa;
  } else if (output == Output::adjoint) {
    input.adjoint_toa = seed;
    result.derivative = change;
  } else {
    result.radiances = radiances;
  }
  auto const solve = [&] { solver.solve(space, input, result); };
  solve();
  space.fence();
  double const seconds = Perf::time_iterations(state, [&] {
    solve();
    space.fence();
  });
  auto const h_toa = parhelion::host_copy(toa);
  for (int p = 0; p < nprofile; ++p)
    for (int i = 0; i < nangle; ++i)
      if (!std::isfinite(h_toa(p, i))) state.SkipWithError("a radiance is not finite");
  double const rate = nprofile * static_cast<double>(state.iterations()) / seconds;
  state.counters["profiles/s"] = rate;
  Perf::set_work_counters(state, Perf::limits<Space, double>(space, tiny),
                          rate * compulsory_bytes_per_profile(profiles), rate * operations_per_profile(profiles));
  state.counters["workspace_bytes"] = static_cast<double>(solver.workspace_bytes());
}

template <class Space, class Real>
void add(std::string const& name, Output output) {
  std::string const full = name + "/" + Space::name() + (std::is_same_v<Real, float> ? "/float" : "/double");
  auto* const benchmark = benchmark::RegisterBenchmark(
      full.c_str(), [=](benchmark::State& state) { scattering<Space, Real>(state, output); });
  benchmark->ArgNames({"nprofile", "nlay", "nangle", "nscatter", "strategy"})->UseManualTime();
  int const sweep = static_cast<int>(Strategy::sweep);
  if (tiny) {
    benchmark->Args({16, 10, 4, 10, sweep});
    return;
  }
  int const many = runs_on_host<Space> ? 512 : 16384;
  benchmark->Args({many, 60, 8, 60, sweep});
  if (output != Output::toa) return;
  benchmark->Args({many, 60, 8, 15, sweep});
  for (int nangle : {2, 4, 16, 32}) benchmark->Args({nangle > 8 ? many / 4 : many, 60, nangle, 60, sweep});
  // Where the scans overtake the sweep.
  for (int nangle : {4, 8, 16})
    for (int nprofile : {1, 8, 64, 512, 4096})
      for (auto const strategy : {Strategy::sweep, Strategy::team_scan})
        if (nprofile <= many) benchmark->Args({nprofile, 60, nangle, 60, static_cast<int>(strategy)});
}

template <class Space, class Real>
void add_all() {
  add<Space, Real>("toa", Output::toa);
  add<Space, Real>("levels", Output::levels);
  add<Space, Real>("tangent_linear", Output::tangent);
  add<Space, Real>("adjoint", Output::adjoint);
}

}  // namespace

int main(int argc, char** argv) {
  return Perf::run_benchmarks(argc, argv, tiny, [] {
#define PARHELION_ADD(SPACE) \
  add_all<SPACE, float>();   \
  add_all<SPACE, double>();
    PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_ADD)
  });
}
