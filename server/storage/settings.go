package storage

import "github.com/teeyard/teeyard/server/console"

// Settings holds the variables of the storage and the ranks. The comments name the variables;
// "ours" and "DDNet's" mark names that Teeworlds 0.7.5 lacks.
type Settings struct {
	Storage      string // sv_storage, ours
	Ranks        string // sv_ranks, ours
	ServerName   string // sv_sql_servername, DDNet's
	QueriesDelay int    // sv_sql_queries_delay, DDNet's
}

// Register adds the variables to a console and sets them to their defaults.
func (b *Broker) Register(c *console.Console) error {
	const sv = console.Server | console.Save
	s := &b.Settings
	for _, v := range []console.StringVar{
		{Name: "sv_storage", Help: "File for data of game types and mods, such as best times; used when the server starts",
			Value: &s.Storage, Default: "storage.journal", Size: 128},
		{Name: "sv_ranks", Help: "File for the results of races; used when the server starts", Value: &s.Ranks, Default: "ranks.journal", Size: 128},
		{Name: "sv_sql_servername", Help: "Name of this server in the ranks, at most four letters", Value: &s.ServerName, Default: "UNK", Size: 5},
	} {
		v.Flags = sv
		if err := c.RegisterString(v); err != nil {
			return err
		}
	}
	return c.RegisterInt(console.IntVar{
		Name: "sv_sql_queries_delay", Help: "Seconds between two rank commands of a player, such as /rank",
		Flags: sv, Value: &s.QueriesDelay, Default: 1, Max: 20,
	})
}
