// Package ruletext reads a text of rules, which diagnostics are about. Each rule is
//
//	error: CODE, OTHER
//	CODE occurs when …
//	Fix: …
//	Source: …
//	Example:
//		text
//
// with an empty line between two rules. OTHER are further codes that the example causes. A line "--" stands between
// two files of an example, and \0 for a NUL. Paragraphs that begin with # are comments.
package ruletext

import (
	"fmt"
	"strings"
)

// An Entry is a rule of the text.
type Entry struct {
	Kind              string   // the word before the codes: "error"
	Codes             []string // the code of the rule, and the others of the example
	When, Fix, Source string
	Head              string   // the line above the example
	Files             []string // of the example, without the ends of their last lines
}

// Parse reads the rules of a text that is embedded in the program. It panics if a rule lacks a line.
func Parse(text string) (list []Entry) {
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if strings.HasPrefix(part, "#") {
			continue
		}
		lines := strings.SplitN(part, "\n", 6)
		if len(lines) < 6 {
			panic(fmt.Sprintf("ruletext: a rule without all of its lines: %q", part))
		}
		var e Entry
		kind, codes, _ := strings.Cut(lines[0], ": ")
		e.Kind, e.Codes = kind, strings.Split(codes, ", ")
		e.When, e.Fix, e.Source, e.Head = lines[1], strings.TrimPrefix(lines[2], "Fix: "), strings.TrimPrefix(lines[3], "Source: "), lines[4]
		example := strings.ReplaceAll("\n"+strings.Trim(lines[5], "\n"), "\n\t", "\n")[1:]
		e.Files = strings.Split(strings.ReplaceAll(example, `\0`, "\x00"), "\n--\n")
		list = append(list, e)
	}
	return list
}
