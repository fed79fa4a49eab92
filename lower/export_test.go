package lower

// BodyByBody is [Text] as far as bodies can be read one by one.
var BodyByBody = bodyByBody

// Passes are the passes that may be left out, by name.
var Passes = map[string]passes{
	"forwarding": forwarding, "store pairing": storePairing, "load pairing": loadPairing,
	"fetching": fetching, "narrow reads": narrowReads, "constants": constants, "all": allPasses,
}

// Without returns the options without passes.
func Without(o Options, p passes) Options {
	o.off |= p
	return o
}
