#!/bin/sh
# Writes what nvdisasm -json of a 13.x prints of the modules of golden cases.
#
#	./regen.sh 12.4-FOLDER 13.5-FOLDER
#
# The folders are those of toolkits, with bin below them.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for case in sm_80-12-4:$1 sm_100-13-5:$2; do
	name=${case%%:*}
	awk '/^-- /{p=$2=="in.ptx";next} p' "../golden/$name.txtar" >"$tmp/in.ptx"
	"${case#*:}/bin/ptxas" -c -O1 -arch "${name%%-*}" "$tmp/in.ptx" -o "$tmp/in.cubin"
	"$2/bin/nvdisasm" -json "$tmp/in.cubin" >"$name.json"
done
