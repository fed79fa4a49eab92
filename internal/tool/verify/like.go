package verify

import (
	"github.com/ptxabi/ptxabi/internal/cli/near"
)

// Like is the part of a message that suggests kernels of those names for
// one that is not there, "" if none is like it. It has mangled ones by what their
// source calls them, which chooses them too, unless the one asked for is mangled.
func Like(name string, names []string) string {
	_, mangled := Base(name)
	var all []string
	for _, n := range names {
		if base, ok := Base(n); ok && !mangled {
			n = base
		}
		all = append(all, n)
	}
	return near.Suggest(name, all)
}
