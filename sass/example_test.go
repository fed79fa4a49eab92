package sass_test

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// A program that is built and printed.
func ExampleProgram() {
	p := &sass.Program{
		Target: "sm_80",
		Funcs: []*sass.Func{{
			Name: "inc",
			Items: []sass.Item{
				{Instr: sass.Instr{Op: "IADD3", Args: []sass.Operand{sass.R(4), sass.R(4), sass.I(1), sass.R(sass.RZ)}, Note: "x[0:4]"}},
				{Instr: sass.Instr{Op: "RET.ABS.NODEC", Args: []sass.Operand{sass.R(20), sass.I(0)}}},
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

// A program that cannot be: a branch to a label that is nowhere, and a register
// that holds nothing when it is read.
func ExampleVerify() {
	p, err := sass.Parse("f.sass", []byte(".text.f:\n\tMOV R4, R5 ;\n\tBRA `(.L_x_7) ;\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := abi.Lookup("sm_80")
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Target = target.Name
	fmt.Println(sass.Verify("f.sass", p, target.Machine()))
	// Output:
	// f.sass:3:2: error: f+1: BRA `(.L_x_7) ;: there is no label .L_x_7 in f
	// f.sass:2:2: error: f+0: MOV R4, R5 ;: R5 is read, and on some path nothing was put there
}
