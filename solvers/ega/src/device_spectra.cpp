// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/device_spectra.hpp>

#include "block_run.hpp"
#include "brightness.hpp"
#include "hydrostatic.hpp"
#include "prepared_problem.hpp"
#include "rays.hpp"
#include "rays_around.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/device_copies.hpp>
#include <parhelion/core/device_driver.hpp>
#include <parhelion/core/device_extremes.hpp>
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace parhelion::ega {

namespace Impl {

template <KokkosExecutionSpace ExecutionSpace>
class SpectraOnDevice {
 public:
  SpectraOnDevice() = default;
  virtual ~SpectraOnDevice() = default;
  SpectraOnDevice(SpectraOnDevice const&) = delete;
  SpectraOnDevice& operator=(SpectraOnDevice const&) = delete;

  virtual void solve(ExecutionSpace const& space, std::vector<ConstArrayRef> const& atmosphere,
                     std::vector<ConstArrayRef> const& observation, std::vector<ArrayRef> const& spectra) = 0;
  virtual SolveStatus status(ExecutionSpace const& space) = 0;
  virtual std::size_t bytes() const = 0;
};

}  // namespace Impl

namespace {

constexpr char const* function = "compute_spectra";

/// Replaces the pressures of profiles by hydrostatic ones.
template <class Space>
struct MakeHydrostatic {
  Atmosphere<Space> atmosphere;
  Array<double**, Space> pressure;  ///< the same as that of the atmosphere
  int water;
  double reference;

  KOKKOS_FUNCTION void operator()(int profile) const {
    Impl::make_profile_hydrostatic(atmosphere, pressure, water, profile, reference);
  }
};

/// Averages spectra over the field of view, if there is one, and converts radiances to brightness temperatures, if they
/// are wanted.
template <class Space, class Real>
struct FinishSpectra {
  Array<Real const**, Space> radiance, transmittance;
  Array<double const*, Space> time, altitude;
  Array<double const*, Space> offset, weight;  ///< of the field of view; the sum of the weights is 1
  Array<double const*, Space> wavenumber;
  bool brightness;
  Array<double**, Space> to_radiance, to_transmittance;
  NotFinite<Space> not_finite;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    int const nchannel = static_cast<int>(radiance.extent(1));
    int const ray = static_cast<int>(i / nchannel);
    int const channel = static_cast<int>(i % nchannel);
    double of_radiance = static_cast<double>(radiance(ray, channel));
    double of_transmittance = static_cast<double>(transmittance(ray, channel));
    if (offset.size() > 0) average(ray, channel, of_radiance, of_transmittance);
    if (brightness) of_radiance = Impl::brightness_temperature(wavenumber(channel), of_radiance);
    to_radiance(ray, channel) = of_radiance;
    to_transmittance(ray, channel) = of_transmittance;
  }

  KOKKOS_FUNCTION void average(int ray, int channel, double& of_radiance, double& of_transmittance) const {
    auto const around = Impl::rays_around(time, altitude, static_cast<int>(radiance.extent(0)), ray);
    of_radiance = of_transmittance = 0;
    bool good = around.n >= 2;
    double const lowest = good ? altitude(around.ray[0]) : 0;
    double const highest = good ? altitude(around.ray[around.n - 1]) : 0;
    for (int k = 0; good && k < static_cast<int>(offset.extent(0)); ++k) {
      double const to = altitude(ray) + offset(k);
      // Linear extrapolation is not meaningful far from all rays.
      good = to >= lowest - (highest - lowest) && to <= highest + (highest - lowest);
      auto const at = Impl::locate_among(around, altitude, to);
      int const below = around.ray[at.index];
      int const above = around.ray[at.index + 1];
      of_radiance += weight(k) * linear<double>(static_cast<double>(radiance(below, channel)),
                                                static_cast<double>(radiance(above, channel)), at.weight);
      of_transmittance += weight(k) * linear<double>(static_cast<double>(transmittance(below, channel)),
                                                     static_cast<double>(transmittance(above, channel)), at.weight);
    }
    if (good) return;
    not_finite.note(ray);
    of_radiance = of_transmittance = Kokkos::Experimental::quiet_NaN_v<double>;
  }
};

template <class Space>
Array<double const*, Space> bring(Space const& space, std::vector<double> const& values) {
  Array<double*, Space> const to(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::ega::finish"),
                                 values.size());
  copy_array(space, to,
             Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(values.data(),
                                                                                                     values.size()));
  space.fence("parhelion::ega::DeviceSpectra");
  return to;
}

/// The sizes for which memory is allocated.
struct Extents {
  std::int64_t nprofile = 0, nlev = 0, nray = 0;
  bool cloud = false, surface = false, profile = false;

  bool operator==(Extents const&) const = default;
};

template <class Space, class Real>
class OnDeviceIn final : public Impl::SpectraOnDevice<Space> {
 public:
  using S = ForwardModel<Space, Real>;
  using Driver = DeviceDriver<S>;

  explicit OnDeviceIn(PreparedProblem const& prepared)
      : m_prepared(prepared), m_where(Impl::name_or(prepared.problem().name, function)) {}

  void solve(Space const& space, std::vector<ConstArrayRef> const& atmosphere,
             std::vector<ConstArrayRef> const& observation, std::vector<ArrayRef> const& spectra) override {
    if (m_zero.size() == 0) m_zero = Kokkos::View<double, typename Space::memory_space>("parhelion::ega::zero");
    Extents const extents = take_input(atmosphere, observation);
    take_spectra(spectra, extents.nray);
    if (!m_driver || !(extents == m_extents)) make(space, extents);
    m_driver->solve(
        space, m_arrays, m_spectra,
        [this, &space](typename Driver::input_type& in, std::int64_t) { prepare(space, in); }, m_finish);
  }

  SolveStatus status(Space const& space) override {
    SolveStatus all = std::exchange(m_before, {});
    if (!m_driver) return all;
    for (auto const& one : {m_driver->status(space), m_not_finite->status(space)})
      if (all.good() || (!one.good() && one.first_not_finite < all.first_not_finite)) all = one;
    return all;
  }

  std::size_t bytes() const override {
    if (!m_driver) return 0;
    return m_driver->bytes() + m_table_bytes +
           sizeof(double) * (m_radiance.size() + m_transmittance.size() + m_offset.size() + m_weight.size());
  }

  // Public, because nvcc compiles no kernels of private functions.
  void prepare(Space const& space, typename Driver::input_type& in) {
    auto const& problem = m_prepared.problem();
    if (!problem.options.hydrostatic_reference) return;
    auto const& a = in.atmosphere;
    // The driver's copy of the caller's pressures.
    Array<double**, Space> const pressure(const_cast<double*>(a.pressure.data()), a.pressure.extent(0),
                                          a.pressure.extent(1));
    static std::string const label = "parhelion::ega::make_hydrostatic";
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Space>(space, 0, a.nprofile()),
        MakeHydrostatic<Space>{a, pressure, find_gas(problem.gases, "H2O"), *problem.options.hydrostatic_reference});
  }

  void finish(Space const& space, typename Driver::input_type const& in, typename Driver::result_type const& result,
              std::vector<ArrayRef>& staged) {
    auto const& found = result.spectra;
    static std::string const label = "parhelion::ega::finish_spectra";
    using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(label, Policy(space, 0, static_cast<std::int64_t>(found.radiance.size())),
                         FinishSpectra<Space, Real>{found.radiance, found.transmittance, in.observation.time,
                                                    in.observation.view_point.altitude, m_offset, m_weight,
                                                    m_wavenumber, m_prepared.problem().options.brightness_temperature,
                                                    m_radiance, m_transmittance, *m_not_finite});
    auto const rays = static_cast<std::int64_t>(found.radiance.extent(0));
    staged[0] = array_ref(m_radiance).part(0, 0, rays);
    staged[1] = array_ref(m_transmittance).part(0, 0, rays);
  }

 private:
  static constexpr std::size_t of_atmosphere = 12;
  static constexpr std::size_t of_observation = 8;

  /// An array of zeros that takes no memory.
  ConstArrayRef zeros(std::initializer_list<std::int64_t> extents) const {
    ConstArrayRef array;
    array.data = m_zero.data();
    for (std::int64_t const extent : extents) array.extents[static_cast<std::size_t>(array.rank++)] = extent;
    return array;
  }

  Extents take_input(std::vector<ConstArrayRef> const& atmosphere, std::vector<ConstArrayRef> const& observation) {
    if (atmosphere.size() != of_atmosphere || observation.size() != of_observation)
      throw Error(m_where, fmt::format("{} arrays of an atmosphere and {} of rays, expected {} and {}",
                                       atmosphere.size(), observation.size(), of_atmosphere, of_observation));
    auto const& altitude = atmosphere[0];
    auto const& observer = observation[1];
    if (altitude.rank != 2 || altitude.empty() || altitude.extents[1] < 2)
      throw ShapeError(m_where, "altitude has another shape than (profile, level), expected at least (1, 2)");
    if (observer.rank != 1 || observer.empty())
      throw ShapeError(m_where, "observer_altitude has another shape than (ray), expected at least (1)");
    Extents extents{.nprofile = altitude.extents[0], .nlev = altitude.extents[1], .nray = observer.extents[0]};
    m_arrays.assign(atmosphere.begin(), atmosphere.end());
    m_arrays.insert(m_arrays.end(), observation.begin(), observation.end());
    constexpr std::size_t extinction = 4, cloud_extinction = 7, surface_emissivity = 11;
    constexpr std::size_t time = 12, observer_longitude = 14, observer_latitude = 15, view_point_longitude = 17;
    auto const& windows = m_prepared.problem().channels.window;
    if (m_arrays[extinction].array.empty())
      m_arrays[extinction].array =
          zeros({extents.nprofile, 1 + *std::max_element(windows.begin(), windows.end()), extents.nlev});
    for (std::size_t const i : {time, observer_longitude, observer_latitude, view_point_longitude})
      if (m_arrays[i].array.empty()) m_arrays[i].array = zeros({extents.nray});
    extents.cloud = !m_arrays[cloud_extinction].array.empty();
    extents.surface = !m_arrays[surface_emissivity].array.empty();
    extents.profile = !m_arrays.back().array.empty();
    return extents;
  }

  /// All are computed; those without data are not kept.
  void take_spectra(std::vector<ArrayRef> const& spectra, std::int64_t nray) {
    if (spectra.size() != m_spectra_descriptions.size())
      throw Error(m_where,
                  fmt::format("{} arrays of spectra, expected {}", spectra.size(), m_spectra_descriptions.size()));
    m_spectra.assign(m_result_descriptions.size(), {});
    for (std::size_t i = 0; i < spectra.size(); ++i) {
      m_spectra[i] = spectra[i];
      if (!spectra[i].empty()) continue;
      m_spectra[i] = {};
      m_spectra[i].rank = m_spectra_descriptions[i].rank();
      m_spectra[i].extents = {nray, m_prepared.problem().nchannel()};
      if (m_spectra[i].rank == 1) m_spectra[i].extents[1] = 0;
    }
  }

  void make(Space const& space, Extents const& extents) {
    m_before = status(space);  // waits for the work that uses the memory
    m_driver.reset();
    auto& content = Impl::PreparedAccess::content(m_prepared);
    auto const& problem = content.problem;
    Impl::AtmosphereSizes sizes{problem.ngas(), static_cast<int>(m_arrays[4].array.extents[1]), {}, {}};
    if (extents.cloud) sizes.cloud_nodes = static_cast<std::size_t>(m_arrays[7].array.extents[1]);
    if (extents.surface) sizes.surface_nodes = static_cast<std::size_t>(m_arrays[11].array.extents[1]);
    Impl::check_problem(problem, sizes, function);

    int const nchannel = problem.nchannel();
    auto& kept = content.kept;
    if (!kept.cut) kept.cut = Impl::cut_channels(problem, content.options, lanes_of<Space>, runs_on_host<Space>);
    if (kept.cut->block < nchannel)
      throw DeviceError(m_where, fmt::format("the tables of {} of the {} channels fit into the memory limit, expected "
                                             "those of all with arrays on a device",
                                             kept.cut->block, nchannel));
    m_table_bytes = kept.cut->table_bytes;

    bool const averages = !(problem.field_of_view.empty() && problem.field_of_view.weight.empty());
    bool const finishes = averages || problem.options.brightness_temperature;
    // A field of view needs all rays at once; the solver divides its work by itself.
    constexpr std::int64_t automatic_chunk = 16384;
    std::int64_t const chunk =
        averages ? extents.nray
                 : std::min(extents.nray, content.options.chunk > 0 ? content.options.chunk : automatic_chunk);
    ForwardCapacity const capacity{.nray = static_cast<int>(chunk),
                                   .ngas = problem.ngas(),
                                   .nchannel = nchannel,
                                   .npoint = points(space, problem.options),
                                   .nprofile = static_cast<int>(extents.nprofile),
                                   .nlev = static_cast<int>(extents.nlev)};
    Dimensions const results{{dimension::ray, extents.nray}, {dimension::channel, nchannel}};
    std::vector<ConstArrayRef> given;
    for (auto const& input : m_arrays) given.push_back(input.array);
    typename Driver::Setup setup{
        .where = m_where,
        .item = dimension::ray,
        .input = ArrayShapes::of(descriptions_of<typename S::input_type>(), given, dimension::ray),
        .result = Impl::shapes_of<typename S::result_type>(results, false),
        .items = extents.nray,
        .dimensions = {{dimension::gas, problem.ngas()},
                       {dimension::channel, nchannel},
                       {dimension::cloud_node, static_cast<std::int64_t>(problem.channels.cloud_wavenumber.size())},
                       {dimension::surface_node,
                        static_cast<std::int64_t>(problem.channels.surface_wavenumber.size())}},
        .make_model = [&](Space const& on) { return Impl::kept_model<Space, Real>(on, problem, kept, 0, 0, nchannel); },
        .capacity = [capacity](int) { return capacity; },
        .tuning = {.nray = static_cast<int>(extents.nray)}};
    m_driver.emplace(space, std::move(setup), static_cast<int>(chunk));
    if (!m_not_finite) m_not_finite.emplace(space);
    m_finish = {};
    if (finishes) prepare_to_finish(space, problem, averages, chunk);
    content.forget_tables();
    space.fence("parhelion::ega::DeviceSpectra");
    m_extents = extents;
  }

  /// The room for points of a ray: a quarter more than rays through this atmosphere can have.
  int points(Space const& space, ModelOptions const& options) const {
    auto const& altitude = m_arrays[0].array;
    Array<double**, Space> const copy(
        Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::ega::altitude"),
        static_cast<std::size_t>(altitude.extents[0]), static_cast<std::size_t>(altitude.extents[1]));
    DeviceCopies<Space> copies;
    copies.add(altitude, array_ref(copy));
    copies.run(space);
    auto const [lowest, highest] =
        extremes_of(space, Kokkos::View<double const*, typename Space::memory_space>(
                               Kokkos::View<double*, typename Space::memory_space>(copy.data(), copy.size())));
    return static_cast<int>(1.25 * Impl::max_points(options, highest - lowest, highest));
  }

  void prepare_to_finish(Space const& space, Problem const& problem, bool averages, std::int64_t chunk) {
    if (averages) {
      auto const& fov = problem.field_of_view;
      double const sum = Impl::check_field_of_view(fov, m_where);
      std::vector<double> weights = fov.weight;
      for (double& weight : weights) weight /= sum;
      m_offset = bring(space, fov.offset);
      m_weight = bring(space, weights);
    }
    m_wavenumber = bring(space, problem.channels.wavenumber);
    for (auto* const array : {&m_radiance, &m_transmittance})
      *array = Array<double**, Space>(
          Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::ega::finished_spectra"),
          static_cast<std::size_t>(chunk), static_cast<std::size_t>(problem.nchannel()));
    m_finish = [this](Space const& on, typename Driver::input_type const& in,
                      typename Driver::result_type const& result,
                      std::vector<ArrayRef>& staged) { finish(on, in, result, staged); };
  }

  PreparedProblem m_prepared;
  std::string m_where;
  std::vector<ArrayDescription> m_spectra_descriptions = descriptions_of<HostSpectra>();
  std::vector<ArrayDescription> m_result_descriptions = descriptions_of<typename S::result_type>();
  Kokkos::View<double, typename Space::memory_space> m_zero;
  Extents m_extents;
  std::size_t m_table_bytes = 0;
  std::optional<Driver> m_driver;
  typename Driver::Finish m_finish;
  Array<double const*, Space> m_offset, m_weight, m_wavenumber;
  Array<double**, Space> m_radiance, m_transmittance;  ///< of a chunk, after the field of view
  std::optional<NotFinite<Space>> m_not_finite;        ///< fields of view
  SolveStatus m_before;                                ///< of calls with other extents
  // Of the present call; members, so that calls do not allocate.
  std::vector<InputArray> m_arrays;
  std::vector<ArrayRef> m_spectra;
};

}  // namespace

template <KokkosExecutionSpace Space>
DeviceSpectra<Space>::DeviceSpectra(PreparedProblem const& prepared) {
  require_kokkos("DeviceSpectra");
  if (prepared.options().precision == Precision::float32)
    m_parts = std::make_unique<OnDeviceIn<Space, float>>(prepared);
  else
    m_parts = std::make_unique<OnDeviceIn<Space, double>>(prepared);
}

template <KokkosExecutionSpace Space>
DeviceSpectra<Space>::~DeviceSpectra() {
  leave_if_kokkos_is_gone(m_parts);
}
template <KokkosExecutionSpace Space>
DeviceSpectra<Space>::DeviceSpectra(DeviceSpectra&&) noexcept = default;
template <KokkosExecutionSpace Space>
DeviceSpectra<Space>& DeviceSpectra<Space>::operator=(DeviceSpectra&&) noexcept = default;

template <KokkosExecutionSpace Space>
void DeviceSpectra<Space>::compute(Space const& space, std::vector<ConstArrayRef> const& atmosphere,
                                   std::vector<ConstArrayRef> const& observation,
                                   std::vector<ArrayRef> const& spectra) {
  m_parts->solve(space, atmosphere, observation, spectra);
}

template <KokkosExecutionSpace Space>
SolveStatus DeviceSpectra<Space>::status(Space const& space) {
  return m_parts->status(space);
}

template <KokkosExecutionSpace Space>
std::size_t DeviceSpectra<Space>::bytes() const {
  return m_parts->bytes();
}

#define PARHELION_INSTANTIATE(SPACE) template class DeviceSpectra<SPACE>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::ega
