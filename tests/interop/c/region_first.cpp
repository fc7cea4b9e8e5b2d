// SPDX-License-Identifier: BSD-3-Clause
// The first calls of a program come from the threads of a region of OpenMP, and nobody has initialized Kokkos or set an
// environment variable; so does the last one, parhelion_finalize(), which is left out with the argument
// without_finalize. Exit code 0 where all is as it should be, 77 without OpenMP.
#include "caller_array.hpp"

#include <parhelion/core/device.hpp>

#include <iostream>
#include <string>
#include <vector>

using namespace parhelion::Testing;

namespace {

constexpr int nlay = 20;

/// Fluxes of a column that depends on a number.
std::vector<double> fluxes_of(int number, int& failures) {
  Style const style;
  CallerArray p_lay({1, nlay}, style), p_lev({1, nlay + 1}, style), t_lay({1, nlay}, style),
      t_lev({1, nlay + 1}, style), t_sfc({1}, style), emissivity({1}, style), h2o({1, nlay}, style),
      up({1, nlay + 1}, style), dn({1, nlay + 1}, style), heating({1, nlay}, style);
  for (int k = 0; k <= nlay; ++k) {
    p_lev.set({0, k}, 1e5 * (nlay - k) / nlay);
    t_lev.set({0, k}, 210 + number + 78. * (nlay - k) / nlay);
  }
  for (int k = 0; k < nlay; ++k) {
    p_lay.set({0, k}, 1e5 * (nlay - k - 0.5) / nlay);
    t_lay.set({0, k}, 210 + number + 78 * (nlay - k - 0.5) / nlay);
    h2o.set({0, k}, 0.01 * (nlay - k) / nlay);
  }
  t_sfc.set({0}, 288);
  emissivity.set({0}, 0.98);
  parhelion_longwave_options options{};
  options.size = sizeof(options);
  options.model = PARHELION_SIMPLE;
  options.nlay = nlay;
  parhelion_longwave_input in{};
  in.size = sizeof(in);
  in.pressure_lay = p_lay.describe();
  in.pressure_lev = p_lev.describe();
  in.temperature_lay = t_lay.describe();
  in.temperature_lev = t_lev.describe();
  in.temperature_sfc = t_sfc.describe();
  in.emissivity_sfc = emissivity.describe();
  in.gases[PARHELION_H2O] = h2o.describe();
  parhelion_longwave_output out{};
  out.size = sizeof(out);
  out.flux_up = up.describe();
  out.flux_dn = dn.describe();
  out.heating_rate = heating.describe();
  parhelion_longwave* longwave = nullptr;
  for (int const status :
       {parhelion_longwave_create(&options, &longwave), parhelion_longwave_solve(longwave, &in, &out, nullptr),
        parhelion_longwave_destroy(longwave)}) {
    if (status == PARHELION_SUCCESS) continue;
    std::string text(500, '\0');
    parhelion_last_error(text.data(), text.size());
    std::cerr << text.c_str() << '\n';
    ++failures;
  }
  std::vector<double> fluxes;
  for (int k = 0; k <= nlay; ++k)
    for (auto const* const array : {&up, &dn}) fluxes.push_back(array->value({0, k}));
  return fluxes;
}

template <class Action>
bool in_region([[maybe_unused]] Action const& work) {
#define PARHELION_REGION(SPACE)                                                        \
  _Pragma("omp parallel num_threads(2)") work(static_cast<int>(omp_get_thread_num())); \
  return true;
  PARHELION_IMPL_WITH_OPENMP(PARHELION_REGION)
#undef PARHELION_REGION
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<double> found[2];
  int failures[2] = {0, 0};
  if (!in_region([&](int t) { found[t] = fluxes_of(t, failures[t]); })) {
    std::cout << "skipped: Kokkos has no OpenMP\n";
    return 77;
  }
  for (int t = 0; t < 2; ++t)
    if (found[t] != fluxes_of(t, failures[t])) {
      std::cerr << "thread " << t << " got other results than outside of the region\n";
      ++failures[t];
    }
  if (found[0] == found[1]) ++failures[0];
  if (argc > 1 && std::string(argv[1]) == "without_finalize")
    Kokkos::push_finalize_hook([] { std::cout << "Kokkos has been finalized\n" << std::flush; });
  else
    in_region([&](int t) { failures[t] += parhelion_finalize() == PARHELION_SUCCESS ? 0 : 1; });
  if (failures[0] + failures[1] == 0) std::cout << "as it should be\n";
  return failures[0] + failures[1] == 0 ? 0 : 1;
}
