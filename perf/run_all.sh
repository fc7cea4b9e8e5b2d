#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the benchmarks that docs/performance.md is made of, and writes their reports.
#
#   perf/run_all.sh BIN OUT [SPACE [RUN...]]
#   perf/run_all.sh --commands [SPACE [RUN...]]
#
# BIN is the folder of the programs (build/bin) and OUT that of the reports, RUN.json, which is made. SPACE is Cuda (the
# default) or another execution space of a GPU, or OpenMP, Threads or Serial. RUN names single runs: longwave,
# longwave_growth, shortwave, shortwave_growth, k_distributions, k_distributions_growth, clear_sky, scattering, ega,
# monte_carlo, c_interface, drop_in. With --commands the commands are printed and not run.
#
# $PARHELION_DATA names the folder of coefficients and tables. A program that was built from sources without their git
# repository does not know its revision: $PARHELION_REVISION then names it. A run that fails or takes longer than
# $PARHELION_PERF_TIMEOUT seconds (300) does not end the others; the last lines name those that failed, and the exit
# status is 1. On a host set OMP_NUM_THREADS=1 where the machine has other work.
set -uo pipefail

usage() {
  sed -n 's/^#   //p' "$0" >&2
  exit 2
}

only_print=false
if [[ ${1-} == --commands ]]; then
  only_print=true
  bin="" out=.
  shift
else
  [[ $# -ge 2 ]] || usage
  bin=${1%/}/ out=${2%/}
  shift 2
fi
space=${1-Cuda}
[[ $# -gt 0 ]] && shift
wanted=("$@")

export OMP_PROC_BIND=${OMP_PROC_BIND-spread} OMP_PLACES=${OMP_PLACES-threads}
known=() failed=()

# fails NAME WHY
fails() {
  failed+=("$1: $2")
  echo "run_all.sh: $1: $2" >&2
}

# run NAME PROGRAM REPETITIONS SECONDS FILTER: SECONDS is the least time of a repetition.
run() {
  local name=$1 program=$2 repetitions=$3 seconds=$4 filter=$5
  known+=("$name")
  [[ ${#wanted[@]} -eq 0 || " ${wanted[*]} " == *" $name "* ]] || return 0
  local report=$out/$name.json part=$out/$name.part
  local options=("--benchmark_filter=$filter" "--benchmark_min_time=$seconds" "--benchmark_repetitions=$repetitions"
                 --benchmark_report_aggregates_only=true)
  if $only_print; then
    printf "%s --benchmark_filter='%s' %s --benchmark_out=%s.json\n" "$program" "$filter" "${options[*]:1}" "$name"
    return
  fi
  rm -f "$report" "$part"
  if [[ ! -x $bin$program ]]; then
    fails "$name" "no program $bin$program"
    return
  fi
  local before=$SECONDS status=0
  timeout "${PARHELION_PERF_TIMEOUT-300}" "$bin$program" "${options[@]}" --benchmark_out="$part" \
    > "$out/$name.log" 2>&1 || status=$?
  if [[ $status -ne 0 ]]; then
    tail -n 5 "$out/$name.log" >&2
    fails "$name" "$program ended with status $status"
  elif ! grep -q '"run_name"' "$part" 2> /dev/null; then
    tail -n 5 "$out/$name.log" >&2
    fails "$name" "$program measured nothing"
  elif grep -q '"error_occurred": true' "$part"; then
    grep '"error_message"' "$part" >&2
    fails "$name" "a benchmark of $program failed"
  else
    if [[ -n ${PARHELION_REVISION-} ]]; then
      sed -i "s|\"parhelion_revision\": \"unknown\"|\"parhelion_revision\": \"$PARHELION_REVISION\"|" "$part"
    fi
    mv "$part" "$report"
    echo "$report: $((SECONDS - before)) s"
    # Programs say so where a file is missing, and measure the rest.
    if grep -E '^(perf_[a-z_]+|benchmark of [^:]+): ' "$out/$name.log" >&2; then
      fails "$name" "some benchmarks were left out"
    fi
    rm -f "$out/$name.log"
  fi
}

on_device() {
  local sizes="(ncol:(16|64|256|4096|65536)/nlay:51|ncol:16384/nlay:(20|200))/block:0/"
  run longwave perf_longwave 3 0.05 "$(
    )^rrtmg_(exact|all_sky)/$space/.*/(ncol:(64|1024|16384)/nlay:51|ncol:16384/nlay:100)/block:0/$(
    )|^(rrtmg_table|simple)/$space/|^model_day_.*/$space/.*/chunk:0/devices:1/"
  run longwave_growth perf_longwave 1 0.02 "^rrtmg_(exact|all_sky)/$space/.*/$sizes"
  run shortwave perf_shortwave 3 0.05 "$(
    )^rrtmg_sw_(exact|all_sky)/$space/.*/(ncol:(64|1024|16384)/nlay:51|ncol:16384/nlay:100)/block:0/$(
    )|^rrtmg_sw_table/$space/|^model_step/$space/float/"
  run shortwave_growth perf_shortwave 1 0.02 "^rrtmg_sw_(exact|all_sky)/$space/.*/$sizes"
  run k_distributions perf_k_distributions 3 0.05 "^(ecckd|rrtmgp)_.*/$space/.*/ncol:16384/nlay:60/block:0/"
  run k_distributions_growth perf_k_distributions 1 0.02 "$(
    )^(ecckd|rrtmgp)_.*/$space/.*/(ncol:(16|64|256|1024|4096|65536)/nlay:60|ncol:16384/nlay:(20|100|200))/block:0/"
  run clear_sky perf_clear_sky 3 0.05 "$(
    )^top/$space/.*/nprofile:(1000|10000|50000|100000|1600000)/$(
    )|^(specular_top|levels|up_and_down)/$space/.*/nprofile:1600000/|^host_row_major/$space/float/.*/chunk:0/"
  run scattering perf_scattering 3 0.05 "$(
    )^toa/$space/.*/(nprofile:16384/nlay:60/nangle:[48]|nprofile:4096/nlay:60/nangle:16)/nscatter:(15|60)/strategy:1/$(
    )|^(levels|tangent_linear|adjoint)/$space/"
  run ega perf_ega 3 0.05 "^ega/$space/(float|double)/nray:(1024|65536)/ngas:(13|1)/nchannel:32/nadir:[01]/tables:[01]/gas_threads:0/$(
    )|^host_arrays/$space/"
  run monte_carlo perf_monte_carlo 3 0.05 "$(
    )^monte_carlo/$space/float/n:64/rays:6000/repetitions:4/sampling:3/directions:[012]/grids:0/$(
    )|^monte_carlo/$space/double/n:64/rays:6000/repetitions:4/sampling:3/directions:2/grids:0/$(
    )|^monte_carlo/$space/float/n:128/|^host_arrays/$space/"
  run c_interface perf_c_interface 3 0.05 "^callers.*/rrtmg/$space/"
}

on_host() {
  local sizes="ncol:(4|16|64|256|1024)/nlay:51/block:0/"
  run longwave perf_longwave 3 0.2 "^rrtmg_(exact|all_sky)/$space/.*/ncol:4096/nlay:51/block:0/"
  run longwave_growth perf_longwave 1 0.02 "^rrtmg_(exact|all_sky)/$space/.*/$sizes"
  run shortwave perf_shortwave 3 0.2 "^rrtmg_sw_(exact|all_sky)/$space/.*/ncol:4096/nlay:51/block:0/"
  run shortwave_growth perf_shortwave 1 0.02 "^rrtmg_sw_(exact|all_sky)/$space/.*/$sizes"
  run k_distributions perf_k_distributions 3 0.2 "^(ecckd|rrtmgp)_.*/$space/.*/ncol:4096/nlay:60/block:0/"
  run k_distributions_growth perf_k_distributions 1 0.02 "$(
    )^(ecckd|rrtmgp)_.*/$space/.*/ncol:(4|16|64|256|1024)/nlay:60/block:0/"
  run clear_sky perf_clear_sky 3 0.2 "^(top|specular_top)/$space/.*/nprofile:50000/nlay:60/nangle:6/"
  run scattering perf_scattering 3 0.2 "$(
    )^(toa|tangent_linear|adjoint)/$space/.*/nprofile:512/nlay:60/nangle:8/nscatter:60/strategy:1/"
  run ega perf_ega 3 0.2 "^ega/$space/(float|double)/nray:66/ngas:(13|1)/nchannel:32/nadir:[01]/tables:[01]/"
  run monte_carlo perf_monte_carlo 3 0.2 "$(
    )^monte_carlo/$space/.*/n:16/rays:256/repetitions:8/sampling:3/directions:[012]/grids:0/"
  run c_interface perf_c_interface 3 0.2 "^rrtmg/|^callers.*/rrtmg/$space/"
  run drop_in perf_drop_in 1 0 "^in_turn/"
}

$only_print || mkdir -p "$out" || exit 1
begin=$SECONDS
case $space in
  OpenMP | Threads | Serial) on_host ;;
  Cuda | HIP | SYCL) on_device ;;
  *)
    echo "run_all.sh: execution space $space, expected Cuda, HIP, SYCL, OpenMP, Threads or Serial" >&2
    exit 2
    ;;
esac
for name in "${wanted[@]}"; do
  [[ " ${known[*]} " == *" $name "* ]] || fails "$name" "no run of this name: ${known[*]}"
done
$only_print || echo "$((SECONDS - begin)) s in all"
if [[ ${#failed[@]} -gt 0 ]]; then
  printf 'failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
