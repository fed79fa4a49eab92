package lower_test

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	cases "github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// goldenHomes are homes and slots of registers by name, the same in all functions
// of a module. As the input homes.txt of a case they are a line each: a register,
// and where it lives, "%r1 R16", "%p1 P0", or "%r2 [8]" for the slot at byte 8.
type goldenHomes struct {
	regs  map[string]sass.Reg
	slots map[string]int
}

func (h goldenHomes) Home(_ *ptx.Func, r lower.Virtual) (sass.Reg, bool) {
	reg, ok := h.regs[r.Name]
	return reg, ok
}

func (h goldenHomes) Slot(_ *ptx.Func, r lower.Virtual) (int, bool) {
	off, ok := h.slots[r.Name]
	return off, ok
}

const homesInput = "homes.txt"

// parseHomes reads the input homes.txt.
func parseHomes(data []byte) (goldenHomes, error) {
	h := goldenHomes{make(map[string]sass.Reg), make(map[string]int)}
	for line := range strings.Lines(string(bytes.TrimSpace(data))) {
		name, at, ok := strings.Cut(strings.TrimSpace(line), " ")
		slot := strings.HasPrefix(at, "[") && strings.HasSuffix(at, "]")
		number := strings.TrimLeft(strings.TrimRight(at, "]"), "[RP")
		n, err := strconv.ParseUint(number, 0, 8)
		if !ok || err != nil || !slot && at != "R"+number && at != "P"+number {
			return h, fmt.Errorf("%s: %q is no register and where it lives", homesInput, line)
		}
		if slot {
			h.slots[name] = int(n)
		} else {
			h.regs[name] = sass.Reg(n)
		}
	}
	return h, nil
}

// homesSection is the section "homes sm_80": the pseudo-SASS with the homes that
// the input homes.txt has.
func homesSection(c *cases.Case, args []string) ([]byte, error) {
	for _, in := range c.Inputs {
		if in.Name != homesInput {
			continue
		}
		homes, err := parseHomes(in.Data)
		if err != nil {
			return nil, err
		}
		return lowerWith(c, args, lower.Options{Homes: homes, Slots: homes})
	}
	return nil, errors.New("there is no input " + homesInput)
}
