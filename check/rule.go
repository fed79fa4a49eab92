package check

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Rule is the meaning of a code: when it occurs, how to fix it, its source, and an
// example that has it. The zero Rule is that of no code.
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
	Fix      string        // what to do about it
	Source   string        // the section of a document, or the assemblers that it was measured with
	Example  string        // a module; "" if Modules is set
	Compile  bool          // the example is meant for -c: [Options].Compile
	Modules  []string      // the modules of an example for [Link]; nil if Example is set
	Also     []diag.Code   // other codes of the example; nil for none
}

// ruleGroups are all rules of this package in the order of [Codes]. They stand
// in the files rules_*.go, each table below the constants that it explains.
var ruleGroups = [...][]Rule{formalRules, moduleRules, callRules, accessRules, placeRules, linkRules}

// badSyntaxRule explains the code that package ptx declares.
var badSyntaxRule = Rule{
	Code:     ptx.BadSyntax,
	Severity: diag.Error,
	When:     "BadSyntax occurs when the text is not PTX.",
	Fix:      "The message says what was found and what was expected.",
	Source:   `PTX ISA, "Syntax".`,
	Example:  ".func f( { ret; }",
}

// Explain returns the rule of a code of this package or of [ptx.BadSyntax]. For other
// codes it returns the zero Rule and false. The caller owns the result.
func Explain(code diag.Code) (Rule, bool) {
	if code == ptx.BadSyntax {
		return badSyntaxRule, true
	}
	for _, rules := range ruleGroups {
		for i := range rules {
			if rules[i].Code == code {
				r := rules[i]
				r.Modules = slices.Clone(r.Modules)
				r.Also = slices.Clone(r.Also)
				return r, true
			}
		}
	}
	return Rule{}, false
}

// Codes returns the codes of this package in the order of their declaration.
// The caller owns the result.
func Codes() []diag.Code {
	var codes []diag.Code
	for _, rules := range ruleGroups {
		for i := range rules {
			codes = append(codes, rules[i].Code)
		}
	}
	return codes
}
