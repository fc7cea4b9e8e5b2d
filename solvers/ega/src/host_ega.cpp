// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/host_ega.hpp>

#include "block_run.hpp"
#include "host_forward.hpp"
#include "prepared_problem.hpp"

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_threads.hpp>
#include <parhelion/ega/forward_model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::ega {

namespace {

constexpr char const* function = "compute_spectra";

using Host = Kokkos::DefaultHostExecutionSpace;

template <Solver S>
Impl::BlockSettings<S> spectra_settings(int copies) {
  // A host has one chunk at a time, at whose end threads wait for its longest rays; a device has several chunks.
  return {.function = function,
          .limits = {.items = runs_on_host<typename S::execution_space> ? 65536 : 16384},
          .copies = copies};
}

/// Calls action(run) with a BlockRun for the precision of the options.
template <class Space, class Action>
void with_forward_run(Space const& space, Impl::Call const& call, int copies, Impl::KeptModel& kept,
                      Action const& action) {
  auto const with_precision = [&]<class Real>(Real) {
    using S = ForwardModel<Space, Real>;
    Impl::BlockRun<S> run(space, call, kept, spectra_settings<S>(copies));
    action(run);
  };
  if (call.options.precision == Precision::float32)
    with_precision(float());
  else
    with_precision(double());
}

}  // namespace

namespace Impl {

HostSpectra unknown_spectra(HostThreads const& threads, int nray, int nchannel) {
  auto spectra = make_host_arrays<HostSpectra>({{dimension::ray, nray}, {dimension::channel, nchannel}}, true);
  // The system gives the memory when it is first written, which takes longer than to write it.
  constexpr std::size_t of_block = 65536;
  std::size_t const size = spectra.radiance.size();
  threads.for_each(
      "parhelion::ega::unknown_spectra", (size + of_block - 1) / of_block,
      [&](std::size_t block) {
        std::size_t const first = block * of_block;
        for (auto const& array : {spectra.radiance, spectra.transmittance})
          std::fill_n(array.data() + first, std::min(of_block, size - first), std::numeric_limits<double>::quiet_NaN());
      },
      static_cast<std::int64_t>(size));
  std::fill_n(spectra.npoint.data(), spectra.npoint.size(), 0);
  for (auto const& array : {spectra.tangent.altitude, spectra.tangent.longitude, spectra.tangent.latitude})
    std::fill_n(array.data(), array.size(), 0.);
  return spectra;
}

std::size_t spectra_bytes(int nray, int nchannel) {
  return static_cast<std::size_t>(nray) *
         (2 * sizeof(double) * static_cast<std::size_t>(nchannel) + 3 * sizeof(double) + sizeof(int));
}

bool was_stopped(Call const& call, HostEgaReport const& report) {
  return report.done < static_cast<std::int64_t>(call.observation.nray()) * call.problem.nchannel();
}

template <KokkosExecutionSpace Space>
void plan_forward(Space const& space, Call const& call, int copies, KeptModel& kept, HostEgaReport& report) {
  with_forward_run(space, call, copies, kept, [&](auto& run) { run.plan(report); });
  report.plan.host_bytes += spectra_bytes(copies * call.observation.nray(), call.problem.nchannel());
}

template <KokkosExecutionSpace Space>
HostSpectra forward(Space const& space, Call const& call, KeptModel& kept, HostEgaReport& report) {
  int const nray = call.observation.nray();
  HostSpectra const spectra = unknown_spectra(HostThreads(space), nray, call.problem.nchannel());
  with_forward_run(space, call, 1, kept, [&]<class S>(BlockRun<S>& run) {
    HostEgaReport again;  // as it was planned
    run.plan(again);
    run.for_each_block(report, [&](HostDriver<S>& driver, int first, int last) {
      auto const block =
          part_of(descriptions_of<HostSpectra>(), array_refs(spectra), dimension::channel, first, last - first);
      return run.solve(driver, 0, nray, last - first, result_of<S>(block), spectra.npoint, report);
    });
  });
  return spectra;
}

template <KokkosExecutionSpace Space>
HostSpectra spectra_of(Space const& space, Call const& call, KeptModel& kept, HostEgaReport& report, Air air) {
  Kokkos::Timer const total;
  plan_forward(space, call, 1, kept, report);
  if (call.options.on_plan) call.options.on_plan(report);
  auto const spectra = forward(space, call, kept, report);
  finish_spectra(HostThreads(space), call.problem, call.atmosphere, call.observation, spectra,
                 was_stopped(call, report) ? Air::trial : air);
  report.total_seconds = total.seconds();
  return spectra;
}

}  // namespace Impl

namespace {

template <class Space>
HostSpectra checked_spectra(Space const& space, Problem const& problem, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, HostEgaOptions const& options, Impl::KeptModel& kept,
                            HostEgaReport* report) {
  Impl::validate_problem(problem, atmosphere, observation);
  HostEgaReport own;
  auto& told = report != nullptr ? *report : own;
  told = {};
  auto const computed =
      Impl::computed_atmosphere(problem, atmosphere, options.out_of_range, told.out_of_range, function);
  return Impl::spectra_of(space, Impl::Call{problem, computed, observation, options}, kept, told, Impl::Air::given);
}

/// A set of arrays in double precision from arrays of the caller of any precision and strides.
template <DescribedArrays Set, class HostSpace>
void copy_to_set(HostSpace const& host, std::string const& where, std::vector<ArrayDescription> const& descriptions,
                 std::vector<ConstArrayRef> const& from, Set& set) {
  if (from.size() != descriptions.size())
    throw Error(where, fmt::format("{} arrays, expected {}", from.size(), descriptions.size()));
  Dimensions dimensions;
  ArrayCopies copies;
  std::size_t i = 0;
  Set::for_each_array(
      [&]<class View>(ArrayDescription const& description, View& view) {
        if (i == from.size()) return;
        ConstArrayRef const& array = from[i++];
        check_extents(where, description, array, dimensions);
        if (array.empty()) return;
        typename View::array_layout layout;
        for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = static_cast<std::size_t>(array.extents[d]);
        view = View(Kokkos::view_alloc("parhelion::ega::" + std::string(description.name), Kokkos::WithoutInitializing),
                    layout);
        copies.add(array, array_ref(view));
      },
      set);
  copies.run(host);
}

/// The instance whose threads make copies.
template <class Space>
auto host_instance(Space const& space) {
  if constexpr (runs_on_host<Space>)
    return space;
  else
    return Host();
}

}  // namespace

HostEgaReport plan_spectra(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                           HostEgaOptions const& options) {
  Impl::validate_problem(problem, atmosphere, observation);
  HostEgaReport report;
  Impl::KeptModel kept;
  auto const computed =
      Impl::computed_atmosphere(problem, atmosphere, options.out_of_range, report.out_of_range, function);
  with_execution_space(options.space, [&](auto const& space) {
    Impl::plan_forward(space, Impl::Call{problem, computed, observation, options}, 1, kept, report);
  });
  return report;
}

HostSpectra compute_spectra(Problem const& problem, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, HostEgaOptions const& options, HostEgaReport* report) {
  Impl::KeptModel of_this_call;
  HostSpectra spectra;
  with_execution_space(options.space, [&](auto const& space) {
    spectra = checked_spectra(space, problem, atmosphere, observation, options, of_this_call, report);
  });
  return spectra;
}

HostSpectra compute_spectra(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, HostEgaReport* report) {
  HostSpectra spectra;
  with_execution_space(prepared.options().space, [&](auto const& space) {
    spectra = compute_spectra(space, prepared, atmosphere, observation, report);
  });
  return spectra;
}

template <KokkosExecutionSpace Space>
HostSpectra compute_spectra(Space const& space, PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                            HostObservation const& observation, HostEgaReport* report) {
  auto& content = Impl::PreparedAccess::content(prepared);
  auto const spectra =
      checked_spectra(space, content.problem, atmosphere, observation, content.options, content.kept, report);
  content.forget_tables();
  return spectra;
}

template <KokkosExecutionSpace Space>
void compute_spectra(Space const& space, PreparedProblem const& prepared, std::vector<ConstArrayRef> const& atmosphere,
                     std::vector<ConstArrayRef> const& observation, std::vector<ArrayRef> const& spectra,
                     HostEgaReport* report) {
  Kokkos::Timer const total;
  auto const host = host_instance(space);
  std::string const where = Impl::name_or(prepared.problem().name, function);
  HostAtmosphere profiles;
  HostObservation rays;
  copy_to_set(host, where, descriptions_of<Atmosphere<Host>>(), atmosphere, profiles);
  copy_to_set(host, where, descriptions_of<Observation<Host>>(), observation, rays);
  profiles.gases = prepared.problem().gases;
  for (auto* array : {&profiles.time, &profiles.longitude, &profiles.latitude})
    *array = HostArray<double**>("parhelion::ega::levels", profiles.nprofile(), profiles.nlev());
  auto const descriptions = descriptions_of<HostSpectra>();
  if (spectra.size() != descriptions.size())
    throw Error(where, fmt::format("{} arrays of spectra, expected {}", spectra.size(), descriptions.size()));
  Dimensions dimensions{{dimension::ray, rays.nray()}, {dimension::channel, prepared.problem().nchannel()}};
  for (std::size_t i = 0; i < spectra.size(); ++i)
    if (!spectra[i].empty()) check_extents(where, descriptions[i], spectra[i], dimensions);
  HostSpectra const found = compute_spectra(space, prepared, profiles, rays, report);
  auto const from = array_refs(found);
  ArrayCopies copies;
  for (std::size_t i = 0; i < spectra.size(); ++i)
    if (!spectra[i].empty()) copies.add(from[i], spectra[i]);
  copies.run(host);
  if (report != nullptr) report->total_seconds = total.seconds();
}

#define PARHELION_IMPL_INSTANTIATE(SPACE)                                                                         \
  template HostSpectra compute_spectra(SPACE const&, PreparedProblem const&, HostAtmosphere const&,               \
                                       HostObservation const&, HostEgaReport*);                                   \
  template void compute_spectra(SPACE const&, PreparedProblem const&, std::vector<ConstArrayRef> const&,          \
                                std::vector<ConstArrayRef> const&, std::vector<ArrayRef> const&, HostEgaReport*); \
  template void Impl::plan_forward(SPACE const&, Call const&, int, KeptModel&, HostEgaReport&);                   \
  template HostSpectra Impl::forward(SPACE const&, Call const&, KeptModel&, HostEgaReport&);                      \
  template HostSpectra Impl::spectra_of(SPACE const&, Call const&, KeptModel&, HostEgaReport&, Air);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::ega
