package lowertest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
)

const (
	perModule = 50  // functions in a module of Check
	maxTries  = 100 // modules that are compiled to make a difference smaller
	maxLines  = 5   // differences of one function that are told
)

// Check compares a backend with package lower for a target: modules of the
// functions of [abitest.Corpus] and of the first n of a seed. The error tells of
// one function that differs, made as small as possible, with its declaration and
// its first differences, and of how many others differ in the same module. A
// function that cannot be followed, which is not known to be wrong, is told of
// where none differs.
//
// Where the backend answers with an error that is [abitest.ErrUnsupported], the
// module's functions are compiled one by one, and those that it does not support
// are left out; it is an error if those are all.
func Check(t *abi.Target, seed uint64, n int, backend Backend) error {
	if t == nil {
		return errors.New("no target")
	}
	if backend == nil {
		return fmt.Errorf("%s: no backend", t.Name)
	}
	c := checker{t: t, backend: backend}
	for functions := range slices.Chunk(c.functions(seed, n), perModule) {
		err := c.module(functions)
		if errors.Is(err, abitest.ErrUnsupported) {
			err = c.oneByOne(functions)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	if !c.compared {
		return fmt.Errorf("%s: nothing was compared: %w", t.Name, abitest.ErrUnsupported)
	}
	return nil
}

// A checker is one run of Check.
type checker struct {
	t        *abi.Target
	backend  Backend
	compared bool // a module at least
}

// functions returns what is compared: all that have an assignment. Of the others
// the assembler's releases disagree.
func (c *checker) functions(seed uint64, n int) []*abitest.Function {
	var all []*abitest.Function
	add := func(f *abitest.Function) {
		if _, err := abi.Assign(f.ABI(), c.t); err == nil {
			all = append(all, f)
		}
	}
	for _, one := range abitest.Corpus() {
		add(one.Function)
	}
	dialect := abitest.DialectOf(c.t)
	for i := range n {
		add(abitest.Random(seed, i, dialect))
	}
	return all
}

// compare compiles functions and compares them.
func (c *checker) compare(functions []*abitest.Function) (*Report, error) {
	src := Module(c.t, functions)
	listing, err := c.backend(src)
	if err != nil {
		return nil, fmt.Errorf("the backend: %w", err)
	}
	r, err := Compare(src, listing, c.t)
	if err != nil {
		return nil, fmt.Errorf("the backend's listing: %w", err)
	}
	c.compared = true
	return r, nil
}

func (c *checker) oneByOne(functions []*abitest.Function) error {
	for _, f := range functions {
		if err := c.module([]*abitest.Function{f}); err != nil && !errors.Is(err, abitest.ErrUnsupported) {
			return err
		}
	}
	return nil
}

// module returns what is wrong with the functions of one module.
func (c *checker) module(functions []*abitest.Function) error {
	r, err := c.compare(functions)
	if err != nil {
		return err
	}
	failed := r.failed()
	if len(failed) == 0 {
		return nil
	}
	f := functions[failed[0]]
	first := c.reduced(f, len(r.Differences) > 0)
	if first == nil { // by itself it is compiled otherwise
		first = &failure{f, r.of(failed[0])}
	}
	if more := len(failed) - 1; more > 0 {
		return fmt.Errorf("%w\nand %d more of %d functions", first.error(c.t), more, len(functions))
	}
	return first.error(c.t)
}

// failed returns the indices of the functions with differences, or if there are
// none, of those that are not followed.
func (r *Report) failed() []int {
	var all []int
	add := func(name string) {
		if _, digits, ok := strings.Cut(name, "_"); ok {
			if i, err := strconv.Atoi(digits); err == nil && !slices.Contains(all, i) {
				all = append(all, i)
			}
		}
	}
	for _, d := range r.Differences {
		add(d.Func)
	}
	if all != nil {
		return all
	}
	for _, why := range r.NotFollowed {
		name, _, _ := strings.Cut(why, ":")
		add(name)
	}
	return all
}

// of returns the part of r that is about function i.
func (r *Report) of(i int) *Report {
	is := func(name string) bool { return strings.HasSuffix(name, fmt.Sprintf("_%d", i)) }
	part := &Report{}
	for _, d := range r.Differences {
		if is(d.Func) {
			part.Differences = append(part.Differences, d)
		}
	}
	for _, why := range r.NotFollowed {
		if name, _, _ := strings.Cut(why, ":"); is(name) {
			part.NotFollowed = append(part.NotFollowed, why)
		}
	}
	return part
}

// A failure is a function with what is wrong with it.
type failure struct {
	f *abitest.Function
	r *Report
}

// reduced returns a failure of f or of a function that is simpler, nil if f by
// itself does not fail. It has differences if differs is set.
func (c *checker) reduced(f *abitest.Function, differs bool) *failure {
	tries := 0
	fails := func(f *abitest.Function) *failure {
		if _, err := abi.Assign(f.ABI(), c.t); err != nil || tries == maxTries {
			return nil
		}
		tries++
		r, err := c.compare([]*abitest.Function{f})
		if err != nil || len(r.failed()) == 0 || (len(r.Differences) > 0) != differs {
			return nil
		}
		return &failure{f, r}
	}
	least := fails(f)
	for smaller := least; smaller != nil; {
		least, smaller = smaller, nil
		for _, f := range least.f.Smaller() {
			if smaller = fails(f); smaller != nil {
				break
			}
		}
	}
	return least
}

// error tells of the failure: the function's declaration, its signature and
// assignment, and the first differences with the bytes that they are about.
func (f *failure) error(t *abi.Target) error {
	var lines []string
	for _, d := range f.r.Differences {
		line := d.String()
		if value := f.valueAt(t, d.What); value != "" {
			line = fmt.Sprintf("%s, %s (%s): %s, expected %s", d.Func, d.What, value, d.Got, d.Want)
		}
		lines = append(lines, line)
	}
	for _, why := range f.r.NotFollowed {
		lines = append(lines, "not followed: "+why)
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("and %d more", more))
	}
	a, _ := abi.Assign(f.f.ABI(), t) // what has none is not compared
	return fmt.Errorf("%s\n\t%s\n\t%s", f.f, a, strings.Join(lines, "\n\t"))
}

// valueAt returns the name and bytes of the value of which a word at a call or
// return is a part, such as "p1[4:8]"; "" for a word of none.
func (f *failure) valueAt(t *abi.Target, what string) string {
	at, word, ok := strings.Cut(what, ", ")
	if !ok || f.f.Kernel {
		return ""
	}
	a, err := abi.Assign(f.f.ABI(), t)
	if err != nil {
		return ""
	}
	values := a.Params
	if at == "return" {
		values = a.Results
	}
	for i, p := range values {
		for off := 0; off < p.Size; off += 4 {
			place := fmt.Sprintf("R%d", int(p.Loc.Reg)+off/4)
			if p.Loc.Kind == abi.OnStack {
				place = fmt.Sprintf("[R1+%#x]", p.Loc.Off+off)
				if p.Loc.Off+off == 0 {
					place = "[R1]"
				}
			}
			if place != word || p.Loc.Kind != abi.OnStack && p.Loc.Kind != abi.InReg {
				continue
			}
			name := abitest.ParamName(i)
			if at == "return" {
				name = abitest.ResultName
			}
			return fmt.Sprintf("%s[%d:%d]", name, off, min(off+4, p.Size))
		}
	}
	return ""
}
