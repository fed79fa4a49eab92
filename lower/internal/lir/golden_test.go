package lir_test

import _ "github.com/ptxabi/ptxabi/internal/golden" // for its flag
