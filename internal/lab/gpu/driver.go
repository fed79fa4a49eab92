package main

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A driver is the part of NVIDIA's driver interface that is called here, loaded
// without cgo. All calls have to come from one thread, see [openDriver].
type driver struct {
	handle uintptr

	init          func(flags uint32) int32
	driverVersion func(v *int32) int32
	deviceCount   func(n *int32) int32
	deviceGet     func(dev *int32, ordinal int32) int32
	deviceName    func(name *byte, n int32, dev int32) int32
	attribute     func(v *int32, attr int32, dev int32) int32
	retain        func(ctx *uintptr, dev int32) int32
	release       func(dev int32) int32
	setCurrent    func(ctx uintptr) int32
	setLimit      func(limit int32, value uintptr) int32
	load          func(mod *uintptr, image unsafe.Pointer) int32
	unload        func(mod uintptr) int32
	function      func(fn *uintptr, mod uintptr, name string) int32
	alloc         func(p *uint64, n uintptr) int32
	free          func(p uint64) int32
	toDevice      func(dst uint64, src unsafe.Pointer, n uintptr) int32
	toHost        func(dst unsafe.Pointer, src uint64, n uintptr) int32
	launchKernel  func(fn uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr, params, extra unsafe.Pointer) int32
	synchronize   func() int32
	errorName     func(code int32, name **byte) int32

	dev  int32
	name string
	sm   int
}

// Numbers of cuda.h.
const (
	attrMajor, attrMinor                 = 75, 76
	limitStack                           = 0
	bufferEnd, bufferPointer, bufferSize = 0, 1, 2

	// stackBytes is the local memory of a thread: a call through a pointer hides
	// from the driver how much is needed.
	stackBytes = 64 << 10
)

// openDriver loads the driver's library and makes its first device current for
// the thread that it locks the goroutine to.
func openDriver(path string) (*driver, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("no driver: %w", err)
	}
	d := &driver{handle: handle}
	for name, fn := range map[string]any{
		"cuInit": &d.init, "cuDriverGetVersion": &d.driverVersion, "cuDeviceGetCount": &d.deviceCount, "cuDeviceGet": &d.deviceGet,
		"cuDeviceGetName": &d.deviceName, "cuDeviceGetAttribute": &d.attribute,
		"cuDevicePrimaryCtxRetain": &d.retain, "cuDevicePrimaryCtxRelease_v2": &d.release,
		"cuCtxSetCurrent": &d.setCurrent, "cuCtxSetLimit": &d.setLimit, "cuCtxSynchronize": &d.synchronize,
		"cuModuleLoadData": &d.load, "cuModuleUnload": &d.unload, "cuModuleGetFunction": &d.function,
		"cuMemAlloc_v2": &d.alloc, "cuMemFree_v2": &d.free, "cuMemcpyHtoD_v2": &d.toDevice, "cuMemcpyDtoH_v2": &d.toHost,
		"cuLaunchKernel": &d.launchKernel, "cuGetErrorName": &d.errorName,
	} {
		symbol, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		purego.RegisterFunc(fn, symbol)
	}
	runtime.LockOSThread()
	return d, d.start()
}

func (d *driver) start() error {
	var n, major, minor int32
	var ctx uintptr
	name := make([]byte, 256)
	for _, step := range []struct {
		call string
		do   func() int32
	}{
		{"cuInit", func() int32 { return d.init(0) }},
		{"cuDeviceGetCount", func() int32 { return d.deviceCount(&n) }},
		{"cuDeviceGet", func() int32 { return d.deviceGet(&d.dev, 0) }},
		{"cuDeviceGetName", func() int32 { return d.deviceName(&name[0], int32(len(name)), d.dev) }},
		{"cuDeviceGetAttribute", func() int32 { return d.attribute(&major, attrMajor, d.dev) }},
		{"cuDeviceGetAttribute", func() int32 { return d.attribute(&minor, attrMinor, d.dev) }},
		{"cuDevicePrimaryCtxRetain", func() int32 { return d.retain(&ctx, d.dev) }},
		{"cuCtxSetCurrent", func() int32 { return d.setCurrent(ctx) }},
		{"cuCtxSetLimit", func() int32 { return d.setLimit(limitStack, stackBytes) }},
	} {
		if err := d.check(step.call, step.do()); err != nil {
			return err
		}
		if step.call == "cuDeviceGetCount" && n == 0 {
			return errors.New("the driver has no device")
		}
	}
	d.name, d.sm = text(&name[0]), int(10*major+minor)
	return nil
}

// close gives the device back.
func (d *driver) close() error {
	return d.check("cuDevicePrimaryCtxRelease", d.release(d.dev))
}

// version is that of the driver, "13.0".
func (d *driver) version() (string, error) {
	var v int32
	err := d.check("cuDriverGetVersion", d.driverVersion(&v))
	return fmt.Sprintf("%d.%d", v/1000, v%1000/10), err
}

// check is the error that a driver's answer stands for.
func (d *driver) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	var name *byte
	if d.errorName(code, &name) == 0 && name != nil {
		return fmt.Errorf("%s: %s (%d)", call, text(name), code)
	}
	return fmt.Errorf("%s: error %d", call, code)
}

// text is a string of C.
func text(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// A launch is one kernel, run by one thread.
type launch struct {
	cubin  []byte
	kernel string
	// in is copied to the device first. The kernel's first parameter is the
	// address of outBytes bytes that come back, the second, if in is not nil,
	// that of in; params follow, each as its bytes.
	in       []byte
	outBytes int
	before   []byte // what the bytes that come back are before; fill where it is nil
	params   [][]byte
	// block, where it is not nil, is the whole parameter block in place of params,
	// with addresses at the offsets where; the driver is given it as a buffer.
	block []byte
	where [2]int
}

// fill is the value of a byte that a kernel does not write.
const fill = 0xa5

// run runs a kernel and returns what it wrote.
func (d *driver) run(l launch) (out []byte, err error) {
	var mod, fn uintptr
	if err := d.check("cuModuleLoadData", d.load(&mod, unsafe.Pointer(&l.cubin[0]))); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.check("cuModuleUnload", d.unload(mod))) }()
	if err := d.check("cuModuleGetFunction", d.function(&fn, mod, l.kernel)); err != nil {
		return nil, err
	}
	out = bytes.Repeat([]byte{fill}, l.outBytes)
	copy(out, l.before)
	var addresses [2]uint64 // of out and in
	for i, data := range [][]byte{out, l.in} {
		if len(data) == 0 {
			continue
		}
		if err := d.check("cuMemAlloc", d.alloc(&addresses[i], uintptr(len(data)))); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, d.check("cuMemFree", d.free(addresses[i]))) }()
		if err := d.check("cuMemcpyHtoD", d.toDevice(addresses[i], unsafe.Pointer(&data[0]), uintptr(len(data)))); err != nil {
			return nil, err
		}
	}
	if err := d.launch(fn, &l, &addresses); err != nil {
		return nil, err
	}
	if err := d.check("cuCtxSynchronize", d.synchronize()); err != nil {
		return nil, err
	}
	return out, d.check("cuMemcpyDtoH", d.toHost(unsafe.Pointer(&out[0]), addresses[0], uintptr(len(out))))
}

// launch starts a kernel with one thread.
func (d *driver) launch(fn uintptr, l *launch, addresses *[2]uint64) error {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(addresses)
	var params, extra unsafe.Pointer
	if l.block != nil {
		for i, at := range l.where {
			if i == 0 || l.in != nil {
				copy(l.block[at:at+8], unsafe.Slice((*byte)(unsafe.Pointer(&addresses[i])), 8))
			}
		}
		size := new(uintptr(len(l.block)))
		pin.Pin(size)
		pin.Pin(&l.block[0])
		list := []uintptr{
			bufferPointer, uintptr(unsafe.Pointer(&l.block[0])), bufferSize, uintptr(unsafe.Pointer(size)), bufferEnd,
		}
		pin.Pin(&list[0])
		extra = unsafe.Pointer(&list[0])
	} else {
		list := []unsafe.Pointer{unsafe.Pointer(&addresses[0])}
		if l.in != nil {
			list = append(list, unsafe.Pointer(&addresses[1]))
		}
		for _, p := range l.params {
			pin.Pin(&p[0])
			list = append(list, unsafe.Pointer(&p[0]))
		}
		pin.Pin(&list[0])
		params = unsafe.Pointer(&list[0])
	}
	return d.check("cuLaunchKernel", d.launchKernel(fn, 1, 1, 1, 1, 1, 1, 0, 0, params, extra))
}
