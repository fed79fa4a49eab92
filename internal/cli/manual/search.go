package manual

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// AddSearch defines the flags that compilers have for headers: folders, macros as NAME or NAME=TEXT, and headers that
// are read first. About says what -isystem does.
func (s *Set) AddSearch(include, system, defines, first *[]string, about string) {
	path := func(to *[]string) func(string) error {
		return func(s string) error { *to = append(*to, filepath.ToSlash(s)); return nil }
	}
	s.macros = defines
	s.Add(path(include), "I DIR", "a folder with included files; may be repeated")
	s.Add(path(system), "isystem DIR", about)
	s.Add(defines, "D NAME[=TEXT]", "define a macro; may be repeated")
	s.Add(path(first), "include FILE", "read this header first; may be repeated")
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
