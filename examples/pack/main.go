// Pack packs the arguments of a kernel that takes a struct by value, and prints
// what a launch passes. The kernel is in saxpy.ptx, and saxpy.cu is its source.
package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"unsafe"
)

//go:generate go tool ptxparam -type=Range
//go:generate go tool ptxparam -kernel=saxpy -o saxpy_args.go saxpy.ptx

// Range says which elements of two arrays a kernel works on, and how.
type Range struct {
	X, Y  uintptr // device addresses
	First uint32
	Last  uint32
	Scale float32
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	r := Range{X: 0x7f00_0000, Y: 0x7f80_0000, First: 2, Last: 100, Scale: 1.5}
	args := SaxpyArgs{Param0: 1, Param1: r.MarshalParam()}

	// The bytes that the kernel reads, as a launch with
	// CU_LAUNCH_PARAM_BUFFER_POINTER passes them.
	b := args.AppendParams(nil)
	fmt.Printf("%d bytes\n%s", args.ParamBufferSize(), hex.Dump(b))

	// What a binding hands to cuLaunchKernel: one of these, and nil for the
	// other.
	var launch SaxpyLaunch
	launch.Pin(&args)
	defer launch.Unpin()
	for i, p := range launch.KernelParams() {
		fmt.Printf("kernelParams[%d] leads to % x …\n", i, unsafe.Slice((*byte)(p), 4))
	}
	fmt.Printf("extra has %d words, %d, address, %d, address, %d\n",
		len(launch.Extra()), launch.Extra()[0], launch.Extra()[2], launch.Extra()[4])

	// A binding that has cuFuncGetParamInfo can have the layout checked. This
	// stands for one that has not.
	fmt.Println(CheckSaxpyParams(nil))
	return CheckSaxpyParams(func(i int) (offset, size int, err error) {
		if i > 1 {
			return 0, 0, fmt.Errorf("no parameter %d", i)
		}
		return []int{0, 8}[i], []int{4, 32}[i], nil
	})
}
