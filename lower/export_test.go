package lower

import (
	"github.com/ptxabi/ptxabi/abi"
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

// SpoolFrom returns the options with a spool from so many bytes on.
func SpoolFrom(o Options, size int) Options {
	o.spoolFrom = size
	return o
}
