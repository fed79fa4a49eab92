package verify

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// A Host is what a program has for debuggers of its own code, in which each kernel that it launches
// is a function as well, with the same parameters. Nil has nothing.
type Host struct {
	data  func() *cubin.HostData
	types *debugTypes // nil: not read yet
}

// NewHost returns that of a program, whose cubins may then be compared. Data is called once, when something is
// asked; nil is nothing.
func NewHost(data func() *cubin.HostData) *Host { return &Host{data: data} }

// Compare is [Compare] for a cubin of the program.
func (h *Host) Compare(name string, f *cubin.File, s *Source) *Report {
	r := newReport(name, s.Name, f, s.Target)
	c := newCompiled(f)
	c.host = h
	r.compare(c, s)
	return r
}

// CompareStruct compares a kernel with a struct: with one parameter of it that
// is passed by value, or, for [Whole], with all of them, each a field of the
// struct, which is what a launch passes as one buffer. A field
// named _ is padding.
//
// Of a parameter a cubin records the place and the size, and nothing of what is
// in it. The other parameters are taken as they are.
func (h *Host) CompareStruct(name string, f *cubin.File, s Struct, t *abi.Target, kernel string, param int) *Report {
	r := newReport(name, s.File, f, t)
	c := newCompiled(f)
	c.host = h
	r.compareStruct(c, s, t, kernel, param)
	return r
}

// of are the parameters of a kernel, as [debugTypes.of] has them.
func (h *Host) of(fn *cubin.Function, source []Param) []formal {
	if h == nil {
		return nil
	}
	return h.read().of(fn, source)
}

// read is what the program has, which is read once.
func (h *Host) read() *debugTypes {
	if h.types == nil {
		h.types = newDebugTypes(h.data(), launched)
	}
	return h.types
}

// ownName is the name of a function by itself.
func ownName(symbol string) string { return symbol }

// stub is what stands in clang's name for the function that launches a kernel, before the kernel's own.
const stub = "__device_stub__"

// launched is the kernel that a function of a host is for, "" for none. A name of C++ is the kernel's own,
// its types included, or has the stub's word in it, which counts in the length before it; a name of C is that of
// a kernel only with the word.
func launched(symbol string) string {
	head, tail, ok := strings.Cut(symbol, stub)
	switch {
	case !ok && strings.HasPrefix(symbol, "_Z"):
		return symbol
	case !ok:
		return ""
	case head == "":
		return tail
	}
	name := strings.TrimRight(head, "0123456789")
	n, err := strconv.Atoi(head[len(name):])
	if err != nil || n <= len(stub) {
		return ""
	}
	return name + strconv.Itoa(n-len(stub)) + tail
}
