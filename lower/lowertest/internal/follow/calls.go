package follow

import (
	"maps"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/sass"
)

// call executes a call. It reports whether control comes back.
func (p *path) call(m *symexec.Machine, in *symexec.Instr) bool {
	name, pointer, err := m.CallTarget(in)
	if err != nil {
		p.fail("%s calls what is not known: %s (cuobjdump leaves out names of other functions, nvdisasm -c has them)", p.where(), in)
		return false
	}
	nth := p.calls[p.index]
	if nth > helperCalls {
		p.helper(m, name)
		return true
	}
	maybe := p.maybe(name, pointer)
	pt := point{kind: callPoint, index: p.index, name: name, nth: nth, pointer: pointer, site: shared(maybe)}
	p.leave(m, pt)
	var results abi.RegSet
	for _, s := range maybe {
		results = results.Union(s.asn.ResultRegs())
	}
	p.leaves(&pt, results)
	if p.alloc == nil && p.written != nil && p.written.unsure(name) {
		p.unsure[uint16(nth)] = results
	}
	p.memory(m, maybe, uint16(nth))
	p.clobber(m, &pt, results)
	back := m.Pushed
	m.Pushed = ""
	if p.alloc != nil {
		p.alloc.called(m, &pt)
	}
	if pt.site != nil && pt.site.noreturn {
		return false
	}
	if p.returnsAside(in, back) {
		p.goTo(m, back)
		return false
	}
	return true
}

// maybe returns the calls of the source that a call may be.
func (p *path) maybe(name string, pointer []symexec.Word) []*site {
	if len(p.l.Targets) > 0 && p.alloc == nil && p.written != nil { // the order of the calls is the compiler's
		return p.sites.maybe(name, p.function(pointer))
	}
	if s := p.sites.callee(name, p.nth[p.index]); s != nil {
		return []*site{s}
	}
	return nil
}

// clobber makes registers hold what a call leaves in them: a result, or what is not known.
func (p *path) clobber(m *symexec.Machine, pt *point, results abi.RegSet) {
	kept, nth := p.sites.t.Regs.CalleeSaved, uint16(pt.nth)
	if pt.site != nil {
		kept = pt.site.regs.CalleeSaved
	}
	lost := abi.RegRange(0, sass.RZ-1).Minus(kept)
	if p.written != nil && pt.name != symexec.Pointer {
		lost = lost.Intersect(p.written.by(pt.name).Union(results))
	}
	system := slices.Contains(systemFunctions, pt.name)
	clear(m.Carries)
	maps.DeleteFunc(m.Virt, func(name string, _ symexec.Word) bool { return len(name) == 2 && name[0] == 'P' })
	for r := range sass.RZ {
		if lost.Has(r) && r != sass.SP {
			m.Regs[r] = symexec.RegWord(r, nth)
			if system && r > 31 && !results.Has(r) {
				m.Regs[r] = lostWord(m.PC)
			}
			if p.final {
				p.log = append(p.log, change{p.index, r, m.Regs[r], true})
			}
		}
		if !m.UniformKept.Has(r) {
			m.URegs[r] = symexec.URegWord(int(r), nth)
		}
	}
}

// leaves notes the registers that the result of a call is in: of one through a register those of all such calls. What a
// function of the listing leaves in others may be known to its callers.
func (p *path) leaves(pt *point, results abi.RegSet) {
	if pt.site == nil || p.alloc != nil || p.written == nil || p.written.listings[pt.name] != nil {
		return
	}
	if pt.name == symexec.Pointer {
		for _, s := range p.sites.through {
			results = results.Union(s.asn.ResultRegs())
		}
	}
	p.results[uint16(pt.nth)] = results
}

// systemFunctions are those that the driver supplies. The assembler uses which registers their code leaves alone
// beside those that the convention has: ptxas 13.5 keeps a return address in R32 and R33 over a call of free.
var systemFunctions = []string{
	"vprintf", "vfprintf", "malloc", "free", "__assertfail", "cnpGetParameterBuffer", "__cuda_syscall_cp_async", "__nv_get_device_id",
}

// returnsAside reports whether a call returns to a label that PRET has pushed and that does not stand right after it. This is
// no mistake where the next instruction is the target of a branch.
func (p *path) returnsAside(in *symexec.Instr, pushed string) bool {
	to, ok := p.l.Labels[pushed]
	return in.Name == "JMX" && ok && to != p.index+1 && p.index+1 < len(p.l.Instrs) && p.l.Targets[p.index+1]
}

// memory makes local memory hold what a call leaves in it: what one of several calls may write is not known.
func (p *path) memory(m *symexec.Machine, calls []*site, nth uint16) {
	write := func(at symexec.Addr, b symexec.Byte) {
		if len(calls) > 1 {
			b = lostWord(m.PC).B[0]
		}
		m.Local[at] = b
	}
	sp, ok := m.Linear(m.Regs[sass.SP])
	for _, s := range calls {
		if !p.joins(s.sretSize() + int(s.passed())) {
			return
		}
		if s.sretSize() > 0 {
			if to, known := m.Linear(m.Regs[s.asn.Sret.Reg]); known && to.Base != symexec.NoBase {
				for i := range int64(s.sretSize()) {
					write(to.Plus(i), symexec.Byte{Kind: symexec.ResultByte, Epoch: nth, Off: i})
				}
			}
		}
		for i := range s.passed() {
			if at := sp.Plus(i); ok {
				write(at, symexec.Byte{Kind: symexec.LocalByte, Base: at.Base, Off: at.Add, Epoch: nth})
			}
		}
	}
	for at := range m.Local {
		if ok && at.Base == sp.Base && at.Add < sp.Add {
			m.Local[at] = symexec.Byte{Kind: symexec.LocalByte, Base: at.Base, Off: at.Add, Epoch: nth}
		}
	}
}

// helper executes a call of code that the assembler adds: what it does to registers is
// not known.
func (p *path) helper(m *symexec.Machine, name string) {
	w := lostWord(m.PC)
	lost := abi.RegRange(0, sass.RZ-1)
	if p.written != nil {
		lost = p.written.by(name)
	}
	for r := range sass.RZ {
		if r != sass.SP && lost.Has(r) {
			m.Regs[r] = w
			p.note(r, w)
		}
		m.URegs[r] = w
	}
	clear(m.Carries)
}

// functionAddress returns the symbol whose words are the address of a function that the text of PTX names:
// its entry in the table of the target, where that has one. It is false for other names.
func (p *path) functionAddress(name string) (string, bool) {
	if c := p.sites.table.Lookup(name); c == nil || c.Func.Entry {
		return "", false
	}
	if machine.Of(p.sites.t.SM).Spelling.IndirectTable != "" {
		name = "fun@unified(" + name + ")"
	}
	return name, true
}
