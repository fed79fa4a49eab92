package cubin

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// inflateLZ4 reads an LZ4 block that becomes size bytes.
func inflateLZ4(b []byte, size int) ([]byte, error) {
	if size/255 > len(b) { // a byte stands for 255 at most
		return nil, fmt.Errorf("%d bytes cannot become %d", len(b), size)
	}
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(b, out)
	switch {
	case err != nil:
		return nil, fmt.Errorf("damaged data, or more than the recorded %d bytes: %w", size, err)
	case n != size:
		return nil, fmt.Errorf("%d bytes where %d are recorded", n, size)
	}
	return out, nil
}

// zstdWindow is how much memory a decoder of zstd may take for data that say that they need it, in bytes.
const zstdWindow = 64 << 20

// inflateZstd reads zstd data that become size bytes.
func inflateZstd(b []byte, size int) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(max(uint64(size)+1, zstdWindow)))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	out, err := d.DecodeAll(b, nil)
	switch {
	case err != nil:
		return nil, err
	case len(out) != size:
		return nil, fmt.Errorf("%d bytes where %d are recorded", len(out), size)
	}
	return out, nil
}
