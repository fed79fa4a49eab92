package link

import (
	"slices"

	"github.com/ptxabi/ptxabi/resolve"
)

// archOf is the architecture of a name; the zero one, with the name, where it is
// unknown.
func archOf(name string) resolve.Arch {
	a, err := resolve.ParseArch(name)
	if err != nil {
		return resolve.Arch{Name: name}
	}
	return a
}

// A Verdict is what the linkers do with something.
type Verdict uint8

// The verdicts.
const (
	Refused Verdict = iota
	Some            // some releases take it
	Taken
)

// chains are the architectures whose objects go into programs for the later ones of
// the same chain. Measured with the linkers 11.8 to 13.5, with every pair of their
// targets: the recordings joins.
var chains = [][]int{
	{35, 37}, {50, 52}, {60, 61}, {70, 75}, {80, 86, 89}, {100, 103, 107}, {120, 121},
}

// later is a chain of which the linkers from 13.4 on know more: 12.4 to 13.0 join
// sm_87 and sm_88 with nothing.
var later = []int{80, 86, 87, 88, 89}

// Joins says what the linkers do with an object for one architecture in a program for
// another. Those up to 13.0 take objects with an a into programs without.
func Joins(object, program string) Verdict {
	a, b := archOf(object), archOf(program)
	if a.SM != b.SM {
		v := Refused
		switch in := func(chain []int) bool {
			i, j := slices.Index(chain, a.SM), slices.Index(chain, b.SM)
			return i >= 0 && i < j
		}; {
		case slices.ContainsFunc(chains, in):
			v = Taken
		case in(later):
			v = Some
		}
		if a.Suffix == "a" {
			if a.SM == 120 && b.SM == 121 { // which 12.9 takes
				return Some
			}
			return Refused
		}
		return v
	}
	if a.Suffix == "a" && b.Suffix != "a" {
		switch a.SM {
		case 101: // which 12.8 and 12.9 alone know
			return Taken
		case 107: // which 13.4 and later alone know
			return Refused
		}
		return Some
	}
	return Taken
}
