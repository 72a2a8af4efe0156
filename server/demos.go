package server

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
)

// DemoSuffix is the end of the names of demos.
const DemoSuffix = ".demo"

// demos records the game as demos: the server's goroutine makes records, that of
// demoWriter encodes and writes them. The game goes on if it cannot be recorded.
type demos struct {
	files  []*demoFile // that are recorded, one in each format of sv_demo_format
	writer *demoWriter // nil before the first
}

// demoFile is a demo that is recorded.
type demoFile struct {
	// Of the server's goroutine.
	recorder *recorder.Recorder
	batch    *demoBatch // that is being filled, nil for none

	// Set at the beginning.
	name    string // without suffix
	header  demo.Header
	mapFile []byte
	// rotate matches the names of which keep may be there, with this one; nil for any
	// number.
	rotate *regexp.Regexp
	keep   int

	// Of the writer's goroutine.
	created string         // the name of the file
	file    io.WriteCloser // nil before it is created, and after an error
	out     *demo.Writer
}

// cmdRecord begins a demo. Others than the original's are never overwritten.
func (s *Server) cmdRecord(call *console.Call) {
	name := call.Arg(0)
	switch {
	case len(s.demos.files) > 0:
		call.Print("demo_recorder", "Demo recording is already active")
		return
	case name == "":
		name = "demo_" + time.Now().Format(recorder.TimeLayout)
	case !fs.ValidPath(name) || strings.ContainsAny(name, "\\:") || len(name) > maxDemoName:
		call.Warn("demo_recorder", "Unable to open 'demos/%s%s' for recording: not a file name inside the folder demos", name, DemoSuffix)
		return
	}
	if err := s.beginDemo(name, false); err != nil {
		call.Warn("demo_recorder", "Unable to record: %v", err)
		return
	}
	s.demos.writer.waitForNews(diskTimeout)
	if !s.reportDemoNews(call.Caller) {
		call.Print("demo_recorder", "%v", console.ErrLater)
	}
}

// maxDemoName is the length of the longest name of a demo in bytes.
const maxDemoName = 128

// cmdStopRecord ends the demo.
func (s *Server) cmdStopRecord(call *console.Call) {
	if !s.endDemo(call.Caller) {
		call.Print("demo_recorder", "No active demo recording to stop")
	}
}

// recordMatchDemo begins the demo of a match that starts, if sv_auto_demo_record is set.
func (s *Server) recordMatchDemo() {
	if s.settings.AutoDemoRecord == 0 || s.cfg.Demos == nil {
		return
	}
	s.endDemo(console.Operator)
	if err := s.beginDemo(autoDemoPrefix+time.Now().Format(recorder.TimeLayout), true); err != nil {
		s.print(console.Warning, "demo_recorder", fmt.Sprintf("Unable to record: %v", err))
	}
}

// autoDemoPrefix is the beginning of the names of automatic demos, as in the original.
const autoDemoPrefix = "auto/autorecord_"

// autoDemoName returns what matches the names of automatic demos whose names have a format
// at their end, or none.
func autoDemoName(format string) *regexp.Regexp {
	return regexp.MustCompile(`^` + autoDemoPrefix + `\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d` + format + `(\.\d+)?\.demo$`)
}

// demoFormats returns the formats that a value of sv_demo_format names.
func demoFormats(setting string) (formats []recorder.Format, err error) {
	for _, name := range strings.FieldsFunc(setting, func(r rune) bool { return strings.ContainsRune(";, ", r) }) {
		f, ok := recorder.ParseFormat(name)
		if !ok {
			return nil, fmt.Errorf("%q is not a demo format; use tw07, ddnet or both", safetext.Line(name))
		}
		formats = append(formats, f)
	}
	if len(formats) == 0 || len(formats) > 2 || len(formats) == 2 && formats[0] == formats[1] {
		return nil, fmt.Errorf("%q: use tw07, ddnet or both", safetext.Line(setting))
	}
	return formats, nil
}

// setDemoFormat is called after sv_demo_format was set.
func (s *Server) setDemoFormat(call *console.Call) {
	if _, err := demoFormats(s.settings.DemoFormat); err != nil {
		call.Refuse("server", "sv_demo_format: %v", err)
	}
}

// beginDemo begins demos with a name in all formats of sv_demo_format. The names of all but
// the first have the format at their end. Of automatic ones sv_auto_demo_max are kept in
// each format.
func (s *Server) beginDemo(name string, automatic bool) error {
	if s.cfg.Demos == nil {
		return errNoFolder
	}
	formats, err := demoFormats(s.settings.DemoFormat)
	if err != nil {
		return err
	}
	now := time.Now()
	d := &s.demos
	if d.writer == nil {
		d.writer = newDemoWriter(s.cfg.Demos)
	}
	for i, format := range formats {
		m, err := s.gameMap.forVersion(format)
		if err != nil {
			return fmt.Errorf("%v: the map cannot be converted to it: %w", format, err)
		}
		ending := ""
		if i > 0 {
			ending = "_" + format.String()
		}
		cfg := recorder.Config{Format: format}
		f := &demoFile{recorder: recorder.New(cfg), name: name + ending, header: cfg.Header(m, now), mapFile: m.File}
		if keep := s.settings.AutoDemoMax; automatic && keep > 0 {
			f.rotate, f.keep = autoDemoName(ending), keep
		}
		if !d.writer.open(f) {
			return errStuckDisk
		}
		d.files = append(d.files, f)
	}
	return nil
}

// endDemo ends the demo. It returns false if there is none.
func (s *Server) endDemo(who console.Caller) bool {
	d := &s.demos
	if len(d.files) == 0 {
		return false
	}
	for _, f := range d.files {
		d.writer.end(f)
	}
	clear(d.files)
	d.files = d.files[:0]
	s.printFor(who, console.Standard, "demo_recorder", "Stopped recording")
	return true
}

// closeDemos ends the demo and waits until it is written, up to replayCloseTimeout.
func (s *Server) closeDemos() {
	s.endDemo(console.Operator)
	w := s.demos.writer
	if w == nil {
		return
	}
	s.demos.writer = nil
	close(w.jobs)
	timeout := time.After(replayCloseTimeout)
	for {
		select {
		case n, ok := <-w.news:
			if !ok {
				return
			}
			s.printDemoNews(console.Operator, n)
		case <-timeout:
			s.print(console.Warning, "demo_recorder", "the disk does not answer; the end of the demo may be lost")
			return
		}
	}
}

// demoTick shows the demos and the broadcast a tick of the world.
func (s *Server) demoTick(events []game.Event) {
	for _, f := range s.demos.files {
		f.recorder.Tick(s.world, events)
	}
	if r := s.broadcastRecorder(); r != nil {
		r.Tick(s.world, events)
	}
}

// demoEvent adds what players are told to the demos and the broadcast.
func (s *Server) demoEvent(ev *game.Event) {
	for _, f := range s.demos.files {
		f.recorder.Event(s.world, ev)
	}
	if r := s.broadcastRecorder(); r != nil {
		r.Event(s.world, ev)
	}
}

// takeDemoRecords ends a tick of the demos.
func (s *Server) takeDemoRecords() {
	d := &s.demos
	if d.writer == nil {
		return
	}
	s.reportDemoNews(console.Operator)
	for i := 0; i < len(d.files); i++ {
		f := d.files[i]
		if !f.recorder.Due(s.world) {
			continue
		}
		if f.batch == nil {
			f.batch = d.writer.blankBatch()
		}
		if f.batch == nil {
			s.dropDemo(f)
			s.print(console.Warning, "demo_recorder", fmt.Sprintf("stopped recording '%s': the disk is too slow", demoPath(f.name)))
			i--
			continue
		}
		s.showLatencies(f.recorder)
		f.recorder.Take(s.world, &f.batch.records[f.batch.n])
		if f.batch.n++; f.batch.n == len(f.batch.records) {
			d.writer.write(f)
		}
	}
}

// dropDemo ends one of the demos.
func (s *Server) dropDemo(f *demoFile) {
	d := &s.demos
	for i := range d.files {
		if d.files[i] == f {
			d.writer.end(f)
			d.files = append(d.files[:i], d.files[i+1:]...)
			return
		}
	}
}

// reportDemoNews prints what happened to demos, for whoever asks, and ends those that cannot be
// written. It returns false if nothing happened.
func (s *Server) reportDemoNews(who console.Caller) (news bool) {
	for {
		n, ok := s.demos.writer.readNews()
		if !ok {
			return news
		}
		news = true
		if n.err != nil {
			s.dropDemo(n.file)
		}
		s.printDemoNews(who, n)
	}
}

func (s *Server) printDemoNews(who console.Caller, n demoNews) {
	switch {
	case n.err == nil:
		s.printFor(who, console.Standard, "demo_recorder", fmt.Sprintf("Recording to 'demos/%s'", n.name))
	case n.name == "":
		s.printFor(who, console.Warning, "demo_recorder", fmt.Sprintf("Unable to open '%s' for recording: %v", demoPath(n.file.name), n.err))
	default:
		s.printFor(who, console.Warning, "demo_recorder", fmt.Sprintf("stopped recording 'demos/%s': %v", n.name, n.err))
	}
}

func demoPath(name string) string { return "demos/" + name + DemoSuffix }

// demoQueue is the largest number of batches that wait for the disk: those of five seconds in
// two formats.
const demoQueue = 25

// demoBatch is the records that the writer gets at once: to wake it costs more than to
// make a record.
type demoBatch struct {
	records [10]recorder.Record
	n       int
}

// maxDemoOpens is how many demos may wait to be opened and ended.
const maxDemoOpens = 8

// demoJob is a batch for a file; without one, the file is to be opened or ended.
type demoJob struct {
	file  *demoFile
	batch *demoBatch
	end   bool
}

// demoNews is what happened to a file: it was opened under a name, or it cannot be
// written.
type demoNews struct {
	file *demoFile
	name string // with suffix, "" if it was not opened
	err  error
}

// demoWriter encodes and writes demos in a goroutine.
type demoWriter struct {
	jobs   chan demoJob
	blank  chan *demoBatch // to be filled again
	made   int             // batches, by the server's goroutine
	opened int             // files, by the server's goroutine
	ended  chan struct{}   // has one for each file that was ended
	news   chan demoNews
	demos  recordings
}

func newDemoWriter(dir Folder) *demoWriter {
	w := &demoWriter{
		// There is room for all batches, and to open and end so many files.
		jobs:  make(chan demoJob, demoQueue+2*maxDemoOpens),
		blank: make(chan *demoBatch, demoQueue),
		ended: make(chan struct{}, maxDemoOpens),
		news:  make(chan demoNews, 2*maxDemoOpens),
		demos: recordings{dir: dir},
	}
	go w.run()
	return w
}

// open has a file created. It returns false if too many wait.
func (w *demoWriter) open(f *demoFile) bool {
	for more := true; more; {
		select {
		case <-w.ended:
			w.opened--
		default:
			more = false
		}
	}
	if w.opened == maxDemoOpens {
		return false
	}
	w.opened++
	w.jobs <- demoJob{file: f}
	return true
}

// write has the batch of a file written.
func (w *demoWriter) write(f *demoFile) {
	if f.batch != nil {
		w.jobs <- demoJob{file: f, batch: f.batch}
		f.batch = nil
	}
}

// end has a file completed.
func (w *demoWriter) end(f *demoFile) {
	w.write(f)
	w.jobs <- demoJob{file: f, end: true}
}

// blankBatch returns an empty batch, nil if all wait for the disk.
func (w *demoWriter) blankBatch() *demoBatch {
	select {
	case b := <-w.blank:
		b.n = 0
		return b
	default:
	}
	if w.made == demoQueue {
		return nil
	}
	w.made++
	return new(demoBatch)
}

// readNews returns what happened, if something did.
func (w *demoWriter) readNews() (n demoNews, ok bool) {
	select {
	case n = <-w.news:
		return n, true
	default:
		return n, false
	}
}

// waitForNews waits until something happened.
func (w *demoWriter) waitForNews(timeout time.Duration) {
	for end := time.Now().Add(timeout); len(w.news) == 0 && time.Now().Before(end); {
		time.Sleep(timeout / 20)
	}
}

// run handles all jobs. When it has done so, it closes news.
func (w *demoWriter) run() {
	defer close(w.news)
	for j := range w.jobs {
		f, err := j.file, error(nil)
		switch {
		case j.batch != nil:
			err = f.write(j.batch)
			w.blank <- j.batch
		case j.end:
			err = f.close()
			w.ended <- struct{}{}
		default:
			err = w.create(f)
		}
		if err != nil {
			w.news <- demoNews{f, f.created, err}
			f.abandon()
		}
	}
}

// create creates a file and writes the header and the map. If it cannot, there is no file, and
// the old ones stay.
func (w *demoWriter) create(f *demoFile) (err error) {
	if f.file, f.created, err = w.demos.create(f.name, DemoSuffix); err != nil {
		f.file, f.created = nil, ""
		return err
	}
	if f.out, err = demo.NewWriter(f.file, f.header, f.mapFile); err == nil {
		err = f.out.Flush() // a full disk shows at once
	}
	if err != nil {
		f.abandon()
		w.demos.remove(f.created)
		f.created = ""
		return err
	}
	if f.rotate != nil {
		w.demos.rotate(f.rotate, f.keep)
	}
	w.news <- demoNews{file: f, name: f.created}
	return nil
}

// write writes a batch. Of a server that is killed all is there up to the last keyframe.
func (f *demoFile) write(b *demoBatch) error {
	if f.file == nil {
		return nil
	}
	for i := range b.records[:b.n] {
		r := &b.records[i]
		if r.Keyframe {
			if err := f.out.Flush(); err != nil {
				return err
			}
		}
		if err := r.WriteTo(f.out); err != nil {
			return err
		}
	}
	return nil
}

// close completes the file.
func (f *demoFile) close() error {
	if f.file == nil {
		return nil
	}
	err := errors.Join(f.out.Close(), f.file.Close())
	f.file = nil
	return err
}

// abandon leaves a file as it is.
func (f *demoFile) abandon() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}
