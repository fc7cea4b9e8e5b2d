// SPDX-License-Identifier: BSD-3-Clause
// Solvers that are made while Kokkos does not run are refused, and those that outlive it end quietly: Kokkos by itself
// would end the process in both cases. Exit code 0 where all is so.
#include <parhelion/adding/clear_sky.hpp>
#include <parhelion/adding/scattering.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/ega/derivatives.hpp>
#include <parhelion/ega/forward_model.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/io/monte_carlo_cases.hpp>
#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace parhelion;
using Space = Kokkos::DefaultExecutionSpace;

bool all_good = true;

template <class Action>
void expect_refusal(std::string const& expected, Action const& action) {
  try {
    action();
    std::cerr << "no refusal, expected: " << expected << '\n';
    all_good = false;
  } catch (Error const& error) {
    if (std::string(error.what()).find(expected) != std::string::npos) return;
    std::cerr << error.what() << "\nexpected: " << expected << '\n';
    all_good = false;
  }
}

void refuse_all(std::string const& expected) {
  expect_refusal(expected, [] { fluxes::HostLongwave<double>(4, 10, {}, false, fluxes::SimpleSpectralData()); });
  expect_refusal(expected, [] { with_execution_space("", [](auto const&) {}); });
}

}  // namespace

int main(int argc, char** argv) {
  refuse_all("Kokkos is not initialized");
  std::shared_ptr<void> longwave, host_longwave, clear_sky, scattering, forward, adjoint, boxes;
  Kokkos::initialize(argc, argv);
  {
    Space const space;
    auto model = std::make_unique<fluxes::SimpleSpectral<Space, double>>(space);
    longwave = std::make_shared<fluxes::Longwave<fluxes::SimpleSpectral<Space, double>>>(space, *model,
                                                                                         fluxes::LongwaveCapacity{10});
    host_longwave = std::make_shared<fluxes::HostLongwave<double>>(
        4, 10, fluxes::Clouds<fluxes::HostLongwave<double>::host_space, double>(), false, fluxes::SimpleSpectralData());
    adding::Capacity const capacity{.nprofile = 3, .nlay = 5, .nangle = 2, .nphase = 1};
    clear_sky = std::make_shared<adding::ClearSky<Space, double>>(space, NoModel(), capacity);
    scattering = std::make_shared<adding::Scattering<Space, double>>(space, NoModel(), capacity);
    ega::Problem gas;
    gas.gases = {"CO2"};
    gas.channels.wavenumber = {800};
    gas.channels.window = {0};
    gas.channels.filter = {{{800}, {1}}};
    gas.options.continua = {false, false, false, false};
    gas.tables = [](int, int) { return ega::EmissivityTable{}; };
    auto const tables = ega::make_model<Space, double>(space, gas, 0, 1);
    ega::ForwardCapacity const rays{.nray = 2, .ngas = 1, .nchannel = 4, .npoint = 16, .nprofile = 1, .nlev = 2};
    forward = std::make_shared<ega::ForwardModel<Space, double>>(space, tables, rays);
    adjoint = std::make_shared<ega::AdjointModel<Space, double>>(space, tables, rays);
    auto const box = io::built_in_case("case01", {.cells = {2, 2, 2}});
    using Boxes = monte_carlo::ReciprocalMonteCarlo<Space, double>;
    boxes = std::make_shared<Boxes>(space, monte_carlo::DeviceProblem<Space, double>(space, box, {}),
                                    Boxes::capacity_for(box, {}));
  }
  Kokkos::finalize();
  refuse_all("Kokkos has been finalized");
  for (auto* each : {&longwave, &host_longwave, &clear_sky, &scattering, &forward, &adjoint, &boxes}) each->reset();
  if (all_good) std::cout << "refused and ended as they should\n";
  return all_good ? 0 : 1;
}
