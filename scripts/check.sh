#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks what the build and the tests of scripts/test.sh do not: other compilers, static analysis, sanitizers.
#
#   scripts/check.sh [STEP...]    all steps when left out
#
#   headers      every public header compiles alone
#   sanitizers   libraries and program compile with clang, without a warning; the tests of core, the solvers' common
#                contract and some cases of the fuzzer pass under the address and undefined-behaviour sanitizers
#   tidy         clang-tidy finds nothing in libraries, program, interfaces, examples and benchmarks (.clang-tidy says
#                what it looks for)
#   clang        as sanitizers, but optimized as for users, and without sanitizers and fuzzer
#   cuda         parhelion::fluxes compiles for CUDA; calls of host functions from kernels are errors. Needs nvcc and, in
#                PARHELION_CUDA_KOKKOS, the prefix of a Kokkos with CUDA
#
# A step whose tools are missing is skipped, which the last lines say. Exits with 1 if a step failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
all=(headers sanitizers tidy clang cuda)
steps=("$@")
[ $# -gt 0 ] || steps=("${all[@]}")
jobs=$(nproc)
fast=(test_core test_conformance_toy test_conformance_toy_files test_conformance_longwave test_conformance_shortwave
      test_conformance_adding test_conformance_ega test_conformance_monte_carlo)

# Installs packages of Debian, where this may be done.
install() {  # PACKAGE...
  command -v apt-get > /dev/null && [ "$(id -u)" -eq 0 ] || return 1
  apt-get -q update > /dev/null && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "$@"
}

configure() {  # PRESET [OPTION...]
  local kokkos=()
  [ ! -f .cache/kokkos/kokkos.cmake ] || kokkos=(-C .cache/kokkos/kokkos.cmake)
  cmake "${kokkos[@]}" --preset "$@"
}

run_tests() {  # BUILD PROGRAM...
  local program
  for program in "${@:2}"; do
    echo "$program"
    OMP_PROC_BIND=false OMP_WAIT_POLICY=passive "$1/bin/$program" --gtest_brief=1 || return 1
  done
}

headers() {
  command -v mpiexec > /dev/null || install openmpi-bin libopenmpi-dev libhdf5-openmpi-dev ||
    { echo "no MPI"; return 77; }
  configure ci && cmake --build build-ci -j "$jobs" --target parhelion_headers
}

# Debian has clang and its OpenMP, which Kokkos asks for, in packages of their own.
clang_works() {
  echo 'int main() {}' | clang++ -fopenmp -x c++ -o /dev/null - 2> /dev/null
}

has_clang() {
  clang_works || install clang libomp-dev
  clang_works || { echo "no clang with OpenMP"; return 1; }
}

# Clang takes half of the time that GCC takes for the same, and without optimization a third of what it takes with -O1.
# The test that is left out limits the process's addresses, of which the sanitizers reserve more than any limit.
sanitizers() {
  has_clang || return 77
  configure debug -B build-sanitizers -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_C_FLAGS_DEBUG=-gline-tables-only -DCMAKE_CXX_FLAGS_DEBUG=-gline-tables-only \
    -DPARHELION_WARNINGS_AS_ERRORS=ON &&
    cmake --build build-sanitizers -j "$jobs" --target parhelion_program "${fast[@]}" &&
    ASAN_OPTIONS=detect_leaks=0 GTEST_FILTER=-Memory.HeedsTheLimitsOfTheProcess \
      run_tests build-sanitizers "${fast[@]}" || return 1
  # Exits with 1, too, where there is no python3 with the modules that it needs.
  scripts/python.sh -c '' || { echo "no fuzzer"; return 0; }
  scripts/python.sh tests/fuzz/fuzz.py --program build-sanitizers/bin/parhelion --cases 20 --memory 0 --timeout 300 \
    --jobs "$jobs" --keep build-sanitizers/fuzz-failures
}

# Sources that are compiled together are looked at together, and some more (PARHELION_LOOK_TOGETHER): most of the time
# goes into the headers of Kokkos, once for each of them. Without precompiled headers, as those of clang-tidy would have
# to be made first; what a source does not include itself is found, too. Huge pages spare it a tenth.
tidy() {
  command -v run-clang-tidy > /dev/null || install clang-tidy || { echo "no clang-tidy"; return 77; }
  has_clang || return 77
  # Headers that are generated must be there.
  configure clang -B build-tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DPARHELION_LOOK_TOGETHER=ON \
    -DPARHELION_ENABLE_TESTS=OFF &&
    cmake --build build-tidy --target parhelion_revision &&
    GLIBC_TUNABLES=glibc.malloc.hugetlb=1 run-clang-tidy -p build-tidy -quiet -j "$jobs" \
      "$PWD/(build-tidy/)?(core|solvers|io|apps|interop|examples|perf)/.*\.(c|cpp|cxx)$"
}

clang() {
  has_clang || return 77
  configure clang && cmake --build build-clang -j "$jobs" --target parhelion_program "${fast[@]}" &&
    run_tests build-clang "${fast[@]}"
}

cuda() {
  PATH=$PATH:/usr/local/cuda/bin
  command -v nvcc > /dev/null || { echo "no nvcc"; return 77; }
  local kokkos=${PARHELION_CUDA_KOKKOS:-}
  [ -n "$kokkos" ] || { echo "PARHELION_CUDA_KOKKOS does not say where a Kokkos with CUDA is"; return 77; }
  cmake --preset cuda -DCMAKE_CXX_COMPILER="$kokkos/bin/nvcc_wrapper" -DKokkos_ROOT="$kokkos" \
    -DPARHELION_WARNINGS_AS_ERRORS=ON -DPARHELION_ENABLE_ADDING=OFF -DPARHELION_ENABLE_EGA=OFF \
    -DPARHELION_ENABLE_MONTE_CARLO=OFF -DPARHELION_ENABLE_IO=OFF &&
    cmake --build build-cuda -j "$jobs"
}

# Steps return 77 where they cannot run. Their commands are joined by &&: set -e does not hold within `... || status=$?`.
summary=()
failed=0
for step in "${steps[@]}"; do
  case " ${all[*]} " in *" $step "*) ;; *) echo "check.sh: no step $step; there are ${all[*]}" >&2; exit 2 ;; esac
  printf '==> %s\n' "$step"
  begin=$SECONDS
  status=0
  ("$step") || status=$?
  case $status in
    0) outcome=passed ;;
    77) outcome=skipped ;;
    *) outcome=FAILED; failed=1 ;;
  esac
  summary+=("$(printf '%-12s %-8s %4d s' "$step" "$outcome" $((SECONDS - begin)))")
done
printf '\n'
printf '%s\n' "${summary[@]}"
exit $failed
