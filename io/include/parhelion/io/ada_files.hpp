// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_ADA_FILES_HPP
#define PARHELION_IO_ADA_FILES_HPP

#include <parhelion/adding/host_adding.hpp>
#include <parhelion/io/file_sharing.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/provenance.hpp>

#include <string>
#include <vector>

namespace parhelion::io {

/// What is read of a file of profiles.
struct AdaOptions {
  std::string group = "all";  ///< name of a group, or "all"
  bool tangent = false;       ///< the perturbation in `tl_in`, which each group must have then
  bool adjoint = false;       ///< the seed of the adjoint
  /// Where several processes share a file: the profiles of each group that this one reads. Groups of which a part has
  /// none are there, without arrays.
  Part part = {};
};

/// The profiles of one group, which share their numbers of layers and angles.
struct AdaGroup {
  std::string name;
  std::size_t nprofile = 0;          ///< profiles of the group in the file
  ItemRange range;                   ///< those that have been read
  adding::HostProfiles profiles;     ///< as in the file: index 0 is the top
  bool types = false;                ///< phase matrices are those of types, not of layers
  std::string unit;                  ///< attribute `units` of `planck_atm`, empty where there is none
  adding::HostPerturbation tangent;  ///< with AdaOptions::tangent
  HostArray<double**> adjoint;       ///< with AdaOptions::adjoint
  adding::ArrayNames names;          ///< of the arrays in the file

  /// References to the arrays, for calls that compute what was asked for.
  adding::HostAddingInput input() const { return {profiles, tangent, adjoint}; }
};

/// What a file of profiles holds, as read_ada_input() returns it.
struct AdaInput {
  std::string path;  ///< the file
  std::vector<AdaGroup> groups;
};

/// \brief Reads and checks profiles that emit, absorb and scatter from an HDF5 or netCDF-4 file.
///
/// Each group of the file holds profiles (P) of L layers and A angles: od, planck_atm (P, L), planck_sfc (P), mu (P,
/// A), emissivity (P, A), reflectivity (P, A, A), optionally cosmic (P) and weight (P, A), and for a sun cos_sun,
/// solar_irradiance (P) and direct_reflectivity (P, A). With scattering also ssa (P, L), weight, and phase matrices:
/// either of each layer, pff and pbb (P, L, A, A + 1), or of M types, pff_types and pbb_types (P, M, A, A + 1) with
/// type (P, L), where 0 stands for none and type t is the matrix t - 1. Index 0 is the top. What else is there is not
/// read.
///
/// `tl_in` holds a perturbation under the same names, `ad_in/rad_toa` (P, A) the seed of the adjoint; where it is
/// missing the seed is 1 for the last angle and 0 for the others.
///
/// \throws parhelion::Error naming file, group, variable, index (as in the file, from 0), what was found and what was
///         expected where a group or variable is missing or of the wrong shape, where adding::validate refuses, and
///         where the file holds what would have to be ignored: albedos above 0 without phase matrices, both kinds of
///         them, a perturbation of something else
AdaInput read_ada_input(std::string const& path, AdaOptions const& options = {});

/// \brief Writes radiances as a netCDF-4 file with the groups of the input.
///
/// A group gets mu, rad_up (P, L + 1, A) and, where they were computed, full_up, full_dn (P, L + 1, A),
/// tl_out/rad_toa (P, A) and in ad_out the derivatives under the names of the input. Index 0 is the top.
///
/// \param path       name of the file, replaced at the end if it exists
/// \param input      what read_ada_input returned
/// \param results    one for each of its groups, in their order
/// \param provenance global attributes
/// \param sharing    processes that have read a part of the file each and write this one together, collectively;
///                   nullptr: this process has all profiles
/// \throws parhelion::Error when numbers or extents differ or the file cannot be written; the old file, if any, is then
///         still there
void write_ada_radiances(std::string const& path, AdaInput const& input,
                         std::vector<adding::HostRadiances> const& results, Provenance const& provenance,
                         FileSharing const* sharing = nullptr);

}  // namespace parhelion::io

#endif
