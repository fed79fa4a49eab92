package declared

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
)

// Debugged is a type of a program that has debug information.
func Debugged(file, name string, data []byte) (verify.Struct, error) {
	info := cubin.HostDebug(data)
	if info == nil {
		return verify.Struct{}, fmt.Errorf("%s: no debug information that can be read; it is there after -g, in ELF files, and not in a .pdb beside a program for Windows", file)
	}
	found, known, err := verify.DebugStructs(info, name)
	switch {
	case err != nil:
		return verify.Struct{}, fmt.Errorf("%s: %w", file, err)
	case len(found) == 0 && len(known) == 0:
		return verify.Struct{}, fmt.Errorf("%s: no struct in its debug information that can be read; what -gsplit-dwarf writes to files of its own is not read", file)
	case len(found) == 0:
		for _, full := range known {
			known = append(known, full[strings.LastIndex(full, ":")+1:])
		}
		return verify.Struct{}, fmt.Errorf("%s: its debug information has no struct %q%s", file, name, near.Suggest(name, known))
	case len(found) > 1:
		return verify.Struct{}, fmt.Errorf("%s: %s and %s are not alike; -type also takes the names around %q", file, found[0].Name, found[1].Name, name)
	}
	d := &found[0]
	l, err := layoutcmd.Recorded(name, d.Size, d.Align, d.Fields)
	if err != nil {
		return verify.Struct{}, fmt.Errorf("%s: the struct %s: %w", file, d.Name, err)
	}
	return verify.Struct{File: file, Name: name, Layout: l, Size: int(l.Size)}, nil
}

// A NoLayoutError says that a text is no recorded layout.
type NoLayoutError struct{ error }

// Recorded is the type of that name of a recorded layout, or the only one.
func Recorded(file, name string, text []byte) (verify.Struct, error) {
	all, err := layoutcmd.Records(text)
	if err != nil {
		return verify.Struct{}, NoLayoutError{fmt.Errorf("%s: %w", file, err)}
	}
	var names []string
	for _, l := range all {
		names = append(names, strings.TrimPrefix(l.Type.String(), "struct "))
	}
	i := slices.Index(names, name)
	switch {
	case i < 0 && name == "" && len(all) == 1:
		i = 0
	case i < 0 && name == "":
		return verify.Struct{}, fmt.Errorf("%s: %s in it; choose one with -type: %s", file, prose.Count(len(all), "type"), strings.Join(names, ", "))
	case i < 0:
		return verify.Struct{}, fmt.Errorf("%s: no type %q%s", file, name, near.Suggest(name, names))
	}
	return verify.Struct{File: file, Name: names[i], Layout: all[i], Size: int(all[i].Size)}, nil
}
