package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// sample is what the benchmarks pack.
var sample = Range{X: 1, Y: 2, First: 3, Last: 4, Scale: 5}

// A fixed Range is one that encoding/binary takes: it has no uintptr, and its
// padding is spelled out.
type fixed struct {
	X, Y        uint64
	First, Last uint32
	Scale       float32
	_           uint32
}

// TestAppendAllocates checks that packing into a buffer with room allocates
// nothing.
func TestAppendAllocates(t *testing.T) {
	args := SaxpyArgs{Param1: sample.MarshalParam()}
	b := make([]byte, 0, 128)
	if n := testing.AllocsPerRun(100, func() { b = args.AppendParams(sample.AppendParam(b[:0])) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	var l SaxpyLaunch
	l.Pin(&args)
	defer l.Unpin()
	if n := testing.AllocsPerRun(100, func() { l.Pin(&args) }); n != 0 {
		t.Errorf("%v allocations for a launch that is pinned already", n)
	}
}

// TestOthersAgree checks that what the benchmarks compare are the same bytes.
func TestOthersAgree(t *testing.T) {
	want := sample.AppendParam(nil)
	got, err := binary.Append(nil, binary.LittleEndian, &fixed{1, 2, 3, 4, 5, 0})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("encoding/binary: %x, %v; want %x", got, err, want)
	}
}

// TestCheck gives CheckSaxpyParams drivers of all kinds.
func TestCheck(t *testing.T) {
	driver := func(params ...[2]int) func(int) (int, int, error) {
		return func(i int) (offset, size int, err error) {
			if i >= len(params) {
				return 0, 0, errors.New("CUDA_ERROR_INVALID_VALUE")
			}
			return params[i][0], params[i][1], nil
		}
	}
	for _, tt := range []struct {
		query func(int) (int, int, error)
		want  string
	}{
		{driver([2]int{0, 4}, [2]int{8, 32}), ""},
		{driver([2]int{0, 4}, [2]int{16, 32}), "parameter 1 has 32 bytes at 8 here, and 32 at 16 in the driver"},
		{driver([2]int{0, 4}, [2]int{8, 28}), "parameter 1 has 32 bytes at 8 here, and 28 at 8 in the driver"},
		{driver([2]int{0, 4}), "parameter 1: CUDA_ERROR_INVALID_VALUE"},
		{driver([2]int{0, 4}, [2]int{8, 32}, [2]int{40, 4}), "more than the 2 parameters"},
	} {
		err := CheckSaxpyParams(tt.query)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	unsupported := func(int) (int, int, error) { return 0, 0, errors.ErrUnsupported }
	for _, query := range []func(int) (int, int, error){nil, unsupported} {
		if err := CheckSaxpyParams(query); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v, want errors.ErrUnsupported", err)
		}
	}
}

// TestLaunch follows the addresses of both forms, as a driver does.
func TestLaunch(t *testing.T) {
	args := SaxpyArgs{Param0: 7, Param1: sample.MarshalParam()}
	want := args.AppendParams(nil)
	var l SaxpyLaunch
	l.Pin(&args)
	defer l.Unpin()
	runtime.GC()
	extra := l.Extra()
	// A driver reads them as addresses. Go may not hold those that are none.
	buf := *(*unsafe.Pointer)(unsafe.Pointer(&extra[1]))
	size := **(**uintptr)(unsafe.Pointer(&extra[3]))
	if got := unsafe.Slice((*byte)(buf), size); extra[0] != 1 || extra[2] != 2 || extra[4] != 0 || !bytes.Equal(got, want) {
		t.Errorf("extra leads to %x, want %x", got, want)
	}
	for i, p := range []struct{ off, size int }{{0, 4}, {8, 32}} {
		if got := unsafe.Slice((*byte)(l.KernelParams()[i]), p.size); !bytes.Equal(got, want[p.off:p.off+p.size]) {
			t.Errorf("parameter %d is %x, want %x", i, got, want[p.off:p.off+p.size])
		}
	}
}

func BenchmarkAppendParam(b *testing.B) {
	buf := make([]byte, 0, RangeSize)
	for b.Loop() {
		buf = sample.AppendParam(buf[:0])
	}
}

// PutParam and the copy are both inlined where they are used, which b.Loop would
// not let them be. What is stored changes, so that neither leaves the loop.
func BenchmarkPutParam(b *testing.B) {
	buf := make([]byte, RangeSize)
	v := sample
	for range b.N {
		v.PutParam(buf)
		v.First++
	}
}

func BenchmarkUnsafeCopy(b *testing.B) {
	buf := make([]byte, RangeSize)
	v := sample
	for range b.N {
		copy(buf, unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)))
		v.First++
	}
}

func BenchmarkUnsafeAppend(b *testing.B) {
	buf := make([]byte, 0, RangeSize)
	for b.Loop() {
		buf = append(buf[:0], unsafe.Slice((*byte)(unsafe.Pointer(&sample)), unsafe.Sizeof(sample))...)
	}
}

func BenchmarkEncodingBinary(b *testing.B) {
	v := fixed{1, 2, 3, 4, 5, 0}
	buf := make([]byte, 0, RangeSize)
	for b.Loop() {
		var err error
		if buf, err = binary.Append(buf[:0], binary.LittleEndian, &v); err != nil {
			b.Fatal(err)
		}
	}
}

// table is what the benchmarks of large arrays pack.
var table = func() (v Table) {
	for i := range v.Values {
		v.Values[i] = float32(i)
	}
	return v
}()

// appendEach appends v as code does that stores one number after the other.
func appendEach(b []byte, v *Table) []byte {
	b = binary.LittleEndian.AppendUint32(b, v.N)
	for _, x := range v.Values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// TestTablesAgree checks that these are the same bytes too.
func TestTablesAgree(t *testing.T) {
	if want, got := table.AppendParam(nil), appendEach(nil, &table); !bytes.Equal(got, want) {
		t.Errorf("%x; want %x", got, want)
	}
}

func BenchmarkTableAppendParam(b *testing.B) {
	buf := make([]byte, 0, TableSize)
	for b.Loop() {
		buf = table.AppendParam(buf[:0])
	}
}

func BenchmarkTableUnsafeAppend(b *testing.B) {
	buf := make([]byte, 0, TableSize)
	for b.Loop() {
		buf = append(buf[:0], unsafe.Slice((*byte)(unsafe.Pointer(&table)), unsafe.Sizeof(table))...)
	}
}

func BenchmarkTableEach(b *testing.B) {
	buf := make([]byte, 0, TableSize)
	for b.Loop() {
		buf = appendEach(buf[:0], &table)
	}
}

// recorder is a binding that keeps what a launch passes.
type recorder struct{ x uint64 }

func (r *recorder) LaunchKernel(_ uintptr, _, _ [3]uint32, _ uint32, _ uintptr, params, _ []unsafe.Pointer) {
	r.x = *(*uint64)(params[1]) // the first field of the struct
}

func TestBinding(t *testing.T) {
	var r recorder
	s := saxpy{binding: &r}
	args := SaxpyArgs{Param1: sample.MarshalParam()}
	s.launch(&args, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1})
	if r.x != uint64(sample.X) {
		t.Errorf("the kernel would find %#x at its first field, passed %#x", r.x, sample.X)
	}
}

// nothing is a driver that does nothing.
type nothing struct{}

func (nothing) LaunchKernel(uintptr, [3]uint32, [3]uint32, uint32, uintptr, []unsafe.Pointer, []unsafe.Pointer) {
}

// TestLaunchAllocates counts what the launches after the first one allocate.
func TestLaunchAllocates(t *testing.T) {
	s := saxpy{binding: nothing{}}
	args := SaxpyArgs{Param1: sample.MarshalParam()}
	if n := testing.AllocsPerRun(100, func() { s.launch(&args, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}) }); n != 0 {
		t.Errorf("a launch allocates %v times", n)
	}
}
