package lower

import (
	"math"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A nameTable gives registers and labels names that are unique within their
// function. PTX scopes both to blocks, and inline assembly repeats them; the
// first keeps its name, later ones that differ get a suffix.
type nameTable struct {
	seen   []seenName      // by the number of a name that is declared
	stems  map[string]bool // names without the digits at their ends; nil where no block within the body declares name<count>
	suffix string          // what is added to names begins with it
	// Whether there are such symbols, and such with a name that begins with %.
	any, percent bool
	mask         nameFilter // their names

	// Labels that are declared more than once: by block, the labels in it. nil where all
	// labels differ.
	labelIn map[int][]labelName
	now     map[string]string // the unique name of each label that is visible here
	undo    []labelName       // what labels that are visible in open blocks were before
	marks   []int             // length of undo at each open block

	emitted map[string]bool // the unique names of labels so far, where labelIn is set

	labels   resolved.Names // the labels of the source
	counts   []int          // how often each is declared, by number
	repeated bool           // some are declared more than once
}

// A labelName is a label and its unique name, "" for none.
type labelName struct{ name, unique string }

// A seenName is what a name stood for first.
type seenName struct {
	ok   bool
	size int // in bytes
}

// init begins a function whose body has so many names.
func (n *nameTable) init(names int) {
	n.seen = resized(n.seen, names)
	clear(n.seen)
	n.stems = nil
	n.any, n.percent, n.mask, n.repeated = false, false, 0, false
	n.labelIn, n.emitted = nil, nil
	n.labels.Reset()
	n.counts = n.counts[:0]
	n.suffix = "$"
}

// addLabel takes note of a label of the source.
func (n *nameTable) addLabel(name string) {
	k := n.labels.Add(name)
	if k == len(n.counts) {
		n.counts = append(n.counts, 0)
	}
	n.counts[k]++
	n.repeated = n.repeated || n.counts[k] > 1
}

// isLabel reports whether the source declares a label.
func (n *nameTable) isLabel(name string) bool { return n.labels.Find(name) >= 0 }

// avoid makes the suffix one that the name does not have: it has more dollar
// signs in a row than any name of the function.
func (n *nameTable) avoid(name string) {
	if strings.IndexByte(name, '$') < 0 { // as nearly all; to look for the suffix takes five times as long
		return
	}
	for strings.Contains(name, n.suffix) {
		n.suffix += "$"
	}
}

// A symbol is what lowering knows of a symbol of the body.
type symbol struct {
	v     *pvar // the variable that it is, nil if it is none
	added bool  // something is added to its name
	order int32 // among the symbols: parameters, results, then those of the text
}

// declareNames finds out which symbols need another name: those that hide another one,
// those whose name stood for something of another size before, and names that look like
// registers of the machine.
func (pl *placer) declareNames() {
	list, results, params := pl.in.Syms, len(pl.f.Results), len(pl.f.Params)
	pl.syms = resized(pl.syms, len(list))
	clear(pl.syms)
	n := &pl.names
	for _, sym := range list {
		if sym.Depth > 0 && sym.Var != nil && sym.Var.Ranged() {
			pl.findStems()
			break
		}
	}
	order := int32(0)
	declare := func(list []*resolved.Symbol, formals bool) {
		for _, sym := range list {
			if formals == (sym.Role == resolved.Param) {
				pl.syms[sym.ID].order = order
				order++
				pl.declareName(sym)
			}
		}
	}
	declare(list[results:], true) // in the body too, of a kernel before PTX 1.4
	for _, sym := range list[:results] {
		pl.syms[sym.ID].order = order
		order++
		pl.declareName(sym)
	}
	declare(list[results+params:], false)
	for i := range pl.in.Labels {
		n.addLabel(pl.in.Labels[i].Name)
	}
}

// declareName finds out whether a symbol needs another name.
func (pl *placer) declareName(sym *resolved.Symbol) {
	n := &pl.names
	if sym.Var == nil {
		// A list has a name of its own among those of variables; nobody names a prototype.
		if sym.Targets != nil {
			if _, again := n.see(sym, int(sym.From)+listSize); again {
				pl.rename(sym.Targets.Name, sym)
			}
		}
		return
	}
	spec, name := sym.Spec, sym.Var.Name
	hides := sym.Hides || sym.Outer != nil || n.stems != nil && sym.Depth > 0 && sym.Var.Ranged() && n.stems[name]
	as := resolve.Size(spec, sym.Var)
	switch {
	case spec.Space == ptx.ParamSpace:
	case spec.Space == ptx.RegSpace:
		pl.bareRegs = pl.bareRegs || name != "" && name[0] != '%'
		hides = hides || resolve.MachineName(name)
	default:
		as = -2 - int(max(sym.From, 0)) // each declaration is another variable
		hides = hides || resolve.MachineName(name)
	}
	if spec.Type == ptx.Pred && as >= 0 {
		as = -1
	}
	first, again := n.see(sym, as)
	if !again || first >= listSize { // else the name has been seen
		n.avoid(name)
	}
	if hides || first != as {
		pl.rename(name, sym)
	}
}

// findStems takes note of the names that are declared alone, without the digits at their
// ends.
func (pl *placer) findStems() {
	n := &pl.names
	n.stems = make(map[string]bool)
	for _, sym := range pl.in.Syms {
		if sym.Var != nil && !sym.Var.Ranged() {
			if stem := strings.TrimRight(sym.Var.Name, "0123456789"); stem != sym.Var.Name {
				n.stems[stem] = true
			}
		}
	}
}

// see returns what size the name of a symbol has been declared with before, and
// notes this one if it has not.
func (n *nameTable) see(sym *resolved.Symbol, size int) (first int, again bool) {
	s := &n.seen[sym.Name]
	if s.ok {
		return s.size, true
	}
	*s = seenName{true, size}
	return size, false
}

// rename gives a symbol a unique name.
func (pl *placer) rename(name string, sym *resolved.Symbol) {
	s := &pl.syms[sym.ID]
	s.added = true
	n := &pl.names
	n.any = true
	n.percent = n.percent || name[0] == '%'
	if sym.Var != nil {
		n.mask.add(sym.Var)
	} else {
		n.mask |= filterBit(name)
	}
}

// added returns what is added to a symbol's name.
func (pl *plan) added(sym *resolved.Symbol) string {
	s := &pl.syms[sym.ID]
	if !s.added {
		return ""
	}
	return pl.names.suffix + strconv.Itoa(int(s.order))
}

// listSize, with the statement's index, stands for a list of targets among the
// sizes of what has been declared.
const listSize = min(1<<40, math.MaxInt)

// use returns the unique name of a register or variable that is mentioned
// here.
func (n *nameTable) use(fn *fn, name string) string {
	if fn.h == nil && !n.mask.has(name) {
		return name
	}
	sym := fn.in.Lookup(fn.at, name)
	if sym == nil {
		return fn.symbol(name)
	}
	if h := fn.homeOf(name, sym); h != nil {
		return h.text(0)
	}
	return name + fn.added(sym)
}

// symbol returns how a name is written that means nothing in the function: as calls
// write it if it is one of the module's that looks like a register.
func (fn *fn) symbol(name string) string {
	if fn.table.Machine && resolve.MachineName(name) && (fn.table.Var(name) != nil || fn.table.Lookup(name) != nil) {
		return "`(" + name + ")"
	}
	return name
}

// text is register i of a home.
func (h *home) text(i int) string {
	if h.Words == 0 {
		return "P" + strconv.Itoa(int(h.reg))
	}
	return "R" + strconv.Itoa(int(h.reg)+i)
}

// element returns the register that an element of a vector lives in, where the
// text after its name is .x or the like, and how long that is; "" if it has no
// home.
func (n *nameTable) element(fn *fn, name, behind string) (reg string, size int) {
	if fn.h == nil || len(behind) < 2 || behind[0] != '.' || len(behind) > 2 && nameByte(behind[2]) {
		return "", 0
	}
	at := strings.IndexByte("xyzwrgba", behind[1])
	sym := fn.in.Lookup(fn.at, name)
	h := fn.homeOf(name, sym)
	if h == nil || at < 0 || sym.Spec.Vec == 0 || at%4 >= sym.Spec.Vec {
		return "", 0
	}
	return h.text(at % 4 * h.Words / sym.Spec.Vec), 2
}

// untouched reports whether an instruction certainly keeps all of its names: none
// in the function changes, or only such as those that it does not mention look.
func (n *nameTable) untouched(fn *fn, in *ptx.Instr) bool {
	if fn.h != nil {
		return false
	}
	if n.labelIn != nil || n.percent || in.Guard != nil && in.Guard.Name[0] != '%' {
		return !n.any && n.labelIn == nil
	}
	kind := fn.kinds[fn.at]
	if n.mask == 0 || kind&named == 0 || n.mask&fn.bareNames == 0 && !kind.ends() {
		return true
	}
	names := identifiers{text: in.Args}
	for name := names.nextBare(); name != ""; name = names.nextBare() {
		if n.mask.has(name) {
			return false
		}
	}
	return true
}

// rewrite returns the text of an instruction with the unique names in it. It is
// good until the next call.
func (n *nameTable) rewrite(fn *fn, in *ptx.Instr) []byte {
	if n.same(fn, in) {
		fn.line = ptx.AppendStmt(fn.line[:0], in)
		return fn.line[:len(fn.line)-1]
	}
	guard := fn.guard(in.Guard)
	dst := append(fn.line[:0], guard...)
	if guard != "" {
		dst = append(dst, ' ')
	}
	dst = append(append(dst, in.Op...), ' ')
	args := string(ptx.AppendTokens(nil, in.Args))
	names := identifiers{text: args}
	done := 0
	for name := names.next(); name != ""; name = names.next() {
		dst = append(dst, args[done:names.off-len(name)]...)
		done = names.off
		if reg, size := n.element(fn, name, args[done:]); size > 0 {
			dst = append(dst, reg...)
			done += size
			continue
		}
		dst = append(dst, n.resolve(fn, name)...)
	}
	fn.line = append(dst, args[done:]...)
	return fn.line
}

// same reports whether an instruction keeps all of its names.
func (n *nameTable) same(fn *fn, in *ptx.Instr) bool {
	if n.untouched(fn, in) {
		return true
	}
	names := identifiers{text: in.Args}
	for name := names.next(); name != ""; name = names.next() {
		if n.resolve(fn, name) != name {
			return false
		}
	}
	return in.Guard == nil || strings.HasSuffix(fn.guard(in.Guard), in.Guard.Name)
}

func (n *nameTable) resolve(fn *fn, name string) string {
	if u := n.label(name); u != name || fn.kinds[fn.at].ends() && n.isLabel(name) {
		return u
	}
	return n.use(fn, name)
}
