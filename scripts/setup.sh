#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Gets what parhelion needs, configures and builds it. What is there is used, what is done is not done again: a second
# run only compiles what has changed and needs no network.
#
#   scripts/setup.sh [PRESET [TARGET]]    PRESET of CMakePresets.json, release when left out; all targets when left out
#
# Packages come from apt where there is one and some are missing (root or sudo). A Kokkos that CMake finds by itself
# (CMAKE_PREFIX_PATH, Kokkos_ROOT, Spack, a module, the distribution) is taken; else scripts/debian-kokkos.sh brings one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=${1:-release}
target=${2:-all}
build=build-$preset
[ "$preset" != release ] || build=build
kokkos=$PWD/.cache/kokkos

step() { printf '==> %s\n' "$*"; }

install_packages() {
  command -v apt-get > /dev/null || return 0
  local missing=() tool library
  # command:package
  for tool in "${CXX:-g++}:g++" cmake:cmake ninja:ninja-build ccache:ccache git:git ncdump:netcdf-bin \
              pkg-config:pkg-config make:make gfortran:gfortran curl:curl doxygen:doxygen; do
    command -v "${tool%:*}" > /dev/null || missing+=("${tool##*:}")
  done
  for library in libhdf5-dev libeigen3-dev libfmt-dev libcli11-dev librandom123-dev libgtest-dev libbenchmark-dev \
                 ca-certificates libudunits2-0; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$library" 2> /dev/null)" = installed ] || missing+=("$library")
  done
  # What a preset with MPI needs, with a parallel HDF5 beside the serial one, which the others keep; and what reads
  # netCDF-3, which they do without.
  [ "$preset" != ci ] || command -v mpiexec > /dev/null || missing+=(openmpi-bin)
  for library in libnetcdf-dev $([ "$preset" != ci ] || echo libopenmpi-dev libhdf5-openmpi-dev); do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$library" 2> /dev/null)" = installed ] || missing+=("$library")
  done
  # With these the tests see results as other programs do.
  python3 -c 'import netCDF4, xarray' 2> /dev/null || /usr/bin/python3 -c 'import netCDF4, xarray' 2> /dev/null ||
    missing+=(python3-netcdf4 python3-xarray)
  # The Python module, for the distribution's python3.
  for library in pybind11-dev python3-dev python3-numpy; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$library" 2> /dev/null)" = installed ] || missing+=("$library")
  done
  scripts/python.sh -c '' 2> /dev/null || missing+=(python3 python3-numpy python3-h5py python3-matplotlib)
  [ ${#missing[@]} -gt 0 ] || return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo > /dev/null; then
      # They may be there in another way (Spack, modules): CMake tells what it really misses.
      step "not root and no sudo, so these packages are not installed: ${missing[*]}"
      return 0
    fi
    as_root=(sudo)
  fi
  step "Installing ${missing[*]}"
  "${as_root[@]}" apt-get -q update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "${missing[@]}"
}

# True when CMake finds a Kokkos and its kernels without being told where, and a program links with them.
kokkos_is_installed() {
  local probe=$PWD/.cache/kokkos-probe
  rm -rf "$probe" && mkdir -p "$probe"
  cat > "$probe/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES CXX)
find_package(Kokkos CONFIG QUIET REQUIRED)
find_package(KokkosKernels CONFIG QUIET REQUIRED)
# Kokkos's own version file takes a request for 4.6 as one for any 4.x, so the version is looked at here.
if(Kokkos_VERSION VERSION_LESS 4.6)
  message(FATAL_ERROR "${Kokkos_DIR} holds Kokkos ${Kokkos_VERSION}")
endif()
message(STATUS "Found Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}) in ${Kokkos_DIR}")
add_executable(probe probe.cpp)
target_link_libraries(probe PRIVATE Kokkos::kokkos Kokkos::kokkoskernels)
target_compile_features(probe PRIVATE cxx_std_20)
CMAKE
  cat > "$probe/probe.cpp" <<'CXX'
#include <Kokkos_Core.hpp>
int main(int argc, char** argv) { Kokkos::ScopeGuard const guard(argc, argv); }
CXX
  cmake -G Ninja -S "$probe" -B "$probe/build" > "$probe/log" 2>&1 || return 1
  cmake --build "$probe/build" >> "$probe/log" 2>&1 || return 1
  step "$(sed -n 's/^-- \(Found Kokkos .*\)/\1/p' "$probe/log")"
}

configure() {
  # CMake's cache without a build system beside it is that of a configuration that failed.
  if [ -f "$build/CMakeCache.txt" ] && { [ -f "$build/build.ninja" ] || [ -f "$build/Makefile" ]; }; then return 0; fi
  local cache=()
  if ! kokkos_is_installed; then
    # One that was moved, or that an earlier debian-kokkos.sh made without patchelf, is made anew.
    if [ ! -f "$kokkos/kokkos.cmake" ] || ! grep -qF "\"$kokkos/usr\"" "$kokkos/kokkos.cmake" ||
       [ ! -x "$kokkos/usr/bin/patchelf" ]; then
      step "No usable Kokkos is installed (.cache/kokkos-probe/log says why): getting one"
      scripts/debian-kokkos.sh "$kokkos"
    fi
    cache=(-C "$kokkos/kokkos.cmake")
  fi
  step "Configuring $build"
  cmake --fresh "${cache[@]}" --preset "$preset"
}

install_packages
configure
step "Building $build"
[ -f "$build/build.ninja" ] || target=all  # the names of targets are those of Ninja
cmake --build "$build" --target "$target" -j "$(nproc)"
