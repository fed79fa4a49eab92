// Package reg has the number of a register, which the convention and listings share.
package reg

import "strconv"

// Reg is a physical 32-bit general register: 0 … 254, or RZ.
type Reg uint8

const (
	// SP is R1, the stack pointer of every architecture measured.
	SP Reg = 1
	// RZ reads as zero and swallows writes.
	RZ Reg = 255
)

// Name returns the name in listings: "R4", "RZ".
func Name(r Reg) string {
	if r == RZ {
		return "RZ"
	}
	return "R" + strconv.Itoa(int(r))
}
