package cdecl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Pos is a place in the input. Lines and columns count from 1, columns in
// bytes. The zero Pos is unknown.
type Pos struct {
	File      string
	Line, Col int
}

// Valid reports whether p is known.
func (p Pos) Valid() bool { return p.Line > 0 }

func (p Pos) String() string {
	if !p.Valid() {
		return "-"
	}
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col)
}

// A Code classifies an [Error].
type Code string

const (
	Syntax      Code = "BadDeclaration"  // not a declaration this package can read
	Undeclared  Code = "UndeclaredName"  // a name that nothing declares
	Redefined   Code = "RedefinedName"   // two definitions of one name
	Constant    Code = "NotConstant"     // not a constant, or one out of range
	BadType     Code = "BadType"         // a type that does not exist or has no layout
	Assert      Code = "FailedAssertion" // a static assertion that does not hold
	Unsupported Code = "UnsupportedC"    // C++ beyond what is read: templates, virtual functions
	Directive   Code = "BadDirective"    // a preprocessor directive
	Ignored     Code = "NoEffect"        // a warning: something without effect
	NonTrivial  Code = "NotTrivial"      // a warning: a record that is not copied as bytes
)

// An Error is a complaint or a remark about the input.
type Error struct {
	Pos  Pos
	Code Code
	Msg  string
}

func (e *Error) Error() string {
	return e.Pos.String() + ": " + e.Msg + " [" + string(e.Code) + "]"
}

// Confined reports whether the error concerns nothing but the declaration that it
// is in, and what needs that: who asked for something else, and got it, can do
// without. A name that is not known is of this kind, as CUDA's libraries have
// types by the hundred, and so is C++ that is not read.
func (e *Error) Confined() bool { return e.Code == Unsupported || e.Code == Undeclared }

// An ErrorList is any number of complaints. Its zero value is none.
type ErrorList []*Error

func (l ErrorList) Error() string {
	var b strings.Builder
	for i, e := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

func (l ErrorList) err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// maxErrors bounds what one input can produce.
const maxErrors = 1000

func (l *ErrorList) add(pos Pos, code Code, format string, args ...any) {
	if len(*l) < maxErrors {
		*l = append(*l, &Error{Pos: pos, Code: code, Msg: fmt.Sprintf(format, args...)})
	}
}

// sort orders by position within runs of one file, and drops repetitions. The
// order of files is that of their first complaint.
func (l *ErrorList) sort() {
	order := map[string]int{}
	for _, e := range *l {
		if _, ok := order[e.Pos.File]; !ok {
			order[e.Pos.File] = len(order)
		}
	}
	slices.SortStableFunc(*l, func(a, b *Error) int {
		if d := order[a.Pos.File] - order[b.Pos.File]; d != 0 {
			return d
		}
		if d := a.Pos.Line - b.Pos.Line; d != 0 {
			return d
		}
		return a.Pos.Col - b.Pos.Col
	})
	*l = slices.CompactFunc(*l, func(a, b *Error) bool { return *a == *b })
}
