package measured_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
)

// within returns the lines of one section of code of a recording.
func within(s *measured.Section, fn string) []string {
	var out []string
	in := false
	for line := range strings.Lines(s.Code()) {
		if strings.HasPrefix(line, "//---") {
			in = strings.Contains(line, " .text."+fn+" ")
		} else if in {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// index is that of the first line that contains a text; -1 where there is none.
func index(lines []string, text string) int {
	return slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, text) })
}

// TestWhole: without -c visible functions are copied into the kernels that call
// them, which pass arguments and return addresses in their own way; where a
// function's address is taken, registers are the convention's.
func TestWhole(t *testing.T) {
	hold(t, func(t require.TestingT, p *pair) {
		r := p.row
		for _, options := range []string{"-O0", "-O3"} {
			text := p.String() + " " + options
			get := func(module string) *measured.Section {
				s := p.section(t, "whole", module, options)
				return s
			}
			assert.Equal(t, "fatal   : Unresolved extern function 'ext'", get("extern").Refusal(), text)
			s := get("program")
			assert.Len(t, matching(s, ".text."), 4, "kernels alone have code: %s", text)
			argument := fmt.Sprintf("c[0x0][%#x]", r.Kernel.ParamBase+8)
			for kernel, fn := range map[string]string{"k1": "once", "k2": "twice", "k3": "twice"} {
				lines := within(s, kernel)
				call, exit := index(lines, machine.Of(r.SM).Spelling.CallSelf+" `($"+kernel+"$"+fn+")"), index(lines, "EXIT")
				require.Positive(t, exit-call, text)
				require.GreaterOrEqual(t, call, 0, text)
				if options == "-O3" {
					assert.Negative(t, index(lines[:call], argument), text)
					assert.GreaterOrEqual(t, index(lines[exit:], argument), 0, "the copy reads the kernel's own parameter: %s", text)
				} else {
					assert.Negative(t, index(lines[exit:], argument), text)
				}
				if r.Regs.HasRetAddr() {
					assert.GreaterOrEqual(t, index(lines[exit:], "RET.REL.NODEC R"), 0, text)
					assert.Negative(t, index(lines, "R20"), "the return address is elsewhere: %s", text)
				}
			}
			checkPointed(t, r, within(s, "k4"), text)
		}
	})
}

// checkPointed holds a call through a pointer of a whole program against the
// convention.
func checkPointed(t require.TestingT, r *abi.Target, lines []string, text string) {
	read := index(lines, "c[0x2][")
	require.GreaterOrEqual(t, read, 0, "a pointer is an offset in bank 2: %s", text)
	call := index(lines, "BRX R")
	if r.Regs.HasRetAddr() {
		call = index(lines, "CALL.REL.NOINC R")
		assert.GreaterOrEqual(t, index(lines, "RET.REL.NODEC R20 `(k4)"), 0, text)
		assert.Negative(t, index(lines, "32@lo(("), "the return address is an offset: %s", text)
		assert.GreaterOrEqual(t, index(lines[:call], " R20, 0x"), 0, text)
	} else {
		assert.GreaterOrEqual(t, index(lines[:call], "PRET"), 0, text)
	}
	require.Greater(t, call, read, text)
	sig := abi.Signature{Params: []abi.Value{{Size: 4, Align: 4}, {Size: 8, Align: 8}}}
	a, err := abi.Assign(sig, r)
	require.NoError(t, err)
	require.Equal(t, "R4 | R6:R7", a.String())
	for _, reg := range []string{" R4,", " R6,", " R7,"} {
		assert.GreaterOrEqual(t, index(lines[:call], reg), 0, "%s: %s", reg, text)
	}
}

// TestNoReturn: the caller of a function that does not return reloads the return
// address before the call where every way ends there, and only then.
func TestNoReturn(t *testing.T) {
	hold(t, func(t require.TestingT, p *pair) {
		r := p.row
		for _, options := range []string{"-c -O0", "-c -O1", "-c -g -O0"} {
			text := p.String() + " " + options
			s := p.section(t, "noreturn", "noreturn", options)
			always, sometimes := within(s, "always"), within(s, "sometimes")
			call := index(always, "`(stop)")
			require.GreaterOrEqual(t, call, 0, text)
			assert.Equal(t, options == "-c -O1", index(always[call:], machine.Of(r.SM).Spelling.Ret) < 0, "what is after the call is left out: %s", text)
			assert.GreaterOrEqual(t, index(sometimes, machine.Of(r.SM).Spelling.Ret), 0, text)
			if !r.Regs.HasRetAddr() {
				continue
			}
			set := index(always, "MOV R21, 32@hi((always")
			require.GreaterOrEqual(t, set, 0, text)
			assert.GreaterOrEqual(t, index(always[set:call], "LDL R20,"), 0, text)
			assert.GreaterOrEqual(t, index(always[set:call], "LDL R21,"), 0, text)
			call = index(sometimes, "`(stop)")
			set = index(sometimes, "MOV R21, 32@hi((sometimes")
			require.Greater(t, call, set, text)
			assert.Negative(t, index(sometimes[:call], "LDL R2"), text)
		}
	})
}

var (
	aboveSP  = regexp.MustCompile(` R(\d+), (?:PT, PT, )?R1, (0x[0-9a-f]+)`)
	adjusted = regexp.MustCompile(` R1, (?:PT, PT, )?R1, (-0x[0-9a-f]+|0xffff[0-9a-f]+)`)
)

// TestAllocaPlace: alloca's memory begins above the outgoing area, rounded up to
// its alignment, by which R1 is lowered once more where the area's size is no
// multiple of it.
func TestAllocaPlace(t *testing.T) {
	hold(t, func(t require.TestingT, p *pair) {
		s := p.section(t, "alloca", "alloca", "-c -O1")
		if !p.row.Frame.Alloca {
			assert.NotEmpty(t, s.Refusal(), p)
			return
		}
		for _, test := range []struct {
			fn, mask, at string
			lowered      []string // spellings
		}{
			{"al64", "0xffffffc0", "0x40", []string{"-0x40", "0xffffffc0"}},
			{"al", "0xfffffff8", "0x38", []string{"-0x8", "0xfffffff8"}},
			{"al4", "0xfffffff8", "0x34", nil},
		} {
			lines := within(s, test.fn)
			and := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "LOP") && strings.Contains(l, " R1, R1, "+test.mask) })
			require.Positive(t, and, "%s: %s", test.fn, p)
			first := slices.IndexFunc(lines, func(l string) bool {
				m := aboveSP.FindStringSubmatch(l)
				return m != nil && m[1] != "1"
			})
			require.Greater(t, first, and, p)
			assert.Equal(t, test.at, aboveSP.FindStringSubmatch(lines[first])[2], "%s: %s", test.fn, p)
			var lowered []string
			copied := index(lines, "R3, RZ, RZ, R1 ;")
			if copied < 0 {
				copied = index(lines, "MOV R3, R1 ;")
			}
			require.GreaterOrEqual(t, copied, 0, p)
			for _, l := range lines[copied:and] {
				if m := adjusted.FindStringSubmatch(l); m != nil {
					lowered = append(lowered, m[1])
				}
			}
			if test.lowered == nil {
				assert.Empty(t, lowered, "%s: %s", test.fn, p)
				continue
			}
			require.Len(t, lowered, 1, "%s: %s", test.fn, p)
			assert.Contains(t, test.lowered, lowered[0], "%s: %s", test.fn, p)
		}
	})
}
