package sass_test

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// A program that is built and printed.
func ExampleProgram() {
	p := &sass.Program{
		Target: "sm_80",
		Funcs: []*sass.Func{{
			Name: "inc",
			Items: []sass.Item{
				{Instr: sass.Instr{Op: "IADD3", Args: []sass.Operand{sass.Register(4), sass.Register(4), sass.Imm(1), sass.Register(sass.RZ)}, Note: "x[0:4]"}},
				{Instr: sass.Instr{Op: "RET.ABS.NODEC", Args: []sass.Operand{sass.Register(20), sass.Imm(0)}}},
			},
		}},
	}
	fmt.Print(strings.ReplaceAll(p.String(), "\t", "        "))
	// Output:
	// // pseudo-SASS for sm_80: calling convention only, not assemblable
	//
	// //--------------------- .text.inc --------------------------
	// inc:
	//         IADD3 R4, R4, 0x1, RZ ;                         // x[0:4]
	//         RET.ABS.NODEC R20 0x0 ;
}

// Reading what nvdisasm -c prints, and finding the calls in it.
func ExampleParse() {
	const listing = `
//--------------------- .text.caller              --------------------------
	.section	.text.caller,"ax",@progbits
caller:
.text.caller:
        /*0150*/                   MOV R20, 32@lo((caller + .L_x_2@srel)) ;
        /*0160*/                   MOV R21, 32@hi((caller + .L_x_2@srel)) ;
        /*0170*/                   CALL.ABS.NOINC ` + "`(ext)" + ` ;
.L_x_2:
        /*0180*/              @!P0 LDL R16, [R1+0x8] ;
`
	p, err := sass.Parse("listing", []byte(listing))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range p.Funcs {
		for _, it := range f.Items {
			if in := it.Instr; strings.HasPrefix(in.Op, "CALL") {
				fmt.Printf("%s calls %s at %#x\n", f.Name, in.Args[0].Name, in.Addr)
			}
		}
	}
	// Output:
	// caller calls ext at 0x170
}
