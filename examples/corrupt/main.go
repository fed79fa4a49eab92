// Corrupt shows what is lost where a binding copies eight bytes per argument. Such a
// binding loses it of packed bytes too: ptxparam -binding generates a launch
// that passes all of them.
package main

import (
	"fmt"
	"unsafe"
)

//go:generate go tool ptxparam -type=Params

// Params is passed to a kernel by value.
type Params struct {
	N, Stride int32
	Scale     float64
}

func main() {
	p := Params{N: 4, Stride: 2, Scale: 0.5}     // the kernel reads 16 bytes
	word := *(*[8]byte)(unsafe.Pointer(&p))      // a binding that copies 8 per argument
	fmt.Printf("%x and what lies there\n", word) // 0400000002000000 and what lies there
	good := p.MarshalParam()                     // what has to arrive
	fmt.Printf("%x\n", good)                     // 0400000002000000000000000000e03f
}
