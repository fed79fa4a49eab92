package verify

import (
	"cmp"
	"debug/dwarf"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
)

// A DebugStruct is a struct of a program in any language that writes DWARF.
type DebugStruct struct {
	Name        string // with the namespaces, modules or crates around it
	Size, Align int64
	Fields      []layoutcmd.RecordedField // those of which nothing is known are bytes
}

// DebugStructs reads the structs of a name in a program that was compiled with -g. The name may lack what is around it.
// Known are the names of all others.
func DebugStructs(data *cubin.HostData, name string) (found []DebugStruct, known []string, err error) {
	var around []string                       // names of the entries that are open, "" of those that are no part of a name
	declared := make(map[dwarf.Offset]string) // by where they stand, records that are defined outside of what is around them
	r := &entries{Reader: data.Reader()}
	for e := r.next(); e != nil; e = r.next() {
		if e.Tag == 0 {
			around = around[:max(len(around)-1, 0)]
			continue
		}
		own, _ := e.Val(dwarf.AttrName).(string)
		record := e.Tag == dwarf.TagStructType || e.Tag == dwarf.TagClassType || e.Tag == dwarf.TagUnionType
		if record && own != "" {
			full := strings.Join(append(slices.DeleteFunc(slices.Clone(around), func(s string) bool { return s == "" }), own), "::")
			if of, ok := e.Val(dwarf.AttrSpecification).(dwarf.Offset); ok && declared[of] != "" {
				full, own = declared[of], declared[of]
			}
			switch {
			case e.Val(dwarf.AttrDeclaration) != nil:
				declared[e.Offset] = full
			case full != name && !strings.HasSuffix(full, "::"+name):
				known = append(known, full)
			default:
				s, err := debugStruct(data, e, full)
				if err != nil {
					return nil, nil, err
				}
				if !slices.ContainsFunc(found, s.alike) {
					found = append(found, s)
				}
			}
		}
		if e.Children {
			if !record && e.Tag != dwarf.TagNamespace && e.Tag != dwarf.TagModule {
				own = ""
			}
			around = append(around, own)
		}
	}
	return found, known, nil
}

// alike reports whether two structs lie in memory alike.
func (s DebugStruct) alike(t DebugStruct) bool {
	return s.Size == t.Size && slices.Equal(s.Fields, t.Fields)
}

// debugStruct is the struct of an entry.
func debugStruct(data *cubin.HostData, e *dwarf.Entry, name string) (DebugStruct, error) {
	w := typeWalk{debugTypes: &debugTypes{data: data.Data, units: data.Units}, named: true}
	size, ok := w.scalars(e.Offset, 0, "", 0)
	if !ok {
		return DebugStruct{}, fmt.Errorf("its debug information of the struct %s cannot be read", name)
	}
	s := DebugStruct{Name: name, Size: int64(size), Align: 1}
	for _, l := range w.leaves {
		one := layoutcmd.RecordedField{Path: cmp.Or(l.path, "bytes"), Type: l.typ, Offset: int64(l.off), Size: int64(l.size)}
		one.Kind = map[scalarKind]string{kindInteger: "int", kindFloat: "float", kindPointer: "pointer", kindBits: "int"}[l.kind]
		switch align := int64(cmp.Or(l.elem, l.size)); {
		case l.kind == kindBits:
			one.Path, one.Size, one.BitOffset, one.BitWidth = l.path, 0, int64(l.bit), int64(l.size)
		case l.opaque:
			one.Kind, one.Type = "", fmt.Sprintf("%s[%d]", one.Type, one.Size)
		case align&(align-1) == 0 && align > s.Align && s.Size%align == 0 && int64(l.off)%align == 0:
			s.Align = align
		}
		s.Fields = append(s.Fields, one)
	}
	if n, ok := e.Val(dwarf.AttrAlignment).(int64); ok && n > 0 && s.Size%n == 0 {
		s.Align = n
	}
	return s, nil
}
