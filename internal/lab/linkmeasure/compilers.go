package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// A compiler makes PTX of a caller or a definition.
type compiler struct {
	name string
	// takes reports whether it has the types of a signature; nil: all.
	takes func(csignature) bool
	run   func(base string, one source) (said string, err error) // to base.ptx
}

// A source is one side of a pair.
type source struct {
	text   string // C++ for CUDA
	caller bool
	sig    csignature
}

// write writes C for a compiler: CUDA's words replaced, between what stands around it.
func (one source) write(file, before, after string, words ...string) error {
	return os.WriteFile(file, []byte(before+strings.NewReplacer(words...).Replace(one.text)+after), 0o600)
}

var plainC = []string{`extern "C" `, "", "__device__ ", ""}

// compilersOf are those at hand: clang, NVIDIA's cicc, and those that flags name.
func compilersOf(tools *oracle.Tools, l *linker, j job) ([]compiler, error) {
	var all []compiler
	for _, c := range tools.Clangs {
		all = append(all, compiler{name: "clang " + c.Version, run: func(base string, one source) (string, error) {
			if err := one.write(base+".c", "", "", plainC...); err != nil {
				return "", err
			}
			return tool(c.Path, "--target=nvptx64-nvidia-cuda", "-march=sm_75", "-Xclang", "-target-feature", "-Xclang", "+ptx63", "-O1", "-S", "-x", "c", "-w", base+".c", "-o", base+".ptx")
		}})
	}
	for _, kit := range tools.Toolkits {
		if kit.Cicc == "" || kit.Version.Compare(l.Version) > 0 {
			continue
		}
		all = append(all, compiler{name: "cicc " + kit.Version.String(), run: func(base string, one source) (string, error) {
			if err := one.write(base+".ii", "# 1 \"k.cu\"\n", "", "__device__", "__attribute__((device))"); err != nil {
				return "", err
			}
			return tool(kit.Cicc, "--c++17", "--gnu_version=110000", "-arch", "compute_75", "-m64", "--orig_src_file_name", "k.cu", "-w", "--device-c", base+".ii", "-o", base+".ptx")
		}})
	}
	if j.cuda != "" {
		all = append(all, compiler{name: "cuda", run: func(base string, one source) (string, error) {
			if err := one.write(base+".cu", "", ""); err != nil {
				return "", err
			}
			return tool(j.cuda, "-arch", "compute_75", base+".cu", "-o", base+".ptx")
		}})
	}
	if j.gcc != "" {
		version, err := tool("gcc", "-dumpfullversion")
		if err != nil {
			return nil, err
		}
		all = append(all, compiler{name: "gcc " + strings.TrimSpace(version), run: func(base string, one source) (string, error) {
			if err := one.write(base+".c", "#pragma omp declare target\n", "#pragma omp end declare target\n", plainC...); err != nil {
				return "", err
			}
			if said, err := tool("gcc", "-fopenmp", "-foffload=nvptx-none", "-w", "-O2", "-c", base+".c", "-o", base+".o"); err != nil {
				return said, err
			}
			if said, err := tool(j.gcc, "-quiet", "-O2", "-fdisable-tree-nrv", "-fno-ipa-icf", "-m64", "-mgomp", base+".o", "-o", base+".ptx"); err != nil {
				return said, err
			}
			return "", declareFirst(base + ".ptx")
		}})
	}
	if j.numba != "" {
		n, err := startNumba(j.numba)
		if err != nil {
			return nil, err
		}
		all = append(all, compiler{name: n.name, takes: func(s csignature) bool { // what returns nothing returns an address in Numba's C
			return s.result != "void" && !s.records()
		}, run: n.compile})
	}
	return all, nil
}

// declareFirst puts what a module of GCC declares last before what uses it, as GCC's
// own assembler does.
func declareFirst(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var declared, rest []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, ".extern ") || strings.HasPrefix(line, "\t.global ") {
			declared = append(declared, line)
		} else {
			rest = append(rest, line)
		}
	}
	const end = "// END PREAMBLE\n"
	return os.WriteFile(file, []byte(strings.Replace(strings.Join(rest, ""), end, end+strings.Join(declared, ""), 1)), 0o600)
}

// stackOfGCC is what GCC's code asks of those who start it: a stack for each warp.
const stackOfGCC = ".visible .shared .u64 __nvptx_stacks[32];\n"

// compilers is pairs for modules that compilers make of C.
func compilers(ctx context.Context, tools *oracle.Tools, l *linker, j job) (string, int, error) {
	all, err := compilersOf(tools, l, j)
	if err != nil {
		return "", 0, err
	}
	if len(all) == 0 {
		return "", 0, errors.New("no compiler is at hand")
	}
	dir, err := os.MkdirTemp("", "compilers-")
	if err != nil {
		return "", 0, err
	}
	defer os.RemoveAll(dir)
	var tally tally
	used := make(map[string]int)
	targets := slices.DeleteFunc(l.targets(j.target), func(t string) bool {
		return j.target == "" && slices.Contains([]string{"sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72"}, t)
	})
	for i := range j.n {
		if ctx.Err() != nil {
			return "", 0, ctx.Err()
		}
		r := rand.New(rand.NewPCG(j.seed<<32|l.number(), uint64(i)))
		p, sources, by := randomSources(r, all)
		target := targets[i%len(targets)]
		var objects, names []string
		stacks := false
		for k, one := range sources {
			names = append(names, by[k].name)
			used[by[k].name]++
			base := filepath.Join(dir, fmt.Sprint(k))
			if said, err := by[k].run(base, one); err != nil {
				return "", 0, fmt.Errorf("pair %d, %s: %w: %s\n%s", i, by[k].name, err, said, one.text)
			}
			text, err := os.ReadFile(base + ".ptx")
			if err != nil {
				return "", 0, err
			}
			object, err := l.assemble(base, newTarget(string(text), l, target), target)
			if err != nil {
				return "", 0, fmt.Errorf("pair %d, %s: %w", i, by[k].name, err)
			}
			stacks = stacks || strings.Contains(string(text), "__nvptx_stacks")
			objects = append(objects, object)
		}
		if stacks {
			object, err := l.assemble(filepath.Join(dir, "stacks"), head(l, target)+stackOfGCC, target)
			if err != nil {
				return "", 0, err
			}
			objects = append(objects, object)
		}
		d, err := tally.compare(l, dir, target, objects, p)
		if err != nil {
			return "", 0, err
		}
		if d != "" {
			fmt.Printf("seed %d, pair %d for %s of %s, planted %q: %s\n%s\n// file\n%s\n", j.seed, i, target, strings.Join(names, " and "), p.planted, d, sources[0].text, sources[1].text)
		}
	}
	var parts []string
	for _, c := range all {
		parts = append(parts, fmt.Sprintf("%d of %s", used[c.name], c.name))
	}
	return tally.String() + "; " + strings.Join(parts, ", "), tally.differ, nil
}

var versionAndTarget = regexp.MustCompile(`(?m)^[ \t]*\.(version|target)[ \t].*$`)

// newTarget is a module for another target, of the version that the assembler has.
func newTarget(text string, l *linker, target string) string {
	return versionAndTarget.ReplaceAllStringFunc(text, func(line string) string {
		if strings.HasPrefix(strings.TrimSpace(line), ".version") {
			return fmt.Sprintf(".version %s", l.PTX)
		}
		return ".target " + target
	})
}

// A cfield is a member or parameter in C.
type cfield struct {
	typ   string
	n     int // elements; 0: no array
	align int // 0: its own
}

var ctypes = []string{"char", "short", "int", "unsigned", "long long", "float", "double"}

func (f cfield) decl(name string) string {
	s := f.typ + " " + name
	if f.n > 0 {
		s += fmt.Sprintf("[%d]", f.n)
	}
	if f.align > 0 {
		s += fmt.Sprintf(" __attribute__((aligned(%d)))", f.align)
	}
	return s + ";"
}

// A csignature is a function in C, which takes a record among other things.
type csignature struct {
	fields []cfield
	params []string // types of ctypes, "S"
	result string   // "void", one of ctypes, "S"
}

func (s csignature) clone() csignature {
	s.fields, s.params = slices.Clone(s.fields), slices.Clone(s.params)
	return s
}

// record declares S.
func (s csignature) record() string {
	var b strings.Builder
	b.WriteString("typedef struct {\n")
	for i, f := range s.fields {
		fmt.Fprintf(&b, "\t%s\n", f.decl(fmt.Sprintf("m%d", i)))
	}
	return b.String() + "} S;\n"
}

// params are declared with names.
func (s csignature) list() string {
	var list []string
	for i, p := range s.params {
		list = append(list, fmt.Sprintf("%s p%d", p, i))
	}
	if list == nil {
		return "void"
	}
	return strings.Join(list, ", ")
}

// randomSources makes a caller and a definition, which may disagree in one thing, and
// chooses their compilers.
func randomSources(r *rand.Rand, all []compiler) (p pair, sources [2]source, by [2]compiler) {
	var s csignature
	for range 1 + r.IntN(5) {
		f := cfield{typ: ctypes[r.IntN(len(ctypes))]}
		if r.IntN(4) == 0 {
			f.n = 1 + r.IntN(4)
		}
		s.fields = append(s.fields, f)
	}
	types := append(ctypes, "S", "S")
	if r.IntN(3) == 0 { // for those that have no records
		types = ctypes
	}
	for range r.IntN(5) {
		s.params = append(s.params, types[r.IntN(len(types))])
	}
	s.result = append(types, "void")[r.IntN(len(types)+1)]
	def := s.clone()
	if r.IntN(2) == 0 {
		p.planted, p.silent = plantC(r, &s, &def)
	}
	for i, sig := range []csignature{s, def} {
		for {
			by[i] = all[r.IntN(len(all))]
			if by[i].takes == nil || by[i].takes(sig) {
				break
			}
		}
	}
	isGCC := func(c compiler) bool { return strings.HasPrefix(c.name, "gcc") }
	switch {
	case strings.HasPrefix(by[0].name, "numba"):
		if r.IntN(2) == 0 { // the definition has C's convention
			def, p = s.clone(), pair{planted: "Numba's convention"}
			break
		}
		if p.planted == "result" { // through the pointer
			p = pair{}
		}
		def.params = append([]string{"long long"}, def.params...)
		def.result = "int"
	case isGCC(by[0]) != isGCC(by[1]) && (s.records() || def.records()):
		p.planted, p.silent = "records by pointer", false
	case isGCC(by[0]) && slices.Contains([]string{"a member more", "size of a member", "alignment"}, p.planted):
		p = pair{} // after the pointer
	}
	caller := s.record() + "extern \"C\" __device__ " + s.result + " f(" + s.list() + ");\n" +
		"extern \"C\" __device__ void caller(" + strings.TrimSuffix(strings.Join(append(slices.Clone(pointed(s.params)), s.resultPointer()), ", "), ", ") + ")\n{\n\t" + s.assign() + "f(" + stars(s.params) + ");\n}\n"
	definition := def.record() + "extern \"C\" __device__ " + def.result + " f(" + def.list() + ")\n{\n" + def.body() + "}\n"
	sources = [2]source{{caller, true, s}, {definition, false, def}}
	for _, one := range sources {
		p.files = append(p.files, one.text)
	}
	return p, sources, by
}

// records reports whether records are passed or returned.
func (s csignature) records() bool { return s.result == "S" || slices.Contains(s.params, "S") }

func pointed(params []string) []string {
	var list []string
	for i, p := range params {
		list = append(list, fmt.Sprintf("%s *p%d", p, i))
	}
	return list
}

func stars(params []string) string {
	var list []string
	for i := range params {
		list = append(list, fmt.Sprintf("*p%d", i))
	}
	return strings.Join(list, ", ")
}

func (s csignature) resultPointer() string {
	if s.result == "void" {
		return "int *unused"
	}
	return s.result + " *out"
}

func (s csignature) assign() string {
	if s.result == "void" {
		return ""
	}
	return "*out = "
}

// body returns something.
func (s csignature) body() string {
	if s.result == "void" {
		return ""
	}
	return fmt.Sprintf("\tstatic %s r;\n\treturn r;\n", s.result)
}

// plantC changes one of two signatures.
func plantC(r *rand.Rand, s, def *csignature) (what string, silent bool) {
	uses := func() bool { return def.result == "S" || slices.Contains(def.params, "S") }
	for {
		switch r.IntN(7) {
		case 0:
			def.params = append(def.params, ctypes[r.IntN(len(ctypes))])
			return "number of parameters", false
		case 1:
			if len(def.params) == 0 {
				continue
			}
			def.params = def.params[:len(def.params)-1]
			return "number of parameters", false
		case 2:
			i := slices.IndexFunc(def.params, func(p string) bool { return p == "int" || p == "unsigned" || p == "char" || p == "short" })
			if i < 0 {
				continue
			}
			def.params[i] = []string{"long long", "double", "S"}[r.IntN(3)] // a float of 32 bits is one of .b32 to compilers
			return "type of a parameter", false
		case 3:
			if def.result == "void" {
				def.result = "int"
			} else {
				def.result = "void"
			}
			return "result", false
		case 4:
			if !uses() {
				continue
			}
			def.fields = append(def.fields, cfield{typ: "double"})
			return "a member more", false
		case 5:
			if !uses() {
				continue
			}
			def.fields[r.IntN(len(def.fields))] = cfield{typ: "double", n: 7}
			return "size of a member", false
		case 6:
			*s = csignature{fields: []cfield{{typ: "int", n: 4}}, params: []string{"int", "S"}, result: s.result}
			if s.result == "S" {
				s.result = "int"
			}
			*def = s.clone()
			def.fields[0].align = 8 << r.IntN(2)
			return "alignment", true
		}
	}
}
