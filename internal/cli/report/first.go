package report

import (
	"strconv"

	"github.com/ptxabi/ptxabi/diag"
)

// First returns the first most diagnostics of each code in each file, in its order. Where
// there are more, a diagnostic without a place stands after the last of them: it has their
// severity and says how many are left out, and what shows them.
func First(l diag.List, most int, shows string) diag.List {
	type kind struct {
		file string
		code diag.Code
		is   diag.Severity
	}
	count := make(map[kind]int)
	for _, d := range l {
		count[kind{d.File, d.Code, d.Severity}]++
	}
	var out diag.List
	seen := make(map[kind]int)
	for _, d := range l {
		k := kind{d.File, d.Code, d.Severity}
		seen[k]++
		switch more := count[k] - most; {
		case seen[k] <= most || more == 0:
			out = append(out, d)
		case seen[k] == most+1:
			out = append(out, &diag.Diagnostic{
				File: d.File, Severity: d.Severity, Code: d.Code,
				Msg: strconv.Itoa(more) + " more; " + shows + " shows all",
			})
		}
	}
	return out
}
