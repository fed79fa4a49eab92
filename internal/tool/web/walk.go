package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// What is walked through of a module that has more.
const (
	maxCalls = 40
	maxSteps = 200 // of one call
)

// A Call is a call site, with what its code does for the convention, in the order
// of the code.
type Call struct {
	Caller string `json:"caller"`
	Callee string `json:"callee"`
	Line   int    `json:"line"` // of the source, from 1
	// Stack is how many bytes of arguments lie on the stack, from the stack pointer
	// at the call. Frames are in bytes, and Frame is the caller's; -1 where it is
	// not known, as a body that the module does not have.
	Stack       int `json:"stack"`
	Frame       int `json:"frame"`
	CalleeFrame int `json:"calleeFrame"`
	// CalleeAligned says that the callee aligns its frame, which then begins somewhat lower.
	CalleeAligned bool     `json:"calleeAligned"`
	Memory        []Region `json:"memory"` // both frames, from the lowest byte up
	Steps         []Step   `json:"steps"`
}

// A Step is an instruction that moves bytes of a value, or hands control over.
type Step struct {
	Line int    `json:"line"` // of the listing, from 0
	Who  string `json:"who"`  // "caller" or "callee"
	// Kind is "pass", "address", "link", "call", "frame", "save", "read", "write", "restore", "return" or "take".
	Kind string `json:"kind"`
	// ID and Name are those of the value as the callee declares it, and First to End
	// its bytes; "" and 0 where none move.
	ID    string `json:"id"`
	Name  string `json:"name"`
	First int    `json:"first"`
	End   int    `json:"end"`
	// Cells are the places of the convention: "R6"; "S8", the four bytes of the
	// stack from 8 above the stack pointer at the call; "F-8", those of the callee's
	// frame from 8 below it; "M8", those of the result in memory. Other is the operand
	// at the other side.
	Cells []string `json:"cells"`
	Other string   `json:"other"`
	// SP is where the stack pointer is after the step, in bytes from where it is at the
	// call.
	SP   int    `json:"sp"`
	Text string `json:"text"`
}

// A listed is a function of a program and where it begins in the listing.
type listed struct {
	*sass.Func
	first int
}

// walks finds the calls of a program whose callees are drawn.
func (a *answer) walks(p *sass.Program, n *names) {
	funcs := map[string]listed{}
	at := 0
	for _, f := range p.Funcs {
		funcs[f.Name] = listed{f, at + headLines}
		at += strings.Count(strings.TrimSuffix(f.String(), "\n"), "\n") + 1
	}
	for _, f := range p.Funcs {
		begin := 0
		for i := range f.Items {
			it := &f.Items[i]
			if it.Kind != sass.Code || !isCall(&it.Instr) {
				continue
			}
			pos := diag.Pos{Line: it.Instr.Pos.Line, Col: it.Instr.Pos.Col}
			if callee, ok := n.callee[pos]; ok {
				if len(a.res.Calls) == maxCalls {
					a.note("the first %d calls can be stepped through; a function can be chosen by its name", maxCalls)
					return
				}
				w := &walk{names: n, pos: pos, callee: &n.drawn[callee], index: callee, result: -1}
				w.call = Call{Caller: f.Name, Callee: w.callee.Name, Line: int(pos.Line), Stack: w.callee.Places.StackBytes, Frame: frameOf(f.Items).size, CalleeFrame: -1}
				w.site(funcs[f.Name], begin, i)
				w.body(funcs[w.callee.Name])
				w.after(funcs[f.Name], i+1)
				w.memory(f.Items, itemsOf(funcs[w.callee.Name]))
				if len(w.call.Steps) > maxSteps {
					a.note("of the call of %s in line %d, the first %d steps are shown", w.callee.Name, pos.Line, maxSteps)
					w.call.Steps = w.call.Steps[:maxSteps]
				}
				a.res.Calls = append(a.res.Calls, w.call)
				for _, s := range w.call.Steps {
					if s.ID != "" && s.Line < len(a.res.Listing.Lines) && len(a.res.Listing.Lines[s.Line].IDs) == 0 {
						a.res.Listing.Lines[s.Line].IDs = []string{s.ID}
					}
				}
			}
			begin = i + 1
		}
	}
}

// isCall reports whether an instruction calls: CALL.ABS, JCAL, CAL.
func isCall(in *sass.Instr) bool { return in.Text == "" && strings.Contains(in.Op, "CAL") }

// itemsOf are the items of a function, none of one that the program does not have.
func itemsOf(f listed) []sass.Item {
	if f.Func == nil {
		return nil
	}
	return f.Items
}

// A walk is a call in the making.
type walk struct {
	names  *names
	pos    diag.Pos
	callee *resolve.Assigned
	index  int
	call   Call
	sp     int // where the stack pointer is, from where it is at the call
	result int // where the caller has the result in its frame; -1: it has none there
}

func (w *walk) add(s Step) {
	s.SP = w.sp
	w.call.Steps = append(w.call.Steps, s)
}

// site has the steps up to the call: what the caller puts into registers, where the
// instruction is the call's own, and into the argument area of its stack.
func (w *walk) site(f listed, begin, call int) {
	for i := begin; i <= call; i++ {
		it := &f.Items[i]
		in := &it.Instr
		if it.Kind != sass.Code || in.Text != "" {
			continue
		}
		own := in.Pos.Line == w.pos.Line && in.Pos.Col == w.pos.Col
		s := Step{Line: f.first + i, Who: "caller", Cells: []string{}}
		switch {
		case i == call:
			s.Kind, s.Text = "call", fmt.Sprintf("%s calls %s", f.Name, w.callee.Name)
		case own && len(in.Args) > 1 && (in.Args[1].Kind == sass.KindLo32 || in.Args[1].Kind == sass.KindHi32):
			half := map[bool]string{true: "lower", false: "upper"}[in.Args[1].Kind == sass.KindLo32]
			s.Kind, s.Cells, s.Other = "link", []string{in.Args[0].String()}, "return address"
			s.Text = fmt.Sprintf("%s gets the %s half of the return address", in.Args[0], half)
		case own && it.Step.Kind == sass.PassesSret:
			s.Kind, s.Other = "address", "address of the result"
			s.ID = fmt.Sprintf("f%d.h", w.index)
			s.Name, s.Cells = "&"+w.callee.Results[0].Name, []string{in.Args[0].String()}
			s.End = 4
			if at, ok := fromSP(in); ok {
				w.result = at
			}
			s.Text = fmt.Sprintf("%s gets the address at which the callee writes %s", in.Args[0], w.callee.Results[0].Name)
		default:
			if !own && !(strings.HasPrefix(in.Op, "STL") && len(in.Args) > 1 && in.Args[0].Kind == sass.KindMem && in.Args[0].Reg == sass.SP) {
				continue
			}
			if !w.moved(&s, it, 'p', 1) || !own && s.Cells[0][0] != 'S' {
				continue
			}
			s.Kind = "pass"
			s.Text = fmt.Sprintf("%s: %s to %s", bytesOf(&s), s.Other, w.where(&s))
		}
		w.add(s)
	}
}

// fromSP reports the number that an instruction adds to the stack pointer.
func fromSP(in *sass.Instr) (int, bool) {
	at, of := 0, false
	for _, arg := range in.Args[1:] {
		switch {
		case arg.Kind == sass.KindRegister && arg.Reg == sass.SP:
			of = true
		case arg.Kind == sass.KindImm:
			at = int(arg.Off)
		}
	}
	return at, of
}

// body has the steps of the callee: where it reads its parameters and writes its
// result.
func (w *walk) body(f listed) {
	if f.Func == nil {
		return
	}
	own := frameOf(f.Items)
	w.call.CalleeFrame = own.size
	for i := range f.Items {
		it := &f.Items[i]
		in := &it.Instr
		if it.Kind != sass.Code || in.Text != "" {
			continue
		}
		s := Step{Line: f.first + i, Who: "callee", Cells: []string{}}
		switch {
		case strings.HasPrefix(in.Op, "RET"):
			s.Kind, s.Text = "return", fmt.Sprintf("%s returns", w.callee.Name)
			w.add(s)
			return
		case w.frameStep(&s, it, own):
		case w.moved(&s, it, 'p', 0):
			s.Kind = "read"
			s.Text = fmt.Sprintf("%s: %s to %s", bytesOf(&s), w.where(&s), s.Other)
		case w.moved(&s, it, 'r', 1):
			s.Kind = "write"
			s.Text = fmt.Sprintf("%s: %s to %s", bytesOf(&s), s.Other, w.where(&s))
		default:
			continue
		}
		w.add(s)
	}
}

// after has the steps in which the caller takes the result.
func (w *walk) after(f listed, from int) {
	for i := from; i < len(f.Items); i++ {
		it := &f.Items[i]
		in := &it.Instr
		if it.Kind != sass.Code || in.Text != "" {
			continue
		}
		if isCall(in) {
			return
		}
		s := Step{Line: f.first + i, Who: "caller", Kind: "take", Cells: []string{}}
		if len(in.Args) > 1 && in.Args[0].Kind == sass.KindVirtual && w.moved(&s, it, 'r', 0) {
			s.Text = fmt.Sprintf("%s: %s to %s", bytesOf(&s), w.where(&s), s.Other)
			w.add(s)
		}
	}
}

// moved reports whether an instruction moves bytes of a parameter ('p') or a result
// ('r') of the callee, and says in s which. The operand at the other side is that
// of the number other.
func (w *walk) moved(s *Step, it *sass.Item, letter byte, other int) bool {
	move := &it.Step
	if move.Kind != sass.Moves {
		return false
	}
	id := w.names.calls[w.pos][move.Name]
	if s.Who == "callee" {
		id = w.names.formal(w.callee.Name, move.Name)
	}
	prefix := fmt.Sprintf("f%d.%c", w.index, letter)
	n, err := strconv.Atoi(strings.TrimPrefix(id, prefix))
	if err != nil || !strings.HasPrefix(id, prefix) {
		return false
	}
	formals, places := w.callee.Params, w.callee.Places.Params
	if letter == 'r' {
		formals, places = w.callee.Results, w.callee.Places.Results
	}
	s.ID, s.First, s.End = id, move.First, move.End
	if s.Name = formals[n].Name; s.Name == "" {
		s.Name = move.Name
	}
	s.Cells = cells(places[n], move.First, move.End)
	s.Other = it.Instr.Args[other].String()
	return len(s.Cells) > 0
}

// cells are the places of some bytes of a value, four bytes each.
func cells(p abi.Placement, first, end int) []string {
	list := []string{}
	letter := map[abi.LocKind]string{abi.OnStack: "S", abi.Indirect: "M"}[p.Loc.Kind]
	switch p.Loc.Kind {
	case abi.InReg:
		for _, piece := range p.Pieces() {
			if piece.Off < end && piece.Off+piece.Size > first {
				list = append(list, piece.Loc.String())
			}
		}
	case abi.OnStack, abi.Indirect:
		base := 0
		if p.Loc.Kind == abi.OnStack {
			base = p.Loc.Off
		}
		for at := (base + first) &^ 3; at < base+end; at += 4 {
			list = append(list, fmt.Sprintf("%s%d", letter, at))
		}
	}
	return list
}

// where says in words which places those of a step are.
func (w *walk) where(s *Step) string {
	c := s.Cells[0]
	at, _ := strconv.Atoi(c[1:])
	switch c[0] {
	case 'S':
		return fmt.Sprintf("the stack at %#x", at)
	case 'M':
		return fmt.Sprintf("the result's memory at %#x", at)
	}
	if len(s.Cells) > 1 {
		return c + ":" + s.Cells[len(s.Cells)-1]
	}
	return c
}

func bytesOf(s *Step) string { return fmt.Sprintf("%s[%d:%d]", s.Name, s.First, s.End) }

// A Region is bytes of local memory during a call, in the frame of one of its
// functions.
type Region struct {
	Who string `json:"who"` // "caller" or "callee"
	// Kind is "arguments", "result", "saved", or "rest": variables, registers that are
	// spilled, and padding.
	Kind string `json:"kind"`
	Name string `json:"name"` // of the result, or of what is saved; "" of others
	// From and To are in bytes from the stack pointer at the call: those of the
	// callee's frame are below 0.
	From int `json:"from"`
	To   int `json:"to"`
}

// A made is the frame that a function makes.
type made struct {
	size    int  // 0 for none
	aligned bool // by another instruction, to more than it may rely on
}

// frameOf is the frame of a function, as its prologue makes it.
func frameOf(items []sass.Item) (f made) {
	for i := range items {
		switch s := items[i].Step; s.Kind {
		case sass.MakesFrame:
			f.size = s.Size
		case sass.AlignsFrame:
			f.aligned = true
		}
	}
	return f
}

// regions are what lies in a frame, from its lower end up, which is base from the
// stack pointer at the call. Between those that are given stands the rest.
func regions(who string, base, size int, known []Region) []Region {
	slices.SortFunc(known, func(a, b Region) int { return a.From - b.From })
	out := []Region{}
	at := base
	for _, r := range known {
		if r.From < at || r.To > base+size {
			continue // which is not of this frame
		}
		if r.From > at {
			out = append(out, Region{Who: who, Kind: "rest", From: at, To: r.From})
		}
		out = append(out, r)
		at = r.To
	}
	if at < base+size {
		out = append(out, Region{Who: who, Kind: "rest", From: at, To: base + size})
	}
	return out
}

// saves returns the register that an item saves or restores in the frame, and where, in bytes
// from the stack pointer.
func saves(it *sass.Item) (reg sass.Operand, at, width int) {
	args := it.Instr.Args
	mem, reg := args[0], args[1]
	if it.Step.Kind == sass.Restores {
		mem, reg = reg, mem
	}
	width, _ = isa.AccessSize(it.Instr.Op)
	return reg, int(mem.Off), width
}

// saved are the regions of a function's frame that hold registers.
func saved(who string, items []sass.Item, base int) []Region {
	var out []Region
	for i := range items {
		if items[i].Step.Kind == sass.Saves {
			reg, at, width := saves(&items[i])
			out = append(out, Region{Who: who, Kind: "saved", Name: reg.String(), From: base + at, To: base + at + width})
		}
	}
	return out
}

// memory has the regions of both frames, those of the callee first.
func (w *walk) memory(caller, callee []sass.Item) {
	c := &w.call
	c.Memory = []Region{}
	if f := frameOf(callee); f.size > 0 {
		c.CalleeAligned = f.aligned
		c.Memory = append(c.Memory, regions("callee", -f.size, f.size, saved("callee", callee, -f.size))...)
	}
	known := saved("caller", caller, 0)
	if c.Stack > 0 {
		known = append(known, Region{Who: "caller", Kind: "arguments", From: 0, To: c.Stack})
	}
	if w.result >= 0 {
		known = append(known, Region{Who: "caller", Kind: "result", Name: w.callee.Results[0].Name, From: w.result, To: w.result + w.callee.Places.Results[0].Size})
	}
	c.Memory = append(c.Memory, regions("caller", 0, max(0, c.Frame), known)...)
}

// frameStep is the step of an instruction that makes or leaves the callee's frame,
// or saves or restores a register in it.
func (w *walk) frameStep(s *Step, it *sass.Item, f made) bool {
	switch it.Step.Kind {
	case sass.MakesFrame, sass.LeavesFrame:
		s.Kind, s.Other = "frame", it.Instr.Args[0].String()
		if it.Step.Kind == sass.LeavesFrame {
			w.sp = 0
			s.Text = fmt.Sprintf("%s leaves its frame: %s is what it was at the call", w.callee.Name, s.Other)
			return true
		}
		w.sp = -f.size
		s.Text = fmt.Sprintf("%s makes its frame of %d bytes: %s moves down", w.callee.Name, f.size, s.Other)
		return true
	case sass.Saves, sass.Restores:
	default:
		return false
	}
	reg, at, width := saves(it)
	for b := 0; b < width; b += 4 {
		s.Cells = append(s.Cells, fmt.Sprintf("F%d", at-f.size+b))
	}
	s.Other, s.Name = reg.String(), reg.String()
	s.End = width
	if s.Kind = "save"; it.Step.Kind == sass.Restores {
		s.Kind = "restore"
		s.Text = fmt.Sprintf("%s: restored from [R1+%#x]", reg, at)
		return true
	}
	s.Text = fmt.Sprintf("%s: saved at [R1+%#x]", reg, at)
	return true
}
