package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A change is an edit with the offsets of the bytes that it replaces.
type change struct {
	from, to int
	text     string
}

// Apply applies the first fix of each diagnostic that has one to the text src, and returns the result. All
// diagnostics must be about src. The result does not depend on the order of the list.
//
// A fix is applied as a whole or not at all. A fix that overlaps an earlier one, in the
// order of [List.Sort], is skipped; so is a fix that inserts text where an earlier one
// begins or ends, or that begins or ends where an earlier one inserts. To apply these
// too, check the result, in which positions may differ, and apply the new fixes.
//
// Line ends that an edit inserts have the form of those of its line, "\n" or "\r\n".
//
// It is an error if the positions of an edit are not in src, if an edit ends before it
// begins, or if two edits of one fix overlap. Then no fix is applied.
func Apply(src string, list List) (out string, applied, skipped List, err error) {
	t := NewText(src)
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b *Diagnostic) int {
		return cmp.Or(compare(a, b), slices.CompareFunc(a.Fixes, b.Fixes, compareFix))
	})
	var made []change
	for _, d := range sorted {
		if len(d.Fixes) == 0 {
			continue
		}
		changes, err := t.changes(d.Fixes[0].Edits)
		if err != nil {
			return src, nil, nil, fmt.Errorf("fix of %s%s: %w", Place(d.File, d.Pos), d.Code, err)
		}
		if merged, ok := merge(made, changes); ok {
			made, applied = merged, append(applied, d)
		} else {
			skipped = append(skipped, d)
		}
	}
	var b strings.Builder
	at := 0
	for _, c := range made {
		b.WriteString(src[at:c.from])
		b.WriteString(c.text)
		at = c.to
	}
	b.WriteString(src[at:])
	return b.String(), applied, skipped, nil
}

// compareFix orders fixes of diagnostics that are equal otherwise.
func compareFix(a, b Fix) int {
	return slices.CompareFunc(a.Edits, b.Edits, func(a, b Edit) int {
		return cmp.Or(
			cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col),
			cmp.Compare(a.End.Line, b.End.Line), cmp.Compare(a.End.Col, b.End.Col), strings.Compare(a.Text, b.Text),
		)
	})
}

// changes returns the edits of a fix in the order of the text.
func (t *Text) changes(edits []Edit) ([]change, error) {
	var out []change
	for _, e := range edits {
		from, ok1 := t.Offset(e.Pos)
		to, ok2 := t.Offset(e.End)
		switch {
		case !ok1:
			return nil, fmt.Errorf("no position %s in the text", e.Pos)
		case !ok2:
			return nil, fmt.Errorf("no position %s in the text", e.End)
		case to < from:
			return nil, fmt.Errorf("an edit ends at %s, before it begins at %s", e.End, e.Pos)
		}
		text := e.Text
		if t.eol(e.Pos.Line) == "\r\n" {
			text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
		}
		merged, ok := merge(out, []change{{from, to, text}})
		if !ok {
			return nil, fmt.Errorf("two edits overlap at %s", e.Pos)
		}
		out = merged
	}
	return out, nil
}

// merge returns the changes of both lists, and reports false if two of them overlap.
// Each list must be in order; the result is. It may use the memory of a.
func merge(a, b []change) ([]change, bool) {
	if len(a) == 0 || len(b) == 0 || a[len(a)-1].to < b[0].from {
		return append(a, b...), true
	}
	out := make([]change, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if overlap(a[0], b[0]) {
			return nil, false
		}
		if a[0].from <= b[0].from {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...), true
}

// overlap reports whether two changes share bytes, or whether one of them inserts at an
// end of the other.
func overlap(a, b change) bool {
	if a.from == a.to || b.from == b.to {
		return a.from <= b.to && b.from <= a.to
	}
	return a.from < b.to && b.from < a.to
}
