package cdecl

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/layout"
)

var (
	seed  = flag.Uint64("seed", 1, "seed of the random records")
	count = flag.Int("records", 0, "random records for each target, 0 for the default")
)

// findClang returns clang 19, whose answers the tests were made with.
func findClang(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"clang-19", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			out, err := exec.Command(path, "--version").Output()
			if err == nil && (name == "clang-19" || bytes.Contains(out, []byte("version 19."))) {
				return path
			}
		}
	}
	t.Skip("clang 19 is not installed")
	return ""
}

// blocks runs clang on src and returns the layout of each named record.
func blocks(clang string, args []string, src string) (map[string]string, string) {
	args = append(args, "-Xclang", "-fdump-record-layouts-complete", "-fsyntax-only", "-w", "-ferror-limit=0", "-")
	cmd := exec.Command(clang, args...)
	cmd.Stdin = strings.NewReader(src)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // what it says is in errs
	res := map[string]string{}
	for _, b := range strings.Split(out.String(), "\n*** Dumping AST Record Layout\n") {
		head, _, _ := strings.Cut(b, "\n")
		_, head, _ = strings.Cut(head, "| ")
		head = strings.TrimSuffix(head, " (empty)")
		res[head] = "\n*** Dumping AST Record Layout\n" + b
	}
	return res, errs.String()
}

type target struct {
	name  string
	args  []string
	rules layout.Rules
	n     int
	ms    bool
	ilp   bool
}

func targets() []target {
	cxx := func(r layout.Rules) layout.Rules { r.Lang = layout.CXX; return r }
	nv := "--target=nvptx64-nvidia-cuda"
	win := "--target=x86_64-pc-windows-msvc"
	c, cpp := []string{"-x", "c", "-std=gnu17"}, []string{"-x", "c++", "-std=c++20"}
	return []target{
		{name: "nvptx64 C", args: append(c, nv), rules: layout.LP64, n: 10000},
		{name: "nvptx64 C++", args: append(cpp, nv), rules: cxx(layout.LP64), n: 12000},
		{name: "nvptx C", args: append(c, "--target=nvptx-nvidia-cuda"), rules: layout.ILP32, n: 2000, ilp: true},
		{name: "windows C", args: append(c, win), rules: layout.LLP64, n: 3000, ms: true},
		{name: "windows C++", args: append(cpp, win), rules: cxx(layout.LLP64), n: 3000, ms: true},
	}
}

// differ returns the source around r for which our block is not clang's.
func differ(clang string, tg target, g *generator, r *genRecord) (src, want, got string) {
	var b strings.Builder
	b.WriteString(g.preamble())
	r.source(&b, map[*genRecord]bool{})
	src = b.String()
	theirs, errs := blocks(clang, tg.args, src)
	if errs != "" {
		return src, "", ""
	}
	want = theirs[r.kind+" "+r.name]
	u, err := Parse("<stdin>", []byte(src), Options{Rules: tg.rules})
	if err != nil {
		return src, want, err.Error()
	}
	for _, d := range u.Records {
		if d.Name == r.name && d.Layout != nil {
			got = Dump(d.Layout)
		}
	}
	return src, want, got
}

// TestClang compares the layouts of random records with clang's, line for
// line. The first difference is reduced to a small one.
func TestClang(t *testing.T) {
	clang := findClang(t)
	const size = 500
	for _, tg := range targets() {
		t.Run(tg.name, func(t *testing.T) {
			if *count > 0 {
				tg.n = *count
			} else if !effort.Long() {
				tg.n = min(tg.n, size)
			}
			g := &generator{Rand: rand.New(rand.NewPCG(*seed, 0)), cxx: tg.rules.Lang == layout.CXX, ms: tg.ms, ilp: tg.ilp}
			compared := 0
			for compared < tg.n {
				recs := g.batch(size)
				var b strings.Builder
				b.WriteString(g.preamble())
				done := map[*genRecord]bool{}
				for _, r := range recs {
					r.source(&b, done)
				}
				theirs, errs := blocks(clang, tg.args, b.String())
				if errs != "" {
					t.Fatalf("clang refuses what the generator made:\n%.2000s", errs)
				}
				u, err := Parse("<stdin>", []byte(b.String()), Options{Rules: tg.rules})
				if err != nil {
					t.Errorf("cdecl refuses what clang accepts: %.2000s", err)
				}
				ours := map[string]string{}
				for _, d := range u.Records {
					if d.Layout != nil {
						ours[d.Type.Kind.String()+" "+d.Name] = Dump(d.Layout)
					}
				}
				for _, r := range recs {
					name := r.kind + " " + r.name
					if ours[name] == theirs[name] {
						compared++
						continue
					}
					t.Fatal(reduce(clang, tg, g, r))
				}
			}
			t.Logf("%d records agree", compared)
		})
	}
}

// reduce makes the record for which clang and this package differ small.
func reduce(clang string, tg target, g *generator, r *genRecord) string {
	differs := func() bool {
		_, want, got := differ(clang, tg, g, r)
		return want != "" && want != got
	}
	for differs() && r.reductions(differs) {
	}
	src, want, got := differ(clang, tg, g, r)
	return fmt.Sprintf("layouts differ; seed %d, %s\n%s\nclang:%s\nours:%s",
		*seed, strings.Join(tg.args, " "), strings.TrimPrefix(src, g.preamble()), want, got)
}
