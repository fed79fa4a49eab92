package sass_test

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

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
