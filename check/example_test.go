package check_test

import (
	"fmt"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/ptx"
)

// A call that passes 20 bytes for a formal of 24, and a function that is nowhere.
const badCalls = `.version 7.8
.target sm_80
.address_size 64
.visible .func f (.param .align 8 .b8 p[24]) { ret; }
.visible .entry k ()
{
	.param .align 8 .b8 a[20];
	st.param.b64 [a], 0;
	call f, (a);
	call g, ();
	ret;
}
`

// All diagnostics about a source, those of the parser among them.
func ExampleSource() {
	_, diagnostics := check.Source("bad.ptx", []byte(badCalls), check.Options{})
	for _, e := range diagnostics {
		fmt.Println(e)
	}
	// Output:
	// bad.ptx:9:11: error: a is .param .align 8 .b8[20], and the formal is .param .align 8 .b8[24] [MismatchedArray]
	// 	bad.ptx:4:19: formal p of f is declared here
	// bad.ptx:10:7: error: g is declared nowhere; add .extern .func with its formals [UndeclaredCallee]
}

// A module that was parsed elsewhere.
func ExampleModule() {
	m, err := ptx.Parse("bad.ptx", []byte(badCalls))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range check.Module(m, check.Options{Compile: true}) {
		fmt.Println(e.Pos, e.Severity, e.Code)
	}
	// Output:
	// 9:11 error MismatchedArray
	// 10:7 error UndeclaredCallee
}

// Two modules that are linked have to declare a function alike.
func ExampleLink() {
	var mods []*ptx.Module
	for _, f := range []struct{ name, text string }{
		{"a.ptx", ".visible .func f (.param .b32 x) { ret; }"},
		{"b.ptx", ".extern .func f (.param .b64 x);\n.visible .func g () { call f, (0); ret; }"},
	} {
		m, err := ptx.Parse(f.name, []byte(".version 7.8\n.target sm_80\n"+f.text))
		if err != nil {
			fmt.Println(err)
			return
		}
		mods = append(mods, m)
	}
	for _, e := range check.Link(mods) {
		fmt.Println(e)
	}
	// Output:
	// b.ptx:3:15: error: modules differ on f: parameter 0 (x) is .param .b64 here, .param .b32 there; the linker refuses it: make them equal [MismatchedModules]
	// 	a.ptx:3:16: defined here
}

// What a code means.
func ExampleExplain() {
	x, ok := check.Explain(check.StaleArgument)
	fmt.Println(ok, x.Severity)
	fmt.Println(x.Fix)
	// Output:
	// true warning
	// store it again.
}
