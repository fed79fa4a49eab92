package main

import (
	"bytes"
	"crypto/md5"
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// debian is a package for dpkg, which needs nothing but itself.
func (b *build) debian(p platform, bins []binary, c *common) (name string, data []byte, err error) {
	changes, err := os.ReadFile(filepath.Join(b.root, "CHANGELOG.md"))
	if err != nil {
		return "", nil, err
	}
	copyright := slices.Concat([]byte("ptxabi: https://"+module+"\n\n"), c.license, []byte("\n"), c.thirdParty)
	files := []file{
		{"usr/share/doc/ptxabi/changelog.gz", compressed(changes), false},
		{"usr/share/doc/ptxabi/copyright", copyright, false},
	}
	for _, bin := range bins {
		files = append(files, file{"usr/bin/" + bin.name, bin.data, true})
		files = append(files, file{"usr/share/man/man1/" + bin.name + ".1.gz", compressed(c.man[bin.name]), false})
	}
	files = append(files, c.completions("usr/share/bash-completion/completions", "usr/share/fish/vendor_completions.d", "usr/share/zsh/vendor-completions")...)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })

	var sums strings.Builder
	size := 0
	tree := []file{{name: "./"}}
	made := map[string]bool{".": true}
	for _, f := range files {
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.name)
		size += (len(f.data) + 1023) / 1024
		var dirs []file
		for dir := path.Dir(f.name); !made[dir]; dir = path.Dir(dir) {
			made[dir] = true
			dirs = append(dirs, file{name: "./" + dir + "/"})
		}
		slices.Reverse(dirs)
		tree = append(tree, dirs...)
		f.name = "./" + f.name
		tree = append(tree, f)
	}
	content, err := tarball(tree, b.time)
	if err != nil {
		return "", nil, err
	}
	control, err := tarball([]file{
		{name: "./"},
		{"./control", []byte(b.control(p, size+len(made))), false},
		{"./md5sums", []byte(sums.String()), false},
	}, b.time)
	if err != nil {
		return "", nil, err
	}
	name = "ptxabi_" + b.version.debian() + "_" + p.arch + ".deb" // Debian calls both architectures as Go does
	return name, ar([]file{{"debian-binary", []byte("2.0\n"), false}, {"control.tar.gz", control, false}, {"data.tar.gz", content, false}}, b.time), nil
}

//go:embed control.txt
var controlText string

// control describes the package; its size is in KiB.
func (b *build) control(p platform, size int) string {
	return strings.NewReplacer("VERSION", b.version.debian(), "ARCH", p.arch, "SIZE", fmt.Sprint(size), "MODULE", module).Replace(controlText)
}

// ar is an archive in Unix's old form, whose names have 16 bytes at most.
func ar(files []file, when time.Time) []byte {
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, f := range files {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", f.name, when.Unix(), 0, 0, 0o100000|f.mode(), len(f.data))
		out.Write(f.data)
		if len(f.data)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}
