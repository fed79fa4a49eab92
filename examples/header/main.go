// Header packs a struct that a C header declares, with a vector of CUDA,
// bit-fields and a union in it, and the arguments of a kernel that takes it.
package main

import (
	"encoding/hex"
	"fmt"
)

//go:generate go tool ptxparam -type=particle -kernel=step -test sim.h

func main() {
	p := Particle{
		Position: [4]float32{1, 2, 3, 1},
		Velocity: [3]float32{0, 0.5, 0},
		Mass:     4,
	}
	p.SetAlive(1)
	p.SetGroup(5)
	p.SetCharge(-1)
	args := StepArgs{P: p, Dt: 0.25, Out: 0x7f00_0000, N: 1}
	b := args.AppendParams(nil)
	fmt.Printf("particle at %d, dt at %d, out at %d, n at %d; %d bytes\n%s",
		StepOffsetP, StepOffsetDt, StepOffsetOut, StepOffsetN, len(b), hex.Dump(b))
}
