package ptx

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/bench"
)

// TestQuick holds what Reread reads statement by statement to what Parse does, in
// memory that has held other statements.
func TestQuick(t *testing.T) {
	statements := []string{
		"add.s32 \t%r1, %r2, %r3;", "mov.u32 %r1, x;", "mov.u32 %r1,x ;", "mov.b64 %rd1, {%r1, %r2};", "ret;", "ret ;", "ret.uni;",
		"ld.global.u32 %r1, [%rd1+4];", "ld.global.u32 %r1, [x+4];", "ld.global.u32 %r1, [ x + 4 ];", "ld.u32 %r1, x[3];",
		"st.param.b32 [x+0], %r1;", "st.param.b32 [x], %r1 ;", "st.param.v2.b32 [x+8], {%r1, %r2};", "st.param.v2.b32 [x], { %r1 ,%r2 };",
		"st.param.v2.b32 [x], %v;", "st.param.b32 [y+16], 5;", "st.param.b32 [y+010], %r1;", "st.param.b32 [y-4], %r1;", "st.param.v3.b32 [x], %v;",
		"ld.param.b32 %r1, [x+4];", "ld.param.b32 r, [x+4];", "ld.param.b32 %r1, [%rd1];", "ld.param.b32 %r1, x[1];", "ld.param.b32 %r1, [xy];",
		"ld.param::func.b32 %r1, [x];", "ld.param .b32 %r1, [x];", "ld.param.b32 %r1, [_];", "ld.param.b32 %r1, [WARP_SZ];", "ld.param.b32 _, [x];",
		"ld.param.v2.b32 {%r1, _}, [x];", "ld.param.volatile.b32 %r1, [x];", "ld.param.b32 %r1, [x+123456789];", "ld.param.b32 %r1, [x+1234567890];",
		"@%p1 bra L;", "bra \tL ;", "bra.uni L;", "L:", "L :", "L: ret;", "L:\n\t.callprototype _ ();", "L:\n\tret;", "call f, (x);", "call.uni (x), f, (y, z);",
		"{", "}", "{ // callseq 1, 0", "} // callseq 1", ".reg .b32 %q<5>;", ".param .align 8 .b8 x[16];", ".param .b32 x;", ".param .b32 x ;", ".reg .b32 x, y;", ".reg .b32 %q<5>, z;", ".local .align 4 .b8 d[8];", ".local .b8 d[2][3];",
		".shared .b32 s;", ".extern .shared .b32 s[];", ".const[2] .b32 k;", ".param .b64 .ptr .global .align 8 q;", ".global .attribute(.managed) .b32 m;", ".reg .v2 .b32 %v;", ".param\n.b32 x;", ".param .b32 // c\nx;", ".reg .pred %p<2>; ret;", ".param .align 010 .b8 x[4];", ".param .b8 x[];", ".param .b32 x = 5;", ".reg.b32 %q;", ".loc 1 2 3", ".loc 1 2 3 // x",
		"mov.u32 %r1, // x\n\t%r2;", "mov.u32 %r1, /* ; */ %r2;", "mov.u32\n%r1, %r2;", "mov\t.u32 %r1, %r2;", "mov.u32 %r1, \"a;b\";", "trap;", "add .s32 %r1, %r2;",
		"setp.eq.s32 %p1|%p2, %r1, -5;", "selp.f32 %f1, 0f3F800000, 1.5e-3, %p1;", "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1, %r2}];", "op a.b, %v.x, .5;",
		"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32.of.a.length.that.is.none %r1;", "nop;nop;", "st.shared::cta.u32 [x], %r1;", "$a_b0;", "bar.sync 0;\r",
		"prefetch [x];", "cvta.param.u64 %rd1, x;", "atom.add.u32 %r1, [x], 5;", "brx.idx %r1, t;", "exit;", "sub.s64 %rd1, %rd2, 1;", "call;", "ld.weak.u32 %r1, [%a];",
		"p : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]);", "p : .callprototype ()_ ();", "p : .callprototype (.param .b32 _)_(.param .b32 _,.param .b32 _);",
		"p : .callprototype _ (.param .b32 _);", "p : .callprototype _;", "p : .callprototype ()_ (.param .b32 x);", "p : .callprototype ()_ (.param .b32 _) .noreturn;", "p : .callprototype ()_ (.param .b32 _ ) ;",
		"p : .callprototype ()_ (.param .b8 _[]);", "p : .callprototype (.reg .b32 _) _ ();", "p : .callprototype ()_ (.param.b32 _, .param .b32 .ptr .global _);", "p: .callprototype ()_ ();", "p : .callprototype\n ()_ ();", "%p : .callprototype ()_ ();", ".param .b32 _;", ".reg .b32 _<5>;",
		"L: // c\n\tret;", "L:\n\t// c\n\n\t// d\n\tret;", "L: .pragma \"nounroll\";", "L: // c\n\t.callprototype _ ();", "L:\n\t.calltargets f;", "L:\n\t.branchtargets M;", "L: {}", "L: /* c */ .callprototype _ ();", "L:\n# 1 \"x\"\n\t.callprototype _ ();",
		"st.param.f32 [x], 0f3F800000;", "st.param.f64 [x+8], 0dBFF0000000000000 ;", "st.param.f32 [x], 0e5;", "st.param.f32 [x], -0e5;", "st.param.f32 [x], -15e3;", "st.param.f32 [x], 15e3;", "st.param.f32 [x], 1E400;", "st.param.f32 [x], 0e-5;", "st.param.f32 [x], 0f3F800000+1;", "st.param.b32 [x], 0x1F;", "st.param.b32 [x], 0U;", "st.param.f64 [x], -0d3FF0000000000000;",
	}
	wrong := []string{
		"mov.u32 %r1 %r2;", "mov.u32 a b;", "mov.u32 a %b;", "mov.u32 [a b], c;", "mov.u32 (a], c;", "mov.u32 [a, c;", "mov.u32 a], c;", "mov.u32 [[a], c;", "mov.u32 a, b", "mov.u32 a, @b;",
		"mov.u32 a, #;", "mov.u32 a, \x80;", "1: ret;", "a.b: ret;", "1a x;", "st.param.b32 [x], %r1, %r2;", "st.param.b32 [x] %r1;", "st.param.b32 [x, %r1;", "st.param [x], %r1;",
		"ld.param.b32 %r1, [];", "ld.param.b32 %r1, [+4];", "ld.param::odd.b32 %r1, [x];", "ld.param.b32 %r1, [x+4;", "ld.param.b32 {%r1, %r2}, [x];", ";", "L: }", ".param .b32;", ".param .b32 x y;", ".param .b32 x)", ".reg .odd x;", ".reg .b32 5;", ".reg .b32 x", ".b32 x;", ".reg .b32 %q<>;", ".param .b32 x[;", "call 5;", "%r1 x;",
		"p : .callprototype ()_ (.param .b32 _;", "p : .callprototype ()_ (.param .b32 _, );", "p : .callprototype (.param .b32 _ _ ();", "p : .callprototype ()x ();", "p : .callprototype ()_ (.param.b32. _);", "1p : .callprototype ()_ ();", "p.q : .callprototype ()_ ();", "p : .callprototype ()_ (.param .b32 _)",
		"p : .callprototype ()_ (.param _);", "p : .callprototype ()_ (.local .b32 _);", "p : .callprototype ()_x ();", "st.param.f32 [x], 0f3F80;", "st.param.f32 [x], -0f3F800000;", "st.param.f32 [x], 0g1;", "st.param.f32 [x], 08e1;", "st.param.f32 [x], 0F3F800000F;", "L: #", "L: \x80", "@%p1 L: ret;",
	}
	var r Reader
	read := func(list ...string) {
		t.Helper()
		requireQuick(t, &r, list...)
	}
	for _, a := range append(statements, wrong...) {
		read(a)
		read(a, "ret;")
		for _, b := range statements {
			read("exit;", b, a, b)
		}
	}
}

// requireQuick holds what r rereads of a body of statements to what Parse reads.
func requireQuick(t *testing.T, r *Reader, list ...string) {
	t.Helper()
	src := ".version 8.0\n.target sm_90\n.address_size 64\n.func f(.param .b32 q)\n{\n\t" + strings.Join(list, "\n\t") + "\n}\n"
	whole, err := ParseString("in.ptx", src)
	heads, headsErr := new(Reader).Heads("in.ptx", src)
	if headsErr != nil {
		require.Error(t, err)
		return
	}
	f, again := whole.Items[3].(*Func), heads.Items[3].(*Func)
	body, ok := r.Reread(heads, again)
	require.Equal(t, err == nil && len(whole.Items) == len(heads.Items), ok, "%s: %v", src, err)
	if !ok {
		return
	}
	require.Len(t, body, len(f.Body), "%s", src)
	for i, s := range body {
		if in, ok := s.(*Instr); ok {
			want := f.Body[i].(*Instr)
			assert.Equal(t, want.Kind(), in.Kind(), "%s", in.Op)
			in.kind = want.kind
		}
		require.Equal(t, f.Body[i], s, "%s", src)
	}
}

// TestQuickAll shows that what compilers write is read by quick alone: tokens are not looked
// for behind the first statement.
func TestQuickAll(t *testing.T) {
	for _, one := range []string{
		"mov.u32 \t%r1, %r2;", "@%p1 bra \t$L__BB0_1;", "$L__BB5_1:                              // %for.body\n\t// in a loop\n\tret;", "$L__BB5_1:\n\t{ // callseq 1, 0\n\t}",
		"prototype_6 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 16 .b8 _[80]);", "proto : .callprototype ()_ ();",
		"st.param.f32 \t[param0+0], 0f3F800000;", "st.param.f64 \t[param0], 0d3FF0000000000000;", "call.uni (retval0), \n\tf7, \n\t(\n\tparam0, \n\tparam1\n\t);",
	} {
		src := ".func f()\n{\n\texit;\n\t" + one + "\n\tret;\n}\n// here the text ends\n"
		var r Reader
		m, err := new(Reader).Heads("in.ptx", src)
		require.NoError(t, err)
		_, ok := r.Reread(m, m.Items[0].(*Func))
		require.True(t, ok, "%s", one)
		assert.Equal(t, strings.Index(src, "exit;"), r.p.start, "%s", one)
	}
}

// TestQuickMutated is TestQuick for statements into which a piece of another one has come, or
// that lack one.
func TestQuickMutated(t *testing.T) {
	statements := []string{
		"add.s32 \t%r1, %r2, %r3;", "mov.u32 %r1, x;", "mov.u32 %r1, [%r2+-4], 0x1F;", "setp.eq.s32 %p1|%p2, %r1, -5;",
		"@%p1 bra \t$L__BB0_1;", "@!%p1 ret;", "$L__BB0_1:\n\tret;", "ret;", "{ // callseq 1, 0", "} // callseq 1", "// %bb.1:",
		"st.param.b32 \t[param0+0], %r23;", "st.param.v2.b8 \t[param1+8], {%rs5, %rs4};", "st.param.b32 [param2], -18;", "st.param.v2.b32 [x], %v;",
		"ld.param.b32 \t%r17, [retval0+16];", "ld.param.v2.f32 {%f1, %f2}, [_Z1fii_param_10+8];",
		"call.uni (retval0), \n\tf7, \n\t(\n\tparam0, \n\tparam1\n\t);", "call (r), %rd5, (a), proto;", "call f;", "call.uni f, ();",
		".reg .b32 \t%r<50>;", ".param .align 16 .b8 param1[80];", ".param .b64 param0;", ".local .align 8 .b8 \td[2];", ".reg .pred p;",
		"prototype_6 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 16 .b8 _[80]);", "proto : .callprototype ()_ ();", "$L__BB5_1:                              // %for.body\n\tret;",
		"st.param.f32 [param0+4], 0f3F800000;",
	}
	pieces := []string{
		"", "%r1", "a", "_", "5", "010", "0x1F", ".", "[", "]", ",", ", ", " ", "  ", "\t", "+", "-", "{", "}", "(", ")", "!", "|", ";", ":",
		"\"s\"", "// c\n", "/* c */", "\n", "@", "#", "$L", "%", "WARP_SZ", "\r", "\x01", "\xc3\xa4", "<", ">", "=", ".x", ".b8", ".param", "ret;",
	}
	r := rand.New(rand.NewPCG(5, 8))
	var reader Reader
	for range 30_000 {
		list := []string{"exit;", statements[r.IntN(len(statements))], statements[r.IntN(len(statements))], statements[r.IntN(len(statements))]}
		for range 1 + r.IntN(2) {
			one := &list[1+r.IntN(2)]
			from := r.IntN(len(*one) + 1)
			to := min(from+r.IntN(3)*r.IntN(3), len(*one))
			*one = (*one)[:from] + pieces[r.IntN(len(pieces))] + (*one)[to:]
		}
		requireQuick(t, &reader, list...)
	}
}

// TestQuickLong reads texts that have no blanks, or no semicolons, as Parse does. If
// looking for the end of a statement went to the end of the text, it would take hours.
func TestQuickLong(t *testing.T) {
	for _, one := range []string{"a;", "a:", "a\n", "a b\n", "mov.u32 a,\n", "L:\n\n"} {
		src := ".func f()\n{\n" + strings.Repeat(one, 200_000) + "\n}\n"
		m, err := new(Reader).Heads("in.ptx", src)
		require.NoError(t, err)
		body, ok := new(Reader).Reread(m, m.Items[0].(*Func))
		whole, err := ParseString("in.ptx", src)
		require.Equal(t, err == nil, ok, "%q", one)
		if ok {
			require.Len(t, body, len(whole.Items[0].(*Func).Body), "%q", one)
		}
	}
}

// TestQuickMost shows that generated bodies are read by quick, but for calls and
// declarations.
func TestQuickMost(t *testing.T) {
	var r Reader
	m, err := r.Heads("in.ptx", string(bench.Functions(1, 50)))
	require.NoError(t, err)
	known, all := 0, 0
	for _, it := range m.Items {
		f, ok := it.(*Func)
		if !ok {
			continue
		}
		body, ok := new(Reader).Reread(m, f)
		require.True(t, ok)
		for _, s := range body {
			if in, ok := s.(*Instr); ok {
				if all++; in.kind != 0 {
					known++
				}
			}
		}
	}
	assert.Greater(t, known, all*9/10)
}
