package follow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
	"github.com/ptxabi/ptxabi/sass"
)

// annotation begins the comment after a machine instruction that says which instruction
// of the source it is: "ptx: add.s32 R4, R5, R6".
const annotation = "ptx: "

// A statement is the instruction of PTX that an instruction of a listing is, or is made of; the zero statement is none.
type statement struct {
	op, args string
	name     string // the opcode without modifiers
	list     []dataflow.Operand
	known    bool // the opcode
}

func statementOf(in *symexec.Instr) (st statement) {
	text := in.Text
	if text == "" {
		text, _ = strings.CutPrefix(in.Note, annotation)
		if text == in.Note {
			return st
		}
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), ";"))
	}
	st.op, st.args = symexec.TextOf(text)
	st.name, _, _ = strings.Cut(st.op, ".")
	st.list, st.known = dataflow.Operands(st.op, ptx.ParseOperands(st.args))
	return st
}

// align finds the statement of the source that each instruction of a listing is: those with
// the same opcode and operands of the same kinds, in the order of both. Moves, accesses to
// parameters and labels are not aligned.
func (a *allocation) align() {
	var theirs, ours []int // indices
	var t, o []string
	add := func(list *[]int, keys *[]string, i int, key string) {
		if key != "" {
			*list, *keys = append(*list, i), append(*keys, key)
		}
	}
	textual := false
	for i := range a.p.l.Instrs {
		textual = textual || strings.HasPrefix(a.p.ptx[i].name, "br")
	}
	for i := range a.p.l.Instrs {
		add(&theirs, &t, i, a.listingKey(i, textual))
	}
	for i, st := range a.fn.Func.Body {
		add(&ours, &o, i, a.sourceKey(i, st))
	}
	a.ofInstr, a.ofStmt = make([]int, len(a.p.l.Instrs)), make([]int, len(a.fn.Func.Body))
	for i := range a.ofInstr {
		a.ofInstr[i] = -1
	}
	for i := range a.ofStmt {
		a.ofStmt[i] = -1
	}
	pairs, ok := common(t, o)
	if !ok {
		a.p.fail("the listing has too little in common with the source")
		return
	}
	for _, pr := range pairs {
		a.ofInstr[theirs[pr[0]]], a.ofStmt[ours[pr[1]]] = ours[pr[1]], theirs[pr[0]]
	}
	a.labels()
}

// flowKey returns the key of an instruction that changes the flow of control; "" for another one.
func flowKey(name string) string {
	switch name {
	case "bra", "brx":
		return name
	case "ret", "exit":
		return "end"
	}
	return ""
}

// sourceKey returns what statement i has in common with the instruction that it becomes, ""
// for none.
func (a *allocation) sourceKey(i int, st ptx.Stmt) string {
	switch st := st.(type) {
	case *ptx.Call:
		return "call"
	case *ptx.Instr:
		name, _, _ := strings.Cut(st.Op, ".")
		if key := flowKey(name); key != "" || name == "mov" {
			return key
		}
		guard := ""
		if st.Guard != nil {
			guard = "@"
			if st.Guard.Neg {
				guard = "@!"
			}
		}
		list, _ := dataflow.Operands(st.Op, ptx.ParseOperands(string(ptx.AppendTokens(nil, st.Args))))
		return guard + shape(st.Op, list, func(n operandName) bool { return len(a.registers(i, n)) > 0 })
	}
	return ""
}

// listingKey is sourceKey of an instruction of the listing. Where no branch of it is
// text, those of the machine are the source's.
func (a *allocation) listingKey(i int, textual bool) string {
	in, st := &a.p.l.Instrs[i], &a.p.ptx[i]
	switch key := flowKey(st.name); {
	case key != "" || st.name == "mov":
		return key
	case st.name != "":
	case isCall(in.Name):
		if len(in.Args) > 0 && in.Args[0].Kind == sass.KindSymbol && a.p.isHelper(in.Args[0].Name) {
			return ""
		}
		return "call"
	case in.Name == "RET" || in.Name == "EXIT":
		return "end"
	case (in.Name == "BRA" || in.Name == "BRX") && !textual:
		return strings.ToLower(in.Name)
	default:
		return ""
	}
	guard := ""
	if pred, neg := guardOf(in); pred != "" {
		guard = "@"
		if neg {
			guard = "@!"
		}
	}
	return guard + shape(st.op, st.list, func(n operandName) bool { return a.isRegister(n.Text) })
}

// isRegister reports whether a name in the text of a listing is a register: one of the
// machine, or one of the source that has no home.
func (a *allocation) isRegister(name string) bool {
	if _, ok := symexec.MachineRegister(name); ok || name == "RZ" || name == "PT" {
		return true
	}
	if len(name) == 2 && name[0] == 'P' && name[1] >= '0' && name[1] <= '6' {
		return true
	}
	if is, ok := a.names[name]; ok {
		return is
	}
	i := strings.LastIndexByte(name, '$') // one of several of a name, as package lower writes it
	return i > 0 && a.names[name[:i]]
}

// shape writes an instruction with % for registers that stand side by side, which may be a vector, & for each
// other name, and numbers by their value.
func shape(op string, list []dataflow.Operand, isRegister func(n operandName) bool) string {
	var b strings.Builder
	b.WriteString(op)
	for i := range list {
		b.WriteByte(' ')
		if list[i].Kind == ptx.KindAddress {
			b.WriteByte('[')
		}
		if c, ok := ptx.ParseConstant(list[i].Text); ok {
			b.WriteString(strconv.FormatUint(c.Bits, 16))
			continue
		}
		before := false
		for _, n := range namesOf([]ptx.Operand{*list[i].Operand}) {
			is := isRegister(n)
			switch {
			case is && before:
			case is:
				b.WriteByte('%')
			case n.Text[0] == '%':
				b.WriteString(n.Text)
			case n.Text == "_":
				b.WriteByte('_')
			default:
				b.WriteByte('&')
			}
			before = is
		}
	}
	return b.String()
}

// mostEdits bounds how much two texts may differ that are aligned.
const mostEdits = 3000

// common returns a longest common subsequence of two lists, as pairs of indices (Myers,
// Algorithmica 1, 1986).
func common(a, b []string) (pairs [][2]int, ok bool) {
	first := 0
	for first < len(a) && first < len(b) && a[first] == b[first] {
		pairs = append(pairs, [2]int{first, first})
		first++
	}
	a, b = a[first:], b[first:]
	n, m := len(a), len(b)
	limit := min(n+m, mostEdits)
	at := make([]int32, 2*limit+3) // how far diagonal k-limit-1 goes
	var trace [][]int32
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int32(nil), at[limit-d:limit+d+3]...)) // diagonals -d-1 to d+1
		for k := -d; k <= d; k += 2 {
			c := k + limit + 1
			x := int(at[c-1]) + 1
			if k == -d || k != d && at[c-1] < at[c+1] {
				x = int(at[c+1])
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x, y = x+1, y+1
			}
			at[c] = int32(x)
			if x >= n && y >= m {
				return append(pairs, back(trace, n, m, first)...), true
			}
		}
	}
	return nil, false
}

// back follows the steps of common backwards.
func back(trace [][]int32, x, y, first int) [][2]int {
	var pairs [][2]int
	for d := len(trace) - 1; d >= 0; d-- {
		was := func(k int) int { return int(trace[d][k+d+1]) }
		k, px, py := x-y, 0, 0
		if d > 0 {
			from := k - 1
			if k == -d || k != d && was(k-1) < was(k+1) {
				from = k + 1
			}
			px = was(from)
			py = px - from
		}
		for x > px && y > py {
			x, y = x-1, y-1
			pairs = append(pairs, [2]int{first + x, first + y})
		}
		x, y = px, py
	}
	slices.Reverse(pairs)
	return pairs
}

// labels finds where the labels of the source are in the listing: at the targets of the
// jumps.
func (a *allocation) labels() {
	next := make([]int, len(a.fn.Func.Body)+1) // the first instruction from a statement on
	next[len(a.fn.Func.Body)] = len(a.fn.Func.Body)
	for i := len(a.fn.Func.Body) - 1; i >= 0; i-- {
		if next[i] = i; instrOf(a.fn.Func.Body[i]) == nil {
			next[i] = next[i+1]
		}
	}
	bind := func(label string, at int32) {
		to, ok := a.p.l.Labels[label]
		if !ok {
			return
		}
		if have, ok := a.labelAt[to]; ok && have != int(at) {
			// Labels that stand side by side are one place.
			a.labelAt[to] = min(have, int(at))
			if i := next[a.labelAt[to]]; i < max(have, int(at)) {
				a.p.fail("%s is two labels of the source, in line %d and after it", label, instrOf(a.fn.Func.Body[i]).Pos.Line)
			}
			return
		}
		a.labelAt[to] = int(at)
	}
	type lists struct {
		listing *string
		source  *int32
	}
	bound := make(map[lists]bool) // several jumps may go through one list
	for i, j := range a.ofInstr {
		if j < 0 {
			continue
		}
		targets := a.fn.Targets(j)
		list := a.jumpLabels(i)
		if len(list) == len(targets) && len(list) > 0 && !bound[lists{&list[0], &targets[0]}] {
			bound[lists{&list[0], &targets[0]}] = true
			for k, label := range list {
				bind(label, targets[k])
			}
		}
	}
}

// jumpLabels returns the labels that a jump of the listing names.
func (a *allocation) jumpLabels(i int) []string {
	in, st := &a.p.l.Instrs[i], &a.p.ptx[i]
	first, list, through := strings.Cut(st.args, ",")
	switch n := len(in.Args); {
	case strings.HasPrefix(st.op, "brx"), through:
		return a.p.l.Lists[strings.TrimSpace(list)]
	case strings.HasPrefix(st.op, "bra"):
		return []string{strings.TrimSpace(first)}
	case st.name == "" && in.Name == "BRA" && n > 0 && in.Args[n-1].Kind == sass.KindSymbol:
		return []string{in.Args[n-1].Name}
	}
	return nil
}

// An operandName is a name among operands, which may be a register.
type operandName struct {
	Text string // without the element: "%v1"
	Elem byte   // 'x', 'y', 'z' or 'w' of an element of a vector register; 0 for the whole
}

// namesOf returns the names in operands in their order: "{%v1.x, foo}" has %v1 with element x, and foo.
func namesOf(operands []ptx.Operand) (list []operandName) {
	for n := range ptx.Names(operands) {
		list = append(list, operandName{n.Name(), n.Elem})
	}
	return list
}
