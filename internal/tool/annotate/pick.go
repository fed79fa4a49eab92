package annotate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
)

// A pick is a name of a kernel or a function.
type pick struct {
	flag, name string
	pattern    *cxxname.Pattern
	found      bool   // a function of the listing is called that
	function   string // one that is, and is no kernel, where -kernel asks for one
}

// Picks are the functions of a listing that are wanted; nil means all.
type Picks struct {
	list []pick
	// all are the functions of the listing, kernels those that it calls kernels.
	all, kernels []string
}

// NewPicks returns the picks of the names of kernels and of functions, nil if there are none.
func NewPicks(kernels, funcs []string) (*Picks, error) {
	p := &Picks{}
	for i, list := range [][]string{kernels, funcs} {
		flag := []string{"kernel", "func"}[i]
		for _, name := range list {
			if strings.TrimSpace(name) == "" {
				return nil, fmt.Errorf("-%s is empty", flag)
			}
			p.list = append(p.list, pick{flag: flag, name: name, pattern: cxxname.NewPattern(name)})
		}
	}
	if p.list == nil {
		return nil, nil
	}
	return p, nil
}

// Want reports whether a function may be wanted.
func (p *Picks) Want(name string) bool {
	return p == nil || slices.ContainsFunc(p.list, func(one pick) bool { return one.pattern.Matches(name) })
}

// Take reports whether a function is wanted, and takes down that it is there.
func (p *Picks) Take(name string, kernel bool) bool {
	taken := false
	for i := range p.list {
		switch one := &p.list[i]; {
		case !one.pattern.Matches(name):
		case one.flag == "kernel" && !kernel:
			one.function = name
		default:
			one.found, taken = true, true
		}
	}
	return taken
}

// Listed takes a function of the listing down.
func (p *Picks) Listed(name string, kernel bool) {
	if p == nil {
		return
	}
	name = strings.Clone(name) // and not all around it
	p.all = append(p.all, name)
	if kernel {
		p.kernels = append(p.kernels, name)
	}
}

// Missing says what of the picks a listing does not have; nil: nothing.
func (p *Picks) Missing(listing string) error {
	if p == nil {
		return nil
	}
	for _, one := range p.list {
		switch {
		case one.found:
		case one.function != "":
			return fmt.Errorf("%s: %s is not a kernel; use -func for functions", listing, one.function)
		case one.flag == "kernel" && len(p.kernels) > 0:
			return fmt.Errorf("%s: it has no kernel %s%s", listing, one.name, functionsLike(one.name, p.kernels))
		default:
			return fmt.Errorf("%s: it has no function %s%s", listing, one.name, functionsLike(one.name, p.all))
		}
	}
	return nil
}

// functionsLike is the part of a message that says which of the functions may be meant
// by a name, by what their source calls them unless a symbol is asked for.
func functionsLike(name string, symbols []string) string {
	const few = 5
	var all []string
	for _, s := range symbols {
		if !strings.HasPrefix(name, "_Z") {
			s = cxxname.Name(s)
		}
		all = append(all, s)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if like := near.DidYouMean(name, all); like != "" {
		return like
	}
	if len(all) > few {
		return fmt.Sprintf("; it has %s and %d more", strings.Join(all[:few], ", "), len(all)-few)
	}
	return "; it has " + strings.Join(all, ", ")
}
