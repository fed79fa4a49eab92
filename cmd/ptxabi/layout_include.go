package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/ptxabi/ptxabi/internal/layoutcmd"
)

// includes adds the flags that compilers have for headers.
func (o *options) includes(opts *layoutcmd.Options) {
	list := func(name string, to *[]string) {
		o.set.Func(name, "", func(s string) error {
			*to = append(*to, filepath.ToSlash(s))
			return nil
		})
	}
	list("I", &opts.Include)
	list("isystem", &opts.System)
	list("include", &opts.First)
	o.set.Func("D", "", func(s string) error {
		opts.Defines = append(opts.Defines, s)
		return nil
	})
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
			return fmt.Errorf("-D %s: no name of a macro; NAME or NAME=TEXT is one", d)
		}
	}
	return nil
}

// splitTypes cuts a list of types at the commas that are not within template arguments.
func splitTypes(list string) []string {
	var out []string
	depth, start := 0, 0
	for i, c := range list {
		switch {
		case c == '<' || c == '(':
			depth++
		case c == '>' || c == ')':
			depth--
		case c == ',' && depth <= 0:
			out = append(out, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(list[start:]))
}

// goarch is the machine that Go compiles for: GOARCH, or this one.
func goarch(e env) string {
	if arch := e.getenv("GOARCH"); arch != "" {
		return arch
	}
	return runtime.GOARCH
}
