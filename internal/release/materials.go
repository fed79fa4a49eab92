package main

import (
	"bytes"
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

// A component is one of a bill of materials in CycloneDX's form.
type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Purl       string     `json:"purl"`
	Licenses   []license  `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type license struct {
	Expression string `json:"expression"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

type billOfMaterials struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Serial   string `json:"serialNumber"`
	Version  int    `json:"version"`
	Metadata struct {
		Time      string    `json:"timestamp"`
		Component component `json:"component"`
	} `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
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
	doc := b.bill(infos)
	doc.Serial = serial(bins)
	data, err := json.MarshalIndent(doc, "", "  ")
	return append(data, '\n'), err
}

// bill has this module's programs, the modules that are linked into each, and Go's own packages.
func (b *build) bill(infos []*debug.BuildInfo) *billOfMaterials {
	doc := new(billOfMaterials)
	doc.Format, doc.Spec, doc.Version = "CycloneDX", "1.6", 1
	doc.Metadata.Time = b.time.Format(time.RFC3339)
	purl := func(name, version string) string { return "pkg:golang/" + name + "@" + version }
	main := component{Type: "application", Name: module, Version: b.version.String(), Licenses: []license{{"Apache-2.0"}}}
	main.Purl = purl(module, "v"+b.version.String())
	main.Ref = main.Purl
	doc.Metadata.Component = main

	parts := make(map[string]component)
	uses := make(map[string]map[string]bool) // by program
	for _, info := range infos {
		name := path.Base(info.Path)
		program := component{
			Type: "application", Name: name, Version: b.version.String(), Ref: main.Purl + "#cmd/" + name,
			Purl: main.Purl + "#cmd/" + name, Licenses: main.Licenses,
		}
		parts[program.Ref] = program
		std := component{Type: "library", Name: "stdlib", Version: strings.TrimPrefix(info.GoVersion, "go")}
		std.Purl = purl("stdlib", std.Version)
		std.Ref = std.Purl
		parts[std.Ref] = std
		if uses[program.Ref] == nil {
			uses[program.Ref] = make(map[string]bool)
		}
		uses[program.Ref][std.Ref] = true
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			lib := component{Type: "library", Name: m.Path, Version: m.Version, Purl: purl(m.Path, m.Version)}
			lib.Ref = lib.Purl
			lib.Properties = []property{{"ptxabi:go.sum", m.Sum}}
			parts[lib.Ref] = lib
			uses[program.Ref][lib.Ref] = true
		}
	}
	whole := dependency{Ref: main.Ref, On: slices.Sorted(maps.Keys(uses))}
	doc.Dependencies = append(doc.Dependencies, whole)
	for _, ref := range slices.Sorted(maps.Keys(parts)) {
		doc.Components = append(doc.Components, parts[ref])
		doc.Dependencies = append(doc.Dependencies, dependency{ref, append([]string{}, slices.Sorted(maps.Keys(uses[ref]))...)})
	}
	return doc
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
