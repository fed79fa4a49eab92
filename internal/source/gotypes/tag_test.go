package gotypes

import (
	"fmt"
	"go/ast"
	"reflect"
	"strings"
	"testing"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// TestTags reads testdata/tags.txt: what the options of tags and the comments of types mean, and what is said of those
// that mean nothing.
func TestTags(t *testing.T) {
	const file = "testdata/tags.txt"
	text := string(must.Read(t, file))
	head, cases, _ := strings.Cut(text, "\n\n")
	got := head + "\n"
	for _, c := range strings.Split(cases, "\n\n") {
		in, _, _ := strings.Cut(strings.TrimSuffix(c, "\n"), "\n")
		got += "\n" + in + "\n"
		var v any
		var err error
		if strings.HasPrefix(in, "//") {
			var d Directive
			err = d.parse(&ast.Comment{Text: in})
			v = d
		} else {
			v, err = ParseTag(in)
		}
		if err != nil {
			got += "\terror: " + err.Error() + "\n"
			continue
		}
		for i, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			if x := reflect.ValueOf(v).Field(i); !x.IsZero() {
				got += fmt.Sprintf("\t%s: %+v\n", f.Name, x)
			}
		}
	}
	golden.Hold(t, file, got)
}
