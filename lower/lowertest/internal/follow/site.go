package follow

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A site has the rules of the convention for a function that is called, or for one that is
// followed from within.
type site struct {
	name     string
	asn      abi.Assignment
	params   []string // their names in the declaration
	result   string
	regs     abi.RegFile // which registers it preserves, and where it returns to
	preserve bool        // it has .abi_preserve
	align    int         // what the stack pointer is a multiple of when it begins
	needs    int         // what it has to be a multiple of at this call, whose tail may be empty
	declared int         // the largest alignment that a value on the stack is declared with, or align
	variadic bool        // the end of its stack area is not known from within
	noreturn bool
}

// siteOf returns the site of a function with a signature that is its own or that of a
// call of it.
func siteOf(f *resolve.Function, sig abi.Signature, t *abi.Target) (*site, error) {
	s := &site{name: f.Name, regs: t.RegsWith(sig.Preserve), preserve: sig.Preserve.Given, align: t.Frame.FuncAlign, needs: t.Frame.FuncAlign}
	var err error
	if s.asn, err = abi.Assign(sig, t); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	for i, p := range s.asn.Params {
		s.params = append(s.params, f.Params[i].Name)
		if p.Loc.Kind == abi.OnStack {
			s.declared = max(s.declared, p.Align)
		}
		if p.Loc.Kind == abi.OnStack && !s.preserve { // where ptxas 13 aligns the stack for none
			s.align = max(s.align, p.Align)
			if p.Size > 0 { // ptxas at -O0 aligns the stack for no tail without bytes
				s.needs = max(s.needs, p.Align)
			}
		}
	}
	for i := range f.Results {
		s.result = f.Results[i].Name
	}
	if n := len(f.Params); n > 0 {
		s.variadic = f.Params[n-1].Var.Unsized()
	}
	s.noreturn = f.Directive(".noreturn") != nil
	return s, nil
}

// A part is a run of bytes of a value that has a place.
type part struct {
	name       string
	first, end int // bytes of the value
	size       int // of the whole value
}

// text names a part: "bytes 4 to 8 of argument y", "" for none.
func (p *part) text(kind string) string {
	switch {
	case p == nil:
		return ""
	case p.first == 0 && p.end >= p.size:
		return kind + " " + p.name
	}
	return fmt.Sprintf("bytes %d to %d of %s %s", p.first, p.end, kind, p.name)
}

// slice is the part of p of n bytes from byte first on, as far as the value goes.
func (p *part) slice(first, n int) *part {
	q := *p
	q.first += first
	q.end = q.first + n
	if q.first < q.size {
		q.end = min(q.end, q.size)
	}
	return &q
}

// at returns the part of four bytes at most of a parameter, or of the result, that begins in a place; nil for none.
func (s *site) at(loc abi.Loc, result bool) *part {
	if s == nil {
		return nil
	}
	list := s.asn.Params
	if result {
		list = s.asn.Results
	}
	for i := range list {
		p := &list[i]
		first, size := loc.Off-p.Loc.Off, p.Size
		switch loc.Kind {
		case abi.InReg:
			first, size = 4*(int(loc.Reg)-int(p.Loc.Reg)), 4*p.Words()
		case abi.OnStack:
			size = max(size, 1)
		}
		if p.Loc.Kind != loc.Kind || p.Loc.Bank != loc.Bank || first < 0 || first >= size {
			continue
		}
		name := s.result
		if !result {
			name = s.params[i]
		}
		return &part{name: name, first: first, end: min(first+4, max(p.Size, first+1)), size: p.Size}
	}
	return nil
}

// passed returns where the last parameter on the stack ends: what lies after it in the
// same word may be another's.
func (s *site) passed() int64 {
	end := 0
	for _, p := range s.asn.Params {
		if p.Loc.Kind == abi.OnStack && p.Size > 0 {
			end = max(end, p.Loc.Off+p.Size)
		}
	}
	return int64(end)
}

// sretSize returns the size of a result in memory whose address is passed, 0 for none.
func (s *site) sretSize() int {
	if s.asn.Sret.Kind != abi.InReg || len(s.asn.Results) == 0 {
		return 0
	}
	return s.asn.Results[0].Size
}

// sites are those of one function: itself, and what it calls.
type sites struct {
	own       *site
	kernel    bool
	alloca    bool               // its body moves the stack pointer, by a size that is computed
	stores    bool               // it writes to memory that is not its own
	unwritten bool               // it reads registers that it never writes
	locals    bool               // it has .local variables, whose bytes may be undefined
	helpers   []string           // functions that the backend adds, which the source does not call
	noTable   bool               // the listing is without the table of function addresses, as ptxas 11.8 has it
	named     map[string][]*site // by name, in the order of the text
	through   []*site            // through registers, likewise
	differing map[string][]*site // of those of a name, once each is looked up
	table     *resolve.Table     // of the module
	t         *abi.Target
	declared  func(name string) *site // of a function of the module as it is declared, nil for none
}

// sitesOf returns the sites of a function of a module.
func sitesOf(m *ptx.Module, f *ptx.Func, table *resolve.Table, t *abi.Target) (*sites, error) {
	fn := resolve.NewFunction(m, f)
	own, err := siteOf(fn, fn.Signature(), t)
	if err != nil {
		return nil, err
	}
	s := &sites{own: own, kernel: f.Entry, unwritten: readsUnwritten(f, table), named: make(map[string][]*site), differing: make(map[string][]*site), table: table, t: t}
	s.declared = func(name string) *site {
		callee := table.Lookup(name)
		if callee == nil {
			return nil
		}
		fn := resolve.NewFunction(m, callee.Func)
		one, _ := siteOf(fn, fn.Signature(), t)
		return one
	}
	for _, st := range f.Body {
		if in, ok := st.(*ptx.Instr); ok && (strings.HasPrefix(in.Op, "alloca") || strings.HasPrefix(in.Op, "stackrestore")) {
			s.alloca = true
		}
		if in := instrOf(st); in != nil {
			op, space, _ := strings.Cut(in.Op, ".")
			s.stores = s.stores || op == "atom" || op == "red" || strings.HasPrefix(op, "cp") || strings.HasPrefix(op, "st") && !strings.HasPrefix(space, "param") && !strings.HasPrefix(space, "local")
		}
		if d, ok := st.(*ptx.Decl); ok && d.Space == ptx.LocalSpace || s.alloca {
			s.locals = true
		}
	}
	for _, c := range table.Calls(f) {
		if c.Err != nil {
			return nil, c.Err
		}
		one, err := siteOf(c.Callee, c.Signature, t)
		if err != nil {
			return nil, err
		}
		if table.Lookup(c.Call.Callee.Name()) == nil {
			s.through = append(s.through, one)
			continue
		}
		if of := c.Callee.Aliasee; of != nil {
			one.name = of.Name
		}
		s.named[one.name] = append(s.named[one.name], one)
	}
	return s, nil
}

// kernelStack is the first byte of the constant that a kernel loads its stack pointer from.
func (s *sites) kernelStack() symexec.Byte {
	sp := s.t.Kernel.SP
	return symexec.Byte{Kind: symexec.BankByte, Reg: sp.Bank, Off: int64(sp.Off)}
}

// misaligned returns why the result of a function has no meaning that could be compared: a store to it at an
// offset that the size of the store does not divide. PTX leaves undefined what that does, and ptxas 12.4 to
// 13.5 store four bytes for func_retval0+3 at the beginning of a register.
func misaligned(f *ptx.Func) string {
	i := misalignedStore(f)
	if i < 0 {
		return ""
	}
	a := f.Body[i].(*ptx.Access)
	return fmt.Sprintf("line %d stores %d bytes at offset %d of the result, which PTX leaves undefined", a.Pos.Line, a.Bytes(), a.Addr.Off)
}

// misalignedStore returns the first such store, -1 for none.
func misalignedStore(f *ptx.Func) int {
	return slices.IndexFunc(f.Body, func(st ptx.Stmt) bool {
		a, ok := st.(*ptx.Access)
		return ok && a.Store && !a.Addr.Indexed && len(f.Results) > 0 && a.Addr.Base == f.Results[0].Name && a.Bytes() > 0 && a.Addr.Off%int64(a.Bytes()) != 0
	})
}

// misalignedAccess reports whether a function accesses a variable at an address that the size of the access need not divide,
// by the offset and the variable's alignment.
func misalignedAccess(f *ptx.Func) bool {
	align := make(map[string]int)
	note := func(spec *ptx.Spec, name string) { align[name] = max(spec.Alignment(), 1) }
	for _, list := range [][]ptx.Formal{f.Params, f.Results} {
		for i := range list {
			note(&list[i].Spec, list[i].Name)
		}
	}
	for _, st := range f.Body {
		switch st := st.(type) {
		case *ptx.Decl:
			for i := range st.Vars {
				note(&st.Spec, st.Vars[i].Name)
			}
		case *ptx.Access:
			n, known := align[st.Addr.Base]
			if size := int64(st.Bytes()); known && size > 0 && (st.Addr.Indexed || lowestBit(st.Addr.Off, int64(n)) < size) {
				return true
			}
		}
	}
	return false
}

// callee returns the site of the call number n of a name, or the call number n through
// registers where the name is Pointer; nil if the source has none.
func (s *sites) callee(name string, n int) *site {
	list := s.calls(name)
	if len(list) == 0 {
		return nil
	}
	return list[min(n, len(list)-1)]
}

func (s *sites) calls(name string) []*site {
	if name == symexec.Pointer {
		return s.through
	}
	return s.named[name]
}

// maybe returns the sites that differ of those that a call of a listing may be, whose calls are in an order of their own: one of
// a name, or through registers that hold the address of the function named to, "" for one that is not known.
func (s *sites) maybe(name, to string) []*site {
	var declared *site
	if name == symexec.Pointer {
		declared = s.declared(to)
	}
	all, ok := s.differing[name]
	if !ok {
		for _, one := range s.calls(name) {
			if !slices.ContainsFunc(all, one.like) {
				all = append(all, one)
			}
		}
		s.differing[name] = all
	}
	if declared != nil {
		if i := slices.IndexFunc(all, declared.like); i >= 0 {
			return all[i : i+1]
		}
	}
	return all
}

// like reports whether two sites are called alike.
func (s *site) like(other *site) bool {
	return s.regs == other.regs && s.preserve == other.preserve && s.noreturn == other.noreturn && s.needs == other.needs && reflect.DeepEqual(s.asn, other.asn)
}

// shared returns what holds of all sites of a list: of sites that differ nothing of parameters and results.
func shared(list []*site) *site {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	c := &site{name: list[0].name, regs: list[0].regs, preserve: true, noreturn: true, needs: list[0].needs, align: list[0].align}
	for _, s := range list {
		c.regs.CalleeSaved = c.regs.CalleeSaved.Intersect(s.regs.CalleeSaved)
		if s.regs.RetAddr != c.regs.RetAddr {
			c.regs.RetAddr = sass.RZ
		}
		c.preserve, c.noreturn = c.preserve && s.preserve, c.noreturn && s.noreturn
		c.needs, c.align = min(c.needs, s.needs), min(c.align, s.align)
	}
	return c
}
