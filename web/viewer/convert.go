package viewer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
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
	// breath is the pause after each of them: at most 64 MB a second arrive or leave, so that the
	// game goes on beside visitors on the same machine or network.
	breath = 2 * time.Millisecond
	// maxRequests are at once, of which one is converted, and maxRequestsPerPerson from an address. Together
	// their files and demos take up to maxStored bytes of the disk.
	maxRequests          = 16
	maxRequestsPerPerson = 2
	maxStored            = 256 << 20
	// turnTime is how long a file that has arrived waits for those before it.
	turnTime = 10 * time.Second
)

// OwnTime is how long a conversion of the server's own recordings may take.
const OwnTime = 3 * time.Minute

// maxOwnResult is how large the demo of one may be, in bytes.
const maxOwnResult = 1 << 30

// ErrStorage is returned by Converter.Convert when the demo could not be written: the disk is full or
// broken.
var ErrStorage = errors.New("the server cannot store the demo")

// ErrUnavailable is returned by Converter.Convert when recordings cannot be converted for a reason that is not in
// the recording.
var ErrUnavailable = errors.New("the server cannot convert recordings")

// Conversion is a recording to be converted.
type Conversion struct {
	// Recording is the file to read from its beginning, and Demo an empty one for the demo.
	Recording, Demo *os.File
	// Trusted says that the asker is on the same machine. To make a demo of a replay log is to run its match with
	// its scripts, which only those may ask for.
	Trusted bool
	// Time is how long it may take, and MaxSize the size of the demo in bytes.
	Time    time.Duration
	MaxSize int64
}

// Converter converts recordings that the page cannot read, one at a time: POST /convert, with the
// file as the body, answers with a demo of Teeworlds 0.7.
type Converter struct {
	// Convert converts a recording, and ends soon after the context. Errors say for people what is wrong. A
	// recording may take as much time and memory as it likes, so a game server has another process do it.
	Convert func(ctx context.Context, c Conversion) error
	// Dir is the folder for files of visitors while they are converted, which is made when it is needed. They
	// have no names there where the system allows that. "" is the system's folder for such files.
	Dir string
	// Web says who asks; nil means that nobody is behind a proxy.
	Web *web.Settings

	access   web.AccessSetting
	requests limit.Slots  // those with a file that arrives, is converted, or whose demo leaves
	stored   atomic.Int64 // bytes of files and demos
	turns    turns
	pace     time.Duration                      // 0 means the constant
	turnTime time.Duration                      // 0 means the constant
	temp     func(dir string) (*os.File, error) // nil means tempFile
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
	control := http.NewResponseController(w)
	control.SetWriteDeadline(time.Now().Add(uploadTime + turnTime + convertTime + answerTime))
	file, demo := c.newSpool(), c.newSpool()
	defer file.release()
	defer demo.release()
	if err := c.receive(file, control, http.MaxBytesReader(w, r.Body, maxUpload)); err != nil {
		answer(w, err, "The file did not arrive.", http.StatusBadRequest)
		return
	}
	if err := c.convert(r.Context(), file, demo, local.Allows(r)); err != nil {
		answer(w, err, fmt.Sprintf("The file cannot be converted: %v.", err), http.StatusUnprocessableEntity)
		return
	}
	file.release()
	size, err := demo.rewind()
	if err != nil {
		answer(w, err, "The demo cannot be read.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	c.send(w, demo.file, control)
}

// answer says what went wrong; text and status are for what nothing else is known of.
func answer(w http.ResponseWriter, err error, text string, status int) {
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		text, status = fmt.Sprintf("The file is larger than %d MB, which is the most that the server converts.", maxUpload>>20), http.StatusRequestEntityTooLarge
	case errors.Is(err, ErrBusy), errors.Is(err, errFull):
		refuse(w)
		return
	case errors.Is(err, os.ErrDeadlineExceeded):
		text, status = "The file arrived too slowly.", http.StatusRequestTimeout
	case errors.Is(err, ErrStorage):
		text, status = "The server's disk has no room for the file and its demo.", http.StatusInsufficientStorage
	case errors.Is(err, ErrUnavailable):
		text, status = "The server cannot convert recordings; its log says why.", http.StatusInternalServerError
	}
	http.Error(w, text, status)
}

// receive stores the file of a request, which must not stop arriving.
func (c *Converter) receive(file *spool, control *http.ResponseController, body io.Reader) error {
	pace := cmp.Or(c.pace, pace)
	end := time.Now().Add(uploadTime)
	for {
		control.SetReadDeadline(earlier(time.Now().Add(pace), end))
		if _, err := io.CopyN(file, body, partBytes); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		time.Sleep(breath)
	}
}

// convert converts a visitor's file when it is its turn.
func (c *Converter) convert(ctx context.Context, file, demo *spool, trusted bool) error {
	if err := c.turns.take(ctx, cmp.Or(c.turnTime, turnTime)); err != nil {
		return err
	}
	defer c.turns.pass()
	if err := errors.Join(file.open(), demo.open(), demo.reserve(maxResult)); err != nil {
		return err
	}
	return c.Convert(ctx, Conversion{Recording: file.file, Demo: demo.file, Trusted: trusted, Time: convertTime, MaxSize: maxResult})
}

// send sends what is converted to who must not stop taking it.
func (c *Converter) send(w http.ResponseWriter, demo io.Reader, control *http.ResponseController) {
	pace := cmp.Or(c.pace, pace)
	end := time.Now().Add(answerTime)
	for {
		control.SetWriteDeadline(earlier(time.Now().Add(pace), end))
		if _, err := io.CopyN(w, demo, partBytes); err != nil {
			return
		}
		time.Sleep(breath)
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// ErrBusy is returned while other recordings are converted.
var ErrBusy = errors.New("another recording is being converted, try again in a moment")

// ConvertOwn converts a recording of this server into an empty file, as the room does those of others, but for longer.
func (c *Converter) ConvertOwn(ctx context.Context, demo, recording *os.File) error {
	if err := c.turns.take(ctx, cmp.Or(c.turnTime, turnTime)); err != nil {
		return err
	}
	defer c.turns.pass()
	return c.Convert(ctx, Conversion{Recording: recording, Demo: demo, Trusted: true, Time: OwnTime, MaxSize: maxOwnResult})
}

// refuse answers who is to try again.
func refuse(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "5")
	http.Error(w, "Other files are being converted. Try again in a moment.", http.StatusServiceUnavailable)
}

// turns lets one do something at a time, in the order in which they ask.
type turns struct {
	once sync.Once
	free chan struct{}
}

// take waits for the turn.
func (t *turns) take(ctx context.Context, most time.Duration) error {
	t.once.Do(func() { t.free = make(chan struct{}, 1) })
	select {
	case t.free <- struct{}{}:
		return nil
	default:
	}
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case t.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		return ErrBusy
	}
}

// pass ends the turn.
func (t *turns) pass() { <-t.free }
