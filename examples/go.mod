module github.com/ptxabi/ptxabi/examples

go 1.26.0

tool github.com/ptxabi/ptxabi/cmd/ptxparam

require github.com/ptxabi/ptxabi v0.0.0

require (
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724 // indirect
	github.com/klauspost/compress v1.18.1 // indirect
	github.com/pierrec/lz4/v4 v4.1.22 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/ptxabi/ptxabi => ../
