package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/master"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/transport/udp"
	"github.com/teeyard/teeyard/web"
)

type masterCmd struct {
	Addr       string        `help:"IP address to listen on; all if empty."`
	Port       int           `help:"UDP port to listen on." default:"27010"`
	HTTP       string        `name:"http" help:"HTTP listener for the list, /servers.json and /metrics, such as localhost:8080." placeholder:"HOST:PORT"`
	State      string        `help:"File that keeps the list across restarts." placeholder:"FILE"`
	LAN        bool          `name:"lan" help:"Also list servers in local networks."`
	Legacy     string        `help:"Send the list without a challenge: never (off), in local networks (lan) or always (on)." enum:"off,lan,on" default:"lan"`
	Expire     time.Duration `help:"Time after which a server without a heartbeat is removed." default:"6m"`
	PerAddress int           `help:"Maximum number of servers per IP address." default:"14"`
	MaxServers int           `help:"Maximum number of servers." default:"20000"`
}

func (masterCmd) Help() string {
	return `Game servers register with a master server, and server browsers request its list. The master lists a
server after the server has answered a query. It does not send the list to addresses that may be
forged.

  teeyard master --http localhost:8080 --state master.json
  quakestat -hlm localhost:27010

To register a teeyard server, set sv_hl_master HOST:27010. Use --lan on a local network.`
}

// Run runs the master server until a signal ends it.
func (c *masterCmd) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // the master keeps running when the reader of its output exits
	stderr := newQueue(os.Stderr, false)
	defer stderr.Close(outputTimeout)
	legacy, err := halflife.ParseLegacyPolicy(c.Legacy)
	if err != nil {
		return err
	}
	if c.Expire <= 0 || c.PerAddress <= 0 || c.MaxServers <= 0 {
		return usageErrorf("--expire, --per-address and --max-servers must be greater than 0")
	}
	conn, err := udp.Listen(udp.Config{Addr: c.Addr, Port: c.Port})
	if err != nil {
		return err
	}
	defer conn.Close()
	m, err := master.New(master.Config{
		Send: conn.Send, ListLAN: c.LAN, Legacy: legacy, MaxPerAddress: c.PerAddress, MaxServers: c.MaxServers, ServerTimeout: c.Expire, StateFile: c.State,
		OnSaveError: func(err error) {
			fmt.Fprintf(stderr, "teeyard: the list cannot be stored: %v; trying again\n", err)
		},
	})
	if err != nil {
		return err
	}
	if err := m.Save(); err != nil {
		return fmt.Errorf("--state: %w", err) // fail now rather than when the list is lost
	}
	var listeners []net.Listener
	if c.HTTP != "" {
		if listeners, err = listenHTTP(ctx, c.HTTP); err != nil {
			return fmt.Errorf("--http: %w", err)
		}
	}
	fmt.Printf("master: listening on %v, %s\n", conn.LocalAddr(), words.Count(len(m.Servers()), "server"))
	if len(listeners) > 0 {
		defer serveHTTP(listeners, m, stop)()
	}
	return m.Run(ctx, conn)
}

// listenHTTP listens on an address that includes a port.
func listenHTTP(ctx context.Context, addr string) ([]net.Listener, error) {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		port := addr
		if _, err := strconv.ParseUint(addr, 10, 16); err != nil {
			port = "8080"
		}
		return nil, usageErrorf("%q has no host and port; write localhost:%s for this machine only, or :%s for all addresses", addr, port, port)
	}
	return web.Listen(ctx, addr, 0)
}

// serveHTTP serves the page until end is called. On failure it calls stop.
func serveHTTP(listeners []net.Listener, m *master.Master, stop func()) (end func()) {
	fmt.Printf("master: the list is at http://%v/\n", listeners[0].Addr())
	s := web.NewServer(m.Handler())
	for _, l := range listeners {
		go func() {
			if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				fmt.Fprintln(os.Stderr, "teeyard: the web page:", err)
				stop()
			}
		}()
	}
	return func() { s.Close() }
}
