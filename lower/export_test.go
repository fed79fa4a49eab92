package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
)

// BodyByBody is [Text] as far as bodies can be read one by one.
func BodyByBody(o *ptx.Outline, t *abi.Target, opts Options) (text [][]byte, ok bool, err error) {
	p := newParts(&opts)
	if ok, err = bodyByBody(o, t, opts, p); ok && err == nil {
		text, err = p.all()
	}
	return text, ok, err
}

// Passes are the passes that may be left out, by name.
var Passes = map[string]lir.Passes{
	"forwarding": lir.Forwarding, "store pairing": lir.StorePairing, "load pairing": lir.LoadPairing,
	"slot pairing": lir.SlotPairing, "fetching": lir.Fetching, "narrow reads": lir.NarrowReads, "constants": lir.Constants, "all": lir.AllPasses,
}

// Without returns the options without passes.
func Without(o Options, p lir.Passes) Options {
	o.off |= p
	return o
}

// SpoolFrom returns the options with a spool from so many bytes on.
func SpoolFrom(o Options, size int) Options {
	o.spoolFrom = size
	return o
}
