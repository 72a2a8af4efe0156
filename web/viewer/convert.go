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

// Limits of a conversion.
const (
	maxUpload   = 32 << 20 // bytes
	maxResult   = 64 << 20 // bytes
	uploadTime  = 60 * time.Second
	convertTime = 30 * time.Second
	answerTime  = 60 * time.Second
	// pace is the time in which each partBytes of an upload must arrive and of a demo must leave.
	// So a few deliberately slow clients do not keep out others.
	pace      = 3 * time.Second
	partBytes = 128 << 10
	// breath is the pause after each part. It limits the traffic to 64 MB a second, so that the
	// game continues beside visitors on the same machine or network.
	breath = 2 * time.Millisecond
	// maxRequests limits the requests at once, of which one is converted, and maxRequestsPerPerson
	// the requests of one address. Their files and demos take at most maxStored bytes of disk
	// together.
	maxRequests          = 16
	maxRequestsPerPerson = 2
	maxStored            = 256 << 20
	// turnTime limits how long an uploaded file waits for earlier ones.
	turnTime = 10 * time.Second
)

// OwnTime limits the conversion of the server's own recordings.
const OwnTime = 3 * time.Minute

// maxOwnResult limits the demo of such a recording, in bytes.
const maxOwnResult = 1 << 30

// ErrStorage is the error of Converter.Convert if the demo could not be written, because the disk
// is full or broken.
var ErrStorage = errors.New("the server cannot store the demo")

// ErrUnavailable is the error of Converter.Convert if recordings cannot be converted for a reason
// that is not in the recording.
var ErrUnavailable = errors.New("the server cannot convert recordings")

// Conversion is a recording to convert.
type Conversion struct {
	// Recording is read from its beginning. Demo is an empty file for the result.
	Recording, Demo *os.File
	// Trusted reports that the client is on the same machine. Converting a replay log runs its
	// match and scripts. Only such clients may request that.
	Trusted bool
	// Time limits the conversion, and MaxSize the demo in bytes.
	Time    time.Duration
	MaxSize int64
}

// Converter converts recordings that the page cannot read, one at a time: POST /convert with the
// file as the body returns a Teeworlds 0.7 demo.
type Converter struct {
	// Convert converts a recording, and ends soon after the context. Its errors are shown to users.
	// A recording may demand any amount of time and memory, so a game server runs it in a child
	// process.
	Convert func(ctx context.Context, c Conversion) error
	// Dir is the folder for visitors' files during the conversion, created when needed. Where the
	// system allows it, the files have no names. "" means the system's temporary folder.
	Dir string
	// Web identifies clients; nil means that no client is behind a proxy.
	Web *web.Settings

	access   web.AccessSetting
	requests limit.Slots  // requests whose file arrives, is converted, or is sent
	stored   atomic.Int64 // bytes of files and demos
	turns    turns
	pace     time.Duration                      // 0 means the constant
	turnTime time.Duration                      // 0 means the constant
	temp     func(dir string) (*os.File, error) // nil means tempFile
}

var local = web.Access{Local: true}

// Register adds the variable with the access rule.
func (c *Converter) Register(to *console.Console) error {
	return c.access.RegisterWithHelp(
		to,
		"sv_http_convert",
		"Clients that may let the server convert demos of 0.6 and DDNet for the browser; replay logs and teehistorians only local (all, off, or a "+
			"list such as local,10.0.0.0/8; local needs the key of http.key)",
		"all",
	)
}

// LetIn sets the access rule of a converter without a console.
func (c *Converter) LetIn(a web.Access) { c.access.Rule.Set(a) }

// Room returns the room of the converter.
func (c *Converter) Room() web.Room {
	c.requests.Most, c.requests.MostPerPerson = maxRequests, maxRequestsPerPerson
	if c.Web == nil {
		c.Web = new(web.Settings)
	}
	// Other sites could make their visitors' browsers upload files.
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
		answer(w, err, "The upload failed. Try again.", http.StatusBadRequest)
		return
	}
	if err := c.convert(r.Context(), file, demo, local.Allows(r)); err != nil {
		answer(w, err, fmt.Sprintf("The file cannot be converted: %v.", err), http.StatusUnprocessableEntity)
		return
	}
	file.release()
	size, err := demo.rewind()
	if err != nil {
		answer(w, err, "The server cannot read the converted demo.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	c.send(w, demo.file, control)
}

// answer answers with an error; text and status are for errors without a more specific answer.
func answer(w http.ResponseWriter, err error, text string, status int) {
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		text, status = fmt.Sprintf("The file is too large: the server converts files of up to %d MB.", maxUpload>>20), http.StatusRequestEntityTooLarge
	case errors.Is(err, ErrBusy), errors.Is(err, errFull):
		refuse(w)
		return
	case errors.Is(err, os.ErrDeadlineExceeded):
		text, status = "The upload was too slow.", http.StatusRequestTimeout
	case errors.Is(err, ErrStorage):
		text, status = "The server's disk has no space for the file and its demo.", http.StatusInsufficientStorage
	case errors.Is(err, ErrUnavailable):
		text, status = "The server cannot convert recordings; its log says why.", http.StatusInternalServerError
	}
	http.Error(w, text, status)
}

// receive stores the body of a request, as long as it keeps arriving.
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

// convert converts a visitor's file when its turn comes.
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

// send sends the result as long as the client keeps reading.
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

// ErrBusy is the error while other recordings are converted.
var ErrBusy = errors.New("another recording is being converted; try again in a moment")

// ConvertOwn converts one of this server's recordings into an empty file. It may take longer than a
// visitor's.
func (c *Converter) ConvertOwn(ctx context.Context, demo, recording *os.File) error {
	if err := c.turns.take(ctx, cmp.Or(c.turnTime, turnTime)); err != nil {
		return err
	}
	defer c.turns.pass()
	return c.Convert(ctx, Conversion{Recording: recording, Demo: demo, Trusted: true, Time: OwnTime, MaxSize: maxOwnResult})
}

// refuse tells a client to try again.
func refuse(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "5")
	http.Error(w, "Other files are being converted. Try again in a moment.", http.StatusServiceUnavailable)
}

// turns lets one caller work at a time, in order of arrival.
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
