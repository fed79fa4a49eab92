// Package driver has the structs of CUDA's driver that launches take beside the parameters of a kernel, for a
// program without cgo, such as one with purego. It may be copied.
package driver

import "unsafe"

// Functions are those of the driver that launch. A program registers them, as purego.RegisterLibFunc does by these
// names with cu before them. The result is a CUresult, 0 for success. Params is unsafe.Pointer(&l.KernelParams()[0]) of a
// pinned launch, or nil where extra is unsafe.Pointer(&l.Extra()[0]).
type Functions struct {
	LaunchKernel            func(f uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, stream uintptr, params, extra unsafe.Pointer) int32
	LaunchKernelEx          func(c *Config, f uintptr, params, extra unsafe.Pointer) int32
	LaunchCooperativeKernel func(f uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, stream uintptr, params unsafe.Pointer) int32
	// GraphAddKernelNode is cuGraphAddKernelNode_v2, and GraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2. They
	// copy the parameters, so that the launch may be unpinned then.
	GraphAddKernelNode       func(node *uintptr, graph uintptr, after *uintptr, n uintptr, p *KernelNode) int32
	GraphKernelNodeSetParams func(node uintptr, p *KernelNode) int32
}

// A Config is a CUlaunchConfig. With cgo, the attributes have to be pinned.
type Config struct {
	GridX, GridY, GridZ    uint32
	BlockX, BlockY, BlockZ uint32
	Shared                 uint32 // bytes of dynamic shared memory
	Stream                 uintptr
	Attributes             *Attribute // the first of Count
	Count                  uint32
}

// With sets the attributes of a launch.
func (c *Config) With(list ...Attribute) *Config {
	c.Attributes, c.Count = unsafe.SliceData(list), uint32(len(list))
	return c
}

// An Attribute is a CUlaunchAttribute: a number, and a union of 64 bytes.
type Attribute struct {
	ID    uint32
	Value [8]uint64
}

// Cooperative makes a launch one whose blocks can wait for each other, as cuLaunchCooperativeKernel does.
func Cooperative() Attribute { return Attribute{ID: 2, Value: [8]uint64{1}} }

// Cluster groups so many blocks.
func Cluster(x, y, z uint32) Attribute {
	return Attribute{ID: 4, Value: [8]uint64{uint64(y)<<32 | uint64(x), uint64(z)}}
}

// Serialized lets a kernel start before the one before it in its stream has ended.
func Serialized() Attribute { return Attribute{ID: 6, Value: [8]uint64{1}} }

// A KernelNode is a CUDA_KERNEL_NODE_PARAMS of version 2; that of version 1 is its beginning.
type KernelNode struct {
	Function               uintptr
	GridX, GridY, GridZ    uint32
	BlockX, BlockY, BlockZ uint32
	Shared                 uint32
	Params, Extra          unsafe.Pointer
	Kernel, Context        uintptr // without a function
}
