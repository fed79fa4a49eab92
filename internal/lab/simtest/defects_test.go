package simtest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A breakable is a module, what it may be lowered with, and ways in which that could be wrong.
type breakable struct {
	name, text string
	homes      lower.Homes
	targets    func(*abi.Target) bool // nil for all targets
	defects    []defect
	branches   string // see mattering
	least      int    // instructions that matter; 0 where some do not
}

var breakables = []breakable{
	{name: "defects", text: defectModule, defects: defects, branches: "inner", least: 40},
	{name: "cycles", text: turnModule, homes: turned, defects: homeDefects, branches: "g", least: 20},
	{name: "preserve", text: preserveModule, targets: knowsPreserve, defects: preserveDefects},
	{name: "guards", text: guardedModule, defects: guardDefects},
}

func (b *breakable) module(t *testing.T) (*ptx.Module, []*abi.Target) {
	t.Helper()
	targets := slices.DeleteFunc(distinctTargets(), func(t *abi.Target) bool { return b.targets != nil && !b.targets(t) })
	require.NotEmpty(t, targets)
	return must.Parse(t, b.name+".ptx", []byte(b.text)), targets
}

// TestDefectsAreNoticed breaks what was lowered and looks whether executing it
// shows that. It is the test of the test.
func TestDefectsAreNoticed(t *testing.T) {
	for _, b := range breakables {
		mod, targets := b.module(t)
		for _, target := range targets {
			n, err := runModule(mod, target, 1, b.homes, nil)
			require.NoError(t, err, "%s on %s", b.name, target.Name)
			require.Equal(t, n.observed, n.defined)
			for _, d := range b.defects {
				_, err := runModule(mod, target, 1, b.homes, d.change)
				if onlyNew[d.name] && !target.Regs.HasRetAddr() {
					assert.ErrorIs(t, err, errUnchanged, "%s on %s", d.name, target.Name)
					continue
				}
				if assert.Error(t, err, "%s on %s", d.name, target.Name) {
					assert.False(t, errors.Is(err, errUnchanged), "%s on %s: there is nothing to break", d.name, target.Name)
				}
			}
		}
	}
}

// TestEveryInstructionMatters leaves out one instruction after the other: what
// was lowered has none that could be missing unnoticed.
func TestEveryInstructionMatters(t *testing.T) {
	for _, b := range breakables {
		if b.least == 0 {
			continue
		}
		mod, targets := b.module(t)
		for _, target := range targets {
			_, err := runModule(mod, target, 1, b.homes, nil)
			require.NoError(t, err, "%s on %s", b.name, target.Name)
			for i := 0; ; i++ {
				text := ""
				_, err := runModule(mod, target, 1, b.homes, func(p *sass.Program) bool {
					list := mattering(p, b.branches)
					if i == len(list) {
						return false
					}
					text = list[i].String()
					nothing(list[i])
					return true
				})
				if errors.Is(err, errUnchanged) {
					require.Greater(t, i, b.least, "%s on %s", b.name, target.Name)
					break
				}
				assert.Error(t, err, "%s on %s without %q", b.name, target.Name, text)
			}
		}
	}
}

// readiesBarriers reports whether an instruction is one of those that functions
// and kernels of sm_87 begin with.
func readiesBarriers(in *sass.Instr) bool {
	return in.Op == "ISETP.NE.U32.AND" || strings.HasPrefix(in.Op, "BMOV") || in.Op == "UMOV" || in.Op == "BRA" && in.Guard == "@P0"
}

// mattering returns the instructions of a program that something depends on: of
// what makes barriers ready on sm_87, that in the kernel alone, where it happens,
// and the branch around it of the named function, which calls or is called.
func mattering(p *sass.Program, branches string) []*sass.Instr {
	list := instrs(p, "", func(in *sass.Instr) bool { return !readiesBarriers(in) })
	list = append(list, instrs(p, "k", func(in *sass.Instr) bool { return readiesBarriers(in) && in.Op != "BRA" })...)
	return append(list, instrs(p, branches, func(in *sass.Instr) bool { return readiesBarriers(in) && in.Op == "BRA" })...)
}
