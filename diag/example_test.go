package diag_test

import (
	"fmt"
	"os"

	"github.com/ptxabi/ptxabi/diag"
)

const module = ".func f(.param .b32 x)\n{\n\tld.param.b64 %r, [x];\n}\n"

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

// A list is an error if anything in it is one.
func ExampleList() {
	if err := diagnostics().Err(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// x.ptx:3:11: error: 8 bytes are read, and x has 4 [OutOfBounds]
	// 	x.ptx:1:9: x is declared here
}

// On a terminal the places are shown in the text.
func ExamplePrinter() {
	p := diag.Printer{Texts: diag.Texts{"x.ptx": diag.NewText(module)}}
	os.Stdout.Write(p.Append(nil, diagnostics()))
	// Output:
	// x.ptx:3:11: error: 8 bytes are read, and x has 4 [OutOfBounds]
	// 	ld.param.b64 %r, [x];
	// 	         ^~~
	// 	x.ptx:1:9: x is declared here
	// 	.func f(.param .b32 x)
	// 	        ^~~~~~~~~~~~~
}

// Fixes are edits of the text; those that overlap wait for another round.
func ExampleApply() {
	out, applied, skipped, err := diag.Apply(module, diagnostics())
	fmt.Print(out)
	fmt.Println(len(applied), len(skipped), err)
	// Output:
	// .func f(.param .b32 x)
	// {
	// 	ld.param.b32 %r, [x];
	// }
	// 1 0 <nil>
}
