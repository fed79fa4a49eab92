package packers

import (
	_ "embed"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

var langStructs = flag.Int("langstructs", effort.Of(25, 2000), "how many random structs are compared with C in each other language")

// onlyC adds a field that Go has no counterpart of, and returns it in C.
func (m *maker) onlyC(s *shape, kind int, cn string, add func(func(m *maker, x path))) string {
	one, two := randomScalars[m.IntN(11)], randomScalars[m.IntN(11)] // no complex numbers
	scalar := func(x path, name, typ string) {
		m.block(s, x, name, func(x path) { m.set(typ, x) })
	}
	member := func(x path, name, typ string) { // of a union without a name
		gv, cv := m.value(typ)
		fmt.Fprintf(&m.cfill, "\t%s.%s = %s;\n", x.c, name, cv)
		m.overlay(x, name, gv)
	}
	switch kind {
	case 0: // a union without a name
		add(func(m *maker, x path) { member(x, cn+"_b", two.g) })
		return fmt.Sprintf("union { %s %s_a; %s %s_b; }", one.c, cn, two.c, cn)
	case 1: // with a struct in it
		add(func(m *maker, x path) {
			member(x, cn+"_a", one.g)
			member(x, cn+"_b", two.g)
		})
		return fmt.Sprintf("union { struct { %s %s_a; %s %s_b; }; char %s_c; }", one.c, cn, two.c, cn, cn)
	case 2: // a struct without a name
		add(func(m *maker, x path) {
			scalar(x, cn+"_a", one.g)
			scalar(x, cn+"_b", two.g)
		})
		return fmt.Sprintf("struct { %s %s_a; %s %s_b; }", one.c, cn, two.c, cn)
	case 3:
		add(func(m *maker, x path) {
			n := m.Uint32N(1 << 16)
			fmt.Fprintf(&m.cfill, "\t%s.%s.__x = %d;\n", x.c, cn, n)
			m.block(s, x, cn, func(x path) {
				fmt.Fprintf(&m.rfill, "    %s = %d;\n", x.r, n)
				m.python(x, fmt.Sprint(n), "")
			})
		})
		return "__half " + cn
	case 4: // aligned to less than its size
		add(func(m *maker, x path) { scalar(x, cn, "float64") })
		return "low " + cn
	case 5:
		add(func(m *maker, x path) { scalar(x, cn, one.g) })
		return fmt.Sprintf("%s %s __attribute__((packed))", one.c, cn)
	case 6:
		add(func(m *maker, x path) {
			n := []int{0, 5, -7}[m.IntN(3)]
			fmt.Fprintf(&m.cfill, "\t%s.%s = (enum color)%d;\n", x.c, cn, n)
			m.block(s, x, cn, func(x path) {
				fmt.Fprintf(&m.rfill, "    %s = %d;\n", x.r, n)
				m.python(x, fmt.Sprint(n), fmt.Sprint(n))
			})
		})
		return "enum color " + cn
	case 8, 9: // bit-fields in a struct and in a union without a name
		typ, width := []string{"int8", "uint16", "int32", "uint64"}[m.IntN(4)], 1+m.IntN(8)
		add(func(m *maker, x path) {
			gv, cv := m.value(typ)
			fmt.Fprintf(&m.cfill, "\t%s.%s_b = %s;\n", x.c, cn, cv)
			m.bitField(x, cn+"_b", gv, typ, width)
		})
		if kind == 9 {
			return fmt.Sprintf("union { %s_t %s_b : %d; int %s_c; }", typ, cn, width, cn)
		}
		return fmt.Sprintf("struct { unsigned %s_a : 3; %s_t %s_b : %d; char %s_c; }", cn, typ, cn, width, cn)
	case 10: // a bool is one bit
		add(func(m *maker, x path) {
			fmt.Fprintf(&m.cfill, "\t%s.%s = 1;\n", x.c, cn)
			fmt.Fprintf(&m.rfill, "    %s.set_%s(true);\n    assert!(%[1]s.%[2]s());\n", x.r, cn)
			m.python(x.at("."+cn, ""), "True", "")
		})
		return fmt.Sprintf("_Bool %s : 1", cn)
	}
	add(func(m *maker, x path) {
		low, high := m.Uint64(), m.Uint64()
		fmt.Fprintf(&m.cfill, "\t%s.%s = (__int128)0x%xull << 64 | 0x%xull;\n", x.c, cn, high, low)
		m.block(s, x, cn, func(x path) {
			fmt.Fprintf(&m.rfill, "    %s = [%d, %d];\n", x.r, low, high)
			m.python(x, fmt.Sprintf("(%d, %d)", low, high), "")
		})
	})
	return "__int128 " + cn
}

// langPrelude is what headers for other languages begin with.
const langPrelude = `#ifdef HOST
#define __global__
typedef struct { unsigned short __x; } __attribute__((aligned(2))) __half;
#endif
typedef double low __attribute__((aligned(4)));
enum color { RED, GREEN = 5, BLUE = -7 };

`

// A langCase is random structs and kernels, with what C makes of them.
type langCase struct {
	*maker
	dir     string
	types   []string
	kernels []string
	calls   []string
	want    string
}

// newLangCase makes structs, fills them in C, and generates what another language needs.
func newLangCase(t *testing.T, output string) (c *langCase, generated string) {
	n := *langStructs
	t.Logf("%d structs, seed %d", n, *seed)
	c = &langCase{maker: &maker{Rand: rand.New(rand.NewPCG(*seed, 1)), more: true}, dir: t.TempDir()}
	for i := range 2 * n { // of which nvcc may lay some out otherwise
		c.add(i)
	}
	header := langPrelude + complexTypes + c.header.String()
	rules := layout.LP64.NVCC()
	u, err := cdecl.Parse("structs.h", []byte(header), cdecl.Options{Rules: layout.LP64})
	require.NoError(t, err)
	calls := ""
	for _, d := range u.Records {
		l, err := layout.Of(d.Type, rules)
		require.NoError(t, err, d.Name)
		if l.Doubt(layout.NVCC) != "" || !strings.HasPrefix(d.Name, "S") || len(c.types) == n {
			continue
		}
		i := strings.TrimPrefix(d.Name, "S")
		c.types = append(c.types, d.Name)
		c.calls = append(c.calls, "fill"+i)
		calls += "\tfill" + i + "();\n"
		if l.Align <= 16 && len(c.types)%4 == 0 {
			header += c.kernel(i, &l)
			c.kernels = append(c.kernels, "k"+i)
			c.calls = append(c.calls, "call"+i)
			calls += "\tcall" + i + "();\n"
		}
	}
	require.Len(t, c.types, n)
	writeFile(t, c.dir, "structs.h", header)
	prelude := "#define HOST\n" + strings.Replace(cPrelude, "../h/structs.h", "structs.h", 1) + "#include <stddef.h>\n"
	writeFile(t, c.dir, "main.c", prelude+c.cfill.String()+"int main(void) {\n"+calls+"\treturn 0;\n}\n")
	c.want = printedByC(t, c.dir)
	files, err := Generate(Config{Dir: c.dir, Input: "structs.h", Types: c.types, Kernels: c.kernels, Rules: "sysv", Output: output})
	require.NoError(t, err)
	require.Len(t, files, 1)
	writeFile(t, c.dir, output, string(files[0].Data))
	return c, string(files[0].Data)
}

// kernel declares a kernel that takes the struct with a number between other parameters, and writes the
// code that packs its arguments.
func (c *langCase) kernel(i string, l *layout.Layout) string {
	fmt.Fprintf(&c.cfill, "static void call%s(void) {\n\tstruct { char a; struct S%[1]s s __attribute__((aligned(%[2]d))); short b; } v; memset(&v, 0, sizeof v);\n", i, l.Align)
	fmt.Fprintf(&c.cfill, "\tv.a = 1; memset(&v.s, 1, 1); v.b = -2;\n\tprint(&v, offsetof(__typeof__(v), b) + 2);\n}\n\n")
	fmt.Fprintf(&c.rfill, "fn call%s() {\n    let mut s = [0; S%[1]s::SIZE];\n    s[0] = 1;\n", i)
	fmt.Fprintf(&c.rfill, "    let args = K%sArgs { a: 1, s: unsafe { S%[1]s::from_bytes(&s) }, b: -2 };\n    show(&args.pack());\n}\n\n", i)
	fmt.Fprintf(&c.pfill, "def call%s():\n    v = structs.K%[1]sArgs(a=1, b=-2)\n    v.s = structs.S%[1]s.from_buffer_copy(bytes([1]) + bytes(structs.S%[1]s.SIZE - 1))\n", i)
	fmt.Fprintf(&c.pfill, "    show(v, v.pack(), structs.K%sArgs.BUFFER_SIZE)\n\n\n", i)
	return fmt.Sprintf("__global__ void k%s(char a, struct S%[1]s s, short b);\n", i)
}

//go:embed testdata/text/rustMain.txt
var rustMain string

var accesses = regexp.MustCompile(`(GET|SET)\((\S+) (\S+) (\w+)(?: (\w+))?\)`)

// TestRandomRust fills random structs in C and in Rust, and compares the bytes.
func TestRandomRust(t *testing.T) {
	rustc, _ := effort.Rustc()
	if rustc == "" {
		t.Skip("rustc is not installed, or older than 1.77; rustup and Debian have newer ones")
	}
	c, text := newLangCase(t, "structs.rs")
	// What is not aligned has methods.
	methods := map[string]bool{}
	for _, decl := range strings.Split(text, "\npub struct ")[1:] {
		decl, _, _ = strings.Cut(decl, "\n}\n")
		name, _, _ := strings.Cut(decl, " ")
		for _, m := range regexp.MustCompile(`pub (\w+)_bytes:`).FindAllStringSubmatch(decl, -1) {
			methods[name+"."+m[1]] = true
		}
	}
	fill := accesses.ReplaceAllStringFunc(c.rfill.String(), func(s string) string {
		m := accesses.FindStringSubmatch(s)
		access, at, name, field, value := m[1], m[2], m[3], m[4], m[5]
		switch {
		case methods[name+"."+field] && access == "GET":
			return fmt.Sprintf("unsafe { %s.%s() }", at, field)
		case methods[name+"."+field]:
			return fmt.Sprintf("%s.set_%s(%s)", at, field, value)
		case access == "GET":
			return at + "." + field
		}
		return fmt.Sprintf("%s.%s = %s", at, field, value)
	})
	var kept []string
	for _, f := range strings.SplitAfter(fill, "\n}\n\n") {
		name, _, _ := strings.Cut(strings.TrimPrefix(f, "fn "), "(")
		if slices.Contains(c.calls, name) {
			kept = append(kept, f)
		}
	}
	writeFile(t, c.dir, "main.rs", "#![allow(unused_unsafe, unused_mut, unused_variables, unused_assignments, unused_imports)]\n"+rustMain+
		strings.Join(kept, "")+"fn main() {\n    "+strings.Join(c.calls, "();\n    ")+"();\n}\n")
	command(t, c.dir, nil, rustc, "--edition=2021", "-Cdebuginfo=0", "-Dwarnings", "-o", "rust.exe", "main.rs")
	compareLines(t, c.want, command(t, c.dir, nil, filepath.Join(c.dir, "rust.exe")), c.calls)
}

//go:embed testdata/text/pythonMain.py
var pythonMain string

// TestRandomPython fills random structs in C and in Python, compares the bytes, and reads them with
// NumPy, where it is installed.
func TestRandomPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	c, _ := newLangCase(t, "structs.py")
	writeFile(t, c.dir, "main.py", pythonMain+c.pfill.String()+strings.Join(c.calls, "()\n")+"()\n")
	if out, err := exec.Command(python, "-c", "import numpy; print(numpy.__version__)").Output(); err == nil {
		t.Logf("NumPy %s", strings.TrimSpace(string(out)))
	} else {
		t.Log("NumPy is not installed: dtypes are not looked at")
	}
	compareLines(t, c.want, command(t, c.dir, nil, python, "-Werror", "main.py"), c.calls)
}
