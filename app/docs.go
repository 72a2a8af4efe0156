package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/teeyard/teeyard/docs"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/handbook"
)

type docsCmd struct {
	Search string `arg:"" optional:"" help:"Words to search for, in quotation marks if there are several."`
	Listen string `help:"Address and port of the page." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
	Open   bool   `help:"Open a browser. With --no-open, only the address is printed." default:"true" negatable:""`
}

func (docsCmd) Help() string {
	return `Shows the documentation of this version in a browser, with a search, until you press Ctrl-C. It
needs no network. Only this machine can open the page, unless --listen names another address.

  teeyard docs
  teeyard docs Sv_Chat
  teeyard docs --listen 0.0.0.0:8300 --no-open`
}

// Run serves the pages until ctx ends.
func (c *docsCmd) Run(ctx context.Context) error {
	s, address, err := c.serve(ctx)
	if err != nil {
		return err
	}
	fmt.Println(address)
	if c.Open {
		openBrowser(address) // without a browser, the user has the printed address
	}
	<-ctx.Done()
	return s.Close()
}

// serve starts the server and returns the address of the first page.
func (c *docsCmd) serve(ctx context.Context) (*http.Server, string, error) {
	book, err := handbook.New(docs.Files)
	if err != nil {
		return nil, "", err
	}
	listeners, err := web.Listen(ctx, c.Listen, 0)
	if err != nil {
		return nil, "", fmt.Errorf("--listen %s: %w", c.Listen, err)
	}
	s := web.NewServer(web.NewHandler(book.Rooms()...))
	for _, l := range listeners {
		go s.Serve(l)
	}
	return s, "http://" + visible(listeners[0].Addr()) + handbook.SearchPath(strings.TrimSpace(c.Search)), nil
}

// visible returns the address of a listener as a browser on this machine can open it.
func visible(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return addr.String()
}
