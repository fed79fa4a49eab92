package sass

// A SelectedByte is the source of one byte of PRMT's result.
type SelectedByte struct {
	Third bool  // a byte of the third source, the last register; of the first otherwise
	Byte  uint8 // its number, 0 for the lowest
	Sign  bool  // the result has eight copies of the byte's highest bit instead
}

// SelectedBytes decodes the selector of PRMT, its second source: it returns the source of each byte of
// the result, the lowest first. Digit i of the selector, of four bits, is for byte i: 0 to 3 are the
// bytes of the first source, 4 to 7 those of the third, and 8 more than that selects eight copies of
// the byte's sign.
func SelectedBytes(selector uint32) [4]SelectedByte {
	var list [4]SelectedByte
	for i := range list {
		digit := selector >> (4 * i) & 0xf
		list[i] = SelectedByte{Third: digit&4 != 0, Byte: uint8(digit & 3), Sign: digit >= 8}
	}
	return list
}

// The truth tables of the three operands of a bitwise function. The fifth operand of LOP3, the
// truth table of the function, is the function of these: TableA&TableB|TableC for a&b|c.
const (
	TableA = 0xf0
	TableB = 0xcc
	TableC = 0xaa
)
