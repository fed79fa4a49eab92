#!/bin/sh
# Makes the cubins and fatbins here again, from the PTX beside this script.
#
#	PTXABI_ORACLE=DIR:DIR... ./regen.sh
#
# Each DIR is a toolkit's folder with bin below it. A file whose toolkit is not
# among them stays as it is, which is said.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# tool VERSION NAME: the path of a program of that toolkit.
tool() {
	(
		IFS=:
		for dir in ${PTXABI_ORACLE:-}; do
			if "$dir/bin/ptxas" --version 2>/dev/null | grep -q "release $1,"; then
				[ -x "$dir/bin/$2" ] && echo "$dir/bin/$2"
				break
			fi
		done
	)
}

# source_of NAME TARGET PTX: a module with its head.
source_of() {
	bits=64
	[ "$1" != narrow ] || bits=32
	printf '.version %s\n.target %s\n.address_size %s\n' "$3" "$2" "$bits"
	cat "$1.ptx"
}

# cubin OUT TOOLKIT TARGET PTX MODULE FLAG...
cubin() {
	out=$1 toolkit=$2 target=$3 ptx=$4 module=$5
	shift 5
	ptxas=$(tool "$toolkit" ptxas)
	if [ -z "$ptxas" ]; then
		echo "$out: no ptxas $toolkit in PTXABI_ORACLE, left as it is"
		return
	fi
	source_of "$module" "$target" "$ptx" >"$tmp/in.ptx"
	(cd "$tmp" && "$ptxas" "$@" -arch "$target" in.ptx -o out.cubin)
	mkdir -p "$(dirname "$out")"
	mv "$tmp/out.cubin" "$out"
}

# all TOOLKIT PTX TARGET...: module.ptx for each.
all() {
	toolkit=$1 ptx=$2
	shift 2
	for target; do
		cubin "cubins/$target-$toolkit.cubin" "$toolkit" "$target" "$ptx" module -c
	done
}

# The newest toolkit for each architecture, and some others.
all 11.8 7.0 sm_35 sm_37 sm_80
all 11.8 7.8 sm_90
all 12.4 8.0 sm_50 sm_75 sm_80 sm_90 sm_90a
all 12.8 8.7 sm_100a sm_120
all 12.9 8.8 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_80 sm_90a sm_101 sm_100a sm_101f
all 13.0 9.0 sm_80 sm_90a sm_110
all 13.5 9.0 sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_110 sm_120 sm_121
all 13.5 9.4 sm_107

cubin cubins/narrow-sm_52-11.8.cubin 11.8 sm_52 6.0 narrow -c -m32
cubin cubins/narrow-sm_80-11.8.cubin 11.8 sm_80 7.0 narrow -c -m32
cubin cubins/narrow-host64-sm_52-11.8.cubin 11.8 sm_52 6.0 narrow -c
cubin cubins/wide-sm_80-12.4.cubin 12.4 sm_80 8.1 wide
cubin cubins/wide-sm_90-12.4.cubin 12.4 sm_90 8.1 wide
cubin cubins/wide-sm_90-13.5.cubin 13.5 sm_90 8.1 wide
cubin cubins/wide-sm_100-13.5.cubin 13.5 sm_100 8.6 wide
cubin cubins/handles-sm_80-12.4.cubin 12.4 sm_80 7.0 handles -c
cubin cubins/handles-sm_100-13.5.cubin 13.5 sm_100 8.6 handles -c
cubin cubins/aliases-sm_80-12.4.cubin 12.4 sm_80 7.0 aliases -c
cubin cubins/aliases-sm_100-13.5.cubin 13.5 sm_100 8.6 aliases -c
cubin cubins/opaque-sm_80-12.4.cubin 12.4 sm_80 7.0 opaque -c
cubin cubins/opaque-sm_90-13.5.cubin 13.5 sm_90 8.0 opaque -c
cubin cubins/debug-sm_60-12.9.cubin 12.9 sm_60 7.0 module -c -g
cubin cubins/debug-sm_80-12.4.cubin 12.4 sm_80 7.0 module -c -g
cubin cubins/debug-sm_100-13.5.cubin 13.5 sm_100 8.6 module -c -g

# linked OUT TOOLKIT TARGET PTX
linked() {
	nvlink=$(tool "$2" nvlink)
	if [ -z "$nvlink" ]; then
		echo "$1: no nvlink $2 in PTXABI_ORACLE, left as it is"
		return
	fi
	cubin "$tmp/a/a.cubin" "$2" "$3" "$4" module -c
	cubin "$tmp/b/b.cubin" "$2" "$3" "$4" ext -c
	(cd "$tmp" && "$nvlink" -arch "$3" a/a.cubin b/b.cubin -o linked.cubin)
	mv "$tmp/linked.cubin" "$1"
}

linked cubins/linked-sm_80-12.4.cubin 12.4 sm_80 7.0
linked cubins/linked-sm_100a-13.5.cubin 13.5 sm_100a 8.6

# fatbin OUT TOOLKIT FLAG...: two cubins of here and their PTX.
fatbin() {
	out=$1 toolkit=$2
	shift 2
	fatbinary=$(tool "$toolkit" fatbinary)
	if [ -z "$fatbinary" ]; then
		echo "$out: no fatbinary $toolkit in PTXABI_ORACLE, left as it is"
		return
	fi
	source_of wide sm_90a 8.1 >"$tmp/in.ptx"
	cp cubins/wide-sm_80-12.4.cubin cubins/wide-sm_90-12.4.cubin "$tmp"
	mkdir -p fatbins
	(cd "$tmp" && "$fatbinary" -64 --create=out.fatbin --ident=wide.cu --cmdline=-O2 "$@" \
		--image3=kind=ptx,sm=90a,file=in.ptx \
		--image3=kind=elf,sm=80,file=wide-sm_80-12.4.cubin --image3=kind=elf,sm=90,file=wide-sm_90-12.4.cubin)
	mv "$tmp/out.fatbin" "$out"
}

fatbin fatbins/plain-11.8.fatbin 11.8 --compress=false
fatbin fatbins/lz4-11.8.fatbin 11.8 --compress-all
fatbin fatbins/plain-12.4.fatbin 12.4 --compress=false
fatbin fatbins/lz4-12.4.fatbin 12.4 --compress-all
fatbin fatbins/zstd-13.5.fatbin 13.5 --compress-all --compress-mode=size
fatbin fatbins/speed-13.5.fatbin 13.5 --compress-all --compress-mode=speed
