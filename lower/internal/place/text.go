package place

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// guardKind returns what the guard of an instruction adds to its kind.
func guardKind(in *ptx.Instr) Kind {
	if in.Guard == nil || in.Guard.Name[0] == '%' {
		return 0
	}
	return bareGuard
}

// An Kind is what an instruction means to lowering, with what the first walk
// has found out of its names.
type Kind uint8

const (
	PlainInstr Kind = iota
	Returns         // ret
	Exits           // exit
	traps           // trap
	Branches        // bra and brx: control does not go on
	BrMore          // likewise, with modifiers that are not known: it may
	MovesStack      // alloca, stacksave and stackrestore
	noInstr         // another statement

	bareGuard    Kind = 1 << 5 // its guard's name does not begin with %
	Named        Kind = 1 << 6 // it names something that does not begin with %
	TakesAddress Kind = 1 << 7 // and that is a variable
)

// Of returns the kind without what is known of names.
func (k Kind) Of() Kind { return k &^ (bareGuard | Named | TakesAddress) }

// Ends reports whether control does not go on after an instruction.
func (k Kind) Ends() bool { return Returns <= k.Of() && k.Of() <= Branches }

// kindOf returns the kind of an instruction by its name. Nearly all are told by
// their first letters: to compare with each name takes twenty times as long.
func kindOf(op string) Kind {
	if len(op) < 3 {
		return PlainInstr
	}
	switch op[0] {
	case 'r':
		if op == "ret" || op == "ret.uni" {
			return Returns
		}
	case 'e':
		if op == "exit" {
			return Exits
		}
	case 't':
		if op == "trap" {
			return traps
		}
	case 'b':
		if op[1] == 'r' {
			return branchKind(op)
		}
	case 'a', 's':
		if mayMoveStack(op) {
			name, _, _ := strings.Cut(op, ".")
			if name == "alloca" || name == "stacksave" || name == "stackrestore" {
				return MovesStack
			}
		}
	}
	return PlainInstr
}

// mayMoveStack reports whether an instruction of [ptx.OpOther] may be of another kind than
// plainInstr: alloca, stacksave or stackrestore.
func mayMoveStack(op string) bool {
	return len(op) >= 3 && (op[0] == 'a' || op[0] == 's') && (op[1] == 'l' || op[2] == 'a')
}

// branchKind is kindOf for names that begin with br.
func branchKind(op string) Kind {
	switch op {
	case "bra", "bra.uni", "brx.idx", "brx.idx.uni":
		return Branches
	}
	if name, _, _ := strings.Cut(op, "."); name == "bra" || name == "brx" {
		return BrMore
	}
	return PlainInstr
}

func isReturn(in *ptx.Instr) bool { return kindOf(in.Op) == Returns }

// A nameFilter tells of most names that they are not among some. The zero value
// says so of all.
type nameFilter uint64

func filterBit(name string) nameFilter {
	if name == "" {
		return 0
	}
	return 1 << ((5*uint(len(name)) + uint(name[len(name)-1])) & 63)
}

// add puts a variable, or all that name<count> declares, among the names.
func (f *nameFilter) add(v *ptx.Var) {
	if v.Ranged() {
		*f = ^nameFilter(0)
	}
	*f |= filterBit(v.Name)
}

// Has reports whether a name may be among them.
func (f nameFilter) Has(name string) bool { return f&filterBit(name) != 0 }

// Identifiers walks over the names in the text of operands.
type Identifiers struct {
	Text string
	Off  int
}

// A byteClass tells what a byte means in the text of operands.
type byteClass uint8

const (
	between byteClass = iota
	inName            // a letter, _ or $
	digit
	percent
	dot
	quote
	slash
)

var classes = func() (t [256]byteClass) {
	for c := range t {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', c == '_', c == '$':
			t[c] = inName
		case '0' <= c && c <= '9':
			t[c] = digit
		}
	}
	t['%'], t['.'], t['"'], t['/'] = percent, dot, quote, slash
	return t
}()

func NameByte(c byte) bool { return classes[c]-inName <= digit-inName }

// nameBytes says of which bytes NameByte is true: one look at it takes half the time.
var nameBytes = func() (t [256]bool) {
	for c := range t {
		t[c] = NameByte(byte(c))
	}
	return t
}()

// Next returns the next name, "" at the end. Numbers, strings, comments and
// what follows a dot are no names.
func (it *Identifiers) Next() string {
	t, i := it.Text, it.Off
	for i < len(t) {
		switch classes[t[i]] {
		case inName, percent:
			start := i
			for i++; i < len(t) && NameByte(t[i]); i++ {
			}
			if i-start > 1 || t[start] != '%' {
				it.Off = i
				return t[start:i]
			}
		case dot, digit:
			for i++; i < len(t) && NameByte(t[i]); i++ {
			}
		case quote:
			i = afterString(t, i)
		case slash:
			i = afterComment(t, i)
		default:
			i++
		}
	}
	it.Off = i
	return ""
}

// NextBare returns the next name that does not begin with %, "" at the end. Most
// operands have none; that takes a third of the time of looking at each name.
func (it *Identifiers) NextBare() string {
	t, i, names := it.Text, it.Off, &nameBytes
	for uint(i) < uint(len(t)) {
		switch classes[t[i]] {
		case between:
			i++
		case inName:
			start := i
			for i++; uint(i) < uint(len(t)) && names[t[i]]; i++ {
			}
			it.Off = i
			return t[start:i]
		case percent, dot, digit:
			for i++; uint(i) < uint(len(t)) && names[t[i]]; i++ {
			}
		case quote:
			i = afterString(t, i)
		case slash:
			i = afterComment(t, i)
		}
	}
	it.Off = i
	return ""
}

// afterString returns the index after the string that begins at i.
func afterString(t string, i int) int {
	for i++; i < len(t) && t[i] != '"'; i++ {
		if t[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// afterComment returns the index after the comment that begins at i, or after
// the slash if none does.
func afterComment(t string, i int) int {
	switch {
	case i+1 < len(t) && t[i+1] == '/':
		for i < len(t) && t[i] != '\n' {
			i++
		}
		return i
	case i+1 < len(t) && t[i+1] == '*':
		for i += 2; i < len(t) && (t[i] != '/' || t[i-1] != '*'); i++ {
		}
	}
	return i + 1
}
