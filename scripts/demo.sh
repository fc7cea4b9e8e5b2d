#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sets up and builds parhelion (see setup.sh), then computes and draws longwave fluxes. Everything it makes lies in demo/.
#
#   scripts/demo.sh
#
# The atmospheres given by formula need no file. Those of RFMIP (rfmip_atmospheres.nc) and the coefficients of RRTMG
# (RRTMG_LW_DATA or RRTMG_LW_DATA.DBL) are used when they lie in a folder of $PARHELION_DATA (colon-separated), in
# $PARHELION_TEST_DATA, or one folder below one of these.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
test_data=${PARHELION_TEST_DATA:-../shared/data}

# find_data NAME...: the path of the first that is there
find_data() {
  local folders folder path name
  IFS=: read -r -a folders <<< "${PARHELION_DATA:-}:$test_data"
  for folder in "${folders[@]}"; do
    [ -n "$folder" ] || continue
    for name in "$@"; do
      for path in "$folder/$name" "$folder"/*/"$name"; do
        if [ -f "$path" ]; then echo "$path"; return; fi
      done
    done
  done
}

# compute_and_draw NAME ATMOSPHERES OPTION...: demo/NAME.nc and demo/NAME.png
compute_and_draw() {
  local name=$1 atmospheres=$2
  echo
  echo "==> $name"
  build/bin/parhelion fluxes "$atmospheres" -o "demo/$name.nc" "${@:3}"
  scripts/python.sh scripts/plot_fluxes.py "demo/$name.nc" -o "demo/$name.png"
  made+=("demo/$name.nc" "demo/$name.png")
}

scripts/setup.sh release bin/parhelion
mkdir -p demo
made=()
scripts/python.sh scripts/analytic_atmospheres.py demo/analytic.nc
compute_and_draw analytic_fluxes demo/analytic.nc --gas-optics simple

rfmip=$(find_data rfmip_atmospheres.nc)
coefficients=$(find_data RRTMG_LW_DATA.DBL RRTMG_LW_DATA_DBL RRTMG_LW_DATA)
notes=()
if [ -z "$rfmip" ]; then
  notes+=("No rfmip_atmospheres.nc in \$PARHELION_DATA, so the atmospheres of RFMIP were left out.")
elif [ -n "$coefficients" ]; then
  compute_and_draw rfmip_fluxes "$rfmip" --gas-optics rrtmg --coefficients "$coefficients"
else
  compute_and_draw rfmip_fluxes "$rfmip" --gas-optics simple
  notes+=("No RRTMG_LW_DATA or RRTMG_LW_DATA.DBL in \$PARHELION_DATA, so RFMIP was run with --gas-optics simple.")
fi

echo
echo "Results in $PWD:"
printf '  %s\n' "${made[@]}" "${notes[@]}"
