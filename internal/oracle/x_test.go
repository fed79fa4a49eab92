package oracle

import (
	"context"
	"fmt"
	"github.com/ptxabi/ptxabi/abi"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestExplore(t *testing.T) {
	tools, err := Find()
	if err != nil {
		fmt.Println(err)
	}
	n, _ := strconv.Atoi(os.Getenv("N"))
	seed, _ := strconv.Atoi(os.Getenv("SEED"))
	for _, tk := range tools.Toolkits {
		if v := os.Getenv("TK"); v != "" && !strings.HasPrefix(tk.Version.String(), v) {
			continue
		}
		for _, name := range tk.Targets {
			if v := os.Getenv("ARCH"); v != "" && !strings.Contains(","+v+",", ","+name+",") {
				continue
			}
			tg, err := abi.Lookup(name)
			if err != nil {
				if os.Getenv("ASSUME") == "" {
					continue
				}
				tg, err = abi.Assume(name)
				if err != nil {
					fmt.Println(err)
					continue
				}
			}
			start := time.Now()
			r, err := Compare(context.Background(), tk, tg, uint64(seed), n)
			if err != nil {
				fmt.Println(tk, name, err)
				continue
			}
			fmt.Println(r, time.Since(start).Round(time.Millisecond))
			for i, d := range r.Differences {
				if i < 3 {
					fmt.Println(d)
				} else if i < 30 {
					fmt.Println(d.Signature, d.Err, d.Mismatches)
				}
			}
		}
	}
}
