package manual

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// BindSearch binds the flags that compilers have for headers: folders, macros as NAME or NAME=TEXT, and headers that
// are read first.
func (s *Set) BindSearch(include, system, defines, first *[]string) {
	path := func(to *[]string) func(string) error {
		return func(s string) error { *to = append(*to, filepath.ToSlash(s)); return nil }
	}
	s.macros = defines
	s.Bind(path(include), "I")
	s.Bind(path(system), "isystem")
	s.Bind(defines, "D")
	s.Bind(path(first), "include")
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

// checkMacros refuses macros without a name. Folders that are not there are left out, as compilers do.
func (s *Set) checkMacros() error {
	if s.macros == nil {
		return nil
	}
	for _, d := range *s.macros {
		if !macroName.MatchString(d) {
			return fmt.Errorf("-D %s: not a macro; expected NAME or NAME=TEXT", d)
		}
	}
	return nil
}
