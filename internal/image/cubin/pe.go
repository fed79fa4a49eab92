package cubin

import (
	"bytes"
	"debug/pe"
)

// Programs and objects of Windows are PE files. The names of their sections are
// cut to eight bytes in programs, so that .nv_fatbin is .nv_fatb there; objects
// have them whole. What is in those sections is taken to be what it is in ELF
// files: no file that NVIDIA's tools made on Windows has been measured.

const (
	dosMagic  = "MZ"
	peMagic   = "PE\x00\x00"
	peAt      = 0x3c // where the DOS header says where the PE header stands
	coffSize  = 20   // bytes of the header of an object
	sectionPE = 40   // bytes of an entry of the section table
)

// isPE reports whether data begins as a PE file does: a program, or an object of
// x86, x86-64 or ARM64.
func isPE(data []byte) bool {
	if bytes.HasPrefix(data, []byte(dosMagic)) {
		if len(data) < peAt+4 {
			return false
		}
		at := uint64(le.Uint32(data[peAt:]))
		return at < uint64(len(data)) && bytes.HasPrefix(data[at:], []byte(peMagic))
	}
	if len(data) < coffSize {
		return false
	}
	switch le.Uint16(data) {
	case pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_MACHINE_ARM64, pe.IMAGE_FILE_MACHINE_I386:
	default:
		return false
	}
	// Objects have no optional header, and one section at least.
	n := int(le.Uint16(data[2:]))
	return n > 0 && le.Uint16(data[16:]) == 0 && len(data) >= coffSize+n*sectionPE
}

// peImages lists the images in a PE file.
func peImages(data []byte) ([]Image, error) {
	f, err := pe.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, errorf(0, "PE header", "%v", err)
	}
	var all []hostSection
	for _, s := range f.Sections {
		where, size := "section "+s.Name, uint64(s.Size)
		if s.Characteristics&pe.IMAGE_SCN_CNT_UNINITIALIZED_DATA != 0 || size == 0 {
			continue
		}
		if at := uint64(s.Offset); at > uint64(len(data)) || size > uint64(len(data))-at {
			return nil, errorf(at, where, "it has %d bytes, and the file has %d", size, len(data))
		}
		if v := uint64(s.VirtualSize); f.OptionalHeader != nil && v > 0 {
			size = min(size, v) // what follows fills the section up in the file
		}
		fat := s.Name == ".nv_fatbin" || s.Name == ".nv_fatb" || s.Name == "__nv_relfatbin" || s.Name == "__nv_rel"
		all = append(all, hostSection{where, uint64(s.Offset), data[s.Offset:][:size:size], fat})
	}
	return sectionImages(all, uint64(len(data)))
}
