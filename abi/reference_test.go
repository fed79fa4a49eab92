package abi_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
)

// A reference assigns as the convention was first written down: registers are
// bytes of a file that values are laid into, the lowest place that is free and
// aligned is looked for byte by byte, and so is every place in memory. Nothing
// of it is shared with Assign. It takes valid signatures within all limits.
type reference struct {
	file [256 * 4]bool // the bytes of R0, R1, …, true where taken
	text string        // the assignment, in the form of abi.Assignment.String
}

// newReference returns a register file in which only R4 … R15 are free.
func newReference() *reference {
	r := new(reference)
	for i := range r.file {
		r.file[i] = i < 4*4 || i >= 16*4
	}
	return r
}

// lay takes the lowest aligned run of whole words that holds size bytes and
// returns the number of its first byte; -1 if there is none.
func (r *reference) lay(size, align int) int {
	for size%4 != 0 {
		size++
	}
	for at := range r.file {
		if at%align == 0 && at+size <= len(r.file) && !slices.Contains(r.file[at:at+size], true) {
			for i := range size {
				r.file[at+i] = true
			}
			return at
		}
	}
	return -1
}

func refFunc(sig abi.Signature) string {
	r := newReference()
	outside := len(sig.Results) > 1
	for _, v := range append(slices.Clone(sig.Params), sig.Results...) {
		outside = outside || v.Kind == abi.Opaque
	}
	results := make([]string, len(sig.Results))
	for i, v := range sig.Results {
		switch {
		case outside || v.Size == 0:
			results[i] = "none"
		case v.Size <= 48:
			results[i] = refRegs(4*4, v.Size)
		default:
			results[i] = "[R4+0x0]"
			r.lay(4, 4)
		}
	}
	stack := 0
	params := make([]string, len(sig.Params))
	for i, v := range sig.Params {
		align := v.Align
		if align < 4 {
			align = 4
		}
		regAlign := align
		if regAlign > 16 {
			regAlign = 16
		}
		at := -1
		if v.Kind == abi.Data && v.Size > 0 {
			if at = r.lay(v.Size, regAlign); outside {
				at = -1
			}
		}
		switch {
		case outside, v.Kind == abi.Data && v.Size == 0:
			params[i] = "none"
		case at >= 0:
			params[i] = refRegs(at, v.Size)
		default:
			for stack%align != 0 {
				stack++
			}
			params[i] = fmt.Sprintf("[R1+%#x]", stack)
			stack += v.Size
			for stack%4 != 0 {
				stack++
			}
		}
	}
	r.write(params, results)
	if stack > 0 {
		r.text += fmt.Sprintf("; stack %d", stack)
	}
	return r.text
}

// refRegs returns the registers that have the bytes [at, at+size) of the file.
func refRegs(at, size int) string {
	if size <= 4 {
		return fmt.Sprintf("R%d", at/4)
	}
	return fmt.Sprintf("R%d:R%d", at/4, (at+size-1)/4)
}

func (r *reference) write(params, results []string) {
	if len(params) == 0 {
		r.text = "()"
	}
	for i, p := range params {
		if i > 0 {
			r.text += " | "
		}
		r.text += p
	}
	for i, p := range results {
		if i > 0 {
			r.text += " | " + p
		} else {
			r.text += " -> " + p
		}
	}
}

// refKernel lays the parameters out byte by byte, as refFunc does. It returns
// "disputed" where the assembler's releases disagree, "too large" where they
// refuse.
func refKernel(sig abi.Signature, sm int) string {
	relative, _, _ := refBlock(sig.Params, 0)
	var base int
	var absolute, large bool
	switch {
	case sm < 70:
		base = 0x140
	case sm < 90:
		base, absolute, large = 0x160, true, true
		if relative > 4352 {
			base, absolute = 0x1a80, false
		}
	case sm < 100:
		base, absolute, large = 0x210, true, true
	default:
		base, absolute, large = 0x380, false, true
	}
	if relative > 32764 || relative > 4352 && !large {
		return "too large"
	}
	origin := 0
	if absolute {
		origin = base
	}
	end, data, offsets := refBlock(sig.Params, origin)
	if base == 0x160 && end > 4352 {
		return "disputed"
	}
	var bare []abi.Value // without the handles, which the code does not know
	var moved []int
	for i, v := range sig.Params {
		if v.Kind != abi.Opaque {
			bare, moved = append(bare, v), append(moved, offsets[i])
		}
	}
	if _, _, read := refBlock(bare, origin); !slices.Equal(read, moved) {
		return "disputed"
	}
	r := new(reference)
	params := make([]string, len(offsets))
	for i, off := range offsets {
		params[i] = fmt.Sprintf("c[0x0][%#x]", base+off)
		if off < 0 {
			params[i] = "none"
		}
	}
	r.write(params, nil)
	if sm >= 90 {
		end = data
	}
	return r.text + fmt.Sprintf("; block c[0x0][%#x] size %d", base, end)
}

// refBlock returns the offset of each parameter, -1 for those without bytes,
// and where they end: all of them, and those with bytes.
func refBlock(params []abi.Value, origin int) (end, data int, offsets []int) {
	for _, v := range params {
		align := v.Align
		if v.Kind == abi.Opaque {
			align = 4
		}
		if v.Kind == abi.Data && v.Size == 0 || align == 0 {
			align = 1
		}
		for (origin+end)%align != 0 {
			end++
		}
		if v.Kind == abi.Opaque || v.Size == 0 {
			offsets = append(offsets, -1)
			continue
		}
		offsets = append(offsets, end)
		end += v.Size
		data = end
	}
	return end, data, offsets
}

// refAssign is what Assign should say, or a word of refKernel.
func refAssign(sig abi.Signature, row *abi.Target) string {
	if sig.Kind == abi.Entry {
		return refKernel(sig, row.SM)
	}
	return refFunc(sig)
}

// checkAssign compares Assign with the reference.
func checkAssign(t require.TestingT, sig abi.Signature, row *abi.Target) {
	want := refAssign(sig, row)
	got := ""
	if a, err := abi.Assign(sig, row); err == nil {
		got = a.String()
	} else if list, ok := err.(abi.ErrorList); ok {
		switch list[0].Code {
		case abi.Disputed:
			got = "disputed"
		case abi.TooLarge:
			got = "too large"
		}
	}
	if got != want {
		require.Equal(t, want, got, "%v on %s", sig, row.Name)
	}
}

// eachSignature calls f with every signature of up to n parameters out of
// values and with each of the results. What f gets is only valid during the
// call.
func eachSignature(kind abi.FuncKind, n int, values []abi.Value, results [][]abi.Value, f func(abi.Signature)) {
	params := make([]abi.Value, 0, n)
	var grow func()
	grow = func() {
		for _, r := range results {
			f(abi.Signature{Kind: kind, Params: params, Results: r})
		}
		if len(params) == n {
			return
		}
		for _, v := range values {
			params = append(params, v)
			grow()
			params = params[:len(params)-1]
		}
	}
	grow()
}

// TestAssignExhaustive compares every small signature with the reference.
func TestAssignExhaustive(t *testing.T) {
	t.Run("func", func(t *testing.T) {
		// Each size leaves another pattern of free registers; each alignment
		// another set of places. 20 and 28 leave odd holes, 49 is never in
		// registers.
		values := []abi.Value{
			{},
			{Size: 1},
			{Size: 2, Align: 2},
			{Size: 4, Align: 4},
			{Size: 4, Align: 8},
			{Size: 3, Align: 16},
			{Size: 8, Align: 8},
			{Size: 12, Align: 4},
			{Size: 12, Align: 8},
			{Size: 16, Align: 16},
			{Size: 20, Align: 32},
			{Size: 28, Align: 4},
			{Size: 40, Align: 8},
			{Size: 49, Align: 1},
			{Size: 8, Align: 128},
		}
		results := [][]abi.Value{nil, {{Size: 4, Align: 4}}, {{Size: 49, Align: 16}}}
		rows := []*abi.Target{target(t, "sm_35"), target(t, "sm_90a")}
		depth := 4
		if testing.Short() {
			depth = 3
		}
		n := 0
		eachSignature(abi.Func, depth, values, results, func(sig abi.Signature) {
			checkAssign(t, sig, rows[n%2])
			n++
		})
		t.Logf("%d signatures", n)
	})
	t.Run("tail", func(t *testing.T) {
		values := []abi.Value{{Size: 4, Align: 4}, {Size: 8, Align: 8}, {Size: 44, Align: 4}, {Size: 49}, {Size: 4, Align: 64}}
		row := target(t, "sm_70")
		n := 0
		for size := range 10 {
			for align := 1; align <= 128; align *= 2 {
				tail := abi.Value{Kind: abi.Unsized, Size: size, Align: align}
				eachSignature(abi.Func, 3, values, [][]abi.Value{nil}, func(sig abi.Signature) {
					sig.Params = append(slices.Clone(sig.Params), tail)
					checkAssign(t, sig, row)
					n++
				})
			}
		}
		t.Logf("%d signatures", n)
	})
	t.Run("outside", func(t *testing.T) {
		values := []abi.Value{{}, {Size: 4, Align: 4}, {Kind: abi.Opaque}, {Size: 52, Align: 8}}
		results := [][]abi.Value{nil, {{Kind: abi.Opaque}}, {{Size: 4, Align: 4}, {Size: 4, Align: 4}}, {{Size: 52}, {}}}
		eachSignature(abi.Func, 3, values, results, func(sig abi.Signature) {
			checkAssign(t, sig, target(t, "sm_52"))
		})
	})
	t.Run("entry", func(t *testing.T) {
		values := []abi.Value{
			{},
			{Size: 1},
			{Size: 2, Align: 2},
			{Size: 4, Align: 4},
			{Size: 8, Align: 8},
			{Size: 3, Align: 16},
			{Size: 4, Align: 32},
			{Size: 5, Align: 64},
			{Size: 4, Align: 128},
			{Size: 7, Align: 256},
			{Kind: abi.Opaque},
			{Size: 4200, Align: 4},
			{Size: 4285, Align: 128},
			{Size: 32000, Align: 1},
		}
		n := 0
		for _, row := range abi.Targets() {
			depth := 2
			if slices.Contains([]string{"sm_35", "sm_80", "sm_90", "sm_120"}, row.Name) && !testing.Short() {
				depth = 4
			}
			eachSignature(abi.Entry, depth, values, [][]abi.Value{nil}, func(sig abi.Signature) {
				checkAssign(t, sig, row)
				n++
			})
		}
		t.Logf("%d signatures", n)
	})
	t.Run("sizes", func(t *testing.T) {
		// Every size and alignment alone, and after one word.
		for _, row := range []*abi.Target{target(t, "sm_62"), target(t, "sm_80"), target(t, "sm_90")} {
			for size := 1; size <= 70; size++ {
				for align := 1; align <= 512; align *= 2 {
					v := abi.Value{Size: size, Align: align}
					for _, kind := range []abi.FuncKind{abi.Func, abi.Entry} {
						checkAssign(t, abi.Signature{Kind: kind, Params: []abi.Value{v}}, row)
						checkAssign(t, abi.Signature{Kind: kind, Params: []abi.Value{{Size: 4, Align: 4}, v}}, row)
					}
					checkAssign(t, abi.Signature{Results: []abi.Value{v}, Params: []abi.Value{v}}, row)
				}
			}
		}
	})
}
