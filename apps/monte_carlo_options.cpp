// SPDX-License-Identifier: BSD-3-Clause
#include "monte_carlo_options.hpp"

#include "number_checks.hpp"

#include <parhelion/io/monte_carlo_cases.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace parhelion::Apps {

using namespace monte_carlo;

Choices<Sampling> const samplings{{"random", Sampling::random},
                                  {"stratified", Sampling::stratified},
                                  {"sobol", Sampling::sobol},
                                  {"kronecker", Sampling::kronecker}};
Choices<Directions> const directions{
    {"independent", Directions::independent}, {"shared", Directions::shared}, {"tiles", Directions::tiles}};
Choices<Reconstruction> const reconstructions{{"constant", Reconstruction::constant},
                                              {"linear", Reconstruction::linear}};
Choices<CoarseTemperature> const coarse_temperatures{{"mean", CoarseTemperature::mean},
                                                     {"emission", CoarseTemperature::emission}};
Choices<RayOrigin> const ray_origins{{"centre", RayOrigin::centre}, {"volume", RayOrigin::volume}};
Choices<AbsorbedBy> const absorbed_by{
    {"planck", AbsorbedBy::planck}, {"band", AbsorbedBy::band}, {"largest", AbsorbedBy::largest}};
Choices<SpectralOrder> const orders{
    {"table", SpectralOrder::table}, {"absorption", SpectralOrder::absorption}, {"hilbert", SpectralOrder::hilbert}};

std::string MonteCarloArguments::subject() const { return built_in() ? io::case_description(case_name).name : input; }

void add_monte_carlo_options(CLI::App& command, MonteCarloArguments& arguments) {
  auto& options = arguments.options;
  auto* const problem = command.add_option_group("problem");
  auto* const input =
      problem->add_option("INPUT", arguments.input, "grid, temperature, composition and boundaries, HDF5 or netCDF-4")
          ->type_name("INPUT.h5");
  problem->add_option("--case", arguments.case_name, "a built-in case instead of an input file, listed below")
      ->type_name("NAME");
  problem->require_option(1);
  command.add_option("-o,--output", arguments.output, "netCDF-4 file to write")->required()->type_name("OUT.nc");
  command
      .add_option("--spectrum", arguments.spectrum,
                  "narrow-band table, grey:KAPPA [m-1] or wsgg, the weighted sum of grey gases; by default that of the "
                  "case or, if it is grey or wsgg, that named in INPUT.h5")
      ->type_name("FILE|grey:KAPPA|wsgg");
  command
      .add_option("--cells", arguments.cells,
                  "number of cells of the case along all or each of the axes; 64 by default")
      ->delimiter(',')
      ->expected(1, 3)
      ->transform(whole_number(1, 1 << 20))
      ->excludes(input)
      ->type_name("N|NX,NY,NZ");
  command.add_option("--stretch", arguments.stretch, "concentration of cells near walls, 0 (none) to 10")
      ->check(number_check("STRETCH", "a number from 0 to 10", [](double x) { return x >= 0 && x <= 10; }))
      ->excludes(input)
      ->capture_default_str();
  command.add_option("--rays", options.rays, "number of rays of each cell and each face of a wall")
      ->transform(whole_number(1, 1 << 30))
      ->capture_default_str();
  command
      .add_option("--repetitions", options.repetitions,
                  "number of independent parts of the rays, at least 2, whose scatter gives the error")
      ->transform(whole_number(2, 1 << 30))
      ->capture_default_str();
  command
      .add_option("--target-error", arguments.target_error,
                  "add repetitions until the standard deviation of q is below this percentage of the largest |q|; the "
                  "exit status is 3 if 4096 of them do not reach it")
      ->check(positive_number())
      ->type_name("PERCENT");
  command.add_option("--seed", options.seed, "seed of the random numbers")
      ->transform(whole_number(std::uint64_t(0), std::numeric_limits<std::uint64_t>::max(), "NONNEGATIVE"))
      ->capture_default_str();
  add_choice(command, "--sampling", options.sampling, samplings, "how spectral points and directions are sampled");
  add_choice(command, "--directions", options.directions, directions, "which cells share the directions of rays");
  add_choice(command, "--order", options.order, orders, "order of the spectral points");
  add_choice(command, "--launch", options.ray_origin, ray_origins, "where rays start in cells and faces");
  add_choice(command, "--reconstruction", options.reconstruction, reconstructions, "temperature within cells");
  command.add_option("--grids", options.grids, "number of grids from fine to coarse, 1 to 12; 0: as many as possible")
      ->transform(whole_number(0, max_grids))
      ->capture_default_str();
  add_choice(command, "--coarse", options.coarse, coarse_temperatures, "temperature of cells in coarser grids");
  auto* const steps =
      command.add_option("--steps", options.first_steps, "number of cells that a ray crosses in the finest grid")
          ->transform(whole_number(1, 1024))
          ->capture_default_str();
  auto* const absorbed =
      command
          .add_option("--absorbed", arguments.absorbed,
                      "shares of a ray that the finest and the next grids absorb, instead of --steps")
          ->delimiter(',')
          ->expected(1, max_grids - 1)
          ->check(
              number_check("SHARE", "shares above 0 that sum to less than 1", [](double x) { return x > 0 && x < 1; }))
          ->excludes(steps)
          ->type_name("P,P,...");
  add_choice(command, "--absorbed-by", options.absorbed_by, absorbed_by,
             "absorption coefficient that --absorbed refers to")
      ->needs(absorbed);
  command.add_option("--tolerance", options.tolerance, "transmittance at which a ray ends")
      ->check(number_check("SHARE", "a number between 0 and 1", [](double x) { return x > 0 && x < 1; }))
      ->capture_default_str();
  command.add_flag("--no-walls", arguments.no_walls, "do not compute fluxes at walls");
  command
      .add_option("--checkpoint", arguments.checkpoint,
                  "file for --resume, written every 10 s, when interrupted and at the end")
      ->type_name("FILE");
  command.add_option("--resume", arguments.resume, "continue from a checkpoint of the same problem and options")
      ->type_name("FILE");
  add_common_options(command, arguments.common, {.item = ""});
}

Options checked_options(MonteCarloArguments const& arguments) {
  if (arguments.cells.size() == 2) throw CLI::ValidationError("--cells", "expected one number or three");
  auto options = arguments.options;
  options.walls = !arguments.no_walls;
  std::copy(arguments.absorbed.begin(), arguments.absorbed.end(), options.absorbed);
  if (options.rays < options.repetitions)
    throw CLI::ValidationError(
        "--rays", fmt::format("{}, expected no fewer than the {} of --repetitions", options.rays, options.repetitions));
  double const absorbed = std::accumulate(arguments.absorbed.begin(), arguments.absorbed.end(), 0.);
  if (!(absorbed < 1))
    throw CLI::ValidationError("--absorbed", fmt::format("{}, expected shares above 0 that sum to less than 1",
                                                         fmt::join(arguments.absorbed, ",")));
  return options;
}

}  // namespace parhelion::Apps
