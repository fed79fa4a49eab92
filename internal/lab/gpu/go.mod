module github.com/ptxabi/ptxabi/internal/lab/gpu

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/ptxabi/ptxabi v0.0.0
)

require (
	github.com/klauspost/compress v1.18.1 // indirect
	github.com/pierrec/lz4/v4 v4.1.22 // indirect
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect
)

replace github.com/ptxabi/ptxabi => ../../..
