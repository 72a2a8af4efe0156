package web

import (
	"net/http"
	"time"
)

const (
	// slowReadTimeout limits how long a client may take for a part of a large answer, and
	// slowAnswerTimeout for the whole answer.
	slowReadTimeout, slowAnswerTimeout = 30 * time.Second, 10 * time.Minute
)

// SlowWriter returns a writer for a large answer, which may take longer than the timeout of
// [NewServer] as long as the client reads. Write in small parts, as http.ServeContent does.
func SlowWriter(w http.ResponseWriter) http.ResponseWriter {
	return &slowWriter{ResponseWriter: w, control: http.NewResponseController(w)}
}

type slowWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	began   time.Time
}

// Write extends the deadline.
func (w *slowWriter) Write(b []byte) (int, error) {
	now := time.Now()
	if w.began.IsZero() {
		w.began = now
	}
	if now.Sub(w.began) < slowAnswerTimeout {
		w.control.SetWriteDeadline(now.Add(slowReadTimeout))
	}
	return w.ResponseWriter.Write(b)
}
