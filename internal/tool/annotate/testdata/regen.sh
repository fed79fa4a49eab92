#!/bin/sh
# Writes the listings of the golden cases again, from module.ptx.
#
#	PTXABI_ORACLE=DIR:DIR... ./regen.sh && go test .. -update
#
# Each DIR is a toolkit's folder with bin below it. A case whose toolkit is not
# among them stays as it is, which is said.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# listing TOOLKIT TARGET PTX
listing() {
	dir=$(
		IFS=:
		for d in ${PTXABI_ORACLE:-}; do
			if "$d/bin/ptxas" --version 2>/dev/null | grep -q "release $1,"; then
				echo "$d"
				break
			fi
		done
	)
	out=golden/$(echo "$2-$1" | tr . -).txtar
	if [ -z "$dir" ]; then
		echo "$out: no toolkit $1 in PTXABI_ORACLE, left as it is"
		return
	fi
	{
		printf '.version %s\n.target %s\n.address_size 64\n' "$3" "$2"
		cat module.ptx
	} >"$tmp/in.ptx"
	"$dir/bin/ptxas" -c -O1 -arch "$2" "$tmp/in.ptx" -o "$tmp/x.cubin"
	"$dir/bin/nvdisasm" -c "$tmp/x.cubin" >"$tmp/in.sass"
	{
		echo "The module for $2 by ptxas $1, as nvdisasm $1 shows it."
		echo
		echo "-- in.ptx --"
		cat "$tmp/in.ptx"
		echo "-- in.sass --"
		cat "$tmp/in.sass"
		echo "-- annotate --"
	} >"$out"
}

listing 11.8 sm_35 7.0
listing 12.4 sm_61 7.0
listing 12.4 sm_70 7.0
listing 12.4 sm_80 7.0
listing 12.4 sm_90 7.8
listing 13.5 sm_90 7.8
listing 13.5 sm_100 8.8
listing 13.5 sm_121 8.8
