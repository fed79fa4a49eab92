//go:build ignore

package main

import "unsafe"

// Args are the arguments of the kernel step, which a launch passes as one
// buffer. They have the kernel's order.
type Args struct {
	X  uint64 // device address
	Dt float32
	N  int32
}

// OldArgs were the arguments when the kernel began with dt and n.
type OldArgs struct {
	Dt float32
	N  int32
	X  uint64
}

// What many programs make sure of. It holds for both.
const (
	_ = uint(unsafe.Sizeof(Args{}) - 16)
	_ = uint(unsafe.Sizeof(OldArgs{}) - 16)
	_ = uint(16 - unsafe.Sizeof(OldArgs{}))
)
