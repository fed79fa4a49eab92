package lir

import (
	"strconv"

	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/sass"
)

// Names are the names of virtual registers, by their numbers: those of a body, and after them those that
// lowering makes.
type Names struct {
	Body   *body.Body // nil for none
	Suffix string     // no name of the body has it
	made   []madeName
}

// A madeName is a name that lowering makes: a text, and a dot and a number after it unless the number is negative. The
// owner is the number of the name that statements use for the register in their text; NoText or less if no statement
// names it.
type madeName struct {
	text   string
	number int
	owner  int32
}

// NoText is the owner of a register that no text mentions. Words of variables have owners below NoText.
const NoText = -1

// OfVar is the owner of a word of a variable.
func OfVar(v int32) int32 { return NoText - 1 - v }

// Make makes a name, and returns its number. The name is the text, with a dot and the number after it if that is not
// negative.
func (n *Names) Make(text string, number int, owner int32) int32 {
	n.made = append(n.made, madeName{text, number, owner})
	return int32(n.Count() - 1)
}

// Temp makes a new register.
func (n *Names) Temp() Reg { return Virt(n.Make("tmp"+n.Suffix, len(n.made), NoText), sass.Whole) }

// Own makes a name that is its own owner, as the names of the body are, and returns its number. Statements may name the
// register in their text.
func (n *Names) Own(text string) int32 { return n.Make(text, -1, int32(n.Count())) }

func (n *Names) ofBody() int {
	if n.Body == nil {
		return 0
	}
	return n.Body.Numbers()
}

// Count returns how many names there are.
func (n *Names) Count() int { return n.ofBody() + len(n.made) }

// parts returns the text of a name, and the number after it, which is negative if there is none.
func (n *Names) parts(k int32) (text string, number int) {
	if i := int(k) - n.ofBody(); i >= 0 {
		return n.made[i].text, n.made[i].number
	}
	return n.Body.Name(k), -1
}

// Append appends the name with a number.
func (n *Names) Append(dst []byte, k int32) []byte {
	text, number := n.parts(k)
	if dst = append(dst, text...); number >= 0 {
		dst = strconv.AppendInt(append(dst, '.'), int64(number), 10)
	}
	return dst
}

// Owner returns the number of the name that statements use for a register in their text, NoText or less if no statement
// names it.
func (n *Names) Owner(k int32) int32 {
	if i := int(k) - n.ofBody(); i >= 0 {
		return n.made[i].owner
	}
	return k
}

// Variables returns the indexes of the variables whose words the code uses.
func (c *Code) Variables() map[int32]bool {
	left := make(map[int32]bool)
	for i := range c.List {
		in := &c.List[i]
		for _, r := range [...]Reg{in.Dst, in.A, in.B} {
			if r.Kind() == sass.KindVirtual {
				if n := c.Names.Owner(r.Name()); n < NoText {
					left[NoText-1-n] = true
				}
			}
		}
	}
	return left
}
