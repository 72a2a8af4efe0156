// Package command has the commands of teeyard-fleet for operators, as kong describes them.
package command

import (
	"os/user"
	"strings"

	"github.com/teeyard/teeyard/fleet/bus"
)

// Commands are the commands that teeyard-fleet has besides those of teeyard.
type Commands struct {
	Status statusCmd `cmd:"" help:"List the servers of a fleet with their players."`
	Bans   bansCmd   `cmd:"" help:"List, add and remove bans of a fleet."`
	Run    runCmd    `cmd:"" help:"Run a console line on servers of a fleet."`
	Say    sayCmd    `cmd:"" help:"Write a line into the chat of servers of a fleet."`
	Drain  drainCmd  `cmd:"" help:"End servers of a fleet after their matches, in batches."`
	Events eventsCmd `cmd:"" help:"Print the events of the games of a fleet."`
	Conf   confCmd   `cmd:"" help:"Write keys and permissions of a fleet for nats-server."`
}

// access are the flags of all commands.
type access struct {
	NATS  string `name:"nats" help:"NATS servers of the fleet, such as nats://HOST:4222." default:"nats://127.0.0.1:4222" placeholder:"URL" env:"TEEYARD_NATS"`
	Creds string `help:"File with your credentials for NATS." type:"existingfile" env:"TEEYARD_NATS_CREDS"`
	Fleet string `help:"Name of the fleet (sv_fleet)." default:"fleet" placeholder:"NAME" env:"TEEYARD_FLEET"`
	As    string `help:"Your name in the fleet, by default your login." placeholder:"NAME" env:"TEEYARD_FLEET_AS"`
}

// connect connects the operator.
func (a *access) connect() (*bus.Operator, error) {
	return bus.Connect(bus.Access{URL: a.NATS, Credentials: a.Creds}, a.Fleet, a.name())
}

func (a *access) name() string {
	if a.As != "" {
		return a.As
	}
	if u, err := user.Current(); err == nil {
		name := u.Username[strings.LastIndexByte(u.Username, '\\')+1:]
		if bus.CheckName("", name) == nil {
			return name
		}
	}
	return "operator"
}
