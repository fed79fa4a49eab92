// Package near finds names that are similar to a misspelled one.
package near

import (
	"cmp"
	"slices"
	"strings"
)

// Names returns up to three of the names that are most like a given one,
// the best first: those that hold it, as a mangled name holds the one in the
// source, and those a few letters away, of which one that begins alike is better.
// Names that differ in nothing but case, "_" and "-" leave no doubt, and stand alone.
// A name of one letter is like none of three.
func Names(name string, names []string) []string {
	const most, longest = 3, 256
	type candidate struct {
		name   string
		away   int
		common int // letters at the beginning
	}
	var all []candidate
	var same []string
	seen := map[string]bool{"": true}
	for _, n := range names {
		if seen[n] || len(n) > longest || len(name) > longest {
			continue
		}
		seen[n] = true
		if key := plain(name); key != "" && plain(n) == key {
			same = append(same, n)
		}
		away := distance(strings.ToLower(name), strings.ToLower(n))
		switch {
		case away <= 1+len(name)/4 && (len(n) > 1 || len(name) <= 2):
		case len(name) >= 3 && strings.Contains(n, name):
			away = min(away, 1+len(name)/4)
		default:
			continue
		}
		all = append(all, candidate{n, away, common(name, n)})
	}
	if len(same) > 0 {
		return same[:min(most, len(same))]
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Or(a.away-b.away, b.common-a.common) })
	var out []string
	for _, c := range all[:min(most, len(all))] {
		out = append(out, c.name)
	}
	return out
}

// plain is a name without what is easily mistaken in it.
func plain(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

// common is how many bytes a and b have in common at their beginning.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// distance is how many letters have to be changed, added, taken away or swapped
// with their neighbour to turn a into b.
func distance(a, b string) int {
	// Rows i-1, i and i+1 of the table whose cell [i][j] is the distance of
	// a[:i] and b[:j].
	last, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			d := row[j]
			if a[i] != b[j] {
				d++
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, last[j-1]+1)
			}
			next[j+1] = min(d, row[j+1]+1, next[j]+1)
		}
		last, row, next = row, next, last
	}
	return row[len(b)]
}

// DidYouMean is the part of a diagnostic that suggests names like a given one;
// "" if there are none.
func DidYouMean(name string, names []string) string {
	like := Names(name, names)
	if len(like) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(like, ", ") + "?"
}

// Suggest is the part of a diagnostic about a name that is not among those that are there: what
// DidYouMean has or, if there are few, all of them.
func Suggest(name string, names []string) string {
	const few = 5
	if like := DidYouMean(name, names); like != "" {
		return like
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	switch n := len(names); {
	case n == 1:
		return "; there is " + names[0]
	case n > 1 && n <= few:
		return "; there are " + strings.Join(names, ", ")
	}
	return ""
}
