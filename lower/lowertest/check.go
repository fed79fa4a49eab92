package lowertest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/ptx"
)

const (
	perModule = 50  // functions in a module of CheckListings
	maxTries  = 100 // modules that are compiled to make a difference smaller
	maxLines  = 5   // differences of one function that are printed
	drawn     = 4   // functions that are drawn at most for each that is requested
)

// CheckListings compares a backend with package lower for a target: modules of the functions of
// [abitest.Corpus] that pass no opaque handles, and of n random ones of a seed. The error
// describes one function that differs, as small as possible, with its declaration and its
// first differences, and has the number of others that differ in the same module. If none
// differs, it describes a function that cannot be followed to its last byte, which need
// not be wrong.
//
// After these come (n+3)/4 programs of the seed, see [Programs].
//
// If the backend returns [abitest.ErrUnsupported], the module's functions are compiled
// one by one, and others of the seed replace those that it does not support. It is an
// error if fewer are compared than the functions of the corpus and n; that error wraps
// the backend's for the first. Programs that it does not support are counted.
//
// The report has what was compared before an error too. It is nil without a target or a compiler.
func CheckListings(t *abi.Target, seed uint64, n int, compile Compiler) (*ListingsReport, error) {
	return Options{}.CheckListings(t, seed, n, compile)
}

// CheckListings is the function [CheckListings] for a backend of these options.
func (o Options) CheckListings(t *abi.Target, seed uint64, n int, compile Compiler) (*ListingsReport, error) {
	if t == nil || *t == (abi.Target{}) {
		return nil, errors.New("no target")
	}
	if compile == nil {
		return nil, fmt.Errorf("%s: no backend", t.Name)
	}
	c := newChecker(t, seed, n)
	c.compile, c.opts = compile, o
	for len(c.todo) > 0 {
		functions := c.todo[:min(perModule, len(c.todo))]
		c.todo = c.todo[len(functions):]
		if err := c.supported(functions); err != nil {
			return &c.run, fmt.Errorf("%s: %w", t.Name, err)
		}
		if len(c.todo) == 0 {
			c.draw(c.run.Asked - c.run.Compared)
		}
	}
	if c.run.Compared == 0 {
		return &c.run, fmt.Errorf("%s: nothing was compared: %w", t.Name, c.why)
	}
	if c.run.Compared < c.run.Asked {
		return &c.run, fmt.Errorf("%s: %d functions were compared of %d that were asked for; of %d the backend says that it does not compile them, as of\n\t%s\n%w",
			t.Name, c.run.Compared, c.run.Asked, len(c.run.Unsupported), c.run.Unsupported[0], c.why)
	}
	if err := c.programs((max(n, 0) + 3) / 4); err != nil {
		return &c.run, fmt.Errorf("%s: %w", t.Name, err)
	}
	return &c.run, nil
}

// A ListingsReport is how much of the kit was requested and how much was compared.
type ListingsReport struct {
	Coverage
	// Asked is the number of functions that were requested, Compared that of those that
	// were compared. A function of the kit is a callee and a caller, or a kernel.
	Asked, Compared int
	// Unsupported are the declarations of functions that the backend does not support.
	Unsupported []string
	// Programs is the number of programs that were compared, and UnsupportedPrograms that of
	// those that the backend does not support.
	Programs, UnsupportedPrograms int
}

// String returns a line such as "88 of 88 functions of the kit: 168 functions, …".
func (r *ListingsReport) String() string {
	r = zero.Or(r)
	s := fmt.Sprintf("%d of %d functions of the kit", r.Compared, r.Asked)
	if r.Programs > 0 {
		s += " and " + prose.Count(r.Programs, "program")
	}
	s += ": " + r.Coverage.String()
	if n := len(r.Unsupported); n > 0 {
		s += fmt.Sprintf("; %d not supported, others in their place", n)
	}
	return s
}

// programs compares the first n programs of the seed.
func (c *checker) programs(n int) error {
	for i, src := range Programs(c.t, c.seed, n) {
		r, err := c.compareModule(src)
		switch {
		case errors.Is(err, abitest.ErrUnsupported):
			c.run.UnsupportedPrograms++
			continue
		case err == nil && len(r.Differences)+len(r.NotFollowed) == 0:
			c.run.Programs++
			c.run.Coverage.add(r.Coverage)
			continue
		}
		if err == nil {
			r.NotCompared = nil // what a program computes is followed in part
			err = errors.New(strings.Join(r.lines(), "\n\t"))
		}
		return fmt.Errorf("program %d of seed %d:\n\t%w\n%s", i, c.seed, err, src)
	}
	return nil
}

// Programs returns the first n programs of a seed for a target: modules of functions that compute. They call extern functions and
// themselves, by name and through registers, on one of two ways and in loops; they add, convert and divide what they are
// passed, and have memory of a size that is computed. Where a listing is machine code, some of their values are not compared.
// It is nil without a target.
func Programs(t *abi.Target, seed uint64, n int) [][]byte {
	if t == nil {
		return nil
	}
	var list [][]byte
	for i := range max(n, 0) {
		list = append(list, []byte(program(t, abitest.DialectOf(t, ptx.Version{}).PTX, seed, i)))
	}
	return list
}

// A checker is one run of CheckListings.
type checker struct {
	t       *abi.Target
	compile Compiler
	opts    Options
	seed    uint64
	next    int // index of the next random function
	todo    []*abitest.Function
	run     ListingsReport
	why     error // what the backend says of the first of run.Unsupported
}

// newChecker returns a checker without a compiler that has all functions to do.
func newChecker(t *abi.Target, seed uint64, n int) *checker {
	c := &checker{t: t, seed: seed, why: abitest.ErrUnsupported}
	for _, one := range abitest.Corpus() {
		if _, err := abi.Assign(one.Function.ABI(), t); err == nil && !one.Function.Opaque() {
			c.todo = append(c.todo, one.Function)
		}
	}
	c.run.Asked = len(c.todo) + max(n, 0)
	c.draw(max(n, 0))
	return c
}

// Modules returns the functions that [CheckListings] compares for a target, a seed and n, in a module
// each, for backends that are not written in Go: those of the corpus come first. Others of the
// seed do not replace what a backend does not support. It is nil without a target.
func Modules(t *abi.Target, seed uint64, n int) [][]byte {
	if t == nil {
		return nil
	}
	var list [][]byte
	for _, f := range newChecker(t, seed, n).todo {
		list = append(list, Module(t, []*abitest.Function{f}))
	}
	return list
}

// draw adds n random functions that have an assignment, or fewer where enough have been
// drawn. Of the others the assembler's releases disagree.
func (c *checker) draw(n int) {
	dialect := abitest.DialectOf(c.t, ptx.Version{})
	for ; n > 0 && c.next < drawn*c.run.Asked; c.next++ {
		f := abitest.Random(c.seed, c.next, dialect)
		if _, err := abi.Assign(f.ABI(), c.t); err == nil {
			c.todo = append(c.todo, f)
			n--
		}
	}
}

// supported compares those of some functions that the backend supports.
func (c *checker) supported(functions []*abitest.Function) error {
	err := c.module(functions)
	switch {
	case !errors.Is(err, abitest.ErrUnsupported):
		return err
	case len(functions) == 1:
		if len(c.run.Unsupported) == 0 {
			c.why = err
		}
		c.run.Unsupported = append(c.run.Unsupported, functions[0].String())
		return nil
	}
	for _, f := range functions {
		if err := c.supported([]*abitest.Function{f}); err != nil {
			return err
		}
	}
	return nil
}

// compare compiles functions and compares them.
func (c *checker) compare(functions []*abitest.Function) (*Report, error) {
	return c.compareModule(Module(c.t, functions))
}

// compareModule compiles a module and compares it.
func (c *checker) compareModule(src []byte) (*Report, error) {
	listing, err := c.compile(src)
	if err != nil {
		return nil, fmt.Errorf("the backend: %w", err)
	}
	r, err := c.opts.Compare(src, listing, c.t)
	if err != nil {
		return nil, fmt.Errorf("the backend's listing: %w", err)
	}
	return r, nil
}

// module returns what is wrong with the functions of one module.
func (c *checker) module(functions []*abitest.Function) error {
	r, err := c.compare(functions)
	if err != nil {
		return err
	}
	failed := r.failed()
	if len(failed) == 0 {
		c.run.Coverage.add(r.Coverage)
		c.run.Compared += len(functions)
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
// none, of those that are not followed to the end.
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
	for _, d := range r.NotCompared {
		add(d.Func)
	}
	return all
}

// of returns the part of r that is about function i.
func (r *Report) of(i int) *Report {
	other := func(name string) bool { return !strings.HasSuffix(name, fmt.Sprintf("_%d", i)) }
	of := func(d Difference) bool { return other(d.Func) }
	return &Report{
		Differences: slices.DeleteFunc(slices.Clone(r.Differences), of),
		NotCompared: slices.DeleteFunc(slices.Clone(r.NotCompared), of),
		NotFollowed: slices.DeleteFunc(slices.Clone(r.NotFollowed), func(why string) bool {
			name, _, _ := strings.Cut(why, ":")
			return other(name)
		}),
	}
}

// A failure is a function with its differences.
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

// error describes the failure: the function's declaration, its signature and
// assignment, and the first differences.
func (f *failure) error(t *abi.Target) error {
	a, _ := abi.Assign(f.f.ABI(), t) // what has none is not compared
	return fmt.Errorf("%s\n\t%s\n\t%s", f.f, a, strings.Join(f.r.lines(), "\n\t"))
}

// lines are the first lines of a report.
func (r *Report) lines() []string {
	var lines []string
	for _, d := range r.Differences {
		lines = append(lines, d.String())
	}
	for _, why := range r.NotFollowed {
		lines = append(lines, "not followed: "+why)
	}
	for _, d := range r.NotCompared {
		lines = append(lines, "not compared: "+d.String())
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("and %d more", more))
	}
	return lines
}
