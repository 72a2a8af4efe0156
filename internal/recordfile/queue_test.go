package recordfile

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestQueueRetries: what failed is tried again, also if nothing waits, and then is no error any more.
func TestQueueRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("no space left")
		tries, err := 0, full
		q := NewQueue[int](nil)
		go q.Run(func([]int) error { tries++; return err }, func() bool { return false }, func() {})
		q.Submit(1)
		synctest.Wait()
		if q.Err() != full {
			t.Errorf("the error is %v", q.Err())
		}
		err = nil
		time.Sleep(RetryInterval)
		synctest.Wait()
		if q.Err() != nil || tries != 2 {
			t.Errorf("after %d tries the error is %v", tries, q.Err())
		}
		time.Sleep(10 * RetryInterval)
		if tries != 2 {
			t.Errorf("%d tries", tries)
		}
		q.Close()
	})
}
