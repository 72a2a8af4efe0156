package rank

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// A Source is a database with DDNet's tables.
type Source interface {
	// Query calls row with the columns of each row, empty for NULL, and with none for a row that is too long. They are valid
	// until it returns.
	Query(ctx context.Context, query string, row func(columns []string) error) error
	// UnixTime is the expression for a column of type TIMESTAMP in seconds since 1970: empty or 0 if it has none, as DDNet
	// has 0000-00-00, and another text if it has no date.
	UnixTime(column string) string
}

// Imported says what an import found in tables of DDNet, and what of it is new.
type Imported struct {
	Finishes, TeamFinishes, Maps, Points, Saves int
	New                                         int
	// Refused are rows that cannot be, such as those without a map or name, with times below 0, of more than a MiB, or with more or
	// fewer columns, as a separator in a text of SQLite makes them. BadPoints are others with
	// points or stars that are no numbers from 0 up, and BadSaves with states that no team could load. All these were left out.
	Refused, BadPoints, BadSaves int
	// Undated are rows that lost a date that is none or in the future, and Renamed those with names that were cut.
	Undated, Renamed int
}

// ErrPrefix means that a prefix cannot be that of tables.
var ErrPrefix = errors.New("rank: a prefix has letters, digits and underscores")

// ValidPrefix reports whether the names of tables can begin with a text.
func ValidPrefix(prefix string) bool { return prefixes.MatchString(prefix) }

var prefixes = regexp.MustCompile(`^[A-Za-z0-9_]{1,32}$`)

const (
	// importBatch is how many entries Import adds at once.
	importBatch = 2000
	// maxAhead is how many seconds a date may be ahead: DDNet-Server writes those of its time zone.
	maxAhead = 24 * 60 * 60
)

// Import adds what DDNet's tables have, "record" being the usual prefix of their names. Repeating it adds
// what is new: rows get their IDs from what they are. After an error, what was read before it has been added.
func Import(ctx context.Context, from Source, prefix string, add func([]Entry) (int, error)) (Imported, error) {
	if !ValidPrefix(prefix) {
		return Imported{}, fmt.Errorf("%w: %q", ErrPrefix, prefix)
	}
	im := importer{add: add, now: time.Now().Unix()}
	err := im.tables(ctx, from, prefix)
	err = errors.Join(err, im.flush())
	return im.Imported, err
}

type importer struct {
	Imported
	add   func([]Entry) (int, error)
	batch []Entry
	now   int64
}

func (im *importer) flush() error {
	if len(im.batch) == 0 {
		return nil
	}
	n, err := im.add(im.batch)
	im.New += n
	im.batch = im.batch[:0]
	return err
}

// keep adds the entry that columns make, of which the one with the number date is its date; negative if there is none.
func (im *importer) keep(e Entry, columns []string, date int) error {
	dated := true
	if date >= 0 {
		e.When, dated = im.date(&columns[date])
	}
	sum := sha256.Sum256([]byte(fmt.Sprint(e.Kind, e.Team) + strings.Join(columns, "\x1f")))
	copy(e.ID[:], sum[:])
	renamed := false
	for i, name := range e.Names {
		// A client shows no more, and a database may refuse what is not UTF-8.
		e.Names[i] = game.CutName(strings.ToValidUTF8(name, "?"))
		renamed = renamed || e.Names[i] != name
	}
	nameless := e.Kind != SetPoints && e.Map == "" || e.Kind != Save && slices.Contains(e.Names, "")
	switch {
	case nameless || !e.valid():
		im.Refused++
		return nil
	case e.Points < 0 || e.Stars < 0:
		im.BadPoints++
		return nil
	case e.Kind == Save:
		if _, err := ddrace.ParseSavedTeam(e.Text); err != nil {
			im.BadSaves++
			return nil
		}
	}
	if !dated {
		im.Undated++
	}
	if renamed {
		im.Renamed++
	}
	if im.batch = append(im.batch, e); len(im.batch) < importBatch {
		return nil
	}
	return im.flush()
}

// date returns the date of a column, 0 if it has none or one that cannot be, and whether that is what it has. What is no
// date is taken out of the column.
func (im *importer) date(column *string) (when int64, ok bool) {
	if *column == "" {
		return 0, true
	}
	when, err := strconv.ParseInt(*column, 10, 64)
	if err != nil {
		*column = ""
	}
	if err != nil || when < 0 || when > im.now+maxAhead {
		return 0, false
	}
	return when, true
}

// query calls row with the rows that have as many columns as the query asks for.
func (im *importer) query(ctx context.Context, from Source, query string, columns int, row func([]string) error) error {
	return from.Query(ctx, query, func(c []string) error {
		if len(c) != columns {
			im.Refused++
			return nil
		}
		return row(c)
	})
}

func (im *importer) tables(ctx context.Context, from Source, prefix string) error {
	checkpoints := make([]string, game.MaxCheckpoints)
	for i := range checkpoints {
		checkpoints[i] = fmt.Sprint("cp", i+1)
	}
	when := from.UnixTime("Timestamp")
	err := im.query(ctx, from, "SELECT Map, Name, "+when+", Time, Server, GameID, DDNet7, "+strings.Join(checkpoints, ", ")+
		" FROM "+prefix+"_race ORDER BY Timestamp", 7+len(checkpoints), func(c []string) error {
		im.Finishes++
		e := Entry{Kind: Finish, Map: c[0], Names: []string{c[1]}, Time: ms(c[3]), Server: c[4], GameID: c[5], DDNet7: c[6] == "1"}
		for _, t := range c[7:] {
			e.Checkpoints = append(e.Checkpoints, ms(t))
		}
		return im.keep(e, slices.Clone(c), 2)
	})
	if err != nil {
		return err
	}
	if err := im.teams(ctx, from, prefix); err != nil {
		return err
	}
	// Points come after finishes, for which there are none then.
	err = im.query(ctx, from, "SELECT Map, Server, Mapper, Points, Stars, "+when+" FROM "+prefix+"_maps", 6, func(c []string) error {
		im.Maps++
		return im.keep(Entry{Kind: SetMap, Map: c[0], Server: c[1], Text: c[2], Points: count(c[3]), Stars: count(c[4])}, slices.Clone(c), 5)
	})
	if err != nil {
		return err
	}
	// Of names that are the same when they are cut, the most points count.
	err = im.query(ctx, from, "SELECT Name, Points FROM "+prefix+"_points ORDER BY Points", 2, func(c []string) error {
		im.Points++
		return im.keep(Entry{Kind: SetPoints, Names: []string{c[0]}, Points: count(c[1])}, slices.Clone(c), -1)
	})
	if err != nil {
		return err
	}
	return im.query(ctx, from, "SELECT Map, Code, Savegame, "+when+", Server, SaveID FROM "+prefix+"_saves", 6, func(c []string) error {
		im.Saves++
		return im.keep(Entry{Kind: Save, Map: c[0], Code: c[1], Text: c[2], Server: c[4], SaveID: c[5], Names: SavedNames(c[2])}, slices.Clone(c), 3)
	})
}

// teams reads the team ranks, of which each member has a row.
func (im *importer) teams(ctx context.Context, from Source, prefix string) error {
	var e Entry
	var of []string // columns that all rows of a team share
	flush := func() error {
		if of == nil {
			return nil
		}
		im.TeamFinishes++
		return im.keep(e, append(of, e.Names...), 2)
	}
	err := im.query(ctx, from, "SELECT HEX(ID), Map, "+from.UnixTime("Timestamp")+", Time, GameID, DDNet7, Name FROM "+prefix+"_teamrace ORDER BY ID, Name", 7, func(c []string) error {
		if of != nil && of[0] == c[0] {
			e.Names = append(e.Names, strings.Clone(c[6]))
			return nil
		}
		if err := flush(); err != nil {
			return err
		}
		of = slices.Clone(c[:6])
		c = slices.Clone(c)
		e = Entry{Kind: Finish, Team: true, Map: c[1], Time: ms(c[3]), GameID: c[4], DDNet7: c[5] == "1", SaveID: c[0], Names: []string{c[6]}}
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

// count returns a number of points or stars, -1 for a text that is none. DDNet's tables have 0 where there is none.
func count(text string) int32 {
	n, err := strconv.ParseInt(cmp.Or(text, "0"), 10, 32)
	if err != nil {
		return -1
	}
	return int32(n)
}

// SQLite reads a file of SQLite with the program sqlite3.
type SQLite string

// UnixTime implements Source. A column can have any text, of which strftime would take "now".
func (SQLite) UnixTime(column string) string {
	return strings.ReplaceAll("CASE WHEN IFNULL(#, '') = '' OR # LIKE '0000-00-00%' THEN '' "+
		"WHEN # GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' THEN IFNULL(strftime('%s', #), 'no date') ELSE 'no date' END", "#", column)
}

// Query implements Source.
func (file SQLite) Query(ctx context.Context, query string, row func([]string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A whole path is no option. Views in the file can call functions that run programs, unless the mode is safe.
	path, err := filepath.Abs(string(file))
	if err != nil {
		return err
	}
	query = fmt.Sprintf("PRAGMA hard_heap_limit=%d; %s", maxHeap, query)
	cmd := exec.CommandContext(ctx, "sqlite3", "-safe", "-readonly", "-batch", "-ascii", "-noheader", path, query)
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
	r := bufio.NewReaderSize(out, 64<<10)
	limit, err := readRow(r)
	if err == nil && !slices.Equal(limit, []string{strconv.Itoa(maxHeap)}) {
		err = fmt.Errorf("sqlite3 takes no limit of its memory, and answers %.99q", limit)
	}
	for err == nil {
		var columns []string
		if columns, err = readRow(r); err == nil {
			err = row(columns)
		}
	}
	if err != io.EOF {
		cancel()
		_ = cmd.Wait()
		return err
	}
	if err := cmd.Wait(); err != nil {
		text := strings.TrimSpace(complaints.String())
		if strings.Contains(text, "malformed") {
			text += fmt.Sprintf(`; "sqlite3 %s .recover | sqlite3 NEW.sqlite" makes a file of what can be read`, file)
		}
		if strings.Contains(text, "out of memory") {
			text += fmt.Sprintf("; what is in the file takes more than the %d MiB that sqlite3 may use", maxHeap>>20)
		}
		if strings.Contains(text, "unknown option: -safe") {
			text = "sqlite3 3.37 or later is needed, which can read files without running what is in them"
		}
		return fmt.Errorf("read %s: %w: %s", file, err, text)
	}
	return nil
}

const (
	// maxRow limits a row that sqlite3 writes, in bytes.
	maxRow = 1 << 20
	// maxHeap limits the memory of sqlite3, in bytes: a view in the file can make texts of any length. To sort millions of
	// usual rows it takes a few MB.
	maxHeap = 64 << 20
)

// readRow returns the columns of the next row, none if it is too long. Columns end with a unit separator, rows with a record
// separator.
func readRow(r *bufio.Reader) ([]string, error) {
	var row []byte
	for {
		part, err := r.ReadSlice('\x1e')
		if len(row) <= maxRow { // of a longer one only the end counts
			row = append(row, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil:
			return nil, err
		case len(row) > maxRow:
			return nil, nil
		}
		return strings.Split(string(row[:len(row)-1]), "\x1f"), nil
	}
}
