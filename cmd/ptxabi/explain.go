package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/core/ruletext"
	"github.com/ptxabi/ptxabi/ptx"
)

func bindExplain(o *options) action {
	words := slices.Concat(explained(), ruleNames(), targetNames())
	o.Help.Words = words
	return func(e env, rest []string) error {
		if len(rest) == 0 {
			return write(e.stdout, codeTable())
		}
		if len(rest) > 1 {
			return explainAll(e, rest)
		}
		if list := explanationOf(rest[0]); len(list) > 0 {
			var out []byte
			for i, c := range list {
				if i > 0 {
					out = append(out, '\n')
				}
				out = appendExplanation(out, c)
			}
			return write(e.stdout, out)
		}
		for _, r := range abi.Rules() {
			if r.Name == rest[0] {
				return write(e.stdout, []byte(r.Name+" (rule of docs/abi.md)\n\n"+foldLines(r.Text)+"\n"))
			}
		}
		if _, err := archOf(rest[0]); err == nil {
			return command{"targets", bindTargets}.run(e, rest)
		}
		if like := near.DidYouMean(rest[0], words); like != "" {
			return fmt.Errorf("%q is neither a code, a rule nor an architecture%s", rest[0], like)
		}
		return fmt.Errorf(`%q is neither a code, a rule nor an architecture; "ptxabi explain" lists the codes`, rest[0])
	}
}

// explainAll explains one code or architecture after the other, with an empty line between them.
func explainAll(e env, names []string) error {
	worst := 0
	for i, name := range names {
		if i > 0 {
			if err := write(e.stdout, []byte("\n")); err != nil {
				return err
			}
		}
		worst = max(worst, exit(command{"explain", bindExplain}.run(e, []string{"--", name}), e))
	}
	return statusError(worst)
}

// codeTable lists all codes in order, each with its severity and the first sentence of its rule.
func codeTable() []byte {
	var dst []byte
	for _, name := range slices.Sorted(slices.Values(explained())) {
		for _, c := range explanationOf(name) {
			rule, _ := strings.CutPrefix(display.Sentence(c.When), name+" occurs ")
			dst = append(dst, name+" ("+c.Severity.String()+")\n    "...)
			dst = append(dst, strings.Join(display.Wrap(rule, 96), "\n    ")+"\n"...)
		}
	}
	return append(dst, "\nptxabi explain CODE prints the whole rule of one, with an example and its fix.\n"...)
}

// ruleNames are the names of the rules of docs/abi.md.
func ruleNames() (names []string) {
	for _, r := range abi.Rules() {
		names = append(names, r.Name)
	}
	return names
}

// foldLines folds each line of a text.
func foldLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = fold(line)
	}
	return strings.Join(lines, "\n")
}

func fold(text string) string { return strings.Join(display.Wrap(text, 80), "\n") }

// appendExplanation appends rule, example, fix and source of a code.
func appendExplanation(dst []byte, x code) []byte {
	dst = append(dst, string(x.Code)+" ("+x.Severity.String()+")\n\n"+fold(x.When)+"\n\n"...)
	examples := x.Modules
	if len(examples) == 0 {
		examples = []string{x.Example}
	}
	dst = append(dst, x.head+"\n\n"...)
	for i, src := range examples {
		if i > 0 {
			dst = append(dst, '\n')
		}
		for line := range strings.Lines(strings.TrimRight(src, "\n") + "\n") {
			dst = append(dst, "    "+strings.ReplaceAll(line, "\x00", `\0`)...)
		}
	}
	return append(dst, "\n"+fold("Fix: "+x.Fix)+"\n"+fold("Source: "+x.Source)+"\n"...)
}

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
// some are used of PTX and of declarations. There is none if there is no such code.
func explanationOf(name string) []code {
	list := slices.DeleteFunc(slices.Clone(otherCodes), func(c code) bool { return string(c.Code) != name })
	if x, ok := check.Explain(diag.Code(name)); ok {
		list = slices.Insert(list, 0, code{Rule: x, head: headOf(x)})
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

// explained returns all codes that explain describes, those of package check first.
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
