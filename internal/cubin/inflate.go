package cubin

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

var errCut = errors.New("the data are cut")

// inflateLZ4 reads an LZ4 block as its block format describes it: sequences of
// a token, literals, and a copy from at most 65,535 bytes back; the last one has
// no copy. size is that of the result. Fifteen in a half of the token is
// continued in bytes, up to one that is not 255.
//
//	token: literals<<4 | copied-4    literals    u16 distance
func inflateLZ4(b []byte, size int) ([]byte, error) {
	// A byte stands for 255 at most.
	if size/255 > len(b) {
		return nil, fmt.Errorf("%d bytes cannot become %d", len(b), size)
	}
	out := make([]byte, 0, size)
	length := func(n int) (int, error) {
		if n != 15 {
			return n, nil
		}
		for {
			if len(b) == 0 {
				return 0, errCut
			}
			c := b[0]
			b = b[1:]
			if n += int(c); n > size {
				return 0, fmt.Errorf("a run of %d bytes in a result of %d", n, size)
			}
			if c != 255 {
				return n, nil
			}
		}
	}
	for len(b) > 0 {
		token := b[0]
		b = b[1:]
		n, err := length(int(token >> 4))
		if err != nil {
			return nil, err
		}
		if n > len(b) {
			return nil, errCut
		}
		out, b = append(out, b[:n]...), b[n:]
		if len(b) == 0 {
			break
		}
		if len(b) < 2 {
			return nil, errCut
		}
		back := int(binary.LittleEndian.Uint16(b))
		b = b[2:]
		n, err = length(int(token & 15))
		if err != nil {
			return nil, err
		}
		n += 4
		if back == 0 || back > len(out) {
			return nil, fmt.Errorf("a copy from %d bytes back, after %d", back, len(out))
		}
		if n > size-len(out) {
			return nil, fmt.Errorf("more than %d bytes, the recorded size", size)
		}
		for range n {
			out = append(out, out[len(out)-back])
		}
	}
	if len(out) != size {
		return nil, fmt.Errorf("%d bytes where %d are recorded", len(out), size)
	}
	return out, nil
}

// inflateZstd reads zstd data. The standard library has a decoder of it, but
// only debug/elf opens it, for compressed sections: so it is given an ELF file
// with one.
func inflateZstd(b []byte, size int) ([]byte, error) {
	f, err := elf.NewFile(bytes.NewReader(zstdSection(b, size)))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	// One byte more than the recorded size is read, to see whether there is one.
	n, err := io.Copy(&out, io.LimitReader(f.Sections[1].Open(), int64(size)+1))
	switch {
	case err != nil:
		return nil, err
	case n != int64(size):
		return nil, fmt.Errorf("%d bytes or more where %d are recorded", n, size)
	}
	return out.Bytes(), nil
}

// zstdSection is an ELF file of three sections, none, the data and the names.
func zstdSection(b []byte, size int) []byte {
	const sections = 3
	head := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_REL), Machine: uint16(elf.EM_NONE), Version: uint32(elf.EV_CURRENT),
		Shentsize: uint16(binary.Size(elf.Section64{})), Shnum: sections, Shstrndx: sections - 1,
	}
	head.Ehsize = uint16(binary.Size(head))
	head.Shoff = uint64(head.Ehsize)
	chdr := elf.Chdr64{Type: uint32(elf.COMPRESS_ZSTD), Size: uint64(size), Addralign: 1}
	data := head.Shoff + sections*uint64(head.Shentsize)
	names := data + uint64(binary.Size(chdr)+len(b))
	var w bytes.Buffer
	for _, v := range []any{
		head,
		elf.Section64{},
		elf.Section64{Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_COMPRESSED), Off: data, Size: names - data, Addralign: 1},
		elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: names, Size: 1, Addralign: 1},
		chdr, b,
		[]byte{0},
	} {
		// These are values of fixed size, and a buffer takes all.
		_ = binary.Write(&w, le, v)
	}
	return w.Bytes()
}
