// SPDX-License-Identifier: BSD-3-Clause
// A twin experiment: retrieves temperature and ozone of a known atmosphere from its simulated, noisy limb spectra.
// plot_retrieval.py draws the output.
#include <parhelion/parhelion.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::retrieval;

namespace {

constexpr double km = 1e3;

// Channels of carbon dioxide around 15 um for the temperature, and of ozone around 10 um. SYNTHETIC bands, from opaque
// to thin: each channel is sensitive to a range of altitudes.
Problem limb_sounder() {
  constexpr int nco2 = 6;
  static constexpr double centre[] = {667, 680, 690, 700, 712, 725, 1000, 1020, 1035, 1050};  // [cm-1]
  static constexpr double strength[] = {3e-18, 3e-19, 3e-20, 3e-21, 3e-22, 3e-23, 3e-18, 3e-19, 3e-20, 3e-21};
  Problem problem;
  problem.gases = {"CO2", "O3"};
  for (double const nu : centre) {
    problem.channels.wavenumber.push_back(nu);
    problem.channels.window.push_back(0);
    problem.channels.filter.push_back({{nu - 1, nu, nu + 1}, {1, 1, 1}});
  }
  problem.tables = [](int gas, int channel) {
    bool const absorbs = (gas == 0) == (channel < nco2);
    return absorbs ? io::synthetic_table({.strength = strength[channel], .width = 0.1, .lower_state = 300})
                   : EmissivityTable();
  };
  problem.options.continua = {false, false, false, false};
  problem.options.vertical_step = 1 * km;
  problem.options.hydrostatic_reference = 30 * km;  // pressures follow from temperatures
  return problem;
}

HostAtmosphere a_priori() {
  int const nlev = 36;
  auto const air = make_atmosphere(1, nlev, {"CO2", "O3"}, 1);
  for (int l = 0; l < nlev; ++l) {
    double const z = 2 * l;  // [km]
    air.altitude(0, l) = z * km;
    air.pressure(0, l) = 101325 * std::exp(-z / 7);
    air.temperature(0, l) = 220 + 45 * std::exp(-std::pow((z - 50) / 14, 2)) + 50 * std::exp(-std::pow(z / 8, 2));
    air.mole_fraction(0, 0, l) = 4e-4;
    air.mole_fraction(0, 1, l) = 8e-6 * std::exp(-std::pow((z - 33) / 13, 2)) + 3e-8;
  }
  make_hydrostatic(air, 30 * km);
  return air;
}

// Another atmosphere, with a wave in temperature and another in ozone.
HostAtmosphere the_truth() {
  auto const air = a_priori();
  for (int l = 0; l < air.nlev(); ++l) {
    double const z = air.altitude(0, l) / km;
    double const window = std::exp(-std::pow((z - 31) / 12, 4));
    air.temperature(0, l) += 5 * window * std::sin((z - 20) / 4);
    air.mole_fraction(0, 1, l) *= 1 + 0.2 * window * std::cos((z - 24) / 5);
  }
  make_hydrostatic(air, 30 * km);
  return air;
}

// A satellite at 800 km that looks at tangent points from 8 to 56 km.
HostObservation limb_scan() {
  int const nray = 25;
  auto const rays = make_observation(nray);
  for (int r = 0; r < nray; ++r) {
    double const tangent = (8 + 2 * r) * km;
    rays.observer.altitude(r) = 800 * km;
    rays.view_point.altitude(r) = tangent;
    double const radius = jurassic_constants::earth_radius;
    rays.view_point.latitude(r) = std::acos((radius + tangent) / (radius + 800 * km)) * 180 / std::acos(-1.);
  }
  return rays;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Problem const problem = limb_sounder();
  HostAtmosphere const prior = a_priori();
  HostAtmosphere const truth = the_truth();
  HostObservation const rays = limb_scan();

  // The measurement: spectra of the true atmosphere with noise of 0.5 % of the strongest signal of each channel.
  HostArray<double**> const measured = compute_spectra(problem, truth, rays).radiance;
  HostArray<double**> const noise("noise", measured.extent(0), measured.extent(1));
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int c = 0; c < problem.nchannel(); ++c) {
    double strongest = 0;
    for (int r = 0; r < rays.nray(); ++r) strongest = std::max(strongest, measured(r, c));
    for (int r = 0; r < rays.nray(); ++r) {
      noise(r, c) = 0.005 * strongest;
      measured(r, c) += noise(r, c) * normal(random);
    }
  }

  // The state and its prior errors: 8 K and 40 %, correlated over 4 km.
  RetrievalChoice choice;
  choice.elements.temperature = {12 * km, 60 * km};
  choice.elements.mole_fraction = {{}, {12 * km, 56 * km}};
  choice.temperature = {StateScale::absolute, {8}, 4 * km};
  choice.mole_fraction = {{}, relative_prior(0.4, 4 * km)};
  HostRetrieval const found = retrieve(problem, prior, rays, measured, noise, choice);

  std::printf("# profile  altitude[km]  truth  a_priori  retrieved  error  noise_error  total_error  response\n");
  for (std::size_t i = 0; i < found.elements.size(); ++i) {
    auto const& [quantity, gas, level] = found.elements[i];
    bool const kelvin = quantity == Quantity::temperature;
    double const unit = kelvin ? 1 : 1e-6;
    double const true_value = kelvin ? truth.temperature(0, level) : truth.mole_fraction(0, gas, level);
    std::printf("%-6s %5.1f %9.4f %9.4f %9.4f %9.4f %8.4f %8.4f %8.4f\n", kelvin ? "T[K]" : "O3[ppm]",
                prior.altitude(0, level) / km, true_value / unit, found.prior[i] / unit, found.value[i] / unit,
                (found.value[i] - true_value) / unit, found.noise_error[i] / unit, found.total_error[i] / unit,
                found.response[i]);
  }
  std::printf("# averaging kernel, of kelvins and fractions: a row for each line above\n");
  for (std::size_t i = 0; i < found.elements.size(); ++i) {
    for (std::size_t j = 0; j < found.elements.size(); ++j)
      std::printf(" %8.5f", found.estimate.averaging_kernel(i, j));
    std::printf("\n");
  }
  std::printf("# %s after %d steps, chi-square %.3f, of the residual %.3f, %.1f degrees of freedom of %d, %.2f s\n",
              found.estimate.converged ? "converged" : "not converged", found.estimate.iterations, found.chi_square,
              found.residual_chi_square, found.estimate.degrees_of_freedom, found.measurements, found.seconds);
}
