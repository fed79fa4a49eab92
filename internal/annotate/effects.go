package annotate

import (
	"slices"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/sass"
)

func sassReg(n int) sass.Reg { return sass.Reg(n) }

// A span is a run of registers.
type span struct {
	first sass.Reg
	n     int // 0: none
}

func (s span) has(r sass.Reg) bool { return int(r) >= int(s.first) && int(r) < int(s.first)+s.n }

// Effects are what an instruction may write.
type effects struct {
	regs    []span // of general registers
	uniform []span
	// sure says that regs is exactly what is written, where the guard holds.
	sure bool
	// exact says that each of them is written by the whole of an access or a
	// product, and not counted to be on the safe side.
	exact bool
	// arg is the number of the operand that is the destination, -1 if none is.
	arg int
}

// Operations by what they write. Those in none of the lists may write to
// several registers from each of their operands on, and to every uniform one.
// That an operation stands in one of them is from NVIDIA's list of instructions
// in the documentation of its binary utilities, and from the disassembly of
// modules of our own.
var (
	// writesNone do not write to registers.
	writesNone = words(`ST STG STS STL STAS STSM RED REDG REDS REDAS SUST SURED BRA BRX BRXU JMP JMX JMXU EXIT RET BAR NOP
		ISETP FSETP DSETP PSETP PLOP3 HSETP2 CSETP UISETP UPSETP UPLOP3 MEMBAR FENCE DEPBAR SSY SYNC PBK BRK PCNT CONT PRET
		BSSY BSYNC BREAK WARPSYNC KILL CCTL CCTLL CCTLT ERRBAR YIELD LDGSTS LDGDEPBAR CALL CAL JCAL BPT NANOSLEEP
		R2P FCHK RTT PMTRIG ARRIVES`)
	// writesOne write one register, or as many as their modifiers say.
	writesOne = words(`MOV MOV32I IMAD IMAD32I IADD IADD3 IADD32I IADD64 LOP LOP3 LOP32I SHF SHL SHR LEA SEL FSEL FADD FADD32I FMUL
		FMUL32I FFMA FFMA32I FMNMX FMNMX3 IMNMX VIMNMX VIMNMX3 VIADD VIADDMNX PRMT BFE BFI FLO POPC BREV SGXT I2F F2I F2F I2I
		F2FP I2FP I2IP MUFU RRO S2R CS2R XMAD ISCADD ISCADD32I ISAD IABS BMSK HADD2 HADD2_32I HMUL2 HMUL2_32I HFMA2 HFMA2_32I HSET2
		HMNMX2 FSET ISET DSET SHFL VOTE LD LDG LDS LDL LDC ATOM ATOMG ATOMS DADD DMUL DFMA DMNMX FRND FSWZADD P2R ICMP FCMP
		IMUL IMUL32I LEPC PSET IDP IDP4A MATCH FADD2 FMUL2 FFMA2`)
	// writesUniform likewise, uniform ones.
	writesUniform = words(`UMOV ULDC LDCU UIADD3 ULOP ULOP3 ULOP32I USEL UIMAD ULEA USHF UPRMT USHL USHR USGXT UBREV UFLO UPOPC UBMSK
		UP2UR R2UR S2UR REDUX CREDUX VOTEU UVIADD UVIMNMX UIABS UIADD UF2FP UCLEA UFADD UFMUL UFFMA UFSEL UI2F UF2I`)
)

// words returns the words of a list as a set, which is made when it is first
// asked for.
func words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		out := make(map[string]bool)
		for w := range strings.FieldsSeq(list) {
			out[w] = true
		}
		return out
	})
}

// effectsOf says what an instruction may write. What a call does to registers
// is not in it.
func effectsOf(in *sass.Instr) effects {
	op, rest, _ := strings.Cut(in.Op, ".")
	mods := strings.Split(rest, ".")
	e := effects{arg: -1, sure: true, exact: true}
	width, exact := writtenWords(op, mods)
	e.exact = exact
	odd := slices.Contains(mods, "256") || slices.Contains(mods, "ENL2")
	switch {
	case writesNone()[op]:
		return e
	case writesOne()[op] && !odd:
		if i := destination(in, sass.Register); i >= 0 {
			e.arg = i
			e.regs = append(e.regs, span{in.Args[i].Reg, width})
		}
		return e
	case writesUniform()[op]:
		if i := destination(in, sass.Uniform); i >= 0 {
			e.arg = i
			e.uniform = append(e.uniform, span{in.Args[i].Reg, width})
		}
		return e
	case op == "BMOV":
		if len(in.Args) > 0 && in.Args[0].Kind == sass.Register {
			e.arg, e.regs = 0, []span{{in.Args[0].Reg, 1}}
		}
		return e
	}
	const most = 8
	e.sure, e.exact, e.uniform = false, false, []span{{0, 256}}
	for i := range in.Args {
		if a := &in.Args[i]; a.Kind == sass.Register && a.Reg != sass.RZ {
			n := most
			if strings.Contains(op, "GMMA") || strings.HasPrefix(op, "LDT") {
				n = 256
			}
			e.regs = append(e.regs, span{a.Reg, n})
		}
	}
	return e
}

// destination is the first operand if it is a register of that kind; predicates
// may stand before it.
func destination(in *sass.Instr, kind sass.OperandKind) int {
	for i := range in.Args {
		switch in.Args[i].Kind {
		case kind:
			if in.Args[i].Reg == sass.RZ {
				return -1
			}
			return i
		case sass.Pred:
			continue
		}
		return -1
	}
	return -1
}

// writes reports whether an instruction may write to a register.
func (e *effects) writes(r sass.Reg) bool {
	return slices.ContainsFunc(e.regs, func(s span) bool { return s.has(r) })
}

// accessSize is how many bytes a load or store moves.
func accessSize(op string) int {
	for _, m := range strings.Split(op, ".")[1:] {
		switch m {
		case "U8", "S8":
			return 1
		case "U16", "S16":
			return 2
		case "64":
			return 8
		case "96":
			return 12
		case "128":
			return 16
		case "256":
			return 32
		}
	}
	return 4
}

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
