package main

import (
	"fmt"
	"slices"
	"strings"
)

// context is the number of equal lines around a difference.
const context = 3

// unified returns a unified diff of two texts, which differ. Lines that both
// begin with and both end with are equal; between them, the longest common
// sequence of lines is, unless there are too many.
func unified(name, old, text string) string {
	a, b := lines(old), lines(text)
	edits := diff(a, b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s (generated)\n", name, name)
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i++
			continue
		}
		from, to := max(0, i-context), i
		for equal := 0; to < len(edits) && equal <= 2*context; to++ {
			if equal++; edits[to].op != ' ' {
				equal = 0
			}
		}
		for to > i && to-1 > i && tail(edits[i:to]) > context {
			to--
		}
		hunk(&out, edits, from, to)
		i = to
	}
	return out.String()
}

// tail counts the equal lines at the end.
func tail(edits []edit) int {
	n := 0
	for _, e := range slices.Backward(edits) {
		if e.op != ' ' {
			break
		}
		n++
	}
	return n
}

func hunk(out *strings.Builder, edits []edit, from, to int) {
	oldLine, newLine, olds, news := 1, 1, 0, 0
	for i, e := range edits[:to] {
		if e.op != '+' {
			if i < from {
				oldLine++
			} else {
				olds++
			}
		}
		if e.op != '-' {
			if i < from {
				newLine++
			} else {
				news++
			}
		}
	}
	if olds == 0 {
		oldLine--
	}
	if news == 0 {
		newLine--
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", oldLine, olds, newLine, news)
	for _, e := range edits[from:to] {
		out.WriteByte(e.op)
		out.WriteString(strings.TrimSuffix(e.line, "\n") + "\n")
	}
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.SplitAfter(strings.TrimSuffix(s, "\n"), "\n")
}

// An edit is a line that stays (' '), goes ('-') or comes ('+').
type edit struct {
	op   byte
	line string
}

// maxTable bounds the table of the longest common sequence.
const maxTable = 1 << 24

func diff(a, b []string) []edit {
	var head, foot []edit
	same := func(x, y string) bool { return strings.TrimRight(x, "\r\n") == strings.TrimRight(y, "\r\n") }
	for len(a) > 0 && len(b) > 0 && same(a[0], b[0]) {
		head = append(head, edit{' ', b[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && same(a[len(a)-1], b[len(b)-1]) {
		foot = append(foot, edit{' ', b[len(b)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(foot)
	if (len(a)+1)*(len(b)+1) > maxTable {
		for _, l := range a {
			head = append(head, edit{'-', l})
		}
		for _, l := range b {
			head = append(head, edit{'+', l})
		}
		return append(head, foot...)
	}
	// common[i][j] is the length of the longest common sequence of a[i:], b[j:].
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if same(a[i], b[j]) {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && same(a[i], b[j]):
			head = append(head, edit{' ', b[j]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			head = append(head, edit{'-', a[i]})
			i++
		default:
			head = append(head, edit{'+', b[j]})
			j++
		}
	}
	return append(head, foot...)
}
