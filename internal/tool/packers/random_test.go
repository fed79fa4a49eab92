package packers

import (
	_ "embed"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
)

var (
	seed    = flag.Uint64("seed", 1, "seed of the random structs")
	structs = flag.Int("structs", effort.Of(100, 2000), "how many random structs are compared with C")
)

// A maker writes random structs: as Go, as a header, and the code
// that fills one of them in C, in Go, in Rust and in Python. It knows nothing of layouts.
type maker struct {
	*rand.Rand
	golang, header, cfill, gofill, hfill, rfill, pfill strings.Builder

	named []*shape // structs that later ones may hold
	// more says that the structs are of C alone, with what Go has not got.
	more  bool
	count int // of variables in Rust
}

// A path leads to a value in a language: in C, in Go, in Go made of the header, in Rust and in
// Python. n is that of a NumPy scalar.
type path struct{ c, g, h, r, p, n string }

// at is the path to a part: ".x" in C, ".X" in Go, and in the others as in C.
func (x path) at(c, g string) path {
	n := c
	if name, ok := strings.CutPrefix(c, "."); ok {
		n = fmt.Sprintf("[%q]", name)
	}
	return path{x.c + c, x.g + g, x.h + g, x.r + c, x.p + c, x.n + n}
}

// A shape is a struct that has been declared.
type shape struct {
	name   string
	fields []shapeField
}

// A shapeField is one field and how it is filled, in a struct at a path.
type shapeField struct {
	fill func(m *maker, x path)
}

// scalars of Go and C that a random struct is made of.
var randomScalars = []struct{ g, c string }{
	{"bool", "_Bool"},
	{"int8", "int8_t"},
	{"uint8", "uint8_t"},
	{"int16", "int16_t"},
	{"uint16", "uint16_t"},
	{"int32", "int32_t"},
	{"uint32", "uint32_t"},
	{"int64", "int64_t"},
	{"uint64", "uint64_t"},
	{"float32", "float"},
	{"float64", "double"},
	{"complex64", "floatc"},
	{"complex128", "doublec"},
}

// value returns one value in Go and in C.
func (m *maker) value(typ string) (g, c string) {
	n := m.Uint64()
	switch typ {
	case "bool":
		return []string{"false", "true"}[n&1], []string{"0", "1"}[n&1]
	case "int8":
		return fmt.Sprint(int8(n)), fmt.Sprint(int8(n))
	case "int16":
		return fmt.Sprint(int16(n)), fmt.Sprint(int16(n))
	case "int32":
		return fmt.Sprint(int32(n)), fmt.Sprintf("(int32_t)0x%xu", uint32(n))
	case "int64":
		return fmt.Sprint(int64(n)), fmt.Sprintf("(int64_t)0x%xull", n)
	case "uint8", "uint16", "uint32", "uint64":
		n >>= 64 - map[string]uint{"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}[typ]
		return fmt.Sprintf("%#x", n), fmt.Sprintf("%#xull", n)
	case "float32", "float64":
		f := fmt.Sprintf("%d.%d", int16(n), 125*(n>>16&7))
		return f, f
	}
	re, im := fmt.Sprintf("%d.5", int16(n)), fmt.Sprintf("%d.25", uint8(n>>16))
	return fmt.Sprintf("complex(%s, %s)", re, im), fmt.Sprintf("%s + %s * _Complex_I", re, im)
}

// set fills one scalar.
func (m *maker) set(typ string, x path) {
	gv, cv := m.value(typ)
	fmt.Fprintf(&m.cfill, "\t%s = %s;\n", x.c, cv)
	fmt.Fprintf(&m.gofill, "\t%s = %s\n", x.g, gv)
	fmt.Fprintf(&m.hfill, "\t%s = %s\n", x.h, gv)
	rv, pv := foreign(gv)
	fmt.Fprintf(&m.rfill, "    %s = %s;\n", x.r, rv)
	read := pv
	if pv[0] == '(' {
		read = gv
	}
	m.python(x, pv, read)
}

// python sets a value, and holds that it is read so by NumPy.
func (m *maker) python(x path, value, numpy string) {
	fmt.Fprintf(&m.pfill, "    %s = %s\n", x.p, value)
	if numpy != "" {
		fmt.Fprintf(&m.pfill, "    same(lambda n: %s, %s)\n", x.n, numpy)
	}
}

// block fills a field in Rust through a copy, which is written back: it may be one that lies where Rust
// has no reference to it, and that has methods then.
func (m *maker) block(s *shape, x path, name string, fill func(x path)) {
	m.count++
	u := fmt.Sprintf("u%d", m.count)
	fmt.Fprintf(&m.rfill, "    let mut %s = GET(%s %s %s);\n", u, x.r, s.name, name)
	inner := x.at("."+name, "."+upperFirst(name))
	inner.r = u
	fill(inner)
	fmt.Fprintf(&m.rfill, "    SET(%s %s %s %s);\n", x.r, s.name, name, u)
}

// foreign spells a value of Go in Rust and in Python.
func foreign(g string) (r, p string) {
	if parts, ok := strings.CutPrefix(g, "complex("); ok {
		parts = strings.TrimSuffix(parts, ")")
		return "[" + parts + "]", "(" + parts + ")"
	}
	if g == "true" || g == "false" {
		return g, upperFirst(g)
	}
	return g, g
}

// field adds a random field. Names are F0 in Go and f0 in C.
func (m *maker) field(s *shape, k int) (g, c string) {
	gn, cn := fmt.Sprintf("F%d", k), fmt.Sprintf("f%d", k)
	add := func(fill func(m *maker, x path)) { s.fields = append(s.fields, shapeField{fill}) }
	sc := randomScalars[m.IntN(len(randomScalars))]
	scalar := func() {
		add(func(m *maker, x path) {
			m.block(s, x, cn, func(x path) { m.set(sc.g, x) })
		})
	}
	kinds := 16
	if m.more {
		kinds = 27
	}
	switch kind := m.IntN(kinds); {
	case kind >= 16:
		return "", m.onlyC(s, kind-16, cn, add)
	case kind < 8:
		scalar()
		return gn + " " + sc.g, sc.c + " " + cn
	case kind == 8: // an aligned field
		align := 1 << m.IntN(7)
		if align < 16 {
			align = 16
		}
		scalar()
		return fmt.Sprintf("%s %s `ptxabi:\"align=%d\"`", gn, sc.g, align), fmt.Sprintf("%s __attribute__((aligned(%d))) %s", sc.c, align, cn)
	case kind == 9: // an array, of one or two dimensions
		n, k := 1+m.IntN(5), 1+m.IntN(4)
		if m.IntN(5) == 0 {
			n = 17 + m.IntN(10)
		}
		add(func(m *maker, x path) {
			m.block(s, x, cn, func(x path) {
				for i := range n {
					for j := range k {
						at := fmt.Sprintf("[%d][%d]", i, j)
						m.set(sc.g, x.at(at, at))
					}
				}
			})
		})
		return fmt.Sprintf("%s [%d][%d]%s", gn, n, k, sc.g), fmt.Sprintf("%s %s[%d][%d]", sc.c, cn, n, k)
	case kind == 10: // a vector of CUDA
		v := []struct {
			g, c string
			n    int
		}{{"float32", "float", 4}, {"float32", "float", 3}, {"int32", "int", 2}, {"float64", "double", 2}, {"uint8", "uchar", 4}, {"int16", "short", 4}}[m.IntN(6)]
		add(func(m *maker, x path) {
			m.block(s, x, cn, func(x path) {
				for i := range v.n {
					m.set(v.g, x.at("."+"xyzw"[i:i+1], fmt.Sprintf("[%d]", i)))
				}
			})
		})
		return fmt.Sprintf("%s [%d]%s `ptxabi:\"type=%s%d\"`", gn, v.n, v.g, v.c, v.n), fmt.Sprintf("%s%d %s", v.c, v.n, cn)
	case kind == 11: // a device pointer
		add(func(m *maker, x path) {
			n := m.Uint64()
			m.block(s, x, cn, func(x path) {
				fmt.Fprintf(&m.cfill, "\t%s = (float *)0x%xull;\n", x.c, n)
				fmt.Fprintf(&m.gofill, "\t%s = %#x\n", x.g, n)
				fmt.Fprintf(&m.hfill, "\t%s = %#x\n", x.h, n)
				fmt.Fprintf(&m.rfill, "    %s = %#x;\n", x.r, n)
				m.python(x, fmt.Sprint(n), fmt.Sprint(n))
			})
		})
		return gn + " uint64 `ptxabi:\"ptr=global\"`", "float *" + cn
	case kind == 12:
		return m.bits(gn, cn, add)
	case kind == 13:
		return m.union(s, gn, cn, add)
	case len(m.named) > 0: // a struct, or an array of them
		in := m.named[m.IntN(len(m.named))]
		n := m.IntN(3)
		if n == 0 {
			add(func(m *maker, x path) {
				m.block(s, x, cn, func(x path) { in.fill(m, x) })
			})
			return gn + " " + in.name, "struct " + in.name + " " + cn
		}
		add(func(m *maker, x path) {
			m.block(s, x, cn, func(x path) {
				for i := range n {
					at := fmt.Sprintf("[%d]", i)
					in.element(m, x.at(at, at))
				}
			})
		})
		return fmt.Sprintf("%s [%d]%s", gn, n, in.name), fmt.Sprintf("struct %s %s[%d]", in.name, cn, n)
	}
	scalar()
	return gn + " " + sc.g, sc.c + " " + cn
}

// bits adds bit-fields that fill an integer.
func (m *maker) bits(gn, cn string, add func(func(m *maker, x path))) (g, c string) {
	size := []int{8, 16, 32, 64}[m.IntN(4)]
	var tags, decls []string
	named := false // one has to be
	for left, i := size, 0; left > 0; i++ {
		w := 1 + m.IntN(min(left, 20))
		if i == 5 {
			w = left
		}
		left -= w
		signed := m.IntN(2) == 0
		ctype, gtype, tag := fmt.Sprintf("uint%d_t", size), fmt.Sprintf("uint%d", size), fmt.Sprintf("b%d:%d", i, w)
		if signed {
			ctype, gtype, tag = ctype[1:], gtype[1:], fmt.Sprintf("b%d:-%d", i, w)
		}
		if m.IntN(6) == 0 && (left > 0 || named) {
			tags = append(tags, fmt.Sprintf(":%d", w))
			decls = append(decls, fmt.Sprintf("%s : %d", ctype, w))
			continue
		}
		named = true
		tags = append(tags, tag)
		decls = append(decls, fmt.Sprintf("%s %s_b%d : %d", ctype, cn, i, w))
		add(func(m *maker, x path) {
			gv, cv := m.value(gtype)
			fmt.Fprintf(&m.cfill, "\t%s.%s_b%d = %s;\n", x.c, cn, i, cv)
			method, want := fmt.Sprintf("%sB%d", gn, i), bitsOf(gv, gtype, w)
			access(&m.gofill, x.g, method, gv, want)
			access(&m.hfill, x.h, method, gv, want)
			m.bitField(x, fmt.Sprintf("%s_b%d", cn, i), gv, gtype, w)
		})
	}
	// A bit-field of no bits keeps those before it, and after, from sharing
	// the integer.
	first := fmt.Sprintf("uint%d_t : 0", size)
	last := "int8_t : 0"
	return fmt.Sprintf("%s uint%d `ptxabi:\"bits=%s\"`", gn, size, strings.Join(tags, "|")),
		first + ";\n\t" + strings.Join(decls, ";\n\t") + ";\n\t" + last
}

// union adds a union, of which one member is filled.
func (m *maker) union(s *shape, gn, cn string, add func(func(m *maker, x path))) (g, c string) {
	members := []struct{ name, g, c string }{{"A", "int32", "int32_t a"}, {"B", "float64", "double b"}, {"C", "uint16", "uint16_t c"}, {"D", "float32", "float d"}}
	size := 4
	list := members[2:]
	if m.IntN(2) == 0 {
		size, list = 8, members
	}
	var tags, decls []string
	for _, x := range list {
		tags = append(tags, x.name+":"+x.g)
		decls = append(decls, x.c+"; ")
	}
	pick := list[m.IntN(len(list))]
	add(func(m *maker, x path) {
		gv, cv := m.value(pick.g)
		small := strings.ToLower(pick.name)
		fmt.Fprintf(&m.cfill, "\t%s.%s.%s = %s;\n", x.c, cn, small, cv)
		access(&m.gofill, x.g, gn+pick.name, gv, gv)
		access(&m.hfill, x.h+"."+gn, pick.name, gv, gv)
		m.block(s, x, cn, func(x path) { m.overlay(x, small, gv) })
	})
	return fmt.Sprintf("%s [%d]byte `ptxabi:\"union=%s\"`", gn, size, strings.Join(tags, "|")),
		fmt.Sprintf("union { %s} %s", strings.Join(decls, ""), cn)
}

// bitField sets a bit-field of some type of Go in Rust and in Python, and reads it.
func (m *maker) bitField(x path, name, value, typ string, width int) {
	fmt.Fprintf(&m.rfill, "    %s.set_%s(%s);\n", x.r, name, value)
	want := bitsOf(value, typ, width)
	fmt.Fprintf(&m.rfill, "    assert_eq!(%s.%s(), %s);\n", x.r, name, want)
	m.python(x.at("."+name, ""), value, "")
	fmt.Fprintf(&m.pfill, "    assert %s.%s == %s\n", x.p, name, want)
}

// bitsOf is what a bit-field holds of a value of a type of Go, with the sign that its highest bit is.
func bitsOf(value, typ string, width int) string {
	if typ[0] == 'i' {
		n, err := strconv.ParseInt(value, 0, 64)
		if err != nil {
			panic(err)
		}
		return fmt.Sprint(n << (64 - width) >> (64 - width))
	}
	n, err := strconv.ParseUint(value, 0, 64)
	if err != nil {
		panic(err)
	}
	return fmt.Sprint(n << (64 - width) >> (64 - width))
}

// access sets a value in Go by a method, and reads it by another.
func access(b *strings.Builder, x, method, value, want string) {
	fmt.Fprintf(b, "\t%s.Set%s(%s)\n\tif x := %[1]s.%[2]s(); x != %[4]s {\n\t\tfmt.Println(\"%[1]s.%[2]s is\", x, \"and not %[4]s\")\n\t}\n", x, method, value, want)
}

// overlay sets what Rust has methods for, as other values have its bytes too.
func (m *maker) overlay(x path, name, value string) {
	fmt.Fprintf(&m.rfill, "    %s.set_%s(%s);\n    assert_eq!(%[1]s.%[2]s(), %[3]s);\n", x.r, name, value)
	_, value = foreign(value)
	m.python(x.at("."+name, ""), value, value)
}

func (s *shape) fill(m *maker, x path) {
	for _, f := range s.fields {
		f.fill(m, x)
	}
}

// element fills an element of an array, in Rust through a copy.
func (s *shape) element(m *maker, x path) {
	m.count++
	u, at := fmt.Sprintf("u%d", m.count), x.r
	fmt.Fprintf(&m.rfill, "    let mut %s = %s;\n", u, at)
	x.r = u
	s.fill(m, x)
	fmt.Fprintf(&m.rfill, "    %s = %s;\n", at, u)
}

// maxInner bounds the structs that others may hold, by the text that fills
// them: what holds what holds them would become large.
const maxInner = 150

// add declares a struct and writes the code that prints the bytes of one.
func (m *maker) add(i int) {
	s := &shape{name: fmt.Sprintf("S%d", i)}
	fmt.Fprintf(&m.golang, "type %s struct {\n", s.name)
	fmt.Fprintf(&m.header, "struct %s {\n", s.name)
	small := m.IntN(3) == 0
	attribute := ""
	if m.more {
		attribute = []string{"", "", "__attribute__((packed))", "__attribute__((aligned(32)))", "__attribute__((packed, aligned(4)))"}[m.IntN(5)]
	}
	for k := range 1 + m.IntN(7) {
		g, c := m.field(s, k)
		fmt.Fprintf(&m.golang, "\t%s\n", g)
		fmt.Fprintf(&m.header, "\t%s;\n", c)
	}
	m.golang.WriteString("}\n\n")
	fmt.Fprintf(&m.header, "} %s;\n\n", attribute)
	fmt.Fprintf(&m.cfill, "static void fill%d(void) {\n\tstruct %s v; memset(&v, 0, sizeof v);\n", i, s.name)
	for _, b := range []*strings.Builder{&m.gofill, &m.hfill} {
		fmt.Fprintf(b, "func fill%d() {\n\tvar v %s\n", i, s.name)
	}
	fmt.Fprintf(&m.rfill, "fn fill%d() {\n    let mut v = %s::default();\n", i, s.name)
	fmt.Fprintf(&m.pfill, "def fill%d():\n    v = structs.%s()\n", i, s.name)
	before := m.cfill.Len()
	s.fill(m, path{"v", "v", "v", "v", "v", "n"})
	cost := m.cfill.Len() - before
	fmt.Fprintf(&m.cfill, "\tprint(&v, sizeof v);\n}\n\n")
	fmt.Fprintf(&m.rfill, "    show(v.as_bytes());\n    let bytes = *v.as_bytes();\n    assert_eq!(unsafe { %s::from_bytes(&bytes) }.as_bytes(), &bytes);\n}\n\n", s.name)
	fmt.Fprintf(&m.pfill, "    show(v)\n\n\n")
	for _, b := range []*strings.Builder{&m.gofill, &m.hfill} {
		fmt.Fprintf(b, "\tshow(%d, v.AppendParam(nil), func(b []byte) []byte {\n\t\tvar w %s\n\t\tif err := w.UnmarshalParam(b); err != nil {\n\t\t\tpanic(err)\n\t\t}\n\t\treturn w.AppendParam(nil)\n\t})\n}\n\n", i, s.name)
	}
	if small && cost < maxInner {
		m.named = append(m.named, s)
	}
}

//go:embed testdata/text/randomShow.txt
var randomShow string

// complexTypes are complex numbers of C that are aligned as CUDA's are.
const complexTypes = "typedef float _Complex floatc __attribute__((aligned(8)));\n" +
	"typedef double _Complex doublec __attribute__((aligned(16)));\n\n"

// cPrelude are the types that CUDA declares by itself.
//
//go:embed testdata/text/cPrelude.c
var cPrelude string

// printedByC is what main.c of a folder prints, by each compiler of C that is installed.
func printedByC(t *testing.T, dir string) (want string) {
	t.Helper()
	for i, cc := range compilers(t, "gcc", "clang", "clang-19") {
		exe := filepath.Join(dir, cc+".exe")
		command(t, dir, nil, cc, "-std=gnu11", "-O0", "-w", "-o", exe, "main.c")
		out := command(t, dir, nil, exe)
		if i == 0 {
			want = out
		}
		require.Equal(t, want, out, "%s does not agree with the first", cc)
	}
	return want
}

// TestRandomAgainstC fills random structs in C and in Go, by code generated
// from Go types and by code generated from the header, and compares the bytes.
func TestRandomAgainstC(t *testing.T) {
	againstC(t, *structs, *seed, nil)
}

// TestRandomBigEndian does so for a tenth of the structs on s390x, which keeps
// the highest byte of a number first.
func TestRandomBigEndian(t *testing.T) {
	effort.NeedLong(t, "the standard library is compiled for another machine")
	qemu, err := exec.LookPath("qemu-s390x")
	if err != nil {
		t.Skip("qemu-s390x is not installed; Debian has it in qemu-user")
	}
	againstC(t, (*structs+9)/10, *seed+1, []string{"GOARCH=s390x", "CGO_ENABLED=0"}, "-exec", qemu)
}

func againstC(t *testing.T, n int, seed uint64, env []string, flags ...string) {
	dir := t.TempDir()
	t.Logf("%d structs, seed %d", n, seed)
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 0))}
	var names []string
	calls := ""
	for i := range n {
		m.add(i)
		names = append(names, fmt.Sprintf("S%d", i))
		calls += fmt.Sprintf("\tfill%d()\n", i)
	}
	writeFile(t, dir, "go.mod", "module example.org/random\n\ngo 1.21\n")
	writeFile(t, dir, "main.go", "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.org/random/g\"\n\t\"example.org/random/h\"\n)\n\nfunc main() {\n\tg.All()\n\tfmt.Println()\n\th.All()\n}\n")
	all := "func All() {\n" + calls + "}\n"
	writeFile(t, dir, "g/types.go", "package g\n\n"+m.golang.String())
	writeFile(t, dir, "g/fill.go", fmt.Sprintf(randomShow, "g")+m.gofill.String()+all)
	writeFile(t, dir, "h/structs.h", complexTypes+m.header.String())
	writeFile(t, dir, "h/fill.go", fmt.Sprintf(randomShow, "h")+m.hfill.String()+all)
	writeFile(t, dir, "c/main.c", cPrelude+m.cfill.String()+"int main(void) {\n"+strings.ReplaceAll(calls, ")\n", ");\n")+"\treturn 0;\n}\n")
	for _, cfg := range []Config{
		{Dir: filepath.Join(dir, "g"), Input: "types.go", Types: names},
		{Dir: filepath.Join(dir, "h"), Input: "structs.h", Types: names, Rules: "sysv", Package: "h", Header: "../c/structs.h"},
	} {
		files, err := Generate(cfg)
		require.NoError(t, err)
		for _, f := range files {
			writeFile(t, cfg.Dir, f.Path, string(f.Data))
		}
	}
	// The header that is generated holds its own assertions, in C and in C++.
	for _, args := range []string{"gcc -std=c11", "g++ -std=c++11 -x c++"} {
		list := append(strings.Fields(args), "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "structs.h")
		if _, err := exec.LookPath(list[0]); err == nil {
			command(t, filepath.Join(dir, "c"), nil, list[0], list[1:]...)
		}
	}
	want := printedByC(t, filepath.Join(dir, "c"))
	require.Equal(t, n, strings.Count(want, "\n"))
	// Code that runs once need not be optimised.
	run := append([]string{"run", "-gcflags=example.org/random/...=-N -l"}, flags...)
	compareLines(t, want+"\n"+want, command(t, dir, env, "go", append(run, ".")...), names)
}
