package driver

import (
	"testing"
	"unsafe"
)

// TestLayout holds the structs against what cuda.h declares for 64 bits.
func TestLayout(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("the driver has 64 bits")
	}
	var (
		c Config
		a Attribute
		n KernelNode
	)
	for _, tt := range []struct {
		what      string
		got, want uintptr
	}{
		{"CUlaunchConfig", unsafe.Sizeof(c), 56},
		{"hStream", unsafe.Offsetof(c.Stream), 32},
		{"attrs", unsafe.Offsetof(c.Attributes), 40},
		{"numAttrs", unsafe.Offsetof(c.Count), 48},
		{"CUlaunchAttribute", unsafe.Sizeof(a), 72},
		{"value", unsafe.Offsetof(a.Value), 8},
		{"CUDA_KERNEL_NODE_PARAMS", unsafe.Sizeof(n), 72},
		{"sharedMemBytes", unsafe.Offsetof(n.Shared), 32},
		{"kernelParams", unsafe.Offsetof(n.Params), 40},
		{"extra", unsafe.Offsetof(n.Extra), 48},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %d, want %d", tt.what, tt.got, tt.want)
		}
	}
	if x := Cluster(1, 2, 3); *(*[3]uint32)(unsafe.Pointer(&x.Value)) != [3]uint32{1, 2, 3} {
		t.Errorf("Cluster(1, 2, 3) is % x", x.Value)
	}
}
