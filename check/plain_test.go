package check

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// thorough is Module with all accesses looked at by all rules, nothing remembered of
// names, and all instructions taken apart.
func thorough(m *ptx.Module, opts Options) diag.List {
	c := newChecker(m, opts)
	c.start()
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || !f.HasBody {
			c.item(it)
			continue
		}
		fn := new(function)
		fn.reset(f, c.declare(f))
		fn.inKernel14 = resolve.InBody(m, f)
		c.fn = fn
		fn.formals(f.Results, resolved.Result)
		fn.formals(f.Params, resolved.Param)
		for i, s := range f.Body {
			fn.place.at = i
			if a, ok := s.(*ptx.Access); ok {
				fn.g.busy = true
				c.guard(&a.Instr)
				c.access(a)
				continue
			}
			fn.plain.forget()
			fn.plain.forgetRanges()
			fn.taint.bits, fn.single, fn.ranged = ^uint64(0), ^uint64(0), ^uint64(0)
			c.stmt(s)
		}
		c.placed()
	}
	c.finish()
	return c.sorted()
}

// TestPlainAccess holds that what is seen at once to be right is right by all
// rules: of modules of compilers, of those with known verdicts, and of such with an
// access changed.
func TestPlainAccess(t *testing.T) {
	counts := make(map[bool]int) // by whether anything is said
	for _, pattern := range []string{"../testdata/real/*.ptx", "../testdata/check/modules/*.ptx"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if len(text) > 1<<16 {
				continue
			}
			for _, change := range []*strings.Replacer{
				strings.NewReplacer(),
				strings.NewReplacer("ld.param.u32", "ld.param.u64", "st.param.b32", "st.param.f64"),
				strings.NewReplacer("ld.param.b64", "st.param.b64", "%rd1,", "%p1,", "%r1;", "%f1;"),
				strings.NewReplacer("_param_0]", "_param_0+4]", "param1+0", "param1+2"),
				strings.NewReplacer(".param .b64", ".param .b32", ".b8 param0[", ".b8 param0[1"),
			} {
				m, err := ptx.Parse(file, []byte(change.Replace(string(text))))
				if err != nil {
					continue
				}
				for _, opts := range []Options{{}, {Lowering: true}} {
					want := thorough(m, opts)
					require.Equal(t, want, Module(m, opts), file)
					counts[len(want) > 0]++
				}
			}
		}
	}
	assert.Greater(t, counts[true], 1000)
	assert.Greater(t, counts[false], 100)
}

// TestPlainNames does it with bodies in which names hide each other: parameters, single
// registers and ranges of them, in blocks, and with registers that point to parameters.
func TestPlainNames(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	param := func() string { return one("a", "a", "b", "x1", "x2", "func_0", "%q1") }
	reg := func() string { return one("%r1", "%r2", "%r7", "%r12", "%r1", "%rd1", "%rd2", "x1", "%q1") }
	wide := func() string { return one("%rd1", "%rd2") }
	stmt := func() string {
		switch r.IntN(24) {
		case 0, 1:
			return "{"
		case 2, 3:
			return "}"
		case 4, 5:
			return ".param .b" + one("32", "32", "64", "8") + " " + param() + one("", "", "", "[8]", "<4>") + ";"
		case 6, 15:
			return ".reg ." + one("b32", "pred") + " " + one("%r<9>", "%r<9>", "%r<3>", "%r1<4>", "%rd<5>", "x<3>", "%q<3>", "%r7", "%r1", "x1", param()) + ";"
		case 7, 8:
			return "mov.u64 " + wide() + one("", "", "", ".x") + ", " + one(param(), wide(), "%rd1.x", "g", "other", "5") + ";"
		case 9:
			return one("add.s64 ", "sub.s64 ") + wide() + ", " + wide() + ", " + one(reg(), "4") + ";"
		case 10, 11:
			return "ld." + one("global", "local") + ".u32 " + reg() + ", [" + one(wide(), wide(), param(), "g") + "];"
		case 12:
			return one("mul.lo.s64 ", "cvta.local.u64 ", "cvta.param.u64 ") + wide() + ", " + one(wide(), param()) + ";"
		case 13:
			return one("l"+fmt.Sprint(r.IntN(3))+":", "ret;", "p: .callprototype _ (.param .b32 _);")
		case 14:
			return "call " + one("other", "other", "(x1), other", "%rd1", "x1", "g", "b") + ", (" + one(param(), reg()) + ");"
		}
		address := "[" + one("a", param()) + one("", "", "", "+4", "+16") + "]"
		if r.IntN(8) == 0 {
			address = "[" + one(wide(), wide(), reg()) + "]"
		}
		size := one("32", "32", "32", "64", "8")
		to := reg()
		if size == "64" {
			to = wide()
		}
		if r.IntN(3) == 0 {
			return "st.param." + one("b", "f") + size + " " + address + ", " + one(to, to, "5") + ";"
		}
		return "ld.param." + one("b", "b", "f") + size + " " + to + ", " + address + ";"
	}
	bodies := []string{ // which are rare
		".reg .b32 %r<9>;\nld.global.u32 %r1, [b];\n.param .b32 b;\nld.global.u32 %r1, [b];\n",
		".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nmov.u64 %rd2, func_0;\nmov.u64 %rd1.x, %rd2;\nmov.u64 %rd3, %rd1.x;\nld.global.u32 %r1, [%rd3];\n",
		".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nmov.u64 %rd1, func_0;\nmov.u64 %rd2, func_0;\nld.param.b64 %rd1, [%rd2];\nld.global.u32 %r1, [%rd1];\n",
		".local .b32 %m;\n.reg .b32 %r<9>;\nld.param.b32 %r1, [%m];\n",
		".reg .v2 .b32 %v;\n.reg .b32 %r<9>;\nld.param.b32 %r1, [%v];\n",
		".reg .b32 %r<9>;\nld.param.b32 %r8, [func_0];\nld.param.b32 %r9, [func_0];\n",
		".reg .b64 %rd<9>;\nld.param.b32 %rd8, [func_0];\nld.param.b32 %rd, [func_0];\n",
		".reg .f32 %f<9>;\n.reg .b32 %r<9>;\nld.param.b32 %r1, [%f1];\n",
	}
	counts := make(map[bool]int)
	for i := range 20_000 {
		var b strings.Builder
		b.WriteString(".version 7.8\n.target sm_80\n.address_size 64\n.global .b32 g;\n.extern .func (.param .b32 z) other(.param .b32 y);\n")
		b.WriteString(one(".func f(", ".entry f(") + ".param .b64 " + one("a", "f", "x2") + ", .param .b32 func_0" + one("", ", .param .b32 %q1") + ")\n{\n")
		if i < 50*len(bodies) {
			b.WriteString(bodies[i%len(bodies)])
		}
		b.WriteString(one("", ".reg .b64 %rd<20>;\n", ".reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n"))
		for range 1 + r.IntN(40) {
			b.WriteString(stmt() + "\n")
		}
		for range strings.Count(b.String(), "{") - strings.Count(b.String(), "}") {
			b.WriteString("}\n")
		}
		m, err := ptx.ParseString("x.ptx", b.String())
		if err != nil {
			continue
		}
		for _, opts := range []Options{{}, {Lowering: true}} {
			want := thorough(m, opts)
			require.Equal(t, want, Module(m, opts), b.String())
			counts[len(want) > 0]++
		}
	}
	t.Log(counts)
	assert.Greater(t, counts[true], 5000)
}
