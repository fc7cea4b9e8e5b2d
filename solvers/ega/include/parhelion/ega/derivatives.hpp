// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_DERIVATIVES_HPP
#define PARHELION_EGA_DERIVATIVES_HPP

#include <parhelion/core/solver.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/ega/forward_model.hpp>

#include <cstddef>
#include <memory>

namespace parhelion::ega {

/// The rows of derivatives: pressure, temperature, the mole fractions of the gases, extinction.
namespace derivative_row {
inline constexpr int pressure = 0;
inline constexpr int temperature = 1;
inline constexpr int first_gas = 2;
/// The row of the extinction for a number of gases.
KOKKOS_INLINE_FUNCTION constexpr int extinction(int ngas) { return first_gas + ngas; }
/// The number of rows for a number of gases.
KOKKOS_INLINE_FUNCTION constexpr int count(int ngas) { return extinction(ngas) + 1; }
}  // namespace derivative_row

namespace dimension {
inline constexpr std::string_view row = "row";  ///< of derivatives, see derivative_row
}  // namespace dimension

/// \brief Spectra, and derivatives of their radiances with respect to the values of the ray's profile at its levels, in
///        SI units.
///
/// The last row is the extinction in the window of the channel; other windows have no influence.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct SpectraDerivatives {
  Spectra<ExecutionSpace, Real> spectra = {};
  Array<Real****, ExecutionSpace> derivative = {};  ///< (ray, row, level, channel)

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    Spectra<ExecutionSpace, Real>::for_each_array(action, sets.spectra...);
    action(ArrayDescription{.name = "derivative",
                            .unit = "radiance by the unit of the row",
                            .meaning = "derivative of the radiance by the value at the level",
                            .dimensions = {ray, row, level, channel}},
           sets.derivative...);
  }
};

/// How the work is divided. 0: chosen automatically. Results do not depend on it.
struct AdjointTuning {
  int batch = 0;                 ///< rays that are computed at a time
  std::size_t memory_limit = 0;  ///< limit of the workspace [bytes]; exceeded if a single ray needs more
};

/// \brief Radiances along rays and their derivatives with respect to all levels of all profiles, in reverse mode.
///
/// The derivatives are those of the discrete model, including tables that are linear between their nodes, and the path
/// of the ray, whose refraction depends on pressure and temperature. At a kink of the model they are those of one side.
/// The cost does not depend on the number of levels: one kernel follows each ray and stores the slopes of emissivity
/// growth for each gas, one integrates the radiance and goes back to the observer, and one goes back along the path.
/// The method is that of Giering & Kaminski (1998), doi:10.1145/293686.293695.
///
/// A Solver, whose items are rays.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
class AdjointModel {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;
  using model_type = Model<ExecutionSpace, Real>;
  using capacity_type = ForwardCapacity;
  using tuning_type = AdjointTuning;
  using input_type = ForwardInput<ExecutionSpace>;
  using result_type = SpectraDerivatives<ExecutionSpace, Real>;

  /// \brief Allocates the workspace; may fence.
  /// \param space    execution space instance
  /// \param model    tables and coefficients of the channels
  /// \param capacity the largest call; has the gases of the model, and at least as many channels
  /// \param tuning   how the work is divided
  /// \throws parhelion::Error when a number of `capacity` is not positive, or the model does not fit it
  AdjointModel(ExecutionSpace const& space, model_type const& model, ForwardCapacity const& capacity,
               AdjointTuning const& tuning = {});
  AdjointModel(AdjointModel&&) noexcept;
  AdjointModel& operator=(AdjointModel&&) noexcept;
  ~AdjointModel();

  /// \brief Radiances, transmittances and derivatives of the radiances.
  ///
  /// Neither allocates nor fences. Values are not checked. A ray that cannot be traced (Spectra::npoint = -1) gets NaN.
  /// Radiances agree with those of ForwardModel to rounding.
  ///
  /// \param space  execution space instance; work is enqueued there and not fenced
  /// \param input  atmosphere and rays
  /// \param result overwritten
  /// \throws parhelion::Error on mismatched extents or more than the capacity, before anything is enqueued
  void solve(ExecutionSpace const& space, input_type const& input, result_type const& result);

  /// \brief The first ray with a radiance or transmittance that is not finite, in the calls since the last call of this
  ///        function. Fences `space`.
  SolveStatus status(ExecutionSpace const& space);

  /// Device memory of the solver in addition to the model [bytes].
  std::size_t workspace_bytes() const;

  /// \brief The memory that a solver would need [bytes], before it is constructed.
  /// \param space    execution space instance
  /// \param capacity as for the constructor
  /// \param tuning   as for the constructor
  static std::size_t workspace_bytes(ExecutionSpace const& space, ForwardCapacity const& capacity,
                                     AdjointTuning const& tuning = {});

 private:
  struct Content;
  std::unique_ptr<Content> m_content;
};

}  // namespace parhelion::ega

#endif
