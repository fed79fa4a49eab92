package resolve_test

import (
	"fmt"
	"log"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

func parsed(src string) *ptx.Module {
	m, err := ptx.Parse("x.ptx", []byte(src))
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// Where the values of all functions of a module live, on the target that it is for.
func ExampleFunctions() {
	m := parsed(`.version 7.8
.target sm_80
.func (.param .b32 r) f(.param .b32 x, .param .align 8 .b8 y[12]) { ret; }
.entry k(.param .u8 n) { exit; }
`)
	t, _, err := resolve.Target(m, "", false)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range resolve.Functions(m) {
		places, diags := f.Assign(t)
		fmt.Println(f.Kind(), f.Name, places, diags.Err())
	}
	// Output:
	// func f R4 | R6:R8 -> R4 <nil>
	// entry k c[0x0][0x160]; block c[0x0][0x160] size 1 <nil>
}

// What has no place is reported with the names and positions of the text.
func ExampleFunction_Assign() {
	m := parsed(`.version 7.8
.target sm_80
.func f(.param .align 3 .b8 x[4]) { ret; }
`)
	t, err := abi.Lookup("sm_80")
	if err != nil {
		log.Fatal(err)
	}
	_, diags := resolve.NewFunction(m, m.Items[2].(*ptx.Func)).Assign(t)
	fmt.Println(diags.Err())
	// Output:
	// x.ptx:3:29: error: x of f: an alignment of 3 bytes is not a power of two in 1 … 536870912 [BadSignature]
}

// A call of a variadic function passes its tail as an array, here of 24 bytes.
func ExampleFunction_Call() {
	m := parsed(`.version 7.8
.target sm_80
.extern .func printf_like(.param .b64 format, .param .align 8 .b8 rest[]);
`)
	t, err := abi.Lookup("sm_80")
	if err != nil {
		log.Fatal(err)
	}
	f := resolve.NewFunction(m, m.Items[2].(*ptx.Func))
	sig, err := f.Call(abi.Value{Size: 8, Align: 8}, abi.Value{Size: 24, Align: 8})
	if err != nil {
		log.Fatal(err)
	}
	places, err := abi.Assign(sig, t)
	fmt.Println(f.Signature(), "is called as", sig)
	fmt.Println(places, err)
	// Output:
	// func(8@8, []@8) is called as func(8@8, [24]@8)
	// R4:R5 | [R1+0x0]; stack 24 <nil>
}

// What a name means: an alias is the function that it is another name of.
func ExampleNewTable() {
	table := resolve.NewTable(parsed(`.version 7.8
.target sm_80
.global .u64 g;
.func f();
.func h() { ret; }
.alias f, h;
`))
	fmt.Println(table.Lookup("f").Func.Name, table.Var("g").Type, table.Lookup("g"))
	// Output:
	// h .u64 <nil>
}

// The target of a module that is older than all that have been measured.
func ExampleTarget() {
	t, note, err := resolve.Target(parsed(".version 6.0\n.target sm_30\n"), "", false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Name)
	fmt.Println(note)
	// Output:
	// sm_35
	// x.ptx:2:1: note: sm_30 is older than every target that has been measured; the result is for sm_35, the oldest of them [OldTarget]
}
