package annotate

import "github.com/ptxabi/ptxabi/sass"

// guarded reports whether an instruction may not be executed.
func guarded(in *sass.Instr) bool { return in.Guard != "" && in.Guard != "@PT" }

// isMove reports whether an instruction copies one word, its last operand, to
// its first.
func isMove(in *sass.Instr) bool {
	a := in.Args
	switch in.Op {
	case "MOV", "UMOV", "MOV32I":
		return len(a) == 2 || len(a) == 3 && a[2].Kind == sass.Imm // a mask of bytes, in old disassembly
	case "IMAD.MOV.U32", "IMAD.MOV", "IMAD.U32":
		return len(a) == 4 && zero(a[1]) && zero(a[2])
	case "R2UR":
		return len(a) == 2
	}
	return false
}

// isWideMove is the same of two words.
func isWideMove(in *sass.Instr) bool {
	return (in.Op == "MOV.64" || in.Op == "UMOV.64") && len(in.Args) == 2
}

// source is the operand that a move copies.
func source(in *sass.Instr) sass.Operand {
	if len(in.Args) == 3 {
		return in.Args[1]
	}
	return in.Args[len(in.Args)-1]
}

func zero(o sass.Operand) bool { return o.Kind == sass.Register && o.Reg == sass.RZ }

// bare reports whether nothing changes an operand's value.
func bare(o sass.Operand) bool { return !o.Neg && !o.Abs && !o.Not && o.Suffix == "" }

// moved is how many bytes a load or store moves.
func moved(in *sass.Instr) int {
	n, _ := sass.Moved(in.Op)
	return n
}
