package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/teeyard/teeyard/fleet/agones"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/web"
)

// agonesPort is the environment variable that Agones sets in its containers: the port of the
// sidecar.
const agonesPort = "AGONES_SDK_HTTP_PORT"

// gameServer has the settings of a server that is a GameServer of Agones.
type gameServer struct {
	enabled int // sv_agones
	empty   int // sv_agones_empty, s
	console *console.Console
}

func (g *gameServer) register(c *console.Console) error {
	g.console = c
	for _, v := range []console.IntVar{
		{Name: "sv_agones", Help: "Report the state to Agones, if the server runs in it; used when the server starts",
			Value: &g.enabled, Default: 1, Max: 1},
		{Name: "sv_agones_empty", Help: "Seconds without players after which Agones may use the server again; used when the server starts",
			Value: &g.empty, Default: 30, Max: 3600},
	} {
		v.Flags = console.Server
		if err := c.RegisterInt(v); err != nil {
			return err
		}
	}
	return c.UsedAtStart("sv_agones", "sv_agones_empty")
}

// report reports the state of the server to Agones, if Agones has started it. end reports the end
// of the server, and waits as Agones needs it.
func (g *gameServer) report(ctx context.Context, s *server.Server, monitor *web.Monitor, log *slog.Logger) (end func()) {
	port := os.Getenv(agonesPort)
	if port == "" || g.enabled == 0 {
		return func() {}
	}
	running, stop := context.WithCancel(context.Background())
	agent, err := agones.New(agones.Config{
		Game: &agonesGame{ctx: running, server: s, monitor: monitor, console: g.console},
		Port: port, Empty: time.Duration(g.empty) * time.Second,
		Log: reportTo(log, "agones"),
	})
	if err != nil {
		stop()
		log.Warn(err.Error(), logline.SystemKey, "agones")
		return func() {}
	}
	terminated, ended := signal.NotifyContext(ctx, syscall.SIGTERM) // ctx ends with Ctrl-C
	context.AfterFunc(terminated, ended)                            // the next signal has its default effect
	done := make(chan struct{})
	go func() {
		defer close(done)
		agent.Run(running)
	}()
	return func() {
		stop()
		<-done
		agent.Shutdown(terminated)
		ended()
	}
}

// agonesGame implements agones.Game.
type agonesGame struct {
	ctx     context.Context
	server  *server.Server
	monitor *web.Monitor
	console *console.Console
}

// State implements agones.Game.
func (g *agonesGame) State() agones.State {
	state := agones.State{Alive: g.monitor.Alive() == nil, Ready: g.monitor.Ready()}
	g.monitor.Last(func(s *server.Status) {
		state.Draining, state.Map, state.Capacity = s.Draining, s.Info.Map, s.Info.MaxClients
		for i := range s.Info.Clients {
			if c := &s.Info.Clients[i]; !c.Bot {
				state.Players = append(state.Players, c.Name)
			}
		}
	})
	return state
}

// Drain implements agones.Game.
func (g *agonesGame) Drain() { g.server.Do(g.ctx, func() { g.run("drain") }) }

// SetPort implements agones.Game. A port of the configuration counts more.
func (g *agonesGame) SetPort(port int) {
	const name = "sv_external_port"
	g.server.Do(g.ctx, func() {
		if g.console.Value(name) == "0" {
			g.run(fmt.Sprintf("%s %d", name, port))
		}
	})
}

// run runs a console line. Call it on the server's goroutine.
func (g *agonesGame) run(line string) {
	operator := server.Operator{Via: "agones", Level: console.LevelAdmin, Local: true}
	g.server.RunFor(&operator, line, nil, nil)
}
