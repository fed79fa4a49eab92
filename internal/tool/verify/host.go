package verify

import (
	"strconv"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// A Host is what a program has for debuggers of its own code, in which each kernel that it launches
// is a function as well, with the same parameters. Nil has nothing.
type Host func() *debugTypes

// NewHost returns that of a program, whose cubins may then be compared. Data is called once, when something is
// asked; nil is nothing.
func NewHost(data func() *cubin.HostData) Host {
	return sync.OnceValue(func() *debugTypes { return newDebugTypes(data(), launched) })
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
