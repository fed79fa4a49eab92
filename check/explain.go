package check

import (
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// An Explanation says what a code means: the comment of its constant, taken
// apart.
type Explanation struct {
	Code     diag.Code
	Severity diag.Severity // where the rule is broken without more ado
	Rule     string        // when it occurs, a sentence
	Mend     string        // what to do about it
	Source   string        // where the rule comes from
	Example  string        // a module that draws the code; "" if it takes several
	Modules  []string      // the modules of an example of [Link]
	Compile  bool          // the example is meant for -c
	Also     []string      // other codes that the example draws
}

var explanations = sync.OnceValue(func() []Explanation {
	var list []Explanation
	for _, name := range codeNames {
		src, err := codeFiles.ReadFile(name)
		if err != nil {
			panic("check: " + err.Error()) // the file was not built in
		}
		list = append(list, parseCodes(string(src))...)
	}
	return list
})

// Explain returns what a code means; false if there is no such code.
func Explain(code diag.Code) (Explanation, bool) {
	for _, e := range explanations() {
		if e.Code == code {
			return e, true
		}
	}
	if code == ptx.BadSyntax {
		return badSyntax, true
	}
	return Explanation{}, false
}

// Codes returns the codes of this package in the order of their declaration.
func Codes() []diag.Code {
	list := explanations()
	codes := make([]diag.Code, len(list))
	for i := range list {
		codes[i] = list[i].Code
	}
	return codes
}

var badSyntax = Explanation{
	Code:     ptx.BadSyntax,
	Severity: diag.Error,
	Rule:     "BadSyntax occurs when the text is not PTX.",
	Mend:     "The message says what was found and what was expected.",
	Source:   "PTX ISA, \"Syntax\".",
	Example:  ".func f( { ret; }",
}

// parseCodes reads the constants and their comments from the source of a file
// of codes, which a test keeps in the form that this expects.
func parseCodes(src string) []Explanation {
	var list []Explanation
	var comment []string
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "//"):
			comment = append(comment, strings.TrimPrefix(line, "//"))
			continue
		case strings.Contains(line, ` = "`):
			code, _, _ := strings.Cut(line, " ")
			list = append(list, parseComment(code, comment))
		}
		comment = comment[:0]
	}
	return list
}

// parseComment takes the comment of a code apart: the rule; the paragraph of
// severity, fix and source; the example, indented by a tab.
func parseComment(code string, lines []string) Explanation {
	e := Explanation{Code: diag.Code(code)}
	var example []string
	into := &e.Rule
	severity := ""
	for _, line := range lines {
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			example = append(example, text)
			continue
		}
		line = strings.TrimSpace(line)
		switch head, rest, _ := strings.Cut(line, ":"); {
		case line == "":
			continue
		case head == "Severity":
			into, line = &severity, rest
		case head == "Mend":
			into, line = &e.Mend, rest
		case head == "Source":
			into, line = &e.Source, rest
		case strings.HasPrefix(head, "Example"):
			e.Compile = strings.Contains(head, "with -c")
			if _, also, ok := strings.Cut(head, "which draws "); ok {
				also, _, _ = strings.Cut(also, " too")
				e.Also = strings.Split(also, " and ")
			}
			continue
		}
		if *into != "" {
			*into += " "
		}
		*into += strings.TrimSpace(line)
	}
	switch strings.TrimSuffix(severity, ".") {
	case "warning":
		e.Severity = diag.Warning
	case "note":
		e.Severity = diag.Note
	}
	e.Example = strings.Join(example, "\n")
	if strings.HasPrefix(e.Example, "-- ") {
		e.Modules = splitModules(example)
		e.Example = ""
	}
	return e
}

// splitModules takes an example of several modules apart at the lines
// "-- name --".
func splitModules(lines []string) []string {
	var mods []string
	for _, line := range lines {
		if strings.HasPrefix(line, "-- ") {
			mods = append(mods, "")
			continue
		}
		mods[len(mods)-1] += line + "\n"
	}
	return mods
}
