package abi

import (
	"fmt"
	"strconv"
	"strings"
)

// EntryEnd is the label after the instructions of [Spelling.EntryCode].
const EntryEnd = "after"

// EntryCode returns the instructions of Entry one by one, as text without semicolons. An
// instruction that Entry has for a range of numbers is returned once for each. The branch
// among them goes to the label [EntryEnd]. It returns nil if there are none.
func (s *Spelling) EntryCode() []string {
	if s.Entry == "" {
		return nil
	}
	var list []string
	for _, part := range strings.Split(s.Entry, "; ") {
		form, loop, repeated := strings.Cut(part, " for n of ")
		first, last := 0, 0
		if repeated {
			if _, err := fmt.Sscanf(loop, "%d … %d", &first, &last); err != nil {
				panic("abi: the entry sequence has a range that is none: " + part)
			}
		}
		for n := first; n <= last; n++ {
			list = append(list, strings.NewReplacer("(n)", strconv.Itoa(n), "(n-1)", strconv.Itoa(n-1), "BRA "+EntryEnd, "BRA `("+EntryEnd+")").Replace(form))
		}
	}
	return list
}
