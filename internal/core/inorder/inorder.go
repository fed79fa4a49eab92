// Package inorder makes something of each of a list of values with several goroutines, and hands it on in the order of
// the values.
package inorder

import (
	"iter"
	"sync"
)

// ahead is how many results each goroutine may be ahead of the one that is next.
const ahead = 4

// Map yields what is made of each value, in their order. A result is good until the next one is yielded: then its memory
// is filled again. Each goroutine calls worker once, and what that returns for each of its values. At most 4 results a
// goroutine are waiting to be yielded. With one worker or less, no goroutine is started.
//
// When the loop over the results has ended, or was left, no goroutine of it is running.
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
