package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/viewer"
)

type watchCmd struct {
	What string `arg:"" name:"file|host" help:"Demo, replay log, teehistorian, or server (HOST, HOST:PORT or an address with a scheme)."`
	Open bool   `help:"Open a browser. With --no-open, only the address is printed." default:"true" negatable:""`
}

func (watchCmd) Help() string {
	return `Shows demos of Teeworlds 0.7, Teeworlds 0.6 and DDNet. Replay logs, and teehistorians of
DDNet-Server, are run again, so the map of the match must be in the folder maps. For a file this
program serves the page, to this machine only, until you press Ctrl-C. For a server it opens the
server's own page (sv_http).

  teeyard watch final.demo
  teeyard watch example.org:8303`
}

// Run opens the page.
func (c *watchCmd) Run(ctx context.Context, p *program) error {
	if _, err := os.Stat(c.What); err != nil {
		u, urlErr := serverPage(c.What)
		if urlErr != nil || !errors.Is(err, fs.ErrNotExist) || strings.HasSuffix(c.What, ".demo") || strings.HasSuffix(c.What, ".twreplay") ||
			strings.HasSuffix(c.What, ".teehistorian") {
			return err
		}
		c.show(u)
		return nil
	}
	recording, err := p.openRecording(c.What)
	if err != nil {
		return fmt.Errorf("%s: %w", c.What, err)
	}
	defer recording.Close()
	listeners, err := web.Listen(ctx, "127.0.0.1", 0)
	if err != nil {
		return err
	}
	key := web.NewKey()
	s := web.NewServer(key.Handler(web.NewHandler(p.watchRooms(recording)...)))
	for _, l := range listeners {
		c.show(key.Link(fmt.Sprintf("http://%v/?demo=/recording.demo", l.Addr())))
		go s.Serve(l)
	}
	<-ctx.Done()
	return s.Close()
}

// show prints an address and opens it in a browser.
func (c *watchCmd) show(address string) {
	fmt.Println(address)
	if c.Open {
		openBrowser(address) // without a browser, the user has the printed address
	}
}

// serverPage returns the address of a server's page.
func serverPage(host string) (string, error) {
	a, err := transport.ParseAddress(host)
	if err != nil {
		return "", fmt.Errorf("%q is neither a file nor the address of a server: %w", host, err)
	}
	switch {
	case a.IsWeb():
	case a.IsWebSocket():
		// The page and the address for players are on the same listener.
		if a.Scheme == "ws" {
			a.Port = cmp.Or(a.Port, client.DefaultPort)
		}
		a.Scheme = "http" + strings.TrimPrefix(a.Scheme, "ws")
	case !a.IsGame():
		return "", fmt.Errorf("%q: the page of a server has the scheme http or https", host)
	case strings.Trim(a.Path, "/") != "":
		return "", fmt.Errorf("%q is neither a file nor the address of a server", host)
	default:
		a.Scheme, a.Path, a.Port = "http", "/", cmp.Or(a.Port, client.DefaultPort)
	}
	u, err := url.Parse(a.String()) // escapes the address
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// openBrowser opens an address in the user's default browser.
func openBrowser(address string) error {
	switch runtime.GOOS {
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", address).Start()
	case "darwin":
		return exec.Command("open", address).Start()
	}
	return exec.Command("xdg-open", address).Start()
}

// watchRooms returns the endpoints of the page and a recording, for this machine only.
func (p *program) watchRooms(demo recording) []web.Room {
	access := web.Access{Local: true}
	var local web.AccessRule
	local.Set(access)
	apart := jobs{program: p}
	converter := viewer.Converter{Convert: apart.convert}
	converter.LetIn(access)
	return append(viewer.Rooms(viewer.FindData(), nil), converter.Room(), web.Room{
		Pattern: "GET /recording.demo", Access: &local, Setting: "teeyard watch prints the address with the key",
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute))
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Cache-Control", "no-store")
			http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(demo, 0, demo.Size()))
		}),
	})
}

// recording is a 0.7 demo.
type recording interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// openRecording opens a demo, or converts another recording into a 0.7 demo.
func (p *program) openRecording(name string) (recording, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if r, err := demo.NewReader(f); err == nil && r.Header().Protocol() == 7 && r.Header().Version <= demo.VersionTeeworlds {
		info, err := f.Stat()
		return demoFile{f, info}, err
	}
	defer f.Close()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	var out memoryFile
	if isTeehistorian(name) { // by its name too, so that the error names the fault
		err = readable(exportTeehistorian(&out, f))
	} else {
		err = p.convertRecording(&out, f, true)
	}
	if err != nil {
		return nil, err
	}
	return demoBytes{bytes.NewReader(out.Bytes())}, nil
}

// demoFile is a demo on disk.
type demoFile struct {
	*os.File
	info fs.FileInfo
}

// Size returns the size in bytes.
func (f demoFile) Size() int64 { return f.info.Size() }

// demoBytes is a demo in memory.
type demoBytes struct{ *bytes.Reader }

// Close implements io.Closer.
func (demoBytes) Close() error { return nil }

// memoryFile is a file in memory. Writers of demos complete the header with WriteAt.
type memoryFile struct{ bytes.Buffer }

// WriteAt implements io.WriterAt.
func (f *memoryFile) WriteAt(b []byte, at int64) (int, error) { return copy(f.Bytes()[at:], b), nil }

// convertRecording converts another demo into a 0.7 demo. If trusted, it also converts replay logs
// and teehistorians, whose matches and scripts it runs.
func (p *program) convertRecording(w io.Writer, file io.Reader, trusted bool) error {
	b := bufio.NewReaderSize(file, 64<<10)
	start, _ := b.Peek(16)
	isHistorian := teehistorian.Is(start)
	if !isHistorian && !replay.Is(start) {
		r, err := demo.NewReader(b)
		if err != nil {
			return readable(err)
		}
		return readable(recorder.Convert(w, r))
	}
	if !trusted {
		return errors.New("the server runs recorded matches again only for its own machine; use teeyard watch on yours")
	}
	if isHistorian {
		return readable(exportTeehistorian(w, b))
	}
	r, err := replay.NewReader(b)
	if err != nil {
		return readable(err)
	}
	m, err := readMapFile("", "", r.Header().Map, r.Header().MapSHA256)
	if err != nil {
		return err
	}
	_, _, _, err = recorder.Export(w, r, recorder.ExportConfig{Map: m, TellEnd: true, Verify: p.verifyConfig()})
	return adviseOnLog(err)
}

// readable makes the text of an error safe to show, since it may quote a stranger's file.
func readable(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(safetext.Line(err.Error()))
}
