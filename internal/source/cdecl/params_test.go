package cdecl

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/layout"
)

var spaces = regexp.MustCompile(`\s+`)

// declared finds the .param texts that clang emits for the functions that
// emit wrote.
func declared(ptx string) map[string]string {
	out := map[string]string{}
	for _, m := range regexp.MustCompile(`(?s)\.func\s+(?:\(([^()]*)\)\s*)?([air]_S\d+)\s*\(([^()]*)\)`).FindAllStringSubmatch(ptx, -1) {
		text := m[3]
		if m[2][0] == 'r' {
			text = m[1]
		}
		text = strings.ReplaceAll(strings.TrimSpace(spaces.ReplaceAllString(text, " ")), m[2]+"_param_0", "NAME")
		out[m[2]] = strings.ReplaceAll(text, "func_retval0", "NAME")
	}
	return out
}

// TestClangParams compares the parameters of random records with those that
// clang emits.
func TestClangParams(t *testing.T) {
	clang := findClang(t)
	const size = 100
	for _, tg := range targets()[:2] {
		t.Run(tg.name, func(t *testing.T) {
			n, compared := effort.Of(300, 1500), 0
			if *count > 0 {
				n = *count
			}
			g := &generator{Rand: rand.New(rand.NewPCG(*seed, 1)), cxx: tg.rules.Lang == layout.CXX}
			for done := 0; done < n; done += size {
				recs := g.batch(size)
				var b strings.Builder
				b.WriteString(g.preamble())
				seen := map[*genRecord]bool{}
				for _, r := range recs {
					r.source(&b, seen)
				}
				if g.cxx {
					b.WriteString("extern \"C\" {\n")
				}
				for _, r := range recs {
					name := r.kind + " " + r.name
					fmt.Fprintf(&b, "void a_%s(%s x) {}\n%s r_%s() { __builtin_unreachable(); }\n", r.name, name, name, r.name)
				}
				if g.cxx {
					b.WriteString("}\n")
				}
				args := append(append([]string{}, tg.args...), "-Xclang", "-target-feature", "-Xclang", "+ptx78", "-w", "-S", "-O1", "-o", "-", "-")
				cmd := exec.Command(clang, args...)
				cmd.Stdin = strings.NewReader(b.String())
				var out, errs bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errs
				if cmd.Run() != nil {
					if strings.Contains(errs.String(), "error:") {
						// References and const members cannot be returned.
						t.Logf("batch left out: %.300s", errs.String())
						continue
					}
					t.Logf("clang crashed on a batch: %.200s", errs.String())
					continue
				}
				theirs := declared(out.String())
				u, err := Parse("<stdin>", []byte(b.String()), Options{Rules: tg.rules})
				require.NoError(t, err)
				for _, d := range u.Records {
					if d.Layout == nil || !strings.HasPrefix(d.Name, "S") {
						continue
					}
					arg, ret := theirs["a_"+d.Name], theirs["r_"+d.Name]
					if arg == "" || ret == "" && !d.Layout.NonTrivial {
						continue
					}
					src := func() string {
						for _, r := range recs {
							if r.name == d.Name {
								var b strings.Builder
								r.source(&b, map[*genRecord]bool{})
								return b.String() + Dump(d.Layout)
							}
						}
						return ""
					}
					require.Equal(t, arg, d.Layout.ParamOf(layout.Clang, layout.Argument, "NAME").String(), "argument of %s", src())
					if !d.Layout.NonTrivial {
						require.Equal(t, ret, d.Layout.ParamOf(layout.Clang, layout.Result, "NAME").String(), "result of %s", src())
					}
					compared++
				}
			}
			require.Positive(t, compared)
			t.Logf("%d records agree", compared)
		})
	}
}
