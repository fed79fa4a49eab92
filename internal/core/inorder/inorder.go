// Package inorder computes a result for each of a list of values with several goroutines, and yields the results in the
// order of the values.
package inorder

import (
	"iter"
	"sync"
)

// ahead is how many results, for each goroutine, may wait for the one that is next.
const ahead = 4

// Map yields the result for each value, in the order of the values. Each goroutine calls worker once, and calls the function
// that it returns for each of its values. A result is valid until the next one is yielded: then its memory is used for
// another. At most 4 results a goroutine wait to be yielded. With one worker or less, no goroutine is started.
//
// A job is in order before a goroutine works on it, so that the results come in the order of the values, whoever is done
// first. Sending to order never blocks: there are no more jobs than it has room for. When the loop over the results has
// ended, or has been left, no goroutine of it is running.
func Map[T, R any](workers int, values iter.Seq[T], worker func() func(T, *R)) iter.Seq[*R] {
	return func(yield func(*R) bool) {
		if workers <= 1 {
			work, result := worker(), new(R)
			for v := range values {
				if work(v, result); !yield(result) {
					return
				}
			}
			return
		}
		type job struct {
			value  T
			result R
			done   chan bool
		}
		n := ahead * workers
		todo, order, free := make(chan *job), make(chan *job, n), make(chan *job, n)
		for range n {
			free <- &job{done: make(chan bool, 1)}
		}
		stop := make(chan bool)
		var working sync.WaitGroup
		defer func() {
			close(stop)
			working.Wait()
		}()
		working.Go(func() {
			defer close(todo)
			defer close(order)
			for v := range values {
				select {
				case j := <-free:
					j.value = v
					order <- j
					todo <- j
				case <-stop:
					return
				}
			}
		})
		for range workers {
			working.Go(func() {
				work := worker()
				for j := range todo {
					work(j.value, &j.result)
					j.done <- true
				}
			})
		}
		for j := range order {
			if <-j.done; !yield(&j.result) {
				return
			}
			free <- j
		}
	}
}
