#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sets up and builds parhelion (see setup.sh), then computes and draws longwave fluxes. Everything it makes lies in demo/.
#
#   scripts/demo.sh [--get-data | --no-data]
#
# The atmospheres given by formula need no file. Those of RFMIP (rfmip_atmospheres.nc) and the coefficients of RRTMG
# (RRTMG_LW_DATA or RRTMG_LW_DATA.DBL) are used when they lie in a folder of $PARHELION_DATA (colon-separated), in that of
# get-data.sh, in $PARHELION_TEST_DATA, or one folder below one of these. Where one is missing the demo asks whether to
# fetch them with get-data.sh; --get-data fetches them and --no-data does without, and nobody is asked. Without a
# terminal, nothing is fetched unless asked for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
test_data=${PARHELION_TEST_DATA:-../shared/data}
own_data=${XDG_DATA_HOME:-${HOME:-}/.local/share}/parhelion
case ${1:-} in
  --get-data) fetch=yes ;;
  --no-data) fetch=no ;;
  "") fetch=ask ;;
  *) echo "usage: demo.sh [--get-data | --no-data]" >&2; exit 2 ;;
esac

# find_data NAME...: the path of the first that is there
find_data() {
  local folders folder path name
  IFS=: read -r -a folders <<< "${PARHELION_DATA:-}:$own_data:$test_data"
  for folder in "${folders[@]}"; do
    [ -n "$folder" ] || continue
    for name in "$@"; do
      for path in "$folder/$name" "$folder"/*/"$name"; do
        if [ -f "$path" ]; then echo "$path"; return; fi
      done
    done
  done
}

find_both() {
  rfmip=$(find_data rfmip_atmospheres.nc)
  coefficients=$(find_data RRTMG_LW_DATA.DBL RRTMG_LW_DATA_DBL RRTMG_LW_DATA)
  [ -n "$rfmip" ] && [ -n "$coefficients" ]
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

# The question comes before the minutes of building, and fetching after them: setup.sh brings curl.
if find_both; then
  fetch=no
elif [ "$fetch" = ask ]; then
  fetch=no
  if [ -t 0 ] && [ -t 1 ]; then
    echo "RFMIP's atmospheres and RRTMG's coefficients are public and not part of parhelion (5.0 MB)."
    read -r -p "Fetch them from GitHub into $own_data? [Y/n] " answer || answer=n
    case $answer in "" | [Yy]*) fetch=yes ;; esac
  fi
fi

scripts/setup.sh release bin/parhelion
notes=()
if [ "$fetch" = yes ]; then
  echo
  echo "==> Fetching data"
  if ! scripts/get-data.sh; then
    notes+=("Not all data could be fetched (see above); try again with scripts/get-data.sh.")
  fi
fi

mkdir -p demo
made=()
scripts/python.sh scripts/analytic_atmospheres.py demo/analytic.nc
compute_and_draw analytic_fluxes demo/analytic.nc --gas-optics simple

if ! find_both; then
  notes+=("RRTMG_LW was not run: the simple spectral model, which needs no data, computed all fluxes here."
          "scripts/get-data.sh fetches the data for it.")
fi
if [ -z "$rfmip" ]; then
  notes+=("There is no rfmip_atmospheres.nc, so the atmospheres of RFMIP were left out.")
elif [ -n "$coefficients" ]; then
  compute_and_draw rfmip_fluxes "$rfmip" --gas-optics rrtmg --coefficients "$coefficients"
else
  compute_and_draw rfmip_fluxes "$rfmip" --gas-optics simple
  notes+=("There is no RRTMG_LW_DATA or RRTMG_LW_DATA.DBL, so RFMIP was run with --gas-optics simple.")
fi

echo
echo "Results in $PWD:"
printf '  %s\n' "${made[@]}"
[ ${#notes[@]} -eq 0 ] || printf '%s\n' "${notes[@]}"
