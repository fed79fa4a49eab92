// Package near finds the names that someone may have meant.
package near

import (
	"slices"
	"strings"
)

// Names returns up to three of the names that are most like the one asked for,
// the best first: those that hold it, as a mangled name holds the one in the
// source, and those a few letters away.
func Names(name string, names []string) []string {
	const most, longest = 3, 256
	type candidate struct {
		name string
		away int
	}
	var all []candidate
	seen := map[string]bool{"": true}
	for _, n := range names {
		if seen[n] || len(n) > longest || len(name) > longest {
			continue
		}
		seen[n] = true
		away := distance(strings.ToLower(name), strings.ToLower(n))
		switch {
		case away <= 1+len(name)/4:
		case len(name) >= 3 && strings.Contains(n, name):
			away = min(away, 1+len(name)/4)
		default:
			continue
		}
		all = append(all, candidate{n, away})
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.away - b.away })
	var out []string
	for _, c := range all[:min(most, len(all))] {
		out = append(out, c.name)
	}
	return out
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

// DidYouMean is the part of a complaint that suggests names like the one asked
// for; "" if there are none.
func DidYouMean(name string, names []string) string {
	like := Names(name, names)
	if len(like) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(like, ", ") + "?"
}
