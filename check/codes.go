package check

import "embed"

// The codes of the complaints are stable: scripts and comments in sources may
// name them. They stand in the files codes_*.go.
//
// A code is an adjective and a noun. Its comment says when the code occurs, at
// which severity, what mends it and where the rule comes from, and has an
// example that a test holds to: it draws this code, and no other but those it
// names. Examples without a .version are meant for .version 8.3 and .target
// sm_90. [Explain] reads these comments, so their form is fixed.
//
//go:embed codes_*.go
var codeFiles embed.FS

// codeNames are the files in the order of the codes.
var codeNames = [...]string{"codes_formal.go", "codes_module.go", "codes_call.go", "codes_access.go", "codes_place.go", "codes_link.go"}
