# A compiler that knows one type, bytes_64, and aligns it to its first argument.
align=$1 in=$2 out=$3
exec >"$out"
echo ".version 6.3
.target sm_75
.address_size 64"
before=".param .b32 b" pass="st.param.b32 [b], 0;"
if grep -q 'struct filler b' "$in"; then
	before=".param .align 1 .b8 b[65]" pass="st.param.b8 [b], 0;"
fi
copy() { # from to: 64 bytes
	i=0
	while [ $i -lt 64 ]; do
		echo "ld$1.u8 %rs1, [$2+$i]; st$3.u8 [$4+$i], %rs1;"
		i=$((i + 1))
	done
}
regs=".reg .b16 %rs<2>; .reg .b64 %rd<3>;"
case $(grep -c '__attribute__((device)) struct bytes_64 f' "$in") in
0) # an argument
	if grep -q ' g(' "$in"; then
		echo ".extern .func f(.param .b64 q, $before, .param .align $align .b8 x[64]);"
		echo ".visible .func g(.param .b64 p, .param .b64 q) { $regs ld.param.b64 %rd1, [p]; ld.param.b64 %rd2, [q];"
		echo "{ .param .b64 a; .param .align $align .b8 x[64]; $before; st.param.b64 [a], %rd2; $pass"
		copy "" %rd1 .param x
		echo "call.uni f, (a, b, x); } ret; }"
	else
		echo ".visible .func f(.param .b64 q, $before, .param .align $align .b8 x[64]) { $regs ld.param.b64 %rd1, [q];"
		copy .param x "" %rd1
		echo "ret; }"
	fi ;;
*) # a result
	if grep -q ' g(' "$in"; then
		echo ".extern .func (.param .align $align .b8 r[64]) f(.param .b64 p);"
		echo ".visible .func g(.param .b64 p, .param .b64 q) { $regs ld.param.b64 %rd1, [p]; ld.param.b64 %rd2, [q];"
		echo "{ .param .b64 a; .param .align $align .b8 x[64]; st.param.b64 [a], %rd1; call.uni (x), f, (a);"
		copy .param x "" %rd2
		echo "} ret; }"
	else
		echo ".visible .func (.param .align $align .b8 r[64]) f(.param .b64 p) { $regs ld.param.b64 %rd1, [p];"
		copy "" %rd1 .param r
		echo "ret; }"
	fi ;;
esac
