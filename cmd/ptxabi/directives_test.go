package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ptxabi/ptxabi/ptx"
)

// TestDirectiveTable holds the table of docs/ptx-grammar.md against that of package ptx.
func TestDirectiveTable(t *testing.T) {
	places := []struct {
		place ptx.Place
		name  string
	}{
		{ptx.InModule, "module"},
		{ptx.InEntry, "kernel"},
		{ptx.InFunc, "function"},
		{ptx.InPrototype, "prototype"},
		{ptx.InBody, "body"},
		{ptx.InFormal, "formal"},
		{ptx.InDecl, "declaration"},
		{ptx.InAttribute, "`.attribute`"},
	}
	args := map[ptx.ArgForm]string{
		ptx.NoArgs: "none", ptx.ToSemi: "up to `;`", ptx.Values: "values", ptx.OneInteger: "an integer", ptx.LocArgs: "as `Loc`", ptx.FileArgs: "a number and values",
		ptx.BracedArgs: "as `Section`", ptx.SourceArgs: "as `Sources`",
	}
	const usual = "PTX ISA; measured with the assemblers 11.8 to 13.5" // the source of most, which the text before the table has
	var rows, sources []string
	names := make(map[string][]string) // of a row, and of a source
	for _, d := range ptx.Directives() {
		var in []string
		for _, p := range places {
			if d.Places&p.place != 0 {
				in = append(in, p.name)
			}
		}
		since, arch := "1.0", ""
		if d.Since != (ptx.Version{}) {
			since = d.Since.String()
		}
		if d.Until != (ptx.Version{}) {
			since += " to " + d.Until.String()
		}
		if d.Arch != 0 {
			arch = fmt.Sprintf("sm_%d", d.Arch)
		}
		form := args[d.Args]
		if d.Args == ptx.OwnNode {
			form = ""
		}
		row := fmt.Sprintf("%s | %s | %s | %s", strings.Join(in, ", "), form, since, arch)
		if names[row] == nil {
			rows = append(rows, row)
		}
		names[row] = append(names[row], "`"+d.Name+"`")
		if d.Source == usual {
			continue
		}
		if names[d.Source] == nil {
			sources = append(sources, d.Source)
		}
		names[d.Source] = append(names[d.Source], "`"+d.Name+"`")
	}
	var b strings.Builder
	b.WriteString("| directives | in a | arguments | PTX | target |\n| --- | --- | --- | --- | --- |\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names[row], " "), row)
	}
	b.WriteString("\nOther sources:\n\n")
	for _, source := range sources {
		fmt.Fprintf(&b, "- %s: %s\n", strings.Join(names[source], " "), source)
	}
	between(t, "../../docs/ptx-grammar.md", "<!-- table: directives -->\n", "<!-- end -->\n", b.String())
}
