package recordfile

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestQueueRetries checks that failed work is tried again, even without new jobs, and that success
// clears the error.
func TestQueueRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("no space left")
		var tries atomic.Int32
		var hasRoom atomic.Bool
		q := NewQueue[int](nil)
		go q.Run(func([]int) error {
			if tries.Add(1); hasRoom.Load() {
				return nil
			}
			return full
		}, func() bool { return false }, func() {})
		q.Submit(1)
		synctest.Wait()
		if q.Err() != full {
			t.Errorf("the error is %v", q.Err())
		}
		hasRoom.Store(true)
		time.Sleep(RetryInterval)
		synctest.Wait()
		if q.Err() != nil || tries.Load() != 2 {
			t.Errorf("after %d tries the error is %v", tries.Load(), q.Err())
		}
		time.Sleep(10 * RetryInterval)
		if tries.Load() != 2 {
			t.Errorf("%d tries", tries.Load())
		}
		q.Close()
	})
}
