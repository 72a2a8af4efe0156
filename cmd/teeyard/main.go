// Command teeyard is a Teeworlds server and toolbox.
package main

import (
	"fmt"
	"os"

	"github.com/alecthomas/kong"
)

// version is set by release builds.
var version = "dev"

type cli struct {
	Serve   serveCmd         `cmd:"" help:"Run a game server."`
	Join    joinCmd          `cmd:"" help:"Join a server to look and talk."`
	Bots    botsCmd          `cmd:"" help:"Let bots play on a server, and measure it."`
	Query   queryCmd         `cmd:"" help:"Ask a server what it is and who is there."`
	Browse  browseCmd        `cmd:"" help:"List the servers of a master."`
	Rcon    rconCmd          `cmd:"" help:"Run commands on a server's remote console."`
	Master  masterCmd        `cmd:"" help:"Run a master server of the Half-Life protocol."`
	Replay  replayCmd        `cmd:"" help:"Look at replay logs and run them again."`
	Dump    dumpCmd          `cmd:"" help:"Explain captured network traffic."`
	Version kong.VersionFlag `help:"Print the version and exit."`
}

func main() {
	// "teeyard help serve" is what many type first.
	if len(os.Args) > 1 && os.Args[1] == "help" {
		os.Args = append(append(os.Args[:1:1], os.Args[2:]...), "--help")
	}
	var c cli
	k := kong.Parse(&c,
		kong.Name("teeyard"),
		kong.Description("A game server for Teeworlds and DDNet, and a toolbox."),
		kong.UsageOnError(),
		kong.Vars{"version": "teeyard " + version},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err := k.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "teeyard:", err)
		os.Exit(1)
	}
}
