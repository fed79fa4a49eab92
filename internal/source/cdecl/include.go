package cdecl

import (
	"embed"
	"errors"
	"io/fs"
	"path"
	"strings"
)

// headers are the headers of libc and the like that are known without a system:
// their macros, and the types that the prelude does not have. Their
// types are those of every 64-bit Linux; what differs between machines is
// not in them.
//
//go:embed include
var headers embed.FS

// A dir is where included files are looked for.
type dir struct {
	path   string
	system bool // -isystem
	known  bool // headers
}

// commandLine is the file of what Options.First names.
const commandLine = "<command line>"

// nowhere is the place, among the dirs of a prep, of a file that none of them has.
const nowhere = -1

// searchDirs returns the places for `#include <…>`, in order.
func searchDirs(o Options) []dir {
	var dirs []dir
	for _, d := range o.Include {
		dirs = append(dirs, dir{path: d})
	}
	for _, d := range o.System {
		dirs = append(dirs, dir{path: d, system: true})
	}
	return append(dirs, dir{path: "include", system: true, known: true})
}

// A found is a file that #include names.
type found struct {
	name string // as positions have it
	src  []byte
	dir  int // in prep.dirs, or nowhere
	sys  bool
	// fallback: it was not in the dirs, but beside the file that includes it.
	fallback bool
}

// find looks for a file: one in quotes first beside the file that includes it,
// then in the dirs, or with next in those after the one of that file.
func (pp *prep) find(s *scanner, name string, angled, next bool) (f found, ok bool) {
	beside := func() bool {
		for _, file := range []string{path.Join(path.Dir(s.file), name), path.Clean(name)} {
			if f.src, ok = pp.readFile(file); ok {
				f.name, f.dir, f.sys = file, pp.within(file, s), s.sys
				return true
			}
		}
		return false
	}
	if !angled && beside() {
		return f, true
	}
	first := 0
	if next {
		first = s.dir + 1
	}
	if layoutsOnly(name) {
		first = len(pp.dirs) - 1
	}
	for i := first; i < len(pp.dirs); i++ {
		d := &pp.dirs[i]
		file := path.Join(d.path, name)
		if d.known {
			if src, err := headers.ReadFile(file); err == nil {
				return found{name: "<" + name + ">", src: src, dir: i, sys: true}, true
			}
		} else if src, ok := pp.readFile(file); ok {
			return found{name: file, src: src, dir: i, sys: d.system}, true
		}
	}
	f.fallback = true
	return f, angled && !knownHeader(name) && beside()
}

// layoutsOnly reports whether a header is a template that launches pass and little else, to which what a system has
// adds nothing but what is not read here.
func layoutsOnly(name string) bool {
	_, err := headers.Open("include/" + name)
	return err == nil && (name == "array" || name == "complex" || name == "utility" || strings.HasPrefix(name, "cuda/std/"))
}

// readFile reads a file, unless it is there and is not to be read again.
func (pp *prep) readFile(file string) (src []byte, ok bool) {
	if pp.opts.FS == nil || pp.once[file] {
		return nil, pp.opts.FS != nil
	}
	src, err := fs.ReadFile(pp.opts.FS, file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		pp.unread = err // which says more than that there is no such file
	}
	return src, err == nil
}

// within is the dir that has a file beside the one that s scans: that of the
// latter, as far as #include_next is concerned.
func (pp *prep) within(file string, s *scanner) int {
	if s.dir != nowhere && strings.HasPrefix(file, pp.dirs[s.dir].path) {
		return s.dir
	}
	return nowhere
}

// include obeys #include and #include_next.
func (pp *prep) include(s *scanner, pos Pos, args []token, next bool) {
	name, angled := pp.headerName(args, next)
	if name == "" {
		pp.errs.add(pos, Directive, "#include without a file name")
		return
	}
	if pp.depth >= maxInclude {
		pp.errs.add(pos, Directive, "includes nest more than %d deep", maxInclude)
		pp.dead = true
		return
	}
	pp.unread = nil
	f, ok := pp.find(s, name, angled, next)
	switch {
	case ok && pp.once[path.Clean(f.name)]:
	case ok:
		in := newScanner(f.name, f.src, &pp.errs)
		in.sys, in.dir = f.sys, f.dir
		if pp.once[path.Base(f.name)+"\n"+in.src] {
			return
		}
		pp.depth++
		pp.read(in)
		pp.depth--
	case knownHeader(name), next && s.sys:
	case pp.unread != nil:
		pp.errs.add(pos, Directive, "cannot read %q: %v", name, pp.unread)
	case angled:
		pp.lacks(s, name)
		if pp.depth == 0 || strings.Contains(name, ".") { // a header of C++ in a header is what its author knows
			pp.warnings.warn(pos, Ignored, "<%s> is not read", name)
		}
	default:
		pp.lacks(s, name)
		pp.errs.add(pos, Directive, "cannot find %q", name)
	}
}

// lacks notes that a file was not found which one of the user's includes.
func (pp *prep) lacks(s *scanner, name string) {
	if !s.sys && pp.missing == "" && strings.Contains(name, ".") { // what has no dot is C++'s own
		pp.missing = name
	}
}

// headerName reads "name" or <name>, or a macro of that. With next a name in quotes is looked for as the other is.
func (pp *prep) headerName(args []token, next bool) (name string, angled bool) {
	if len(args) > 0 && args[0].kind == ident {
		args = pp.expand(args)
	}
	switch {
	case len(args) == 0:
		return "", false
	case args[0].kind == str:
		return strings.Trim(args[0].text, `"`), next
	case !args[0].is("<"):
		return "", false
	}
	var b strings.Builder
	for _, t := range args[1:] {
		if t.is(">") {
			break
		}
		b.WriteString(t.text)
	}
	return b.String(), true
}

// has answers one of hasOperators.
func (pp *prep) has(s *scanner, op token, args []token) bool {
	switch op.text {
	case "__has_include", "__has_include_next":
		next := op.is("__has_include_next")
		name, angled := pp.headerName(args, next)
		f, ok := pp.find(s, name, angled, next)
		ok = ok && !f.fallback
		return name != "" && (ok || knownHeader(name))
	case "__has_attribute":
		return len(args) == 1 && knownAttributes.has(strings.Trim(args[0].text, "_"))
	}
	return false
}

// doubted begins the pragma that says which macro is not known, as a file was not found
// that may define it: within a record, nothing says then which members it has.
const doubted = "ptxabi doubt "

// doubt looks for names in a condition that the missing file may define as macros. Those
// that begin with an underscore are for compilers and libc.
func (pp *prep) doubt(s *scanner, pos Pos, args []token) {
	if pp.missing == "" || s.sys {
		return
	}
	for _, t := range args {
		if t.kind == ident && t.text[0] != '_' && !pp.defined(t.text) && !ordinary[t.text] {
			pp.out = append(pp.out, token{kind: pragma, text: doubted + t.text + ", which " + pp.missing + " may define", pos: pos, sys: s.sys})
			return
		}
	}
}

// ordinary are names in conditions that no header defines.
var ordinary = map[string]bool{"defined": true, "true": true, "false": true, "WIN32": true, "linux": true, "unix": true, "sun": true, "NDEBUG": true}
