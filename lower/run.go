package lower

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// jobSize is how many statements one goroutine lowers before it hands over what
// has become of them: enough that handing over costs nothing, few enough that
// nobody waits long.
const jobSize = 2048

// A job is some of the functions of a module, one behind the other.
type job struct {
	first, end int // indices in lowerer.list
	labels     int // how many labels are made before
}

// A queue hands out jobs, and takes what becomes of them in order.
type queue struct {
	jobs []job
	next atomic.Int64

	mu     sync.Mutex
	moved  sync.Cond // turn or failed is another
	turn   int       // the job that is to be handed over next
	labels int       // made so far
	failed any       // what a goroutine panicked with
}

// run lowers the functions: work is called for each index of the list, several
// at once perhaps, and commit behind some calls of work with the same fn, in
// order of the list.
func (l *lowerer) run(work func(*fn, int), commit func(*fn)) {
	n := l.opts.Workers
	if n == 0 && !l.opts.alloc() {
		n = runtime.GOMAXPROCS(0)
	}
	if n = min(n, len(l.list)); n > 1 {
		q := &queue{jobs: l.split()}
		if n = min(n, len(q.jobs)); n > 1 {
			l.share(q, n, work, commit)
			return
		}
	}
	fn := newFn(l)
	for i := range l.list {
		work(fn, i)
		commit(fn)
	}
	l.diags = append(l.diags, fn.diags...)
}

// split makes jobs of the functions.
func (l *lowerer) split() []job {
	var jobs []job
	size, labels := jobSize, 0
	for i, f := range l.list {
		if size >= jobSize {
			jobs = append(jobs, job{first: i, labels: labels})
			size = 0
		}
		jobs[len(jobs)-1].end = i + 1
		size += len(f.Body)
		labels += l.labelsAtEntry()
		for _, s := range f.Body {
			if c, ok := s.(*ptx.Call); ok {
				labels += l.labelsOf(c)
			}
		}
	}
	return jobs
}

// labelsOf returns how many labels a call makes.
func (l *lowerer) labelsOf(c *ptx.Call) int {
	n := 0
	if c.Guard != nil {
		n++
	}
	if l.t.Regs.HasRetAddr() || c.Proto.Kind != ptx.KindNone && l.t.Spelling.PreRet != "" {
		n++
	}
	return n
}

// share lets n goroutines do the jobs.
func (l *lowerer) share(q *queue, n int, work func(*fn, int), commit func(*fn)) {
	q.moved.L = &q.mu
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					q.fail(fmt.Sprintf("%v\n%s", p, debug.Stack()))
				}
			}()
			fn := newFn(l)
			for {
				i := int(q.next.Add(1)) - 1
				if i >= len(q.jobs) || !fn.do(q, i, work, commit) {
					return
				}
			}
		})
	}
	all.Wait()
	if q.failed != nil {
		panic(q.failed)
	}
}

func (q *queue) fail(why any) {
	q.mu.Lock()
	q.failed = why
	q.moved.Broadcast()
	q.mu.Unlock()
}

// do does one job and hands it over. It reports false if nothing is to be done
// any more.
func (fn *fn) do(q *queue, i int, work func(*fn, int), commit func(*fn)) bool {
	j := &q.jobs[i]
	fn.labels = j.labels
	for k := j.first; k < j.end; k++ {
		work(fn, k)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.turn != i && q.failed == nil {
		q.moved.Wait()
	}
	if q.failed != nil {
		return false
	}
	if q.labels != j.labels { // a call before made others than labelsOf says
		fn.labels, fn.printed, fn.diags = q.labels, fn.printed[:0], nil
		for k := j.first; k < j.end; k++ {
			work(fn, k)
		}
	}
	commit(fn)
	fn.lowerer.diags = append(fn.lowerer.diags, fn.diags...)
	fn.diags = nil
	q.labels = fn.labels
	q.turn++
	q.moved.Broadcast()
	return true
}

// keep returns a copy of a function that owns its lists.
func (fn *fn) keep(f *sass.Func) *sass.Func {
	kept := *f
	n := 0
	for i := range f.Items {
		n += len(f.Items[i].Instr.Args)
	}
	args := make([]sass.Operand, 0, n)
	kept.Items = append(make([]sass.Item, 0, len(f.Items)), f.Items...)
	for i := range kept.Items {
		if in := &kept.Items[i].Instr; len(in.Args) > 0 {
			first := len(args)
			args = append(args, in.Args...)
			in.Args = args[first:len(args):len(args)]
		}
	}
	return &kept
}
