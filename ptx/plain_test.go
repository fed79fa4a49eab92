package ptx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// before returns a parser before the first byte of text, in line 3.
func before(text string) *parser {
	p := &parser{mod: new(Module), scanner: scanner{name: "in.ptx", src: text, line: 3}}
	p.arena = &p.outer
	return p
}

// samePlain holds what the file plain.go reads of the operands of an access to
// what the tokens say of them. It reports whether it read any.
func samePlain(t *testing.T, op, args string) bool {
	var m memOps
	read := *m.of(op)
	newAccess := func() *Access {
		return &Access{
			Instr: Instr{Op: op}, Store: op[0] == 's', Qual: read.qual, Type: read.typ, Vec: read.vec,
			Addr: Address{Pos: Pos{Line: 9, Col: 9}, Base: "before", Off: 9, Indexed: true, Minus: true}, Volume: 9,
		}
	}
	fast, slow := before(args), before(args)
	a := newAccess()
	if !fast.plainAccess(a, new([1]Operand)) {
		return false
	}
	b := newAccess()
	b.Addr = Address{}
	slow.token()
	first := slow.start
	ok := slow.accessOperands(b) && slow.finish(&b.Instr, first, true)
	require.True(t, ok, "%s %s", op, args)
	require.Empty(t, slow.errs, "%s %s", op, args)
	fast.stmtStart()
	assert.Equal(t, b, a, "%s %s", op, args)
	assert.Equal(t, slow.start, fast.start, "%s %s", op, args)
	return true
}

func TestPlainAccess(t *testing.T) {
	for _, c := range []struct {
		op, args string
		plain    bool
	}{
		{"ld.param.b32", "%r1, [x];", true},
		{"ld.param.b32", "%r1,[x+4] ;", true},
		{"ld.param.b32", "r1 , [x+123456789];\n", true},
		{"ld.param.b32", "%1, [%rd1+0];", true},
		{"ld.param::func.v2.f32", "{%f1, %f2}, [x+8];", true},
		{"ld.param.v4.u8", "{ %a,b ,c_, $d },\t[x+8];", true},
		{"ld.param.v2.u8", "%v, [x];", true},
		{"ld.param.b32", "{%r1}, [x];", true},
		{"st.param.b64", "[x+16], %rd1;", true},
		{"st.param.v2.b64", "[x], {%rd1, %rd2}; // behind", true},

		{"st.param.b32", "[x], 0;", false},
		{"st.param.b32", "[x], _;", false},
		{"st.param.b32", "[x], WARP_SZ;", false},
		{"st.param.b32", "[x], %r1", false},
		{"st.param.b32", "[x], %v.x;", false},
		{"st.param.b32", "[x], %r1, 5;", false},
		{"st.param.v2.b32", "[x], {%r1, %r2, %r3};", false},
		{"st.param.v2.b32", "[x], {%r1};", false},
		{"st.param.v8.b32", "[x], {%a, %b, %c, %d, %e, %f, %g, %h};", false},
		{"ld.param.v2.b32", "{%r1, _}, [x];", false},
		{"ld.param.b32", "%r1, [x+010];", false},
		{"ld.param.b32", "%r1, [x+0x10];", false},
		{"ld.param.b32", "%r1, [x+1234567890];", false},
		{"ld.param.b32", "%r1, [x-4];", false},
		{"ld.param.b32", "%r1, [x+-4];", false},
		{"ld.param.b32", "%r1, [WARP_SZ];", false},
		{"ld.param.b32", "%r1, [4];", false},
		{"ld.param.b32", "%r1, [%];", false},
		{"ld.param.b32", "%r1, [];", false},
		{"ld.param.b32", "%r1, x[4];", false},
		{"ld.param.b32", "%r1,\n[x];", false},
		{"ld.param.b32", "%r1, /* */ [x];", false},
		{"ld.param.b32", "%r1, [x], %pol;", false},
		{"ld.param.b32", "%r1 %r2, [x];", false},
		{"ld.param.b32", "", false},
		{"ld.param.b32", "%r1", false},
		{"ld.param.b32", "%r1, [x]", false},
		{"ld.param.v2.b32", "{%r1,", false},
	} {
		assert.Equal(t, c.plain, samePlain(t, c.op, c.args), "%s %s", c.op, c.args)
	}
}

// TestPlainReal reads the accesses and the declarations of the modules that
// compilers have written in both ways.
func TestPlainReal(t *testing.T) {
	files, err := filepath.Glob("../testdata/real/*.ptx")
	require.NoError(t, err)
	accesses, plain, variables := 0, 0, 0
	for _, file := range files {
		if strings.Contains(file, "large") {
			continue
		}
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(src)) {
			line = strings.TrimSpace(line)
			if op, args, ok := strings.Cut(line, " "); ok && isMemOp(op) && hasParam(op) {
				accesses++
				if samePlain(t, op, strings.TrimSpace(args)) {
					plain++
				}
			}
			if samePlainVariable(t, line) {
				variables++
			}
		}
	}
	assert.Greater(t, accesses, 1000)
	assert.Greater(t, plain, accesses*3/4)
	assert.Greater(t, variables, 1000)
}

// samePlainVariable is samePlain for a declaration up to its first name.
func samePlainVariable(t *testing.T, text string) bool {
	fast, slow := before(text), before(text)
	fast.token()
	slow.token()
	var a, b Decl
	u, v := Var{}, Var{}
	if fast.tok != tDot || !fast.plainVariable(&a.Spec, &u) {
		return false
	}
	fast.next()
	require.True(t, slow.spec(&b.Spec) && slow.variable(&v), text)
	require.Empty(t, slow.errs, text)
	assert.Equal(t, b, a, text)
	assert.Equal(t, v, u, text)
	assert.Equal(t, slow.start, fast.start, text)
	return true
}

func TestPlainVariable(t *testing.T) {
	for text, plain := range map[string]bool{
		".reg .b32 %r<10>;":            true,
		".reg .pred \t%p;":             true,
		".reg .b32 a, b;":              true,
		".param .b64 x,":               true,
		".param .align 16 .b8 x[0] )":  true,
		".local .align 8 .b8 \tx[40];": true,
		".param .align 0 .b8 x;":       true,

		".param .b64 x\n)":             false,
		".param .b64 x[2][3];":         false,
		".param .b64 x[];":             false,
		".param .b64 x [2];":           false,
		".param .b64 x[0x10];":         false,
		".param .b64 x[08];":           false,
		".param .b64 x[1234567890];":   false,
		".param .b64 .align 8 x;":      false,
		".param .v2 .b32 x;":           false,
		".param .b64 .ptr x;":          false,
		".param .b64;":                 false,
		".param .x x;":                 false,
		".param .align .b64 x;":        false,
		".param .align 8 .align 8 x;":  false,
		".param x;":                    false,
		".param":                       false,
		".param .b64":                  false,
		".reg .b32 %r<10;":             false,
		".reg .b32 %r< 10>;":           false,
		".reg .b32 /* */ %r<10>;":      false,
		".reg .b32 _;":                 false,
		".reg .b32 x = 5;":             false,
		".global .b32 x;":              false,
		".align 8 .param .b32 x;":      false,
		".const .b32 x;":               false,
		".shared .align 4 .b8 x[128];": false,
	} {
		assert.Equal(t, plain, samePlainVariable(t, text), text)
	}
}
