package ptx

import "github.com/ptxabi/ptxabi/diag"

// A Pos is a position in PTX text.
type Pos = diag.Pos

// BadSyntax is the code of every diagnostic of this package: text that is not
// PTX.
const BadSyntax diag.Code = "BadSyntax"
