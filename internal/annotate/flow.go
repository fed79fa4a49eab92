package annotate

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// A function is the code of one function of a listing.
type function struct {
	target *abi.Target
	own    *Func
	known  func(name string) *Func // nil for a callee that nothing is known of

	code   []*sass.Instr
	starts []bool  // instruction i is where control may come from elsewhere
	next   [][]int // where control may go, by instruction
	calls  map[int]aCall
	at     []*state // before those instructions of starts that control reaches
	// lost says that control may go anywhere, or to too many places: nothing is
	// known of values.
	lost bool

	owners []owner
	// escapes says that the function makes generic addresses of local ones, which
	// others may store through.
	escapes bool
	// overwrites says that the function may store to its parameters on the stack
	// somewhere.
	overwrites bool
}

// An owner is a formal and what stands behind its name: "", " from f".
type owner struct {
	suffix string
	formal *Formal
}

func (fn *function) owner(suffix string, f *Formal) int {
	o := owner{suffix, f}
	if i := slices.Index(fn.owners, o); i >= 0 {
		return i
	}
	fn.owners = append(fn.owners, o)
	return len(fn.owners) - 1
}

// A aCall is a call.
type aCall struct {
	name   string // of the callee; "" where the listing does not tell
	callee *Func  // nil where nothing is known of it
	// free says that the callee is a part of the same function's code, which the
	// convention does not bind.
	free bool
	// indirect says that it is through a pointer; callee is then what all such
	// calls have in common.
	indirect bool
}

// maxStarts is how many places of a function control may come to from elsewhere,
// at most, for its values to be followed: each takes some 20 kB.
const maxStarts = 1 << 14

// newFunction takes the code of a function apart and follows its values.
func newFunction(f *sass.Func, own *Func, t *abi.Target, known func(string) *Func) *function {
	fn := &function{target: t, own: own, known: known, calls: make(map[int]aCall)}
	labels := make(map[string]int)
	addrs := make(map[int64]int)
	for i := range f.Items {
		switch it := &f.Items[i]; it.Kind {
		case sass.Label:
			labels[it.Text] = len(fn.code)
		case sass.Code:
			if it.Instr.HasAddr {
				addrs[it.Instr.Addr] = len(fn.code)
			}
			fn.code = append(fn.code, &it.Instr)
		}
	}
	fn.edges(labels, addrs)
	places := 0
	for _, s := range fn.starts {
		if s {
			places++
		}
	}
	fn.lost = fn.lost || places > maxStarts
	fn.escapes = fn.takesAddress()
	fn.follow()
	if len(fn.calls) > 0 && fn.storesToParams() {
		fn.overwrites = true // its own parts do, when it calls them
		fn.follow()
	}
	return fn
}

// edges finds where control may go.
func (fn *function) edges(labels map[string]int, addrs map[int64]int) {
	n := len(fn.code)
	fn.next, fn.starts = make([][]int, n), make([]bool, n+1)
	goal := func(o sass.Operand) (int, bool) {
		if o.Kind == sass.Symbol {
			i, ok := labels[o.Name]
			return i, ok
		}
		i, ok := addrs[o.Off]
		return i, ok && o.Kind == sass.Imm
	}
	// Where a SYNC or a jump through a register may lead.
	var joins, all []int
	for _, in := range fn.code {
		switch base(in.Op) {
		case "SSY", "PBK", "PCNT", "BSSY", "PRET":
			for _, o := range in.Args {
				if to, ok := goal(o); ok && to < n {
					joins = append(joins, to)
				}
			}
		}
	}
	for _, to := range labels {
		if to < n {
			all = append(all, to)
		}
	}
	slices.Sort(all)
	for i, in := range fn.code {
		through := true // control may go on behind
		var to []int
		switch op := base(in.Op); op {
		case "BRA", "BRXU", "BRX", "JMP", "JMX", "JMXU":
			through = guarded(in) || in.Op != op || len(in.Args) > 1 // BRA.DIV, BRA.U UP0
			found := false
			for _, o := range in.Args {
				if g, ok := goal(o); ok && g < n {
					to, found = append(to, g), true
				}
			}
			switch {
			case op == "JMX" && fn.afterPret(i):
				fn.calls[i] = fn.through()
				through, to = true, nil
			case !found || op == "BRX" || op == "JMX" || op == "BRXU" || op == "JMXU":
				to, fn.lost = all, fn.lost || len(all) == 0
			}
		case "EXIT", "RET":
			through = guarded(in)
		case "SYNC", "BRK", "CONT", "BSYNC":
			to = joins
		case "CALL", "JCAL", "CAL":
			fn.calls[i] = fn.callOf(in, labels, addrs)
		}
		if through && i+1 < n {
			to = append(slices.Clone(to), i+1)
		}
		fn.next[i] = to
		for _, t := range to {
			if t != i+1 {
				fn.starts[t] = true
			}
		}
	}
}

func base(op string) string {
	op, _, _ = strings.Cut(op, ".")
	return op
}

// afterPret reports whether the jump at i has its return address pushed before
// it, which makes a call of it.
func (fn *function) afterPret(i int) bool {
	for i--; i >= 0; i-- {
		switch base(fn.code[i].Op) {
		case "PRET":
			return true
		case "BRA", "JMP", "JMX", "BRX", "RET", "EXIT", "JCAL", "CAL":
			return false
		}
	}
	return false
}

// callOf says what a call instruction calls.
func (fn *function) callOf(in *sass.Instr, labels map[string]int, addrs map[int64]int) aCall {
	for _, o := range in.Args {
		switch o.Kind {
		case sass.Symbol:
			if o.Name == fn.target.Spelling.IndirectTable {
				return fn.through()
			}
			if _, local := labels[o.Name]; local && o.Name != fn.own.Name {
				return aCall{name: o.Name, free: true}
			}
			return aCall{name: o.Name, callee: fn.known(o.Name)}
		case sass.Imm:
			i, ok := addrs[o.Off]
			return aCall{free: ok && i > 0}
		}
	}
	return fn.through()
}

// through is a call through a pointer.
func (fn *function) through() aCall {
	c := aCall{indirect: true, callee: fn.own.Indirect}
	if c.callee != nil {
		c.name = c.callee.Name
	}
	return c
}

// isCall reports whether instruction i calls.
func (fn *function) isCall(i int) bool {
	_, ok := fn.calls[i]
	return ok
}

// follow computes the state at every instruction that control may reach from
// elsewhere.
func (fn *function) follow() {
	n := len(fn.code)
	fn.at = make([]*state, n)
	if n == 0 || fn.lost {
		return
	}
	fn.starts[0] = true
	fn.at[0] = fn.entry()
	work := []int{0}
	for len(work) > 0 { // a state only ever loses words, so that this ends
		i := work[len(work)-1]
		work = work[:len(work)-1]
		s := fn.at[i].clone()
		for more := true; more; i++ {
			fn.step(s, i)
			more = false
			for _, to := range fn.next[i] {
				switch {
				case to == i+1 && !fn.starts[to]:
					more = true
				case fn.at[to] == nil:
					fn.at[to] = s.clone()
					work = append(work, to)
				case fn.at[to].meet(s):
					work = append(work, to)
				}
			}
		}
	}
}

// walk visits every instruction with the state before it, which is the
// visitor's until it returns. Where control never comes nothing is known.
func (fn *function) walk(visit func(i int, s *state)) {
	s := newState()
	for i := range fn.code {
		if fn.lost || fn.starts[i] && fn.at[i] == nil {
			s = newState()
		} else if fn.starts[i] {
			s = fn.at[i].clone()
		}
		visit(i, s)
		fn.step(s, i)
		if !slices.Contains(fn.next[i], i+1) {
			s = newState()
		}
	}
}

// takesAddress reports whether the function makes generic addresses of local ones.
func (fn *function) takesAddress() bool {
	local := fn.target.Kernel.LocalLo
	return slices.ContainsFunc(fn.code, func(in *sass.Instr) bool {
		return slices.ContainsFunc(in.Args, func(o sass.Operand) bool {
			return o.Kind == sass.Const && o.Bank == local.Bank && o.Off == int64(local.Off)
		})
	})
}

// storesToParams reports whether the function may overwrite its parameters on
// the stack.
func (fn *function) storesToParams() bool {
	if fn.own.Kernel {
		return false
	}
	found := fn.escapes
	fn.walk(func(i int, s *state) {
		in := fn.code[i]
		if base(in.Op) != "STL" {
			return
		}
		w, ok := word{}, false
		if m := memOperand(in); m != nil {
			w, ok = memory(s, *m)
		}
		found = found || !ok || w.kind == address && w.who == 0 && w.off+moved(in) > 0
	})
	return found
}
