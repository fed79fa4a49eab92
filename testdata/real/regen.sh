#!/bin/sh
# regen.sh [PATTERN]: makes the modules of MANIFEST.txt again, those whose file name matches the grep
# pattern where there is one, and writes the column of ptxas's verdicts anew.
#
# Tools are taken from PATH, NVIDIA's from $PTXABI_ORACLE/cuda-X.Y/bin. What has no tool is named and left
# as it is. Exit status: 1 if a command failed or ptxas newly refuses a module, 2 if nothing could be tried.
set -u
cd "$(dirname "$0")" || exit 2
pattern=${1:-.}
tab=$(printf '\t')
TMP=$(mktemp -d) || exit 2
trap 'rm -rf "$TMP"' EXIT
PTXABI_ORACLE=${PTXABI_ORACLE:-/nowhere}
ZIG_GLOBAL_CACHE_DIR=$TMP/zig ZIG_LOCAL_CACHE_DIR=$TMP/zig
export TMP PTXABI_ORACLE ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR

# missing PRODUCER: prints the tool that is not here, or nothing.
missing() {
  case $1 in
  'clang 21'*) set -- zig ;;
  'clang '*) v=${1#clang }; set -- "clang-${v%%.*}" ;;
  'llc '*) v=${1#llc }; set -- "llc-${v%%.*}" ;;
  'GCC '*) v=${1#GCC }; set -- "gcc-${v%%.*}" "x86_64-linux-gnu-accel-nvptx-none-gcc-${v%%.*}" ;;
  'cicc '*) v=${1#cicc }; set -- "$PTXABI_ORACLE/cuda-${v%.*}/bin/cicc" ;;
  esac
  for t; do command -v "$t" >/dev/null 2>&1 || { echo "$t"; return; }; done
}

# verdict FILE: what the newest ptxas that knows the module's target says; "?" where there is none. A
# target older than all of them is judged as sm_35.
verdict() {
  arch=$(sed -n 's/^[[:space:]]*\.target[[:space:]]*\([a-z0-9_]*\).*/\1/p' "$1" | head -n 1)
  note=
  [ "$arch" = sm_30 ] && arch=sm_35 note=' as sm_35'
  m=
  grep -q '\.address_size 32' "$1" && m=-m32
  for v in $(ls "$PTXABI_ORACLE" 2>/dev/null | sed -n 's/^cuda-//p' | sort -rV); do
    p=$PTXABI_ORACLE/cuda-$v/bin/ptxas
    [ -x "$p" ] || continue
    if "$p" -c $m -arch="$arch" -o "$TMP/cubin" "$1" >"$TMP/ptxas" 2>&1; then
      echo "$v ok$note"
      return
    fi
    grep -q 'is not defined for option' "$TMP/ptxas" && continue
    echo "$v refused$note"
    return
  done
  echo '?'
}

made=0 changed=0 skipped=0 bad=0
: >"$TMP/manifest"
while IFS=$tab read -r ptx source producer target was command; do
  now=$was
  case $ptx in '#'*) now= ;; esac
  if [ -n "$now" ] && echo "$ptx" | grep -q -- "$pattern"; then
    tool=$(missing "$producer")
    if [ -n "$tool" ]; then
      echo "skipped $ptx: no $tool"
      skipped=$((skipped + 1))
    else
      before=$([ -f "$ptx" ] && cksum <"$ptx")
      if ! sh -c "$command" >"$TMP/log" 2>&1 </dev/null; then
        echo "failed  $ptx"
        sed 5q "$TMP/log"
        bad=$((bad + 1))
      else
        made=$((made + 1))
        [ "$before" = "$(cksum <"$ptx")" ] || { echo "changed $ptx"; changed=$((changed + 1)); }
        now=$(verdict "$ptx")
        if [ "$now" = '?' ]; then
          now=$was
        elif [ "$now" != "$was" ]; then
          echo "ptxas   $ptx: $was, now $now"
          case $now in *refused*) sed 3q "$TMP/ptxas"; bad=$((bad + 1)) ;; esac
        fi
      fi
    fi
  fi
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$ptx" "$source" "$producer" "$target" "${now:-$was}" "$command" >>"$TMP/manifest"
done <MANIFEST.txt
cat "$TMP/manifest" >MANIFEST.txt
echo "$made made, $changed of them changed, $skipped skipped, $bad bad"
[ $bad -eq 0 ] || exit 1
[ $((made + skipped)) -gt 0 ] && [ $made -gt 0 ] || exit 2
