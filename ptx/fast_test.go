package ptx

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// TestFast holds what the fast path reads to what the tokens read, each statement
// before and after others, in memory that has held other statements.
func TestFast(t *testing.T) {
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
		requireFast(t, &r, list...)
	}
	for _, a := range append(statements, wrong...) {
		read(a)
		read(a, "ret;")
		for _, b := range statements {
			read("exit;", b, a, b)
		}
	}
}

// requireFast holds what the fast path reads of a body of statements, in a whole
// module and by itself, to what the tokens read. Errors are the same, too.
func requireFast(t *testing.T, r *Reader, list ...string) {
	t.Helper()
	src := ".version 8.0\n.target sm_90\n.address_size 64\n.func f(.param .b32 q)\n{\n\t" + strings.Join(list, "\n\t") + "\n}\n"
	want, wantErr := ParseTokens("in.ptx", src)
	got, err := ParseString("in.ptx", src)
	require.Equal(t, wantErr, err, "%s", src)
	require.Len(t, got.Items, len(want.Items), "%s", src)
	for i, it := range want.Items {
		if f, ok := it.(*Func); ok {
			g := got.Items[i].(*Func)
			requireBody(t, src, f.Body, g.Body)
			f.Body, g.Body = nil, nil
		}
		require.Equal(t, it, got.Items[i], "%s", src)
	}

	outline, outlineErr := ParseOutline("in.ptx", src)
	if outlineErr != nil {
		require.Error(t, wantErr)
		return
	}
	body, ok := r.Body(outline, outline.Module().Items[3].(*Func))
	require.Equal(t, wantErr == nil && len(want.Items) == len(outline.Module().Items), ok, "%s: %v", src, wantErr)
	if ok {
		want, _ := ParseTokens("in.ptx", src)
		requireBody(t, src, want.Items[3].(*Func).Body, body)
	}
}

// requireBody compares the statements of two bodies.
func requireBody(t *testing.T, src string, want, got []Stmt) {
	t.Helper()
	require.Len(t, got, len(want), "%s", src)
	for i, s := range got {
		require.Equal(t, want[i], s, "%s", src)
	}
}

// fastEnd is the offset at which the fast path leaves a text that begins with a
// statement.
func fastEnd(text string) int {
	p := newParser("in.ptx", text)
	p.stmtStart()
	p.fastStatements()
	return p.start
}

// TestFastReads lists what the fast path reads, with and without a statement before.
func TestFastReads(t *testing.T) {
	for text, fast := range map[string]bool{
		"$.b32 %r1, %r2;":     false,
		"_ %r1, %r2;":         false,
		"_1.b32 %r1, %r2;":    true,
		"mov.u32 \t%r1, %r2;": true, "@%p1 bra \t$L__BB0_1;": true, "ret;": true, "@!%p1 ret;": true,
		"$L__BB5_1:                              // %for.body\n\t// in a loop\n\tret;":                true,
		"$L__BB5_1:\n\t{ // callseq 1, 0\n\t}":                                                        true,
		"prototype_6 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 16 .b8 _[80]);": true,
		"proto : .callprototype ()_ ();":                                                              true,
		"call.uni (retval0), \n\tf7, \n\t(\n\tparam0, \n\tparam1\n\t);":                               true,
		"call f;": true, "call f, (5);": false,

		"ld.param.b32 %r1, [x];": true, "ld.param.b32 %r1,[x+4] ;": true, "ld.param.b32 r1 , [x+123456789];": true, "ld.param.b32 %1, [%rd1+0];": true,
		"ld.param::func.v2.f32 {%f1, %f2}, [x+8];": true, "ld.param.v4.u8 { %a,b ,c_, $d },\t[x+8];": true, "ld.param.v2.u8 %v, [x];": true,
		"ld.param.b32 {%r1}, [x];": true, "st.param.b64 [x+16], %rd1;": true, "st.param.v2.b64 [x], {%rd1, %rd2}; // after": true,
		"st.param.b32 [x], 0;": true, "st.param.f32 \t[param0+0], 0f3F800000;": true, "st.param.f64 \t[param0], 0d3FF0000000000000;": true,
		"st.param.b32 [x], _;": false, "st.param.b32 [x], WARP_SZ;": false, "st.param.b32 [x], %r1": false, "st.param.b32 [x], %v.x;": false,
		"st.param.b32 [x], %r1, 5;": false, "st.param.v2.b32 [x], {%r1, %r2, %r3};": false, "st.param.v2.b32 [x], {%r1};": false,
		"st.param.v8.b32 [x], {%a, %b, %c, %d, %e, %f, %g, %h};": false, "ld.param.v2.b32 {%r1, _}, [x];": false, "ld.param.b32 %r1, [x+010];": false,
		"ld.param.b32 %r1, [x+0x10];": false, "ld.param.b32 %r1, [x+1234567890];": false, "ld.param.b32 %r1, [x-4];": false, "ld.param.b32 %r1, [x+-4];": false,
		"ld.param.b32 %r1, [WARP_SZ];": false, "ld.param.b32 %r1, [4];": false, "ld.param.b32 %r1, [%];": false, "ld.param.b32 %r1, [];": false,
		"ld.param.b32 %r1, x[4];": false, "ld.param.b32 %r1,\n[x];": false, "ld.param.b32 %r1, /* */ [x];": false, "ld.param.b32 %r1, [x], %pol;": false,
		"ld.param.b32 %r1 %r2, [x];": false, "ld.param.b32 5, [x];": false, "ld.param.b32 ;": false, "ld.param.v2.b32 {%r1,": false,

		".reg .b32 %r<10>;": true, ".reg .pred \t%p;": true, ".param .align 16 .b8 x[0] ;": true, ".local .align 8 .b8 \tx[40];": true, ".param .align 0 .b8 x;": true,
		".reg .b32 _;": true, ".reg .b32 a, b;": false, ".param .b64 x\n;": false, ".param .b64 x[2][3];": false, ".param .b64 x[];": false,
		".param .b64 x [2];": false, ".param .b64 x[0x10];": false, ".param .b64 x[08];": false, ".param .b64 x[1234567890];": false, ".param .b64 .align 8 x;": false,
		".param .v2 .b32 x;": false, ".param .b64 .ptr x;": false, ".param .b64;": false, ".param .x x;": false, ".param .align .b64 x;": false,
		".param .align 8 .align 8 x;": false, ".param x;": false, ".reg .b32 %r<10;": false, ".reg .b32 %r< 10>;": false, ".reg .b32 /* */ %r<10>;": false,
		".reg .b32 x = 5;": false, ".global .b32 x;": false, ".align 8 .param .b32 x;": false, ".shared .align 4 .b8 x[128];": false,
	} {
		const end = "@ // here the text ends\n"
		if fast {
			assert.Equal(t, len(text)+2, fastEnd(text+"\n\t"+end), "%s", text)
			continue
		}
		assert.Equal(t, 0, fastEnd(text+"\n\t"+end), "%s", text)
		assert.Equal(t, len("exit;\n\t"), fastEnd("exit;\n\t"+text+"\n\t"+end), "%s", text)
	}
}

// TestFastMutated is TestFast for statements into which a piece of another one has come, or
// that lack one.
func TestFastMutated(t *testing.T) {
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
		requireFast(t, &reader, list...)
	}
}

// TestFastLong reads texts that have no blanks, or no semicolons. If looking for the
// end of a statement went to the end of the text, it would take hours.
func TestFastLong(t *testing.T) {
	for _, one := range []string{"a;", "a:", "a\n", "a b\n", "mov.u32 a,\n", "L:\n\n"} {
		src := ".func f()\n{\n" + strings.Repeat(one, 200_000) + "\n}\n"
		want, wantErr := ParseTokens("in.ptx", src)
		got, err := ParseString("in.ptx", src)
		require.Equal(t, wantErr, err, "%q", one)
		require.Len(t, got.Items[0].(*Func).Body, len(want.Items[0].(*Func).Body), "%q", one)
	}
}

// TestFastMost shows that the fast path reads generated and real bodies, but for few
// statements.
func TestFastMost(t *testing.T) {
	files, err := filepath.Glob("../testdata/real/clang*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	texts := []string{string(bench.Functions(1, 50))}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	left, all := 0, 0
	for _, text := range texts {
		p := newParser("in.ptx", text)
		p.module()
		require.NoError(t, p.err())
		left += p.fast.left
		for f, s := range p.of.mod.All() {
			if f != nil {
				all++
			}
			if f, ok := s.(*Func); ok && f.HasBody {
				left-- // of its end
			}
		}
	}
	assert.Less(t, left, all/10)
}

// sharing returns n words of one length that have one place among opcodes.
func sharing(t *fastPath, n, length int) []string {
	places := make(map[uint64][]string)
	for i := 0; ; i++ {
		word := fmt.Sprintf("op.x%0*d", length-4, i)
		text := word + strings.Repeat(" ", 2*longOpcode)
		a, b := eight(text, 0), eight(text, 8)
		b = bytesBefore(b, blanksIn(b))
		place := t.place(a, b)
		if places[place] = append(places[place], word); len(places[place]) == n {
			return places[place]
		}
	}
}

// TestOpcodesShare reads words that have one place: as many as opcodeWays are all kept, so that
// none is found out again, and more are read rightly.
func TestOpcodesShare(t *testing.T) {
	for _, n := range []int{2, 3, opcodeWays, opcodeWays + 1, 3 * opcodeWays} {
		var r Reader
		r.p.fast.remember(1 << 20)
		words := sharing(&r.p.fast, n, 11)
		var list []string
		for range 3 {
			for _, w := range words {
				list = append(list, w+" %r1, %r2;")
			}
		}
		requireFast(t, &r, list...)
		kept := make(map[string]bool)
		for i := range r.p.fast.opcodes {
			kept[r.p.fast.opcodes[i].text] = true
		}
		for _, w := range words {
			assert.True(t, n > opcodeWays || kept[w], "%s of %d", w, n)
		}
	}
}

// TestOpcodesMany reads more opcodes than there are places, short ones and long ones,
// each of them several times.
func TestOpcodesMany(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	var list []string
	for i := range 3 << 10 {
		word := strings.Repeat("o", 1+i%30) + fmt.Sprint(i)
		for range 3 {
			list = append(list, word+" %r1, %r2;")
		}
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var r Reader
	requireFast(t, &r, list...)
	requireFast(t, &r, list...)
}

// TestOpcodesOfPrototypes shows that names of prototypes, of which a module may have many, do
// not push opcodes out.
func TestOpcodesOfPrototypes(t *testing.T) {
	var r Reader
	requireFast(t, &r, "ret;", "prototype_7 : .callprototype ()_ ();", "ret;")
	for i := range r.p.fast.opcodes {
		require.NotEqual(t, "prototype_7", r.p.fast.opcodes[i].text)
	}
}
