package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// fromReleases are two modules, the first of which gives the second a function's
// address, and two that do without addresses.
var fromReleases = [][2]string{
	{
		".extern .func f(.param .b64 p);\n.extern .func g();\n.visible .entry k()\n{\n\t.reg .b64 %p;\n\tmov.u64 %p, g;\n\t{ .param .b64 q; st.param.b64 [q], %p; call f, (q); }\n\tret;\n}\n",
		".visible .func g() { ret; }\n.visible .func f(.param .b64 p)\n{\n\t.reg .b64 %p;\n\tld.param.b64 %p, [p];\npr: .callprototype _ ();\n\tcall %p, pr;\n\tret;\n}\n",
	},
	{".extern .func h();\n.visible .entry k() { call h; ret; }\n", ".visible .func h() { ret; }\n"},
}

// releases compares which objects of two releases the linker joins with what "ptxabi
// link" says of them, for sm_80 and sm_90.
func releases(ctx context.Context, tools *oracle.Tools, l *linker, j job) (string, int, error) {
	dir, err := os.MkdirTemp("", "releases-")
	if err != nil {
		return "", 0, err
	}
	defer os.RemoveAll(dir)
	said, err := tool(l.Nvlink, "--version")
	if err != nil {
		return "", 0, err
	}
	lib := strings.Contains(said, "nvJitLink")
	links, taken, newer, old, differ := 0, 0, 0, 0, 0
	for _, target := range []string{"sm_80", "sm_90"} {
		if j.target != "" && j.target != target {
			continue
		}
		objects := make(map[string][2]string) // by release and pair
		for _, kit := range tools.Toolkits {
			for i, two := range fromReleases {
				var both [2]string
				for k, text := range two {
					base := filepath.Join(dir, fmt.Sprintf("%v-%d-%d-%s", kit.Version, i, k, target))
					if both[k], err = (&linker{Toolkit: kit}).assemble(base, fmt.Sprintf(".version 7.8\n.target %s\n.address_size 64\n", target)+text, target); err != nil {
						return "", 0, err
					}
				}
				objects[fmt.Sprint(kit.Version, i)] = both
			}
		}
		for _, a := range tools.Toolkits {
			for _, b := range tools.Toolkits {
				for i := range fromReleases {
					if ctx.Err() != nil {
						return "", 0, ctx.Err()
					}
					files := []string{objects[fmt.Sprint(a.Version, i)][0], objects[fmt.Sprint(b.Version, i)][1]}
					program, said, err := l.join(dir, target, files)
					if err != nil {
						return "", 0, err
					}
					var set link.Set
					for _, file := range files {
						if _, err := add(&set, file); err != nil {
							return "", 0, err
						}
					}
					r := set.Report(link.Options{})
					links++
					mixed := slices.ContainsFunc(r.Diags, func(d *diag.Diagnostic) bool { return d.Code == link.MixedReleases })
					late := a.Version.Compare(l.Version) > 0 || b.Version.Compare(l.Version) > 0
					says := late || mixed && l.Version.Major >= 12
					if lib { // which looks at releases in a way of its own
						says = l.Version.Minor == 8 && slices.ContainsFunc([]*oracle.Toolkit{a, b}, func(k *oracle.Toolkit) bool { return k.Version.Major == 12 && k.Version.Minor == 9 })
					}
					switch {
					case program != "":
						taken++
					case strings.Contains(said, "must be recompiled"):
						old++
					default:
						newer++
					}
					if says != (program == "") {
						differ++
						fmt.Printf("%v and %v for %s: the linker refuses %v (%s), ours %v\n", a.Version, b.Version, target, program == "", strings.TrimSpace(said), says)
					}
				}
			}
		}
	}
	return fmt.Sprintf("%d links of two releases, %d taken, %d refused as newer than the linker, %d as older than 12 for sm_90", links, taken, newer, old), differ, nil
}
