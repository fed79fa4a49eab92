package main

import (
	"testing"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
)

func TestConvention(t *testing.T) {
	for _, target := range abi.Targets() {
		if err := abitest.CheckPlaces(target, 1, 1000, places); err != nil {
			t.Error(err)
		}
	}
}
