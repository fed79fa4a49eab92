package places

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/internal/lab/probe"
	"github.com/ptxabi/ptxabi/sass"
)

// A Mismatch is a part of a formal that ptxas keeps elsewhere than Assign says.
type Mismatch struct {
	// Side is "callee", "caller" or "kernel".
	Side string
	// What is the part, in bytes of the formal: "p1[4:8]", "res[0:4]".
	What string
	// Want is what Assign says, Got what ptxas does, byte by byte where that is
	// not a run.
	Want, Got string
}

// String returns a line such as "callee p1[4:8]: Assign says R5, ptxas R6".
func (m Mismatch) String() string {
	return fmt.Sprintf("%s %s: Assign says %s, ptxas %s", m.Side, m.What, m.Want, m.Got)
}

// A verdict is the result of comparing one function of a probe.
type verdict struct {
	side string
	tr   *symexec.Trace
	sp   symexec.Addr // the stack pointer that offsets are told from
	base int64        // where the memory that the probe accesses begins

	pieces     int
	mismatches []Mismatch
}

// compare adds one access: want are the bytes' places according to Assign, got
// those according to ptxas.
func (v *verdict) compare(name string, a probe.Access, want, got func(i int) symexec.Byte) {
	v.pieces++
	for i := range a.Size {
		if want(i) != got(i) {
			v.mismatches = append(v.mismatches, Mismatch{
				Side: v.side, What: fmt.Sprintf("%s[%d:%d]", name, a.Off, a.Off+a.Size),
				Want: v.tr.Describe(a.Size, v.sp, want), Got: v.tr.Describe(a.Size, v.sp, got),
			})
			return
		}
	}
}

// compareHeld adds one access whose bytes were loaded from global memory and
// have to lie, in state s, in the places that want gives.
func (v *verdict) compareHeld(name string, a probe.Access, s *symexec.State, want func(i int) symexec.Byte) {
	v.compare(name, a, want, func(i int) symexec.Byte {
		source := symexec.Byte{Kind: symexec.GlobalByte, Off: v.base + int64(a.Global+i)}
		at := want(i)
		if find(s, at) == source {
			return at
		}
		return search(s, source)
	})
}

// placed returns where byte i of a value is when control changes hands, epoch
// calls after the function's entry. The stack pointer then is sp, and indirect
// values begin at sret.
func placed(p abi.Placement, i int, epoch uint16, sp, sret symexec.Addr) symexec.Byte {
	switch p.Loc.Kind {
	case abi.InReg:
		return symexec.Byte{Kind: symexec.RegByte, Reg: uint8(p.Loc.Reg + sass.Reg(i/4)), N: uint8(i % 4), Epoch: epoch}
	case abi.OnStack:
		return symexec.Byte{Kind: symexec.LocalByte, Base: sp.Base, Off: sp.Add + int64(p.Loc.Off+i), Epoch: epoch}
	case abi.InConst:
		return symexec.Byte{Kind: symexec.BankByte, Reg: p.Loc.Bank, Off: int64(p.Loc.Off + i)}
	case abi.Indirect:
		return symexec.Byte{Kind: symexec.LocalByte, Base: sret.Base, Off: sret.Add + int64(p.Loc.Off+i), Epoch: epoch}
	}
	return symexec.Byte{}
}

// find returns what lies in a place of a state.
func find(s *symexec.State, at symexec.Byte) symexec.Byte {
	switch at.Kind {
	case symexec.RegByte:
		if s.Regs[at.Reg].Base == symexec.NoBase {
			return s.Regs[at.Reg].B[at.N]
		}
	case symexec.LocalByte:
		return s.Local[symexec.Addr{Base: at.Base, Add: at.Off}]
	}
	return symexec.Byte{}
}

// search returns the lowest address, or else the lowest register, where a byte
// lies in a state. Nothing is put into local memory but to be passed there,
// while copies of it may be left in registers.
func search(s *symexec.State, b symexec.Byte) symexec.Byte {
	var found symexec.Byte
	for at, have := range s.Local {
		if have == b && (found.Kind == symexec.Nothing || at.Base < found.Base || at.Base == found.Base && at.Add < found.Off) {
			found = symexec.Byte{Kind: symexec.LocalByte, Base: at.Base, Off: at.Add}
		}
	}
	if found.Kind != symexec.Nothing {
		return found
	}
	for r, w := range s.Regs[:sass.RZ] {
		for n := range w.B {
			if w.Base == symexec.NoBase && w.B[n] == b {
				return symexec.Byte{Kind: symexec.RegByte, Reg: uint8(r), N: uint8(n)}
			}
		}
	}
	return symexec.Byte{}
}

// compareCallee compares the entry and the return of a function, or the entry
// of a kernel.
func (p *trial) compareCallee(tr *symexec.Trace, as *abi.Assignment, base int64) *verdict {
	v := &verdict{side: "callee", tr: tr, sp: symexec.Addr{Base: symexec.SPBase}, base: base}
	if p.Function.Kernel {
		v.side = "kernel"
	}
	for i := range p.Params {
		for _, a := range p.Params[i] {
			v.compare(abitest.ParamName(i), a,
				func(k int) symexec.Byte { return placed(as.Params[i], a.Off+k, 0, v.sp, symexec.Addr{}) },
				func(k int) symexec.Byte { return tr.Stores[symexec.Addr{Add: v.base + int64(a.Global+k)}] })
		}
	}
	sret := v.sret(as, func(r sass.Reg) symexec.Word { return symexec.RegWord(r, 0) })
	for _, a := range p.Result {
		v.compareHeld(abitest.ResultName, a, tr.Ret, func(k int) symexec.Byte {
			return placed(as.Results[0], a.Off+k, 0, v.sp, sret)
		})
	}
	return v
}

// sret returns the address of an indirect result, from the value of the
// register that carries it.
func (v *verdict) sret(as *abi.Assignment, value func(sass.Reg) symexec.Word) symexec.Addr {
	if as.Sret.Kind != abi.InReg {
		return symexec.Addr{}
	}
	at, _ := v.tr.Linear(value(as.Sret.Reg))
	return at
}

// compareCaller compares a call and what comes back.
func (p *trial) compareCaller(tr *symexec.Trace, as *abi.Assignment, base int64) (*verdict, error) {
	if len(tr.Calls) != 1 || tr.Callees[0] != p.Extern() {
		return nil, fmt.Errorf("%s: calls %v, not %s alone", p.Caller(), tr.Callees, p.Extern())
	}
	at := tr.Calls[0]
	sp, ok := tr.Linear(at.Regs[sass.SP])
	if !ok {
		return nil, fmt.Errorf("%s: the stack pointer is not followed to the call", p.Caller())
	}
	v := &verdict{side: "caller", tr: tr, sp: sp, base: base}
	for i := range p.Params {
		for _, a := range p.Params[i] {
			v.compareHeld(abitest.ParamName(i), a, at, func(k int) symexec.Byte {
				return placed(as.Params[i], a.Off+k, 0, sp, symexec.Addr{})
			})
		}
	}
	sret := v.sret(as, func(r sass.Reg) symexec.Word { return at.Regs[r] })
	for _, a := range p.Result {
		v.compare(abitest.ResultName, a,
			func(k int) symexec.Byte { return placed(as.Results[0], a.Off+k, 1, sp, sret) },
			func(k int) symexec.Byte { return tr.Stores[symexec.Addr{Add: v.base + int64(a.Global+k)}] })
	}
	return v, nil
}
