package packers

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/dave/jennifer/jen"
)

// A goFile is a file of Go that is generated.
type goFile struct {
	path  string
	parts []goPart
	built constraint.Expr // what it is built for, beside what its unit is; nil for no more
	cgo   bool            // the text is all of it, with what it imports
}

// A goPart is a part of a file for one type or kernel.
type goPart struct {
	claim
	what string // of the two methods of an accessor: what they are for
	text string
	tree *ast.File
}

// part begins one.
func (f *goFile) part(by claim, what string) {
	f.parts = append(f.parts, goPart{claim: by, what: what})
}

// In code, the path of a package between these stands for the name by which the file imports it. They are
// written ‹ and › in formats and templates; what is put into those cannot have control characters.
var marks = strings.NewReplacer("‹", "\x01", "›", "\x02")

var marked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x01([^\x02]*)\x02\\.(\\w+)") })

// standard are the packages of the standard library that generated code imports.
var standard = []string{"bytes", "encoding/binary", "errors", "fmt", "math", "math/rand", "runtime", "slices", "sync", "testing", "unsafe"}

// code is a piece of Go.
func code(format string, args ...any) string { return fmt.Sprintf(marks.Replace(format), args...) }

// qualified is a name of a package in code.
func qualified(path, name string) string { return code("‹%s›.%s", path, name) }

// text writes lines.
func (f *goFile) text(lines ...string) {
	f.parts[len(f.parts)-1].text += strings.Join(lines, "\n") + "\n"
}

// template writes what a file of templates makes of data.
func (f *goFile) template(name string, data any) {
	f.parts[len(f.parts)-1].text += rendered(name, template.FuncMap{"doc": docComment, "constants": constantGroup, "structure": structText, "lower": lowerFirst, "upper": upperFirst, "noSymbol": noSymbol}, data)
}

// docComment is a comment of documentation. Empty lines in the text stay.
func docComment(format string, args ...any) string {
	return wrapped(fmt.Sprintf(format, args...), 77, "// ")
}

// remark is a comment at the end of a line; "" for none.
func remark(text string) string {
	if text == "" {
		return ""
	}
	return " // " + text
}

// render is the file, with its first line, its constraint and what it imports.
func (u *unit) render(f *goFile) ([]byte, error) {
	text := ""
	for _, p := range f.parts {
		text += p.text
	}
	if f.cgo {
		return finish([]byte(text), u.built)
	}
	file := u.newFile()
	code, at := jen.Null(), 0
	for _, m := range marked().FindAllStringSubmatchIndex(text, -1) {
		code = code.Op(text[at:m[0]]).Qual(text[m[2]:m[3]], text[m[4]:m[5]])
		at = m[1]
	}
	file.Add(code.Op(text[at:]))
	var body bytes.Buffer
	if err := file.Render(&body); err != nil {
		return nil, fmt.Errorf("generated code does not parse: %w", err)
	}
	return finish(body.Bytes(), and(u.built, f.built))
}

// newFile begins a file of the package.
func (u *unit) newFile() *jen.File {
	f := jen.NewFilePathName(u.path, u.pkg)
	add := func(path, name, prefix string, taken bool) {
		if _, declared := u.declared[name]; taken || declared { // the package may have imported it as something else
			f.ImportAlias(path, prefix+name)
		} else {
			f.ImportName(path, name)
		}
	}
	for path, name := range u.imports {
		add(path, name, "pkg", slices.Contains(locals, strings.TrimRight(name, "0123456789")))
	}
	for _, path := range standard {
		add(path, path[strings.LastIndex(path, "/")+1:], "std", false)
	}
	return f
}
