package app

import (
	"context"
	"fmt"
	"os"

	"github.com/teeyard/teeyard/rank"
)

type ranksCmd struct {
	Import ranksImportCmd `cmd:"" help:"Add the ranks, saves, points and maps of a DDNet server."`
}

type ranksImportCmd struct {
	From   string `arg:"" help:"DDNet's SQLite file (sv_sqlite_file), which the program sqlite3 reads."`
	Into   string `default:"ranks.journal" help:"The server's file of ranks (sv_ranks); the server may be running." placeholder:"FILE"`
	Prefix string `default:"record" help:"Beginning of the names of the tables." placeholder:"TEXT"`
}

// Help says what an import does with what is there.
func (*ranksImportCmd) Help() string {
	return "Repeating an import adds what is new in the file. The points of a player become those of the file if they have changed there."
}

// Run imports.
func (c *ranksImportCmd) Run(ctx context.Context) (err error) {
	if _, err := os.Stat(c.From); err != nil {
		return err
	}
	j := rank.Open(rank.Config{Path: c.Into, Report: func(text string) { fmt.Fprintln(os.Stderr, text) }})
	r, err := rank.Import(ctx, rank.SQLite(c.From), c.Prefix, j.Add)
	if closed := j.Close(); err == nil {
		err = closed
	}
	fmt.Printf("%d finishes, %d team finishes, %d maps, points of %d players, %d saves; %d of these are new", r.Finishes, r.TeamFinishes, r.Maps, r.Points, r.Saves, r.New)
	if r.Refused > 0 {
		fmt.Printf(", %d are impossible and were left out", r.Refused)
	}
	fmt.Println()
	return err
}
