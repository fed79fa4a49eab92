package ptx

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/lex"
)

// A Place is where a directive may stand.
type Place uint16

const (
	InModule    Place = 1 << iota // at module level
	InEntry                       // after the parameters of a kernel's definition
	InFunc                        // after the parameters of a function, defined or declared
	InPrototype                   // at the end of a .callprototype
	InBody                        // among the statements of a body
	InFormal                      // as the state space of a formal
	InDecl                        // among the words of a declaration or a formal
	InAttribute                   // in the parentheses of .attribute

	beforeName Place = 1 << 15 // together with a place in a head: before the name of the function
)

// An ArgForm is the form of a directive's arguments, which tells where they end: several
// directives have no semicolon.
type ArgForm uint8

const (
	NoArgs     ArgForm = iota // none
	ToSemi                    // everything up to a semicolon
	Values                    // values with commas between them
	OneInteger                // an integer
	LocArgs                   // three numbers, then values with commas before them
	FileArgs                  // a number and a name, then values with commas between them
	BracedArgs                // a name and text in braces; [Raw]
	SourceArgs                // text in braces, with free text between .source_begin and .source_end; [Raw]
	OwnNode                   // what follows is another node, or is a part of one: a function, a declaration, a list
)

// A DirectiveInfo has the facts about a directive, or about a word of declarations and functions.
type DirectiveInfo struct {
	Name   string // with its dot
	Places Place
	Args   ArgForm
	Since  Version // the first version that has it; the zero Version for all
	Until  Version // the last version that has it; the zero Version if all later ones do
	Arch   int     // the first architecture that has it, such as 80; 0 for all
	Use    string  // its meaning, in a few words
	Source string  // the source of these facts
}

const measured = "measured with the assemblers 11.8 to 13.5"

// directives has all directives that documents of PTX 1.0 to 9.5 name. testdata/check/directives.txt and forms.txt have
// the measurements.
var directives = []DirectiveInfo{
	{".version", InModule, Values, Version{}, Version{}, 0, "the version of the PTX ISA", "PTX ISA"},
	{".target", InModule, Values, Version{}, Version{}, 0, "the architecture that the module is for, which decides the convention", "PTX ISA"},
	{".address_size", InModule, Values, Version{2, 3}, Version{}, 0, "how many bits an address has", "PTX ISA"},
	{".file", InModule, FileArgs, Version{}, Version{}, 0, "the number of a source file", "PTX ISA; " + measured},
	{".section", InModule, BracedArgs, Version{2, 0}, Version{}, 0, "bytes of debug information", "PTX ISA; " + measured},
	{".nv_intermediate_source_section", InModule, SourceArgs, Version{9, 4}, Version{}, 0, "source text of an intermediate representation", "measured with the assemblers 13.4 and 13.5"},
	{".alias", InModule | InBody, ToSemi, Version{6, 3}, Version{}, 30, "another name of a function", "PTX ISA; " + measured},
	{".pragma", InModule | InEntry | InBody, ToSemi, Version{2, 0}, Version{}, 0, "a hint that the assembler may follow", "PTX ISA; " + measured},
	{".loc", InBody, LocArgs, Version{}, Version{}, 0, "the source line of what follows", "PTX ISA; " + measured},
	{".loc_intermediate", InBody, LocArgs, Version{9, 4}, Version{}, 0, "the line of what follows in an intermediate representation", "measured with the assemblers 13.4 and 13.5"},
	{".maxnreg", InEntry, OneInteger, Version{1, 3}, Version{}, 0, "the most registers of a thread", "PTX ISA; " + measured},
	{".maxntid", InEntry, Values, Version{1, 3}, Version{}, 0, "the most threads of a block, which bounds the registers of a thread", "PTX ISA; " + measured},
	{".reqntid", InEntry, Values, Version{2, 1}, Version{}, 0, "the threads that a block has, which bounds the registers of a thread", "PTX ISA; " + measured},
	{".minnctapersm", InEntry, OneInteger, Version{2, 0}, Version{}, 0, "how many blocks have to be on a multiprocessor, which bounds the registers of a thread", "PTX ISA; " + measured},
	{".maxnctapersm", InEntry, OneInteger, Version{1, 3}, Version{2, 0}, 0, "the most blocks of a multiprocessor; PTX 2.0 has .minnctapersm in its place", "PTX ISA; " + measured},
	{".reqnctapercluster", InEntry, Values, Version{7, 8}, Version{}, 90, "the number of blocks of a cluster", "PTX ISA; " + measured},
	{".explicitcluster", InEntry, NoArgs, Version{7, 8}, Version{}, 90, "a launch names the size of its clusters", "PTX ISA; " + measured},
	{".maxclusterrank", InEntry, OneInteger, Version{7, 8}, Version{}, 90, "the most blocks of a cluster", "PTX ISA; " + measured},
	{".blocksareclusters", InEntry, NoArgs, Version{9, 0}, Version{}, 90, "a launch counts clusters, not blocks", "PTX ISA; " + measured},
	{".minperctamemory", InEntry, OneInteger, Version{9, 4}, Version{}, 80, "the bytes of memory that each block of threads has", "measured with the assemblers 13.4 and 13.5"},
	{".language", InEntry | InFunc, Values, Version{9, 2}, Version{}, 0, "the language that the function was written in", "measured with the assemblers 13.4 and 13.5"},
	{".noreturn", InFunc | InPrototype, NoArgs, Version{6, 4}, Version{}, 30, "the function does not return: nothing is kept for what would follow a call", "PTX ISA; " + measured},
	{".abi_preserve", InFunc | InPrototype, OneInteger, Version{9, 0}, Version{}, 80, "how many registers from R16 on a call leaves alone", "PTX ISA; measured with the assemblers 13.0 to 13.5"},
	{".abi_preserve_control", InFunc | InPrototype, OneInteger, Version{9, 0}, Version{}, 80, "the first barrier that a call leaves alone", "PTX ISA; measured with the assemblers 13.0 to 13.5"},
	{".func", InModule | InBody, OwnNode, Version{}, Version{}, 0, "a function, which is called by the convention", "PTX ISA; " + measured},
	{".entry", InModule, OwnNode, Version{}, Version{}, 0, "a kernel. Its parameters are a block in a constant bank", "PTX ISA; " + measured},
	{".callprototype", InBody, OwnNode, Version{2, 1}, Version{}, 20, "the formals that functions have which are called through a register", "PTX ISA; " + measured},
	{".calltargets", InBody, OwnNode, Version{2, 1}, Version{}, 20, "a list of the functions that may be called through a register", "PTX ISA; " + measured},
	{".branchtargets", InBody, OwnNode, Version{6, 0}, Version{}, 30, "a list of the labels that a brx.idx may jump to", "PTX ISA; " + measured},
	{".extern", InModule, OwnNode, Version{}, Version{}, 0, "defined in another module", "PTX ISA; " + measured},
	{".visible", InModule, OwnNode, Version{}, Version{}, 0, "seen by other modules", "PTX ISA; " + measured},
	{".weak", InModule, OwnNode, Version{3, 1}, Version{}, 0, "seen by other modules; another definition of the name goes before", "PTX ISA; " + measured},
	{".common", InModule, OwnNode, Version{5, 0}, Version{}, 20, "seen by other modules, and joined with others of the name", "PTX ISA; " + measured},
	{".reg", InBody | InFormal, OwnNode, Version{}, Version{}, 0, "registers", "PTX ISA; " + measured},
	{".sreg", 0, OwnNode, Version{}, Version{}, 0, "special registers, which are declared already", "PTX ISA; no measured assembler takes one"},
	{".param", InBody | InFormal, OwnNode, Version{}, Version{}, 0, "the state space of formals, and of what a call passes. Where one lives is the convention's business", "PTX ISA; " + measured},
	{".const", InModule | InBody, OwnNode, Version{}, Version{}, 0, "memory that kernels only read", "PTX ISA; " + measured},
	{".global", InModule | InBody, OwnNode, Version{}, Version{}, 0, "memory of all threads", "PTX ISA; " + measured},
	{".shared", InModule | InBody, OwnNode, Version{}, Version{}, 0, "memory of the threads of a block", "PTX ISA; " + measured},
	{".local", InModule | InBody, OwnNode, Version{}, Version{}, 0, "memory of one thread", "PTX ISA; " + measured},
	{".tex", InModule, OwnNode, Version{}, Version{1, 4}, 0, "textures; .texref has its place", "PTX ISA; the assemblers 11.8 to 13.5 say so"},
	{".align", InDecl, OwnNode, Version{}, Version{}, 0, "a multiple of what the address is, in bytes", "PTX ISA; " + measured},
	{".ptr", InDecl, OwnNode, Version{2, 2}, Version{}, 0, "the parameter of a kernel is a pointer: to which space, and how aligned", "PTX ISA; " + measured},
	{".attribute", InDecl | InFunc, OwnNode, Version{4, 0}, Version{}, 30, "attributes, in parentheses", "PTX ISA; " + measured},
	{".managed", InAttribute, OwnNode, Version{4, 0}, Version{}, 30, "of a variable: the host may write it too", "PTX ISA; " + measured},
	{".unified", InAttribute, OwnNode, Version{8, 0}, Version{}, 90, "of a variable or a function: its address is the same on every device of a process; two numbers name it", "PTX ISA; measured with the assemblers 12.4 to 13.5"},
}

// Newest is the newest version of PTX whose words and forms are known.
var Newest = Version{9, 5}

// later reports whether the module is of a version after Newest.
func (m *Module) later() bool { return m.Version.AtLeast(Newest.Major, Newest.Minor+1) }

// Directives returns the facts about every directive, and about every word of declarations that is no type.
func Directives() []DirectiveInfo { return slices.Clone(directives) }

// LookupDirective returns the facts about the directive of that name, which has a dot, and
// reports whether there is one.
func LookupDirective(name string) (DirectiveInfo, bool) {
	if info := infoOf(name); info != nil {
		return *info, true
	}
	return DirectiveInfo{}, false
}

// infoOf returns the row of the directive of that name; nil if there is none.
func infoOf(name string) *DirectiveInfo {
	if i, ok := directiveOf[name]; ok {
		return &directives[i]
	}
	return nil
}

// directiveOf has the indexes in directives, by name.
var directiveOf = func() map[string]int {
	m := make(map[string]int, len(directives))
	for i := range directives {
		m[directives[i].Name] = i
	}
	return m
}()

// knownWord reports whether a word with a dot is in the table of directives. Types are not.
func knownWord(name string) bool { return infoOf(name) != nil }

// directive parses a directive at a place, if it has no node type of its own, and returns a
// *Directive or a *Raw. It returns nil after an error, with the parser after the name.
func (p *directiveParser) directive(place Place) any {
	pos, name, start := p.pos, p.lit(), p.start
	info := infoOf(name)
	free := blanks(p.src, p.off)
	p.trial.free = info == nil && free < len(p.src) && (lex.Class[p.src[free]] == lex.Quote || lex.Class[p.src[free]] == lex.Bad && p.src[free] != '#')
	p.next()
	d := p.nodes.direcs.one()
	d.Pos, d.Name = pos, name
	first, ok := p.start, true
	if p.trial.free {
		first = free
	}
	switch {
	case info == nil:
		d.Semi = p.unknownArgs(place) && (place == InModule || place == InBody || p.headGoesOn(place))
	case info.Args == Values && info.Places == InEntry:
		ok = p.extents()
	case info.Args == Values:
		ok = p.tuple()
	case info.Args == OneInteger:
		_, ok = p.operands().integer("a number")
	case info.Args == LocArgs:
		ok = p.loc(name)
	case info.Args == FileArgs:
		if ok = p.tok == tNumber; ok {
			p.next()
			if ok = p.tuple(); ok && p.tok == tString { // clang writes the directory as a string of its own
				ok = p.tuple()
			}
		} else {
			p.unexpected("the number of the file after .file")
		}
	case info.Args == BracedArgs:
		if raw := p.section(pos, start); raw != nil {
			return raw
		}
		ok = false
	case info.Args == SourceArgs:
		return p.sources(pos, start)
	case info.Args == ToSemi:
		if ok = name != ".pragma" || p.tok == tString; !ok {
			p.unexpected("a string after .pragma")
		}
		ok = ok && p.tuple() && p.toSemi(name)
		d.Semi = ok
	}
	if !ok {
		return nil
	}
	if p.end > first {
		d.Args = p.src[first:p.end]
	}
	if d.Semi {
		p.next()
	}
	d.End = p.posAfter()
	return d
}

// unknownArgs skips the arguments of an unknown directive, whose form nothing tells. They do not end within braces or
// after a comma. Within other brackets, only a semicolon, an item of a module, and in a head a brace that begins a line
// end them. Otherwise they end
//
//   - before a semicolon, for which it reports true;
//   - before a closing bracket that none of them opens;
//   - before a word with a dot that is known at the place or begins a line;
//   - before a guard that begins a line;
//   - outside of heads, before a name that begins a line;
//   - in a body, before a brace that begins a line, a guard, an opcode, and a name after a closing bracket;
//   - in a head, before the brace of the body and before the name of the function with its results.
func (p *directiveParser) unknownArgs(place Place) (semi bool) {
	head := place&(InEntry|InFunc|InPrototype) != 0
	braces, others := 0, 0 // how many braces and other brackets are open
	closed := false        // the token before is a closing bracket
	defer func() { p.trial.free = false }()
	for comma := false; p.tok != tEOF; p.next() {
		fresh := p.firstOfLine()
		switch {
		case braces > 0 || others > 0 && !p.is(';') && !p.beginsItem(0) && !(head && fresh && p.is('{')) || comma:
		case p.is(';'):
			return true
		case p.tok == tDot && (fresh || knownThere(p.lit(), place)),
			p.tok == tIdent && (fresh && !head || place&beforeName != 0 || place == InBody && (closed && p.lit() != "_" || p.opcodeHere())),
			p.is('(') && place&beforeName != 0 && p.formalsAhead(),
			p.is('@') && (fresh || place == InBody), fresh && p.is('{') && place == InBody,
			head && p.is('{') && !p.bracesAhead(place):
			return false
		}
		comma = p.is(',')
		closed = p.is('}') || p.is(')') || p.is(']')
		switch {
		case p.is('{'):
			braces++
			p.opened = true
		case p.is('('), p.is('['):
			others++
		case p.is(')'), p.is(']'):
			if braces == 0 && others == 0 {
				return false
			}
			others = max(others-1, 0)
		case p.is('}'):
			if braces == 0 {
				return false
			}
			braces--
			others = 0
		}
		p.trial.free = braces > 0 || others > 0
	}
	if p.trial.free { // brackets that are not closed have all text up to the end
		p.end = len(strings.TrimRight(p.src, " \t\r\n"))
	}
	return false
}

// opcodeHere reports whether the current token, a name, is an opcode with modifiers.
func (p *scanner) opcodeHere() bool {
	return p.off < len(p.src) && p.src[p.off] == '.' && p.src[p.start] != '%'
}

// knownThere reports whether a word with a dot is a directive that ends arguments at a place: it may stand there, or in a
// head, it begins an item of the module.
func knownThere(name string, place Place) bool {
	info := infoOf(name)
	return info != nil && (info.Places&place != 0 || place&(InModule|InBody) == 0 && info.Places&InModule != 0)
}

// headGoesOn reports whether the head of a function goes on after the semicolon that is the current token: the body follows
// it, or another directive of a head.
func (p *directiveParser) headGoesOn(place Place) bool {
	ahead := p.scanner // a copy: nothing that it reads is kept
	ahead.next()
	return ahead.tok == tPunct && ahead.ch == '{' || headDirective(&ahead, place)
}

// headDirective reports whether the current token of s is a directive that may stand in a head, but not at module level.
func headDirective(s *scanner, place Place) bool {
	info := infoOf(s.lit())
	return s.tok == tDot && info != nil && info.Places&InModule == 0 && info.Places&place != 0
}

// formalsAhead reports whether the parenthesis that is the current token opens a list of formals.
func (p *directiveParser) formalsAhead() bool {
	ahead := p.scanner // a copy: nothing that it reads is kept
	ahead.next()
	return ahead.tok == tPunct && ahead.ch == ')' || ahead.tok == tDot && knownWord(ahead.lit())
}

// bracesAhead reports whether the braces that the current token opens in a head are the argument of a directive and not
// the body. They are if other braces or a directive of heads follow them, or if a semicolon follows them and they have
// none themselves: that ends a declaration.
func (p *directiveParser) bracesAhead(place Place) bool {
	ahead := p.scanner // a copy: nothing that it reads is kept
	ahead.errs = nil
	statements := false
	for depth := 0; ahead.tok != tEOF; ahead.next() {
		if ahead.tok != tPunct {
			continue
		}
		switch ahead.ch {
		case ';':
			statements = true
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				ahead.next()
				return ahead.tok == tPunct && (ahead.ch == '{' || ahead.ch == ';' && !statements) || headDirective(&ahead, place)
			}
		}
	}
	return false
}

// toSemi reports whether the current token is the semicolon that ends a directive.
func (p *directiveParser) toSemi(name string) bool {
	if !p.is(';') {
		p.missing("';' after " + name)
	}
	return p.is(';')
}

// extents skips up to three numbers.
func (p *directiveParser) extents() bool {
	for n := 1; ; n++ {
		if _, ok := p.operands().integer("a number"); !ok {
			return false
		}
		if n == 3 || !p.got(',') {
			return true
		}
	}
}

// tuple skips value { "," value }, with signs.
func (p *directiveParser) tuple() bool {
	for {
		p.got('-')
		if p.tok != tIdent && p.tok != tNumber && p.tok != tString {
			p.unexpected("a value")
			return false
		}
		p.next()
		if !p.got(',') {
			return true
		}
	}
}

// loc skips the numbers of a .loc and the suffix that PTX 7.2 added to it:
// ", function_name label [ + offset ], inlined_at file line column". The label may be the
// name of a section.
func (p *directiveParser) loc(name string) bool {
	switch {
	case !p.numbers(name):
		return false
	case !p.got(','):
		return true
	}
	word := func(text, after string, is bool) bool {
		if !is {
			p.unexpected(text + after)
			return false
		}
		p.next()
		return true
	}
	if !word("function_name", " after the comma of "+name, p.lit() == "function_name") || !word("a label", " after function_name", p.tok == tIdent || p.tok == tDot) {
		return false
	}
	if p.got('+') {
		if _, ok := p.operands().integer("an offset"); !ok {
			return false
		}
	}
	return p.want(',', "before inlined_at") && word("inlined_at", "", p.lit() == "inlined_at") && p.numbers("inlined_at")
}

// numbers skips three numbers: a file, a line and a column.
func (p *directiveParser) numbers(after string) bool {
	for range 3 {
		if p.tok != tNumber {
			p.unexpected("file, line and column numbers after " + after)
			return false
		}
		p.next()
	}
	return true
}

// section reads a .section, with the text in its braces as it is; nil after an error.
func (p *directiveParser) section(pos Pos, start int) *Raw {
	p.passTo(func(int) bool { return p.is('{') || p.is('}') || p.is(';') || p.beginsItem(0) })
	if !p.is('{') {
		p.unexpected("'{' after .section and its name")
		return nil
	}
	raw, closed := p.braced(pos, start)
	if !closed {
		raw.Text += "\n}"
	}
	return raw
}

// sources reads a .nv_intermediate_source_section, with its text as it is; nil after an error.
func (p *directiveParser) sources(pos Pos, start int) any {
	if !p.is('{') {
		p.unexpected("'{' after .nv_intermediate_source_section")
		return nil
	}
	if raw, closed := p.braced(pos, start); closed {
		return raw
	}
	return nil
}

// braced returns the text from offset start up to and with the brace that closes the current one, and
// reports whether there is one. The word .source_begin begins free text, which ends with a line .source_end.
func (p *directiveParser) braced(pos Pos, start int) (raw *Raw, closed bool) {
	open := p.pos
	for depth := 0; ; p.next() {
		switch {
		case p.is('{'):
			depth++
		case p.is('}'):
			depth--
		case p.tok == tDot && p.lit() == ".source_begin":
			at := p.pos
			if !p.passSource() {
				p.fail(at, ".source_begin without .source_end on a line of its own")
			}
		case p.tok == tEOF, p.tok == tDot && p.beginsItem(1):
			p.fail(open, "'{' is not closed; add '}'")
			return &Raw{Pos: pos, Text: p.src[start:p.end]}, false
		}
		if depth == 0 {
			text := p.src[start:p.off]
			p.next()
			return &Raw{Pos: pos, Text: text}, true
		}
	}
}

// passSource moves off to the end of the next line .source_end. It reports false if there is none.
func (p *directiveParser) passSource() bool {
	for i := p.off; i < len(p.src); {
		n := indexFrom(p.src, i, '\n')
		if strings.TrimSpace(p.src[i:n]) == ".source_end" {
			p.passLines(p.off, n)
			p.off = n
			return true
		}
		i = n + 1
	}
	return false
}
