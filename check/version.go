package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// archOf returns the number in a target's name, such as 90 for "sm_90a"; 0 if
// there is none.
func archOf(target string) int {
	s, ok := strings.CutPrefix(target, "sm_")
	if !ok {
		s, _ = strings.CutPrefix(target, "compute_")
	}
	end := 0
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(s[:end])
	return n
}

// A feature is a feature of PTX that came with some version or architecture.
type feature struct {
	name         string
	major, minor int // the first PTX version that has it; 0 for any
	arch         int // the first architecture that has it; 0 for any
}

// The features of parameters and calls. Source: "PTX ISA Notes" and "Target ISA
// Notes" in the sections of the manual. Each was tried with an assembler one version and target too low.
var (
	paramFormals   = feature{".param formals and results of functions", 2, 0, 20}
	indirectCalls  = feature{"indirect calls and .callprototype", 2, 1, 20}
	targetLists    = feature{".calltargets", 2, 1, 20}
	branchLists    = feature{".branchtargets", 6, 0, 0}
	funcAddresses  = feature{"addresses of functions", 2, 1, 0}
	funcInitial    = feature{"addresses of functions as initial values", 2, 1, 20}
	separate       = feature{"compiling with -c", 3, 1, 0}
	packedHalves   = feature{".f16x2", 4, 2, 53}
	pointerAttr    = feature{".ptr", 2, 2, 0}
	weakFunctions  = feature{".weak", 3, 1, 0}
	unsizedArrays  = feature{"an array without extent as the last formal", 6, 0, 30}
	resultAddress  = feature{"the address of a result", 6, 0, 0}
	paramAddresses = feature{"cvta and isspacep with .param", 7, 7, 70}
	largeBlocks    = feature{"more than 4352 bytes of kernel parameters", 8, 1, 70}
	subQualifiers  = feature{"::entry and ::func", 8, 3, 0}
	quadWords      = feature{".b128", 8, 3, 70}
)

// need returns whether the version and the target of the module have a feature. If not, it adds a diagnostic, once for
// each feature.
func (c *checker) need(f feature, pos diag.Pos) bool {
	v := c.m.Version
	old := v != (ptx.Version{}) && !v.AtLeast(f.major, f.minor)
	small := c.arch != 0 && c.arch < f.arch
	if !old && !small {
		return true
	}
	if c.mistakes.needed[f.name] {
		return false
	}
	c.mistakes.needed[f.name] = true
	var has, wants []string
	if old {
		has, wants = append(has, sprintf(".version %v", v)), append(wants, sprintf(".version %d.%d", f.major, f.minor))
	}
	if small {
		has, wants = append(has, ".target "+c.m.Target), append(wants, sprintf(".target sm_%d", f.arch))
	}
	d := c.errorf(NewerFeature, pos, "%s: needs %s or later, and the module states %s", f.name, strings.Join(wants, " and "), strings.Join(has, " and "))
	if f == separate {
		d.Severity = diag.Warning
		d.Msg += "; releases from 12.4 on take it where they add code of their own, as for div.rn.f32"
	}
	if !small && v.AtLeast(3, 0) { // from 3.0 on, a later version has all that an earlier one has
		fixVersion(c, d, f)
	}
	return false
}

// target reports a .target, and the use of -c, that came with a later version than the module's.
func target(c *checker) {
	if c.Compile && !c.Lower && c.m.TargetPos.IsValid() {
		c.need(separate, c.m.TargetPos)
	}
	// The assembler does not compare the two where nothing follows them.
	follows := func(it ptx.Item) bool {
		d, ok := it.(*ptx.Directive)
		return !ok || d.Name != ".version" && d.Name != ".target" && d.Name != ".address_size"
	}
	if since := c.since; since != nil && slices.ContainsFunc(c.m.Items, follows) {
		c.need(feature{name: ".target " + c.m.Target, major: since.Major, minor: since.Minor}, c.m.TargetPos)
	}
}

// fixVersion records that a later version would fix a diagnostic.
func fixVersion(c *checker, d *diag.Diagnostic, f feature) {
	p := &c.later
	p.versions = append(p.versions, d)
	if v := (ptx.Version{Major: f.major, Minor: f.minor}); v.AtLeast(p.version.Major, p.version.Minor) {
		p.version = v
	}
}

// fixVersions adds the same fix to all of these: the first version that has all their features.
func fixVersions(c *checker) {
	if len(c.later.versions) == 0 {
		return
	}
	for _, it := range c.m.Items {
		if x, ok := it.(*ptx.Directive); ok && x.Name == ".version" {
			wants := fmt.Sprintf("%d.%d", c.later.version.Major, c.later.version.Minor)
			from, to := c.find(c.m.TokenEnd(x.Pos), x.Args)
			for _, d := range c.later.versions {
				c.fix(d, from, to, wants, "write .version "+wants)
			}
			return
		}
	}
}
