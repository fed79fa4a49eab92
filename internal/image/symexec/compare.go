package symexec

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
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

// A verdict is what comparing one function of a probe gave.
type verdict struct {
	side string
	tr   *trace
	sp   localAddr // the stack pointer that offsets are told from

	pieces     int
	mismatches []Mismatch
}

// compare adds one access: want are the bytes' places according to Assign, got
// those according to ptxas.
func (v *verdict) compare(name string, a access, want, got func(i int) byteValue) {
	v.pieces++
	for i := range a.size {
		if want(i) != got(i) {
			v.mismatches = append(v.mismatches, Mismatch{
				Side: v.side, What: fmt.Sprintf("%s[%d:%d]", name, a.off, a.off+a.size),
				Want: v.tr.run(a.size, v.sp, want), Got: v.tr.run(a.size, v.sp, got),
			})
			return
		}
	}
}

// compareHeld adds one access whose bytes were loaded from global memory and
// have to lie, in state s, in the places that want gives.
func (v *verdict) compareHeld(name string, a access, s *state, want func(i int) byteValue) {
	v.compare(name, a, want, func(i int) byteValue {
		source := byteValue{kind: globalByte, off: globalBase + int64(a.global+i)}
		at := want(i)
		if s.find(at) == source {
			return at
		}
		return s.search(source)
	})
}

// placed returns where byte i of a value is when control changes hands, epoch
// calls after the function's entry. The stack pointer then is sp, and indirect
// values begin at hidden.
func placed(p abi.Placement, i int, epoch uint16, sp, hidden localAddr) byteValue {
	switch p.Loc.Kind {
	case abi.InReg:
		return byteValue{kind: regByte, reg: uint8(p.Loc.Reg + sass.Reg(i/4)), n: uint8(i % 4), epoch: epoch}
	case abi.OnStack:
		return byteValue{kind: localByte, base: sp.base, off: sp.add + int64(p.Loc.Off+i), epoch: epoch}
	case abi.InConst:
		return byteValue{kind: bankByte, reg: p.Loc.Bank, off: int64(p.Loc.Off + i)}
	case abi.Indirect:
		return byteValue{kind: localByte, base: hidden.base, off: hidden.add + int64(p.Loc.Off+i), epoch: epoch}
	}
	return byteValue{}
}

// find returns what lies in a place of a state.
func (s *state) find(at byteValue) byteValue {
	switch at.kind {
	case regByte:
		if s.regs[at.reg].base == noBase {
			return s.regs[at.reg].b[at.n]
		}
	case localByte:
		return s.local[localAddr{at.base, at.off}]
	}
	return byteValue{}
}

// search returns the lowest address, or else the lowest register, where a byte
// lies in a state. Nothing is put into local memory but to be passed there,
// while copies of it may be left in registers.
func (s *state) search(b byteValue) byteValue {
	var found byteValue
	for at, have := range s.local {
		if have == b && (found.kind == nothing || at.base < found.base || at.base == found.base && at.add < found.off) {
			found = byteValue{kind: localByte, base: at.base, off: at.add}
		}
	}
	if found.kind != nothing {
		return found
	}
	for r, w := range s.regs[:sass.RZ] {
		for n := range w.b {
			if w.base == noBase && w.b[n] == b {
				return byteValue{kind: regByte, reg: uint8(r), n: uint8(n)}
			}
		}
	}
	return byteValue{}
}

// compareCallee compares the entry and the return of a function, or the entry
// of a kernel.
func (p *probe) compareCallee(tr *trace, as *abi.Assignment) *verdict {
	v := &verdict{side: "callee", tr: tr, sp: localAddr{base: spBase}}
	if p.sig.Kernel {
		v.side = "kernel"
	}
	for i := range p.params {
		for _, a := range p.params[i] {
			v.compare(abitest.ParamName(i), a,
				func(k int) byteValue { return placed(as.Params[i], a.off+k, 0, v.sp, localAddr{}) },
				func(k int) byteValue { return tr.stores[localAddr{add: globalBase + int64(a.global+k)}] })
		}
	}
	hidden := v.hidden(as, func(r sass.Reg) word { return regWord(r, 0) })
	for _, a := range p.result {
		v.compareHeld(abitest.ResultName, a, tr.ret, func(k int) byteValue {
			return placed(as.Results[0], a.off+k, 0, v.sp, hidden)
		})
	}
	return v
}

// hidden returns the address of an indirect result, from the value of the
// register that carries it.
func (v *verdict) hidden(as *abi.Assignment, value func(sass.Reg) word) localAddr {
	if as.Sret.Kind != abi.InReg {
		return localAddr{}
	}
	at, _ := v.tr.linear(value(as.Sret.Reg))
	return at
}

// compareCaller compares a call and what comes back.
func (p *probe) compareCaller(tr *trace, as *abi.Assignment) (*verdict, error) {
	if len(tr.calls) != 1 || tr.callees[0] != p.extern() {
		return nil, fmt.Errorf("%s: calls %v, not %s alone", p.caller(), tr.callees, p.extern())
	}
	at := tr.calls[0]
	sp, ok := tr.linear(at.regs[sass.SP])
	if !ok {
		return nil, fmt.Errorf("%s: the stack pointer is not followed to the call", p.caller())
	}
	v := &verdict{side: "caller", tr: tr, sp: sp}
	for i := range p.params {
		for _, a := range p.params[i] {
			v.compareHeld(abitest.ParamName(i), a, at, func(k int) byteValue {
				return placed(as.Params[i], a.off+k, 0, sp, localAddr{})
			})
		}
	}
	hidden := v.hidden(as, func(r sass.Reg) word { return at.regs[r] })
	for _, a := range p.result {
		v.compare(abitest.ResultName, a,
			func(k int) byteValue { return placed(as.Results[0], a.off+k, 1, sp, hidden) },
			func(k int) byteValue { return tr.stores[localAddr{add: globalBase + int64(a.global+k)}] })
	}
	return v, nil
}
