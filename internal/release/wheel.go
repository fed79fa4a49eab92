package main

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"strings"
)

// The Python module, which is the same in all wheels. Its folder is not embedded as a whole, which
// would take along what Python compiles there.
//
//go:embed python/ptxabi/__init__.py python/ptxabi/py.typed
var pythonFiles embed.FS

// wheelTags are the platforms of the binaries in Python's words. A static binary needs neither
// glibc nor musl, and runs on every release of Linux that the tags stand for; Go needs macOS 12.
var wheelTags = map[platform][]string{
	{"darwin", "amd64"}:  {"macosx_12_0_x86_64"},
	{"darwin", "arm64"}:  {"macosx_12_0_arm64"},
	{"linux", "amd64"}:   {"manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"},
	{"linux", "arm64"}:   {"manylinux2014_aarch64", "manylinux_2_17_aarch64", "musllinux_1_1_aarch64"},
	{"windows", "amd64"}: {"win_amd64"},
	{"windows", "arm64"}: {"win_arm64"},
}

// wheel is the package for pip: the programs as scripts, and the module.
func (b *build) wheel(p platform, bins []binary, c *common) (name string, data []byte, err error) {
	v := b.version.python()
	top := "ptxabi-" + v
	var files []file
	for _, name := range []string{"__init__.py", "py.typed"} {
		text, err := pythonFiles.ReadFile("python/ptxabi/" + name)
		if err != nil {
			return "", nil, err
		}
		files = append(files, file{"ptxabi/" + name, text, false})
	}
	for _, bin := range bins {
		files = append(files, file{top + ".data/scripts/" + p.exe(bin.name), bin.data, true})
	}
	info := top + ".dist-info/"
	tags := wheelTags[p]
	var text strings.Builder
	text.WriteString("Wheel-Version: 1.0\nGenerator: " + module + "/internal/release\nRoot-Is-Purelib: false\n")
	for _, tag := range tags {
		text.WriteString("Tag: py3-none-" + tag + "\n")
	}
	files = append(files, file{info + "METADATA", []byte(metadata(v)), false},
		file{info + "WHEEL", []byte(text.String()), false},
		file{info + "licenses/LICENSE", c.license, false},
		file{info + "licenses/LICENSE-third-party", c.thirdParty, false})
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	record.WriteString(info + "RECORD,,\n")
	files = append(files, file{info + "RECORD", []byte(record.String()), false})
	data, err = zipped(files, b.time)
	return top + "-py3-none-" + strings.Join(tags, ".") + ".whl", data, err
}

//go:embed python/METADATA
var metadataText string

func metadata(v string) string {
	return strings.NewReplacer("VERSION", v, "MODULE", module).Replace(metadataText)
}
