package check

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/opcodes"
	"github.com/ptxabi/ptxabi/ptx"
)

// unknownWord reports a word that PTX up to the newest known version does not have. In a module of
// a later version it may be right, and only the first such word is reported, as a warning.
func (c *checker) unknownWord(pos diag.Pos, kind, word string) {
	if !c.newerModule() {
		c.errorf(UnknownWord, pos, "unknown %s %s", kind, clip(word))
		return
	}
	switch d := c.mistakes.newer; {
	case d == nil:
		c.mistakes.newer = c.add(diag.Warning, UnknownWord, pos, "")
	case pos.Line >= d.Pos.Line: // the first diagnostic of a line, about its form, says most
		return
	}
	d := c.mistakes.newer
	d.Pos, d.Msg = pos, sprintf("unknown %s %s: the module states .version %v, and words of versions after %v are not known; they are passed over", kind, clip(word), c.m.Version, ptx.Newest)
}

// newerModule reports whether the module is of a version after ptx.Newest.
func (c *checker) newerModule() bool {
	return c.m.Version.AtLeast(ptx.Newest.Major, ptx.Newest.Minor+1)
}

// newer returns whether the module is of a later version. If it is, it reports a word as unknown, which that version may
// have.
func (c *checker) newer(kind, word string, pos diag.Pos) bool {
	if c.newerModule() {
		c.unknownWord(pos, kind, word)
	}
	return c.newerModule()
}

// unread reports the first text in no known form of a module of a later version, or of a body in it, at pos. It returns
// false if pos is zero, since there is none.
func (c *checker) unread(pos diag.Pos) bool {
	if pos.IsValid() {
		at := c.skip(pos) // pos may be before blanks, where a token is missing
		text := "the end of the text"
		if first, end, ok := c.m.Offsets(at, c.m.TokenEnd(at)); ok && first < end {
			text = "'" + c.m.Source()[first:end] + "'"
		}
		c.unknownWord(pos, "form at", text)
	}
	return pos.IsValid()
}

// places has the names of places of directives, in the order of ptx's constants.
var places = []struct {
	place ptx.Place
	name  string
}{
	{ptx.InModule, "at module level"},
	{ptx.InEntry, "after the parameters of a kernel's definition"},
	{ptx.InFunc, "after the parameters of a function"},
	{ptx.InPrototype, "at the end of a prototype"},
	{ptx.InBody, "in a body"},
	{ptx.InFormal, "before the type of a formal"},
	{ptx.InDecl, "in a declaration"},
	{ptx.InAttribute, "in the parentheses of .attribute"},
}

// placesOf returns the places where a directive may stand, in words.
func placesOf(p ptx.Place) string {
	var names []string
	for _, x := range places {
		if p&x.place != 0 {
			names = append(names, x.name)
		}
	}
	return strings.Join(names, " or ")
}

// directive checks that a directive is known, may stand in a place, which what names, and that
// the module's version and target have it. It returns whether all of that holds.
func (c *checker) directive(d *ptx.Directive, place ptx.Place, what string) bool {
	info, ok := ptx.LookupDirective(d.Name)
	switch {
	case !ok:
		c.unknownWord(d.Pos, "directive", d.Name)
		return false
	case info.Places&place == 0:
		report := c.errorf
		if arch := archOf(d.Args); d.Name == ".target" && place == ptx.InBody && 0 < arch && arch <= c.arch {
			report = c.forbidf
		}
		c.fixDirective(report(MisplacedDirective, d.Pos, "%s %s; it stands %s", d.Name, what, placesOf(info.Places)), d)
		return false
	case info.Until != (ptx.Version{}) && c.m.Version.AtLeast(info.Until.Major, info.Until.Minor+1):
		c.errorf(MisplacedDirective, d.Pos, "%s is of PTX up to %v, and the module states .version %v", d.Name, info.Until, c.m.Version)
		return false
	}
	return c.need(feature{name: d.Name, major: info.Since.Major, minor: info.Since.Minor, arch: info.Arch}, d.Pos)
}

// positive has the directives of kernels whose numbers are at least 1 and have 32 bits at most, measured with the
// assemblers 11.8 to 13.5. The directives of clusters and of their memory accept others.
var positive = map[string]bool{".maxntid": true, ".reqntid": true, ".maxnreg": true, ".minnctapersm": true}

// outOfRange returns the reason why the assembler refuses the numbers in the arguments of a directive; "" if it accepts
// them. The assemblers 11.8 to 13.5 crash if the product of threads, modulo 2^32, is larger than 2^32-32.
func outOfRange(d *ptx.Directive) string {
	product := uint32(1)
	for arg := range strings.SplitSeq(d.Args, ",") {
		n, err := strconv.ParseUint(strings.TrimRight(strings.TrimSpace(arg), "U"), 0, 64)
		switch {
		case err != nil:
			return "" // it is another expression
		case n == 0 || n > math.MaxUint32:
			return "its numbers are at least 1 and have 32 bits"
		}
		product *= uint32(n)
	}
	if strings.HasSuffix(d.Name, "ntid") && product > math.MaxUint32-31 {
		return "the assembler crashes on so many threads: a block has at most 1024"
	}
	return ""
}

// headDirective checks the i-th directive of a head.
func headDirective(c *checker, f *ptx.Func, i int) {
	d := &f.Directives[i]
	place, what := ptx.InFunc, "function "+f.Name
	if f.Entry {
		place, what = ptx.InEntry, "kernel "+f.Name
	}
	info, known := ptx.LookupDirective(d.Name)
	switch {
	case known && d.Args == "" && c.partial && info.Args != ptx.NoArgs && d.Name != ".noreturn": // its syntax error has been reported
	case known && d.Pos.Before(f.NamePos):
		c.errorf(MisplacedDirective, d.Pos, "%s stands before the name of %s; write it after the parameters", d.Name, what)
	case known && info.Places&place != 0 && !f.HasBody && !funcDirective(d.Name):
		c.fixDirective(c.errorf(MisplacedDirective, d.Pos, "%s on the declaration of %s; it is for the definition", d.Name, what), d)
	case !c.directive(d, place, "on "+what):
	case positive[d.Name] && outOfRange(d) != "":
		c.errorf(MisplacedDirective, d.Pos, "%s %s on %s; %s", d.Name, d.Args, what, outOfRange(d))
	case d.Name == ".pragma":
		c.pragma(d, "in the head of "+what)
	case d.Name == ".noreturn":
		if c.firstOf(f.Directives, i, what) {
			c.noreturn(headEnd(f), len(f.Results), what)
		}
	case funcDirective(d.Name):
		c.preserving(f.Directives, i, what, false)
	}
}

// protoDirectives checks the directives of a prototype.
func protoDirectives(c *checker, p *ptx.Prototype) {
	what := "prototype " + p.Name
	for i := range p.Directives {
		switch d := &p.Directives[i]; {
		case !c.directive(d, ptx.InPrototype, "on "+what):
		case d.Name != ".noreturn":
			c.preserving(p.Directives, i, what, true)
		case c.firstOf(p.Directives, i, what):
			c.noreturn(d.Pos, len(p.Results), what)
		}
	}
}

// known reports whether a directive is known.
func (c *checker) known(name string) bool {
	_, ok := ptx.LookupDirective(name)
	return ok
}

// raw checks that a section, whose text begins with its directive, may stand in its place.
func (c *checker) raw(it *ptx.Raw, place ptx.Place, what string) {
	name := it.Text
	for i, r := range name {
		if i > 0 && r != '_' && (r < 'a' || r > 'z') {
			name = name[:i]
			break
		}
	}
	if _, ok := ptx.LookupDirective(name); ok {
		c.directive(&ptx.Directive{Pos: it.Pos, Name: name}, place, what)
	}
}

// unknownSpec reports the first unknown word of a declaration. It returns whether the type or the space of the declaration
// is unknown.
func (c *checker) unknownSpec(s *ptx.Spec) bool {
	if len(s.Unknown) > 0 && !s.Unknown[0].Form { // an unknown form has been reported
		w, kind := &s.Unknown[0], "attribute"
		switch {
		case s.Type == ptx.NoType:
			kind = "type"
		case s.Space == ptx.NoSpace:
			kind = "state space"
		}
		c.unknownWord(w.Pos, kind, w.Text)
	}
	if s.Attr != "" {
		c.attributeWords(s.Attr, s.SpacePos)
	}
	return !s.Known()
}

// attributeWords checks that the words of an .attribute, at or after pos, are known, and that the module's version and
// target have them. It returns whether all of that holds.
func (c *checker) attributeWords(text string, pos diag.Pos) bool {
	ok := true
	for _, one := range strings.Split(text, ",") { // numbers in parentheses are no words
		name, _, _ := strings.Cut(strings.TrimSpace(one), "(")
		if name = strings.TrimSpace(name); !strings.HasPrefix(name, ".") {
			continue
		}
		at := c.at(pos, name)
		info, known := ptx.LookupDirective(name)
		if !known || info.Places&ptx.InAttribute == 0 {
			c.unknownWord(at, "attribute", name)
			ok = false
		} else if !c.need(feature{".attribute(" + name + ")", info.Since.Major, info.Since.Minor, info.Arch}, pos) {
			ok = false
		}
	}
	return ok
}

// callModifiers reports the unknown modifiers of a call.
func (b *bodyCheck) callModifiers(call *ptx.Call) {
	for _, m := range b.in.Op(b.at).Mods {
		if m != ".uni" {
			b.c.unknownWord(b.c.inOpcode(&call.Instr, m), "modifier of call", m)
		}
	}
}

// opcode reports the first unknown word of an opcode, and returns whether all words are known. It reports nothing in a body
// with syntax errors, since the text after one may look like an instruction.
func (b *bodyCheck) opcode(in *ptx.Instr) bool {
	word, ok := b.c.unknown[in.Op]
	if !ok {
		word = opcodes.Unknown(in.Op)
		b.c.unknown[in.Op] = word
	}
	if word == "" || b.c.broken[b.Func.Pos].errors > 0 {
		return true
	}
	kind, pos := "instruction", b.c.inOpcode(in, word)
	if word[0] == '.' {
		kind = "modifier"
	}
	b.c.unknownWord(pos, kind, word)
	for _, ref := range b.in.Operands(b.at) {
		if sym := b.in.Sym(ref); sym != nil && sym.Var != nil && sym.Spec.Space == ptx.ParamSpace {
			b.halfBody = true // the instruction may store to it
			b.pass(pos, "instruction %s is not known", in.Op)
		}
	}
	return false
}

// inOpcode returns the position of a word of an opcode; that of the instruction if there is no text.
func (c *checker) inOpcode(in *ptx.Instr, word string) diag.Pos {
	pos := in.Pos
	if in.Guard != nil {
		_, pos = c.find(pos, in.Guard.Name)
	}
	if at, _ := c.find(pos, word); at.IsValid() {
		return at
	}
	return in.Pos
}

// isParamAccess reports whether an opcode is that of an ld.param or st.param. If a plain instruction has such an opcode,
// the reader did not know one of its words.
func isParamAccess(op *body.Op) bool {
	param := func(mod string) bool { return strings.HasPrefix(mod, ".param") }
	return (op.Name == "ld" || op.Name == "ldu" || op.Name == "st") && slices.ContainsFunc(op.Mods, param)
}

// unreadAccess reports a plain instruction with the opcode of an ld.param or st.param.
func (c *checker) unreadAccess(in *ptx.Instr) {
	pos := c.inOpcode(in, in.Op)
	last := in.Op[strings.LastIndexByte(in.Op, '.'):]
	switch ops := in.Ops(); {
	case len(ops) > 2 && ptx.TypeOf(last) != ptx.NoType:
		if !c.newer("operand after the address of", in.Op, in.Pos) {
			d := c.errorf(IllegalOperand, in.Pos, "%s has an operand after the address, which loads of parameters do not take; drop it", in.Op)
			c.fixFirst(d, ops[1].Pos, in.Args[strings.LastIndexByte(in.Args, ']')+1:], "", "drop it")
		}
	case strings.Contains(in.Op, ".param::") || c.newerModule():
		c.unknownWord(pos, "type or qualifier in", in.Op)
	case strings.ContainsAny(last, "0123456789") && !strings.Contains(last, ":") && last[1] != 'v':
		c.errorf(UnknownWord, pos, "unknown type %s of %s; write one such as .b32", clip(last), clip(strings.TrimSuffix(in.Op, last)))
	default:
		c.errorf(UnknownWord, pos, "%s says no type to access; add one such as .b32", clip(in.Op))
	}
}

// spilling is the pragma that lets a kernel spill registers to shared memory. Releases up to 12.4, which read
// PTX up to 8.4, do not have it, and ignore it in a function or a head.
const spilling = "enable_smem_spilling"

// pragma checks the pragma about spilling, which may stand in the body of a kernel of a whole program. where is "" there, and
// names other places.
func (c *checker) pragma(d *ptx.Directive, where string) {
	if !strings.Contains(d.Args, spilling) {
		return
	}
	report := c.errorf
	if where != "at module level" && !c.m.Version.AtLeast(8, 5) {
		report = c.forbidf
	}
	switch {
	case where != "":
		report(MisplacedDirective, d.Pos, "the pragma %s %s; the assemblers from 12.8 on take it in the body of a kernel alone", spilling, where)
	case c.Compile && !c.Lower:
		report(MisplacedDirective, d.Pos, "the pragma %s with -c, which the assemblers from 12.8 on refuse; compile the module as a whole program", spilling)
	}
}

// addressSize reports 32-bit addresses if no release of the assembler accepts them for the module, or its own release does
// not.
func (c *checker) addressSize(d *ptx.Directive) {
	switch {
	case c.m.AddressSize != 32:
	case c.arch >= 90:
		c.refusef(NarrowAddresses, d.Pos, ".address_size 32 with .target %s; the assembler has 64-bit addresses alone from sm_90 on", c.m.Target)
	case release(c.m, c.Options).AtLeast(12, 4):
		c.refusef(NarrowAddresses, d.Pos, ".address_size 32 with the assembler of release %v; 12.4 and later ones have 64-bit addresses alone", release(c.m, c.Options))
	case c.m.Version.AtLeast(7, 9):
		c.refusef(NarrowAddresses, d.Pos, ".address_size 32 with .version %v; 11.8 has 32-bit addresses and reads PTX up to 7.8, and 12.4 and later ones have 64-bit addresses alone", c.m.Version)
	}
}
