package dataflow

import (
	"math/big"
	"slices"
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

// From returns the first position.
func (l *Lifetime) From() int { return l.Ranges[0].From }

// To returns the last position.
func (l *Lifetime) To() int { return l.Ranges[len(l.Ranges)-1].To }

// Overlaps reports whether two registers are live at the same place, so that they cannot
// share a physical register. A register that is last read by a statement and one that is
// first written by it do not overlap.
func (l *Lifetime) Overlaps(m *Lifetime) bool {
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
	k, ok := slices.BinarySearchFunc(l.Ranges, 2*i, func(r Range, at int) int {
		switch {
		case r.To < at:
			return -1
		case r.From > at:
			return 1
		}
		return 0
	})
	return ok && l.Ranges[k].To > 2*i
}

// A Liveness is the registers that are live at the start and the end of each block.
type Liveness struct {
	fn      *Function
	number  []int     // of each register among those that are live between blocks, -1 for none
	regs    []int     // of each number
	in, out []big.Int // for each block, bits by number
}

// Liveness computes the registers that are live at the start and the end of each block,
// in time that grows with the number of blocks times that of the registers that are live
// between blocks.
func (fn *Function) Liveness() *Liveness {
	l := &Liveness{fn: fn, number: make([]int, len(fn.Registers))}
	l.global()
	n := len(fn.Blocks)
	reads, kills := make([]big.Int, n), make([]big.Int, n)
	l.in, l.out = make([]big.Int, n), make([]big.Int, n)
	for b := range fn.Blocks {
		for i := fn.Blocks[b].First; i < fn.Blocks[b].End; i++ {
			for _, r := range fn.Uses(i) {
				if k := l.number[r]; k >= 0 && kills[b].Bit(k) == 0 {
					reads[b].SetBit(&reads[b], k, 1)
				}
			}
			for _, d := range fn.Defs(i) {
				if k := l.number[d.Reg]; k >= 0 && d.Kills {
					kills[b].SetBit(&kills[b], k, 1)
				}
			}
		}
	}
	if last := l.last(); last >= 0 {
		for _, r := range fn.results {
			l.out[last].SetBit(&l.out[last], l.number[r], 1)
		}
	}
	todo, waits := make([]int, 0, n), make([]bool, n)
	for b := range n {
		todo, waits[b] = append(todo, b), true
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo, waits[b] = todo[:len(todo)-1], false
		for _, s := range fn.Blocks[b].Succs {
			l.out[b].Or(&l.out[b], &l.in[s])
		}
		var in big.Int
		if in.Or(in.AndNot(&l.out[b], &kills[b]), &reads[b]); in.Cmp(&l.in[b]) == 0 {
			continue
		}
		l.in[b].Set(&in)
		for _, p := range fn.Blocks[b].Preds {
			if !waits[p] {
				todo, waits[p] = append(todo, p), true
			}
		}
	}
	return l
}

// global numbers the registers that some block reads before it writes them, and those that
// the end of the body reads. No other is live between blocks.
func (l *Liveness) global() {
	for r := range l.number {
		l.number[r] = -1
	}
	add := func(r int) {
		if l.number[r] < 0 {
			l.number[r] = len(l.regs)
			l.regs = append(l.regs, r)
		}
	}
	for _, r := range l.fn.results {
		add(r)
	}
	killed := make([]int, len(l.fn.Registers)) // the last block that has, plus 1
	for b, blk := range l.fn.Blocks {
		for i := blk.First; i < blk.End; i++ {
			for _, r := range l.fn.Uses(i) {
				if killed[r] != b+1 {
					add(r)
				}
			}
			for _, d := range l.fn.Defs(i) {
				if d.Kills {
					killed[d.Reg] = b + 1
				}
			}
		}
	}
}

// last returns the block that control may leave by the end of the body, -1 if there is
// none.
func (l *Liveness) last() int {
	n := len(l.fn.Func.Body)
	for b, blk := range l.fn.Blocks {
		if blk.End == n && (blk.First < n || n == 0) && len(blk.Succs) == 0 {
			return b
		}
	}
	return -1
}

// In returns the registers that are live at the start of block b, in an undefined order.
func (l *Liveness) In(b int) []int { return l.list(&l.in[b]) }

// Out returns the registers that are live at the end of block b, in an undefined order.
func (l *Liveness) Out(b int) []int { return l.list(&l.out[b]) }

func (l *Liveness) list(s *big.Int) (regs []int) {
	for k := range s.BitLen() {
		if s.Bit(k) != 0 {
			regs = append(regs, l.regs[k])
		}
	}
	return regs
}

// Lifetimes returns the lifetime of each register of the function that is live anywhere,
// in the order of Registers.
func (fn *Function) Lifetimes() []Lifetime {
	l := fn.Liveness()
	// Blocks and statements are walked backwards, so that ranges come last first.
	of, open := make([][]Range, len(fn.Registers)), make([]int, len(fn.Registers)) // To of the open one, plus 1; 0 for none
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

// prepend adds a range that comes before all others to a list in reverse order.
func prepend(list []Range, r Range) []Range {
	if n := len(list); n > 0 && list[n-1].From <= r.To+1 && list[n-1].From%2 == 0 {
		list[n-1].From = r.From // control comes from one into the other, or may
		return list
	}
	return append(list, r)
}
