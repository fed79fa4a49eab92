package cubin_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
)

// TestFatbins compares the list of images of each fatbin of testdata with
// images.txt, and the images with what was put into them.
func TestFatbins(t *testing.T) {
	var list strings.Builder
	for _, path := range files(t, "fatbins/*.fatbin") {
		images, err := cubin.Images(read(t, path))
		require.NoError(t, err, path)
		require.Len(t, images, 3, path)
		fmt.Fprintln(&list, filepath.Base(path))
		for i, m := range images {
			fmt.Fprintf(&list, "  %v\n", m)
			got, err := m.Contents()
			require.NoError(t, err, "%s %v", path, m)
			if i == 0 {
				assert.Contains(t, string(got), "\n.target sm_90a\n", path)
				assert.Contains(t, string(got), ".param .align 16 .b8 s[5000]", path)
				continue
			}
			want := []string{"sm_80-12.4", "sm_90-12.4"}[i-1]
			assert.True(t, bytes.Equal(read(t, filepath.Join("testdata", "cubins", "wide-"+want+".cubin")), got), "%s %v", path, m)
		}
	}
	golden.Hold(t, filepath.Join("testdata", "images.txt"), list.String())
}

// A part is a section of an ELF file for a host.
type part struct {
	name string
	data []byte
}

// host is an ELF file of x86-64 with sections of data.
func host(t testing.TB, parts ...part) []byte {
	t.Helper()
	le := binary.LittleEndian
	parts = append([]part{{}}, parts...)
	parts = append(parts, part{name: ".shstrtab"})
	names := make([]uint32, len(parts))
	var table []byte
	for i, p := range parts {
		names[i] = uint32(len(table))
		table = append(append(table, p.name...), 0)
	}
	parts[len(parts)-1].data = table
	h := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_REL), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Ehsize: 64, Shoff: 64, Shentsize: 64, Shnum: uint16(len(parts)), Shstrndx: uint16(len(parts) - 1),
	}
	var head, body bytes.Buffer
	require.NoError(t, binary.Write(&head, le, h))
	start := 64 + 64*uint64(len(parts))
	for i, p := range parts {
		s := elf.Section64{Name: names[i], Off: start + uint64(body.Len()), Size: uint64(len(p.data)), Type: uint32(elf.SHT_PROGBITS)}
		switch {
		case i == 0:
			s = elf.Section64{}
		case i == len(parts)-1:
			s.Type = uint32(elf.SHT_STRTAB)
		}
		require.NoError(t, binary.Write(&head, le, s))
		body.Write(p.data)
	}
	return append(head.Bytes(), body.Bytes()...)
}

// TestHosts finds fatbins and cubins in files for a host: several containers in
// the sections that NVIDIA's tools make, others anywhere among the data.
func TestHosts(t *testing.T) {
	fat := func(name string) []byte { return read(t, filepath.Join("testdata", "fatbins", name+".fatbin")) }
	bin := read(t, filepath.Join("testdata", "cubins", "sm_100a-13.5.cubin"))
	file := host(t,
		part{".text", []byte("no code")},
		part{".nv_fatbin", bytes.Join([][]byte{fat("lz4-11.8"), fat("zstd-13.5")}, make([]byte, 24))},
		part{"__nv_relfatbin", fat("plain-12.4")},
		part{".rodata", bytes.Join([][]byte{
			[]byte("text before\x7fELF, which begins none"), bin, fat("speed-13.5"), []byte("\x50\xed\x55\xba\x01\x00 nor this"), bin,
		}, []byte("xyz"))},
	)
	images, err := cubin.Images(file)
	require.NoError(t, err)
	var got []string
	for _, m := range images {
		data, err := m.Contents()
		require.NoError(t, err)
		assert.Equal(t, m.Kind == cubin.Cubin, cubin.Is(data))
		got = append(got, fmt.Sprintf("%s %v %s %v", m.Where, m.Kind, m.Arch, m.Compression))
	}
	assert.Equal(t, []string{
		"section .nv_fatbin ptx sm_90 LZ4", // 11.8 has no "a"
		"section .nv_fatbin cubin sm_80 LZ4",
		"section .nv_fatbin cubin sm_90 LZ4",
		"section .nv_fatbin ptx sm_90a zstd",
		"section .nv_fatbin cubin sm_80 zstd",
		"section .nv_fatbin cubin sm_90 zstd",
		"section __nv_relfatbin ptx sm_90a not compressed",
		"section __nv_relfatbin cubin sm_80 not compressed",
		"section __nv_relfatbin cubin sm_90 not compressed",
		"section .rodata cubin sm_100a not compressed",
		"section .rodata ptx sm_90a LZ4",
		"section .rodata cubin sm_80 LZ4",
		"section .rodata cubin sm_90 LZ4",
		"section .rodata cubin sm_100a not compressed",
	}, got)
	var containers []uint64
	for _, m := range images {
		containers = append(containers, m.Container)
	}
	assert.Len(t, slices.Compact(containers), 6, "the images of a fatbin are of one module, each cubin is of its own")
	last := images[len(images)-1]
	assert.True(t, bytes.Equal(bin, last.Stored), "a cubin among other data ends where its last section does")
	assert.True(t, bytes.Equal(bin, file[last.Offset:][:last.Size]))

	images, err = cubin.Images(host(t, part{".data", []byte("nothing")}))
	require.NoError(t, err)
	assert.Empty(t, images)
}

func TestImagesRefuses(t *testing.T) {
	good := read(t, filepath.Join("testdata", "fatbins", "lz4-12.4.fatbin"))
	change := func(off int, b ...byte) []byte {
		d := bytes.Clone(good)
		copy(d[off:], b)
		return d
	}
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{nil, "offset 0x0: an empty file, neither a cubin nor a fatbin nor an ELF or PE file"},
		{[]byte("//"), "offset 0x0: neither a cubin nor a fatbin nor an ELF or PE file: it begins 2f 2f"},
		{[]byte("!<thin>\n..."), "offset 0x0: a thin library, whose objects are files of their own; read each of them"},
		{good[:10], "offset 0x0: a fatbin begins with 16 bytes, and 10 are left"},
		{good[:100], "offset 0x0: the fatbin has 2184 bytes, and 84 are left"},
		{change(4, 2), "offset 0x0: the fatbin has version 2 and a header of 16 bytes; 1 and 16 are known"},
		{append(bytes.Clone(good), 1, 2, 3), "offset 0x898: a fatbin begins with 16 bytes, and 3 are left"},
		{change(0x14, 0xff, 0xff, 0xff, 0xff), "offset 0x10: the entry's header and contents of 4294967295 and 216 bytes do not fit into 2184"},
		{change(0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "offset 0x10: the entry's header and contents of 88 and 18446744073709551615 bytes do not fit into 2184"},
		{change(0x20, 0xff, 0xff), "offset 0x10: 65535 compressed bytes are in 216"},
		{change(0x24, 0xff), "offset 0x24: the record of options is at 0xff of a header of 88 bytes"},
		{change(0x34, 0xff), "offset 0x10: a text of 255 bytes is at 0x40 of a header of 88 bytes"},
	} {
		_, err := cubin.Images(tt.data)
		assert.EqualError(t, err, tt.want)
	}

	for _, tt := range []struct {
		data []byte
		want string
	}{
		{change(0x48, 0, 0, 0, 0x20), "offset 0x10: image ptx sm_90a: it should have 536870912 bytes; no more than 268435456 are inflated"},
		{change(0x48, 0, 0, 0, 0x08), "offset 0x10: image ptx sm_90a: LZ4: 213 bytes cannot become 134217728"},
		{change(0x39, 0), "offset 0x10: image ptx sm_90a: it is compressed in a way that is not known here; flags 0x100011"},
		{change(0x39, 0x80), "offset 0x10: image ptx sm_90a: zstd: "},
	} {
		images, err := cubin.Images(tt.data)
		require.NoError(t, err, tt.want)
		_, err = images[0].Contents()
		assert.ErrorContains(t, err, tt.want)
	}
}
