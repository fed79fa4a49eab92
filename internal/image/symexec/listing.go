package symexec

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
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
	// unnamed are the labels that no instruction names, in order: where jumps through a table go that the
	// listing does not have. They are found where one is needed.
	unnamed []string
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
	l.unnamed = l.tableTargets()
	for _, name := range l.unnamed {
		add(name)
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
		for _, name := range append(branchTargets(in), meetingLabel(in)) {
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
	if in.op != "BRX" {
		return nil
	}
	if _, list, ok := strings.Cut(in.Remark, "BRANCH_TARGETS "); ok {
		return strings.Split(strings.ReplaceAll(list, " ", ""), ",")
	}
	_, list, _ := strings.Cut(in.Remark, "TARGETS= ")
	return strings.Fields(list)
}

// meetingLabel returns where threads go on after an instruction of sm_35 that ends in .S, "" for others.
func meetingLabel(in *instr) string {
	label, ok := strings.CutPrefix(in.Remark, "TARGET= ")
	if !ok || !in.has("S") {
		return ""
	}
	return strings.TrimSpace(label)
}

// isTableJump reports whether an instruction jumps through a table of which the listing does not say what is in it.
func isTableJump(in *instr) bool { return in.op == "BRX" && len(branchTargets(in)) == 0 }

func (l *listing) tableJumps() (n int) {
	for i := range l.instrs {
		if isTableJump(&l.instrs[i]) {
			n++
		}
	}
	return n
}

// tableTargets returns the labels that no instruction names if the listing has jumps through tables that it does
// not have: disassemblers name what such a table holds.
func (l *listing) tableTargets() []string {
	if l.tableJumps() == 0 {
		return nil
	}
	named := make(map[string]bool)
	for i := range l.instrs {
		for _, o := range l.instrs[i].Args {
			named[o.Name], named[o.Label] = true, true
		}
	}
	var list []string
	for name, at := range l.labels {
		if strings.HasPrefix(name, ".L") && !named[name] && at > 0 && at < len(l.instrs) && l.instrs[at].op != "BRX" {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// leftOut returns the line after which the listing leaves out instructions, by the offsets that it has: 0 for none.
// nvdisasm 11.8 prints nothing for an instruction that it cannot read, nor for the label before it.
func (l *listing) leftOut(t *abi.Target) int {
	for i := 1; i < len(l.instrs) && t.SM >= 70; i++ {
		if before := l.instrs[i-1].Addr; before > 0 && l.instrs[i].Addr > before+16 {
			return int(l.instrs[i-1].Pos.Line)
		}
	}
	return 0
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
