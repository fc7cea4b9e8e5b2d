// SPDX-License-Identifier: BSD-3-Clause
#include "common/arrays.hpp"
#include "common/devices.hpp"
#include "common/objects.hpp"
#include "common/plans.hpp"
#include "common/structs.hpp"

#include <parhelion/ega/device_spectra.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/io/jurassic_control.hpp>
#include <parhelion/io/jurassic_problem.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion::C {

namespace {

using namespace parhelion::ega;
namespace dimension = parhelion::ega::dimension;
using Host = Kokkos::DefaultHostExecutionSpace;

/// An array of zeros that takes no memory.
ConstArrayRef zeros(std::initializer_list<std::int64_t> extents) {
  static constexpr double zero = 0;
  ConstArrayRef array;
  array.data = &zero;
  for (std::int64_t const extent : extents) array.extents[static_cast<std::size_t>(array.rank++)] = extent;
  return array;
}

using Refs = std::vector<ConstArrayRef>;
using Driver = AnyDriver<Refs, Refs, std::vector<ArrayRef>>;
template <class Space>
using DriverOn = DriverOfStreams<Space, DeviceSpectra<Space>, Refs, Refs, std::vector<ArrayRef>>;

class Spectra final : public Object {
 public:
  static constexpr char const* name = "spectra";

  Spectra(char const* where, parhelion_spectra_options const& options) : m_instances(text_of(options.space)) {
    if (options.control == nullptr) throw ArgumentError(where, "control is NULL, expected the name of a control file");
    HostEgaOptions of_calls;
    of_calls.space = m_instances.space();
    of_calls.precision = precision_of(where, options.precision);
    of_calls.out_of_range = C::out_of_range_of(where, options.out_of_range);
    of_calls.memory_limit = options.memory_limit;
    of_calls.chunk = chunk_of(where, options.chunk);
    of_calls.devices = devices_of(where, options.devices);
    auto problem = reading([&] {
      auto const control = io::read_jurassic_control(options.control);
      m_nwindow = control.nwindow;
      return io::read_jurassic_problem(control, {.tables = text_of(options.tables),
                                                 .continua = text_of(options.continua),
                                                 .missing_tables_allowed = options.missing_tables_allowed != 0});
    });
    problem.tables = [tables = std::move(problem.tables)](int gas, int channel) {
      return reading([&] { return tables(gas, channel); });
    };
    m_prepared = std::make_unique<PreparedProblem>(std::move(problem), std::move(of_calls));
  }

  Problem const& problem() const { return m_prepared->problem(); }

  /// Tables; buffers are made by each call.
  Bytes bytes() const {
    Bytes all;
    if (m_driver) all.device += m_driver->bytes();
    if (m_report.plan.space.empty()) return all;
    HostPlan tables = m_report.plan;
    tables.host_bytes = 0;
    tables.device_bytes = m_driver ? 0 : m_report.table_bytes;  // the driver counts them
    all.add(tables);
    return all;
  }

  void solve(char const* where, parhelion_spectra_input const& in, parhelion_spectra_output const& out, void* stream) {
    CallArrays arrays(where, computes_on_device(m_instances));
    auto const altitude = arrays.required_input("altitude", in.altitude);
    if (altitude.rank != 2 || altitude.empty())
      throw ShapeError(where, fmt::format("altitude has shape {}, expected (profile, level), at least (1, 2)",
                                          shape_text(altitude)));
    auto const observer = arrays.required_input("observer_altitude", in.observer_altitude);
    if (observer.rank != 1 || observer.empty())
      throw ShapeError(
          where, fmt::format("observer_altitude has shape {}, expected (ray), at least (1)", shape_text(observer)));
    std::int64_t const nprofile = altitude.extents[0];
    std::int64_t const nlev = altitude.extents[1];
    std::int64_t const nray = observer.extents[0];
    auto const& channels = problem().channels;
    Dimensions sizes{{dimension::profile, nprofile},
                     {dimension::level, nlev},
                     {dimension::ray, nray},
                     {dimension::gas, problem().ngas()},
                     {dimension::channel, problem().nchannel()},
                     {dimension::window, m_nwindow},
                     {dimension::cloud_node, static_cast<std::int64_t>(channels.cloud_wavenumber.size())},
                     {dimension::surface_node, static_cast<std::int64_t>(channels.surface_wavenumber.size())}};
    auto const all_or_none = [&](std::initializer_list<std::pair<char const*, parhelion_array const*>> members) {
      char const* present = nullptr;
      for (auto const& [each, array] : members)
        if (array->data != nullptr) present = each;
      for (auto const& [each, array] : members)
        if (present != nullptr && array->data == nullptr)
          throw ArgumentError(where, fmt::format("{} is absent, expected one with {}", each, present));
    };
    all_or_none({{"cloud_height", &in.cloud_height},
                 {"cloud_depth", &in.cloud_depth},
                 {"cloud_extinction", &in.cloud_extinction}});
    all_or_none({{"surface_altitude", &in.surface_altitude},
                 {"surface_pressure", &in.surface_pressure},
                 {"surface_temperature", &in.surface_temperature},
                 {"surface_emissivity", &in.surface_emissivity}});

    // In the order of the descriptions of Atmosphere, Observation and Spectra.
    std::array<parhelion_array const*, 12> const of_atmosphere{
        &in.altitude,         &in.pressure,         &in.temperature,         &in.mole_fraction,
        &in.extinction,       &in.cloud_height,     &in.cloud_depth,         &in.cloud_extinction,
        &in.surface_altitude, &in.surface_pressure, &in.surface_temperature, &in.surface_emissivity};
    std::array<parhelion_array const*, 8> const of_observation{&in.time,
                                                               &in.observer_altitude,
                                                               &in.observer_longitude,
                                                               &in.observer_latitude,
                                                               &in.view_point_altitude,
                                                               &in.view_point_longitude,
                                                               &in.view_point_latitude,
                                                               &in.profile};
    std::array<parhelion_array const*, 6> const of_spectra{
        &out.radiance,         &out.transmittance,     &out.npoint,
        &out.tangent_altitude, &out.tangent_longitude, &out.tangent_latitude};
    static auto const atmosphere_descriptions = descriptions_of<Atmosphere<Host>>();
    static auto const observation_descriptions = descriptions_of<Observation<Host>>();
    static auto const spectra_descriptions = descriptions_of<HostSpectra>();
    std::vector<ConstArrayRef> atmosphere, observation;
    std::vector<ArrayRef> spectra;
    auto const bring = [&](std::vector<ConstArrayRef>& list, ArrayDescription const& description,
                           parhelion_array const& given) {
      std::string_view const which = description.name;
      auto const entries = which == "profile" ? Entries::integer : Entries::real;
      bool const may_be_zero = which == "extinction" || which == "time" || which == "observer_longitude" ||
                               which == "observer_latitude" || which == "view_point_longitude";
      auto array = description.optional || may_be_zero ? arrays.input(which, given, entries)
                                                       : arrays.required_input(which, given, entries);
      if (array.data != nullptr)
        check_extents(where, description, array, sizes);
      else if (may_be_zero && !arrays.device())  // the driver has zeros on the device
        array = which == "extinction" ? zeros({nprofile, m_nwindow, nlev}) : zeros({nray});
      list.push_back(array);
    };
    for (std::size_t i = 0; i < of_atmosphere.size(); ++i)
      bring(atmosphere, atmosphere_descriptions.at(i), *of_atmosphere[i]);
    for (std::size_t i = 0; i < of_observation.size(); ++i)
      bring(observation, observation_descriptions.at(i), *of_observation[i]);
    for (std::size_t i = 0; i < of_spectra.size(); ++i) {
      auto const& description = spectra_descriptions.at(i);
      auto const entries = description.name == "npoint" ? Entries::integer : Entries::real;
      auto const array = i == 0 ? arrays.required_output(description.name, *of_spectra[i], entries)
                                : arrays.output(description.name, *of_spectra[i], entries);
      if (array.data != nullptr) check_extents(where, description, array, sizes);
      spectra.push_back(array);
    }
    if (arrays.device()) {
      on_device(where, m_instances, *arrays.device(), [&]<class Space>(Space const&) {
        if (!m_driver) m_driver = std::make_unique<DriverOn<Space>>(DeviceSpectra<Space>(*m_prepared));
      });
      m_driver->compute(stream, atmosphere, observation, spectra);
      return;
    }
    refuse_stream(where, stream);
    m_instances.with([&](auto const& space, bool) {
      compute_spectra(space, *m_prepared, atmosphere, observation, spectra, &m_report);
    });
  }

  void status(char const* where) {
    // Calls with host arrays have looked at all their results.
    if (m_driver) refuse_not_finite(where, "ray", m_driver->status());
  }

 private:
  Instances m_instances;
  std::unique_ptr<PreparedProblem> m_prepared;
  std::unique_ptr<Driver> m_driver;  ///< for arrays on a device
  int m_nwindow = 1;
  HostEgaReport m_report;
};

}  // namespace

}  // namespace parhelion::C

using namespace parhelion;
using C::guarded;

int parhelion_spectra_create(parhelion_spectra_options const* options, parhelion_spectra** spectra) {
  constexpr char const* where = "parhelion_spectra_create";
  return guarded([&] {
    if (spectra == nullptr) throw ArgumentError(where, "spectra is NULL, expected where to put the object");
    *spectra = nullptr;
    auto const copy = C::read_struct(where, "options", options);
    C::require_running(where);
    *spectra = C::handle_of<parhelion_spectra>(std::make_unique<C::Spectra>(where, copy));
  });
}

int parhelion_spectra_bytes(parhelion_spectra const* spectra, size_t* host, size_t* device) {
  return guarded([&] {
    C::InUse<C::Spectra> const object("parhelion_spectra_bytes", spectra);
    object->bytes().tell(host, device);
  });
}

int parhelion_spectra_sizes(parhelion_spectra const* spectra, int64_t* ngas, int64_t* nchannel) {
  return guarded([&] {
    C::InUse<C::Spectra> const object("parhelion_spectra_sizes", spectra);
    if (ngas != nullptr) *ngas = object->problem().ngas();
    if (nchannel != nullptr) *nchannel = object->problem().nchannel();
  });
}

int parhelion_spectra_gas(parhelion_spectra const* spectra, int64_t gas, char* text, size_t size) {
  constexpr char const* where = "parhelion_spectra_gas";
  return guarded([&] {
    C::InUse<C::Spectra> const object(where, spectra);
    auto const& gases = object->problem().gases;
    int const i = C::choice(where, "gas", gas, 0, static_cast<std::int64_t>(gases.size()) - 1);
    C::write_text(gases[static_cast<std::size_t>(i)], text, size);
  });
}

int parhelion_spectra_wavenumber(parhelion_spectra const* spectra, int64_t channel, double* wavenumber) {
  constexpr char const* where = "parhelion_spectra_wavenumber";
  return guarded([&] {
    C::InUse<C::Spectra> const object(where, spectra);
    if (wavenumber == nullptr) throw ArgumentError(where, "wavenumber is NULL, expected where to put it");
    int const i = C::choice(where, "channel", channel, 0, object->problem().nchannel() - 1);
    *wavenumber = object->problem().channels.wavenumber[static_cast<std::size_t>(i)];
  });
}

int parhelion_spectra_solve(parhelion_spectra* spectra, parhelion_spectra_input const* input,
                            parhelion_spectra_output const* output, void* stream) {
  constexpr char const* where = "parhelion_spectra_solve";
  return guarded([&] {
    C::InUse<C::Spectra> const object(where, spectra);
    auto const in = C::read_struct(where, "input", input);
    auto const out = C::read_struct(where, "output", output);
    object->solve(where, in, out, stream);
  });
}

int parhelion_spectra_status(parhelion_spectra* spectra) {
  constexpr char const* where = "parhelion_spectra_status";
  return guarded([&] { C::InUse<C::Spectra>(where, spectra)->status(where); });
}

int parhelion_spectra_destroy(parhelion_spectra* spectra) {
  return guarded([&] { C::destroy<C::Spectra>("parhelion_spectra_destroy", spectra); });
}
