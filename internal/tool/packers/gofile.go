package packers

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// A goFile is a file of Go that is generated.
type goFile struct{ b strings.Builder }

// In code, the path of a package between these stands for the name by which the file imports it. They are
// written ‹ and › in formats and templates; what is put into those cannot have control characters.
var marks = strings.NewReplacer("‹", "\x01", "›", "\x02")

var marked = regexp.MustCompile("\x01([^\x02]*)\x02(\\.?)")

// code is a piece of Go.
func code(format string, args ...any) string { return fmt.Sprintf(marks.Replace(format), args...) }

// qualified is a name of a package in code.
func qualified(path, name string) string { return code("‹%s›.%s", path, name) }

// line writes code and ends the line.
func (f *goFile) line(format string, args ...any) { f.b.WriteString(code(format, args...) + "\n") }

// template writes what a file of templates makes of data.
func (f *goFile) template(name string, data any) {
	f.b.WriteString(rendered(name, template.FuncMap{"doc": docComment}, data))
}

// doc writes a comment, in lines of a readable width.
func (f *goFile) doc(format string, args ...any) { f.b.WriteString(docComment(format, args...) + "\n") }

// docComment is a comment of documentation. Empty lines in the text stay.
func docComment(format string, args ...any) string {
	const width = 77
	var out []string
	wrapped(fmt.Sprintf(format, args...), width, func(line string) { out = append(out, strings.TrimSpace("// "+line)) })
	return strings.Join(out, "\n")
}

// block writes a function with the statements of its body.
func (f *goFile) block(head string, body []string) {
	if len(body) == 0 {
		f.line("%s {}\n", head)
		return
	}
	f.line("%s {\n%s\n}\n", head, strings.Join(body, "\n"))
}

// group writes declarations between parentheses.
func (f *goFile) group(keyword string, list []string) {
	f.line("%s (\n%s\n)\n", keyword, strings.Join(list, "\n"))
}

// remark is a comment at the end of a line; "" for none.
func remark(text string) string {
	if text == "" {
		return ""
	}
	return " // " + text
}

// render is the file, with its first line, its constraint and what it imports.
func (u *unit) render(f *goFile, constraints ...string) ([]byte, error) {
	im := &importNames{u: u, names: map[string]string{}, alias: map[string]bool{}}
	body := marked.ReplaceAllStringFunc(f.b.String(), func(s string) string {
		m := marked.FindStringSubmatch(s)
		if m[1] == u.path {
			return ""
		}
		return im.name(m[1]) + m[2]
	})
	out, err := u.finish([]byte("package "+u.pkg+"\n\n"+im.declaration()+body), constraints...)
	if err != nil {
		return nil, fmt.Errorf("generated code does not parse: %w", err)
	}
	return out, nil
}

// importNames are the names by which a file imports packages, by their paths.
type importNames struct {
	u     *unit
	names map[string]string
	alias map[string]bool // the name stands in the declaration
}

// name returns the name of a package, which is chosen when it is asked for first.
func (im *importNames) name(p string) string {
	if name, ok := im.names[p]; ok {
		return name
	}
	base, ok := im.u.names[p]
	_, declared := im.u.declared[base]
	prefix := "pkg" // the package may have imported it as something else
	if !ok {
		base = p[strings.LastIndexByte(p, '/')+1:]
		_, declared = im.u.declared[base]
		prefix = "std"
	} else if slices.Contains(locals, strings.TrimRight(base, "0123456789")) {
		declared = true
	}
	if declared {
		base, im.alias[p] = prefix+base, true
	}
	name := base
	for i := 1; im.taken(name); i++ {
		name, im.alias[p] = fmt.Sprintf("%s%d", base, i), true
	}
	im.names[p] = name
	return name
}

// taken reports whether a name means something else.
func (im *importNames) taken(name string) bool {
	return token.IsKeyword(name) || types.Universe.Lookup(name) != nil || name == "err" || slices.Contains(slices.Collect(maps.Values(im.names)), name)
}

// declaration is the import declaration.
func (im *importNames) declaration() string {
	var list []string
	for _, p := range slices.Sorted(maps.Keys(im.names)) {
		name := ""
		if im.alias[p] {
			name = im.names[p] + " "
		}
		list = append(list, name+strconv.Quote(p))
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return "import " + list[0] + "\n\n"
	}
	return "import (\n" + strings.Join(list, "\n") + "\n)\n\n"
}
