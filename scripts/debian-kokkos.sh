#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Puts a private Kokkos (OpenMP) and the headers of Kokkos Kernels into a folder, on a Debian release that does not
# package them (bookworm, trixie). Takes seconds and no root; nothing outside the folder is changed.
#
#   scripts/debian-kokkos.sh FOLDER       then: cmake -C FOLDER/kokkos.cmake ...
#
# Both are binary packages of Debian's own unstable and experimental suites, through the mirror that apt uses already.
# They want a newer C library than the release has, so that one comes along, and kokkos.cmake makes executables use it.
# Installing parhelion copies what it needs of the folder into the prefix; patchelf, which does a part of that, is here too.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: debian-kokkos.sh FOLDER" >&2; exit 2; }
for tool in apt-get dpkg gcc ar; do
  command -v "$tool" > /dev/null || { echo "debian-kokkos.sh: no $tool; elsewhere than on Debian, install Kokkos" >&2; exit 1; }
done
folder=$(mkdir -p "$1" && cd "$1" && pwd)
[ "$folder" != / ] || { echo "debian-kokkos.sh: needs a folder of its own" >&2; exit 2; }
architecture=$(dpkg --print-architecture)
triplet=$(gcc -print-multiarch)

# apt knows the origin of a mirror once it has its lists; before that the address has to tell.
# shellcheck disable=SC2016  # apt expands what is in the single quotes
mirrors() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' "$@" | grep -v security; }
mirror=$({ mirrors 'Origin: Debian' || mirrors | grep -E '/debian/?$' || true; } | head -n 1)
if [ -z "$mirror" ]; then
  echo "debian-kokkos.sh: apt knows no Debian mirror; install Kokkos 4.6 or newer with Spack instead" >&2
  exit 1
fi

# A private apt: its sources, lists and downloads stay in the folder and leave the system's alone. What is there of
# an earlier run that was cut short goes first; kokkos.cmake comes last and so tells that the folder is complete.
apt_folder=$folder/.apt
rm -rf "$apt_folder" "${folder:?}"/{usr,runtime,kokkos.cmake}
mkdir -p "$apt_folder"/{lists/partial,cache/archives/partial,debs}
for suite in sid experimental; do
  echo "deb [arch=$architecture signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
done > "$apt_folder/sources.list"
options=(-q -o "Dir::Etc::SourceList=$apt_folder/sources.list" -o Dir::Etc::SourceParts=/dev/null
         -o "Dir::State::Lists=$apt_folder/lists" -o "Dir::Cache=$apt_folder/cache"
         -o Acquire::Check-Valid-Until=false -o Acquire::Retries=3 -o APT::Sandbox::User=)

apt-get "${options[@]}" update
kokkos_core=$(apt-cache "${options[@]}" show libkokkos-dev/sid |
              sed -n 's/^Depends: *\(libkokkos[0-9.]*\).*/\1/p' | head -n 1)
cd "$apt_folder/debs"
apt-get "${options[@]}" download libkokkos-dev/sid "$kokkos_core/sid" libc6/sid libstdc++6/sid libgcc-s1/sid \
        libgomp1/sid patchelf/sid libtrilinos-kokkos-kernels-dev/experimental
for package in libkokkos*.deb libtrilinos-kokkos-kernels-dev*.deb patchelf_*.deb; do dpkg -x "$package" "$folder"; done
for package in libc6_*.deb libstdc++6_*.deb libgcc-s1_*.deb libgomp1_*.deb; do
  dpkg -x "$package" "$folder/runtime"
done
cd "$folder"

# Debian's package configuration has /usr written into it and names two (empty) archives that the package lacks.
library=$folder/usr/lib/$triplet
sed -i 's#/usr/include/kokkos#${_IMPORT_PREFIX}/include/kokkos#g' "$library"/cmake/Kokkos/*.cmake
for archive in algorithms simd; do
  [ -e "$library/libkokkos$archive.a" ] || ar rcs "$library/libkokkos$archive.a"
done

# The Kokkos Kernels are those of Trilinos, whose library needs the rest of Trilinos. The batched kernels, which are
# what parhelion uses, are headers only: so the headers are all that is offered.
kernels=$library/cmake/KokkosKernels
rm -rf "$kernels" "$library"/libtrilinos_kokkoskernels.so
mkdir -p "$kernels"
kernels_version=$(sed -n 's/^#define KOKKOSKERNELS_VERSION_\(MAJOR\|MINOR\|PATCH\) *\([0-9]*\).*/\2/p' \
                  "$folder/usr/include/trilinos/KokkosKernels_config.h" | paste -sd.)
cat > "$kernels/KokkosKernelsConfig.cmake" <<'CMAKE'
include(CMakeFindDependencyMacro)
find_dependency(Kokkos)
if(NOT TARGET Kokkos::kokkoskernels)
  cmake_path(SET include NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../../../include/trilinos")
  add_library(Kokkos::kokkoskernels INTERFACE IMPORTED)
  set_target_properties(Kokkos::kokkoskernels PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${include}" INTERFACE_LINK_LIBRARIES Kokkos::kokkos)
  unset(include)
endif()
CMAKE
cat > "$kernels/KokkosKernelsConfigVersion.cmake" <<CMAKE
set(PACKAGE_VERSION "$kernels_version")
if(PACKAGE_VERSION VERSION_GREATER_EQUAL PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
CMAKE

runtime=$folder/runtime/usr/lib/$triplet
loader=$(find "$runtime" -name 'ld-linux*.so.*' -printf '%f\n')
# patchelf needs the newer C library itself: it makes a copy of itself start with that.
cp usr/bin/patchelf "$apt_folder"
"$runtime/$loader" --library-path "$runtime" "$apt_folder/patchelf" --set-interpreter "$runtime/$loader" \
  --force-rpath --set-rpath "$runtime" usr/bin/patchelf
rm -rf "$apt_folder"
cat > "$folder/kokkos.cmake" <<CMAKE
set(runtime "$runtime")
list(PREPEND CMAKE_PREFIX_PATH "$folder/usr")
set(CMAKE_PREFIX_PATH "\${CMAKE_PREFIX_PATH}" CACHE STRING "")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--dynamic-linker=\${runtime}/$loader -Wl,--disable-new-dtags -Wl,-rpath,\${runtime} -Wl,--allow-shlib-undefined" CACHE STRING "")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,--allow-shlib-undefined" CACHE STRING "")
CMAKE
echo "Kokkos ${kokkos_core#libkokkos} and the headers of Kokkos Kernels $kernels_version are in $folder"
