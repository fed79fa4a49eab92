package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
)

// names are the values of a flag that may be given again, and not as nothing.
type names []string

func (n *names) String() string { return strings.Join(*n, " ") }

func (n *names) Set(s string) error {
	*n = append(*n, s)
	return nil
}

// A pick is a name of -kernel or -func.
type pick struct {
	flag, name string
	pattern    *cxxname.Pattern
	found      bool   // a function of the listing is called that
	function   string // one that is, and is no kernel, where -kernel asks for one
}

// picks are the functions of a listing that are wanted; nil means all.
type picks struct {
	list []pick
	// all are the functions of the listing, kernels those that it calls kernels.
	all, kernels []string
}

// newPicks returns the picks of the two flags, nil if they are not given.
func newPicks(o *options, kernels, funcs names) (*picks, error) {
	p := &picks{}
	for i, list := range []names{kernels, funcs} {
		flag := []string{"kernel", "func"}[i]
		for _, name := range list {
			if strings.TrimSpace(name) == "" {
				return nil, o.errorf("-%s is empty", flag)
			}
			p.list = append(p.list, pick{flag: flag, name: name, pattern: cxxname.NewPattern(name)})
		}
	}
	if p.list == nil {
		return nil, nil
	}
	return p, nil
}

// want reports whether a function may be wanted.
func (p *picks) want(name string) bool {
	return p == nil || slices.ContainsFunc(p.list, func(one pick) bool { return one.pattern.Matches(name) })
}

// take reports whether a function is wanted, and takes down that it is there.
func (p *picks) take(name string, kernel bool) bool {
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

// listed takes a function of the listing down.
func (p *picks) listed(name string, kernel bool) {
	if p == nil {
		return
	}
	name = strings.Clone(name) // and not all around it
	p.all = append(p.all, name)
	if kernel {
		p.kernels = append(p.kernels, name)
	}
}

// missing says what of the picks a listing does not have; nil: nothing.
func (p *picks) missing(listing string) error {
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
