// Package textdiff shows how two texts differ.
package textdiff

import (
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// Unified returns the unified diff that turns the text from into the text to, under
// the two names, with three lines of context. It is empty if they are equal.
func Unified(from, to, fromName, toName string) string {
	if from == to {
		return ""
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A:        lines(from),
		B:        lines(to),
		FromFile: fromName,
		ToFile:   toName,
		Context:  3,
	})
	if err != nil {
		panic("textdiff: a diff to memory failed: " + err.Error())
	}
	return text
}

// lines splits text after each line end. A last line without one gets it,
// and the remark with which diff says so.
func lines(text string) []string {
	split := strings.SplitAfter(text, "\n")
	last := len(split) - 1
	if split[last] == "" {
		return split[:last]
	}
	split[last] += "\n\\ No newline at end of file\n"
	return split
}
