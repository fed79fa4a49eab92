package cubin_test

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// windows is a PE file of x86-64 with sections of data. As an object it has long
// names in the table of strings, as a program it has them cut, and zeros after
// each section's data up to a multiple of 512.
func windows(t testing.TB, program bool, parts ...part) []byte {
	t.Helper()
	le := binary.LittleEndian
	var out, body bytes.Buffer
	h := pe.FileHeader{Machine: pe.IMAGE_FILE_MACHINE_AMD64, NumberOfSections: uint16(len(parts))}
	opt := pe.OptionalHeader64{Magic: 0x20b, SectionAlignment: 4096, FileAlignment: 512, NumberOfRvaAndSizes: 16}
	if program {
		out.WriteString("MZ")
		out.Write(make([]byte, 0x3a))
		require.NoError(t, binary.Write(&out, le, uint32(0x40)))
		out.WriteString("PE\x00\x00")
		h.SizeOfOptionalHeader = uint16(binary.Size(opt))
	}
	start := out.Len() + binary.Size(h) + int(h.SizeOfOptionalHeader) + 40*len(parts)
	var table, names bytes.Buffer
	for _, p := range parts {
		s := pe.SectionHeader32{SizeOfRawData: uint32(len(p.data)), PointerToRawData: uint32(start + body.Len())}
		copy(s.Name[:], p.name)
		body.Write(p.data)
		if program {
			s.VirtualSize = s.SizeOfRawData
			fill := -len(p.data) & 511
			body.Write(make([]byte, fill))
			s.SizeOfRawData += uint32(fill)
		} else if len(p.name) > 8 {
			s.Name = [8]byte{}
			copy(s.Name[:], fmt.Sprintf("/%d", 4+names.Len()))
			names.WriteString(p.name + "\x00")
		}
		require.NoError(t, binary.Write(&table, le, s))
	}
	if !program {
		h.PointerToSymbolTable = uint32(start + body.Len())
	}
	require.NoError(t, binary.Write(&out, le, h))
	if program {
		require.NoError(t, binary.Write(&out, le, opt))
	}
	out.Write(table.Bytes())
	out.Write(body.Bytes())
	if !program {
		require.NoError(t, binary.Write(&out, le, uint32(4+names.Len())))
		out.Write(names.Bytes())
	}
	return out.Bytes()
}

// windowsParts have fatbins in a section of their own and among other data.
func windowsParts(t testing.TB) []part {
	fat := read(t, filepath.Join("testdata", "fatbins", "zstd-13.5.fatbin"))
	bin := read(t, filepath.Join("testdata", "cubins", "narrow-sm_52-11.8.cubin"))
	return []part{
		{".text", []byte("no code")},
		{".nv_fatbin", append(append([]byte{}, fat...), make([]byte, 24)...)},
		{".nvFatBinSegment", []byte("\xb1\x43\x62\x46 and no fatbin")},
		{".rdata", append([]byte("text before"), bin...)},
	}
}

// TestWindows finds fatbins and cubins in programs, objects and libraries of
// Windows.
func TestWindows(t *testing.T) {
	for _, tt := range []struct {
		what string
		data []byte
		fat  string // the section's name
	}{
		{"a program", windows(t, true, windowsParts(t)...), "section .nv_fatb"},
		{"an object", windows(t, false, windowsParts(t)...), "section .nv_fatbin"},
		{"a library", library(part{"x.obj/", windows(t, false, windowsParts(t)...)}), "member x.obj, section .nv_fatbin"},
	} {
		assert.True(t, cubin.Binary(tt.data), tt.what)
		images, err := cubin.Images(tt.data)
		require.NoError(t, err, tt.what)
		var got []string
		for _, m := range images {
			b, err := m.Contents()
			require.NoError(t, err)
			if m.Kind == cubin.Cubin {
				_, err := cubin.Open(b)
				require.NoError(t, err)
			}
			got = append(got, fmt.Sprintf("%s %v %s", m.Where, m.Kind, m.Arch))
		}
		assert.Equal(t, []string{
			tt.fat + " ptx sm_90a", tt.fat + " cubin sm_80", tt.fat + " cubin sm_90",
			tt.fat[:len(tt.fat)-len(filepath.Ext(tt.fat))] + ".rdata cubin sm_52",
		}, got, tt.what)
		last := images[len(images)-1]
		assert.Equal(t, last.Stored, tt.data[last.Offset:][:last.Size], tt.what)
	}
}

// TestWindowsRefuses has files that are damaged: an error with its place, never a
// panic.
func TestWindowsRefuses(t *testing.T) {
	program := windows(t, true, windowsParts(t)...)
	change := func(off int, b ...byte) []byte {
		d := bytes.Clone(program)
		copy(d[off:], b)
		return d
	}
	entry := 0x40 + 4 + 20 + binary.Size(pe.OptionalHeader64{}) + 40 // of .nv_fatb
	at := int(binary.LittleEndian.Uint32(program[entry+20:]))
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{[]byte("MZ"), "offset 0x0: neither a cubin nor a fatbin nor an ELF or PE file: it begins 4d 5a"},
		{change(0x3c, 0xff, 0xff, 0xff), "offset 0x0: neither a cubin nor a fatbin nor an ELF or PE file: "},
		{change(0x44, 1, 2), "offset 0x0: PE header: "},
		{program[:0x60], "offset 0x0: PE header: "},
		{change(entry+16, 0, 0, 0, 1), fmt.Sprintf("offset 0x%x: section .nv_fatb: it has 16777216 bytes, and the file has %d", at, len(program))},
		{change(at+4, 9), fmt.Sprintf("offset 0x%x: section .nv_fatb: the fatbin has version 9 ", at)},
	} {
		_, err := cubin.Images(tt.data)
		assert.ErrorContains(t, err, tt.want)
	}
	for n := 0; n < len(program); n += 3 {
		if err := exercise(program[:n:n]); err != nil {
			assert.ErrorContains(t, err, "offset 0x")
		}
	}
}
