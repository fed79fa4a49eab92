package ptx

import (
	"strconv"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Module is one PTX file.
//
//	Module = { Item } .
type Module struct {
	Name  string // file name, for diagnostics
	Items []Item // everything at module level, in source order

	// The directives at the head of the module. In a module that was read, they are also
	// among Items. If a directive is not among Items, the printer writes it from the
	// field.
	Version     Version
	Target      string // the first name of .target, such as "sm_80"; "" if absent. Of several directives, the last architecture
	TargetPos   Pos
	AddressSize int // 32 or 64, in bits; 0 if absent, which means 32

	// Errors are the syntax errors of the text, in its order. Text with an error is not
	// among the items.
	Errors diag.List

	// Unread is the position of the first text outside of bodies that is in no known form, in a module of a version
	// after [Newest]; zero if there is none. Such text is a [Raw]. In other modules it is an error.
	Unread Pos

	// NUL and NULEnd are the start and the end of the NUL bytes at the end of the text;
	// zero if there are none. Some versions of ptxas refuse NUL bytes.
	NUL, NULEnd Pos

	text *text // the text of the module; nil if it was built by hand
}

// A Version is a version of the PTX ISA. The zero Version is that of a module without a
// .version, and is below all others.
type Version struct {
	Major, Minor int
}

// String returns the version as in a .version directive, such as "8.1".
func (v Version) String() string { return strconv.Itoa(v.Major) + "." + strconv.Itoa(v.Minor) }

// AtLeast reports whether v is major.minor or later.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// An Item stands at module level: *Directive, *Decl, *Func, *Prototype, *TargetList or *Raw.
//
//	Item = Directive | Decl | Func | Prototype | TargetList | Raw .
type Item interface {
	// Span returns the position where the item begins, and the position after it.
	Span() (from, to Pos)
	item()
}

// A Stmt is a statement of a function's body: *Instr, *Call, *Access, *Label, *Decl,
// *Open, *Close, *Prototype, *TargetList, *Directive, *Raw, or a *Func that the body
// declares.
//
//	Stmt = Label | Instr | Call | Access | Decl | FuncDecl | Block | Prototype | TargetList | Directive | Raw .
//
// Bodies are flat: a nested block is the statements between an *Open and its *Close. So
// programs need no recursion, whose depth an input could choose.
type Stmt interface {
	// Span returns the position where the statement begins, and the position after it. It is one method, since nodes have
	// fields named Pos and End.
	Span() (from, to Pos)
	stmt()
}

// A Directive is a directive without a node type of its own: .version, .target,
// .address_size, .file, .loc, .pragma, .alias, .maxntid and so on. It may be unknown: see [LookupDirective].
//
//	Directive = ModuleDirective | FuncDirective | Loc | UnknownDirective .
type Directive struct {
	Pos  Pos
	End  Pos    // see Span
	Name string // with its dot
	Args string // everything after the name, without the semicolon
	Semi bool   // a semicolon ended it
}

// A Raw is text that the parser keeps as it is: the contents of a .section or a
// .nv_intermediate_source_section, the @@DWARF lines of PTX 1.x, declarations without a name, and text in
// no known form, see Module.Unread. It prints byte for byte.
//
//	Raw = Section | Sources | dwarf .
type Raw struct {
	Pos  Pos
	Text string
}

// A Spec is the part of a declaration that all its names share.
//
//	Spec  = [ Align ] Space Form .
//	Form  = [ Align ] [ Attribute ] { UnknownWord } [ vector ] type [ Align ] [ Ptr ] .
//	Align = ".align" Count .
//	Bank  = "[" integer "]" .
type Spec struct {
	Space Space
	Type  Type
	// AlignLate reports that .align is after the type or the vector, as in some examples
	// of documents. No assembler accepts it there.
	AlignLate bool
	SpacePos  Pos
	TypePos   Pos
	AlignPos  Pos    // of the largest .align, or of one after the type; zero if there is none
	Align     int64  // the largest .align, in bytes; 0 if there is none, and for .align 0, which has an AlignPos
	Bank      int64  // of .const[bank], in PTX 1.x and 2.x; 0 if not given
	Vec       int    // elements of a vector as written (2 for .v2); 0 for a scalar
	Ptr       *Ptr   // .ptr of a kernel's formal; nil if there is none
	Attr      string // the text in the parentheses of .attribute; "" if there is none
	// Unknown has the words that are no space, type or attribute of a known version, in their order.
	// If there are some, Type may be NoType and Space NoSpace.
	Unknown []UnknownWord
}

// An UnknownWord is an unknown word with a dot, in a declaration.
//
//	UnknownWord = unknown [ "(" { AttrToken } ")" ] .
type UnknownWord struct {
	Pos  Pos
	Text string // with its argument, such as text in parentheses
	End  Pos    // the position after it; zero in a tree that was built by hand
	// Form reports that it is no word, but the text of a formal in no known form. It is a syntax error, or in a module of
	// a version after Newest, at or after Module.Unread.
	Form bool
}

// Known reports whether the size and the space of the names that s declares are known.
func (s *Spec) Known() bool {
	s = zero.Or(s)
	return len(s.Unknown) == 0 || s.Type != NoType && s.Space != NoSpace
}

// A Ptr is the .ptr of a kernel's formal: the memory to which the formal points.
//
//	Ptr = ".ptr" [ ".const" [ Bank ] | ".global" | ".local" | ".shared" | handle ] [ Align ] .
type Ptr struct {
	Pos      Pos
	Space    Space // NoSpace means generic
	Handle   Type  // .texref, .samplerref or .surfref in place of a space; NoType if absent
	Bank     int64 // of .const[bank]; 0 if not given
	Align    int64 // bytes; 0 if not given
	AlignPos Pos
}

// NoExtent is the extent of a dimension written as [].
const NoExtent = -1

// A Var is one name of a declaration.
//
//	Var = name [ "<" Count ">" ] { Dim } [ "=" Initialiser ] .
//	Dim = "[" [ Count ] "]" .
type Var struct {
	Pos   Pos // of the name
	Name  string
	Count int64   // of name<Count>, which declares name0 … name(Count-1); ZeroCount for name<0>; 0 for a single name
	Dims  []int64 // extents of an array; NoExtent for []; nil for a scalar
	Init  string  // text of the initialiser; "" if there is none
}

// ZeroCount is the Count of name<0>, which declares nothing.
const ZeroCount = -1

// Ranged reports whether v is a name<Count>.
func (v *Var) Ranged() bool { return zero.Or(v).Count != 0 }

// A Decl declares variables or registers.
//
//	Decl = [ linkage ] Spec [ Var { "," Var } ] ";" .
type Decl struct {
	Pos     Pos
	Linkage Linkage
	Spec
	Vars []Var
	Text string // the declaration as it was written, without the semicolon; "" in a tree that was built by hand
}

// A Formal is an input parameter or a result of a function, kernel or
// prototype.
//
//	Formal = [ Align ] ( ".reg" | ".param" ) Form name { Dim } .
type Formal struct {
	Pos Pos // where the formal begins
	Spec
	Var
}

// A Func is a function or a kernel: a definition if HasBody is set, otherwise a
// declaration. In an [Outline], a definition has no Body.
//
//	Func    = [ linkage ] ( ".func" | ".entry" ) { FuncDirective | Attribute } [ Formals ] name [ Formals ]
//	          { FuncDirective | Attribute } ( ";" | Body ) .
//	Formals = "(" [ Formal { "," Formal } ] ")" .
//	Body    = "{" { Stmt } "}" .
type Func struct {
	Pos     Pos // where the function begins
	NamePos Pos
	Linkage Linkage
	Entry   bool
	Name    string
	Attr    string // the text in the parentheses of .attribute
	Results []Formal
	Params  []Formal

	HasParams  bool // it has a parameter list, perhaps an empty one
	Directives []Directive
	Head       string // everything before the body or the semicolon, as written; "" in a tree built by hand

	// NoSemi reports that no semicolon ends the declaration. Assemblers accept that of a .func at
	// module level.
	NoSemi bool

	HasBody bool
	BodyPos Pos // of the opening brace
	EndPos  Pos // of the closing brace or the semicolon
	Body    []Stmt
	Unread  Pos // like Module.Unread, for the body

	bodyOff, bodyEnd int  // the offsets of the body in the text, with its braces
	open             bool // the body is not closed, and another function follows
}

// Directive returns the first of f's directives that has the name, and nil if
// there is none.
func (f *Func) Directive(name string) *Directive { return directiveNamed(zero.Or(f).Directives, name) }

func directiveNamed(list []Directive, name string) *Directive {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// A Prototype is a .callprototype: the signature of an indirect call.
//
//	Prototype = name ":" ".callprototype" [ Formals ] "_" [ Formals ] { FuncDirective } ";" .
type Prototype struct {
	Pos        Pos // of the name
	Name       string
	Results    []Formal
	Params     []Formal
	HasParams  bool
	Directives []Directive
	Text       string // as it was written, from the name on, without the semicolon; "" in a tree built by hand
}

// Directive returns the first of p's directives that has the name, and nil if
// there is none.
func (p *Prototype) Directive(name string) *Directive {
	return directiveNamed(zero.Or(p).Directives, name)
}

// A TargetList is a .calltargets or a .branchtargets.
//
//	TargetList = name ":" ( ".calltargets" | ".branchtargets" ) Target { "," Target } ";" .
//	Target = name [ "<" Count ">" ] .
type TargetList struct {
	Pos    Pos // of the name
	Name   string
	Branch bool      // .branchtargets
	Names  []Operand // with name0 … name(Count-1) in place of name<Count>, all at its position
	Text   string    // as it was written, from the name on, without the semicolon; "" in a tree built by hand
}

// A Label names the statement that follows.
//
//	Label = name ":" .
type Label struct {
	Pos  Pos
	Name string
}

// An Open begins a nested block of a body.
//
//	Block = "{" { Stmt } "}" .
type Open struct {
	Pos Pos
}

// A Close ends a nested block of a body.
type Close struct {
	Pos Pos
}

// A Guard is the predicate before an instruction.
//
//	Guard = "@" [ "!" ] name .
type Guard struct {
	Pos  Pos
	Name string
	Neg  bool
}

// An Instr is an instruction.
//
//	Instr = [ Guard ] opcode [ Any { "," Any } ] ";" .
type Instr struct {
	Pos   Pos    // of the guard if there is one, else of the opcode
	End   Pos    // see Span
	Guard *Guard // nil if there is none
	Op    string // with modifiers, such as "add.s32"
	// Args is the text of the operands, without the semicolon. If it is "", printing makes it from
	// the operands.
	Args string
	// Operands has the operands in their order; nil for a *Call and an *Access, which have
	// fields of their own. See Ops.
	Operands []Operand
}

// Ops returns Operands, or if that is nil, the operands in Args: a tree that was built by hand may have the text alone.
func (in *Instr) Ops() []Operand {
	in = zero.Or(in)
	if in.Operands == nil && in.Args != "" {
		return ParseOperands(in.Args)
	}
	return in.Operands
}

// A Call is a call instruction.
//
//	Call     = [ Guard ] "call" [ ".uni" ] [ Operands "," ] name [ "," Operands ] [ "," name ] ";" .
//	Operands = "(" [ Operand { "," Operand } ] ")" .
type Call struct {
	Instr
	Uni     bool
	Results []Operand
	Callee  Operand // a function, or a register
	Params  []Operand
	Listed  bool    // it has a list of arguments, perhaps an empty one
	Proto   Operand // the prototype, target list or table of functions of an indirect call; KindNone if absent
}

// A ParamQual is the .param space of an access.
type ParamQual uint8

const (
	AnyParam   ParamQual = iota // .param
	EntryParam                  // .param::entry
	FuncParam                   // .param::func
)

// An Access is an ld.param or st.param.
//
//	Access = [ Guard ] ( Load | Store ) ";" .
//	Param  = { modifier } ( ".param" | ".param::entry" | ".param::func" ) { modifier } .
type Access struct {
	Instr
	Store bool
	Whole bool // Vec is set and one vector register stands for all elements
	Qual  ParamQual
	Type  Type      // of one element
	Vec   int       // elements of a vector access; 0 for a scalar
	Regs  []Operand // the registers that are loaded, or the values that are stored: one for each element, or one if Whole
	Addr  Address
}

// Bytes returns how many bytes the whole access moves.
func (a *Access) Bytes() int { return max(zero.Or(a).Vec, 1) * zero.Or(a).Type.Size() }

// An Address is a memory operand.
//
//	Address = "[" ( name [ ( "+" | "-" ) Expr ] | Expr ) "]" | name "[" Expr "]" .
type Address struct {
	Pos  Pos
	Base string // a variable or a register; "" for an absolute address
	Off  int64  // in bytes, or in elements of Base if Indexed is set
	// Indexed reports that the address is written base[index].
	Indexed bool
	// Minus reports that it is written base-off, without the plus that
	// assemblers want before a negative offset, or -off without a base.
	Minus bool
	// Wrapped reports that Off was 2^64 or more, as Operand.Wrapped does.
	Wrapped bool
}

func (*Directive) item()  {}
func (*Decl) item()       {}
func (*Func) item()       {}
func (*Prototype) item()  {}
func (*TargetList) item() {}
func (*Raw) item()        {}

func (*Instr) stmt()      {}
func (*Call) stmt()       {}
func (*Access) stmt()     {}
func (*Label) stmt()      {}
func (*Decl) stmt()       {}
func (*Open) stmt()       {}
func (*Close) stmt()      {}
func (*Prototype) stmt()  {}
func (*TargetList) stmt() {}
func (*Directive) stmt()  {}
func (*Raw) stmt()        {}
func (*Func) stmt()       {}
