package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/master"
	"github.com/teeyard/teeyard/transport/udp"
)

type masterCmd struct {
	Addr       string        `help:"Address to listen on; all of them if empty."`
	Port       int           `help:"UDP port to listen on." default:"27010"`
	HTTP       string        `name:"http" help:"Address for a page with the list, /servers.json and /metrics, such as localhost:8080." placeholder:"HOST:PORT"`
	State      string        `help:"File that keeps the list over restarts." placeholder:"FILE"`
	LAN        bool          `name:"lan" help:"List servers of local networks too."`
	Legacy     string        `help:"Who gets the list without having echoed anything." enum:"off,lan,on" default:"lan"`
	Expire     time.Duration `help:"How long a server stays without a heartbeat." default:"6m"`
	PerAddress int           `help:"How many servers an address may have." default:"14"`
	MaxServers int           `help:"How many servers there may be." default:"20000"`
}

// Help says what this is for.
func (masterCmd) Help() string {
	return `A master server of the Half-Life protocol: game servers register here, and
browsers ask for the list. Servers are listed after they have answered a question,
and the list is not sent to addresses that could be faked.

  teeyard master --http localhost:8080 --state master.json
  quakestat -hlm localhost:27010

Our game server registers with: sv_hl_master HOST:27010. On a local network, give
--lan.`
}

// Run runs the master until a signal ends it.
func (c *masterCmd) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	legacy, err := halflife.ParseLegacyPolicy(c.Legacy)
	if err != nil {
		return err
	}
	if c.Expire <= 0 || c.PerAddress <= 0 || c.MaxServers <= 0 {
		return errors.New("--expire, --per-address and --max-servers are above zero")
	}
	conn, err := udp.Listen(udp.Config{Addr: c.Addr, Port: c.Port})
	if err != nil {
		return err
	}
	defer conn.Close()
	m, err := master.New(master.Config{
		Send: conn.Send, ListLAN: c.LAN, Legacy: legacy, MaxPerAddress: c.PerAddress, MaxServers: c.MaxServers, ServerTimeout: c.Expire, StateFile: c.State,
	})
	if err != nil {
		return err
	}
	if err := m.Save(); err != nil {
		return fmt.Errorf("--state: %w", err) // better now than when the list is lost
	}
	fmt.Printf("master: listening on %v, %d servers\n", conn.LocalAddr(), len(m.Servers()))
	if c.HTTP != "" {
		end, err := c.serveHTTP(m, stop)
		if err != nil {
			return err
		}
		defer end()
	}
	return m.Run(ctx, conn)
}

// serveHTTP serves the page until end is called. When it fails, stop ends the program.
func (c *masterCmd) serveHTTP(m *master.Master, stop func()) (end func(), err error) {
	l, err := net.Listen("tcp", c.HTTP)
	if err != nil {
		return nil, err
	}
	fmt.Printf("master: the list is at http://%v/\n", l.Addr())
	s := &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	go func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "teeyard: the page:", err)
			stop()
		}
	}()
	return func() { s.Close() }, nil
}
