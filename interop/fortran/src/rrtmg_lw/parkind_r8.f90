! SPDX-License-Identifier: BSD-3-Clause
!> Kinds of RRTMG_LW, with reals of 8 bytes.
module parkind
  implicit none

  integer, parameter :: kind_ib = selected_int_kind(13)   !< integers of 8 bytes
  integer, parameter :: kind_im = selected_int_kind(6)    !< integers of 4 bytes, of all arguments
  integer, parameter :: kind_in = kind(1)                 !< default integers
  integer, parameter :: kind_rb = selected_real_kind(12)  !< reals of all arguments
  integer, parameter :: kind_rm = selected_real_kind(6)   !< reals of 4 bytes
  integer, parameter :: kind_rn = kind(1.0)               !< default reals
end module parkind

!> How arrays of this kind are described for C.
module rrtmg_lw_parhelion_arrays
  use parhelion_c, only: describe_1 => describe_real64_1, describe_2 => describe_real64_2, &
                         describe_3 => describe_real64_3, precision_of_kind => parhelion_float64
  implicit none
  public
end module rrtmg_lw_parhelion_arrays
