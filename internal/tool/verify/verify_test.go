package verify_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/ptx"
)

// cubins is where the compiled modules are; the PTX they were made of stands
// above it.
const cubins = "../../image/cubin/testdata/cubins"

func open(path string) (*cubin.File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return cubin.Open(data)
}

// compare compares a cubin with a module.
func compare(name, file string, src []byte) (*verify.Report, error) {
	f, err := open(filepath.Join(cubins, name+".cubin"))
	if err != nil {
		return nil, err
	}
	m, err := ptx.Parse(file, src)
	if err != nil {
		return nil, err
	}
	t, err := abi.Assume(f.Arch)
	if err != nil {
		return nil, err
	}
	return (&verify.Binary{File: f, Name: name + ".cubin"}).Compare(verify.NewModule(m).On(t)), nil
}

func TestGolden(t *testing.T) {
	section := func(write func(*verify.Report) ([]byte, error)) golden.Section {
		return func(c *golden.Case, args []string) ([]byte, error) {
			if len(args) != 1 {
				return nil, fmt.Errorf("one cubin is wanted, not %q", args)
			}
			r, err := compare(args[0], c.Inputs[0].Name, c.Inputs[0].Data)
			if err != nil {
				return nil, err
			}
			return write(r)
		}
	}
	golden.Run(t, "testdata/golden", map[string]golden.Section{
		"text": section(func(r *verify.Report) ([]byte, error) { return []byte(r.Text()), nil }),
		"json": section(func(r *verify.Report) ([]byte, error) { return verify.JSON([]*verify.Report{r}) }),
		"findings": section(func(r *verify.Report) ([]byte, error) {
			return []byte(strings.Join(r.Findings(), "\n") + "\n"), nil
		}),
	})
}

// moduleOf returns the name of a cubin, and the module that it was made of, without its head, with the bits of an address.
func moduleOf(t *testing.T, path string) (name, module string, body []byte, bits int) {
	name, module, bits = strings.TrimSuffix(filepath.Base(path), ".cubin"), "module", 64
	for _, m := range []string{"wide", "narrow", "handles", "opaque", "aliases"} {
		if strings.HasPrefix(name, m+"-") {
			module = m
		}
	}
	if module == "narrow" {
		bits = 32
	}
	module += ".ptx"
	return name, module, must.Read(t, filepath.Join(cubins, "..", module)), bits
}

// TestSame compares every cubin with the module it was made of: the layout that
// package abi computes is the one that the assembler recorded.
func TestSame(t *testing.T) {
	paths := must.Glob(t, filepath.Join(cubins, "*.cubin"))
	kernels := 0
	for _, path := range paths {
		name, module, body, bits := moduleOf(t, path)
		f, err := open(path)
		require.NoError(t, err)
		head := fmt.Sprintf(".version 8.6\n.target %s\n.address_size %d\n", f.Arch, bits)
		r, err := compare(name, module, append([]byte(head), body...))
		require.NoError(t, err, name)
		assert.True(t, r.OK(), "%s\n%s", name, r.Text())
		kernels += len(r.Kernels)
	}
	assert.Greater(t, kernels, 100)
}

func TestBase(t *testing.T) {
	for symbol, want := range map[string]string{
		"_Z4stepf8ParticlePd": "step", "_ZN3sim3runEi": "sim::run", "_ZL4stepi": "step", "_ZN12_GLOBAL__N_14stepEi": "step",
		"_ZN3sim4Grid4stepEPKf": "sim::Grid::step", "_ZNK3sim4Grid4stepEv": "sim::Grid::step",
		"step": "", "_Z4fillIfEvPT_": "", "_ZN3sim4fillIfEEvPT_": "", "_Z": "", "_ZN": "", "_ZNE": "", "_Z9short": "", "_Z0": "",
		"_Z99999999999999999999999x": "", "_ZN4step": "",
	} {
		got, ok := verify.Base(symbol)
		assert.Equal(t, cmp.Or(want, symbol), got, symbol)
		assert.Equal(t, want != "", ok, symbol)
	}
}

// TestMany prints a report of many kernels: those that agree are counted, those that differ alike are
// shown once, names are demangled and without what they begin with, and no line of a table is long.
func TestMany(t *testing.T) {
	const head = ".version 7.0\n.target sm_80\n.address_size 64\n"
	text := func(size int) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range 60 {
			name := fmt.Sprintf("_ZN9libraries11version_1_26kernelILi%dEEEvPf", i)
			n := 4
			if i >= 30 {
				n = size
			}
			fmt.Fprintf(&b, ".visible .entry %s(.param .align 4 .b8 %s_param_0[%d]) { ret; }\n", name, name, n)
		}
		return b.String()
	}
	row := must.Target(t, "sm_80")
	source, err := ptx.ParseString("x.ptx", text(8))
	require.NoError(t, err)
	m, err := ptx.ParseString("y.ptx", text(12))
	require.NoError(t, err)
	p := (&verify.Module{Module: m}).PTX(row, 64)
	r := (&verify.Binary{File: p.File, Name: "y.ptx", PTX: p, Number: 1}).Compare(verify.NewModule(source).On(row))
	out := r.Text()
	assert.Less(t, strings.Count(out, "\n"), 50)
	for _, want := range []string{
		"\nnames are without libraries::version_1_2::\n", "\n30 kernels: same\n", "\nkernel kernel<30>(float*): differs\n",
		"  parameter 0 (param_0) has 12 bytes, 8 in x.ptx\n", "  so do 29 more kernels:\n    kernel<31>(float*)\n", "    and 9 more: -all shows them\n",
		"\n60 differences\n",
	} {
		assert.Contains(t, out, want)
	}
	for line := range strings.Lines(out) {
		assert.LessOrEqual(t, len([]rune(line)), 121, line)
	}
	all := r.TextIn(verify.Style{All: true, Mangled: true})
	assert.Equal(t, 60, strings.Count(all, "\nkernel _ZN9libraries"))
}
