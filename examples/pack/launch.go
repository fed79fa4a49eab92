package main

import "unsafe"

// A cuda is what a binding of Go to the driver has for launches, here without
// an error.
type cuda interface {
	LaunchKernel(f uintptr, grid, block [3]uint32, shared uint32, stream uintptr, params, extra []unsafe.Pointer)
}

// launch launches the kernel once.
func launch(binding cuda, f uintptr, args SaxpyArgs, grid, block [3]uint32) {
	const shared, stream = 0, 0

	var l SaxpyLaunch
	l.Pin(&args)
	defer l.Unpin()
	binding.LaunchKernel(f, grid, block, shared, stream, l.KernelParams(), nil)
}
