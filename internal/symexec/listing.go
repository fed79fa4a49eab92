package symexec

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// A listing is the code of one function or kernel.
type listing struct {
	name   string
	instrs []instr
	labels map[string]int // index of the instruction that follows a label
	lists  map[string][]string
	// targets are the instructions to which something may jump.
	targets map[int]bool
}

// An instr is one instruction of a disassembly.
type instr struct {
	*sass.Instr
	op   string   // "IMAD"
	mods []string // "MOV", "U32"
}

// has reports whether the operation code has a modifier.
func (in *instr) has(mod string) bool { return slices.Contains(in.mods, mod) }

// parseListing reads the output of nvdisasm -c. It returns the functions in
// their order.
func parseListing(text string) ([]*listing, error) {
	p, err := sass.Parse("disassembly", []byte(text))
	if err != nil {
		return nil, err
	}
	var all []*listing
	for _, f := range p.Funcs {
		for i := range f.Items { // in text a table of labels is a comment
			it := &f.Items[i]
			if name, labels, ok := strings.Cut(it.Text, ": .branchtargets "); ok && it.Kind == sass.Comment {
				it.List = &sass.BranchList{Name: name, Labels: strings.Split(labels, ", ")}
			}
		}
		all = append(all, newListing(f))
	}
	return all, nil
}

func newListing(f *sass.Func) *listing {
	l := &listing{name: f.Name, labels: make(map[string]int), lists: make(map[string][]string), targets: make(map[int]bool)}
	for i := range f.Items {
		it := &f.Items[i]
		switch it.Kind {
		case sass.Label:
			l.labels[it.Text] = len(l.instrs)
		case sass.Comment:
			if it.List != nil {
				l.lists[it.List.Name] = it.List.Labels
			}
		case sass.Code:
			mods := strings.Split(it.Instr.Op, ".")
			l.instrs = append(l.instrs, instr{&it.Instr, mods[0], mods[1:]})
		}
	}
	l.findTargets()
	return l
}

// findTargets finds the instructions that something may jump to.
func (l *listing) findTargets() {
	add := func(label string) {
		if to, ok := l.labels[label]; ok {
			l.targets[to] = true
		}
	}
	for _, labels := range l.lists {
		for _, name := range labels {
			add(name)
		}
	}
	for i := range l.instrs {
		in := &l.instrs[i]
		if in.Text != "" {
			if op, args := textOf(in.Text); strings.HasPrefix(op, "bra") {
				add(args)
			}
			continue
		}
		if in.op == "PRET" && len(in.Args) == 1 { // most often what it names is after the call
			if to, ok := l.labels[in.Args[0].Name]; ok && to > 0 && l.instrs[to-1].op != "JMX" {
				l.targets[to] = true
			}
		}
		if isEnd(in.op) || in.op == "PRET" {
			continue
		}
		for _, name := range branchTargets(in) {
			add(name)
		}
		for _, o := range in.Args {
			if o.Kind == sass.Symbol {
				add(o.Name)
			}
		}
	}
}

// branchTargets returns the labels that a disassembler says a jump through a register goes to; nil if it says none.
func branchTargets(in *instr) []string {
	_, list, ok := strings.Cut(in.Remark, "BRANCH_TARGETS ")
	if in.op != "BRX" || !ok {
		return nil
	}
	return strings.Split(strings.ReplaceAll(list, " ", ""), ",")
}

// isTrue reports whether o is the predicate that always holds.
func isTrue(o sass.Operand) bool {
	return o.Kind == sass.Pred && !o.Neg && (o.Name == "PT" || o.Name == "UPT")
}

// isConst reports whether o is in a constant bank.
func isConst(o sass.Operand) bool {
	return o.Kind == sass.Const || o.Kind == sass.ConstReg || o.Kind == sass.ConstUni
}

// bare reports whether no sign changes o.
func bare(o sass.Operand) bool { return !o.Neg && !o.Abs && !o.Not }
