package check

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/ruletext"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Rule is the meaning of a code: when it occurs, how to fix it, its source, and an
// example that causes it. The zero Rule is no rule.
//
// An example has its code with the severity of the rule, and no other codes than those of
// Also. If its text has no .version, the example begins with
//
//	.version 8.3
//	.target sm_90
//	.address_size 64
type Rule struct {
	Code     diag.Code     // an adjective and a noun; it never changes
	Severity diag.Severity // of its diagnostics; When has the exceptions
	When     string        // sentences; the first begins with the code and "occurs when"
	Fix      string        // how to fix it
	Source   string        // the section of a document, or the assemblers with which it was measured
	Example  string        // a module; "" if Modules is set
	Compile  bool          // the example is meant for -c: [Options].Compile
	Modules  []string      // the modules of an example for [Link]; nil if Example is set
	Also     []diag.Code   // other codes of the example; nil for none
}

// rules returns the rules of rules.txt, in the order of [Codes]; the last is the rule for [ptx.BadSyntax].
var rules = sync.OnceValue(func() (list []Rule) {
	for _, e := range ruletext.Parse(rulesText) {
		r := Rule{Code: diag.Code(e.Codes[0]), When: e.When, Fix: e.Fix, Source: e.Source, Compile: e.Head == "Example, for -c:"}
		r.Severity, _ = diag.ParseSeverity(e.Kind)
		for _, also := range e.Codes[1:] {
			r.Also = append(r.Also, diag.Code(also))
		}
		if e.Head == "Example, modules that are linked:" {
			for _, m := range e.Files {
				r.Modules = append(r.Modules, m+"\n")
			}
		} else {
			r.Example = e.Files[0]
		}
		list = append(list, r)
	}
	return list
})

//go:embed rules.txt
var rulesText string

// Explain returns the rule of a code of this package or of [ptx.BadSyntax]. For other
// codes it returns the zero Rule and false. The caller owns the result.
func Explain(code diag.Code) (Rule, bool) {
	for _, r := range rules() {
		if r.Code == code {
			r.Modules = slices.Clone(r.Modules)
			r.Also = slices.Clone(r.Also)
			return r, true
		}
	}
	return Rule{}, false
}

// Codes returns the codes of this package in the order of their declaration.
// The caller owns the result.
func Codes() []diag.Code {
	var codes []diag.Code
	for _, r := range rules() {
		if r.Code != ptx.BadSyntax {
			codes = append(codes, r.Code)
		}
	}
	return codes
}
