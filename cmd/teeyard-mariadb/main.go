// Command teeyard-mariadb is teeyard with ranks in a MariaDB or MySQL database that has DDNet's
// tables. Set its address with add_sqlserver in the configuration.
package main

import (
	"github.com/teeyard/teeyard/app"
	"github.com/teeyard/teeyard/rank/ddnetdb"
)

func main() {
	app.Main(app.Config{OpenDatabase: func(c app.DatabaseConfig) (app.Database, error) { return ddnetdb.Open(ddnetdb.Config(c)) }})
}
