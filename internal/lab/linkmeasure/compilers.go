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

// A compiler makes PTX of C.
type compiler struct {
	name string
	head string // of the source
	run  func(source, result string) (string, error)
}

// compilersOf are those at hand: clang, NVIDIA's cicc, and the program of -cuda, which
// compiles CUDA C++.
func compilersOf(tools *oracle.Tools, l *linker, cuda string) []compiler {
	var all []compiler
	for _, c := range tools.Clangs {
		all = append(all, compiler{"clang " + c.Version, "", func(source, result string) (string, error) {
			return tool(c.Path, "--target=nvptx64-nvidia-cuda", "-march=sm_75", "-O1", "-S", "-x", "c", "-w", source, "-o", result)
		}})
	}
	for _, kit := range tools.Toolkits {
		if kit.Cicc == "" || kit.Version.Compare(l.Version) > 0 {
			continue
		}
		const head = "# 1 \"k.cu\"\n"
		all = append(all, compiler{"cicc " + kit.Version.String(), head, func(source, result string) (string, error) {
			return tool(kit.Cicc, "--c++17", "--gnu_version=110000", "-arch", "compute_75", "-m64", "--orig_src_file_name", "k.cu", "-w", "--device-c", source, "-o", result)
		}})
	}
	if cuda != "" {
		all = append(all, compiler{"cuda", "", func(source, result string) (string, error) {
			return tool(cuda, "-arch", "compute_75", source, "-o", result)
		}})
	}
	return all
}

// compilers is pairs for modules that compilers make of C.
func compilers(ctx context.Context, tools *oracle.Tools, l *linker, j job) (string, int, error) {
	all := compilersOf(tools, l, j.cuda)
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
		sources, planted, silent := randomSources(r)
		p := pair{planted: planted, silent: silent}
		target := targets[i%len(targets)]
		var objects []string
		var names []string
		for k, text := range sources {
			c := all[r.IntN(len(all))]
			names = append(names, c.name)
			used[c.name]++
			file := filepath.Join(dir, fmt.Sprint(k))
			source := file + ".c"
			switch name, _, _ := strings.Cut(c.name, " "); name {
			case "cuda":
				source = file + ".cu"
			case "cicc":
				source = file + ".ii"
			}
			switch {
			case strings.HasPrefix(c.name, "cicc"):
				text = strings.ReplaceAll(text, "__device__", "__attribute__((device))")
			case strings.HasPrefix(c.name, "clang"):
				text = strings.NewReplacer("extern \"C\" ", "", "__device__ ", "").Replace(text)
			}
			if err := os.WriteFile(source, []byte(c.head+text), 0o600); err != nil {
				return "", 0, err
			}
			if said, err := c.run(source, file+".ptx"); err != nil {
				return "", 0, fmt.Errorf("pair %d, %s: %w: %s\n%s", i, c.name, err, said, text)
			}
			ptx, err := os.ReadFile(file + ".ptx")
			if err != nil {
				return "", 0, err
			}
			object, err := l.assemble(file, newTarget(string(ptx), l, target), target)
			if err != nil {
				return "", 0, fmt.Errorf("pair %d, %s: %w", i, c.name, err)
			}
			p.files = append(p.files, string(ptx))
			objects = append(objects, object)
		}
		d, err := tally.compare(l, dir, target, objects, p)
		if err != nil {
			return "", 0, err
		}
		if d != "" {
			fmt.Printf("seed %d, pair %d for %s of %s, planted %q: %s\n%s\n// file\n%s\n", j.seed, i, target, strings.Join(names, " and "), planted, d, sources[0], sources[1])
		}
	}
	var parts []string
	for _, c := range all {
		parts = append(parts, fmt.Sprintf("%d of %s", used[c.name], c.name))
	}
	return tally.String() + "; " + strings.Join(parts, ", "), tally.differ, nil
}

var versionAndTarget = regexp.MustCompile(`(?m)^\.(version|target) .*$`)

// newTarget is a module for another target, of the version that the assembler has.
func newTarget(text string, l *linker, target string) string {
	return versionAndTarget.ReplaceAllStringFunc(text, func(line string) string {
		if strings.HasPrefix(line, ".version") {
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

// randomSources makes a caller and a definition, which may disagree in one thing.
func randomSources(r *rand.Rand) (sources []string, planted string, silent bool) {
	var s csignature
	for range 1 + r.IntN(5) {
		f := cfield{typ: ctypes[r.IntN(len(ctypes))]}
		if r.IntN(4) == 0 {
			f.n = 1 + r.IntN(4)
		}
		s.fields = append(s.fields, f)
	}
	for range r.IntN(5) {
		s.params = append(s.params, append(ctypes, "S", "S")[r.IntN(len(ctypes)+2)])
	}
	s.result = append(ctypes, "S", "void")[r.IntN(len(ctypes)+2)]
	def := s.clone()
	if r.IntN(2) == 0 {
		planted, silent = plantC(r, &s, &def)
	}
	caller := s.record() + "extern \"C\" __device__ " + s.result + " f(" + s.list() + ");\n" +
		"extern \"C\" __device__ void caller(" + strings.TrimSuffix(strings.Join(append(slices.Clone(pointed(s.params)), s.resultPointer()), ", "), ", ") + ")\n{\n\t" + s.assign() + "f(" + stars(s.params) + ");\n}\n"
	definition := def.record() + "extern \"C\" __device__ " + def.result + " f(" + def.list() + ")\n{\n" + def.body() + "}\n"
	return []string{caller, definition}, planted, silent
}

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
