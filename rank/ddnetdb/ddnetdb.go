// Package ddnetdb stores ranks in a MariaDB or MySQL database with DDNet's tables. Several servers
// can share it with the web pages and tools of a community. The package needs a database driver, so
// only separate programs import it.
//
// The package is not a nested module, because the driver is small: with database/sql it compiles in
// a few seconds. Package rank reads DDNet's SQLite files with the program sqlite3. An SQLite driver
// in Go would take longer to compile than the rest of the program.
package ddnetdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/rank"
)

// Config is the configuration of a Store.
type Config struct {
	Addr     string // HOST:PORT, or the path of a Unix socket
	User     string
	Password string
	Database string
	// Prefix begins the names of the tables; empty means "record".
	Prefix string
}

// Store is a database with DDNet's tables. It is safe for concurrent use.
type Store struct {
	db     *sql.DB
	cfg    *mysql.Config
	prefix string
	name   string
}

var (
	_ rank.Remote = (*Store)(nil)
	_ rank.Source = (*Store)(nil)
)

// Open returns a Store. The database need not exist yet. The error wraps rank.ErrPrefix, or comes
// from the driver.
func Open(cfg Config) (*Store, error) {
	if cfg.Prefix == "" {
		cfg.Prefix = "record"
	}
	if !rank.ValidPrefix(cfg.Prefix) {
		return nil, fmt.Errorf("%w: %q", rank.ErrPrefix, cfg.Prefix)
	}
	c := mysql.NewConfig()
	c.User, c.Passwd, c.DBName, c.Addr, c.Net = cfg.User, cfg.Password, cfg.Database, cfg.Addr, "tcp"
	if strings.HasPrefix(cfg.Addr, "/") {
		c.Net = "unix"
	}
	// These timeouts detect a connection that was cut off.
	c.Timeout, c.ReadTimeout, c.WriteTimeout = 5*time.Second, 10*time.Second, 10*time.Second
	c.Collation, c.InterpolateParams, c.ClientFoundRows = "utf8mb4_bin", false, false
	c.Params = map[string]string{"time_zone": "'+00:00'", "sql_mode": "''"}
	c.Logger = silent{}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(4)
	db.SetConnMaxIdleTime(time.Minute)
	return &Store{db, c, cfg.Prefix, cfg.Database + "@" + cfg.Addr + "/" + cfg.Prefix}, nil
}

type silent struct{}

func (silent) Print(...any) {}

// Close closes the connections.
func (s *Store) Close() error { return s.db.Close() }

// Name implements rank.Remote.
func (s *Store) Name() string { return s.name }

// with replaces # with the prefix of the tables.
func (s *Store) with(query string) string { return strings.ReplaceAll(query, "#", s.prefix) }

// Setup creates the database and missing tables: DDNet's tables with their names, columns and keys,
// and one of our own with the IDs of delivered entries.
func (s *Store) Setup(ctx context.Context) error {
	if err := s.create(ctx); err != nil {
		return err
	}
	var checkpoints strings.Builder
	for i := range game.MaxCheckpoints {
		fmt.Fprintf(&checkpoints, "cp%d FLOAT DEFAULT 0, ", i+1)
	}
	const (
		key  = "VARCHAR(128) COLLATE utf8mb4_bin NOT NULL"
		name = "VARCHAR(16) COLLATE utf8mb4_bin NOT NULL"
		when = "TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP"
	)
	for _, columns := range []string{
		"race (Map " + key + ", Name " + name + ", Timestamp " + when + ", Time FLOAT DEFAULT 0, Server CHAR(4), " + checkpoints.String() +
			"GameID VARCHAR(64), DDNet7 BOOL DEFAULT FALSE, PRIMARY KEY (Map, Name, Time, Timestamp, Server))",
		"teamrace (Map " + key + ", Name " + name + ", Timestamp " + when +
			", Time FLOAT DEFAULT 0, ID VARBINARY(16) NOT NULL, GameID VARCHAR(64), DDNet7 BOOL DEFAULT FALSE, PRIMARY KEY (ID, Name))",
		"maps (Map " + key + ", Server VARCHAR(32) COLLATE utf8mb4_bin NOT NULL, Mapper " + key +
			", Points INT DEFAULT 0, Stars INT DEFAULT 0, Timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (Map))",
		"saves (Savegame TEXT COLLATE utf8mb4_bin NOT NULL, Map " + key + ", Code " + key + ", Timestamp " +
			when + ", Server CHAR(4), DDNet7 BOOL DEFAULT FALSE, SaveID VARCHAR(36) DEFAULT NULL, PRIMARY KEY (Map, Code))",
		"points (Name " + name + ", Points INT DEFAULT 0, PRIMARY KEY (Name))",
		// For a loaded save the row contains the text, to answer a repeated request.
		"delivered (ID BINARY(16) NOT NULL, Timestamp " + when + ", Savegame TEXT COLLATE utf8mb4_bin, PRIMARY KEY (ID)) ENGINE=InnoDB",
	} {
		if _, err := s.db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+s.prefix+"_"+columns); err != nil {
			return err
		}
	}
	return nil
}

// create creates the database if it does not exist.
func (s *Store) create(ctx context.Context) error {
	err := s.db.PingContext(ctx)
	if !isError(err, errNoDatabase) {
		return err
	}
	cfg := s.cfg.Clone()
	cfg.DBName = ""
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	_, err = db.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS `"+strings.ReplaceAll(s.cfg.DBName, "`", "``")+"` CHARACTER SET utf8mb4")
	return err
}

// Error numbers of MariaDB.
const (
	errNoDatabase  = 1049
	errChanged     = 1020 // by another transaction, with innodb_snapshot_isolation
	errLockTimeout = 1205
	errDeadlock    = 1213
)

// isError reports whether err is an error of MariaDB with one of the numbers. Without numbers any
// of its errors will do.
func isError(err error, numbers ...uint16) bool {
	var e *mysql.MySQLError
	return errors.As(err, &e) && (len(numbers) == 0 || slices.Contains(numbers, e.Number))
}

// conflictTries is how often a transaction is tried when it conflicts with others.
const conflictTries = 10

// transact runs f in a transaction and tries again on conflicts with others. After an error other
// than rank.ErrUnsure nothing has changed.
func (s *Store) transact(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range conflictTries {
		if err = s.try(ctx, f); !isError(err, errChanged, errLockTimeout, errDeadlock) {
			break
		}
	}
	return err
}

func (s *Store) try(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		if isError(err, errChanged, errLockTimeout, errDeadlock) {
			return err
		}
		return fmt.Errorf("%w: %w", rank.ErrUnsure, err)
	}
	return nil
}

// noteID records the ID of a delivered entry.
const noteID = "INSERT IGNORE INTO #_delivered(ID) VALUES (?)"

// isNew records an ID and reports whether it was new.
func (s *Store) isNew(ctx context.Context, tx *sql.Tx, id rank.ID) (bool, error) {
	res, err := tx.ExecContext(ctx, s.with(noteID), id[:])
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Ping implements rank.Remote.
func (s *Store) Ping(ctx context.Context) error { return s.db.PingContext(ctx) }

// Deliver implements rank.Remote. A transaction contains entries and their IDs, so each entry is
// added once, whenever the connection or the database fails.
func (s *Store) Deliver(ctx context.Context, entries []rank.Entry) error {
	err := s.deliver(ctx, entries)
	if len(entries) == 1 || !isError(err) {
		return err
	}
	// Deliver each entry alone, so that the entries before the rejected one are stored.
	for i := range entries {
		if err := s.deliver(ctx, entries[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) deliver(ctx context.Context, entries []rank.Entry) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		d := &delivery{Store: s, tx: tx, entries: entries, prepared: map[string]*sql.Stmt{}}
		for i := range entries {
			if err := d.add(ctx, &entries[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// delivery adds entries within a transaction.
type delivery struct {
	*Store
	tx       *sql.Tx
	entries  []rank.Entry
	prepared map[string]*sql.Stmt
	// teams holds the team ranks in the tables for the teams in entries, by teamKey. It is nil
	// until the first lookup.
	teams map[string]*team
}

// team is a team rank in the tables.
type team struct {
	id   []byte
	time float64 // seconds
}

func teamKey(mapName string, names []string) string {
	return mapName + "\x00" + strings.Join(names, "\x00")
}

// exec runs a statement. It prepares each statement once per delivery.
func (d *delivery) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt := d.prepared[query]
	if stmt == nil {
		var err error
		if stmt, err = d.tx.PrepareContext(ctx, d.with(query)); err != nil {
			return nil, err
		}
		d.prepared[query] = stmt
	}
	return stmt.ExecContext(ctx, args...)
}

func (d *delivery) add(ctx context.Context, e *rank.Entry) error {
	res, err := d.exec(ctx, noteID, e.ID[:])
	if err != nil {
		return err
	}
	switch n, err := res.RowsAffected(); {
	case err != nil || n == 0: // the entry was delivered before
		return err
	case e.Kind == rank.Finish && e.Team:
		return d.addTeam(ctx, e)
	case e.Kind == rank.Finish:
		return d.addFinish(ctx, e)
	default:
		return d.addImported(ctx, e)
	}
}

func (d *delivery) addFinish(ctx context.Context, e *rank.Entry) error {
	name := e.Names[0]
	// The first finish on a map earns its points. The row is locked, so that only one of two
	// servers adds them.
	_, err := d.exec(ctx, "INSERT INTO #_points(Name, Points) SELECT ?, Points FROM #_maps WHERE Map = ? AND NOT EXISTS "+
		"(SELECT 1 FROM #_race WHERE Map = ? AND Name = ?) ON DUPLICATE KEY UPDATE Points = #_points.Points + VALUES(Points)", name, e.Map, e.Map, name)
	if err != nil {
		return err
	}
	args := []any{e.Map, name, e.When, decimal(e.Time), cut(e.Server, 4), e.GameID, e.DDNet7}
	columns := ""
	for i := range game.MaxCheckpoints {
		columns += fmt.Sprint(", cp", i+1)
		t := int32(0)
		if i < len(e.Checkpoints) {
			t = e.Checkpoints[i]
		}
		args = append(args, decimal(t))
	}
	_, err = d.exec(ctx, "INSERT IGNORE INTO #_race(Map, Name, Timestamp, Time, Server, GameID, DDNet7"+columns+") VALUES (?, ?, FROM_UNIXTIME(?)"+
		strings.Repeat(", ?", len(args)-3)+")", args...)
	return err
}

// findTeams looks up the teams of all entries at once. DDNet's table has no index for this, so
// every query reads the whole table.
func (d *delivery) findTeams(ctx context.Context) error {
	d.teams = map[string]*team{}
	var members []any // one per team
	for i := range d.entries {
		if e := &d.entries[i]; e.Kind == rank.Finish && e.Team {
			members = append(members, e.Map, slices.Min(e.Names))
		}
	}
	rows, err := d.tx.QueryContext(ctx, d.with("SELECT r.ID, r.Map, r.Name, r.Time FROM (SELECT ID FROM "+
		"#_teamrace WHERE DDNet7 = FALSE AND (Map, Name) IN ((?, ?)"+
		strings.Repeat(", (?, ?)", len(members)/2-1)+")) AS l INNER JOIN #_teamrace AS r ON l.ID = r.ID FOR UPDATE"), members...)
	if err != nil {
		return err
	}
	defer rows.Close()
	type found struct {
		mapName string
		names   []string
		time    float64
	}
	teams := map[string]*found{}
	for rows.Next() {
		var id []byte
		var mapName, name string
		var time float64
		if err := rows.Scan(&id, &mapName, &name, &time); err != nil {
			return err
		}
		t := teams[string(id)]
		if t == nil {
			t = &found{mapName: mapName, time: time}
			teams[string(id)] = t
		}
		if !slices.Contains(t.names, name) { // it appears once for each member in the query
			t.names = append(t.names, name)
		}
	}
	for id, t := range teams {
		slices.Sort(t.names)
		key := teamKey(t.mapName, t.names)
		if same := d.teams[key]; same == nil || t.time < same.time {
			d.teams[key] = &team{[]byte(id), t.time}
		}
	}
	return rows.Err()
}

// addTeam adds a team rank, or improves the rank of a team with the same players.
func (d *delivery) addTeam(ctx context.Context, e *rank.Entry) error {
	if d.teams == nil {
		if err := d.findTeams(ctx); err != nil {
			return err
		}
	}
	names := slices.Sorted(slices.Values(e.Names))
	key, time := teamKey(e.Map, names), float64(e.Time)/1000
	if t := d.teams[key]; t != nil {
		if time >= t.time {
			return nil
		}
		t.time = time
		_, err := d.exec(ctx, "UPDATE #_teamrace SET Time = ?, Timestamp = FROM_UNIXTIME(?), DDNet7 = FALSE, GameID = ? WHERE ID = ?",
			decimal(e.Time), e.When, e.GameID, t.id)
		return err
	}
	id := e.TeamID()
	for _, name := range names {
		_, err := d.exec(ctx, "INSERT IGNORE INTO #_teamrace(Map, Name, Timestamp, Time, ID, GameID, DDNet7) VALUES (?, ?, FROM_UNIXTIME(?), ?, ?, ?, ?)",
			e.Map, name, e.When, decimal(e.Time), id[:], e.GameID, e.DDNet7)
		if err != nil {
			return err
		}
	}
	if !e.DDNet7 {
		d.teams[key] = &team{id[:], time}
	}
	return nil
}

// addImported adds imported entries that are not finishes. An import never makes existing rows
// worse: maps do not change, players do not lose points, and a save whose code is in use gets
// another code.
func (d *delivery) addImported(ctx context.Context, e *rank.Entry) error {
	switch e.Kind {
	case rank.SetMap:
		_, err := d.exec(ctx, "INSERT IGNORE INTO #_maps(Map, Server, Mapper, Points, Stars, Timestamp) VALUES (?, ?, ?, ?, ?, FROM_UNIXTIME(?))",
			e.Map, e.Server, e.Text, e.Points, e.Stars, e.When)
		return err
	case rank.SetPoints:
		_, err := d.exec(ctx, "INSERT INTO #_points(Name, Points) VALUES (?, ?) ON DUPLICATE KEY UPDATE Points = GREATEST(#_points.Points, VALUES(Points))",
			e.Names[0], e.Points)
		return err
	case rank.Save:
		code := e.Code
		for n := 2; ; n++ {
			res, err := d.exec(ctx, "INSERT IGNORE INTO #_saves(Savegame, Map, Code, Timestamp, Server, "+
				"SaveID, DDNet7) VALUES (?, ?, ?, FROM_UNIXTIME(?), ?, NULLIF(?, ''), FALSE)",
				e.Text, e.Map, code, e.When, cut(e.Server, 4), e.SaveID)
			if err != nil {
				return err
			}
			if rows, err := res.RowsAffected(); err != nil || rows == 1 {
				return err
			}
			var same bool
			if err := d.tx.QueryRowContext(ctx, d.with("SELECT Savegame = ? FROM #_saves WHERE Map = ? AND Code = ?"),
				e.Text, e.Map, code).Scan(&same); err != nil || same {
				return err
			}
			code = fmt.Sprint(cut(e.Code, 120), " ", n)
		}
	}
	return nil
}

// decimal returns milliseconds as seconds with two decimals, the format of DDNet.
func decimal(ms int32) string { return fmt.Sprintf("%.2f", float64(ms)/1000) }

func cut(s string, n int) string { return s[:min(len(s), n)] }

// UnixTime implements rank.Source.
func (*Store) UnixTime(column string) string { return "UNIX_TIMESTAMP(" + column + ")" }

// Query implements rank.Source.
func (s *Store) Query(ctx context.Context, query string, row func([]string) error) error {
	return s.query(ctx, query, nil, row)
}

func (s *Store) query(ctx context.Context, query string, args []any, row func([]string) error) error {
	// A prepared query returns times with all digits, others only six.
	stmt, err := s.db.PrepareContext(ctx, s.with(query))
	if err != nil {
		return err
	}
	defer stmt.Close()
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]sql.NullString, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	columns := make([]string, len(names))
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i := range values {
			columns[i] = values[i].String
		}
		if err := row(columns); err != nil {
			return err
		}
	}
	return rows.Err()
}
