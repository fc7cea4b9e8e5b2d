#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fetches public data files that parhelion uses and does not contain. The program looks into the folder they go to by
# itself.
#
#   scripts/get-data.sh           the coefficients of RRTMG_LW and RRTMG_SW, and the atmospheres of RFMIP: also as rrtmg
#   scripts/get-data.sh ecckd     the definitions of ecCKD
#   scripts/get-data.sh rrtmgp    optics of gases, clouds and aerosol of RRTMGP
#   scripts/get-data.sh truth     line-by-line fluxes of CKDMIP's atmospheres, and RTE+RRTMGP's of RFMIP's
#
# They go to ${XDG_DATA_HOME:-~/.local/share}/parhelion. What is there already is left alone, and a file is put there
# only when it has come whole (its SHA-256 is checked, or its git blob id where no other sum is known). Needs curl. Where
# GitHub is out of reach, PARHELION_DATA_MIRROR names another place that serves the same paths instead of
# https://raw.githubusercontent.com (http or https, no / at the end).
set -euo pipefail
sets="$*"
for set in $sets; do
  case $set in
    rrtmg | ecckd | rrtmgp | truth) ;;
    *) echo "usage: get-data.sh [rrtmg] [ecckd] [rrtmgp] [truth]" >&2; exit 2 ;;
  esac
done
mirror=${PARHELION_DATA_MIRROR:-https://raw.githubusercontent.com}
folder=${XDG_DATA_HOME:-${HOME:?is not set, and neither is XDG_DATA_HOME}/.local/share}/parhelion

complain() { echo "get-data.sh: $*" >&2; }
wants() { [[ " ${sets:-rrtmg} " == *" $1 "* ]]; }
# sum_like FILE SUM: the sum of a file of the kind of another one, a SHA-256 or a git blob id
sum_like() {
  if [ "${#2}" -eq 64 ]; then
    sha256sum < "$1" | cut -d ' ' -f 1
  else
    { printf 'blob %d\0' "$(stat -c %s "$1")"; cat "$1"; } | sha1sum | cut -d ' ' -f 1
  fi
}
has_sum() { [ "$(sum_like "$1" "$2")" = "$2" ]; }

part=
trap '[ -z "$part" ] || rm -f "$part"' EXIT
trap 'exit 130' INT TERM HUP

# get NAME SHA256_OR_BLOB_ID PATH_OF_MIRROR: folder/NAME, or a message and status 1
get() {
  local name=$1 sum=$2 url=$mirror/$3 status=0
  if [ -e "$folder/$name" ]; then
    if has_sum "$folder/$name" "$sum"; then
      echo "  $folder/$name is there already"
      return 0
    fi
    complain "$folder/$name is another file than the one expected, and is left alone; move it away to have this one"
    return 1
  fi
  part=$(mktemp "$folder/.$name.XXXXXX")
  curl --fail --silent --show-error --location --retry 2 --connect-timeout 20 --speed-limit 1000 --speed-time 30 \
       --output "$part" "$url" || status=$?
  if [ "$status" -ne 0 ]; then
    case $status in
      5 | 6 | 7 | 28 | 35) complain "$name: $mirror cannot be reached: is there a network?" ;;
      22) complain "$name: $url is not there" ;;
      *) complain "$name: $url could not be fetched (curl ended with $status)" ;;
    esac
  elif ! has_sum "$part" "$sum"; then
    status=1
    complain "$name: $url has the $([ "${#sum}" -eq 64 ] && echo SHA-256 || echo git blob id)" \
             "$(sum_like "$part" "$sum"), expected $sum: not kept"
  else
    chmod 644 "$part"
    mv "$part" "$folder/$name"
    echo "  written to $folder/$name"
  fi
  rm -f "$part"
  part=
  [ "$status" -eq 0 ]
}

command -v curl > /dev/null || { complain "needs curl (apt install curl)"; exit 1; }
mkdir -p "$folder" || { complain "cannot make $folder"; exit 1; }
[ -w "$folder" ] || { complain "cannot write into $folder"; exit 1; }
missing=0

if wants rrtmg; then
  echo "Coefficients of RRTMG_LW (1.7 MB), from MPAS-Dev/MPAS-Data on GitHub"
  echo "  made by AER; AER distributes RRTMG under the BSD 3-Clause licence, MPAS-Data states none of its own"
  echo "  cite Mlawer et al. (1997), doi:10.1029/97JD00237, and Iacono et al. (2008), doi:10.1029/2008JD009944"
  data_of_mpas=MPAS-Dev/MPAS-Data/33561790de8b43087ab850be833f51a4e605f1bb/atmosphere/physics_wrf/files
  get RRTMG_LW_DATA.DBL c93ec6190e16ecbb5bb4fe31e1b1ea4924c3b88a741779749f6eaec1acf989fc \
      "$data_of_mpas/RRTMG_LW_DATA.DBL" || missing=1

  echo "Coefficients of RRTMG_SW (1.4 MB), from MPAS-Dev/MPAS-Data on GitHub"
  echo "  made by AER; AER distributes RRTMG under the BSD 3-Clause licence, MPAS-Data states none of its own"
  echo "  cite Iacono et al. (2008), doi:10.1029/2008JD009944"
  get RRTMG_SW_DATA.DBL 5a6a0e0ba830b41519889f8c4a2be771437db56ea4f7526bc0798332b06234a5 \
      "$data_of_mpas/RRTMG_SW_DATA.DBL" || missing=1

  echo "Atmospheres of RFMIP (1.9 MB), from earth-system-radiation/rrtmgp-data on GitHub"
  echo "  Creative Commons Attribution-ShareAlike 4.0, as the file says"
  echo "  cite Pincus et al. (2016), doi:10.5194/gmd-9-3447-2016"
  get rfmip_atmospheres.nc b8dc05d7cd2e0e6354b4a6198771ddf3bc09f18d72b49f20a41e2024e2fd51f4 \
      "earth-system-radiation/rrtmgp-data/eff0433faf9cbac3ad14fbf608bef0c26ebc4c79/examples/rfmip-clear-sky/inputs/$(
      )multiple_input4MIPs_radiation_RFMIP_UColorado-RFMIP-1-2_none.nc" || missing=1
fi

if wants ecckd; then
  echo "Definitions of ecCKD (6.7 MB), from ecmwf-ifs/ecrad on GitHub"
  echo "  made by ECMWF, Apache License 2.0"
  echo "  cite Hogan and Matricardi (2022), doi:10.1029/2022MS003033"
  data_of_ecrad=ecmwf-ifs/ecrad/131ac980517719b7a859e3ccc117919a1d888a20/data
  for_ecrad() { get "$1_ckd-definition.nc" "$2" "$data_of_ecrad/$1_ckd-definition.nc" || missing=1; }
  for_ecrad ecckd-1.0_lw_climate_fsck-32b 6087f62f9052653f8e7dbee26cef8bf1977c2516669a169bee8d110b62912ed9
  for_ecrad ecckd-1.0_sw_climate_rgb-32b 6cef50c06ea71ec37258351968bf1ebe33e4461e2a6d7294d9a629acda1bc62f
  for_ecrad ecckd-1.2_sw_climate_window-64b 10ddabc8e0490d2da8ab4d0592357b141218fbe954aee7c3821b98b63bde154b
  for_ecrad ecckd-1.4_sw_climate_rgb-32b 49abc7bf88b80252e4f9934f8659d108ffee6a101124b2fd080f2eb65d144eb3
  for_ecrad ecckd-1.4_sw_climate_vfine-96b 04083e203026b1c841df40e9aab5a2fe9d61127b4b9acf5eb33385c776f82e3c
fi

if wants rrtmgp; then
  echo "Optics of gases, clouds and aerosol of RRTMGP, from earth-system-radiation/rrtmgp-data on GitHub"
  echo "  BSD 3-Clause licence"
  echo "  cite Pincus, Mlawer and Delamere (2019), doi:10.1029/2019MS001621, doi:10.5281/zenodo.7988260"
  data_of_rrtmgp=earth-system-radiation/rrtmgp-data/eff0433faf9cbac3ad14fbf608bef0c26ebc4c79
  of_rrtmgp() { get "$1" "$2" "$data_of_rrtmgp/$1" || missing=1; }
  of_rrtmgp rrtmgp-gas-lw-g128.nc 70ad65d116531122660318e5da2a2af9db74b425916202860e9527ef2375b8f6
  of_rrtmgp rrtmgp-gas-sw-g112.nc 361ed541324068ded28a275a4dd757bcaa0a845aebefa630f43a04678668fe62
  of_rrtmgp rrtmgp-gas-lw-g256.nc 80d67e91e5884142a40cae4b375fe7e4f96bf8a4
  of_rrtmgp rrtmgp-gas-sw-g224.nc 0f51e2e0c5151305a46b22e1b7b3f0f2a5312856
  of_rrtmgp rrtmgp-aerosols-merra-lw.nc 2c39dace5a730d1ee0a6007b4c972043b16168f58cb184def9bc949853d7154b
  of_rrtmgp rrtmgp-aerosols-merra-sw.nc 7885b7058f1f536163a1f8e5ca97d13783a353310a44974364788deb7abf6e11
  of_rrtmgp rrtmgp-clouds-lw-bnd.nc 09d6704c5b863b4c3ceb417d20bb3076ec492e6bf2dfbcc9f3c5996a3706f0b0
  of_rrtmgp rrtmgp-clouds-lw-g128.nc fdd59c3aff059618cb56ad7308144539eb45f811c136fcc28eeddeac52149127
  of_rrtmgp rrtmgp-clouds-lw-g256.nc 3b501d79109ab16ae4fee8b6ce83bfbfd59e158c4d246092b358a44b78722d49
  of_rrtmgp rrtmgp-clouds-sw-bnd.nc 7671835992a45afe66244b591a02c0b3df73d7d59ecb746bbffd9763497651cd
  of_rrtmgp rrtmgp-clouds-sw-g112.nc 06afc10ac3221309351f6dc1f2fd0617ec44e5c521cb45e54594f817e5ca5b91
  of_rrtmgp rrtmgp-clouds-sw-g224.nc 969a983bec885cdb5d6879660a214f374a1bd763ce8f2c5045dec444303946ec
fi

if wants truth; then
  echo "Atmospheres of CKDMIP and line-by-line fluxes of them (0.6 MB), from ecmwf-ifs/ecrad on GitHub"
  echo "  made by ECMWF, distributed with ecRad under the Apache License 2.0"
  echo "  cite Hogan and Matricardi (2020), doi:10.5194/gmd-13-6501-2020"
  ckdmip_of_ecrad=ecmwf-ifs/ecrad/131ac980517719b7a859e3ccc117919a1d888a20/test/ckdmip
  of_ckdmip() { get "ckdmip_evaluation1_$1_present_reduced.nc" "$2" \
                    "$ckdmip_of_ecrad/ckdmip_evaluation1_$1_present_reduced.nc" || missing=1; }
  of_ckdmip concentrations 3bbee4703acc954969215214cb2028d53e042ff1acad37ad2310412e3165c8fd
  of_ckdmip lw_fluxes 678aaccb9fdef6af286ce6da5f5b41e61c3837a0334b1142973957269ec7740a
  of_ckdmip sw_fluxes 3b8aba752abe507d186c61ce2963f88ef82e24359ab75e4807ddaef3c5a3a4a3

  echo "Fluxes of RTE+RRTMGP for RFMIP's atmospheres (1.9 MB), from earth-system-radiation/rrtmgp-data on GitHub"
  echo "  BSD 3-Clause licence"
  echo "  cite Pincus, Mlawer and Delamere (2019), doi:10.1029/2019MS001621, doi:10.5281/zenodo.7988260"
  fluxes_of_rte=earth-system-radiation/rrtmgp-data/eff0433faf9cbac3ad14fbf608bef0c26ebc4c79/$(
    )examples/rfmip-clear-sky/reference
  of_rfmip() { get "$1_Efx_RTE-RRTMGP-181204_rad-irf_r1i1p1f1_gn.nc" "$2" \
                   "$fluxes_of_rte/$1_Efx_RTE-RRTMGP-181204_rad-irf_r1i1p1f1_gn.nc" || missing=1; }
  of_rfmip rld 8629ec4b1caaea5a5c1756f25b432637369725ee684c61af0dad5c9ca37556b5
  of_rfmip rlu 254569d9bb0934fb510306c3e22e13ea826bd918727b477fc20600213923493c
  of_rfmip rsd f9b0313fdf74598859a7caf27a5d1395b7fe1e445c9620a66856cc19eaf5e5b9
  of_rfmip rsu 0ea3f4272d9ef088db6ffd07153587863a052e3cf8b3bf04bfb7c9288ed8b324
fi

exit $missing
