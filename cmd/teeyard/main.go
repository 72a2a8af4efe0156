// Command teeyard is a Teeworlds server and toolbox.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

type commands struct {
	Serve       serveCmd         `cmd:"" help:"Run a game server."`
	Join        joinCmd          `cmd:"" help:"Join a server to watch and chat."`
	Bots        botsCmd          `cmd:"" help:"Let bots play on a server, and measure how it serves them."`
	Query       queryCmd         `cmd:"" help:"Show what a server is and who plays there."`
	Browse      browseCmd        `cmd:"" help:"List the servers of a master server."`
	Rcon        rconCmd          `cmd:"" help:"Run commands on a server's remote console."`
	Master      masterCmd        `cmd:"" help:"Run a master server of the Half-Life protocol."`
	Replay      replayCmd        `cmd:"" help:"Show, verify and cut replay logs."`
	Dump        dumpCmd          `cmd:"" help:"Explain captured network traffic."`
	Version     versionCmd       `cmd:"" help:"Print version, commit and Go version."`
	VersionFlag kong.VersionFlag `name:"version" help:"The same as the command version."`
}

// newParser returns the parser of the command line.
func newParser() *kong.Kong {
	return kong.Must(&commands{},
		kong.Name("teeyard"),
		kong.Description("A game server for Teeworlds and DDNet, and a toolbox."),
		kong.UsageOnError(),
		kong.BindToProvider(signalContext),
		kong.Vars{"version": versionText()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
}

// signalContext returns the context of commands that end in an orderly way.
func signalContext() (context.Context, error) {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	return ctx, nil
}

func main() {
	// "teeyard help serve" is the same as "teeyard serve --help".
	if len(os.Args) > 1 && os.Args[1] == "help" {
		os.Args = append(append(os.Args[:1:1], os.Args[2:]...), "--help")
	}
	parser := newParser()
	command, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)
	if err := command.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "teeyard:", err)
		os.Exit(1)
	}
}
