package web

// Limits of a compiled file that is read.
const (
	MaxBinary    = 4 << 20  // bytes of the file; a server's bodies are smaller
	maxInflated  = 32 << 20 // bytes of all its images when they are inflated
	maxImages    = 64
	maxKernels   = 400
	maxReported  = 1 << 18 // bytes of reports
	maxStructure = 200     // parameters of a kernel that are listed
)

// A File is a compiled file that is to be read: a cubin, a fatbin, or an object or
// library with such in it. Its zero value is none.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"` // base64 in JSON
}

// A Binary is what is in such a file.
type Binary struct {
	Name    string   `json:"name"`
	Refused string   `json:"refused"` // why it was not read, "" if it was
	Images  []Image  `json:"images"`
	Notes   []string `json:"notes"` // what was left out, and why
	// Compared is "same" or "differs" where kernels were held against the text, and ""
	// where nothing was.
	Compared string `json:"compared"`
	// Reports are in the words of ptxabi verify. Findings are what differs, at the lines
	// of the text.
	Reports  []string     `json:"reports"`
	Findings []Diagnostic `json:"findings"`
}

// An Image is a cubin or PTX of the file.
type Image struct {
	Where     string         `json:"where"` // in the file
	Kind      string         `json:"kind"`
	Arch      string         `json:"arch"`
	Toolkit   string         `json:"toolkit"` // "" where that is not recorded
	Kernels   []BinaryKernel `json:"kernels"`
	Functions int            `json:"functions"` // others
}

// A BinaryKernel is a kernel with its parameters as they are recorded. Numbers that are
// not recorded are -1.
type BinaryKernel struct {
	Name      string        `json:"name"`  // the linker's
	Shown     string        `json:"shown"` // for people: demangled
	Registers int           `json:"registers"`
	Frame     int           `json:"frame"` // bytes
	Bank      int           `json:"bank"`
	Base      int           `json:"base"`
	Size      int           `json:"size"`
	Params    []BinaryParam `json:"params"`
}

// A BinaryParam is a parameter: its offset from the block's base, which is -1 for an
// opaque handle, and its size in bytes.
type BinaryParam struct {
	Offset int `json:"offset"`
	Size   int `json:"size"`
}
