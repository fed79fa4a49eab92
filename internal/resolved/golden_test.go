package resolved

import _ "github.com/ptxabi/ptxabi/internal/golden" // -update
