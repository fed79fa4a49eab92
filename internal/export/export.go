package export

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/ptxabi/ptxabi/abi"
)

// A language is one that the convention can be written in.
type language struct {
	name  string // of the language, as Text takes it
	words words
}

// words are how a language writes what is made from the table.
type words interface {
	types([]record) string
	rows([]*abi.Target) string
}

var languages = []language{
	{"c", cWords{}},
	{"rust", rustWords{}},
	{"python", pythonWords{}},
}

// Languages returns the names of the languages that Text takes.
func Languages() []string {
	var names []string
	for _, l := range languages {
		names = append(names, l.name)
	}
	return names
}

// Text returns the source text in a language, one of [Languages]. It is the same each time,
// and ASCII.
func Text(name string) ([]byte, error) {
	i := slices.IndexFunc(languages, func(l language) bool { return l.name == name })
	if i < 0 {
		return nil, fmt.Errorf("export: no language %q, only %s", name, strings.Join(Languages(), ", "))
	}
	l := languages[i]
	var b strings.Builder
	err := templates.ExecuteTemplate(&b, l.name+".tmpl", map[string]any{
		"Types": l.words.types(records()), "Rows": l.words.rows(abi.Targets()),
		"Targets": abi.Targets(), "Unmeasured": unmeasuredTargets(), "Errors": errorCodes,
	})
	return []byte(b.String()), err
}

//go:embed c.tmpl rust.tmpl python.tmpl
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"inc": func(n int) int { return n + 1 },
}).ParseFS(files, "*.tmpl"))

// An errorCode is one of package abi, with what it means.
type errorCode struct {
	Code abi.Code
	Doc  string
}

var errorCodes = []errorCode{
	{abi.BadTarget, "no target, or one that is not consistent in itself"},
	{abi.BadKind, "no such kind of function or of value"},
	{abi.BadSize, "a size that is negative or beyond anything addressable"},
	{abi.BadAlign, "an alignment that is not a power of two, or beyond anything addressable"},
	{abi.UnsizedPlace, "an array without extent that is not the last parameter of a function"},
	{abi.KernelResult, "a kernel with a result"},
	{abi.TooLarge, "more than the target passes to a kernel, or than a stack area can hold"},
	{abi.Disputed, "releases of the assembler disagree, or one contradicts itself"},
	{abi.BadPreserve, "an .abi_preserve that the target or the signature cannot have"},
}

// Upper returns the code's name as a constant, such as "BAD_ALIGN".
func (e errorCode) Upper() string {
	return strings.ToUpper(strings.ReplaceAll(e.Code.String(), "-", "_"))
}

// Camel returns the code's name as that of a type, such as "BadAlign".
func (e errorCode) Camel() string {
	var b strings.Builder
	for part := range strings.SplitSeq(e.Code.String(), "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// Number returns the code as a number.
func (e errorCode) Number() int { return int(e.Code) }
