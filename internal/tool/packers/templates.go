package packers

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

// templates are the parts of generated files that are the same in each, or nearly so.
//
//go:embed templates
var templates embed.FS

// text returns a file of [templates].
func text(name string) string {
	data, err := templates.ReadFile("templates/" + name)
	if err != nil {
		panic(fmt.Sprintf("packers: %v", err))
	}
	return string(data)
}

// rendered is what a file of [templates] makes of data.
func rendered(name string, functions template.FuncMap, data any) string {
	var b strings.Builder
	t := template.New(name).Funcs(template.FuncMap{"quote": strconv.Quote, "text": text}).Funcs(functions)
	if err := template.Must(t.Parse(marks.Replace(text(name)))).Execute(&b, data); err != nil {
		panic(fmt.Sprintf("packers: %v", err))
	}
	return b.String()
}
