// Package arrival has the PTX version that brought each architecture.
package arrival

import "strings"

// An Arrival is an architecture and the first PTX version that has it.
type Arrival struct {
	Name         string // without sm_
	Major, Minor int
}

// all was measured with the assemblers 11.8, 12.9 and 13.5. A suffix that came later than its
// architecture has a row of its own.
var all = []Arrival{
	{"12", 1, 2},
	{"13", 1, 2},
	{"20", 2, 0},
	{"21", 2, 0},
	{"30", 3, 0},
	{"32", 4, 0},
	{"35", 3, 1},
	{"37", 4, 1},
	{"50", 4, 0},
	{"52", 4, 1},
	{"53", 4, 2},
	{"60", 5, 0},
	{"61", 5, 0},
	{"62", 5, 0},
	{"70", 6, 0},
	{"72", 6, 1},
	{"75", 6, 3},
	{"80", 7, 0},
	{"86", 7, 1},
	{"87", 7, 4},
	{"88", 9, 0},
	{"89", 7, 8},
	{"90", 7, 8},
	{"90a", 8, 0},
	{"100", 8, 6},
	{"100f", 8, 8},
	{"101", 8, 6},
	{"101f", 8, 8},
	{"103", 8, 8},
	{"107", 9, 4},
	{"110", 9, 0},
	{"120", 8, 7},
	{"120f", 8, 8},
	{"121", 8, 8},
}

// Of returns the arrival of a target, such as "sm_90a", nil if it is not known.
func Of(target string) (since *Arrival) {
	name := strings.TrimPrefix(target, "sm_")
	base := strings.TrimRight(name, "af")
	for i := range all {
		switch t := &all[i]; {
		case t.Name == name:
			return t
		case len(base) < len(name) && t.Name == base:
			since = t
		}
	}
	return since
}
