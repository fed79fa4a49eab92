// Package reg has the number of a register, which the convention and listings share.
package reg

import (
	"strconv"
	"strings"
)

// Reg is a physical 32-bit general register: 0 … 254, or RZ.
type Reg uint8

const (
	// SP is R1, the stack pointer of every architecture measured.
	SP Reg = 1
	// RZ reads as zero, and writes to it have no effect.
	RZ Reg = 255
)

// Name returns the name in listings: "R4", "RZ".
func Name(r Reg) string {
	if r == RZ {
		return "RZ"
	}
	return "R" + strconv.Itoa(int(r))
}

// MachineName reports whether listings of machine code may use a name for a register or a
// barrier: R4, RZ, P0, PT, UR4, B0; or whether it is the letters of one: R.
func MachineName(name string) bool {
	if name == "" || name[0] != 'R' && name[0] != 'P' && name[0] != 'U' && name[0] != 'B' {
		return false
	}
	switch strings.TrimRight(name, "0123456789") {
	case "R", "RZ", "P", "PT", "UR", "URZ", "UP", "UPT", "B":
		return true
	}
	return false
}
