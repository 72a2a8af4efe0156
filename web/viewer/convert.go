package viewer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/web"
)

// The limits of a conversion.
const (
	maxUpload   = 32 << 20 // bytes
	maxResult   = 64 << 20 // bytes
	uploadTime  = 60 * time.Second
	convertTime = 30 * time.Second
	answerTime  = 60 * time.Second
	// pace is how long each partBytes of a file may take to arrive and of a demo to leave, so that few who are
	// slow on purpose do not keep out others.
	pace      = 3 * time.Second
	partBytes = 128 << 10
	// maxRequests are at once, of which one is converted, and maxRequestsPerPerson from an address. Together
	// their files and demos take up to maxMemory bytes.
	maxRequests          = 16
	maxRequestsPerPerson = 2
	maxMemory            = 256 << 20
	// rest is how much of the time of a conversion it does nothing, so that a game on the same
	// processor goes on: as long as it works.
	rest = 1
)

// OwnTime is how long a conversion of the server's own recordings may take.
const OwnTime = 3 * time.Minute

// errTooLong ends a conversion.
var errTooLong = errors.New("it takes too long")

// errTooLarge ends a conversion.
var errTooLarge = errors.New("the demo would be too large")

// Converter converts recordings that the page cannot read, one at a time: POST /convert, with the
// file as the body, answers with a demo of Teeworlds 0.7.
type Converter struct {
	// Convert writes the demo of a recording to an io.WriterAt. Errors say for people what is wrong.
	// To make a demo of a replay log is to run its match with its scripts, which only those may ask
	// for who are on the same machine: for others, trusted is not set.
	Convert func(w io.Writer, file io.Reader, trusted bool) error
	// Web says who asks; nil means that nobody is behind a proxy.
	Web *web.Settings

	access   web.AccessSetting
	requests limit.Slots         // those with a file that arrives, is converted, or whose demo leaves
	memory   atomic.Int64        // bytes of files and demos
	busy     atomic.Bool         // converting
	sleep    func(time.Duration) // nil means time.Sleep
	pace     time.Duration       // 0 means the constant
}

var local = web.Access{Local: true}

// Register adds the variable that says who may convert.
func (c *Converter) Register(to *console.Console) error {
	return c.access.RegisterWithHelp(to, "sv_http_convert", "Who may have the server convert recordings of 0.6 and DDNet to watch them in a browser, and replay logs for local (all, off, or some of local, for those with the key of http.key, and networks, separated by commas)", "all")
}

// LetIn says who may convert, where there is no console.
func (c *Converter) LetIn(a web.Access) { c.access.Rule.Set(a) }

// Room returns the room of the converter.
func (c *Converter) Room() web.Room {
	c.requests.Most, c.requests.MostPerPerson = maxRequests, maxRequestsPerPerson
	if c.Web == nil {
		c.Web = new(web.Settings)
	}
	// Other sites could make their visitors' browsers send files.
	own := http.NewCrossOriginProtection().Handler(http.HandlerFunc(c.serve))
	return web.Room{Pattern: "POST /convert", Access: &c.access.Rule, Setting: "sv_http_convert", Handler: own}
}

func (c *Converter) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	person := c.Web.Person(r)
	if !c.requests.Take(person) {
		refuse(w)
		return
	}
	defer c.requests.Release(person)
	file, err := c.receive(w, r)
	defer file.release()
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		http.Error(w, fmt.Sprintf("The file is larger than %d MB, which is the most that the server converts.", maxUpload>>20), http.StatusRequestEntityTooLarge)
		return
	case file.isFull:
		refuse(w)
		return
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(w, "The file arrived too slowly.", http.StatusRequestTimeout)
		return
	case err != nil:
		http.Error(w, "The file did not arrive.", http.StatusBadRequest)
		return
	}
	if !c.busy.CompareAndSwap(false, true) {
		refuse(w)
		return
	}
	out := &result{memory{taken: &c.memory}}
	defer out.release()
	err = c.Convert(out, c.slowly(r.Context(), bytes.NewReader(file.b), convertTime), local.Allows(r))
	c.busy.Store(false)
	file.release()
	if out.isFull {
		refuse(w)
		return
	}
	if err != nil {
		http.Error(w, fmt.Sprintf("The file cannot be converted: %v.", err), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Length", strconv.Itoa(len(out.b)))
	send(w, bytes.NewReader(out.b))
}

// receive reads the file of a request, which must not stop arriving.
func (c *Converter) receive(w http.ResponseWriter, r *http.Request) (*memory, error) {
	file := &memory{taken: &c.memory}
	control, body := http.NewResponseController(w), http.MaxBytesReader(w, r.Body, maxUpload)
	pace := cmp.Or(c.pace, pace)
	end := time.Now().Add(uploadTime)
	control.SetWriteDeadline(end.Add(convertTime + answerTime))
	for {
		control.SetReadDeadline(earlier(time.Now().Add(pace), end))
		if _, err := io.CopyN(file, body, partBytes); err == io.EOF {
			return file, nil
		} else if err != nil {
			return file, err
		}
	}
}

// send sends what is converted to who must not stop taking it.
func send(w http.ResponseWriter, demo io.Reader) {
	control := http.NewResponseController(w)
	end := time.Now().Add(answerTime)
	for {
		control.SetWriteDeadline(earlier(time.Now().Add(pace), end))
		if _, err := io.CopyN(w, demo, partBytes); err != nil {
			return
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// ErrBusy is returned while another recording is converted.
var ErrBusy = errors.New("another recording is being converted, try again in a moment")

// ConvertOwn converts a recording of this server, as the room does those of others, but for longer.
func (c *Converter) ConvertOwn(ctx context.Context, w io.Writer, file io.Reader) error {
	if !c.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	defer c.busy.Store(false)
	return c.Convert(w, c.slowly(ctx, file, OwnTime), true)
}

// refuse answers who is to try again.
func refuse(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "5")
	http.Error(w, "Other files are being converted. Try again in a moment.", http.StatusServiceUnavailable)
}

// slowly returns a reader of a file that leaves time to others, and ends after some time or when
// nobody waits any more.
func (c *Converter) slowly(ctx context.Context, file io.Reader, most time.Duration) io.Reader {
	sleep := c.sleep
	if sleep == nil {
		sleep = time.Sleep
	}
	started := time.Now()
	return &slowReader{file: file, worked: started, wait: func(worked time.Duration) error {
		if time.Since(started) > most {
			return errTooLong
		}
		sleep(worked * rest)
		return ctx.Err()
	}}
}

// slowReader waits after each piece of a file for as long as working on it took.
type slowReader struct {
	file   io.Reader
	worked time.Time // since when it works
	wait   func(worked time.Duration) error
}

// piece is how much is read at once: some milliseconds of work, of files that are made for it a second.
const piece = 4 << 10

// Read implements io.Reader.
func (s *slowReader) Read(b []byte) (int, error) {
	if err := s.wait(time.Since(s.worked)); err != nil {
		return 0, err
	}
	s.worked = time.Now()
	return s.file.Read(b[:min(len(b), piece)])
}

// memory is a file in memory, whose size counts with that of others.
type memory struct {
	b     []byte
	taken *atomic.Int64 // bytes, of all
	// isFull says that something did not fit, whatever became of the error.
	isFull bool
}

// errMemory is returned when the files and demos in memory leave no room.
var errMemory = errors.New("other files are being converted, try again in a moment")

// Write implements io.Writer.
func (m *memory) Write(b []byte) (int, error) {
	if n := int64(len(b)); m.taken.Add(n) > maxMemory {
		m.taken.Add(-n)
		m.isFull = true
		return 0, errMemory
	}
	m.b = append(m.b, b...)
	return len(b), nil
}

// release makes room for others.
func (m *memory) release() {
	m.taken.Add(-int64(len(m.b)))
	m.b = nil
}

// result is a demo in memory. It implements io.WriterAt for its header.
type result struct{ memory }

// Write implements io.Writer.
func (r *result) Write(b []byte) (int, error) {
	if len(r.b)+len(b) > maxResult {
		return 0, errTooLarge
	}
	return r.memory.Write(b)
}

// WriteAt implements io.WriterAt.
func (r *result) WriteAt(b []byte, at int64) (int, error) {
	if at < 0 || at+int64(len(b)) > int64(len(r.b)) {
		return 0, io.ErrShortWrite
	}
	return copy(r.b[at:], b), nil
}
