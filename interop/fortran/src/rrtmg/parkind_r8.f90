! SPDX-License-Identifier: BSD-3-Clause
!> Kinds of RRTMG_LW and RRTMG_SW, with reals of 8 bytes.
module parkind
  implicit none

  integer, parameter :: kind_ib = selected_int_kind(13)   !< integers of 8 bytes
  integer, parameter :: kind_im = selected_int_kind(6)    !< integers of 4 bytes, of all arguments
  integer, parameter :: kind_in = kind(1)                 !< default integers
  integer, parameter :: kind_rb = selected_real_kind(12)  !< reals of all arguments
  integer, parameter :: kind_rm = selected_real_kind(6)   !< reals of 4 bytes
  integer, parameter :: kind_rn = kind(1.0)               !< default reals
end module parkind
