// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/adding/clear_sky.hpp>
#include <parhelion/adding/host_adding.hpp>
#include <parhelion/adding/scattering.hpp>

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace parhelion::adding {

namespace {

constexpr double weight_tolerance = 1e-10;  // weights are tables of constants or come from a few sums in double
constexpr double row_tolerance = 1e-6;      // matrices may have been stored in single precision

bool empty(KokkosView auto const& view) { return view.size() == 0; }

std::string opening(ArrayNames const& names, char const* function) {
  return names.where.empty() ? function : names.where;
}

bool not_negative(double x) { return x >= 0; }
bool positive_to_one(double x) { return x > 0 && x <= 1; }
bool zero_to_one(double x) { return x >= 0 && x <= 1; }
bool any(double) { return true; }

// The shapes that all arrays of a calculation have.
struct Sizes {
  std::size_t nprofile, nlay, nangle, nphase;

  explicit Sizes(HostProfiles const& profiles)
      : nprofile(profiles.planck.extent(0)),
        nlay(profiles.planck.extent(1)),
        nangle(profiles.mu.extent(1)),
        nphase(profiles.phase_forward.extent(1)) {}
};

void check_shapes(HostProfiles const& p, ArrayNames const& names, std::string const& where) {
  Sizes const n(p);
  if (n.nprofile < 1 || n.nlay < 1)
    throw Error(where,
                fmt::format("{} has shape ({}, {}), expected at least (1, 1)", names.planck, n.nprofile, n.nlay));
  if (n.nangle < 1)
    throw Error(where, fmt::format("{} has shape ({}, 0), expected at least one angle", names.mu, p.mu.extent(0)));
  expect_shape(where, p.optical_depth, names.optical_depth, {n.nprofile, n.nlay});
  expect_shape(where, p.mu, names.mu, {n.nprofile, n.nangle});
  if (p.scatters() || !empty(p.weight)) expect_shape(where, p.weight, names.weight, {n.nprofile, n.nangle});
  expect_shape(where, p.planck_sfc, names.planck_sfc, {n.nprofile});
  expect_shape(where, p.emissivity, names.emissivity, {n.nprofile, n.nangle});
  if (!empty(p.reflectivity)) expect_shape(where, p.reflectivity, names.reflectivity, {n.nprofile, n.nangle, n.nangle});
  if (!empty(p.cosmic)) expect_shape(where, p.cosmic, names.cosmic, {n.nprofile});
  if (!empty(p.cos_sun) || !empty(p.solar_irradiance) || !empty(p.direct_reflectivity)) {
    expect_shape(where, p.cos_sun, names.cos_sun, {n.nprofile});
    expect_shape(where, p.solar_irradiance, names.solar_irradiance, {n.nprofile});
    expect_shape(where, p.direct_reflectivity, names.direct_reflectivity, {n.nprofile, n.nangle});
  }
  if (p.scatters()) {
    if (n.nphase < 1) throw Error(where, fmt::format("{} is empty, expected at least one matrix", names.phase_forward));
    expect_shape(where, p.single_scattering_albedo, names.single_scattering_albedo, {n.nprofile, n.nlay});
    expect_shape(where, p.phase, names.phase, {n.nprofile, n.nlay});
    expect_shape(where, p.phase_forward, names.phase_forward, {n.nprofile, n.nphase, n.nangle, n.nangle + 1});
    expect_shape(where, p.phase_backward, names.phase_backward, {n.nprofile, n.nphase, n.nangle, n.nangle + 1});
  } else {
    expect_shape(where, p.phase, names.phase, {0, 0});
    expect_shape(where, p.phase_forward, names.phase_forward, {0, 0, 0, 0});
    expect_shape(where, p.phase_backward, names.phase_backward, {0, 0, 0, 0});
  }
}

// A layer with such phase matrices does not scatter.
bool is_zero(HostProfiles const& profiles, std::size_t p, std::size_t m) {
  for (auto const* const matrices : {&profiles.phase_forward, &profiles.phase_backward}) {
    std::size_t const size = matrices->extent(2) * matrices->extent(3);
    double const* const first = matrices->data() + (p * matrices->extent(1) + m) * size;
    if (std::any_of(first, first + size, [](double x) { return x != 0; })) return false;
  }
  return true;
}

void check_weights(HostProfiles const& profiles, ArrayNames const& names, std::string const& where) {
  for (std::size_t p = 0; p < profiles.weight.extent(0); ++p) {
    double sum = 0;
    for (std::size_t i = 0; i < profiles.weight.extent(1); ++i) sum += profiles.weight(p, i);
    if (std::abs(sum - 1) > weight_tolerance)
      throw Error(where, fmt::format("{}({}): sums to {:.12g}, expected 1 within {:g}", names.weight, p, sum,
                                     weight_tolerance));
  }
}

void check_reflectivity(HostProfiles const& profiles, ArrayNames const& names, std::string const& where) {
  auto const& reflectivity = profiles.reflectivity;
  for (std::size_t p = 0; p < reflectivity.extent(0); ++p)
    for (std::size_t i = 0; i < reflectivity.extent(1); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < reflectivity.extent(2); ++j) sum += reflectivity(p, i, j);
      if (sum > 1 + row_tolerance)
        throw Error(where, fmt::format("{}({}, {}): row sums to {:.12g}, expected at most 1 within {:g}",
                                       names.reflectivity, p, i, sum, row_tolerance));
    }
}

void check_phase_matrices(HostProfiles const& profiles, ArrayNames const& names, std::string const& where) {
  Sizes const n(profiles);
  std::vector<bool> used;
  for (std::size_t p = 0; p < n.nprofile; ++p) {
    used.assign(n.nphase, false);
    for (std::size_t k = 0; k < n.nlay; ++k)
      if (profiles.phase(p, k) >= 0 && profiles.single_scattering_albedo(p, k) > 0)
        used[static_cast<std::size_t>(profiles.phase(p, k))] = true;
    for (std::size_t m = 0; m < n.nphase; ++m) {
      if (!used[m] || is_zero(profiles, p, m)) continue;
      for (std::size_t i = 0; i < n.nangle; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < n.nangle; ++j)
          sum += (profiles.phase_forward(p, m, i, j) + profiles.phase_backward(p, m, i, j)) * profiles.weight(p, j);
        if (std::abs(sum - 1) > row_tolerance)
          throw Error(where,
                      fmt::format("{} + {}({}, {}, {}): row sums to {:.12g} with the weights, expected 1 within {:g}",
                                  names.phase_forward, names.phase_backward, p, m, i, sum, row_tolerance));
      }
    }
  }
}

}  // namespace

void validate(HostProfiles const& profiles, ArrayNames const& names) {
  std::string const where = opening(names, "validate");
  check_shapes(profiles, names, where);
  char const* const at_least_zero = "a number of at least 0";
  char const* const to_one = "0 to 1";
  expect_values(where, profiles.optical_depth, names.optical_depth, "", at_least_zero, not_negative);
  expect_values(where, profiles.planck, names.planck, "", at_least_zero, not_negative);
  expect_values(where, profiles.mu, names.mu, "", "more than 0 and at most 1", positive_to_one);
  expect_values(where, profiles.weight, names.weight, "", to_one, zero_to_one);
  check_weights(profiles, names, where);
  expect_values(where, profiles.planck_sfc, names.planck_sfc, "", at_least_zero, not_negative);
  expect_values(where, profiles.emissivity, names.emissivity, "", to_one, zero_to_one);
  expect_values(where, profiles.reflectivity, names.reflectivity, "", at_least_zero, not_negative);
  check_reflectivity(profiles, names, where);
  expect_values(where, profiles.cosmic, names.cosmic, "", at_least_zero, not_negative);
  expect_values(where, profiles.solar_irradiance, names.solar_irradiance, "", at_least_zero, not_negative);
  expect_values(where, profiles.cos_sun, names.cos_sun, "", "a finite number", any);
  for (std::size_t p = 0; p < profiles.cos_sun.extent(0); ++p)
    if (profiles.solar_irradiance(p) > 0 && !positive_to_one(profiles.cos_sun(p)))
      throw Error(where, fmt::format("{}({}) = {}, expected more than 0 and at most 1 where {} is above 0",
                                     names.cos_sun, p, profiles.cos_sun(p), names.solar_irradiance));
  expect_values(where, profiles.direct_reflectivity, names.direct_reflectivity, "", at_least_zero, not_negative);
  if (!profiles.scatters()) return;
  expect_values(where, profiles.single_scattering_albedo, names.single_scattering_albedo, "", to_one, zero_to_one);
  int const nphase = profiles.nphase();
  expect_values(where, profiles.phase, names.phase, "", fmt::format("-1 to {}", nphase - 1),
                [nphase](double x) { return x >= -1 && x < nphase; });
  expect_values(where, profiles.phase_forward, names.phase_forward, "", at_least_zero, not_negative);
  expect_values(where, profiles.phase_backward, names.phase_backward, "", at_least_zero, not_negative);
  check_phase_matrices(profiles, names, where);
}

void validate_options(HostProfiles const& profiles, HostAddingOptions const& options, ArrayNames const& names) {
  std::string const where = opening(names, "validate_options");
  if (options.chunk < 0)
    throw Error(where, fmt::format("chunk = {}, expected at least 1, or 0 for a choice", options.chunk));
  Sizes const n(profiles);
  auto const check = [&](auto const& view, std::string const& name, std::initializer_list<std::size_t> shape,
                         bool possible, char const* missing) {
    if (empty(view)) return;
    if (!possible) throw Error(where, fmt::format("{} cannot be honoured: the profiles have no {}", name, missing));
    expect_shape(where, view, name, shape);
    expect_values(where, view, name, "", "a finite number", any);
  };
  if (options.tangent != nullptr) {
    auto const& t = *options.tangent;
    std::string const& before = names.tangent;
    bool const scatters = profiles.scatters();
    check(t.optical_depth, before + names.optical_depth, {n.nprofile, n.nlay}, true, "");
    check(t.planck, before + names.planck, {n.nprofile, n.nlay}, true, "");
    check(t.planck_sfc, before + names.planck_sfc, {n.nprofile}, true, "");
    check(t.emissivity, before + names.emissivity, {n.nprofile, n.nangle}, true, "");
    check(t.reflectivity, before + names.reflectivity, {n.nprofile, n.nangle, n.nangle}, true, "");
    check(t.direct_reflectivity, before + names.direct_reflectivity, {n.nprofile, n.nangle},
          !empty(profiles.direct_reflectivity), "sun");
    check(t.single_scattering_albedo, before + names.single_scattering_albedo, {n.nprofile, n.nlay}, scatters,
          "scattering");
    for (auto const& [view, name] :
         {std::pair{&t.phase_forward, &names.phase_forward}, std::pair{&t.phase_backward, &names.phase_backward}})
      check(*view, before + *name, {n.nprofile, n.nphase, n.nangle, n.nangle + 1}, scatters, "scattering");
  }
  check(options.adjoint, names.adjoint, {n.nprofile, n.nangle}, true, "");
}

namespace {

template <class DataType, class... Extents>
HostArray<DataType> make(Extents... extents) {
  return HostArray<DataType>("parhelion::HostAdding::host", static_cast<std::size_t>(extents)...);
}

template <class View>
bool all_zero(View const& view) {
  return std::all_of(view.data(), view.data() + view.size(), [](double x) { return x == 0; });
}

// What the solver gets: the profiles, but what has no effect stays empty. All this is decided for the whole call, so
// that the results of a profile do not depend on the chunk that it is in.
struct SolverInput {
  HostProfiles profiles;
  HostArray<double**> specular_reflectivity;
  HostPerturbation tangent;

  SolverInput(HostProfiles const& given, HostPerturbation const* perturbation) : profiles(given) {
    if (perturbation != nullptr) tangent = *perturbation;
    split_reflectivity();
    if (all_zero(profiles.cosmic)) profiles.cosmic = {};
    prepare_sun();
    if (!profiles.scatters()) profiles.weight = {};
  }

 private:
  void split_reflectivity() {
    auto const full = profiles.reflectivity;
    if (all_zero(full)) {
      profiles.reflectivity = {};
      return;
    }
    auto const diagonal = make<double**>(full.extent(0), full.extent(1));
    for (std::size_t p = 0; p < full.extent(0); ++p)
      for (std::size_t i = 0; i < full.extent(1); ++i)
        for (std::size_t j = 0; j < full.extent(2); ++j) {
          if (i == j)
            diagonal(p, i) = full(p, i, i);
          else if (full(p, i, j) != 0)
            return;
        }
    specular_reflectivity = diagonal;
    profiles.reflectivity = {};
  }

  void prepare_sun() {
    if (all_zero(profiles.solar_irradiance)) {
      profiles.cos_sun = {};
      profiles.solar_irradiance = {};
      profiles.direct_reflectivity = {};
      tangent.direct_reflectivity = {};  // multiplies the irradiance
      return;
    }
    // Where there is no sun its angle may be anything, and must not lead to infinity times zero.
    auto const cos_sun = make<double*>(profiles.cos_sun.extent(0));
    for (std::size_t p = 0; p < cos_sun.extent(0); ++p)
      cos_sun(p) = profiles.solar_irradiance(p) > 0 ? profiles.cos_sun(p) : 1.;
    profiles.cos_sun = cos_sun;
  }
};

// The rows of host arrays that are on the device.
template <class Space>
class DeviceRows {
 public:
  DeviceRows(Space const& space, bool top_first) : m_space(space), m_top_first(top_first) {}

  void move_to(int first, int n) {
    m_first = first;
    m_n = n;
  }

  // Makes `to` the room for the rows of a host array of the same rank, where it is not that already.
  template <class From, class To>
  void make_room(From const& like, To& to) {
    if (empty(like) || (to.extent(0) == static_cast<std::size_t>(m_n) && !empty(to))) return;
    typename To::array_layout layout;
    layout.dimension[0] = static_cast<std::size_t>(m_n);
    for (std::size_t r = 1; r < To::rank(); ++r) layout.dimension[r] = like.extent(r);
    to = To();  // the old room goes before the new one comes
    to = To(Kokkos::view_alloc(m_space, Kokkos::WithoutInitializing, "parhelion::HostAdding::chunk"), layout);
    m_bytes += to.size() * sizeof(typename To::value_type);
  }

  // Copies the rows to the device. The second index of `vertical` arrays is the layer or the level.
  enum class Second { other, vertical };
  template <class From, class To>
  void in(From const& from, To& to, Second second = Second::other) {
    if (empty(from)) return;
    make_room(from, to);
    to_device(m_space, from, to, m_first, m_top_first && second == Second::vertical);
  }

  template <class From, class To>
  void out(From const& from, To const& to, Second second = Second::other) const {
    if (empty(from)) return;
    to_host(m_space, from, to, m_first, m_top_first && second == Second::vertical);
  }

  std::size_t bytes() const { return m_bytes; }

 private:
  Space m_space;
  bool m_top_first;
  int m_first = 0;
  int m_n = 0;
  std::size_t m_bytes = 0;
};

// The input of a chunk on the device; Profiles are read-only Views of it.
template <class Space, class Real>
struct DeviceProfiles {
  ProfileArray<Real**, Space> optical_depth, planck, mu, weight, emissivity, specular_reflectivity, direct_reflectivity,
      single_scattering_albedo;
  ProfileArray<Real*, Space> planck_sfc, cosmic, cos_sun, solar_irradiance;
  ProfileArray<Real***, Space> reflectivity;
  ProfileArray<int**, Space> phase;
  Array<Real****, Space> phase_forward, phase_backward;

  void load(DeviceRows<Space>& rows, SolverInput const& input) {
    constexpr auto vertical = DeviceRows<Space>::Second::vertical;
    auto const& p = input.profiles;
    rows.in(p.optical_depth, optical_depth, vertical);
    rows.in(p.planck, planck, vertical);
    rows.in(p.mu, mu);
    rows.in(p.weight, weight);
    rows.in(p.planck_sfc, planck_sfc);
    rows.in(p.emissivity, emissivity);
    rows.in(input.specular_reflectivity, specular_reflectivity);
    rows.in(p.reflectivity, reflectivity);
    rows.in(p.cosmic, cosmic);
    rows.in(p.cos_sun, cos_sun);
    rows.in(p.solar_irradiance, solar_irradiance);
    rows.in(p.direct_reflectivity, direct_reflectivity);
    rows.in(p.single_scattering_albedo, single_scattering_albedo, vertical);
    rows.in(p.phase, phase, vertical);
    rows.in(p.phase_forward, phase_forward);
    rows.in(p.phase_backward, phase_backward);
  }

  Profiles<Space, Real> profiles() const {
    return {.optical_depth = optical_depth,
            .transmittance = {},
            .planck = planck,
            .mu = mu,
            .planck_sfc = planck_sfc,
            .emissivity = emissivity,
            .specular_reflectivity = specular_reflectivity,
            .reflectivity = reflectivity,
            .cosmic = cosmic,
            .cos_sun = cos_sun,
            .solar_irradiance = solar_irradiance,
            .direct_reflectivity = direct_reflectivity,
            .weight = weight,
            .single_scattering_albedo = single_scattering_albedo,
            .phase = phase,
            .phase_forward = phase_forward,
            .phase_backward = phase_backward};
  }
};

// Calls `action` with each member of two perturbations, on the host and on the device, and what its second index is.
template <class Space, class Real, class Action>
void for_each_member(HostPerturbation const& host, Perturbation<Space, Real>& device, Action const& action) {
  using Second = typename DeviceRows<Space>::Second;
  action(host.optical_depth, device.optical_depth, Second::vertical);
  action(host.planck, device.planck, Second::vertical);
  action(host.planck_sfc, device.planck_sfc, Second::other);
  action(host.emissivity, device.emissivity, Second::other);
  action(host.reflectivity, device.reflectivity, Second::other);
  action(host.direct_reflectivity, device.direct_reflectivity, Second::other);
  action(host.single_scattering_albedo, device.single_scattering_albedo, Second::vertical);
  action(host.phase_forward, device.phase_forward, Second::other);
  action(host.phase_backward, device.phase_backward, Second::other);
}

template <class View>
HostArray<typename View::data_type> make_like(View const& view) {
  return empty(view) ? HostArray<typename View::data_type>()
                     : HostArray<typename View::data_type>("parhelion::HostAdding::host", view.layout());
}

HostRadiances make_results(HostProfiles const& profiles, HostAddingOptions const& options) {
  HostRadiances results;
  auto const levels = [&] { return make<double***>(profiles.nprofile(), profiles.nlev(), profiles.nangle()); };
  results.up_from_below = levels();
  if (options.levels) {
    results.up = levels();
    results.dn = levels();
  }
  if (options.tangent != nullptr) results.tangent_toa = make<double**>(profiles.nprofile(), profiles.nangle());
  if (!empty(options.adjoint))
    results.adjoint = {.optical_depth = make_like(profiles.optical_depth),
                       .planck = make_like(profiles.planck),
                       .planck_sfc = make_like(profiles.planck_sfc),
                       .emissivity = make_like(profiles.emissivity),
                       .reflectivity = make_like(profiles.reflectivity),
                       .direct_reflectivity = make_like(profiles.direct_reflectivity),
                       .single_scattering_albedo = make_like(profiles.single_scattering_albedo),
                       .phase_forward = make_like(profiles.phase_forward),
                       .phase_backward = make_like(profiles.phase_backward)};
  return results;
}

// Values of a profile in some arrays.
std::size_t values_of_a_profile(KokkosView auto const&... views) {
  return (std::size_t(0) + ... + (empty(views) ? 0 : views.size() / views.extent(0)));
}

std::size_t values_of_a_profile(HostPerturbation const& p) {
  return values_of_a_profile(p.optical_depth, p.planck, p.planck_sfc, p.emissivity, p.reflectivity,
                             p.direct_reflectivity, p.single_scattering_albedo, p.phase_forward, p.phase_backward);
}

// Those of its results.
std::size_t result_values(HostProfiles const& p, HostAddingOptions const& options) {
  auto const nangle = static_cast<std::size_t>(p.nangle());
  std::size_t values = static_cast<std::size_t>(p.nlev()) * nangle * (options.levels ? 3 : 1);
  if (options.tangent != nullptr) values += nangle;
  if (!empty(options.adjoint))
    values += values_of_a_profile(p.optical_depth, p.planck, p.planck_sfc, p.emissivity, p.reflectivity,
                                  p.direct_reflectivity, p.single_scattering_albedo, p.phase_forward, p.phase_backward);
  return values;
}

Capacity capacity_for(HostProfiles const& profiles, HostAddingOptions const& options, int nprofile) {
  return {.nprofile = nprofile,
          .nlay = profiles.nlay(),
          .nangle = profiles.nangle(),
          .nphase = profiles.scatters() ? profiles.nphase() : 0,
          .levels = options.levels,
          .derivatives = options.tangent != nullptr || !empty(options.adjoint)};
}

// Values of a profile on the device, but for the workspace.
std::size_t device_values(SolverInput const& input, HostAddingOptions const& options) {
  auto const& p = input.profiles;
  return values_of_a_profile(p.optical_depth, p.planck, p.mu, p.weight, p.planck_sfc, p.emissivity, p.reflectivity,
                             p.cosmic, p.cos_sun, p.solar_irradiance, p.direct_reflectivity, p.single_scattering_albedo,
                             p.phase, p.phase_forward, p.phase_backward, input.specular_reflectivity, options.adjoint) +
         values_of_a_profile(input.tangent);
}

// Enough profiles to keep the machine busy, and no more memory than hosts and devices have to spare.
template <class Solver>
int choose_chunk(typename Solver::execution_space const& space, SolverInput const& input,
                 HostAddingOptions const& options, std::size_t values, Strategy strategy) {
  constexpr bool host = runs_on_host<typename Solver::execution_space>;
  constexpr double most_bytes = host ? 0x1p30 : 0x1p31;
  constexpr int most_profiles = host ? 4096 : 65536;
  // The workspaces for some profiles and for more tell what each adds to what all share.
  constexpr int some = 16;
  auto const workspace = [&](int nprofile) {
    return static_cast<double>(
        Solver::workspace_bytes(space, capacity_for(input.profiles, options, nprofile), {.strategy = strategy}));
  };
  double const least = workspace(some);
  double const each = (workspace(2 * some) - least) / some;
  double const fit = (most_bytes - least) / (each + static_cast<double>(values * sizeof(typename Solver::value_type)));
  return static_cast<int>(std::clamp(some + fit, 1., double(most_profiles)));
}

// How the work is cut, and what it takes.
// \param results values of a profile's results
template <class Solver>
void plan(typename Solver::execution_space const& space, SolverInput const& input, HostAddingOptions const& options,
          std::size_t results, HostAddingReport& report) {
  using Space = typename Solver::execution_space;
  auto const& profiles = input.profiles;
  int const nprofile = profiles.nprofile();
  // For all profiles at once: the choice, and with it rounding, must not depend on the chunk.
  report.strategy = options.strategy == Strategy::automatic && profiles.scatters()
                        ? choose_scattering_strategy(space, nprofile, profiles.nlay(), profiles.nangle())
                        : options.strategy;
  std::size_t const values = device_values(input, options) + results;
  report.chunk =
      std::min(nprofile, options.chunk > 0 ? options.chunk
                                           : choose_chunk<Solver>(space, input, options, values, report.strategy));
  std::size_t const of_chunk = static_cast<std::size_t>(report.chunk) * values * sizeof(typename Solver::value_type);
  report.device_bytes = of_chunk + Solver::workspace_bytes(space, capacity_for(profiles, options, report.chunk),
                                                           {.strategy = report.strategy});
  report.host_bytes =
      static_cast<std::size_t>(nprofile) * results * sizeof(double) + (runs_on_host<Space> ? 0 : of_chunk);
}

// Calls action.operator()<Solver>(space) with the solver that the profiles and options ask for.
template <class Action>
void with_solver(HostProfiles const& profiles, HostAddingOptions const& options, Action const& action) {
  with_execution_space(options.space, [&]<class Space>(Space const& space) {
    auto const with_precision = [&]<class Real>(Real) {
      if (profiles.scatters())
        action.template operator()<Scattering<Space, Real>>(space);
      else
        action.template operator()<ClearSky<Space, Real>>(space);
    };
    if (options.precision == Precision::float32)
      with_precision(float());
    else
      with_precision(double());
  });
}

template <class Solver>
void run(typename Solver::execution_space const& space, SolverInput const& input, HostAddingOptions const& options,
         HostRadiances const& results, HostAddingReport& report) {
  using Space = typename Solver::execution_space;
  using Real = typename Solver::value_type;
  constexpr auto vertical = DeviceRows<Space>::Second::vertical;
  auto const& profiles = input.profiles;
  int const nprofile = profiles.nprofile();
  Strategy const strategy = report.strategy;
  int const chunk = report.chunk;
  Solver solver(space, NoModel(), capacity_for(profiles, options, chunk), {.strategy = strategy, .nprofile = nprofile});

  DeviceRows<Space> rows(space, profiles.order == VerticalOrder::top_first);
  DeviceProfiles<Space, Real> device;
  Radiances<Space, Real> radiances;
  Perturbation<Space, Real> tangent, derivative;
  ProfileArray<Real**, Space> tangent_toa, adjoint_toa;
  // What the solver can derive by: without a sun, not the reflection of its light.
  HostPerturbation wanted = results.adjoint;
  if (empty(profiles.direct_reflectivity)) wanted.direct_reflectivity = {};

  for (int first = 0; first < nprofile; first += chunk) {
    int const n = std::min(chunk, nprofile - first);
    rows.move_to(first, n);
    device.load(rows, input);
    rows.make_room(results.up_from_below, radiances.up_from_below);
    rows.make_room(results.up, radiances.up);
    rows.make_room(results.dn, radiances.dn);
    rows.make_room(results.tangent_toa, tangent_toa);
    for_each_member(input.tangent, tangent,
                    [&](auto const& from, auto& to, auto second) { rows.in(from, to, second); });
    rows.in(options.adjoint, adjoint_toa);
    for_each_member(wanted, derivative, [&](auto const& like, auto& to, auto) { rows.make_room(like, to); });
    if (first == 0) report.device_bytes = rows.bytes() + solver.workspace_bytes();

    auto const part = device.profiles();
    space.fence("parhelion::HostAdding::before_solve");
    Kokkos::Timer const timer;
    solver.solve(space, AddingInput<Space, Real>(part, tangent, adjoint_toa),
                 AddingResult<Space, Real>(radiances, tangent_toa, derivative));
    space.fence("parhelion::HostAdding::after_solve");
    report.solve_seconds += timer.seconds();

    rows.out(radiances.up_from_below, results.up_from_below, vertical);
    rows.out(radiances.up, results.up, vertical);
    rows.out(radiances.dn, results.dn, vertical);
    rows.out(tangent_toa, results.tangent_toa);
    for_each_member(wanted, derivative,
                    [&](auto const& to, auto const& from, auto second) { rows.out(from, to, second); });
    if (options.progress) options.progress(first + n, nprofile);
  }
}

// What rounding can leave below zero where differences of what layers let through and reflect make what they emit: some
// roundings a layer and angle, of radiances no larger than the largest of all sources.
double left_of_zero(HostProfiles const& profiles, Precision precision) {
  double largest = 0;
  for (auto const& [values, n] : {std::pair(profiles.planck.data(), profiles.planck.size()),
                                  std::pair(profiles.planck_sfc.data(), profiles.planck_sfc.size()),
                                  std::pair(profiles.cosmic.data(), profiles.cosmic.size()),
                                  std::pair(profiles.solar_irradiance.data(), profiles.solar_irradiance.size())})
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, values[i]);
  double const rounding = precision == Precision::float32 ? double(std::numeric_limits<float>::epsilon())
                                                          : std::numeric_limits<double>::epsilon();
  return 16 * rounding * static_cast<double>(profiles.nlay()) * static_cast<double>(profiles.nangle()) * largest;
}

void check_results(HostRadiances const& results, HostProfiles const& profiles, Precision precision,
                   ArrayNames const& names) {
  std::string const where = opening(names, "compute_radiances");
  auto const check = [&](auto const& view, std::string const& name) {
    expect_values(where, view, name, "", "a finite number", any);
  };
  auto const check_radiance = [&, least = -left_of_zero(profiles, precision)](auto const& view, char const* name) {
    expect_values(where, view, name, "", "a finite number of at least 0", [least](double x) { return x >= least; });
  };
  check_radiance(results.up_from_below, "upward radiance");
  check_radiance(results.up, "upward radiance");
  check_radiance(results.dn, "downward radiance");
  check(results.tangent_toa, "tangent-linear radiance");
  auto const& adjoint = results.adjoint;
  check(adjoint.optical_depth, "derivative by " + names.optical_depth);
  check(adjoint.planck, "derivative by " + names.planck);
  check(adjoint.planck_sfc, "derivative by " + names.planck_sfc);
  check(adjoint.emissivity, "derivative by " + names.emissivity);
  check(adjoint.reflectivity, "derivative by " + names.reflectivity);
  check(adjoint.direct_reflectivity, "derivative by " + names.direct_reflectivity);
  check(adjoint.single_scattering_albedo, "derivative by " + names.single_scattering_albedo);
  check(adjoint.phase_forward, "derivative by " + names.phase_forward);
  check(adjoint.phase_backward, "derivative by " + names.phase_backward);
}

HostAddingReport planned(HostProfiles const& profiles, SolverInput const& input, HostAddingOptions const& options) {
  HostAddingReport report;
  report.space = resolve_execution_space(options.space);
  with_solver(profiles, options, [&]<class Solver>(typename Solver::execution_space const& space) {
    plan<Solver>(space, input, options, result_values(profiles, options), report);
  });
  return report;
}

}  // namespace

HostAddingReport plan_radiances(HostProfiles const& profiles, HostAddingOptions const& options,
                                ArrayNames const& names) {
  validate(profiles, names);
  validate_options(profiles, options, names);
  return planned(profiles, SolverInput(profiles, options.tangent), options);
}

HostRadiances compute_radiances(HostProfiles const& profiles, HostAddingOptions const& options,
                                HostAddingReport* report, ArrayNames const& names) {
  validate(profiles, names);
  validate_options(profiles, options, names);
  HostAddingReport own;
  auto& told = report != nullptr ? *report : own;
  Kokkos::Timer const timer;
  SolverInput const input(profiles, options.tangent);
  told = planned(profiles, input, options);
  if (options.before) options.before(told);
  auto const results = make_results(profiles, options);
  with_solver(profiles, options, [&]<class Solver>(typename Solver::execution_space const& space) {
    run<Solver>(space, input, options, results, told);
  });
  told.total_seconds = timer.seconds();
  check_results(results, profiles, options.precision, names);
  return results;
}

}  // namespace parhelion::adding
