package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// An object is names and values of JSON in their order.
type object []any

// MarshalJSON writes the object.
func (o object) MarshalJSON() ([]byte, error) {
	var fields []string
	for i := 0; i < len(o); i += 2 {
		name, err1 := json.Marshal(o[i])
		value, err2 := json.Marshal(o[i+1])
		if err := cmp.Or(err1, err2); err != nil {
			return nil, err
		}
		fields = append(fields, string(name)+":"+string(value))
	}
	return []byte("{" + strings.Join(fields, ",") + "}"), nil
}

// materials is the bill of what the binaries are made of, as they themselves say.
func (b *build) materials(bins []binary) ([]byte, error) {
	var infos []*debug.BuildInfo
	for _, bin := range bins {
		info, err := buildinfo.Read(bytes.NewReader(bin.data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", bin.name, err)
		}
		infos = append(infos, info)
	}
	data, err := json.MarshalIndent(b.bill(serial(bins), infos), "", "  ")
	return append(data, '\n'), err
}

// bill is a bill of materials in CycloneDX's form: this module's programs, the modules that are linked into each, and Go's own
// packages.
func (b *build) bill(serial string, infos []*debug.BuildInfo) object {
	purl := func(name, version string) string { return "pkg:golang/" + name + "@" + version }
	component := func(kind, name, version, purl string, more ...any) object {
		return append(object{"type", kind, "bom-ref", purl, "name", name, "version", version, "purl", purl}, more...)
	}
	version, terms := b.version.String(), []object{{"expression", "Apache-2.0"}}
	self := purl(module, "v"+version)
	parts := make(map[string]object)
	uses := make(map[string][]string) // by program
	for _, info := range infos {
		name, release := path.Base(info.Path), strings.TrimPrefix(info.GoVersion, "go")
		program, std := self+"#cmd/"+name, purl("stdlib", release)
		parts[program] = component("application", name, version, program, "licenses", terms)
		parts[std] = component("library", "stdlib", release, std)
		uses[program] = append(uses[program], std)
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			lib := purl(m.Path, m.Version)
			parts[lib] = component("library", m.Path, m.Version, lib, "properties", []object{{"name", "ptxabi:go.sum", "value", m.Sum}})
			uses[program] = append(uses[program], lib)
		}
	}
	depends := func(on []string) []string {
		return append([]string{}, slices.Compact(slices.Sorted(slices.Values(on)))...)
	}
	var components []object
	dependencies := []object{{"ref", self, "dependsOn", slices.Sorted(maps.Keys(uses))}}
	for _, ref := range slices.Sorted(maps.Keys(parts)) {
		components = append(components, parts[ref])
		dependencies = append(dependencies, object{"ref", ref, "dependsOn", depends(uses[ref])})
	}
	return object{
		"bomFormat", "CycloneDX", "specVersion", "1.6", "serialNumber", serial, "version", 1,
		"metadata",
		object{"timestamp", b.time.Format(time.RFC3339), "component", component("application", module, version, self, "licenses", terms)},
		"components", components, "dependencies", dependencies,
	}
}

// serial is a UUID that the binaries alone decide, of version 8.
func serial(bins []binary) string {
	h := sha256.New()
	for _, bin := range bins {
		sum := sha256.Sum256(bin.data)
		h.Write(sum[:])
	}
	u := h.Sum(nil)[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
