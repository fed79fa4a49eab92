package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/ptxabi/ptxabi/internal/layoutcmd"
)

// addIncludes defines the flags that compilers have for headers; system says what
// -isystem does.
func (o *options) addIncludes(opts *layoutcmd.Options, system string) {
	path := func(to *[]string) func(string) error {
		return func(s string) error { *to = append(*to, filepath.ToSlash(s)); return nil }
	}
	o.Add(path(&opts.Include), "I DIR", "a folder with included files; may be repeated")
	o.Add(path(&opts.System), "isystem DIR", system)
	o.Add(&opts.Defines, "D NAME[=TEXT]", "define a macro; may be repeated")
	o.Add(path(&opts.First), "include FILE", "read this header first; may be repeated")
}

// attached takes -IDIR and -DNAME apart, as compilers do.
func attached(args []string) []string {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 2 && (strings.HasPrefix(a, "-I") || strings.HasPrefix(a, "-D")) && a[2] != '=' {
			out = append(out, a[:2], a[2:])
		} else {
			out = append(out, a)
		}
	}
	return out
}

var macroName = regexp.MustCompile(`^[A-Za-z_]\w*(\([\w, .]*\))?(=|$)`)

// checkIncludes refuses macros without a name. Folders that are not there are left out,
// as compilers do.
func checkIncludes(opts *layoutcmd.Options) error {
	for _, d := range opts.Defines {
		if !macroName.MatchString(d) {
			return fmt.Errorf("-D %s: not a macro; expected NAME or NAME=TEXT", d)
		}
	}
	return nil
}

// goarch is the machine that Go compiles for: GOARCH, or this one.
func goarch(e env) string {
	if arch := e.getenv("GOARCH"); arch != "" {
		return arch
	}
	return runtime.GOARCH
}
