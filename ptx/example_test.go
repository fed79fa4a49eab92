package ptx_test

import (
	"fmt"
	"os"

	"github.com/ptxabi/ptxabi/ptx"
)

// The functions of a module and their parameters.
func ExampleParse() {
	const src = `.version 7.8
.target sm_80
.address_size 64
.visible .func (.param .f32 r) norm (.param .align 16 .b8 v[12], .reg .u32 n) { ret; }
`
	m, err := ptx.Parse("norm.ptx", []byte(src))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok {
			continue
		}
		fmt.Printf("%s: %s on %s\n", f.Pos, f.Name, m.Target)
		for _, p := range f.Params {
			fmt.Println(p.Name, p.Type)
		}
	}
	// Output:
	// 4:1: norm on sm_80
	// v .b8
	// n .u32
}

// A module with errors still has a tree of what could be read, and all errors
// come at once.
func ExampleParse_errors() {
	const src = `.version 7.8
.target sm_80
.func f (.param .b32)
{
	call g, (;
	ret
}
.func h () { ret; }
`
	m, err := ptx.Parse("f.ptx", []byte(src))
	fmt.Println(err)
	for _, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok {
			fmt.Println(f.Name, "was read")
		}
	}
	// Output:
	// f.ptx:3:21: error: found ')', expected a name [BadSyntax]
	// f.ptx:5:11: error: found ';', expected an operand [BadSyntax]
	// f.ptx:6:5: error: expected ';' after the instruction [BadSyntax]
	// f was read
	// h was read
}

// What is read prints back. Instructions that have nothing to do with calls are
// kept as they are.
func ExampleModule_WriteTo() {
	m, err := ptx.Parse("k.ptx", []byte(".version 7.8\n.target sm_80\n.entry k(.param .u32 n){.reg .b32 %r<3>;ld.param.u32 %r1,[n]; add.s32 %r2,%r1,1; ret;}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := m.WriteTo(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// .version 7.8
	// .target sm_80
	// .entry k(.param .u32 n)
	// {
	// 	.reg .b32 %r<3>;
	// 	ld.param.u32 %r1,[n];
	// 	add.s32 %r2,%r1,1;
	// 	ret;
	// }
}

// A large module is read body by body, into memory that is used again.
func ExampleParseOutline() {
	const src = `.version 7.8
.target sm_80
.global .b32 count;
.func (.param .b32 r) twice(.param .b32 x) { st.param.b32 [r], 2; ret; }
.entry kernel() { exit; }
`
	outline, err := ptx.ParseOutline("x.ptx", src)
	if err != nil {
		fmt.Println(err)
		return
	}
	var r ptx.Reader
	for _, it := range outline.Module().Items {
		f, ok := it.(*ptx.Func)
		if !ok {
			continue
		}
		f, err := r.Func(outline, f)
		fmt.Println(f.Name, len(f.Params), len(f.Body), err)
	}
	// Output:
	// twice 1 2 <nil>
	// kernel 0 1 <nil>
}

// What calls what, and where.
func ExampleModule_All() {
	const src = `.version 7.8
.target sm_80
.func g();
.func f()
{
	{
		call g;
	}
	ret;
}
`
	m, err := ptx.Parse("f.ptx", []byte(src))
	if err != nil {
		fmt.Println(err)
		return
	}
	for f, s := range m.All() {
		switch s := s.(type) {
		case *ptx.Func:
			fmt.Println("function", s.Name)
		case *ptx.Call:
			fmt.Println(s.Pos, f.Name, "calls", s.Callee.Name())
		}
	}
	// Output:
	// function g
	// function f
	// 7:3 f calls g
}
