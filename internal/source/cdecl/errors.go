package cdecl

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/diag"
)

// A Pos is a position in a file of the input, and where what stands there ends. The
// zero Pos is unknown.
type Pos struct {
	File string
	diag.Pos
	End diag.Pos // after the last byte; zero if only the beginning is known
}

// String returns "file:line:col", or "-" for the unknown position.
func (p Pos) String() string {
	if !p.IsValid() {
		return "-"
	}
	return p.File + ":" + p.Pos.String()
}

// Codes of diagnostics about declarations.
const (
	Syntax      diag.Code = "BadDeclaration"  // not a declaration this package can read
	Undeclared  diag.Code = "UndeclaredName"  // a name that nothing declares
	Redefined   diag.Code = "RedefinedName"   // two definitions of one name
	Constant    diag.Code = "NotConstant"     // not a constant, or one out of range
	BadType     diag.Code = "BadType"         // a type that does not exist or has no layout
	Assert      diag.Code = "FailedAssertion" // a static assertion that does not hold
	Unsupported diag.Code = "UnsupportedC"    // C++ beyond what is read: templates, virtual functions
	Directive   diag.Code = "BadDirective"    // a preprocessor directive
	Ignored     diag.Code = "NoEffect"        // a warning: something without effect
	NonTrivial  diag.Code = "NotTrivial"      // a warning: a record that is not copied as bytes
)

// Confined reports whether diagnostics with a code concern nothing but the declaration
// that they are in, and what needs that: who asked for something else, and got it, can
// do without. A name that is not known is of this kind, as CUDA's libraries have
// types by the hundred, and so is C++ that is not read.
func Confined(code diag.Code) bool { return code == Unsupported || code == Undeclared }

// New returns a diagnostic about what stands at a position.
func New(pos Pos, severity diag.Severity, code diag.Code, format string, args ...any) *diag.Diagnostic {
	return &diag.Diagnostic{File: pos.File, Pos: pos.Pos, End: pos.End, Severity: severity, Code: code, Msg: fmt.Sprintf(format, args...)}
}

// posOf returns the position of a diagnostic.
func posOf(d *diag.Diagnostic) Pos { return Pos{d.File, d.Pos, d.End} }

// findings are what has been reported so far, as many as one input can produce.
type findings diag.List

// maxFindings bounds that.
const maxFindings = 1000

// add adds an error.
func (l *findings) add(pos Pos, code diag.Code, format string, args ...any) {
	if len(*l) < maxFindings {
		*l = append(*l, New(pos, diag.Error, code, format, args...))
	}
}

// warn adds a warning.
func (l *findings) warn(pos Pos, code diag.Code, format string, args ...any) {
	if len(*l) < maxFindings {
		*l = append(*l, New(pos, diag.Warning, code, format, args...))
	}
}

// sorted returns the findings by position within one file, without repetitions. The
// order of files is that of their first finding.
func (l findings) sorted() diag.List {
	order := map[string]int{}
	for _, d := range l {
		if _, ok := order[d.File]; !ok {
			order[d.File] = len(order)
		}
	}
	slices.SortStableFunc(l, func(a, b *diag.Diagnostic) int {
		return cmp.Or(order[a.File]-order[b.File], cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return diag.List(slices.CompactFunc(l, func(a, b *diag.Diagnostic) bool {
		return a.File == b.File && a.Pos == b.Pos && a.Code == b.Code && a.Msg == b.Msg
	}))
}
