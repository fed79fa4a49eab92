// Package adapt writes shims: functions of PTX that are called by one convention and
// call by another. Compilers do not agree on how a struct, a complex number or a result
// travels; a shim between two of them moves the bytes of each value from where the caller
// puts it to where the callee looks for it.
//
// A [Shim] is the two declarations and a list of moves. It is made of two declarations in
// PTX with a mapping ([FromMapping]) or without one ([ByPosition]), or of one prototype in
// C and two producers ([FromPrototype]). [Shim.Text] writes it. The package does no I/O.
package adapt

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// Code is that of what cannot be adapted.
const Code diag.Code = "CannotAdapt"

// A Side is one of the two parties of a call.
type Side uint8

// The sides.
const (
	Caller Side = iota
	Callee
)

// String returns "caller" or "callee".
func (s Side) String() string {
	if s == Callee {
		return "callee"
	}
	return "caller"
}

// ResultFormal is the index of a function's result in a [Place].
const ResultFormal = -1

// A Place is a range of bytes: of a formal, or of the memory at the address that the
// formal holds.
type Place struct {
	Side   Side
	Formal int   // the index of a parameter, or [ResultFormal]
	Deref  bool  // the bytes are at the address in the formal
	Off    int64 // bytes from the start of the formal or of the memory
	Size   int64 // bytes, at least 1
	// Align is what the address is a multiple of; 0 and 1 for nothing. Without Deref it
	// has no meaning.
	Align int64
}

// A Move copies bytes from one side to the other. Where To has more bytes than From, it is
// filled with the sign or with zeros.
type Move struct {
	From Place
	To   Place
	// Const is what To gets, instead of From, where IsConst is set.
	Const   uint64
	IsConst bool
	// Signed says how a smaller From fills To: with copies of its top bit, or with zeros.
	Signed bool
	What   string // what is moved, for the comment in the text; may be empty

	file string   // of the mapping that says so
	pos  diag.Pos // in it
}

// A Shim is a function that is called as Caller says and calls Callee.
type Shim struct {
	Name   string    // of the shim
	Caller *ptx.Func // the caller's view; its name does not count
	Callee *ptx.Func
	Moves  []Move
	// Memory is, for parameters of Callee that are addresses of memory that the shim
	// has, what that memory is, by their index. There is none where no move needs it.
	Memory map[int]Memory
	// Padding says that bytes of formals which no move reaches mean nothing: they become
	// zeros. Otherwise they are an error.
	Padding bool
	// Dropped are formals that are left out on purpose: parameters of Caller, the result
	// of Callee.
	Dropped map[Place]bool
	// Trap says that a result of Callee that is dropped is a status of numba, and that
	// the shim traps where it is an error.
	Trap bool
	// Head are lines for the comment at the beginning.
	Head  []string
	Notes diag.List
}

// Memory is what a shim passes the address of.
type Memory struct {
	Size, Align int64 // bytes
}

// maxMoved bounds the bytes that a shim moves.
const maxMoved = 1 << 14

// ownAlign is the alignment of memory of the shim of which nothing is said.
const ownAlign = 16

// maxAligned is the largest alignment that ptxas takes for formals of functions.
const maxAligned = 128

// side returns the declaration of a side.
func (s *Shim) side(side Side) *ptx.Func {
	if side == Callee {
		return s.Callee
	}
	return s.Caller
}

// formals returns the parameters of a function, and its results, each with its index.
func formals(f *ptx.Func) iter.Seq2[int, *ptx.Formal] {
	return func(yield func(int, *ptx.Formal) bool) {
		for i := range f.Params {
			if !yield(i, &f.Params[i]) {
				return
			}
		}
		for i := range f.Results {
			if !yield(ResultFormal, &f.Results[i]) {
				return
			}
		}
	}
}

// formal returns the formal that a place is in or goes through; nil where there is none.
func (s *Shim) formal(p Place) *ptx.Formal {
	switch f := s.side(p.Side); {
	case p.Formal == ResultFormal && len(f.Results) == 1:
		return &f.Results[0]
	case p.Formal >= 0 && p.Formal < len(f.Params):
		return &f.Params[p.Formal]
	}
	return nil
}

// sizeOf returns the bytes of a formal.
func sizeOf(f *ptx.Formal) int64 { return int64(f.Size()) }

// alignOf returns the alignment of a formal in bytes.
func alignOf(f *ptx.Formal) int64 { return int64(f.Spec.Alignment()) }

// String returns the place as a mapping writes it: "*caller.x[0:4]".
func (s *Shim) place(p Place) string {
	var b strings.Builder
	if p.Deref {
		b.WriteByte('*')
	}
	b.WriteString(p.Side.String() + "." + s.nameOf(p))
	if f := s.formal(p); p.Deref || f == nil || p.Off != 0 || p.Size != sizeOf(f) {
		fmt.Fprintf(&b, "[%d:%d]", p.Off, p.Off+p.Size)
	}
	return b.String()
}

// nameOf returns the name of a formal: its own or, where it has none, its index.
func (s *Shim) nameOf(p Place) string {
	if p.Formal == ResultFormal {
		return "result"
	}
	if f := s.formal(p); f != nil && f.Name != "" && f.Name != "_" {
		return f.Name
	}
	return strconv.Itoa(p.Formal)
}

// out reports whether m is done after the call.
func (m *Move) out() bool { return m.To.Side == Caller }

// errs collects what is wrong.
type errs struct {
	file string
	list diag.List
}

func (e *errs) add(pos diag.Pos, format string, args ...any) {
	e.list.Add(&diag.Diagnostic{File: e.file, Pos: pos, Severity: diag.Error, Code: Code, Msg: fmt.Sprintf(format, args...)})
}

// move adds what is wrong with a move, where it is written.
func (e *errs) move(m *Move, format string, args ...any) {
	e.list.Add(&diag.Diagnostic{File: m.file, Pos: m.pos, Severity: diag.Error, Code: Code, Msg: fmt.Sprintf(format, args...)})
}

// check reports what makes s impossible: what lies beyond its formal, overlaps, or is
// missing.
func (s *Shim) check() diag.List {
	e := errs{}
	for _, step := range []func(*errs){s.checkDeclarations, s.checkMoves, s.checkCover} {
		if len(e.list) == 0 {
			step(&e)
		}
	}
	return e.list
}

// checkDeclarations is about the two declarations.
func (s *Shim) checkDeclarations(e *errs) {
	for _, side := range []Side{Caller, Callee} {
		f := s.side(side)
		switch {
		case f.Entry:
			e.add(f.Pos, "%s: %s is a kernel; a shim is between functions", side, f.Name)
		case len(f.Results) > 1:
			e.add(f.Pos, "%s: %s has %d results; PTX passes one", side, f.Name, len(f.Results))
		}
		for _, d := range f.Directives {
			if d.Name != ".noreturn" {
				e.add(d.Pos, "%s: %s has %s, which a shim does not keep; declare it without", side, f.Name, d.Name)
			}
		}
		for _, p := range formals(f) {
			switch {
			case p.Space != ptx.ParamSpace:
				e.add(p.Pos, "%s: %s of %s is no .param; functions for separate linking have no others", side, p.Name, f.Name)
			case p.Vec != 0, p.Type.Size() == 0, p.Type == ptx.Pred:
				e.add(p.Pos, "%s: the type of %s of %s is not adapted; declare a scalar, or an array of .b8", side, p.Name, f.Name)
			case len(p.Dims) > 0 && sizeOf(p) == 0:
				e.add(p.Pos, "%s: %s of %s has no extent, as variable arguments and records without bytes: how many bytes a call passes is not known; give it the extent of this call, or pass an address", side, p.Name, f.Name)
			case alignOf(p) > maxAligned:
				e.add(p.Pos, "%s: %s of %s is aligned to %d bytes, and the assembler takes %d for functions: pass its address", side, p.Name, f.Name, alignOf(p), maxAligned)
			case sizeOf(p) > maxMoved:
				e.add(p.Pos, "%s: %s of %s has %d bytes; a shim moves up to %d", side, p.Name, f.Name, sizeOf(p), maxMoved)
			}
		}
	}
	if s.Caller.Directive(".noreturn") != nil && s.Callee.Directive(".noreturn") == nil {
		e.add(s.Caller.Pos, "caller: %s is .noreturn, and %s returns; declare it without", s.Caller.Name, s.Callee.Name)
	}
}

// checkMoves is about each move by itself.
func (s *Shim) checkMoves(e *errs) {
	within := func(m *Move, p Place) bool {
		f := s.formal(p)
		switch {
		case f == nil:
			e.move(m, "%s: the %s has no such formal", s.place(p), p.Side)
		case p.Off < 0 || p.Size < 1 || p.Size > maxMoved || p.Off > maxMoved:
			e.move(m, "%s: no range of bytes", s.place(p))
		case p.Deref && (p.Formal == ResultFormal || sizeOf(f) != 8 || len(f.Dims) > 0):
			e.move(m, "%s: %s is not an address, which is a parameter of 64 bits", s.place(p), s.nameOf(p))
		case !p.Deref && p.Off+p.Size > sizeOf(f):
			e.move(m, "%s: %s has %d bytes", s.place(p), s.nameOf(p), sizeOf(f))
		default:
			return true
		}
		return false
	}
	for i := range s.Moves {
		m := &s.Moves[i]
		if !within(m, m.To) || !m.IsConst && !within(m, m.From) {
			continue
		}
		switch {
		case !m.IsConst && m.From.Side == m.To.Side:
			e.move(m, "%s -> %s: both are the %s's", s.place(m.From), s.place(m.To), m.To.Side)
		case !m.IsConst && !m.out() && m.From.Formal == ResultFormal, m.out() && !m.To.Deref && m.To.Formal != ResultFormal,
			!m.out() && m.To.Formal == ResultFormal, m.out() && !m.IsConst && m.From.Formal != ResultFormal && !m.From.Deref:
			e.move(m, "%s: values go from the caller's parameters to the callee's, and from the callee's result or memory to the caller's", s.describe(m))
		case m.IsConst && m.To.Size > 8:
			e.move(m, "%s: a constant has up to 8 bytes, this place has %d", s.place(m.To), m.To.Size)
		case !m.IsConst && m.From.Size != m.To.Size && (m.From.Size > m.To.Size || m.From.Size > 4 || m.From.Size == 3 || m.To.Size != 4 && m.To.Size != 8 && m.To.Size != 2):
			e.move(m, "%s: %d bytes into %d; write the bytes that are meant, such as x[0:4], or x:s8 for a value that is extended", s.describe(m), m.From.Size, m.To.Size)
		}
	}
}

// describe returns a move as a mapping writes it.
func (s *Shim) describe(m *Move) string {
	from := strconv.FormatUint(m.Const, 10)
	if !m.IsConst {
		from = s.place(m.From)
	}
	return from + " -> " + s.place(m.To)
}
