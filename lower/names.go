package lower

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
)

// A nameTable gives registers and labels names that are unique within their
// function. PTX scopes both to blocks, and inline assembly repeats them; the
// first keeps its name, later ones that differ get a suffix.
type nameTable struct {
	seen    map[string]int  // size in bytes under which a name was first declared
	stems   map[string]bool // names declared so far, without the digits at their ends
	renamed map[int]string  // what is added to a symbol's name, by its ID
	suffix  string          // what such additions begin with

	// Labels that are declared more than once: by the index of the block's
	// *ptx.Open (-1 for the body), the unique name of each label in it. nil
	// where all labels differ.
	labelIn map[int]map[string]string
	blocks  []int

	declared map[string]int  // how often each label is, in the source
	emitted  map[string]bool // the unique names of labels so far
}

func (n *nameTable) init(f *ptx.Func) {
	n.seen = make(map[string]int)
	n.stems = nil
	n.renamed = nil
	n.labelIn = nil
	count := make(map[string]int)
	n.declared = count
	n.emitted = nil
	dup := false
	n.suffix = "$"
	for i := range f.Params {
		n.avoid(f.Params[i].Name)
	}
	for i := range f.Results {
		n.avoid(f.Results[i].Name)
	}
	for _, s := range f.Body {
		switch s := s.(type) {
		case *ptx.Label:
			count[s.Name]++
			dup = dup || count[s.Name] > 1
		case *ptx.Decl:
			for i := range s.Vars {
				n.avoid(s.Vars[i].Name)
			}
		}
	}
	if dup {
		n.uniqueLabels(f, count)
	}
	n.reset()
}

// avoid makes the suffix one that the name does not have: it has more dollar
// signs in a row than any name of the function.
func (n *nameTable) avoid(name string) {
	for strings.Contains(name, n.suffix) {
		n.suffix += "$"
	}
}

func (n *nameTable) uniqueLabels(f *ptx.Func, taken map[string]int) {
	n.labelIn = map[int]map[string]string{}
	first := make(map[string]bool)
	next := make(map[string]int)
	blocks := []int{-1} // those that are open
	for i, s := range f.Body {
		switch s := s.(type) {
		case *ptx.Open:
			blocks = append(blocks, i)
		case *ptx.Close:
			blocks = blocks[:max(len(blocks)-1, 1)]
		case *ptx.Label:
			block := blocks[len(blocks)-1]
			name := s.Name
			for first[s.Name] && taken[name] > 0 {
				next[s.Name]++
				name = s.Name + "$" + strconv.Itoa(next[s.Name])
			}
			first[s.Name] = true
			taken[name]++
			if n.labelIn[block] == nil {
				n.labelIn[block] = make(map[string]string)
			}
			if _, ok := n.labelIn[block][s.Name]; !ok {
				n.labelIn[block][s.Name] = name
			}
		}
	}
}

// reset begins another walk over the body.
func (n *nameTable) reset() { n.blocks = append(n.blocks[:0], -1) }

func (n *nameTable) open(at int) { n.blocks = append(n.blocks, at) }

func (n *nameTable) close() {
	if len(n.blocks) > 1 {
		n.blocks = n.blocks[:len(n.blocks)-1]
	}
}

// label returns the unique name of a label that is declared or used here.
func (n *nameTable) label(name string) string {
	if n.labelIn == nil {
		return name
	}
	for i := len(n.blocks) - 1; i >= 0; i-- {
		if u, ok := n.labelIn[n.blocks[i]][name]; ok {
			return u
		}
	}
	return name
}

// declare makes a symbol visible and gives it a unique name if it needs one:
// if it hides another, or if the name stood for a register of another size.
func (fn *fn) declare(name string, sym *sig.Symbol) {
	hides := fn.scope.Lookup(name) != nil
	hides = fn.scope.Add(name, sym) != nil || hides
	if sym.Var == nil {
		return
	}
	n := &fn.names
	if sym.Var.Count >= 0 {
		hides = hides || sym.Depth > 0 && n.stems[name]
	} else if stem := strings.TrimRight(name, "0123456789"); stem != name {
		if n.stems == nil {
			n.stems = make(map[string]bool)
		}
		n.stems[stem] = true
	}
	if n.renamed[sym.ID] != "" {
		return // in the first walk
	}
	size := sig.Size(sym.Spec, sym.Var)
	if sym.Spec.Type == ptx.Pred {
		size = -1
	}
	if sym.Spec.Space != ptx.RegSpace && sym.Spec.Space != ptx.ParamSpace {
		size = -2 - fn.at // each declaration is another variable
	}
	first, again := n.seen[name]
	if !again {
		n.seen[name] = size
	}
	switch sym.Spec.Space {
	case ptx.RegSpace:
		hides = hides || again && first != size || machineName(name)
	case ptx.ParamSpace:
		hides = hides || again && first != size
	default: // its text stands for a place in memory
		hides = hides || again && first != size
	}
	if hides {
		n.rename(sym)
	}
}

// rename gives a symbol a unique name, the same in both walks.
func (n *nameTable) rename(sym *sig.Symbol) {
	if n.renamed == nil {
		n.renamed = make(map[int]string)
	}
	n.renamed[sym.ID] = n.suffix + strconv.Itoa(sym.ID)
}

// machineName reports whether PTX gives a register a name that means one of
// the machine, or a stem of such names: R4, RZ, P0, PT, UR4, B0.
func machineName(name string) bool {
	switch strings.TrimRight(name, "0123456789") {
	case "R", "RZ", "P", "PT", "UR", "URZ", "UP", "UPT", "B":
		return true
	}
	return false
}

// declareTargets makes the name of a prototype or of a list visible.
func (fn *fn) declareTargets(s ptx.Stmt) {
	switch s := s.(type) {
	case *ptx.Prototype:
		fn.scope.Add(s.Name, &sig.Symbol{Proto: s})
	case *ptx.TargetList:
		sym := &sig.Symbol{Targets: s}
		fn.scope.Add(s.Name, sym)
		if _, again := fn.names.seen[s.Name]; again && fn.names.seen[s.Name] != fn.at+listSize {
			fn.names.rename(sym)
		} else {
			fn.names.seen[s.Name] = fn.at + listSize
		}
	}
}

// listSize, with the statement's index, stands for a list of targets among the
// sizes of what has been declared.
const listSize = 1 << 40

// unique returns the unique name of a symbol.
func (fn *fn) unique(sym *sig.Symbol) string { return sym.Var.Name + fn.names.renamed[sym.ID] }

// use returns the unique name of a register or variable that is mentioned
// here.
func (n *nameTable) use(fn *fn, name string) string {
	if n.renamed == nil && fn.h == nil {
		return name
	}
	sym := fn.scope.Lookup(name)
	if sym == nil {
		return name
	}
	if h := fn.homeOf(name, sym); h != nil {
		return h.text(0)
	}
	return name + n.renamed[sym.ID]
}

// text is register i of a home.
func (h *home) text(i int) string {
	if h.Words == 0 {
		return "P" + strconv.Itoa(int(h.reg))
	}
	return "R" + strconv.Itoa(int(h.reg)+i)
}

// element returns the register that an element of a vector lives in, where the
// text behind its name is .x or the like, and how long that is; "" if it has no
// home.
func (n *nameTable) element(fn *fn, name, behind string) (reg string, size int) {
	if fn.h == nil || len(behind) < 2 || behind[0] != '.' || len(behind) > 2 && nameByte(behind[2]) {
		return "", 0
	}
	at := strings.IndexByte("xyzwrgba", behind[1])
	sym := fn.scope.Lookup(name)
	h := fn.homeOf(name, sym)
	if h == nil || at < 0 || sym.Spec.Vec == 0 || at%4 >= sym.Spec.Vec {
		return "", 0
	}
	return h.text(at % 4 * h.Words / sym.Spec.Vec), 2
}

// rewrite returns the text of an instruction with the unique names in it.
func (n *nameTable) rewrite(fn *fn, in *ptx.Instr, text string) string {
	if n.renamed == nil && n.labelIn == nil && fn.h == nil {
		return text
	}
	names := identifiers{text: in.Args}
	same := true
	for name := names.next(); name != "" && same; name = names.next() {
		same = n.resolve(fn, name) == name
	}
	guard := fn.guard(in.Guard)
	if same && (in.Guard == nil || strings.HasSuffix(guard, in.Guard.Name)) {
		return text
	}
	dst := []byte(guard)
	if guard != "" {
		dst = append(dst, ' ')
	}
	dst = append(append(dst, in.Op...), ' ')
	args := string(ptx.AppendTokens(nil, in.Args))
	names = identifiers{text: args}
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
	return string(append(dst, args[done:]...))
}

func (n *nameTable) resolve(fn *fn, name string) string {
	if u := n.label(name); u != name {
		return u
	}
	return n.use(fn, name)
}
