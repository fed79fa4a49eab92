package export

import (
	"bytes"
	"embed"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/display"
)

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
	i := slices.IndexFunc(languages, func(l *language) bool { return l.name == name })
	if i < 0 {
		return nil, fmt.Errorf("export: no language %q, only %s", name, strings.Join(Languages(), ", "))
	}
	t, err := template.New(name+".tmpl").Funcs(functions).ParseFS(files, name+".tmpl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"L": languages[i], "Types": records(), "Targets": targets(), "Unmeasured": unmeasuredTargets(), "Errors": errorCodes,
	})
	return b.Bytes(), err
}

// Reader returns the source text in a language, one of [Languages], of a reader of what the kernels of a
// cubin take. It is the same each time, and ASCII.
func Reader(name string) ([]byte, error) {
	text, err := files.ReadFile("reader." + name + ".txt")
	if err != nil {
		return nil, fmt.Errorf("export: no language %q, only %s", name, strings.Join(Languages(), ", "))
	}
	return text, nil
}

//go:embed c.tmpl rust.tmpl python.tmpl reader.c.txt reader.rust.txt reader.python.txt
var files embed.FS

// functions are those that the templates call.
var functions = template.FuncMap{
	"inc": func(n int) int { return n + 1 },
	"why": func(key string) (string, error) {
		text, ok := reasons[key]
		if !ok {
			return "", fmt.Errorf("no reason %q", key)
		}
		return strconv.Quote(text), nil
	},
	"facts": factLines,
	"wrap":  display.Wrap,
	"cname": cName, "cfield": cField,
	"type": func(l *language, f field) string { return l.typeOf(f.Type) },
	"row": func(l *language, t *Target) string {
		return string(l.appendValue(nil, reflect.ValueOf(t).Elem(), l.indent))
	},
}

// docs says what types and fields are, by their names in Go, and reasons why there is no assignment, where a code has several.
// Package abi says the same with the numbers.
var docs, reasons = entries(docsText), entries(reasonsText)

// entries are the lines of a text, by their names.
func entries(text string) map[string]string {
	list := map[string]string{}
	for line := range strings.Lines(text) {
		if name, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && name[0] != '#' {
			list[name] = text
		}
	}
	return list
}

//go:embed reasons.txt
var reasonsText string

//go:embed docs.txt
var docsText string

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
