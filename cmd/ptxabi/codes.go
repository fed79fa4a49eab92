package main

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/ruletext"
	"github.com/ptxabi/ptxabi/ptx"
)

// A code is a code with its rule, and what stands above its example.
type code struct {
	check.Rule
	head string
	link bool // of files that are linked, or of messages about no place
}

// otherCodes are those of codes.txt.
var otherCodes = readCodes(codesText)

//go:embed codes.txt
var codesText string

func readCodes(text string) (list []code) {
	for _, e := range ruletext.Parse(text) {
		c := code{head: e.Head, Rule: check.Rule{Code: diag.Code(e.Codes[0]), When: e.When, Fix: e.Fix, Source: e.Source}}
		kind, link := strings.CutPrefix(e.Kind, "link ")
		c.Severity, _ = diag.ParseSeverity(kind)
		c.link = link
		if len(e.Files) == 1 {
			c.Example = e.Files[0]
		} else {
			for _, file := range e.Files {
				c.Modules = append(c.Modules, file+"\n")
			}
		}
		list = append(list, c)
	}
	return list
}

// explanationOf returns the rules of a code, more than one where the words of
// some are used of PTX and of declarations. It is nil if there is no such code.
func explanationOf(name string) []code {
	var list []code
	if x, ok := check.Explain(diag.Code(name)); ok {
		list = append(list, code{Rule: x, head: headOf(x)})
	}
	for _, c := range otherCodes {
		if string(c.Code) == name {
			list = append(list, c)
		}
	}
	return list
}

func headOf(x check.Rule) string {
	switch {
	case len(x.Modules) > 0:
		return "Example, modules for \"ptxabi check -link\":"
	case x.Compile:
		return "Example, for \"ptxabi check -c\":"
	}
	return "Example:"
}

// explained returns all codes that explain knows, those of package check first.
func explained() []string {
	names := make([]string, 0, len(otherCodes))
	for _, c := range append(check.Codes(), ptx.BadSyntax) {
		names = append(names, string(c))
	}
	for _, c := range otherCodes {
		if !slices.Contains(names, string(c.Code)) {
			names = append(names, string(c.Code))
		}
	}
	return names
}
