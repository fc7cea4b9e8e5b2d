// SPDX-License-Identifier: BSD-3-Clause
// Fragments of C++ that the documents show, with what they take for granted. Compiling is the test.
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/rrtmg_files.hpp>
#include <parhelion/retrieval/retrieve.hpp>

namespace parhelion::Testing {

using DefaultSpace = Kokkos::DefaultExecutionSpace;

void solve_columns_on_the_device(fluxes::Columns<DefaultSpace, double> const& columns,
                                 fluxes::Fluxes<DefaultSpace, double> const& fluxes);
void retrieve_profiles(ega::Problem const& problem, ega::HostAtmosphere const& a_priori,
                       ega::HostObservation const& rays, HostArray<double**> const& measured,
                       HostArray<double**> const& noise);

void solve_columns_on_the_device(fluxes::Columns<DefaultSpace, double> const& columns,
                                 fluxes::Fluxes<DefaultSpace, double> const& fluxes) {
#include "link_1.inc"
}

void retrieve_profiles(ega::Problem const& problem, ega::HostAtmosphere const& a_priori,
                       ega::HostObservation const& rays, HostArray<double**> const& measured,
                       HostArray<double**> const& noise) {
  using namespace ega;
  using namespace retrieval;
#include "retrieval_1.inc"
}

}  // namespace parhelion::Testing
