package check_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/oracle"
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

// accepts asks the assembler about a module.
func accepts(t *testing.T, tk *oracle.Toolkit, src string, compile bool) (ok bool, said string) {
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

// TestLive compares verdicts on modules made at random: a valid call with
// something changed, or nothing.
func TestLive(t *testing.T) {
	tk := toolkit(t)
	n := 400
	if testing.Short() {
		n = 60
	}
	verdicts := map[bool]int{}
	for seed := range n {
		g := generator{rand.New(rand.NewSource(int64(seed)))}
		src := g.module()
		compile := g.Intn(2) == 0
		ok, said := accepts(t, tk, src, compile)
		verdicts[ok]++
		all := judge("live.ptx", []byte(src), check.Options{Compile: compile})
		if errs := all.Errors(); ok != (len(errs) == 0) {
			t.Errorf("seed %d, -c %v: the assembler accepts: %v, we complain: %v\n%s\n%s", seed, compile, ok, errs, said, src)
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

// module returns a module with a function and a kernel that calls it. On the
// average one thing in it is wrong, and often none.
func (g generator) module() string {
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
