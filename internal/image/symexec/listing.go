package symexec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// A Listing is the code of one function or kernel.
type Listing struct {
	Name   string
	Instrs []Instr
	Labels map[string]int // index of the instruction that follows a label
	Lists  map[string][]string
	// Targets are the instructions that branches may go to.
	Targets map[int]bool
	// Unnamed are the labels that no instruction names, in order: jumps through a table that the listing
	// does not have go to them. They are found where one is needed.
	Unnamed []string
}

// An Instr is one instruction of a disassembly.
type Instr struct {
	*sass.Instr
	Name string   // "IMAD"
	mods []string // "MOV", "U32"
}

// Has reports whether the operation code has a modifier.
func (in *Instr) Has(mod string) bool { return slices.Contains(in.mods, mod) }

// Parse reads the output of nvdisasm -c. It returns the functions by their names. It is an error if
// one is there twice, as in the code of several architectures.
func Parse(text string) (map[string]*Listing, error) {
	p, err := sass.Parse("disassembly", []byte(text))
	if err != nil {
		return nil, err
	}
	all := make(map[string]*Listing)
	for _, f := range p.Funcs {
		for i := range f.Items { // in text a table of labels is a comment
			it := &f.Items[i]
			if name, labels, ok := strings.Cut(it.Text, ": .branchtargets "); ok && it.Kind == sass.Comment {
				it.List = &sass.BranchList{Name: name, Labels: strings.Split(labels, ", ")}
			}
		}
		if all[f.Name] != nil {
			return nil, fmt.Errorf("disassembly:%v: %s is in the listing twice; give that of one image", f.Pos, f.Name)
		}
		all[f.Name] = NewListing(f)
	}
	return all, nil
}

func NewListing(f *sass.Func) *Listing {
	l := &Listing{Name: f.Name, Labels: make(map[string]int), Lists: make(map[string][]string), Targets: make(map[int]bool)}
	for i := range f.Items {
		it := &f.Items[i]
		switch it.Kind {
		case sass.Label:
			l.Labels[it.Text] = len(l.Instrs)
		case sass.Comment:
			if it.List != nil {
				l.Lists[it.List.Name] = it.List.Labels
			}
		case sass.Code:
			mods := strings.Split(it.Instr.Op, ".")
			l.Instrs = append(l.Instrs, Instr{&it.Instr, mods[0], mods[1:]})
		}
	}
	l.findTargets()
	return l
}

// findTargets finds the instructions that something may jump to.
func (l *Listing) findTargets() {
	add := func(labels ...string) {
		for _, label := range labels {
			if to, ok := l.Labels[label]; ok {
				l.Targets[to] = true
			}
		}
	}
	l.Unnamed = l.tableTargets()
	add(l.Unnamed...)
	for _, labels := range l.Lists {
		add(labels...)
	}
	for i := range l.Instrs {
		in := &l.Instrs[i]
		if in.Text != "" {
			if op, args := TextOf(in.Text); strings.HasPrefix(op, "bra") {
				add(args)
			}
			continue
		}
		if in.Name == "PRET" && len(in.Args) == 1 { // most often what it names is after the call
			if to, ok := l.Labels[in.Args[0].Name]; ok && to > 0 && l.Instrs[to-1].Name != "JMX" {
				l.Targets[to] = true
			}
		}
		if IsEnd(in.Name) || in.Name == "PRET" {
			continue
		}
		add(append(BranchTargets(in), MeetingLabel(in))...)
		for _, o := range in.Args {
			if o.Kind == sass.KindSymbol {
				add(o.Name)
			}
		}
	}
}

// BranchTargets returns the labels that a disassembler says a jump through a register goes to; nil if it says none.
func BranchTargets(in *Instr) []string {
	if in.Name != "BRX" {
		return nil
	}
	if _, list, ok := strings.Cut(in.Remark, "BRANCH_TARGETS "); ok {
		return strings.Split(strings.ReplaceAll(list, " ", ""), ",")
	}
	_, list, _ := strings.Cut(in.Remark, "TARGETS= ")
	return strings.Fields(list)
}

// MeetingLabel returns where threads go on after an instruction of sm_35 that ends in .S, "" for others.
func MeetingLabel(in *Instr) string {
	label, ok := strings.CutPrefix(in.Remark, "TARGET= ")
	if !ok || !in.Has("S") {
		return ""
	}
	return strings.TrimSpace(label)
}

// IsTableJump reports whether an instruction jumps through a table of which the listing does not say what is in it.
func IsTableJump(in *Instr) bool { return in.Name == "BRX" && len(BranchTargets(in)) == 0 }

func (l *Listing) TableJumps() (n int) {
	for i := range l.Instrs {
		if IsTableJump(&l.Instrs[i]) {
			n++
		}
	}
	return n
}

// tableTargets returns the labels that no instruction names if the listing has jumps through tables that it does
// not have: disassemblers name what such a table holds.
func (l *Listing) tableTargets() []string {
	if l.TableJumps() == 0 {
		return nil
	}
	named := make(map[string]bool)
	for i := range l.Instrs {
		for _, o := range l.Instrs[i].Args {
			named[o.Name], named[o.Label] = true, true
		}
	}
	var list []string
	for name, at := range l.Labels {
		if strings.HasPrefix(name, ".L") && !named[name] && at > 0 && at < len(l.Instrs) && l.Instrs[at].Name != "BRX" {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// LeftOut returns the line after which the listing leaves out instructions, by the offsets that it has: 0 for none.
// nvdisasm 11.8 prints nothing for an instruction that it cannot read, nor for the label before it.
func (l *Listing) LeftOut(t *abi.Target) int {
	for i := 1; i < len(l.Instrs) && t.SM >= 70; i++ {
		if before := l.Instrs[i-1].Addr; before > 0 && l.Instrs[i].Addr > before+16 {
			return int(l.Instrs[i-1].Pos.Line)
		}
	}
	return 0
}

// IsTrue reports whether o is the predicate that always holds.
func IsTrue(o sass.Operand) bool {
	return o.Kind == sass.KindPred && !o.Neg && (o.Name == "PT" || o.Name == "UPT")
}

// isConst reports whether o is in a constant bank.
func isConst(o sass.Operand) bool {
	return o.Kind == sass.KindConst || o.Kind == sass.KindConstReg || o.Kind == sass.KindConstUni
}

// bare reports whether no sign changes o.
func bare(o sass.Operand) bool { return !o.Neg && !o.Abs && !o.Not }

// FunctionName returns the name of a function that an instruction has: that of its section is another for it.
func FunctionName(symbol string) string { return strings.TrimPrefix(symbol, ".text.") }

// IsEnd reports whether an operation calls or returns.
func IsEnd(op string) bool {
	return slices.Contains([]string{"CALL", "JCAL", "CAL", "JMX", "RET"}, op)
}

// TextOf returns the opcode and the operands of an instruction of PTX, without its guard.
func TextOf(text string) (op, args string) {
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	op, args, _ = strings.Cut(strings.TrimSpace(text), " ")
	return op, strings.TrimSpace(args)
}
