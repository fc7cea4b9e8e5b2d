// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_RRTMG_RECORD_LENGTHS_HPP
#define PARHELION_IO_RRTMG_RECORD_LENGTHS_HPP

#include <cstdint>

namespace parhelion::io {

/// Bytes in the first record of the distributed files of RRTMG_LW, of 8-byte and of 4-byte reals.
inline constexpr std::uint64_t rrtmg_lw_first_record[] = {5664 * 8, 5664 * 4};

/// The same of RRTMG_SW; these records have an integer of 4 bytes, too.
inline constexpr std::uint64_t rrtmg_sw_first_record[] = {13346 * 8 + 4, 13346 * 4 + 4};

}  // namespace parhelion::io

#endif
