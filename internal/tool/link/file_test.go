package link_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// fatbin is a fatbin with a cubin in it.
func fatbin(t *testing.T, sm uint32, data []byte) []byte {
	t.Helper()
	data = append(bytes.Clone(data), make([]byte, -len(data)&7)...)
	var b bytes.Buffer
	for _, v := range []any{
		uint32(0xba55ed50), uint16(1), uint16(16), uint64(64 + len(data)),
		uint16(2), uint16(0x0101), uint32(64), uint64(len(data)), uint32(0), uint32(0), uint16(7), uint16(1), sm,
		uint32(0), uint32(0), uint64(0x11), uint64(0), uint64(0),
	} {
		require.NoError(t, binary.Write(&b, binary.LittleEndian, v))
	}
	return append(b.Bytes(), data...)
}

// host is an object for the host with a fatbin that is to be linked.
func host(t *testing.T, fat []byte) []byte {
	t.Helper()
	const names = "\x00__nv_relfatbin\x00.shstrtab\x00"
	h := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_REL), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Ehsize: 64, Shoff: 64, Shentsize: 64, Shnum: 3, Shstrndx: 2,
	}
	var b bytes.Buffer
	for _, v := range []any{
		h,
		elf.Section64{},
		elf.Section64{Name: 1, Type: uint32(elf.SHT_PROGBITS), Off: 256, Size: uint64(len(fat))},
		elf.Section64{Name: 16, Type: uint32(elf.SHT_STRTAB), Off: 256 + uint64(len(fat)), Size: uint64(len(names))},
	} {
		require.NoError(t, binary.Write(&b, binary.LittleEndian, v))
	}
	return append(append(b.Bytes(), fat...), names...)
}

// library writes members as ar does: a name, and its data, for each.
func library(members ...any) []byte {
	data := []byte("!<arch>\n")
	for i := 0; i < len(members); i += 2 {
		one := members[i+1].([]byte)
		data = fmt.Appendf(data, "%-16s%-12d%-6d%-6d%-8s%-10d`\n%s", members[i].(string)+"/", 0, 0, 0, "644", len(one), one)
		if len(one)%2 != 0 {
			data = append(data, '\n')
		}
	}
	return data
}

// TestLibraries: all members of a library take part, but for those without code for
// the architecture, and for those that are no objects for the host.
func TestLibraries(t *testing.T) {
	read := func(file string) []byte {
		data := must.Read(t, file)
		return data
	}
	main, walk := read("../../../examples/recursion/main.cubin"), read("../../../examples/recursion/walk.cubin")
	other := read("../../image/cubin/testdata/cubins/sm_90-12.4.cubin")
	walkObject, otherObject := host(t, fatbin(t, 80, walk)), host(t, fatbin(t, 90, other))
	needless := host(t, fatbin(t, 80, read("../../image/cubin/testdata/cubins/sm_80-12.4.cubin")))
	missing := []string{"main.cubin warning MissingDefinition", "main.cubin warning MissingDefinition"}
	for _, tt := range []struct {
		name    string
		target  string
		library []byte
		targets []string
		leftOut int
		notes   []string
		diags   []string
	}{
		{"needed", "", library("walk.o", walkObject), []string{"sm_80"}, 0, nil, nil},
		{"twice", "", library("walk.o", walkObject, "w2.o", walkObject), []string{"sm_80"}, 0, nil, slices.Repeat([]string{"lib.a(w2.o) error RepeatedDefinition"}, 3)},
		{"another architecture", "", library("walk.o", walkObject, "other.o", otherObject), []string{"sm_80"}, 1, nil, nil},
		{
			"what nothing needs", "", library("walk.o", walkObject, "needless.o", needless),
			[]string{"sm_80"},
			0, nil,
			[]string{"lib.a(needless.o) warning MissingDefinition", "lib.a(needless.o) warning MissingDefinition"},
		},
		{"a cubin", "", library("walk.cubin", walk), []string{"sm_80"}, 0, []string{"lib.a(walk.cubin) note LeftOut"}, missing},
		{"a fatbin", "", library("walk.fatbin", fatbin(t, 80, walk)), []string{"sm_80"}, 0, []string{"lib.a(walk.fatbin) note LeftOut"}, missing},
		{"an object", "", otherObject, []string{"sm_80"}, 0, nil, append(missing, "lib.a warning MixedTargets")},
		{
			"another target", "sm_90", library("other.o", otherObject),
			[]string{"sm_90"},
			0, nil,
			[]string{"main.cubin error MixedTargets", "lib.a(other.o) warning MissingDefinition", "lib.a(other.o) warning MissingDefinition"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var set link.Set
			notes, err := set.AddFile("main.cubin", main)
			require.NoError(t, err)
			assert.Empty(t, notes)
			notes, err = set.AddFile("lib.a", tt.library)
			require.NoError(t, err)
			var said, diags []string
			for _, d := range notes {
				said = append(said, fmt.Sprintf("%s %v %s", d.File, d.Severity, d.Code))
			}
			r := set.Report(tt.target)
			for _, d := range r.Diags {
				diags = append(diags, fmt.Sprintf("%s %v %s", d.File, d.Severity, d.Code))
			}
			assert.Equal(t, tt.targets, r.Targets)
			assert.Equal(t, tt.leftOut, r.Counts.LeftOut)
			assert.Equal(t, tt.notes, said)
			assert.Equal(t, tt.diags, diags)
		})
	}
	var set link.Set
	_, err := set.AddFile("lib.a", library("walk.cubin", walk))
	assert.ErrorContains(t, err, "lib.a: nothing in it that can be read: lib.a(walk.cubin): note: left out: the linkers read objects")
}

// TestAliases: an alias is not a function of its own, neither in the object that has it nor
// for another one that calls it.
func TestAliases(t *testing.T) {
	var set link.Set
	data, err := os.ReadFile("../../image/cubin/testdata/cubins/aliases-sm_80-12.4.cubin")
	require.NoError(t, err)
	_, err = set.AddFile("x.cubin", data)
	require.NoError(t, err)
	for _, p := range set.Programs("") {
		for _, f := range p.Funcs {
			assert.False(t, f.Missing, f.Name)
			assert.GreaterOrEqual(t, f.Frame, 0, "%s has no frame, as an alias has none", f.Name)
		}
	}
}

// TestLatest: of the objects in a fatbin the linkers take the one for the latest architecture.
func TestLatest(t *testing.T) {
	var set link.Set
	add := func(file, cubinFile, arch string) {
		f, err := cubin.Open(must.Read(t, cubinFile))
		require.NoError(t, err)
		f.Arch = arch
		require.NoError(t, set.AddCubin(link.Place{Name: file, File: file, Packed: true}, f))
	}
	add("main", "../../../examples/recursion/main.cubin", "sm_80")
	add("walk", "../../image/cubin/testdata/cubins/sm_80-12.4.cubin", "sm_80") // which defines nothing that main needs
	add("walk", "../../../examples/recursion/walk.cubin", "sm_86")
	assert.Empty(t, set.Report("sm_89").Diags)
	assert.NotEmpty(t, set.Report("sm_80").Diags)
}
