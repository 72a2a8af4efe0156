package rank

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/game"
)

// A Source is a database with DDNet's tables.
type Source interface {
	// Query calls row with the columns of each row, empty for NULL. They are valid until it returns.
	Query(ctx context.Context, query string, row func(columns []string) error) error
	// UnixTime is the expression for a column of type TIMESTAMP in seconds since 1970.
	UnixTime(column string) string
}

// Imported says what an import found in tables of DDNet, and what of it is new.
type Imported struct {
	Finishes, TeamFinishes, Maps, Points, Saves int
	New                                         int
	// Refused are rows that cannot be, such as times below 0.
	Refused int
}

// ErrPrefix means that a prefix cannot be that of tables.
var ErrPrefix = errors.New("rank: a prefix has letters, digits and underscores")

// ValidPrefix reports whether the names of tables can begin with a text.
func ValidPrefix(prefix string) bool { return prefixes.MatchString(prefix) }

var prefixes = regexp.MustCompile(`^[A-Za-z0-9_]{1,32}$`)

// importBatch is how many entries Import adds at once.
const importBatch = 2000

// Import adds what DDNet's tables have, "record" being the usual prefix of their names. Repeating it adds
// what is new: rows get their IDs from what they are.
func Import(ctx context.Context, from Source, prefix string, add func([]Entry) (int, error)) (r Imported, err error) {
	if !ValidPrefix(prefix) {
		return r, fmt.Errorf("%w: %q", ErrPrefix, prefix)
	}
	var batch []Entry
	flush := func() error {
		n, err := add(batch)
		r.New += n
		batch = batch[:0]
		return err
	}
	keep := func(e Entry, columns []string) error {
		sum := sha256.Sum256([]byte(fmt.Sprint(e.Kind, e.Team) + strings.Join(columns, "\x1f")))
		copy(e.ID[:], sum[:])
		if !e.valid() {
			r.Refused++
			return nil
		}
		if batch = append(batch, e); len(batch) < importBatch {
			return nil
		}
		return flush()
	}
	checkpoints := make([]string, game.MaxCheckpoints)
	for i := range checkpoints {
		checkpoints[i] = fmt.Sprint("cp", i+1)
	}
	when := from.UnixTime("Timestamp")
	err = from.Query(ctx, "SELECT Map, Name, "+when+", Time, Server, GameID, DDNet7, "+strings.Join(checkpoints, ", ")+
		" FROM "+prefix+"_race ORDER BY Timestamp", func(c []string) error {
		r.Finishes++
		e := Entry{Kind: Finish, Map: c[0], Names: []string{c[1]}, When: seconds(c[2]), Time: ms(c[3]), Server: c[4], GameID: c[5], DDNet7: c[6] == "1"}
		for _, t := range c[7:] {
			e.Checkpoints = append(e.Checkpoints, ms(t))
		}
		return keep(e, slices.Clone(c))
	})
	if err != nil {
		return r, err
	}
	if err := importTeams(ctx, from, prefix, func(e Entry, columns []string) error {
		r.TeamFinishes++
		return keep(e, columns)
	}); err != nil {
		return r, err
	}
	// Points come after finishes, for which there are none then.
	err = from.Query(ctx, "SELECT Map, Server, Mapper, Points, Stars, "+when+" FROM "+prefix+"_maps", func(c []string) error {
		r.Maps++
		return keep(Entry{Kind: SetMap, Map: c[0], Server: c[1], Text: c[2], Points: integer(c[3]), Stars: integer(c[4]), When: seconds(c[5])}, slices.Clone(c))
	})
	if err != nil {
		return r, err
	}
	err = from.Query(ctx, "SELECT Name, Points FROM "+prefix+"_points", func(c []string) error {
		r.Points++
		return keep(Entry{Kind: SetPoints, Names: []string{c[0]}, Points: integer(c[1])}, slices.Clone(c))
	})
	if err != nil {
		return r, err
	}
	err = from.Query(ctx, "SELECT Map, Code, Savegame, "+when+", Server, SaveID FROM "+prefix+"_saves", func(c []string) error {
		r.Saves++
		return keep(Entry{Kind: Save, Map: c[0], Code: c[1], Text: c[2], When: seconds(c[3]), Server: c[4], SaveID: c[5], Names: SavedNames(c[2])}, slices.Clone(c))
	})
	if err != nil {
		return r, err
	}
	return r, flush()
}

// importTeams reads the team ranks, of which each member has a row.
func importTeams(ctx context.Context, from Source, prefix string, keep func(Entry, []string) error) error {
	var e Entry
	var of []string // columns that all rows of a team share
	flush := func() error {
		if of == nil {
			return nil
		}
		return keep(e, append(of, e.Names...))
	}
	err := from.Query(ctx, "SELECT HEX(ID), Map, "+from.UnixTime("Timestamp")+", Time, GameID, DDNet7, Name FROM "+prefix+"_teamrace ORDER BY ID, Name", func(c []string) error {
		if of != nil && of[0] == c[0] {
			e.Names = append(e.Names, strings.Clone(c[6]))
			return nil
		}
		if err := flush(); err != nil {
			return err
		}
		of = slices.Clone(c[:6])
		c = slices.Clone(c)
		e = Entry{Kind: Finish, Team: true, Map: c[1], When: seconds(c[2]), Time: ms(c[3]), GameID: c[4], DDNet7: c[5] == "1", SaveID: c[0], Names: []string{c[6]}}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// SavedNames returns the members of a team whose state was saved: the first fields of the lines after
// the first, as many as its second field says.
func SavedNames(state string) (names []string) {
	lines := strings.Split(state, "\n")
	_, rest, _ := strings.Cut(lines[0], "\t")
	count, _, _ := strings.Cut(rest, "\t")
	n := min(max(int(integer(count)), 0), len(lines)-1, game.MaxPlayers)
	for _, line := range lines[1 : 1+n] {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	return names
}

// ms returns a time that the tables have in seconds, 0 for one that is none.
func ms(text string) int32 {
	s, err := strconv.ParseFloat(text, 64)
	if t := math.Round(s * 1000); err == nil && t > 0 && t <= math.MaxInt32 {
		return int32(t)
	}
	return 0
}

func integer(text string) int32 {
	n, _ := strconv.ParseInt(text, 10, 32)
	return int32(n)
}

func seconds(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return max(n, 0)
}

// SQLite reads a file of SQLite with the program sqlite3.
type SQLite string

// UnixTime implements Source.
func (SQLite) UnixTime(column string) string { return "strftime('%s', " + column + ")" }

// Query implements Source.
func (file SQLite) Query(ctx context.Context, query string, row func([]string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sqlite3", "-readonly", "-batch", "-ascii", "-noheader", string(file), query)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("the program sqlite3 reads %s, and is not there (Debian has it in the package sqlite3): %w", file, err)
	}
	if err != nil {
		return err
	}
	// Fields end with a unit separator, rows with a record separator.
	r := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := readRow(r)
		if err == nil {
			err = row(strings.Split(line, "\x1f"))
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			cancel()
			_ = cmd.Wait()
			return err
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("read %s: %w: %s", file, err, strings.TrimSpace(complaints.String()))
	}
	return nil
}

// maxRow limits a row that sqlite3 writes, in bytes.
const maxRow = 1 << 20

func readRow(r *bufio.Reader) (string, error) {
	var row []byte
	for {
		part, err := r.ReadSlice('\x1e')
		row = append(row, part...)
		switch {
		case err == bufio.ErrBufferFull && len(row) < maxRow:
			continue
		case err == bufio.ErrBufferFull:
			return "", fmt.Errorf("a row has more than %d bytes", maxRow)
		case err != nil:
			return "", err
		}
		return string(row[:len(row)-1]), nil
	}
}
