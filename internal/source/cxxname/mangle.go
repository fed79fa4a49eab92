package cxxname

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// Mangle is the name that the Itanium C++ ABI gives a function of that qualified
// name, which is no template and has external linkage. It is false where a type
// is of a kind that is not spelled here: instances of templates, members of std,
// pointers to members, types without a name.
func Mangle(name string, params []layout.Type) (string, bool) {
	return Headers(AsWritten).Mangle(name, params)
}

// Headers say which of long and long long the integers of 64 bits in the headers of a system
// are.
type Headers uint8

// The kinds of headers.
const (
	AsWritten Headers = iota // each is what the declaration says
	LongLong                 // all are long long
	Long                     // all are long
)

// Mangle is [Mangle] with those headers.
func (h Headers) Mangle(name string, params []layout.Type) (string, bool) {
	m := mangler{longs: longs[h]}
	parts := strings.Split(name, "::")
	m.b.WriteString("_Z")
	if len(parts) == 1 {
		m.source(name)
	} else {
		m.b.WriteByte('N')
		m.prefix(parts[:len(parts)-1])
		m.source(parts[len(parts)-1])
		m.b.WriteByte('E')
	}
	m.list(params)
	return m.b.String(), !m.failed
}

// A mangler writes a name. What it has written may be referred to again: seen
// has the spelling of each such part, without references, in order.
type mangler struct {
	b     strings.Builder
	seen  []string
	plain bool // no references are written
	// longs is how integers of 64 bits are spelled other than the types say; nil: as
	// they say.
	longs  map[layout.Kind]string
	failed bool
}

// again writes a reference to a part that was written before.
func (m *mangler) again(key string) bool {
	i := slices.Index(m.seen, key)
	switch {
	case m.plain || i < 0:
		return false
	case i == 0:
		m.b.WriteString("S_")
	default:
		m.b.WriteString("S" + strings.ToUpper(strconv.FormatInt(int64(i-1), 36)) + "_")
	}
	return true
}

func (m *mangler) fail() { m.failed = true }

// source writes a name with its length before it.
func (m *mangler) source(name string) {
	if name == "(anonymous namespace)" {
		name = "_GLOBAL__N_1"
	}
	if name == "" || name == "std" || strings.ContainsFunc(name, func(r rune) bool { return r < 0x80 && !inIdentifier(r) }) {
		m.fail()
	}
	fmt.Fprintf(&m.b, "%d%s", len(name), name)
}

func inIdentifier(r rune) bool {
	return r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// prefix writes the namespaces and classes around a name.
func (m *mangler) prefix(parts []string) {
	key := "name " + strings.Join(parts, "::")
	if len(parts) == 0 || m.again(key) {
		return
	}
	m.prefix(parts[:len(parts)-1])
	m.source(parts[len(parts)-1])
	m.seen = append(m.seen, key)
}

// named writes the name of a record or enumeration.
func (m *mangler) named(name string) {
	parts := strings.Split(name, "::")
	switch {
	case len(parts) == 1:
		m.prefix(parts)
	case !m.again("name " + name):
		m.b.WriteByte('N')
		m.prefix(parts)
		m.b.WriteByte('E')
	}
}

// list writes the types of parameters, whose own qualifiers do not count.
func (m *mangler) list(params []layout.Type) {
	if len(params) == 0 {
		m.b.WriteByte('v')
	}
	for _, p := range params {
		m.typ(layout.Unalias(p))
	}
}

// codes are the built-in types of one letter, and some of more.
var codes = map[layout.Kind]string{
	layout.Void: "v", layout.Bool: "b", layout.Char: "c", layout.SChar: "a", layout.UChar: "h", layout.Short: "s", layout.UShort: "t",
	layout.Int: "i", layout.UInt: "j", layout.Long: "l", layout.ULong: "m", layout.LongLong: "x", layout.ULongLong: "y",
	layout.Int128: "n", layout.UInt128: "o", layout.Float16: "DF16_", layout.BFloat16: "DF16b", layout.Float: "f", layout.Double: "d",
	layout.LongDouble: "e", layout.WChar: "w", layout.Char8: "Du", layout.Char16: "Ds", layout.Char32: "Di", layout.NullPtr: "Dn",
}

// longs are how the two are spelled other than they are.
var longs = [...]map[layout.Kind]string{
	AsWritten: nil,
	LongLong:  {layout.Long: "x", layout.ULong: "y"},
	Long:      {layout.LongLong: "l", layout.ULongLong: "m"},
}

var pointers = map[layout.PointerKind]string{layout.ObjectPointer: "P", layout.LvalueReference: "R", layout.RvalueReference: "O"}

// key is what tells types apart: how one is spelled where nothing refers back.
func (m *mangler) key(t layout.Type) string {
	one := mangler{plain: true, longs: m.longs}
	one.typ(t)
	m.failed = m.failed || one.failed
	return one.b.String()
}

// typ writes a type.
func (m *mangler) typ(t layout.Type) {
	t, quals := qualified(t)
	if s, ok := t.(layout.Scalar); ok && quals == "" {
		code, ok := codes[s.Kind]
		if !ok || s.Complex {
			m.fail()
		}
		if other, ok := m.longs[s.Kind]; ok {
			code = other
		}
		m.b.WriteString(code)
		return
	}
	switch x := t.(type) {
	case *layout.Record:
		if quals == "" {
			m.named(cmp.Or(x.Name, x.TypedefName))
			return
		}
	case *layout.Enum:
		if quals == "" {
			m.named(x.Name)
			return
		}
	}
	if m.b.Len() > maxMangled {
		m.fail()
	}
	if m.failed {
		return
	}
	k := ""
	if !m.plain {
		if k = quals + m.key(t); m.failed || m.again(k) {
			return
		}
		defer func() { m.seen = append(m.seen, k) }()
	}
	if quals != "" {
		m.b.WriteString(quals)
		m.typ(t)
		return
	}
	switch x := t.(type) {
	case *layout.Pointer:
		letter, ok := pointers[x.Kind]
		if !ok {
			m.fail()
		}
		m.b.WriteString(letter)
		m.typ(x.Elem)
	case *layout.Array:
		if x.Len == layout.Unbounded {
			m.b.WriteString("A_")
		} else {
			fmt.Fprintf(&m.b, "A%d_", x.Len)
		}
		m.typ(x.Elem)
	case *layout.Vector:
		fmt.Fprintf(&m.b, "Dv%d_", x.Len)
		m.typ(x.Elem)
	case *layout.Func:
		m.b.WriteByte('F')
		m.typ(x.Result)
		m.list(x.Params)
		if x.Variadic {
			m.b.WriteByte('z')
		}
		m.b.WriteByte('E')
	default:
		m.fail()
	}
}

// maxMangled is the longest name that is written, in bytes: more than any
// compiler gives, and little enough for types that nest without end.
const maxMangled = 1 << 12

// qualified takes aliases and qualifiers off a type, and returns the latter as
// the ABI orders them.
func qualified(t layout.Type) (layout.Type, string) {
	var r, v, k bool
	for {
		switch x := t.(type) {
		case *layout.Alias:
			t = x.Type
		case *layout.Qualified:
			r, v, k = r || x.Restrict, v || x.Volatile, k || x.Const
			t = x.Type
		case *layout.Array: // its elements are what is qualified
			if r || v || k {
				return &layout.Array{Elem: &layout.Qualified{Type: x.Elem, Const: k, Volatile: v, Restrict: r}, Len: x.Len}, ""
			}
			return x, ""
		default:
			s := ""
			if r {
				s += "r"
			}
			if v {
				s += "V"
			}
			if k {
				s += "K"
			}
			return t, s
		}
	}
}
