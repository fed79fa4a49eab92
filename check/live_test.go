package check_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// toolkit returns an assembler to compare with, or skips the test.
func toolkit(t *testing.T) *oracle.Toolkit {
	t.Helper()
	tools, err := oracle.Find()
	if err != nil {
		t.Log(err)
	}
	for i := len(tools.Toolkits) - 1; i >= 0; i-- {
		// The rules were measured with 11.8 to 12.5.
		if v := tools.Toolkits[i].Version; v.Major == 12 && v.Minor <= 5 {
			return tools.Toolkits[i]
		}
	}
	t.Skip(oracle.NotFound)
	return nil
}

// accepts runs the assembler on a module.
func accepts(t *testing.T, tk *oracle.Toolkit, src string, compile bool) (ok bool, reported string) {
	t.Helper()
	args := []string{"-arch", "sm_80", "-o", filepath.Join(t.TempDir(), "x.cubin"), "-"}
	if compile {
		args = append([]string{"-c"}, args...)
	}
	cmd := exec.CommandContext(context.Background(), tk.Ptxas, args...)
	cmd.Stdin = strings.NewReader(src)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil {
		require.True(t, errors.As(err, &exit), "%v", err)
	}
	return err == nil, string(out)
}

// TestLiveCalls compares verdicts on modules made at random: a valid call with
// something changed, or nothing.
func TestLiveCalls(t *testing.T) { live(t, generator.call) }

// TestLiveAccesses does the same with accesses to parameters of all kinds.
func TestLiveAccesses(t *testing.T) { live(t, generator.access) }

func live(t *testing.T, module func(generator) string) {
	t.Helper()
	tk := toolkit(t)
	n := 400
	if testing.Short() {
		n = 60
	}
	verdicts := map[bool]int{}
	for seed := range n {
		g := generator{rand.New(rand.NewSource(int64(seed)))}
		src := module(g)
		compile := g.Intn(2) == 0
		ok, reported := accepts(t, tk, src, compile)
		verdicts[ok]++
		all := judge("live.ptx", []byte(src), check.Options{Compile: compile})
		if reported == "" && slices.ContainsFunc(all, func(e *diag.Diagnostic) bool { return e.Code == check.AbandonedResult }) {
			continue // the assembler crashes on some of them
		}
		if errs := all.Errors(); ok != (len(errs) == 0) {
			t.Errorf("seed %d, -c %v: the assembler accepts: %v, we report: %v\n%s\n%s", seed, compile, ok, errs, reported, src)
		}
	}
	t.Logf("%s: %d accepted, %d refused", tk, verdicts[true], verdicts[false])
	require.Greater(t, verdicts[true], n/10)
	require.Greater(t, verdicts[false], n/10)
}

type generator struct{ *rand.Rand }

func (g generator) pick(list ...string) string { return list[g.Intn(len(list))] }

// rarely reports true one time in n.
func (g generator) rarely(n int) bool { return g.Intn(n) == 0 }

// A variable is a formal or an argument of the generator.
type variable struct {
	space, align, vec, typ string
	dim                    int // 0 for a scalar, -1 for []
}

func (v variable) decl(name string) string {
	s := v.space
	if v.align != "" {
		s += " .align " + v.align
	}
	s += v.vec + " ." + v.typ + " " + name
	switch {
	case v.dim > 0:
		s += fmt.Sprintf("[%d]", v.dim)
	case v.dim < 0:
		s += "[]"
	}
	return s
}

func (g generator) typ() string {
	if g.rarely(12) {
		return g.pick("u8", "s16", "b8", "b16", "f16", "f16x2", "pred", "u16")
	}
	return g.pick("b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64")
}

func (g generator) variable() variable {
	v := variable{space: ".param", typ: g.typ()}
	switch g.Intn(4) {
	case 0:
		v.space = ".reg"
		if g.rarely(4) {
			v.vec = g.pick(".v2", ".v4")
			v.typ = g.pick("b32", "f32", "u32", "b16")
		}
	case 1:
		v.typ, v.align, v.dim = "b8", g.pick("1", "2", "4", "8", "16"), 1+g.Intn(70)
	case 2:
		if g.rarely(2) {
			v.dim = 1 + g.Intn(5)
		}
	}
	return v
}

// mutate returns the variable with one thing changed.
func (g generator) mutate(v variable) variable {
	switch g.Intn(7) {
	case 0:
		v.typ = g.typ()
	case 1:
		v.align = g.pick("", "0", "3", "1", "4", "8", "16", "64", "256")
	case 2:
		v.dim = g.pick2(0, -1, v.dim+1, 4)
	case 3:
		if v.space == ".param" {
			v.space = ".reg"
		} else {
			v.space = ".param"
		}
	case 4:
		v.vec = g.pick("", ".v2", ".v4", ".v3")
	case 5:
		v.typ = g.pick("b8", "u8", "b16", "b32", "b64", "s32", "u32", "f32")
	}
	return v
}

func (g generator) pick2(list ...int) int { return list[g.Intn(len(list))] }

// call returns a module with a function and a kernel that calls it. On the
// average one thing in it is wrong, and often none.
func (g generator) call() string {
	var formals, decls, names []string
	var results, resultDecl, resultName string
	if g.rarely(2) {
		v := g.variable()
		if v.vec != "" && v.space == ".param" {
			v.vec = ""
		}
		results = "(" + v.decl("r") + ") "
		if g.rarely(8) {
			v = g.mutate(v)
		}
		resultDecl, resultName = v.decl("r0")+"; ", "(r0), "
		if g.rarely(15) {
			resultName = g.pick("", "(_), ", "(r0, r0), ", "(5), ")
		}
	}
	for i := range g.Intn(4) {
		v := g.variable()
		if v.space == ".param" && g.rarely(25) {
			v = g.mutate(v)
		}
		formals = append(formals, v.decl(fmt.Sprintf("x%d", i)))
		name := fmt.Sprintf("a%d", i)
		switch {
		case g.rarely(10):
			v = g.mutate(v)
		case v.space == ".param" && v.dim == 0 && g.rarely(4):
			v.space = ".reg"
		case v.dim < 0:
			v.dim = 8
		}
		if v.dim == 0 && v.vec == "" && g.rarely(8) {
			names = append(names, g.pick("7", "-1", "1.0", "0f3F800000", "4294967296", "%tid", "nowhere", "x0", "gv"))
			continue
		}
		decls = append(decls, v.decl(name)+";")
		names = append(names, name)
	}
	if len(names) > 0 && g.rarely(15) {
		names = names[:len(names)-1]
	}
	if g.rarely(25) {
		names = append(names, "7")
	}
	args := ""
	if len(names) > 0 || g.rarely(2) {
		args = ", (" + strings.Join(names, ", ") + ")"
	}
	sig := results + "f(" + strings.Join(formals, ", ") + ")"
	linkage := g.pick("", ".visible ", ".weak ")
	head := ""
	if g.rarely(4) {
		head = linkage + ".func " + sig + ";\n"
		if g.rarely(5) {
			head = g.pick(".extern .func ", ".func ", ".weak .func ") + sig + ";\n"
		}
	}
	call := "call " + resultName + "f" + args + ";"
	if g.rarely(6) && resultDecl+args != "" {
		call = "mov.u64 %d, f; p: .callprototype " + strings.TrimSuffix(results, " ") + " _ (" + strings.Join(formals, ", ") + "); call " + resultName + "%d" + args + ", p;"
	}
	if g.rarely(12) {
		call = "@%p " + call
	}
	version := g.pick("7.0", "7.0", "8.0", "6.0", "8.3")
	target := g.pick("sm_80", "sm_70")
	if version == "6.0" {
		target = "sm_70"
	}
	return fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n.global .b32 gv;\n%s%s.func %s\n{\n\tret;\n}\n.visible .entry k()\n{\n\t.reg .b64 %%d; .reg .pred %%p;\n\t{ %s%s %s }\n\tret;\n}\n",
		version, target, head, linkage, sig, resultDecl, strings.Join(decls, " "), call)
}

// access returns a module with a function that accesses its formals, its
// result and a .param of its own in some way.
func (g generator) access() string {
	regs := []string{"b8", "u8", "b16", "u16", "s16", "f16", "b32", "u32", "s32", "f32", "f16x2", "b64", "u64", "s64", "f64", "pred"}
	var decl strings.Builder
	for _, r := range regs {
		fmt.Fprintf(&decl, " .reg .%s %%%s_<4>;", r, r)
	}
	reg := func() string { return fmt.Sprintf("%%%s_%d", regs[g.Intn(len(regs))], g.Intn(4)) }
	typ := func() string {
		return g.pick("b8", "u8", "s8", "b16", "u16", "b32", "u32", "s32", "f32", "b64", "u64", "f64", "f16", "pred", "b32", "b32", "b64")
	}
	base := func() string {
		return g.pick("x", "x", "x", "y", "r", "a", "o", "%b64_0", "%b32_0", "%f32_0", "%pred_0", "gv", "f", "nowhere", "z", "l")
	}
	offset := func() string {
		return g.pick("", "", "", "+4", "+0", "+8", "+0x4", "-4", "+1", "+2*2")
	}
	matching := func(t string) string {
		if g.rarely(3) || t == "s8" {
			return reg()
		}
		return fmt.Sprintf("%%%s_%d", t, g.Intn(4))
	}
	operand := func(t string) (vec, text string) {
		if g.rarely(5) {
			return g.pick(".v2", ".v2", ".v4", ".v3"), "{" + matching(t) + ", " + matching(t) + "}"
		}
		if g.rarely(8) {
			return "", g.pick("5", "1.0", "0f3F800000", "_", "%tid.x", "x", "nowhere")
		}
		return "", matching(t)
	}
	guard := func() string {
		if g.rarely(10) {
			return "@%pred_0 "
		}
		return ""
	}
	var body []string
	for range 1 + g.Intn(2) {
		t := typ()
		vec, text := operand(t)
		mod := ""
		if g.rarely(8) {
			mod = g.pick(".volatile", ".ca", ".cg", ".weak", ".relaxed.sys", ".cs", ".nc", ".wb")
		}
		qual := ""
		if g.rarely(10) {
			qual = g.pick("::entry", "::func")
		}
		switch g.Intn(6) {
		case 0, 1:
			b := base()
			if b == "a" || b == "o" {
				b = "x" // loads of locals are a matter of placement
			}
			body = append(body, fmt.Sprintf("%sld%s.param%s%s.%s %s, [%s%s];", guard(), mod, qual, vec, t, text, b, offset()))
		case 2:
			body = append(body, fmt.Sprintf("%sst%s.param%s%s.%s [%s%s], %s;", guard(), mod, qual, vec, t, g.pick("r", "r", base()), offset(), text))
		case 3:
			body = append(body, fmt.Sprintf("mov.%s %s, %s%s;", g.pick("u64", "b64", "u32"), g.pick("%b64_1", "%b64_1", "%b32_1"), g.pick("x", "r", "a", "x+4", "r+8"), ""))
		case 4:
			body = append(body, fmt.Sprintf("%s.b32 %%b32_1, [%s];", g.pick("ld.local", "ld.global", "ld", "ld.shared"), g.pick("%b64_0", "%b64_0", "x")))
		case 5:
			body = append(body, g.pick("cvta.param.u64 %b64_1, %b64_0;", "cvta.param.u64 %b64_1, x;", "isspacep.param %pred_1, %b64_0;", "cvta.local.u64 %b64_1, x;", "atom.param.add.u32 %b32_1, [x], 1;"))
		}
	}
	return fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n.global .align 16 .b8 gv[16];\n.func (.param .align 16 .b8 r[64]) f(.param .align 16 .b8 x[64], .param .b64 y)\n{\n\t%s\n\t.param .align 16 .b8 a[32]; .local .align 16 .b8 l[64];\n\t%s\n\tret;\n}\n",
		g.pick("7.0", "7.7", "8.3", "8.3"), g.pick("sm_80", "sm_70"), decl.String(), strings.Join(body, "\n\t"))
}
