// SPDX-License-Identifier: BSD-3-Clause
// The extension parhelion._core: the functions of parhelion.h for the modules of Python beside it, which know names,
// shapes and units. It forwards what it is given, and turns statuses into exceptions.
#include "array.hpp"
#include "structs.hpp"

#include <parhelion.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <mutex>
#include <utility>

namespace parhelion::python {

namespace py = pybind11;

namespace {

PyObject* not_finite_error = nullptr;

PyObject* exception_of(int status) {
  switch (status) {
    case PARHELION_ERROR_ARGUMENT:
    case PARHELION_ERROR_SHAPE:
    case PARHELION_ERROR_VALUE:
      return PyExc_ValueError;
    case PARHELION_ERROR_FILE:
      return PyExc_OSError;
    case PARHELION_ERROR_MEMORY:
      return PyExc_MemoryError;
    case PARHELION_ERROR_NOT_FINITE:
      return not_finite_error;
    default:
      return PyExc_RuntimeError;
  }
}

/// The message of the last error of this thread. File names in it need not be UTF-8.
py::object last_error() {
  std::string text(parhelion_last_error(nullptr, 0), '\0');
  parhelion_last_error(text.data(), text.size());
  auto const length = std::char_traits<char>::length(text.c_str());
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.c_str(), static_cast<Py_ssize_t>(length), "surrogateescape"));
}

void require(int status) {
  if (status == PARHELION_SUCCESS) return;
  PyErr_SetObject(exception_of(status), last_error().ptr());
  throw py::error_already_set();
}

/// The same for a call during which other threads of Python run.
template <class Call>
void require_without_lock(Call&& call) {
  int status = PARHELION_SUCCESS;
  {
    py::gil_scoped_release const release;
    status = call();
  }
  require(status);
}

#define PARHELION_SOLVER(Name, name)                             \
  struct Name {                                                  \
    using Handle = parhelion_##name;                             \
    using Options = parhelion_##name##_options;                  \
    using Input = parhelion_##name##_input;                      \
    using Output = parhelion_##name##_output;                    \
    static constexpr auto create = &parhelion_##name##_create;   \
    static constexpr auto bytes = &parhelion_##name##_bytes;     \
    static constexpr auto solve = &parhelion_##name##_solve;     \
    static constexpr auto status = &parhelion_##name##_status;   \
    static constexpr auto destroy = &parhelion_##name##_destroy; \
  };
PARHELION_SOLVER(LongwaveFunctions, longwave)
PARHELION_SOLVER(ShortwaveFunctions, shortwave)
PARHELION_SOLVER(Adding, adding)
PARHELION_SOLVER(Spectra, spectra)
PARHELION_SOLVER(MonteCarlo, monte_carlo)

/// The functions of parhelion.h about the model of an object of columns.
#define PARHELION_SOLVER_OF_COLUMNS(Name, name)                                    \
  struct Name : Name##Functions {                                                  \
    static constexpr auto model = &parhelion_##name##_model;                       \
    static constexpr auto bands = &parhelion_##name##_bands;                       \
    static constexpr auto gas = &parhelion_##name##_gas;                           \
    static constexpr auto missing = &parhelion_##name##_missing;                   \
    static constexpr auto interval_weights = &parhelion_##name##_interval_weights; \
  };
PARHELION_SOLVER_OF_COLUMNS(Longwave, longwave)
PARHELION_SOLVER_OF_COLUMNS(Shortwave, shortwave)

/// An object of a solver.
template <class Solver>
class Object {
 public:
  using Handle = typename Solver::Handle;

  explicit Object(py::dict const& options) {
    Kept kept;
    auto const made = make<typename Solver::Options>(options, kept);
    require_without_lock([&] { return Solver::create(&made, &m_handle); });
  }
  ~Object() { Solver::destroy(m_handle); }
  Object(Object const&) = delete;
  Object& operator=(Object const&) = delete;

  /// Calls that come while another thread uses the object are refused, so that it is not destroyed meanwhile.
  template <class Call>
  void use(Call&& call) {
    std::unique_lock<std::mutex> const lock(m_mutex, std::try_to_lock);
    if (!lock.owns_lock()) refuse("is in use by another thread");
    if (m_handle == nullptr) refuse("has been closed");
    require_without_lock([&] { return call(m_handle); });
  }

  /// Returns by name what is no array.
  py::dict solve(py::dict const& input, py::dict const& output, std::uintptr_t stream) {
    Kept kept;
    auto const in = make<typename Solver::Input>(input, kept);
    auto out = make<typename Solver::Output>(output, kept);
    double reached_error = 0;
    std::int64_t repetitions = 0;
    constexpr bool is_monte_carlo = std::is_same_v<Solver, MonteCarlo>;
    if constexpr (is_monte_carlo) {
      out.reached_error = &reached_error;
      out.repetitions = &repetitions;
    }
    use([&](Handle* handle) { return Solver::solve(handle, &in, &out, reinterpret_cast<void*>(stream)); });
    py::dict numbers;
    if constexpr (is_monte_carlo) {
      numbers["reached_error"] = reached_error;
      numbers["repetitions"] = repetitions;
    }
    return numbers;
  }

  std::pair<std::size_t, std::size_t> bytes() {
    std::size_t host = 0, device = 0;
    use([&](Handle const* handle) { return Solver::bytes(handle, &host, &device); });
    return {host, device};
  }

  void status() { use(Solver::status); }

  void close() {
    std::unique_lock<std::mutex> const lock(m_mutex, std::try_to_lock);
    if (!lock.owns_lock()) refuse("is in use by another thread");
    require_without_lock([handle = std::exchange(m_handle, nullptr)] { return Solver::destroy(handle); });
  }

 private:
  [[noreturn]] static void refuse(char const* message) {
    throw std::runtime_error(std::string("this object ") + message);
  }

  Handle* m_handle = nullptr;
  std::mutex m_mutex;
};

template <class Solver>
py::class_<Object<Solver>> define(py::module_& core, char const* name) {
  using Class = Object<Solver>;
  return py::class_<Class>(core, name)
      .def(py::init<py::dict const&>())
      .def("solve", &Class::solve)
      .def("bytes", &Class::bytes)
      .def("status", &Class::status)
      .def("close", &Class::close);
}

/// What there is to know of the model of an object: the numbers of the struct, the limits of its bands, and of each gas
/// its role and its default.
template <class Solver>
py::dict model_of(Object<Solver>& object) {
  parhelion_model model{};
  model.size = sizeof(model);
  object.use([&](typename Solver::Handle const* handle) { return Solver::model(handle, &model); });
  std::vector<double> low(static_cast<std::size_t>(model.nband)), high(low.size());
  object.use([&](typename Solver::Handle const* handle) { return Solver::bands(handle, low.data(), high.data()); });
  py::dict gases;
  for (int gas = 0; gas < PARHELION_NGAS_ALL; ++gas) {
    std::int32_t role = PARHELION_ROLE_NONE;
    double ratio = 0;
    object.use([&](typename Solver::Handle const* handle) { return Solver::gas(handle, gas, &role, &ratio); });
    gases[parhelion_gas_name(gas)] = py::make_tuple(role, ratio);
  }
  py::dict all;
  auto const ends = [](double const(&range)[2]) { return py::make_tuple(range[0], range[1]); };
  all["name"] = model.name;
  all["gas_optics"] = model.gas_optics;
  all["uses_levels"] = model.uses_levels != 0;
  all["nband"] = model.nband;
  all["ngpoint"] = model.ngpoint;
  all["bands"] = py::make_tuple(low, high);
  all["gases"] = gases;
  all["temperature"] = ends(model.temperature);
  all["low_pressure"] = model.low_pressure;
  all["lowest_temperature"] = model.lowest_temperature;
  all["pressure"] = ends(model.pressure);
  all["level_pressure"] = ends(model.level_pressure);
  all["mole_ratio"] = ends(model.mole_ratio);
  all["liquid_size"] = ends(model.liquid_size);
  all["ice_size"] = ends(model.ice_size);
  all["aerosol_size"] = ends(model.aerosol_size);
  all["total_irradiance"] = model.total_irradiance;
  return all;
}

/// The names of gases that the model of an object requires and that are not given, separated by ", ".
/// \param given numbers of gases
template <class Solver>
std::string missing_gases(Object<Solver>& object, std::vector<int> const& given) {
  typename Solver::Input input{};
  input.size = sizeof(input);
  char present = 0;
  for (int const gas : given) {
    if (gas < 0 || gas >= PARHELION_NGAS_ALL) throw py::value_error("there is no gas " + std::to_string(gas));
    (gas < PARHELION_NGAS ? input.gases[gas] : input.more_gases[gas - PARHELION_NGAS]).data = &present;
  }
  char text[1024] = "";
  object.use([&](typename Solver::Handle const* handle) {
    return Solver::missing(handle, &input, text, sizeof(text), nullptr);
  });
  return text;
}

/// The weights of intervals of wavenumber in g-points, (g-point, interval) in row-major order.
/// \param between wavenumbers where they meet
template <class Solver>
std::vector<double> interval_weights(Object<Solver>& object, std::vector<double> const& between) {
  parhelion_model model{};
  model.size = sizeof(model);
  object.use([&](typename Solver::Handle const* handle) { return Solver::model(handle, &model); });
  std::vector<double> weights(static_cast<std::size_t>(model.ngpoint) * (between.size() + 1));
  object.use([&](typename Solver::Handle const* handle) {
    return Solver::interval_weights(handle, between.data(), static_cast<std::int64_t>(between.size()), weights.data());
  });
  return weights;
}

/// The number of a gas by a name.
int find_gas(std::string const& name) {
  std::int32_t gas = 0;
  require(parhelion_find_gas(name.c_str(), &gas));
  return gas;
}

/// \brief An object of columns, whose values out of range are counted.
/// \param counts function of parhelion.h
template <class Solver, class Counts>
py::class_<Object<Solver>> define_of_columns(py::module_& core, char const* name, Counts counts) {
  return define<Solver>(core, name)
      .def("model", &model_of<Solver>)
      .def("missing", &missing_gases<Solver>)
      .def("interval_weights", &interval_weights<Solver>)
      .def("counts", [counts](Object<Solver>& object) {
        std::int64_t count = 0;
        char text[4096] = "";
        object.use([&](typename Solver::Handle const* handle) { return counts(handle, text, sizeof(text), &count); });
        return std::pair<std::int64_t, py::object>(count, py::str(text));
      });
}

/// \brief The sun of a column: weights of the solar spectra, and factors on bands.
/// \param input the members of the struct of input that say which sun it is
std::pair<std::vector<double>, std::vector<double>> sun(py::dict const& input) {
  Kept kept;
  auto const in = make<parhelion_shortwave_input>(input, kept);
  std::vector<double> weights(PARHELION_SW_NSPECTRUM), factors(PARHELION_SW_NBAND);
  require(parhelion_shortwave_sun(&in, weights.data(), factors.data()));
  return {weights, factors};
}

/// The same for the model of an object.
std::pair<std::vector<double>, std::vector<double>> sun_of(Object<Shortwave>& object, py::dict const& input) {
  Kept kept;
  auto const in = make<parhelion_shortwave_input>(input, kept);
  std::vector<double> weights(PARHELION_SW_NSPECTRUM), factors(PARHELION_SW_NBAND);
  object.use([&](parhelion_shortwave const* handle) {
    return parhelion_shortwave_sun_of(handle, &in, weights.data(), factors.data());
  });
  return {weights, factors};
}

std::vector<std::string> gases(Object<Spectra>& object) {
  std::int64_t ngas = 0;
  object.use([&](parhelion_spectra const* handle) { return parhelion_spectra_sizes(handle, &ngas, nullptr); });
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < ngas; ++i) {
    char text[256] = "";
    object.use([&](parhelion_spectra const* handle) { return parhelion_spectra_gas(handle, i, text, sizeof(text)); });
    names.emplace_back(text);
  }
  return names;
}

std::vector<double> wavenumbers(Object<Spectra>& object) {
  std::int64_t nchannel = 0;
  object.use([&](parhelion_spectra const* handle) { return parhelion_spectra_sizes(handle, nullptr, &nchannel); });
  std::vector<double> found(static_cast<std::size_t>(nchannel));
  for (std::size_t i = 0; i < found.size(); ++i)
    object.use([&](parhelion_spectra const* handle) {
      return parhelion_spectra_wavenumber(handle, static_cast<std::int64_t>(i), &found[i]);
    });
  return found;
}

/// The values of enumerations, by their names in the header.
py::dict constants() {
#define M(name) \
  { "PARHELION_" #name, static_cast<int>(PARHELION_##name) }
  static constexpr std::pair<char const*, int> values[] = {M(FLOAT64),
                                                           M(FLOAT32),
                                                           M(SURFACE_FIRST),
                                                           M(TOP_FIRST),
                                                           M(CHECK_REFUSE),
                                                           M(CHECK_CLIP),
                                                           M(CHECK_TRUST),
                                                           M(DEVICE_BY_RANK),
                                                           M(DEVICE_CURRENT),
                                                           M(H2O),
                                                           M(CO2),
                                                           M(O3),
                                                           M(N2O),
                                                           M(CO),
                                                           M(CH4),
                                                           M(O2),
                                                           M(CCL4),
                                                           M(CFC11),
                                                           M(CFC12),
                                                           M(CFC22),
                                                           M(NGAS),
                                                           M(NGAS_ALL),
                                                           M(GAS_OPTICS_OF_FILE),
                                                           M(GAS_OPTICS_SIMPLE),
                                                           M(GAS_OPTICS_RRTMG),
                                                           M(GAS_OPTICS_RRTMGP),
                                                           M(GAS_OPTICS_ECCKD),
                                                           M(LEVEL_TEMPERATURES_GIVEN),
                                                           M(LEVEL_TEMPERATURES_INTERPOLATED),
                                                           M(ANGLES_OPTIMAL),
                                                           M(SCATTERING_NONE),
                                                           M(SCATTERING_RESCALING),
                                                           M(SCATTERING_TWO_STREAM),
                                                           M(CLOUD_AVERAGING_THICK),
                                                           M(CLOUD_AVERAGING_THIN),
                                                           M(ROLE_NONE),
                                                           M(ROLE_OPTIONAL),
                                                           M(ROLE_DEFAULT),
                                                           M(ROLE_REQUIRED),
                                                           M(CLOUDS_NONE),
                                                           M(CLOUDS_OF_LAYERS),
                                                           M(CLOUDS_OF_GPOINTS),
                                                           M(CLOUDS_MASKED),
                                                           M(OVERLAP_DEFAULT),
                                                           M(OVERLAP_RANDOM),
                                                           M(OVERLAP_MAXIMUM_RANDOM),
                                                           M(OVERLAP_MAXIMUM),
                                                           M(OVERLAP_EXPONENTIAL),
                                                           M(OVERLAP_EXPONENTIAL_RANDOM),
                                                           M(OUT_OF_RANGE_REFUSE),
                                                           M(OUT_OF_RANGE_CLIP),
                                                           M(OUT_OF_RANGE_EXTRAPOLATE),
                                                           M(TRANSMITTANCE_EXACT),
                                                           M(TRANSMITTANCE_TABLE),
                                                           M(TWO_STREAM_PIFM),
                                                           M(TWO_STREAM_EDDINGTON),
                                                           M(TWO_STREAM_QUADRATURE),
                                                           M(DIRECT_SCALED),
                                                           M(DIRECT_UNSCALED),
                                                           M(SUN_KURUCZ_UNSCALED),
                                                           M(SUN_KURUCZ),
                                                           M(SUN_MEAN_CYCLE),
                                                           M(SUN_CYCLE),
                                                           M(SUN_INDICES),
                                                           M(SUN_SCALED_BANDS),
                                                           M(GAS_GREY),
                                                           M(GAS_GREY_GASES),
                                                           M(GAS_NARROW_BANDS),
                                                           M(ORIGIN_CENTRE),
                                                           M(ORIGIN_VOLUME),
                                                           M(DIRECTIONS_TILES),
                                                           M(DIRECTIONS_SHARED),
                                                           M(DIRECTIONS_INDEPENDENT),
                                                           M(SIDE_WALL),
                                                           M(SIDE_PERIODIC)};
#undef M
  py::dict all;
  for (auto const& [name, value] : values) all[name] = value;
  return all;
}

template <class Struct>
py::list names() {
  py::list all;
  for (auto const& member : members<Struct>()) all.append(member.name);
  return all;
}

/// The members of structs, which a test compares with the header.
py::dict structs() {
  py::dict all;
#define M(name) all[#name] = names<name>()
  M(parhelion_settings);
  M(parhelion_longwave_options);
  M(parhelion_longwave_input);
  M(parhelion_longwave_output);
  M(parhelion_shortwave_options);
  M(parhelion_shortwave_input);
  M(parhelion_shortwave_output);
  M(parhelion_adding_options);
  M(parhelion_adding_input);
  M(parhelion_adding_output);
  M(parhelion_spectra_options);
  M(parhelion_spectra_input);
  M(parhelion_spectra_output);
  M(parhelion_monte_carlo_options);
  M(parhelion_side);
  M(parhelion_monte_carlo_input);
  M(parhelion_monte_carlo_output);
#undef M
  return all;
}

}  // namespace

PYBIND11_MODULE(_core, core) {
  not_finite_error =
      PyErr_NewExceptionWithDoc("parhelion.NotFiniteError", "A result is not finite.", PyExc_ArithmeticError, nullptr);
  if (not_finite_error == nullptr) throw py::error_already_set();
  core.add_object("NotFiniteError", py::reinterpret_borrow<py::object>(not_finite_error));
  core.attr("constants") = constants();
  core.attr("structs") = structs();
  core.attr("__version__") = parhelion_version();
  core.def("initialize", [](py::dict const& settings) {
    Kept kept;
    auto const made = make<parhelion_settings>(settings, kept);
    require_without_lock([&] { return parhelion_initialize(&made); });
  });
  core.def("finalize", [] { require_without_lock([] { return parhelion_finalize(); }); });

  py::class_<Array>(core, "Array")
      .def(py::init<std::string const&, py::object const&, bool, bool, std::uintptr_t>())
      .def_property_readonly("shape", &Array::shape)
      .def_property_readonly("type", &Array::type)
      .def_property_readonly("on_device", &Array::on_device)
      .def_property_readonly("stream", &Array::stream)
      .def("spread", &Array::spread);

  define_of_columns<Longwave>(core, "Longwave", &parhelion_longwave_counts);
  define_of_columns<Shortwave>(core, "Shortwave", &parhelion_shortwave_counts).def("sun", &sun_of);
  core.def("sun", &sun);
  core.def("find_gas", &find_gas);
  define<Adding>(core, "Adding");
  define<Spectra>(core, "Spectra").def("gases", &gases).def("wavenumbers", &wavenumbers);
  define<MonteCarlo>(core, "MonteCarlo");
}

}  // namespace parhelion::python
