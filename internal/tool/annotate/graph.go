package annotate

import (
	"slices"

	"github.com/ptxabi/ptxabi/sass"
)

// A graph is where control may go in a function.
type graph struct {
	// joins are where a SYNC may lead, labels where a jump through a register may.
	joins, labels []int32
	// lost says that control may go anywhere.
	lost bool

	byName map[string]int32 // instructions after labels
	byAddr map[int64]int    // instructions by address; nil: none was looked up
}

// label returns the instruction after a label.
func (fn *function) label(name string) (int, bool) {
	i, ok := fn.graph.byName[name]
	return int(i), ok
}

// atAddress returns the last instruction with an address.
func (fn *function) atAddress(addr int64) (int, bool) {
	g := &fn.graph
	if g.byAddr == nil {
		g.byAddr = make(map[int64]int, len(fn.code))
		for i := range fn.code {
			if in := &fn.code[i]; in.HasAddr {
				g.byAddr[in.Addr] = i
			}
		}
	}
	i, ok := g.byAddr[addr]
	return i, ok
}

// goal returns the instruction that an operand leads to; false where there is none.
func (fn *function) goal(o *sass.Operand) (to int, ok bool) {
	switch o.Kind {
	case sass.KindSymbol:
		to, ok = fn.label(o.Name)
	case sass.KindImm:
		to, ok = fn.atAddress(o.Off)
	}
	return to, ok && to < len(fn.code)
}

// edges finds where control may go.
func (fn *function) edges() {
	g := &fn.graph
	for i := range fn.code {
		in := &fn.code[i]
		switch in.op.Name() {
		case "SSY", "PBK", "PCNT", "BSSY", "PRET":
			for k := range in.Args {
				if to, ok := fn.goal(&in.Args[k]); ok {
					g.joins = append(g.joins, int32(to))
				}
			}
		}
	}
	slices.Sort(g.joins)
	g.joins = slices.Compact(g.joins)
	g.labels = slices.Compact(g.labels)
	if n := len(g.labels); n > 0 && int(g.labels[n-1]) == len(fn.code) { // after the code
		g.labels = g.labels[:n-1]
	}
	var wild [2][]int // instructions that lead to joins, and to labels
	for i := range fn.code {
		in := &fn.code[i]
		in.on = true
		switch op := in.op.Name(); op {
		case "BRA", "BRXU", "BRX", "JMP", "JMX", "JMXU":
			in.on = in.guarded || in.Op != op || len(in.Args) > 1 // BRA.DIV, BRA.U UP0
			for k := range in.Args {
				if to, ok := fn.goal(&in.Args[k]); ok {
					in.goals = append(in.goals, int32(to))
				}
			}
			switch {
			case (op == "JMX" || op == "BRX") && fn.afterPret(i):
				in.call = int32(len(fn.calls))
				fn.calls = append(fn.calls, fn.through())
				in.on, in.goals = true, nil
			case in.goals == nil || op == "BRX" || op == "JMX" || op == "BRXU" || op == "JMXU":
				in.labels, in.goals = true, nil
				g.lost = g.lost || len(g.labels) == 0
				wild[1] = append(wild[1], i)
			}
		case "EXIT", "RET":
			in.on = in.guarded
		case "SYNC", "BRK", "CONT", "BSYNC":
			in.joins = true
			wild[0] = append(wild[0], i)
		case "CALL", "JCAL", "CAL":
			in.call = int32(len(fn.calls))
			fn.calls = append(fn.calls, fn.callOf(in))
		}
		in.on = in.on && i+1 < len(fn.code)
		for _, to := range in.goals {
			fn.leads(i, int(to))
		}
	}
	for k, goals := range [][]int32{g.joins, g.labels} {
		for _, to := range goals {
			for _, i := range wild[k][:min(2, len(wild[k]))] { // of two, one is not just before
				fn.leads(i, int(to))
			}
		}
		for _, i := range wild[k] {
			if _, next := slices.BinarySearch(goals, int32(i+1)); next {
				fn.code[i].on = true
			}
		}
	}
}

// leads takes down that control may go from one instruction to another.
func (fn *function) leads(from, to int) {
	if to == from+1 {
		fn.code[from].on = true
	} else {
		fn.code[to].start = true
	}
}

// afterPret reports whether the jump at i has its return address pushed before
// it, which makes a call of it.
func (fn *function) afterPret(i int) bool {
	for i--; i >= 0; i-- {
		switch fn.code[i].op.Name() {
		case "PRET":
			return true
		case "BRA", "JMP", "JMX", "BRX", "RET", "EXIT", "JCAL", "CAL":
			return false
		}
	}
	return false
}

// A block is code from a place that control comes to from elsewhere, up to the next one
// or to where control does not go on.
type block struct {
	first int32 // instruction
	snapshot
	queued bool
}

// blocks are the nodes of the control flow. Two of them have no code: all that leads to
// every join does so through the first, and all that leads to every label through
// the second.
const (
	joinsBlock  = 0
	labelsBlock = 1
	entryBlock  = 2
)

// visit calls a function with the block that begins at an instruction, if there is one.
func (fn *function) visit(at int32, visit func(block int)) {
	if b := fn.code[at].block; b >= 0 {
		visit(int(b))
	}
}

// jumpTargets calls visit for each block that an instruction may lead to, but for that
// after it.
func (fn *function) jumpTargets(in *instr, visit func(int)) {
	for _, to := range in.goals {
		fn.visit(to, visit)
	}
	if in.joins {
		visit(joinsBlock)
	}
	if in.labels {
		visit(labelsBlock)
	}
}
