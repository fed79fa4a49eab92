package main

import (
	"fmt"
	"regexp"
	"sync"
)

// A version is one of semantic versioning, as far as the other schemes have the same: 1.2.3, and what
// comes before it, -dev, -alpha.1, -beta.1 and -rc.1.
type version struct{ core, stage, number string }

var versionSyntax = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))(?:-(?:(dev)|(alpha|beta|rc)\.(0|[1-9]\d*)))?$`)
})

func parseVersion(s string) (version, error) {
	m := versionSyntax().FindStringSubmatch(s)
	if m == nil {
		return version{}, fmt.Errorf("-version %q is neither 1.2.3 nor that followed by -dev, -alpha.1, -beta.1 or -rc.1", s)
	}
	return version{m[1], m[2] + m[3], m[4]}, nil
}

// String is the version as semantic versioning writes it.
func (v version) String() string {
	switch {
	case v.stage == "":
		return v.core
	case v.number == "":
		return v.core + "-" + v.stage
	}
	return v.core + "-" + v.stage + "." + v.number
}

// python is the version by PEP 440.
func (v version) python() string {
	switch v.stage {
	case "":
		return v.core
	case "dev":
		return v.core + ".dev0"
	}
	return v.core + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[v.stage] + v.number
}

// debian is the version by Debian's policy, in which ~ is before nothing.
func (v version) debian() string {
	switch {
	case v.stage == "":
		return v.core
	case v.stage == "dev": // before alpha
		return v.core + "~~dev"
	}
	return v.core + "~" + v.stage + v.number
}
