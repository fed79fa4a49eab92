package report_test

import (
	"fmt"
	"os"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/report"
)

func diagnostics() diag.List {
	return diag.List{{
		File: "x.ptx", Pos: diag.Pos{Line: 3, Col: 11}, End: diag.Pos{Line: 3, Col: 14}, Code: "OutOfBounds",
		Msg:     "8 bytes are read, and x has 4",
		Related: []diag.Related{{Pos: diag.Pos{Line: 1, Col: 9}, End: diag.Pos{Line: 1, Col: 22}, Msg: "x is declared here"}},
		Fixes: []diag.Fix{{Msg: "read b32", Edits: []diag.Edit{
			{Pos: diag.Pos{Line: 3, Col: 11}, End: diag.Pos{Line: 3, Col: 14}, Text: "b32"},
		}}},
	}}
}

// Other programs read an object a line.
func ExampleAppendJSON() {
	os.Stdout.Write(report.AppendJSON(nil, diagnostics()))
	// Output:
	// {"file":"x.ptx","line":3,"column":11,"endLine":3,"endColumn":14,"severity":"error","code":"OutOfBounds","message":"8 bytes are read, and x has 4","related":[{"file":"x.ptx","line":1,"column":9,"endLine":1,"endColumn":22,"message":"x is declared here"}],"fixes":[{"message":"read b32","edits":[{"line":3,"column":11,"endLine":3,"endColumn":14,"text":"b32"}]}]}
}

// Code scanners read SARIF, which describes the codes that occur.
func ExampleSARIF() {
	log := report.SARIF{Tool: "example", Version: "1.0", URI: "https://example.org", Rules: map[diag.Code]report.Rule{
		"OutOfBounds": {Short: "An access goes beyond a parameter.", Help: "Access what it has."},
	}}
	out := log.Append(nil, diagnostics())
	fmt.Println(len(out) > 0)
	// Output:
	// true
}

// GitHub shows a workflow command as an annotation of the file.
func ExampleAppendGitHub() {
	os.Stdout.Write(report.AppendGitHub(nil, diagnostics()))
	// Output:
	// ::error file=x.ptx,line=3,col=11,endLine=3,endColumn=14,title=OutOfBounds::8 bytes are read, and x has 4%0Ax.ptx:1:9: x is declared here
}

// GitLab reads a report of Code Quality.
func ExampleAppendGitLab() {
	os.Stdout.Write(report.AppendGitLab(nil, diagnostics()))
	// Output:
	// [
	//   {
	//     "description": "8 bytes are read, and x has 4",
	//     "check_name": "OutOfBounds",
	//     "fingerprint": "ee1de763e4d9c6094378a079cb1c26f5",
	//     "severity": "major",
	//     "location": {
	//       "path": "x.ptx",
	//       "lines": {
	//         "begin": 3,
	//         "end": 3
	//       }
	//     }
	//   }
	// ]
}
