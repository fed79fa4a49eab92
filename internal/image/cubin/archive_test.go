package cubin_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// library writes members as ar does.
func library(members ...part) []byte {
	data := []byte("!<arch>\n")
	for _, m := range members {
		data = fmt.Appendf(data, "%-16s%-12d%-6d%-6d%-8s%-10d`\n%s", m.name, 0, 0, 0, "644", len(m.data), m.data)
		if len(m.data)%2 != 0 {
			data = append(data, '\n')
		}
	}
	return data
}

// TestLibraries reads objects with cubins and fatbins in them out of libraries,
// with names of every kind.
func TestLibraries(t *testing.T) {
	fat := read(t, filepath.Join("testdata", "fatbins", "zstd-13.5.fatbin"))
	narrow := read(t, filepath.Join("testdata", "cubins", "narrow-sm_52-11.8.cubin"))
	object := host(t, part{".nv_fatbin", fat})
	const long = "a_name_that_does_not_fit.o"
	data := library(
		part{"/", []byte("symbols")}, part{"//", []byte("other.o/\n" + long + "/\n")},
		part{"x.o/", object}, part{"/9", object}, part{"text/", []byte("odd")},
		part{fmt.Sprintf("#1/%d", len(long)+2), append([]byte(long+"\x00\x00"), object...)},
		part{"bare.cubin/", narrow}, part{"whole.fatbin/", fat}, part{"inner.a/", library(part{"x.o/", object})},
	)
	images, err := cubin.Images(data)
	require.NoError(t, err)
	alone, err := cubin.Images(object)
	require.NoError(t, err)
	count := make(map[string]int)
	for _, m := range images {
		count[m.Member]++
		b, err := m.Contents()
		require.NoError(t, err)
		if strings.HasSuffix(m.Member, ".o") {
			assert.Equal(t, "member "+m.Member+", section .nv_fatbin", m.Where)
		}
		if m.Kind == cubin.Cubin {
			_, err = cubin.Open(b)
			require.NoError(t, err)
		}
		if m.Compression == cubin.Stored {
			assert.Equal(t, m.Stored, data[m.Offset:m.Offset+uint64(len(m.Stored))], m.Member)
		}
	}
	assert.Equal(t, map[string]int{"x.o": len(alone), long: 2 * len(alone), "bare.cubin": 1, "whole.fatbin": len(alone)}, count)
}

func TestLibrariesRefuse(t *testing.T) {
	good := library(part{"x.o/", []byte("data")})
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{good[:30], "offset 0x8: library: a member begins with 60 bytes, and 22 are left"},
		{good[:len(good)-1], "offset 0x8: library: the member has 4 bytes, and 3 are left"},
		{[]byte(strings.Replace(string(good), "`", "'", 1)), "offset 0x8: library: no member begins here: "},
		{[]byte(strings.Replace(string(good), "4         `", "-4        `", 1)), "offset 0x8: library: "},
		{library(part{"/7", []byte("data")}), `offset 0x8: library: the member's name "/7" stands nowhere`},
		{library(part{"//", []byte("name")}, part{"/0", []byte("data")}), `library: the member's name "/0" stands nowhere`},
		{library(part{"#1/9", []byte("data")}), `library: the member's name "#1/9" stands nowhere`},
		{library(part{"x.o/", []byte("\x7fELF")}), "offset 0x48: member x.o, ELF header: the file ends here"},
	} {
		_, err := cubin.Images(tt.data)
		require.Error(t, err, tt.want)
		assert.Contains(t, err.Error(), tt.want)
	}
	images, err := cubin.Images([]byte("!<arch>\n"))
	require.NoError(t, err)
	assert.Empty(t, images)
}
