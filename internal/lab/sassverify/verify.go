// Package sassverify finds mistakes in pseudo-SASS that lowering has made, for tests: its forms are those of the vocabulary, and the kit for
// backends follows its paths.
package sassverify

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Verify looks for mistakes in what a module was lowered to. It checks [Forms], and follows every path of the listing as
// the kit for backends does: package lowertest compares what calls and returns hand over with the convention, and what
// instructions read with the source. Places that the kit does not compare are no mistakes.
func Verify(m *ptx.Module, p *sass.Program, t *abi.Target) error {
	errs := []error{Forms(m.Name, p, t)}
	src, listing := []byte(m.Source()), p.String()
	r, err := lowertest.Compare(src, listing, t)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, d := range r.Differences {
		errs = append(errs, errors.New(d.String()))
	}
	a, err := lowertest.CheckAllocation(src, listing, t)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, d := range a.Misplaced {
		errs = append(errs, errors.New(d.String()))
	}
	return errors.Join(errs...)
}

// Forms holds each item of a program against the vocabulary of package sass, and returns a [diag.List] of all that
// differs, nil if nothing does. Name is that of the source, for diagnostics.
//
//   - mnemonics exist on the target, and have operands of the right kinds;
//   - registers and predicates exist, wide ones are aligned;
//   - labels are unique, and those that are named are there;
//   - calls have contracts.
//
// It is for programs that lowering made: text that was read back has no contracts.
func Forms(name string, p *sass.Program, t *abi.Target) error {
	v := &verifier{name: name, last: t.Regs.Last, forms: make(map[string][]*form), slots: make(map[*form][]string)}
	sm, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(p.Target, "sm_"), "af"))
	if err != nil {
		v.errs.Add(&diag.Diagnostic{File: name, Msg: fmt.Sprintf("the target %q is not an architecture such as sm_80", p.Target)})
		return v.errs
	}
	v.sm = sm
	for i := range vocabulary {
		if f := &vocabulary[i]; f.exists(sm) {
			v.forms[f.Op] = append(v.forms[f.Op], f)
			v.slots[f] = f.slots()
		}
	}
	seen := make(map[string]bool)
	for _, f := range p.Funcs {
		v.f, v.at = f, -1
		if f.Name == "" || seen[f.Name] {
			v.errorf("there is another function of that name, or none")
		}
		seen[f.Name] = true
		v.structure()
	}
	return v.errs.Err()
}

type verifier struct {
	name  string
	last  sass.Reg // the highest register that there is
	sm    int
	forms map[string][]*form // those that the target has
	slots map[*form][]string
	errs  diag.List

	f      *sass.Func
	at     int             // index of the item at hand; -1 for the function
	labels map[string]int  // index of the item
	lists  map[string]bool // of labels, by name, with those of text
}

// errorf adds a diagnostic about the item at hand.
func (v *verifier) errorf(format string, args ...any) {
	where, pos := v.f.Name, v.f.Pos
	if v.at >= 0 {
		it := &v.f.Items[v.at]
		where += "+" + strconv.Itoa(v.at)
		switch it.Kind {
		case sass.Code:
			pos = it.Instr.Pos
			where += ": " + it.Instr.String()
		case sass.Label:
			where += ": " + it.Text + ":"
		}
	}
	v.errs.Add(&diag.Diagnostic{File: v.name, Pos: pos, Msg: where + ": " + fmt.Sprintf(format, args...)})
}

// structure checks each item for itself.
func (v *verifier) structure() {
	v.labels = make(map[string]int)
	v.lists = make(map[string]bool)
	for i := range v.f.Items {
		v.at = i
		switch it := &v.f.Items[i]; it.Kind {
		case sass.Label:
			if _, again := v.labels[it.Text]; again || it.Text == "" {
				v.errorf("the label is there twice, or has no name")
				continue
			}
			v.labels[it.Text] = i
		case sass.Comment:
			if it.List != nil {
				v.lists[it.List.Name] = true
			}
		}
	}
	for i := range v.f.Items {
		v.at = i
		it := &v.f.Items[i]
		if it.List != nil {
			v.known(it.List.Labels...)
		}
		if it.Kind == sass.Code {
			v.instr(&it.Instr)
		}
	}
}

// known reports labels that are not there.
func (v *verifier) known(labels ...string) {
	for _, l := range labels {
		if _, ok := v.labels[l]; !ok {
			v.errorf("there is no label %s in %s", l, v.f.Name)
		}
	}
}

func (v *verifier) instr(in *sass.Instr) {
	v.guard(in.Guard)
	if c := in.Contract; c != nil {
		for _, r := range slices.Concat(c.Needs, c.Gives) {
			v.exists(r, 1)
		}
	} else if name, _, _ := strings.Cut(in.Op, "."); name != "RET" && symexec.IsEnd(name) {
		v.errorf("a call that does not say what it passes")
	}
	if in.Text != "" {
		op, args := symexec.TextOf(in.Text)
		target, list, through := strings.Cut(args, ",")
		switch list = strings.TrimSpace(list); {
		case in.Op != "" || len(in.Args) > 0 || in.Guard != "":
			v.errorf("text beside an operation")
		case !strings.HasPrefix(op, "bra") && !strings.HasPrefix(op, "brx"):
		case !through:
			v.known(target)
		case !v.lists[list]:
			v.errorf("there is no list of labels %s in %s", list, v.f.Name)
		}
		return
	}
	forms := v.forms[in.Op]
	if len(forms) == 0 {
		v.errorf("sm_%d has no %q in the vocabulary", v.sm, in.Op)
		return
	}
	why := ""
	for _, f := range forms {
		if w := v.match(f, in); w == "" {
			v.operands(f, in)
			return
		} else if why == "" || len(v.slots[f]) == len(in.Args) {
			why = w
		}
	}
	v.errorf("%s", why)
}

// match returns what keeps an instruction from being of a form; "" if nothing
// does.
func (v *verifier) match(f *form, in *sass.Instr) string {
	slots := v.slots[f]
	if len(slots) != len(in.Args) {
		return fmt.Sprintf("%d operands, and %s has %d", len(in.Args), f.Op, len(slots))
	}
	for i := range slots {
		if w := fits(slots[i], &in.Args[i]); w != "" {
			return in.Args[i].String() + " " + w
		}
	}
	return ""
}

// operands checks what the slots of a form do not say.
func (v *verifier) operands(f *form, in *sass.Instr) {
	for i, slot := range v.slots[f] {
		v.operand(f.Op, slot, &in.Args[i])
	}
	if (f.Op == "CALL.REL.NOINC" || f.Op == "CAL") && in.Args[0].Name != v.f.Name {
		v.errorf("the form of a function that calls itself, in %s", v.f.Name)
	}
}

func (v *verifier) operand(op, slot string, o *sass.Operand) {
	if o.Neg && o.Kind != sass.KindPred && !strings.HasPrefix(op, "IADD") {
		v.errorf("%s takes no signs: %s", op, o)
	}
	if o.Abs || o.Not || o.Reuse || o.Suffix != "" {
		v.errorf("%s is an operand of disassembly", o)
	}
	switch o.Kind {
	case sass.KindRegister:
		v.exists(o.Reg, words(op, slot, v.sm))
	case sass.KindVirtual:
		v.virtual(o)
	case sass.KindMem:
		v.address(o)
	case sass.KindConst, sass.KindConstReg:
		v.address(o)
		v.constant(op, o)
	case sass.KindImm:
		if o.Off < -1<<31 || o.Off > 1<<32-1 {
			v.errorf("%s has more than 32 bits", o)
		}
	case sass.KindPred:
		v.predicate(o.Name)
	case sass.KindLo32, sass.KindHi32:
		if o.Label != "" {
			v.known(o.Label)
			if o.Name != v.f.Name {
				v.errorf("%s is a label of %s, not of %s", o.Label, v.f.Name, o.Name)
			}
		}
	case sass.KindSymbol:
		if slot == "`(label)" {
			v.known(o.Name)
		}
	}
}

// constant checks where a constant is in its bank.
func (v *verifier) constant(op string, o *sass.Operand) {
	if o.Kind == sass.KindConstReg || o.Name != "" {
		if op == "MOV" {
			v.errorf("%s takes no constant through a register", op)
		}
		return
	}
	if size := int64(isa.OperationOf(op).AccessSize()); o.Off < 0 || o.Off > 0xffff || o.Off%size != 0 {
		v.errorf("%s is not a constant of %d bytes", o, size)
	}
}

// exists reports registers that do not exist, or are misaligned.
func (v *verifier) exists(r sass.Reg, n int) {
	switch {
	case r == sass.RZ:
	case int(r)+n-1 > int(v.last):
		v.errorf("R%d does not exist: the last register is R%d", int(r)+n-1, v.last)
	case int(r)%n != 0:
		v.errorf("%d registers from R%d on, which is not a multiple of %d", n, r, n)
	}
}

// virtual reports a virtual register whose text means something else.
func (v *verifier) virtual(o *sass.Operand) {
	switch {
	case o.Name == "":
		v.errorf("a virtual register without a name")
	case o.Part > sass.W3:
		v.errorf("%s has no part %d", o.Name, o.Part)
	case o.Part == sass.Whole && physical(o.Name):
		v.errorf("the virtual register %s reads as a physical one", o.Name)
	}
}

// address checks the register of an address.
func (v *verifier) address(o *sass.Operand) {
	switch {
	case o.Name != "":
		v.virtual(o)
	case o.Kind == sass.KindMem && o.Reg == sass.RZ:
		v.errorf("%s has no register", o)
	case o.Kind != sass.KindConst:
		v.exists(o.Reg, 1)
	}
}

// physical reports whether a name is that of a register or predicate of the
// machine.
func physical(name string) bool {
	switch strings.TrimRight(name, "0123456789") {
	case "R", "P", "UR", "UP", "B":
		return name[len(name)-1] <= '9'
	}
	return name == "RZ" || name == "PT" || name == "URZ" || name == "UPT"
}

// lastPred is the highest predicate that is not PT, on every architecture.
const lastPred = 6

func (v *verifier) predicate(name string) {
	number, ok := strings.CutPrefix(name, "P")
	switch n, err := strconv.Atoi(number); {
	case name == "":
		v.errorf("a predicate without a name")
	case ok && err == nil && n > lastPred:
		v.errorf("there is no predicate %s", name)
	case name != "PT" && physical(name) && (!ok || err != nil):
		v.errorf("%s is not a predicate", name)
	}
}

func (v *verifier) guard(g string) {
	if g == "" {
		return
	}
	name, ok := strings.CutPrefix(g, "@")
	if !ok {
		v.errorf("the guard %q does not begin with @", g)
		return
	}
	v.predicate(strings.TrimPrefix(name, "!"))
}
