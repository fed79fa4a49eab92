package symexec

import "github.com/ptxabi/ptxabi/internal/lab/oracle"

// The assemblers of these tests are those that package oracle finds.
type (
	Toolkit          = oracle.Toolkit
	AssembleError    = oracle.AssembleError
	DisassembleError = oracle.DisassembleError
)

// Toolkits have what a comparison asks of an assembler.
var _ Assembler = (*Toolkit)(nil)

const NotFound = oracle.NotFound

var (
	Find        = oracle.Find
	OpenToolkit = oracle.OpenToolkit
)
