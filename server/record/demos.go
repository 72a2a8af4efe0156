package record

import (
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
)

// DemoSuffix is the end of the names of demos.
const DemoSuffix = ".demo"

// demos records demos. The loop makes the records, and the goroutine of demoWriter encodes and
// writes them.
type demos struct {
	files  []*demoFile // of the recording, one in each format of sv_demo_format
	writer *demoWriter // nil before the first
}

// demoFile is a demo that is recorded.
type demoFile struct {
	// Of the loop.
	recorder *recorder.Recorder
	batch    *demoBatch // that is being filled, nil for none

	// Set at the beginning.
	name    string // without suffix
	header  demo.Header
	mapFile []byte
	// rotate matches the names of demos of which the folder keeps a number; nil keeps all.
	rotate *regexp.Regexp
	keep   int

	// Of the writer's goroutine.
	created string         // the name of the file
	file    io.WriteCloser // nil before it is created, and after an error
	out     *demo.Writer
}

// cmdRecord begins a demo. Unlike in the original, a demo never overwrites another one.
func (r *Recorder) cmdRecord(call *console.Call) {
	name := call.Arg(0)
	switch {
	case len(r.demos.files) > 0:
		call.Print("demo_recorder", "Demo recording is already active")
		return
	case name == "":
		name = "demo_" + time.Now().Format(recorder.TimeLayout)
	case !fs.ValidPath(name) || strings.ContainsAny(name, "\\:") || len(name) > maxDemoName:
		call.Warn("demo_recorder", "Unable to open 'demos/%s%s' for recording: not a file name inside the folder demos", name, DemoSuffix)
		return
	}
	if err := r.beginDemo(name, false); err != nil {
		call.Warn("demo_recorder", "Unable to record: %v", err)
		return
	}
	r.demos.writer.waitForNews(tickDuration) // enough for a healthy disk
	if !r.reportDemoNews(call.Caller) {
		call.Print("demo_recorder", "%v", console.ErrLater)
	}
}

// maxDemoName is the length of the longest name of a demo in bytes.
const maxDemoName = 128

// cmdStopRecord ends the demo.
func (r *Recorder) cmdStopRecord(call *console.Call) {
	if !r.endDemo(call.Caller) {
		call.Print("demo_recorder", "No active demo recording to stop")
	}
}

// BeginRound begins the demo of a round, if sv_auto_demo_record is set.
func (r *Recorder) BeginRound() {
	if r.Settings.AutoDemoRecord == 0 || r.cfg.Demos == nil {
		return
	}
	r.endDemo(console.Operator)
	if err := r.beginDemo(autoDemoPrefix+time.Now().Format(recorder.TimeLayout), true); err != nil {
		r.print(console.Warning, "demo_recorder", fmt.Sprintf("Unable to record: %v", err))
	}
}

// autoDemoPrefix is the beginning of the names of automatic demos, as in the original.
const autoDemoPrefix = "auto/autorecord_"

// autoDemoName returns a pattern for the names of automatic demos that end with a format.
func autoDemoName(format string) *regexp.Regexp {
	return regexp.MustCompile(`^` + autoDemoPrefix + `\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d` + format + `(\.\d+)?\.demo$`)
}

// demoFormats returns the formats that a value of sv_demo_format names.
func demoFormats(setting string) (formats []recorder.Format, err error) {
	for _, name := range console.SplitNames(setting) {
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

// checkDemoFormat refuses a wrong value of sv_demo_format.
func (r *Recorder) checkDemoFormat(call *console.Call) {
	if _, err := demoFormats(r.Settings.DemoFormat); err != nil {
		call.Refuse("server", "sv_demo_format: %v", err)
	}
}

// beginDemo begins demos with a name in all formats of sv_demo_format. All names but the first end
// with the format. Of automatic demos, the folder keeps sv_auto_demo_max in each format.
func (r *Recorder) beginDemo(name string, automatic bool) error {
	if r.cfg.Demos == nil {
		return errNoFolder
	}
	formats, err := demoFormats(r.Settings.DemoFormat)
	if err != nil {
		return err
	}
	now := time.Now()
	d := &r.demos
	if d.writer == nil {
		d.writer = newDemoWriter(r.cfg.Demos)
	}
	for i, format := range formats {
		m, err := r.match.MapFor(format)
		if err != nil {
			return fmt.Errorf("%v: the map cannot be converted to it: %w", format, err)
		}
		ending := ""
		if i > 0 {
			ending = "_" + format.String()
		}
		cfg := recorder.Config{Format: format}
		f := &demoFile{recorder: recorder.New(cfg), name: name + ending, header: cfg.Header(m, now), mapFile: m.File}
		if keep := r.Settings.AutoDemoMax; automatic && keep > 0 {
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
func (r *Recorder) endDemo(who console.Caller) bool {
	d := &r.demos
	if len(d.files) == 0 {
		return false
	}
	for _, f := range d.files {
		d.writer.end(f)
	}
	clear(d.files)
	d.files = d.files[:0]
	r.host.Print(who, console.Standard, "demo_recorder", "Stopped recording")
	return true
}

// closeDemos ends the demo and waits until it is written, up to closeTimeout.
func (r *Recorder) closeDemos() {
	r.endDemo(console.Operator)
	w := r.demos.writer
	if w == nil {
		return
	}
	r.demos.writer = nil
	close(w.jobs)
	timeout := time.After(closeTimeout)
	for {
		select {
		case n, ok := <-w.news:
			if !ok {
				return
			}
			r.printDemoNews(console.Operator, n)
		case <-timeout:
			r.print(console.Warning, "demo_recorder", "the disk does not answer; the end of the demo may be lost")
			return
		}
	}
}

// EndTick ends a tick.
func (r *Recorder) EndTick() {
	if live := r.broadcast(); live != nil {
		r.host.ShowLatencies(live)
	}
	d := &r.demos
	if d.writer == nil {
		return
	}
	r.reportDemoNews(console.Operator)
	for i := 0; i < len(d.files); i++ {
		f := d.files[i]
		if !f.recorder.Due(r.match.World) {
			continue
		}
		if f.batch == nil {
			f.batch = d.writer.blankBatch()
		}
		if f.batch == nil {
			r.dropDemo(f)
			r.print(console.Warning, "demo_recorder", fmt.Sprintf("stopped recording '%s': the disk is too slow", demoPath(f.name)))
			i--
			continue
		}
		r.host.ShowLatencies(f.recorder)
		f.recorder.Take(r.match.World, &f.batch.records[f.batch.n])
		if f.batch.n++; f.batch.n == len(f.batch.records) {
			d.writer.write(f)
		}
	}
}

// dropDemo ends one of the demos.
func (r *Recorder) dropDemo(f *demoFile) {
	d := &r.demos
	for i := range d.files {
		if d.files[i] == f {
			d.writer.end(f)
			d.files = append(d.files[:i], d.files[i+1:]...)
			return
		}
	}
}

// reportDemoNews prints news of demos for a caller, and ends demos that cannot be written. It
// returns false without news.
func (r *Recorder) reportDemoNews(who console.Caller) (news bool) {
	for {
		n, ok := r.demos.writer.readNews()
		if !ok {
			return news
		}
		news = true
		if n.err != nil {
			r.dropDemo(n.file)
		}
		r.printDemoNews(who, n)
	}
}

func (r *Recorder) printDemoNews(who console.Caller, n demoNews) {
	switch {
	case n.err == nil:
		r.host.Print(who, console.Standard, "demo_recorder", fmt.Sprintf("Recording to 'demos/%s'", n.name))
	case n.name == "":
		r.host.Print(who, console.Warning, "demo_recorder", fmt.Sprintf("Unable to open '%s' for recording: %v", demoPath(n.file.name), n.err))
	default:
		r.host.Print(who, console.Warning, "demo_recorder", fmt.Sprintf("stopped recording 'demos/%s': %v", n.name, n.err))
	}
}

func demoPath(name string) string { return "demos/" + name + DemoSuffix }
