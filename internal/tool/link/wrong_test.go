package link_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// TestWrongBytes executes the example of docs/link.md, which the linkers take: the
// function returns the third word of what it is given for the first.
func TestWrongBytes(t *testing.T) {
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	const stackTop = 4096
	const folder = "../../../examples/link/"
	run := func(definition string) (returned uint32, diags []string) {
		var set link.Set
		prog := &sass.Program{Target: target.Name}
		contract := sim.Contract{}
		for _, one := range [][2]string{{folder + "main.ptx", ""}, {folder + "first.ptx", definition}} {
			text := one[1]
			if text == "" {
				data, err := os.ReadFile(one[0])
				require.NoError(t, err)
				text = string(data)
			}
			m := parsed(t, one[0], text)
			set.AddPTX(link.Place{Name: one[0], File: one[0]}, m)
			p, err := lower.Module(m, target, lower.Options{})
			require.NoError(t, err)
			prog.Funcs = append(prog.Funcs, p.Funcs...)
			for _, f := range resolve.Functions(m) {
				if f.Name == "first" { // what caller and callee use together
					a, list := f.Assign(target)
					require.Empty(t, list)
					for _, v := range a.Params {
						for i := range (v.Size + 3) / 4 {
							contract.Args = append(contract.Args, v.Loc.Reg+sass.Reg(i))
						}
					}
					contract.Results = []sass.Reg{a.Results[0].Loc.Reg}
				}
			}
		}
		for _, d := range set.Report(link.Options{}).Diags {
			diags = append(diags, string(d.Code))
		}
		conf := &sim.Config{
			SP: target.Regs.SP, RetAddr: target.Regs.RetAddr, Last: target.Regs.Last, StackTop: stackTop,
			Preserved: slices.DeleteFunc(slices.Collect(target.Regs.CalleeSaved.All()), func(r sass.Reg) bool { return r == target.Regs.SP }),
			Scratch:   slices.Collect(target.Regs.CallerSaved.All()),
			Bank: func(bank uint8, off int64) sim.Byte {
				sp := target.Kernel.SP
				if i := int(off) - sp.Off; bank == sp.Bank && i >= 0 && i < 4 {
					return sim.Number(stackTop)[i]
				}
				return sim.Number(0)[off%4]
			},
			Callee: func(string) (sim.Contract, error) { return contract, nil },
			Text:   func(*sim.Machine, string) (string, error) { return "", nil },
			Returned: func(m *sim.Machine, _ string) error {
				v, ok := m.Reg(contract.Results[0]).Value()
				assert.True(t, ok)
				returned = v
				return nil
			},
		}
		m, err := sim.New(prog, conf)
		require.NoError(t, err)
		require.NoError(t, m.Run("k"))
		return returned, diags
	}
	text, err := os.ReadFile(folder + "first.ptx")
	require.NoError(t, err)
	got, diags := run(string(text))
	assert.EqualValues(t, 12, got)
	assert.Equal(t, []string{string(check.SilentMismatch)}, diags)
	got, diags = run(strings.Replace(string(text), ".align 16 .b8 p", ".align 8 .b8 p", 1))
	assert.EqualValues(t, 10, got)
	assert.Empty(t, diags)
}
