package dataflow

import (
	"math"
	"slices"
	"sort"

	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Range is consecutive positions at which a register is live, From and To included.
// Statement i reads at position 2i and writes at 2i+1. A register that is live when the
// function begins is live from position -1 on.
type Range struct{ From, To int }

// A Lifetime is the ranges in which one register is live, in order. A value that is never
// read is live where it is written.
type Lifetime struct {
	Reg    int // index in [Function].Registers
	Ranges []Range
}

// From returns the first position; 0 if there is none.
func (l *Lifetime) From() int {
	if l == nil || len(l.Ranges) == 0 {
		return 0
	}
	return l.Ranges[0].From
}

// To returns the last position; 0 if there is none.
func (l *Lifetime) To() int {
	if l == nil || len(l.Ranges) == 0 {
		return 0
	}
	return l.Ranges[len(l.Ranges)-1].To
}

// Overlaps reports whether two registers are live at the same place, so that they cannot
// share a physical register. A register that is last read by a statement and one that is
// first written by it do not overlap.
func (l *Lifetime) Overlaps(m *Lifetime) bool {
	l, m = zero.Or(l), zero.Or(m)
	for i, k := 0, 0; i < len(l.Ranges) && k < len(m.Ranges); {
		a, b := l.Ranges[i], m.Ranges[k]
		if a.From <= b.To && b.From <= a.To {
			return true
		}
		if a.To < b.To {
			i++
		} else {
			k++
		}
	}
	return false
}

// Across reports whether a register is live before statement i and after it, so that a
// call there has to keep it.
func (l *Lifetime) Across(i int) bool {
	l = zero.Or(l)
	k := sort.Search(len(l.Ranges), func(k int) bool { return l.Ranges[k].To > 2*i })
	return k < len(l.Ranges) && l.Ranges[k].From <= 2*i
}

// A Liveness is the registers that are live at the start and the end of each block.
type Liveness struct{ in, out [][]int }

// Liveness computes the registers that are live at the start and the end of each block. Time and memory grow with the
// number of statements plus, for each register, the number of blocks in which it is live, with their edges.
func (fn *Function) Liveness() *Liveness { return fn.LivenessWithin(math.MaxInt) }

// LivenessWithin is [Function.Liveness], but returns nil if that takes more than most steps. A register takes a step for
// each block at whose start it is live, and one for each edge to that block: all registers together may take as many as
// registers times edges.
func (fn *Function) LivenessWithin(most int) *Liveness {
	fn = zero.Or(fn)
	n := len(fn.Blocks)
	l := &Liveness{make([][]int, n), make([][]int, n)}
	// By register: the blocks that read it before they write it, and the blocks that write it.
	reads, kills := make([][]int, len(fn.Registers)), make([][]int, len(fn.Registers))
	in := func(list []int, b int) bool { return len(list) > 0 && list[len(list)-1] == b }
	for b, blk := range fn.Blocks {
		for i := blk.First; i < blk.End; i++ {
			for _, r := range fn.Uses(i) {
				if !in(reads[r], b) && !in(kills[r], b) {
					reads[r] = append(reads[r], b)
				}
			}
			for _, d := range fn.Defs(i) {
				if d.Kills && !in(kills[d.Reg], b) {
					kills[d.Reg] = append(kills[d.Reg], b)
				}
			}
		}
	}
	last := fn.last()
	// A register is live at the start of each block that reads it before it writes it. From there it is live backwards: at
	// the end of each predecessor, and at the start of that too unless it writes the register. Each block is entered once
	// for a register, so that loops end. The marks of a block are the last register, plus 1, for which it was entered or
	// left, or which it writes: they need not be cleared for the next register.
	entered, left, written := make([]int, n), make([]int, n), make([]int, n)
	for r := range fn.Registers {
		for _, b := range kills[r] {
			written[b] = r + 1
		}
		todo := reads[r]
		leaves := func(b int) {
			if left[b] == r+1 {
				return
			}
			left[b] = r + 1
			l.out[b] = append(l.out[b], r)
			if written[b] != r+1 {
				todo = append(todo, b)
			}
		}
		if last >= 0 && slices.Contains(fn.results, r) {
			leaves(last)
		}
		for len(todo) > 0 {
			b := todo[len(todo)-1]
			if todo = todo[:len(todo)-1]; entered[b] == r+1 {
				continue
			}
			entered[b] = r + 1
			l.in[b] = append(l.in[b], r)
			if most -= 1 + len(fn.Blocks[b].Preds); most < 0 {
				return nil
			}
			for _, p := range fn.Blocks[b].Preds {
				leaves(p)
			}
		}
	}
	return l
}

// last returns the block that control leaves by the end of the body, -1 if there is
// none.
func (fn *Function) last() int {
	n := len(zero.Or(fn.Func).Body)
	for b, blk := range fn.Blocks {
		if blk.End == n && (blk.First < n || n == 0) && len(blk.Succs) == 0 {
			return b
		}
	}
	return -1
}

// In returns the registers that are live at the start of block b, in order.
func (l *Liveness) In(b int) []int { return at(zero.Or(l).in, b) }

// Out returns the registers that are live at the end of block b, in order.
func (l *Liveness) Out(b int) []int { return at(zero.Or(l).out, b) }

func at(lists [][]int, b int) []int {
	if b < 0 || b >= len(lists) {
		return nil
	}
	return lists[b]
}

// Lifetimes returns the lifetime of each register of the function that is live anywhere,
// in the order of Registers.
func (fn *Function) Lifetimes() []Lifetime {
	fn = zero.Or(fn)
	l := fn.Liveness()
	// Blocks and statements are walked backwards, so that the last range of a register is found first. A range is opened at
	// its end, and is complete where a write that kills the old value, or the start of a block, is found.
	of, open := make([][]Range, len(fn.Registers)), make([]int, len(fn.Registers)) // by register: To of its open range, plus 1; or 0
	for b := len(fn.Blocks) - 1; b >= 0; b-- {
		blk := &fn.Blocks[b]
		if blk.First == blk.End && blk.First > 0 { // a list of targets
			continue
		}
		live := l.Out(b)
		for _, r := range live {
			open[r] = 2*blk.End - 1 + 1
		}
		for i := blk.End - 1; i >= blk.First; i-- {
			for _, d := range fn.Defs(i) {
				switch at := 2*i + 1; {
				case open[d.Reg] == 0: // nothing reads it
					of[d.Reg] = prepend(of[d.Reg], Range{at, at})
				case d.Kills:
					of[d.Reg] = prepend(of[d.Reg], Range{at, open[d.Reg] - 1})
					open[d.Reg] = 0
				}
			}
			for _, r := range fn.Uses(i) {
				if open[r] == 0 {
					open[r] = 2*i + 1
				}
				live = append(live, r)
			}
		}
		first := 2 * blk.First
		if b == 0 {
			first = -1
		}
		for _, r := range live {
			if open[r] > 0 {
				of[r] = prepend(of[r], Range{first, open[r] - 1})
				open[r] = 0
			}
		}
	}
	var list []Lifetime
	for r, ranges := range of {
		if ranges != nil {
			slices.Reverse(ranges)
			list = append(list, Lifetime{r, ranges})
		}
	}
	return list
}

// prepend adds a range that comes before all others to a list in reverse order. It joins the two if one ends where the
// other begins, at the start of a block. If the other begins with a write, the value is another one, and they stay two.
func prepend(list []Range, r Range) []Range {
	if n := len(list); n > 0 && list[n-1].From <= r.To+1 && list[n-1].From%2 == 0 {
		list[n-1].From = r.From
		return list
	}
	return append(list, r)
}
