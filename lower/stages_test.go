package lower

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// everyOther gives each second register of a function a home, and the others slots.
type everyOther struct{ homes, slots map[string]int }

func (h everyOther) Home(_ *ptx.Func, r Virtual) (sass.Reg, bool) {
	if _, ok := h.slots[r.Name]; ok || r.Words == 0 {
		return 0, false
	}
	if _, ok := h.homes[r.Name]; !ok {
		if (len(h.homes)+len(h.slots))%2 == 1 || len(h.homes) > 40 {
			return 0, false
		}
		h.homes[r.Name] = 40 + 4*len(h.homes)
	}
	return sass.Reg(h.homes[r.Name]), true
}

func (h everyOther) Slot(_ *ptx.Func, r Virtual) (int, bool) {
	if r.Words == 0 {
		return 0, false
	}
	if _, ok := h.slots[r.Name]; !ok {
		h.slots[r.Name] = 16 * len(h.slots)
	}
	return h.slots[r.Name], true
}

// TestStagesKeepResults holds that no stage changes what one before it has handed on: after the code is
// made, body and plan are deeply equal to others of the same function. Passes consume a code and make
// another one of it; what prints the last one leaves it as it is.
func TestStagesKeepResults(t *testing.T) {
	files, err := filepath.Glob("../testdata/real/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	target, err := abi.Lookup("sm_90a")
	require.NoError(t, err)
	functions, slots := 0, 0
	for i, file := range files {
		if !effort.Long() && i%4 != 0 {
			continue
		}
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := ptx.Parse(file, src)
		require.NoError(t, err)
		homes := everyOther{make(map[string]int), make(map[string]int)}
		for _, opts := range []Options{{}, {Homes: homes, Slots: homes}} {
			l, err := newLowerer(m, nil, target, opts)
			require.NoError(t, err)
			p := newPipeline(l)
			for b := range l.bodies {
				body, f := b.Body, b.Func
				plan := p.placer.Place(body)
				slots += len(plan.Spill.At)
				code := p.selector.Select(plan)
				p.opt.Before(code, plan, p.passes)
				p.order(plan, code.Code)
				p.opt.After(code, plan, p.passes)
				p.spill(plan, code.Code)
				p.opt.Last(code, plan, p.passes)
				list, args, buf := slices.Clone(code.List), slices.Clone(code.Args), slices.Clone(code.Buf)
				code.AppendText(nil)
				code.AppendDump(nil)
				code.Items()
				require.True(t, slices.Equal(list, code.List) && reflect.DeepEqual(args, code.Args) && slices.Equal(buf, code.Buf), "%s of %s", f.Name, file)
				require.True(t, reflect.DeepEqual(resolved.New(f, f.Body, false), body), "%s of %s", f.Name, file)
				require.True(t, reflect.DeepEqual((&place.Placer{Unit: l.Unit, Reporter: &p.Reporter}).Place(body), plan), "%s of %s", f.Name, file)
				functions++
			}
		}
	}
	assert.Greater(t, functions, 100)
	assert.Positive(t, slots)
}
