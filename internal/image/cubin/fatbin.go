package cubin

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// An Image is device code or PTX as it lies in a file: a cubin by itself, or an
// entry of a fatbin.
//
// A fatbin is one container or several, one after the other:
//
//	u32 0xba55ed50  u16 1  u16 16  u64 bytes of the entries that follow
//
// and an entry is a header, at the beginning of which stands
//
//	 0  u16 kind              u16 0x0101           u32 bytes of the header
//	 8  u64 bytes of the contents, zeros that fill them up to a multiple of 8 included
//	16  u32 bytes compressed, 0 where they are not
//	20  u32 where the record of options stands in the header, 0: none
//	24  u16 minor, u16 major of PTX; of cubins 1.7 and 1.8, for their two layouts
//	28  u32 architecture
//	32  u32 where the identifier stands in the header, 0: none    u32 its length
//	40  u64 flags
//	56  u64 bytes when inflated, 0 where they are not compressed
//
// and then the contents. The record of options is u32 place in the header, u32
// length; with cubins of EI_ABIVERSION 8 it holds a copy of .nv.compat. All this
// was measured on what fatbinary 11.8, 12.4, 13.0 and 13.5 make of our own
// files; the names of sections are those of NVIDIA's fatbinary_section.h.
type Image struct {
	Member      string // of a library, "x.o"; empty: the file is none
	Where       string // "section .nv_fatbin", "member x.o, section .nv_fatbin"; empty: the file itself
	Offset      uint64 // of the entry's header in the file, of a bare cubin itself
	Container   uint64 // offset of the fatbin that it is an entry of, of a bare cubin its own; entries of one fatbin are one module
	Kind        ImageKind
	Arch        string  // "sm_100f"
	Version     Version // of PTX
	AddressSize int
	Ident       string // the name of the source, often empty
	Options     string // ptxas options of PTX
	Flags       uint64
	Compression Compression
	Size        uint64 // bytes when inflated
	Stored      []byte // the contents as they stand in the file
	Host        []byte // the ELF file for a host that it stands in; nil for none
}

// An ImageKind is a kind of image.
type ImageKind uint16

// The kinds of images seen.
const (
	PTX   ImageKind = 1
	Cubin ImageKind = 2
	NVVM  ImageKind = 8
)

// String is the image in one line.
func (m Image) String() string {
	s := fmt.Sprintf("0x%x %v %s, %d-bit, %d bytes", m.Offset, m.Kind, cmp.Or(m.Arch, "unknown"), m.AddressSize, m.Size)
	if m.Compression != Stored {
		s += fmt.Sprintf(", %v in %d", m.Compression, len(m.Stored))
	}
	if m.Kind == PTX {
		s += fmt.Sprintf(", version %v", m.Version)
	}
	if m.Ident != "" {
		s += fmt.Sprintf(", of %q", m.Ident)
	}
	if m.Options != "" {
		s += fmt.Sprintf(", options %q", m.Options)
	}
	if m.Where != "" {
		s += ", in " + m.Where
	}
	return s
}

func (k ImageKind) String() string {
	switch k {
	case PTX:
		return "ptx"
	case Cubin:
		return "cubin"
	case NVVM:
		return "nvvm"
	}
	return fmt.Sprintf("kind %d", uint16(k))
}

// A Compression is how an image is stored.
type Compression uint8

// The compressions: by default fatbinary to 12.4 compresses with LZ4, 13.x with
// zstd.
const (
	Stored Compression = iota
	LZ4
	Zstd
	UnknownCompression
)

func (c Compression) String() string {
	return [...]string{"not compressed", "LZ4", "zstd", "compressed in an unknown way"}[c]
}

// The flags of an entry that are known.
const (
	flag64   = 1 << 0
	flagLZ4  = 1 << 13
	flagZstd = 1 << 15
	flagA    = 1 << 20 // sm_90a
	flagF    = 1 << 21 // sm_100f
)

const (
	fatMagic     = 0xba55ed50
	fatHeader    = 16
	entryMinimum = 64
)

// MaxImage is the largest image that [Image.Contents] inflates, in bytes.
const MaxImage = 256 << 20

// Contents returns the image itself, inflated where it is compressed. Zeros that
// fill PTX up are left out. fatbinary 12.4 stores PTX without its .version.
func (m Image) Contents() ([]byte, error) {
	where := fmt.Sprintf("image %v %s", m.Kind, m.Arch)
	if m.Size > MaxImage {
		return nil, errorf(m.Offset, where, "it should have %d bytes; no more than %d are inflated", m.Size, MaxImage)
	}
	var out []byte
	var err error
	switch m.Compression {
	case Stored:
		out = m.Stored
	case LZ4:
		out, err = inflateLZ4(m.Stored, int(m.Size))
	case Zstd:
		out, err = inflateZstd(m.Stored, int(m.Size))
	default:
		return nil, errorf(m.Offset, where, "it is compressed in a way that is not known here; flags 0x%x", m.Flags)
	}
	if err != nil {
		return nil, errorf(m.Offset, where, "%v: %v", m.Compression, err)
	}
	if m.Kind == PTX {
		out = bytes.TrimRight(out, "\x00")
	}
	return out, nil
}

// isFatbin reports whether data begins as a fatbin does.
func isFatbin(data []byte) bool {
	return len(data) >= 4 && binary.LittleEndian.Uint32(data) == fatMagic
}

// Binary reports whether data begins as a file does that [Images] reads.
func Binary(data []byte) bool {
	return isObject(data) || bytes.HasPrefix(data, []byte(archiveMagic))
}

// isObject reports whether data begins as a fatbin, an ELF file or a PE file does.
func isObject(data []byte) bool {
	return isFatbin(data) || bytes.HasPrefix(data, []byte(elf.ELFMAG)) || isPE(data)
}

// Images lists the images of a file: a cubin, a fatbin, an ELF or PE file for a
// host, object or executable, with either of them in it, or a library of such
// objects. The memory taken is in proportion to the file's size; nothing is
// inflated yet.
func Images(data []byte) ([]Image, error) {
	switch {
	case Is(data):
		m, _, err := cubinOf(data)
		if err != nil {
			return nil, err
		}
		return []Image{m}, nil
	case len(data) == 0:
		return nil, errorf(0, "", "an empty file, neither a cubin nor a fatbin nor an ELF or PE file")
	case isFatbin(data):
		return containers(data, 0, "")
	case bytes.HasPrefix(data, []byte(archiveMagic)):
		return libraryImages(data)
	case bytes.HasPrefix(data, []byte("!<thin>\n")):
		return nil, errorf(0, "", "a thin library, whose objects are files of their own; read each of them")
	case bytes.HasPrefix(data, []byte(elf.ELFMAG)):
		return elfImages(data)
	case isPE(data):
		return peImages(data)
	}
	return nil, errorf(0, "", "neither a cubin nor a fatbin nor an ELF or PE file: it begins % x", data[:min(len(data), 8)])
}

// elfImages lists the images in an ELF file for a host.
func elfImages(data []byte) ([]Image, error) {
	img, err := readELF(data)
	if err != nil {
		return nil, err
	}
	var all []hostSection
	for i := range img.sections {
		if s := &img.sections[i]; s.Type == uint32(elf.SHT_PROGBITS) {
			fat := s.Name == ".nv_fatbin" || s.Name == "__nv_relfatbin"
			all = append(all, hostSection{"section " + s.Name, s.Offset, s.Data, fat})
		}
	}
	images, err := sectionImages(all, uint64(len(data)))
	for i := range images {
		images[i].Host = data
	}
	return images, err
}

// A hostSection is a section with data of a file for a host.
type hostSection struct {
	where  string
	offset uint64 // in the file
	data   []byte
	fat    bool // it holds nothing but fatbins
}

// sectionImages lists the images in sections of a file of size bytes.
func sectionImages(sections []hostSection, size uint64) ([]Image, error) {
	var all []Image
	patience := 100 // what looks like a cubin or fatbin and is none costs time
	for _, s := range sections {
		n := uint64(len(s.data))
		if n > size {
			return nil, errorf(s.offset, s.where, "the sections overlap: their sizes add up to more than the file's")
		}
		size -= n
		if !s.fat {
			all = append(all, embedded(s.data, s.offset, s.where, &patience)...)
			continue
		}
		found, err := containers(s.data, s.offset, s.where)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// embedded looks for fatbins and cubins that programs carry among their other
// data. What looks like the beginning of one and is not is passed over, as
// often as patience says.
func embedded(b []byte, base uint64, where string, patience *int) []Image {
	var all []Image
	cubins, fats := finder{b: b, magic: elf.ELFMAG}, finder{b: b, magic: string(le.AppendUint32(nil, fatMagic))}
	for pos := 0; *patience > 0; {
		pos = min(cubins.from(pos), fats.from(pos))
		if pos == len(b) {
			break
		}
		at, n := base+uint64(pos), 1
		if m := bare(b[pos:]); m != nil {
			n = len(m.Stored)
			m.Where, m.Offset, m.Container = where, at, at
			all = append(all, *m)
		} else if found, size, err := container(b[pos:], at, where); err == nil {
			all, n = append(all, found...), int(size)
		} else if Is(b[pos:]) || isFatbin(b[pos:]) {
			*patience--
		}
		pos += n
	}
	return all
}

// A finder finds the places of a magic number one after the other, and looks at nothing twice.
type finder struct {
	b     []byte
	magic string
	next  int // all before it has been looked at, and a place that is not before it is the first
	known bool
}

// from is the first place at pos or after it, the end of the data where there is none.
func (f *finder) from(pos int) int {
	if f.known && pos <= f.next {
		return f.next
	}
	f.known, f.next = true, len(f.b)
	if i := bytes.Index(f.b[pos:], []byte(f.magic)); i >= 0 {
		f.next = pos + i
	}
	return f.next
}

// bare is the cubin at the beginning of b, after which other things may follow; nil where there is
// none.
func bare(b []byte) *Image {
	if !Is(b) {
		return nil
	}
	m, end, err := cubinOf(b)
	if err != nil || end > uint64(len(b)) {
		return nil
	}
	m.Size, m.Stored = end, b[:end:end]
	return &m
}

// containers reads one container after another, zeros between them.
func containers(b []byte, base uint64, where string) ([]Image, error) {
	var all []Image
	for pos := uint64(0); pos < uint64(len(b)); {
		if b[pos] == 0 {
			pos++
			continue
		}
		found, n, err := container(b[pos:], base+pos, where)
		if err != nil {
			return nil, err
		}
		all, pos = append(all, found...), pos+n
	}
	return all, nil
}

// container reads the container at the beginning of b and returns its size.
func container(b []byte, base uint64, where string) ([]Image, uint64, error) {
	if len(b) < fatHeader {
		return nil, 0, errorf(base, where, "a fatbin begins with %d bytes, and %d are left", fatHeader, len(b))
	}
	magic, version, header, size := le.Uint32(b), le.Uint16(b[4:]), uint64(le.Uint16(b[6:])), le.Uint64(b[8:])
	switch {
	case magic != fatMagic:
		return nil, 0, errorf(base, where, "a fatbin begins with 0x%x, here stands 0x%x", uint32(fatMagic), magic)
	case version != 1 || header != fatHeader:
		return nil, 0, errorf(base, where, "the fatbin has version %d and a header of %d bytes; 1 and %d are known", version, header, fatHeader)
	case size > uint64(len(b))-header:
		return nil, 0, errorf(base, where, "the fatbin has %d bytes, and %d are left", size, uint64(len(b))-header)
	}
	var list []Image
	end := header + size
	for pos := header; pos < end; {
		m, n, err := entry(b[pos:end], base+pos, where)
		if err != nil {
			return nil, 0, err
		}
		m.Container = base
		list, pos = append(list, m), pos+n
	}
	return list, end, nil
}

// entry reads the entry at the beginning of b and returns its size.
func entry(b []byte, base uint64, where string) (Image, uint64, error) {
	if len(b) < entryMinimum {
		return Image{}, 0, errorf(base, where, "an entry has %d bytes at least, and %d are left", entryMinimum, len(b))
	}
	header, size, packed := uint64(le.Uint32(b[4:])), le.Uint64(b[8:]), uint64(le.Uint32(b[16:]))
	if header < entryMinimum || header > uint64(len(b)) || size > uint64(len(b))-header {
		return Image{}, 0, errorf(base, where, "the entry's header and contents of %d and %d bytes do not fit into %d", header, size, len(b))
	}
	m := Image{
		Where: where, Offset: base, Kind: ImageKind(le.Uint16(b)), Flags: le.Uint64(b[40:]), Size: size,
		Stored: b[header : header+size : header+size], AddressSize: 32,
	}
	m.Arch = arch(le.Uint32(b[28:]), m.Flags&flagA != 0)
	if m.Flags&flagF != 0 && m.Arch != "" {
		m.Arch += "f"
	}
	if m.Flags&flag64 != 0 {
		m.AddressSize = 64
	}
	if packed != 0 {
		if packed > size {
			return Image{}, 0, errorf(base, where, "%d compressed bytes are in %d", packed, size)
		}
		m.Stored, m.Size, m.Compression = m.Stored[:packed:packed], le.Uint64(b[56:]), compression(m.Flags)
	}
	var err error
	if m.Ident, err = text(b[:header], uint64(le.Uint32(b[32:])), uint64(le.Uint32(b[36:])), base, where); err != nil {
		return Image{}, 0, err
	}
	if m.Kind != PTX {
		return m, header + size, nil
	}
	m.Version = Version{Major: int(le.Uint16(b[26:])), Minor: int(le.Uint16(b[24:]))}
	if at := uint64(le.Uint32(b[20:])); at != 0 {
		if at > header-8 {
			return Image{}, 0, errorf(base+20, where, "the record of options is at 0x%x of a header of %d bytes", at, header)
		}
		m.Options, err = text(b[:header], uint64(le.Uint32(b[at:])), uint64(le.Uint32(b[at+4:])), base, where)
	}
	return m, header + size, err
}

func compression(flags uint64) Compression {
	switch {
	case flags&flagLZ4 != 0:
		return LZ4
	case flags&flagZstd != 0:
		return Zstd
	}
	return UnknownCompression
}

// text is the text of n bytes that stands at an offset of an entry's header.
func text(header []byte, at, n, base uint64, where string) (string, error) {
	if n == 0 {
		return "", nil
	}
	if at > uint64(len(header)) || n > uint64(len(header))-at {
		return "", errorf(base, where, "a text of %d bytes is at 0x%x of a header of %d bytes", n, at, len(header))
	}
	return string(bytes.TrimRight(header[at:at+n], "\x00 ")), nil
}

// inflateLZ4 reads an LZ4 block that becomes size bytes.
func inflateLZ4(b []byte, size int) ([]byte, error) {
	if size/255 > len(b) { // a byte stands for 255 at most
		return nil, fmt.Errorf("%d bytes cannot become %d", len(b), size)
	}
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(b, out)
	switch {
	case err != nil:
		return nil, fmt.Errorf("damaged data, or more than the recorded %d bytes: %w", size, err)
	case n != size:
		return nil, fmt.Errorf("%d bytes where %d are recorded", n, size)
	}
	return out, nil
}

// zstdWindow is how much memory a decoder of zstd may take for data that say that they need it, in bytes.
const zstdWindow = 64 << 20

// inflateZstd reads zstd data that become size bytes.
func inflateZstd(b []byte, size int) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(max(uint64(size)+1, zstdWindow)))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	out, err := d.DecodeAll(b, nil)
	switch {
	case err != nil:
		return nil, err
	case len(out) != size:
		return nil, fmt.Errorf("%d bytes where %d are recorded", len(out), size)
	}
	return out, nil
}
