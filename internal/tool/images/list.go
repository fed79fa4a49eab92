package images

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// An Entry is an image as a list has it. Sizes and places are in bytes.
type Entry struct {
	Number      int    `json:"number"` // in its file, from 1
	Kind        string `json:"kind"`   // "cubin", "ptx", "nvvm"
	Target      string `json:"target"` // "": not known
	AddressSize int    `json:"addressSize"`
	Version     string `json:"version,omitempty"` // of PTX
	Size        uint64 `json:"size"`              // when inflated
	Compression string `json:"compression,omitempty"`
	Stored      int    `json:"stored"` // in the file
	// Kernels and Functions are those with code; -1 where they are not known.
	Kernels   int    `json:"kernels"`
	Functions int    `json:"functions"`
	Offset    uint64 `json:"offset"` // in the file, of the header
	Module    uint64 `json:"module"` // of the fatbin; images of one fatbin are one module
	Member    string `json:"member,omitempty"`
	Section   string `json:"section,omitempty"`
	Source    string `json:"source,omitempty"`  // the name that the compiler recorded
	Options   string `json:"options,omitempty"` // for ptxas
	File      string `json:"file,omitempty"`    // that it was written to
}

// EntryOf lists an image. Contents are those of the image, nil where they cannot be had.
func EntryOf(number int, m *cubin.Image, contents []byte) Entry {
	e := Entry{
		Number: number, Kind: m.Kind.String(), Target: m.Arch, AddressSize: m.AddressSize, Size: m.Size, Stored: len(m.Stored),
		Kernels: -1, Functions: -1, Offset: m.Offset, Module: m.Container, Member: m.Member, Source: m.Ident, Options: m.Options,
	}
	e.Section = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(m.Where, "member "+m.Member), ", "), "section ")
	if m.Compression != cubin.Stored {
		e.Compression = m.Compression.String()
	}
	count := func(kernel bool) {
		if kernel {
			e.Kernels++
		} else {
			e.Functions++
		}
	}
	switch {
	case contents == nil:
	case m.Kind == cubin.Cubin:
		list, err := cubin.Functions(contents)
		if err != nil {
			break
		}
		e.Kernels, e.Functions = 0, 0
		for i := range list {
			count(list[i].Kernel)
		}
	case m.Kind == cubin.PTX:
		e.Version = m.Version.String()
		outline, err := ptx.ParseOutline("", string(contents))
		if err != nil {
			break
		}
		e.Kernels, e.Functions = 0, 0
		for _, item := range outline.Module().Items {
			if f, ok := item.(*ptx.Func); ok && f.HasBody {
				count(f.Entry)
			}
		}
	}
	return e
}

// Row is the entry in a table, whose head is [Head].
func (e *Entry) Row() []string {
	number := func(n int) string {
		if n < 0 {
			return "-"
		}
		return strconv.Itoa(n)
	}
	how, where := "-", e.Section
	if e.Compression != "" {
		how = fmt.Sprintf("%s %d", e.Compression, e.Stored)
	}
	if e.Member != "" {
		where = strings.TrimPrefix(e.Member+", "+where, ", ")
	}
	return []string{
		strconv.Itoa(e.Number), e.Kind, cmp.Or(e.Target, "-"), strconv.FormatUint(e.Size, 10), how, number(e.Kernels), number(e.Functions),
		fmt.Sprintf("0x%x", e.Offset), strings.TrimSuffix(where, ", "),
	}
}

// Head is the head of a table of entries, and Right its columns of numbers.
var (
	Head  = []string{"", "kind", "target", "size", "compressed", "kernels", "functions", "offset", "in"}
	Right = []int{0, 3, 5, 6}
)

// Total says what a list has, by kinds and architectures.
func Total(list []Entry) string {
	kinds, kernels := make(map[string]map[string]int), 0
	for i := range list {
		e := &list[i]
		if kinds[e.Kind] == nil {
			kinds[e.Kind] = make(map[string]int)
		}
		kinds[e.Kind][e.Target]++
		kernels += max(e.Kernels, 0)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", prose.Count(len(list), "image"), prose.Count(kernels, "kernel"))
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&b, "  %s:", kind)
		for i, target := range slices.Sorted(maps.Keys(kinds[kind])) {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %d", kinds[kind][target])
			if target != "" {
				b.WriteString(" for " + target)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Assigned is the function for a picture: values without a name have their number, and types stand for sizes. It
// is false where places are not known.
func (f *Function) Assigned() (resolve.Assigned, bool) {
	if f.StackBytes == nil {
		return resolve.Assigned{}, false
	}
	decl := &ptx.Func{Name: f.Name, Entry: f.Block != nil}
	a := abi.Assignment{Kind: abi.Func, StackBytes: *f.StackBytes}
	if f.Block != nil {
		a.Kind, a.Block = abi.Entry, abi.Block{Bank: uint8(f.bank), Base: f.Block.Base, Size: f.Block.Size}
	}
	values := func(role string, list []Value) (formals []ptx.Formal, places []abi.Placement) {
		for i := range list {
			v := &list[i]
			p := ptx.Formal{Spec: ptx.Spec{Space: ptx.ParamSpace, Type: ptx.B8}, Var: ptx.Var{Name: v.Name, Dims: []int64{int64(v.Size)}}}
			if p.Name == "" {
				p.Name = role + strconv.Itoa(i)
			}
			formals, places = append(formals, p), append(places, v.place)
		}
		return formals, places
	}
	decl.Params, a.Params = values("p", f.Params)
	decl.Results, a.Results = values("r", f.Returns)
	return resolve.Assigned{Function: *resolve.NewFunction(nil, decl), Places: a}, true
}
