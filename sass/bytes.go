package sass

// A Pick is a byte that PRMT takes for a byte of its result.
type Pick struct {
	Third bool  // of the third source; of the first otherwise
	Byte  uint8 // which one, 0 for the lowest
	Sign  bool  // eight copies of its highest bit in its place
}

// Picks says what the selector of PRMT, its second source, takes: one Pick for each byte of the result, the
// lowest first. Digit i of the selector, of four bits, chooses byte i out of the eight of
// the third and the first source; 8 more than that is eight copies of the byte's sign.
func Picks(selector uint32) [4]Pick {
	var list [4]Pick
	for i := range list {
		digit := selector >> (4 * i) & 0xf
		list[i] = Pick{Third: digit&4 != 0, Byte: uint8(digit & 3), Sign: digit >= 8}
	}
	return list
}

// The operands of a bitwise function as tables of their values: what LOP3 has for its
// fifth operand is the same expression of these.
const (
	TableA = 0xf0
	TableB = 0xcc
	TableC = 0xaa
)
