package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"time"
)

// A file is one in an archive. A name that ends in a slash is a folder's.
type file struct {
	name string
	data []byte
	exec bool
}

func (f file) mode() int64 {
	if f.exec || strings.HasSuffix(f.name, "/") {
		return 0o755
	}
	return 0o644
}

// tarball is a compressed tar archive of the files in their order: owned by root, all of one time.
func tarball(files []file, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: f.mode(),
			ModTime: when, Uname: "root", Gname: "root", Format: tar.FormatUSTAR,
		}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		w.Write(f.data)
	}
	err := w.Close()
	return compressed(out.Bytes()), err
}

// zipped is a zip archive of the files in their order, all of one time.
func zipped(files []file, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when}
		h.CreatorVersion = 3 << 8 // Unix, whose modes follow
		h.ExternalAttrs = uint32(0o100000|f.mode()) << 16
		to, err := w.CreateHeader(h)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		to.Write(f.data)
	}
	err := w.Close()
	return out.Bytes(), err
}

// compressed is data as gzip has it, with no name and no time.
func compressed(data []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // memory takes all
	w.Write(data)
	w.Close()
	return out.Bytes()
}

// archive is the files that are unpacked and used as they are: binaries in bin, and beside them what share has of
// other programs.
func (b *build) archive(p platform, bins []binary, c *common) (name string, data []byte, err error) {
	top := "ptxabi-" + b.version.String()
	var files []file
	for _, bin := range bins {
		files = append(files, file{top + "/bin/" + p.exe(bin.name), bin.data, true})
	}
	files = append(files, file{top + "/LICENSE", c.license, false}, file{top + "/LICENSE-third-party", c.thirdParty, false})
	for _, program := range programs {
		files = append(files, file{top + "/share/man/man1/" + program + ".1", c.man[program], false})
	}
	share := top + "/share/"
	files = append(files, c.completions(share+"bash-completion/completions", share+"fish/vendor_completions.d", share+"zsh/site-functions")...)
	name = top + "-" + p.os + "-" + p.arch
	if p.os == "windows" {
		data, err = zipped(files, b.time)
		return name + ".zip", data, err
	}
	data, err = tarball(files, b.time)
	return name + ".tar.gz", data, err
}

// completions are the scripts for the shells under the names by which they are found in those folders.
func (c *common) completions(bash, fish, zsh string) (list []file) {
	for _, program := range programs {
		scripts := c.completion[program]
		list = append(list, file{name: bash + "/" + program, data: scripts["bash"]},
			file{name: fish + "/" + program + ".fish", data: scripts["fish"]},
			file{name: zsh + "/_" + program, data: scripts["zsh"]})
	}
	return list
}
