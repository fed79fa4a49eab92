package main

import "unsafe"

// A cuda is what a binding of Go to the driver has for launches, here without
// an error.
type cuda interface {
	LaunchKernel(f uintptr, grid, block [3]uint32, shared uint32, stream uintptr, params, extra []unsafe.Pointer)
}

// A saxpy launches the kernel. It keeps a SaxpyLaunch, so that launches allocate nothing but for the first one;
// each goroutine that launches has its own.
type saxpy struct {
	binding cuda
	f       uintptr
	l       SaxpyLaunch
}

// launch launches the kernel once.
func (s *saxpy) launch(args *SaxpyArgs, grid, block [3]uint32) {
	const shared, stream = 0, 0

	s.l.Pin(args)
	defer s.l.Unpin()
	s.binding.LaunchKernel(s.f, grid, block, shared, stream, s.l.KernelParams(), nil)
}
