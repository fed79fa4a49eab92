package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestGolden runs the cases under testdata/check/golden: "check" judges each
// input by itself, with -c and -pedantic as it says, and "link" all inputs
// together. "fix" has what is reported of each input, each with its fix, and the text after all fixes.
func TestGolden(t *testing.T) {
	golden.Run(t, casesDir+"/golden", map[string]golden.Section{
		"check": func(c *golden.Case, args []string) ([]byte, error) {
			var all diag.List
			for _, f := range c.Inputs {
				if slices.Contains(args, "-lowering") {
					m, _ := ptx.Parse(f.Name, f.Data)
					all = append(append(all, m.Errors...), check.Module(m, check.Options{Lower: true})...)
					continue
				}
				all = append(all, judge(f.Name, f.Data, check.Options{
					Compile:  slices.Contains(args, "-c"),
					Pedantic: slices.Contains(args, "-pedantic"),
				})...)
			}
			return text(all)
		},
		"fix": func(c *golden.Case, args []string) ([]byte, error) {
			var b strings.Builder
			for _, f := range c.Inputs {
				list := judge(f.Name, f.Data, check.Options{Compile: slices.Contains(args, "-c")})
				for _, d := range list {
					fix := "no fix"
					if len(d.Fixes) > 0 {
						fix = d.Fixes[0].Msg
					}
					fmt.Fprintf(&b, "%s:%v: %s: %s\n", f.Name, d.Pos, d.Code, fix)
				}
				out, applied, _, err := diag.Apply(string(f.Data), list)
				if err != nil {
					return nil, err
				}
				if len(applied) > 0 {
					b.WriteString(out)
				}
			}
			return []byte(b.String()), nil
		},
		"link": func(c *golden.Case, _ []string) ([]byte, error) {
			var mods []*ptx.Module
			for _, f := range c.Inputs {
				m, err := ptx.Parse(f.Name, f.Data)
				if err != nil {
					return nil, err
				}
				mods = append(mods, m)
			}
			return text(check.Link(mods))
		},
	})
}

func text(all diag.List) ([]byte, error) {
	if len(all) == 0 {
		return []byte("nothing\n"), nil
	}
	return []byte(all.Error() + "\n"), nil
}
