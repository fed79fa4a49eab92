package web

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/resolve"
)

// cut returns which of n are drawn, of which each has so many pieces: all, or from near on as much as
// there is room for, and at the end what comes before it too. It says what is left out; name names one.
func (a *answer) cut(n, near int, what string, pieces func(int) int, name func(int) string) (first, end int) {
	first, end = near, near
	total := 0
	fits := func(i int) bool {
		if end-first == maxDrawn {
			return false
		}
		more := pieces(i)
		if end > first && total+more > maxPieces {
			return false
		}
		total += more
		return true
	}
	for end < n && fits(end) {
		end++
	}
	for first > 0 && fits(first-1) {
		first--
	}
	a.res.Cut = a.res.Cut || end-first < n
	if first == 0 && end < n {
		a.note("the first %d of %d %s are drawn; any of them can be chosen by its name", end, n, what)
	} else if first > 0 {
		a.note("%d of %d %s are drawn, from %s on; any of them can be chosen by its name", end-first, n, what, name(first))
	}
	return first, end
}

// drawnOf returns the functions that are drawn.
func (a *answer) drawnOf(list []*resolve.Function, near int) []*resolve.Function {
	first, end := a.cut(len(list), near, "functions", func(i int) (n int) {
		s := list[i].Signature()
		for _, values := range [][]abi.Value{s.Params, s.Results} {
			for _, v := range values {
				n += min(max(1, v.Size/4), 16) // of one that is large not all is drawn
			}
		}
		return n
	}, func(i int) string { return list[i].Name })
	return list[first:end]
}

// fields counts those of a type, up to what is drawn.
func fields(l *layout.Layout) int {
	n := 0
	for range l.Fields() {
		if n++; n > maxPieces {
			break
		}
	}
	return n
}

func kernelFields(k *layoutcmd.Kernel) int {
	n := 0
	for i := range k.Params {
		n += fields(k.Params[i].Layout)
	}
	return n
}

// A choice is something that can be shown alone, with the line that it begins at.
type choice struct {
	name string
	line int
}

// choices lists what can be shown alone: where that is too much for a list, what is nearest to the
// line in sight, and what is chosen.
func (a *answer) choices(all []choice) {
	near, within := min(a.req.Near, len(a.text.lines)), 1<<30 // lines
	if len(all) > maxNames {
		var away []int
		for _, c := range all {
			away = append(away, far(c.line, near))
		}
		slices.Sort(away)
		within = max(away[maxNames-1], 1)
	}
	for _, c := range all {
		if c.name == a.req.Only || far(c.line, near) <= within && len(a.res.Names) < maxNames {
			a.res.Names = append(a.res.Names, c.name)
		}
	}
	if n := len(a.res.Names); n < len(all) {
		a.note("%d of %d names can be chosen, those that are nearest to the line in sight", n, len(all))
	}
}

// at returns which of n begins last up to the line in sight; the first one where none does.
func (a *answer) at(n int, line func(int) uint32) int {
	at := 0
	for i := range n {
		if int(line(i)) <= a.req.Near {
			at = i
		}
	}
	return at
}

func far(a, b int) int { return max(a-b, b-a) }
