// Pairs finds out which types do not arrive between two compilers:
//
//	go run ./internal/lab/pairs -caller clang=/usr/bin/clang-14 -callee clang=/usr/bin/clang-19
//
// It makes functions that take and return types, the table's of internal/lab/producers and random records, has
// one compiler translate the callers and the other the callees, holds the declarations against each other
// as linkers do, lowers both and executes them. A compiler is named as for producers.Open: clang=PROGRAM, cicc=PROGRAM, nvrtc=LIBRARY (with Python), gcc=PROGRAM or g++=PROGRAM, the lto1 for
// nvptx-none, or any command, "cuda:NAME:VERSION=COMMAND {level} {in} {out}" for CUDA C++ and "c:NAME:VERSION=…" for C. It needs neither a GPU nor a linker; with -toolkit
// DIR, a folder with ptxas and nvlink, each pair is linked too. Where the linker contradicts the comparison of declarations, that is
// reported and counts as wrong. Where there is a device then, each pair is run on it, by internal/lab/gpu, and compared with
// the simulator. The last line says which device that was, or why there was none.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/producers"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// options are the flags.
type options struct {
	caller, callee  string
	only            string
	random          int
	seed            uint64
	target          string
	toolkit, driver string
	program         string // of internal/lab/gpu; it is built where none is named
}

func main() {
	var o options
	flag.StringVar(&o.caller, "caller", "", "compiler of the callers, KIND=PROGRAM")
	flag.StringVar(&o.callee, "callee", "", "compiler of the callees, KIND=PROGRAM")
	flag.StringVar(&o.only, "type", "", "names of types, divided by commas; all of the table without")
	flag.IntVar(&o.random, "random", 0, "random records beside those of the table")
	flag.Uint64Var(&o.seed, "seed", 1, "of the random records")
	flag.StringVar(&o.target, "target", "", "architecture to execute for; that of the device, or sm_80")
	flag.StringVar(&o.toolkit, "toolkit", "", "folder with ptxas and nvlink, which link each pair, and run it where there is a device")
	flag.StringVar(&o.driver, "driver", "libcuda.so.1", "library of the device's driver")
	flag.Parse()
	wrong, err := 0, error(nil)
	if flag.NArg() > 0 {
		err = fmt.Errorf("%q is not a flag; -caller and -callee name the compilers", flag.Arg(0))
	} else {
		wrong, err = run(os.Stdout, o)
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "pairs:", err)
		os.Exit(2)
	case wrong > 0:
		os.Exit(1)
	}
}

// run writes a line for each type that does not arrive, and last ones with numbers.
func run(out io.Writer, o options) (wrong int, err error) {
	s := &series{out: out, none: "there is no -toolkit to link for one", counts: map[string]int{}}
	if s.both, err = o.compilers(); err != nil {
		return 0, err
	}
	if o.toolkit != "" {
		dir, err := os.MkdirTemp("", "pairs-")
		if err != nil {
			return 0, err
		}
		defer os.RemoveAll(dir)
		if s.nvlink, err = newLinker(o.toolkit); err != nil {
			return 0, err
		}
		s.nvlink.device, s.none = usable(dir, &o)
	}
	if s.target, err = abi.Lookup(cmp.Or(o.target, "sm_80")); err != nil {
		return 0, err
	}
	if s.nvlink != nil {
		s.nvlink.target = s.target.Name
	}
	cases, err := o.cases()
	if err != nil {
		return 0, err
	}
	for _, c := range cases {
		if c.Name == "variadic" || c.CXX && (s.both[0].Language == "c" || s.both[1].Language == "c") {
			continue
		}
		for _, result := range []bool{false, true} {
			if err := s.try(c, result); err != nil {
				return 0, err
			}
		}
	}
	return s.wrong, s.summary()
}

// compilers opens those of the callers and of the callees.
func (o *options) compilers() (both [2]*producers.Compiler, err error) {
	if o.caller == "" || o.callee == "" {
		return both, errors.New("-caller and -callee name a compiler each, such as clang=/usr/bin/clang-19")
	}
	if o.random < 0 {
		return both, fmt.Errorf("-random %d: it is a number of records", o.random)
	}
	for i, word := range []string{o.caller, o.callee} {
		if both[i], err = producers.Open(word); err != nil {
			return both, err
		}
		if both[i].Language == "headers" {
			return both, fmt.Errorf("%s: it compiles the types of CUDA's headers alone", word)
		}
	}
	return both, nil
}

// cases are the types to try: those of the table and random records, or of these the ones that -type names.
func (o *options) cases() ([]producers.Case, error) {
	own := func(c producers.Case) bool { return c.Only != "" }
	cases := slices.Concat(slices.DeleteFunc(producers.Cases(), own), randomCases(o.seed, o.random))
	if o.only == "" {
		return cases, nil
	}
	chosen := strings.Split(o.only, ",")
	for _, name := range chosen {
		if !slices.ContainsFunc(cases, func(c producers.Case) bool { return c.Name == name }) {
			return nil, fmt.Errorf("-type: there is no type %q", name)
		}
	}
	return slices.DeleteFunc(cases, func(c producers.Case) bool { return !slices.Contains(chosen, c.Name) }), nil
}

// A series is the trials of types between two compilers.
type series struct {
	out    io.Writer
	both   [2]*producers.Compiler
	target *abi.Target
	nvlink *linker
	none   string         // why there is no device
	counts map[string]int // of trials, by their results
	wrong  int
	unrun  string // why the first was not executed
}

// try passes a type as an argument or as a result, and writes a line if the value does not arrive.
func (s *series) try(c producers.Case, result bool) error {
	what := c.Name
	if result {
		what = "result " + c.Name
	}
	v, err := s.pair(c, result, "int")
	if err == nil && v.ok() && (v.Silent != "" || v.Looser) && v.Unrun == "" && !result {
		// The argument before the value decides whether the callee finds it.
		after, other := s.pair(c, result, "struct filler")
		if other == nil && after.Unrun == "" && (after.Fault != "" || after.Wrong != nil) {
			v, what = after, what+", after a struct of 65 bytes"
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	kind := v.kind()
	s.counts[kind]++
	for name, is := range map[string]bool{"linked": v.Linked, "on device": v.OnDevice, "otherwise": v.Device != "", "against": v.Linker != ""} {
		if is {
			s.counts[name]++
		}
	}
	if !v.ok() || v.Linker != "" {
		s.wrong++
	}
	if kind == "not executed" && s.unrun == "" {
		s.unrun = what + ": " + v.Unrun
	}
	if kind != "arrive" || v.Linker != "" {
		fmt.Fprintf(s.out, "%s: %s\n", what, v)
	}
	return nil
}

// summary writes the numbers, and fails if nothing was executed.
func (s *series) summary() error {
	n, a, b := s.counts, s.both[0], s.both[1]
	if n["not executed"] > 0 && n["arrive"]+n["differ"]+n["refused"]+n["wrong"] == 0 {
		return fmt.Errorf("nothing could be tried: %s", s.unrun)
	}
	fmt.Fprintf(s.out, "caller %s %s, callee %s %s: %d arrive, %d arrive though declared otherwise, %d refused, %d wrong, %d not executed\n",
		a.Name, a.Version, b.Name, b.Version, n["arrive"], n["differ"], n["refused"], n["wrong"], n["not executed"])
	if s.nvlink != nil {
		fmt.Fprintf(s.out, "linked: %d, %d of them against what the declarations say\n", n["linked"], n["against"])
	}
	if s.nvlink == nil || s.nvlink.device == nil {
		fmt.Fprintf(s.out, "executed in the simulator, on no device: %s\n", s.none)
	} else {
		fmt.Fprintf(s.out, "executed on %s: %d, %d of them otherwise than in the simulator\n", s.nvlink.device.name, n["on device"], n["otherwise"])
	}
	return nil
}

// usable finds a device that runs what is built for the target, which is the device's if none is named. Else none says why.
func usable(dir string, o *options) (d *device, none string) {
	if o.program == "" {
		var err error
		if o.program, err = build(dir); err != nil {
			return nil, err.Error()
		}
	}
	d, err := findDevice(o.program, o.driver)
	if err != nil {
		return nil, err.Error()
	}
	if o.target = cmp.Or(o.target, d.sm); !d.runs(o.target) {
		return nil, fmt.Sprintf("%s does not run what is built for %s; -target %s is its own", d.name, o.target, d.sm)
	}
	return d, ""
}

// pair compiles a caller and a callee, and tries them. An argument follows one of the type before.
func (s *series) pair(c producers.Case, result bool, before string) (verdict, error) {
	filler := "struct filler { char c[65]; };\n"
	caller := filler + "E D void f($T *, $B, $T);\nX D void g($T *p, $T *q) { $B b = {}; f(q, b, *p); }\n"
	callee := filler + "X D void f($T *q, $B b, $T x) { *q = x; }\n"
	if result {
		caller = "E D $T f($T *);\nX D void g($T *p, $T *q) { *q = f(p); }\n"
		callee = "X D $T f($T *p) { return *p; }\n"
	}
	t := &trial{target: s.target, nvlink: s.nvlink}
	for i, src := range []string{caller, callee} {
		by := s.both[i]
		src = strings.NewReplacer("$T", c.Type, "$B", before, "{}", "{0}").Replace(src)
		text, err := by.Compile(context.Background(), producers.Declared(c)+src, by.Levels[len(by.Levels)-1])
		if err != nil {
			return verdict{Unrun: fmt.Sprintf("%s %s: %v", by.Name, by.Version, err)}, nil
		}
		t.texts[i] = text
	}
	var why string
	if t.value, t.mask, why = valueOf(c, s.both[0]); why != "" {
		return verdict{Unrun: why}, nil
	}
	return t.verdict()
}

// valueOf is a value of a type, and the bits of it that belong to fields.
func valueOf(c producers.Case, by *producers.Compiler) (value, mask []byte, why string) {
	rules := layout.LP64
	if by.Language != "c" {
		rules.Lang = layout.CXX
	}
	u, err := cdecl.Parse("k.cu", []byte(by.Spell(producers.Declared(c)+"typedef "+c.Type+" q_t;\n")), cdecl.Options{Rules: rules})
	if err != nil {
		return nil, nil, err.Error()
	}
	for _, d := range u.Typedefs {
		if d.Name != "q_t" {
			continue
		}
		l, err := layout.Of(d.Type, rules)
		if err != nil {
			return nil, nil, err.Error()
		}
		value, mask = make([]byte, l.Size), make([]byte, l.Size)
		for f := range l.Fields() {
			size := f.Size * 8
			if f.BitWidth > 0 {
				size = f.BitWidth
			}
			for bit := f.Start(); bit < f.Start()+size && bit < l.Size*8; bit++ {
				mask[bit/8] |= 1 << (bit % 8)
			}
		}
		boolean := strings.Contains(producers.Declared(c)+c.Type, "BOOL")
		for i := range value {
			value[i] = byte(0x91+37*i) & mask[i]
			if boolean {
				value[i] = 1
			}
		}
		return value, mask, ""
	}
	return nil, nil, "the type is not known"
}

// randomCases are records of random fields.
func randomCases(seed uint64, n int) []producers.Case {
	r := rand.New(rand.NewPCG(seed, 0))
	types := []string{"char", "short", "int", "float", "double", "long long", "int *", "unsigned char"}
	var all []producers.Case
	for i := range n {
		var b strings.Builder
		for k := range 1 + r.IntN(6) {
			fmt.Fprintf(&b, " %s m%d", types[r.IntN(len(types))], k)
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "[%d]", 1+r.IntN(9))
			}
			b.WriteString(";")
		}
		name := fmt.Sprintf("random_%d", i)
		attribute := ""
		switch r.IntN(5) {
		case 0:
			attribute = "__attribute__((packed)) "
		case 1:
			attribute = fmt.Sprintf("__attribute__((aligned(%d))) ", 2<<r.IntN(4))
		}
		all = append(all, producers.Case{Name: name, Decl: "struct " + attribute + name + " {" + b.String() + " };", Type: "struct " + name})
	}
	return all
}
