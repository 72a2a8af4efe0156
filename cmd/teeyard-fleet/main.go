// Command teeyard-fleet is teeyard for many servers: with ranks in a MariaDB or MySQL database that
// has DDNet's tables, and with a bus that connects the servers over NATS. Set the address of the
// database with add_sqlserver in the configuration, and the address of NATS with sv_nats.
package main

import (
	"github.com/teeyard/teeyard/app"
	"github.com/teeyard/teeyard/fleet/bus"
	"github.com/teeyard/teeyard/fleet/command"
	"github.com/teeyard/teeyard/rank/ddnetdb"
)

func main() {
	app.Main(app.Config{
		OpenDatabase: func(c app.DatabaseConfig) (app.Database, error) { return ddnetdb.Open(ddnetdb.Config(c)) },
		OpenBus:      func(c app.BusConfig) (app.Bus, error) { return bus.Open(bus.Config(c)) },
		Commands:     new(command.Commands),
	})
}
