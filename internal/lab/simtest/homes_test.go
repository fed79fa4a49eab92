package simtest

import (
	"math/rand/v2"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// randomHomes gives each register a random home that is free as long as it is
// live, most often one of those that carry parameters, so that moves get into
// each other's way.
type randomHomes struct {
	t    *abi.Target
	seed uint64
	mod  *ptx.Module // whose functions' directives count; nil where none has any
	of   map[*ptx.Func]map[string]sass.Reg
	// slots are those of registers that are only moved, passed and returned.
	slots map[*ptx.Func]map[string]int
	none  bool // there are no slots
	apart bool // no two registers of a function share a home
}

// Home implements [lower.Homes].
func (h *randomHomes) Home(f *ptx.Func, r lower.Virtual) (sass.Reg, bool) {
	homes := h.of[f]
	if homes == nil {
		homes = h.allocate(f)
		if h.of == nil {
			h.of = make(map[*ptx.Func]map[string]sass.Reg)
		}
		h.of[f] = homes
	}
	reg, ok := homes[r.Name]
	return reg, ok
}

// Slot implements [lower.Slots].
func (h *randomHomes) Slot(f *ptx.Func, r lower.Virtual) (int, bool) {
	off, ok := h.slots[f][r.Name]
	return off, ok
}

// allocated returns the options with an allocation, which is nil for none and may have
// slots as well.
func allocated(h lower.Homes) lower.Options {
	opts := lower.Options{Homes: h}
	opts.Slots, _ = h.(lower.Slots)
	return opts
}

// A lifetime is the statements where a register may be live: from the first
// statement that mentions it to the last, and through all of a loop that it is
// live in.
type lifetime struct {
	name         string
	vec          int
	first, last  int
	readsLast    bool // the last statement only reads it
	writesFirst  bool // the first statement only writes it
	across       []*ptx.Call
	home         sass.Reg
	spilled      bool
	slot         int
	placed       bool
	words, align int
}

// lifetimes returns the registers of a function in order of their names' first
// mention.
func lifetimes(f *ptx.Func) []*lifetime {
	var list []*lifetime
	byName := make(map[string]*lifetime)
	mention := func(at int, name string, writes bool) {
		name, _, _ = strings.Cut(name, ".")
		if !strings.HasPrefix(name, "%") {
			return
		}
		l := byName[name]
		if l == nil {
			l = &lifetime{name: name, first: at, writesFirst: true}
			l.shape()
			byName[name] = l
			list = append(list, l)
		}
		if at == l.first {
			l.writesFirst = l.writesFirst && writes
		}
		if at != l.last {
			l.readsLast = true
		}
		l.readsLast = l.readsLast && !writes
		l.last = at
	}
	for i := range f.Params {
		if f.Params[i].Space == ptx.RegSpace {
			mention(-1, f.Params[i].Name, true)
		}
	}
	labels := make(map[string]int)
	calls := make(map[int]*ptx.Call)
	type loop struct{ from, to int }
	var loops []loop
	result := func(at int) {
		if len(f.Results) == 1 && f.Results[0].Space == ptx.RegSpace {
			mention(at, f.Results[0].Name, false)
		}
	}
	for i, s := range f.Body {
		guard := func(g *ptx.Guard) {
			if g != nil {
				mention(i, g.Name, false)
			}
		}
		switch s := s.(type) {
		case *ptx.Label:
			labels[s.Name] = i
		case *ptx.Access:
			guard(s.Guard)
			mention(i, s.Addr.Base, false)
			for k := range s.Regs {
				mention(i, s.Regs[k].Text, !s.Store)
			}
			if s.Guard != nil && !s.Store {
				for k := range s.Regs { // what is there may stay
					mention(i, s.Regs[k].Text, false)
				}
			}
		case *ptx.Call:
			guard(s.Guard)
			calls[i] = s
			mention(i, s.Callee.Text, false)
			for k := range s.Params {
				mention(i, s.Params[k].Text, false)
			}
			for k := range s.Results {
				mention(i, s.Results[k].Text, true)
				if s.Guard != nil {
					mention(i, s.Results[k].Text, false)
				}
			}
		case *ptx.Instr:
			guard(s.Guard)
			if s.Op == "ret" {
				result(i)
			}
			in := sim.ReadInstruction(string(ptx.AppendStmt(nil, s)))
			mention(i, in.Base, false)
			for k := len(in.Args) - 1; k >= 0; k-- {
				for _, name := range in.Args[k] {
					if to, ok := labels[name]; ok && in.Names[0] == "bra" {
						loops = append(loops, loop{to, i})
					}
					mention(i, name, k == 0 && in.Names[0] != "st" && s.Guard == nil)
				}
			}
		}
	}
	result(len(f.Body))
	for range loops {
		for _, l := range list {
			for _, lp := range loops {
				if l.first <= lp.to && l.last >= lp.from && (l.first < lp.from || l.last > lp.to || !l.writesFirst) {
					if l.first > lp.from {
						l.first, l.writesFirst = lp.from, false
					}
					if l.last < lp.to {
						l.last, l.readsLast = lp.to, false
					}
				}
			}
		}
	}
	for _, l := range list {
		for at, c := range calls {
			if l.first < at && at < l.last {
				l.across = append(l.across, c)
			}
		}
	}
	return list
}

// shape finds out from the name what kind of register it is.
func (l *lifetime) shape() {
	l.words, l.align, l.vec = 1, 1, 1
	name := l.name[1:]
	if len(name) > 2 && name[0] == 'v' {
		l.vec = int(name[1] - '0')
	}
	switch n := regSize(l.name); n {
	case 0:
		l.words = 0
	case 8, 16:
		l.words, l.align = n/4, n/4
	}
	l.words *= l.vec
}

// meets reports whether two registers are live at the same place.
func (l *lifetime) meets(m *lifetime) bool {
	switch {
	case l.last < m.first, m.last < l.first:
		return false
	case l.last == m.first && l.readsLast && m.writesFirst && l.first < l.last:
		return false
	case m.last == l.first && m.readsLast && l.writesFirst && m.first < m.last:
		return false
	}
	return true
}

func (h *randomHomes) allocate(f *ptx.Func) map[string]sass.Reg {
	r := rand.New(rand.NewPCG(h.seed, uint64(f.Pos.Line)))
	list := lifetimes(f)
	homes := make(map[string]sass.Reg)
	reserved := lower.Reserved(h.t)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if !h.none {
		h.spill(f, r, list)
	}
	for _, l := range list {
		if l.spilled {
			continue
		}
		var busy abi.RegSet
		for _, m := range list {
			if m.placed && (m.words == 0) == (l.words == 0) && (h.apart || l.meets(m)) {
				busy = busy.Union(abi.RegRange(m.home, m.home+sass.Reg(max(m.words, 1)-1)))
			}
		}
		allowed := abi.RegRange(0, h.t.Regs.Last).Minus(reserved)
		switch {
		case l.words == 0 && len(l.across) > 0:
			continue
		case l.words == 0:
			allowed = abi.RegRange(0, 6)
		}
		for _, c := range l.across {
			allowed = allowed.Intersect(h.preservedBy(f, c))
		}
		allowed = allowed.Minus(busy)
		fits := func(reg sass.Reg) bool {
			for k := range max(l.words, 1) {
				if int(reg)+k > 255 || !allowed.Has(reg+sass.Reg(k)) {
					return false
				}
			}
			return int(reg)%l.align == 0
		}
		turn := r.IntN(12)
		near := r.IntN(4) != 0 // among the parameters
		for k := 0; k < 512 && !l.placed; k++ {
			reg := sass.Reg((turn + k) % 256)
			if near && k < 12 {
				reg = sass.Reg(4 + (turn+k)%12)
			}
			if fits(reg) {
				l.home, l.placed = reg, true
				homes[l.name] = reg
			}
		}
	}
	return homes
}
