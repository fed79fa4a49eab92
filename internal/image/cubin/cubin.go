package cubin

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// A File is a cubin. All byte slices in it alias the data given to [Open].
type File struct {
	Arch        string  // what the code is for: "sm_90a"
	Virtual     string  // the module's .target without its suffix: "sm_90"; empty: not recorded
	AddressSize int     // bits of an address: 32 or 64
	Toolkit     Version // zero: not recorded
	Linked      bool    // an executable of nvlink or of whole-program assembly, not an object
	Tools       []Tool  // that wrote it, the last one first; recorded by 12.8 and 12.9 for Blackwell, and by 13.x
	ABIVersion  uint8   // EI_ABIVERSION, 7 or 8
	Flags       uint32  // e_flags

	Sections  []Section
	Symbols   []Symbol   // symbol 0, which is none, included
	Functions []Function // in the order of the symbols; kernels and device functions that have code here
	Relocs    []Reloc    // of code, in the order of the file

	Prototypes []Prototype // of .nv.prototype, in its order

	img      *image               // which the rest is read from when it is needed
	named    map[string]*Function // by name; nil until the first look-up
	recorded map[string]*Prototype
	placed   map[Place]*Function // those with code, by where it begins
}

// A Version is a toolkit's.
type Version struct{ Major, Minor int }

func (v Version) String() string {
	if v == (Version{}) {
		return "unknown"
	}
	return fmt.Sprintf("%d.%d", v.Major, v.Minor)
}

// version is the version of a number like 124 or 130.
func version(n uint32) Version { return Version{Major: int(n / 10), Minor: int(n % 10)} }

// A Tool is a program that had a part in a file.
type Tool struct {
	Name    string // "ptxas"
	Release string // "Cuda compilation tools, release 13.0, V13.0.88"
	Args    string // "-arch sm_100a -c"
}

// A Section is one of the ELF file. Data is nil where the file holds nothing
// of it.
type Section struct {
	Name    string
	Type    uint32
	Flags   uint64
	Address uint64
	Offset  uint64 // in the file
	Size    uint64
	Link    uint32
	Info    uint32
	Align   uint64
	EntSize uint64
	Data    []byte
}

// A Symbol is one of .symtab.
type Symbol struct {
	Name    string
	Type    elf.SymType
	Binding elf.SymBind
	Other   uint8
	Section int // index in File.Sections; 0: undefined; from 0xff00 reserved
	Value   uint64
	Size    uint64
}

// A Function is a kernel or a device function. The counts are -1 where the
// file does not record them: of the stack sizes objects have FrameSize and
// MaxStack, linked files FrameSize and MinStack.
type Function struct {
	Name    string
	Kernel  bool
	Binding elf.SymBind
	Section int    // index of the section with its code
	Offset  uint64 // in that section
	Size    uint64 // bytes of code, padding included

	Regs      int  // general registers, EIATTR_REGCOUNT
	MaxRegs   int  // that launches of a kernel leave it, by .maxnreg, the extents of its blocks or -maxrregcount; 255: no limit; 0: not recorded
	FrameSize int  // bytes of its own frame, EIATTR_FRAME_SIZE
	MinStack  int  // bytes along the deepest path of calls, EIATTR_MIN_STACK_SIZE; -1 also where that has no bound
	Unbounded bool // MinStack is recorded to have no bound: the function comes to itself again, or takes what it computes (alloca)
	MaxStack  int  // EIATTR_MAX_STACK_SIZE
	Returns   int  // bytes for return addresses on another stack, EIATTR_CRS_STACK_SIZE: 16 a call before sm_70

	// Extents of a kernel's blocks, of three dimensions; nil where they are not
	// bounded, or not fixed.
	MaxThreads []int // EIATTR_MAX_THREADS
	ReqThreads []int // EIATTR_REQNTID

	// Of kernels; -1 and nil where there are no parameters.
	Params    []Param // by ordinal
	ParamBank int     // constant bank of the parameters
	ParamBase int     // where they begin in it, in bytes
	ParamSize int     // bytes from ParamBase to the end of the last
}

// A Param is a kernel's parameter. A file does not record its alignment, only
// that of what it points to.
type Param struct {
	Ordinal      int
	Offset       int   // bytes from Function.ParamBase; -1 of opaque handles, which have no place
	Size         int   // bytes; 0 of opaque handles
	PointeeAlign int   // of .ptr .align; 1 if it is not recorded
	PointeeSpace Space // of .ptr; of opaque handles what they are
	V2           bool  // recorded in the form of blocks above 4,352 bytes, EIATTR_KPARAM_INFO_V2
}

// A Space is the state space that a parameter with .ptr points into, or the
// kind of an opaque handle, as numbered in the file.
type Space uint8

var spaces = [...]string{1: "local", 2: "shared", 3: "const", 4: "global", 6: "texref", 7: "surfref", 8: "samplerref"}

// String is the space's name in PTX, empty if it is not recorded, and "space 9"
// for a number that was not seen.
func (s Space) String() string {
	if int(s) < len(spaces) && (s == 0 || spaces[s] != "") {
		return spaces[s]
	}
	return fmt.Sprintf("space %d", uint8(s))
}

// HandleSpace is the kind of an opaque handle by its name, "texref"; 0 if there is
// none of that name.
func HandleSpace(name string) Space { return Space(max(slices.Index(spaces[:], name), 0)) }

// A Reloc is a relocation.
type Reloc struct {
	Section   string // what is patched: ".text.k"
	Offset    uint64 // in that section
	Kind      Kind
	Symbol    int    // index in File.Symbols
	Name      string // the symbol's
	Addend    int64
	HasAddend bool // of a .rela section
}

// An Attr is a record of .nv.info, .nv.info.NAME or .nv.compat.
type Attr struct {
	Section string // that it stands in
	Offset  uint64 // of the record, in the file
	Form    Form
	ID      AttrID
	Value   uint16 // forms BVAL and HVAL; the length of Data for SVAL
	Data    []byte // form SVAL
}

// An Error is a mistake in a file, and where it is.
type Error struct {
	Offset uint64 // in the file
	Where  string // "section .nv.info.k"
	Msg    string
}

func (e *Error) Error() string {
	if e.Where == "" {
		return fmt.Sprintf("offset 0x%x: %s", e.Offset, e.Msg)
	}
	return fmt.Sprintf("offset 0x%x: %s: %s", e.Offset, e.Where, e.Msg)
}

func errorf(off uint64, where, format string, args ...any) error {
	return &Error{Offset: off, Where: where, Msg: fmt.Sprintf(format, args...)}
}

// index finds functions and prototypes by name, and functions by where they begin: of several the first, of a name the first
// that is not local.
func (f *File) index() {
	if f.named != nil {
		return
	}
	f.named, f.recorded, f.placed = make(map[string]*Function, len(f.Functions)), make(map[string]*Prototype), make(map[Place]*Function)
	for i := range slices.Backward(f.Functions) {
		fn := &f.Functions[i]
		if old := f.named[fn.Name]; old == nil || old.Binding == elf.STB_LOCAL || fn.Binding != elf.STB_LOCAL {
			f.named[fn.Name] = fn
		}
		if fn.Size > 0 {
			f.placed[fn.Place()] = fn
		}
	}
	for i := range slices.Backward(f.Prototypes) {
		f.recorded[f.Prototypes[i].Name] = &f.Prototypes[i]
	}
}

// Func returns the function of that name, nil where there is none.
func (f *File) Func(name string) *Function {
	f.index()
	return f.named[name]
}

// Prototype returns what is recorded of a function, nil where nothing is: of
// those that concern no other module.
func (f *File) Prototype(name string) *Prototype {
	f.index()
	return f.recorded[name]
}

// Aliasee is the function that one is another name of, nil if it has code of its own, or is a kernel.
//
// Measured with ptxas 11.8 to 13.5 on sm_35 to sm_120: an object has a symbol of an
// alias where the aliasee's code begins, with the size 0 and the binding of the
// aliasee, whatever the alias is declared as. nvlink keeps it. Code assembled as a
// whole program has none, but for copies of local functions, $kernel$alias.
func (f *File) Aliasee(fn *Function) *Function {
	if fn.Size > 0 || fn.Kernel {
		return nil
	}
	f.index()
	return f.placed[fn.Place()]
}

// Kernels returns the names of the kernels, sorted.
func (f *File) Kernels() []string {
	var names []string
	for i := range f.Functions {
		if f.Functions[i].Kernel {
			names = append(names, f.Functions[i].Name)
		}
	}
	slices.Sort(names)
	return names
}

// Section returns the first section of that name, nil where there is none.
func (f *File) Section(name string) *Section {
	i := slices.IndexFunc(f.Sections, func(s Section) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Sections[i]
}

// Code returns the instructions of a function of this file.
func (f *File) Code(fn *Function) []byte {
	return f.Sections[fn.Section].Data[fn.Offset : fn.Offset+fn.Size]
}

// Is reports whether data begins as a cubin does. Of ELF files for other
// machines it is false.
func Is(data []byte) bool {
	return len(data) >= 20 && strings.HasPrefix(string(data[:4]), elf.ELFMAG) &&
		uint16(data[18])|uint16(data[19])<<8 == uint16(elf.EM_CUDA)
}

// A Place is where code stands.
type Place struct {
	Section int
	Offset  uint64
}

// Place is where the function begins.
func (f *Function) Place() Place { return Place{f.Section, f.Offset} }

// OwnFrames are how far functions lower the stack pointer themselves, by name: those that have an unwind table. That of a
// function inside of a kernel is for a place in the kernel.
func (f *File) OwnFrames() (map[string]int, error) {
	frames, err := f.Frames()
	if err != nil {
		return nil, err
	}
	own := make(map[string]int)
	for _, c := range frames {
		for _, fde := range c.Funcs {
			var at Place
			if fn := f.Func(fde.Function); fn != nil {
				at = Place{fn.Section, fn.Offset + fde.Start}
			}
			fn := f.placed[at]
			if fn == nil {
				continue
			}
			depth := own[fn.Name]
			for _, op := range fde.Ops {
				if op.Op == DefCFA || op.Op == DefCFAOffset {
					depth = max(depth, int(min(op.Off, 1<<30)))
				}
			}
			own[fn.Name] = depth
		}
	}
	return own, nil
}

// Open reads what is known of a cubin's functions: neither code nor tables for debuggers are looked at. A file that is cut or
// damaged there gives an [*Error]; the memory taken is in proportion to the file's size.
func Open(data []byte) (*File, error) {
	img, err := readCubin(data)
	if err != nil {
		return nil, err
	}
	r := img.reader()
	for _, step := range []func() error{r.symbols, r.target, r.functions, r.describe, r.relocs, r.prototypes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.File, nil
}

// Functions reads the kernels and functions of a cubin that have code, of which nothing is known but their names and places,
// whatever release it is of.
func Functions(data []byte) ([]Function, error) {
	img, err := readCubin(data)
	if err != nil {
		return nil, err
	}
	r := img.reader()
	if err := r.symbols(); err != nil {
		return nil, err
	}
	err = r.functions()
	return r.Functions, err
}

// reader is one of a cubin of which the section table has been read.
func (img *image) reader() *reader {
	return (&File{
		AddressSize: img.bits, ABIVersion: img.abi, Flags: img.flags, Linked: img.typ == elf.ET_EXEC, Sections: img.sections, img: img,
	}).reader()
}

// reader is one that may take as much apart as the file has.
func (f *File) reader() *reader { return &reader{File: f, budget: uint64(len(f.img.data))} }

// readCubin reads the header and the section table of a cubin.
func readCubin(data []byte) (*image, error) {
	img, err := readELF(data)
	if err != nil {
		return nil, err
	}
	if img.machine != elf.EM_CUDA {
		return nil, errorf(18, "ELF header", "the machine is %v, a cubin has EM_CUDA", img.machine)
	}
	return img, nil
}

// cubinOf is a cubin of which the section table is read: all of the data, and where the file ends by the table.
func cubinOf(data []byte) (m Image, end uint64, err error) {
	img, err := readCubin(data)
	if err != nil {
		return Image{}, 0, err
	}
	r := img.reader()
	err = r.target()
	return Image{Kind: Cubin, Arch: r.Arch, AddressSize: r.AddressSize, Size: uint64(len(data)), Stored: data}, img.size, err
}

// A reader fills a File.
type reader struct {
	*File
	budget uint64      // bytes that may still be taken apart: sections that overlap do not multiply
	funcs  map[int]int // index of a symbol to that of its function
}

// spend accounts for a section that is taken apart.
func (r *reader) spend(s *Section) error {
	n := uint64(len(s.Data))
	if n > r.budget {
		return errorf(s.Offset, "section "+s.Name, "the sections overlap: their sizes add up to more than the file's")
	}
	r.budget -= n
	return nil
}
