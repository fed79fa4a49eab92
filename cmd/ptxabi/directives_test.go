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
		{ptx.InEntry, "definition of a kernel"},
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
	var b strings.Builder
	b.WriteString("| directive | in a | arguments | PTX | target | source |\n| --- | --- | --- | --- | --- | --- |\n")
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
		source := d.Source
		if source == "PTX ISA; measured with the assemblers 11.8 to 13.5" { // of most, which the text above says
			source = ""
		}
		form := args[d.Args]
		if d.Args == ptx.OwnNode {
			form = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", d.Name, strings.Join(in, ", "), form, since, arch, source)
	}
	between(t, "../../docs/ptx-grammar.md", "<!-- table: directives -->\n", "<!-- end -->\n", b.String())
}
