// Command teeyard-mariadb is teeyard with the ranks in a MariaDB or MySQL, which has DDNet's tables: add_sqlserver
// in the configuration says where it is.
package main

import (
	"github.com/teeyard/teeyard/app"
	"github.com/teeyard/teeyard/rank/ddnetdb"
)

func main() {
	app.Main(app.Config{OpenDatabase: func(c app.DatabaseConfig) (app.Database, error) { return ddnetdb.Open(ddnetdb.Config(c)) }})
}
