package main

// containerfile makes an image of the archive for linux that lies beside it: static binaries, and
// nothing else.
func (b *build) containerfile() string {
	top := "ptxabi-" + b.version.String()
	return `# podman build -t ptxabi . (or docker build -f Containerfile -t ptxabi .)
# podman run --rm -v "$PWD:/work:ro" ptxabi check x.ptx
FROM scratch
ARG TARGETARCH
ADD ` + top + `-linux-${TARGETARCH}.tar.gz /
ENV PATH=/` + top + `/bin
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["ptxabi"]
`
}
