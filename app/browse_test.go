package app

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// TestBrowsePrintsWhatItHas checks that browse prints the results so far when queries are
// interrupted or take too long.
func TestBrowsePrintsWhatItHas(t *testing.T) {
	for name, maxTime := range map[string]time.Duration{"interrupted": time.Hour, "late": 50 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			silent := testenv.Must(udp.Listen(udp.Config{Addr: "127.0.0.1"}))
			defer silent.Close()
			go transport.Run(ctx, silent, func(now int64) (int64, bool) { return now + int64(time.Hour), true }, func(transport.Datagram) {
				if name == "interrupted" {
					interrupt()
				}
			})
			web := httptest.NewServer(webMaster(silent.LocalAddr().AddrPort))
			defer web.Close()
			out := testenv.Must(os.Create(filepath.Join(t.TempDir(), "out")))
			defer out.Close()
			stdout := os.Stdout
			os.Stdout = out
			c := browseCmd{Master: web.URL + "/servers.json", Timeout: time.Hour, Rate: 200, MaxTime: maxTime}
			err := c.Run(ctx)
			os.Stdout = stdout
			if interrupted := name == "interrupted"; interrupted != errors.Is(err, context.Canceled) || !interrupted && err != nil {
				t.Error(err)
			}
			testenv.Must(out.Seek(0, io.SeekStart))
			if b := testenv.Must(io.ReadAll(out)); !strings.Contains(string(b), "far away") {
				t.Errorf("printed %q", b)
			}
		})
	}
}
