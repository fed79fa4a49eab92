package cdecl

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/layout"
)

// findCICC returns NVIDIA's front end: of the folders of PTXABI_ORACLE, each a
// toolkit, its folder bin or the parent of toolkits, or on PATH.
func findCICC(t *testing.T) string {
	t.Helper()
	for _, dir := range filepath.SplitList(os.Getenv("PTXABI_ORACLE")) {
		for _, sub := range []string{"cicc", "bin/cicc", "nvvm/bin/cicc", "*/bin/cicc", "*/nvvm/bin/cicc"} {
			if found, _ := filepath.Glob(filepath.Join(dir, sub)); len(found) > 0 {
				return found[len(found)-1]
			}
		}
	}
	path, err := exec.LookPath("cicc")
	if err != nil {
		t.Skip("cicc is not installed")
	}
	return path
}

// globals compiles src and returns the bytes that each variable begins with,
// or nil where cicc breaks, as it does on some initialised bit-fields.
func globals(t *testing.T, cicc, src string) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "k.ii"), filepath.Join(dir, "k.ptx")
	require.NoError(t, os.WriteFile(in, []byte("# 1 \"k.cu\"\n"+src), 0o666))
	cmd := exec.Command(cicc, "--c++17", "--gnu_version=110000", "-arch", "compute_80", "-m64",
		"--orig_src_file_name", "k.cu", "-w", "--device-c", in, "-o", out)
	if errs, err := cmd.CombinedOutput(); err != nil {
		if bytes.Contains(errs, []byte("Internal Compiler Error (codegen)")) {
			return nil
		}
		t.Fatalf("cicc: %v\n%.3000s", err, errs)
	}
	ptx := must.Read(t, out)
	res := map[string][]byte{}
	for _, m := range regexp.MustCompile(`\.b8 (q_\w+)\[(\d+)\](?: = \{([^}]*)\})?;`).FindAllStringSubmatch(string(ptx), -1) {
		n, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		data := make([]byte, n)
		for i, w := range strings.FieldsFunc(m[3], func(c rune) bool { return c == ',' || c == ' ' }) {
			v, err := strconv.ParseUint(w, 10, 8)
			require.NoError(t, err)
			data[i] = byte(v)
		}
		res[m[1]] = data
	}
	return res
}

// A question is a variable whose bytes show what cicc makes of a record, and
// what this package expects to find.
type question struct {
	variable string
	want     []int64
	bit      bool // want is the number of the lowest bit that is set
}

func (q *question) read(data []byte) (got []int64) {
	if q.bit {
		for i, b := range data {
			if b != 0 {
				return []int64{int64(i*8 + bits.TrailingZeros8(b))}
			}
		}
		return nil
	}
	for ; len(data) >= 8; data = data[8:] {
		got = append(got, int64(binary.LittleEndian.Uint64(data)))
	}
	return got
}

// aggregate reports whether one bit-field of r can be initialised by name. It
// cannot in C++ classes, nor, for cicc, where there are unions or packing.
func (r *genRecord) aggregate() bool {
	if r.class || len(r.bases) > 0 || r.kind == "union" || r.pack > 0 || strings.Contains(fmt.Sprint(r.attrs), "packed") {
		return false
	}
	for _, m := range r.members {
		if strings.Contains(m.before, "packed") {
			return false
		}
		if m.inner != nil && !m.inner.aggregate() {
			return false
		}
		for _, u := range m.uses {
			if !u.aggregate() {
				return false
			}
		}
	}
	return true
}

// ask writes variables that show the size, the alignment, and where each
// member of r begins.
func ask(b *strings.Builder, r *genRecord, l *layout.Layout) []question {
	const device = `extern "C" __attribute__((device)) `
	q := question{variable: "q_" + r.name, want: []int64{l.Size, l.Align}}
	offsets := ""
	var list []question
	for i := range l.Members {
		m := &l.Members[i]
		switch f := &m.Field; {
		case r.kind == "class" || m.Base || f.Name == "" || f.Name[0] != 'f' || strings.Contains(f.Type.String(), "&"):
		case !f.BitField:
			offsets += fmt.Sprintf(", __builtin_offsetof(%s, %s)", r.name, f.Name)
			q.want = append(q.want, m.Offset)
		case r.aggregate():
			value := "-1" // fits where 1 does not
			if s, ok := layout.Unalias(f.Type).(layout.Scalar); !ok || s.Kind == layout.Bool || strings.Contains(s.String(), "unsigned") {
				value = fmt.Sprintf("(decltype(%s::%s))1", r.name, f.Name)
			}
			v := fmt.Sprintf("q_%s_%s", r.name, f.Name)
			fmt.Fprintf(b, "%s%s %s = { .%s = %s };\n", device, r.name, v, f.Name, value)
			list = append(list, question{variable: v, want: []int64{m.Offset*8 + m.Bit}, bit: true})
		}
	}
	fmt.Fprintf(b, "%sunsigned long long %s[] = { sizeof(%s), __alignof__(%s)%s };\n", device, q.variable, r.name, r.name, offsets)
	return append(list, q)
}

// TestCICC compares layouts of random C++ records with those of NVIDIA's own
// front end. Where Doubt has nothing to say they agree.
func TestCICC(t *testing.T) {
	cicc := findCICC(t)
	g := &generator{Rand: rand.New(rand.NewPCG(*seed, 0)), cxx: true, nv: true}
	n := cmp.Or(*count, 1000)
	if testing.Short() {
		n = 200
	}
	agree, doubted, differ, broken := 0, 0, 0, 0
	for agree < n {
		recs := g.batch(30)
		var b strings.Builder
		b.WriteString(g.preamble())
		done := map[*genRecord]bool{}
		for _, r := range recs {
			r.source(&b, done)
		}
		u, err := Parse("k.cu", []byte(b.String()), Options{Rules: layout.LP64.NVCC()})
		require.NoError(t, err)
		layouts := map[string]*layout.Layout{}
		for _, d := range u.Records {
			layouts[d.Name] = d.Layout
		}
		asked := map[*genRecord][]question{}
		for _, r := range recs {
			require.NotNil(t, layouts[r.name], r.name)
			asked[r] = ask(&b, r, layouts[r.name])
		}
		answers := globals(t, cicc, b.String())
		if answers == nil {
			broken += len(recs)
			continue
		}
		for _, r := range recs {
			same := true
			var got bytes.Buffer
			for _, q := range asked[r] {
				a := q.read(answers[q.variable])
				if fmt.Sprint(a) != fmt.Sprint(q.want) {
					same = false
					fmt.Fprintf(&got, "%s: cicc %d, this package %d\n", q.variable, a, q.want)
				}
			}
			switch why := layouts[r.name].Doubt(layout.NVCC); {
			case why == "" && !same:
				var src strings.Builder
				r.source(&src, map[*genRecord]bool{})
				t.Fatalf("seed %d:\n%s%s", *seed, src.String(), got.String())
			case why == "":
				agree++
			case same:
				doubted++
			default:
				doubted++
				differ++
			}
		}
	}
	t.Logf("%d records agree; of %d that are doubtful %d differ; cicc broke on %d", agree, doubted, differ, broken)
}
