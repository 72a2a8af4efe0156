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

// Source is a database with DDNet's tables.
type Source interface {
	// Query calls row with the columns of each row. A column is empty for NULL. There are no
	// columns if the row is too long. The columns are valid until row returns.
	Query(ctx context.Context, query string, row func(columns []string) error) error
	// UnixTime returns an SQL expression for a TIMESTAMP column in seconds since 1970. The value of
	// the expression is empty or 0 for a missing date (0000-00-00 in DDNet's tables). For an
	// invalid date its value is not a number.
	UnixTime(column string) string
}

// Imported counts the rows that an import found in DDNet's tables. New counts the entries that it
// added.
type Imported struct {
	Finishes, TeamFinishes, Maps, Points, Saves int
	New                                         int
	// Refused counts invalid rows that were left out. Such rows have no map or name, a negative
	// time, more than a MiB, or a wrong number of columns. A separator in an SQLite text causes the
	// last fault. BadPoints counts rows left out because points or stars are not numbers from 0 up.
	// BadSaves counts rows left out because no team could load the state.
	Refused, BadPoints, BadSaves int
	// Undated counts rows whose date was left out because it was invalid or in the future. Renamed
	// counts rows with shortened names.
	Undated, Renamed int
}

// ErrPrefix is returned for invalid prefixes of table names.
var ErrPrefix = errors.New("rank: a table prefix has 1 to 32 letters, digits and underscores")

// ValidPrefix reports whether prefix can begin the names of tables: 1 to 32 letters, digits and
// underscores.
func ValidPrefix(prefix string) bool { return prefixes.MatchString(prefix) }

var prefixes = regexp.MustCompile(`^[A-Za-z0-9_]{1,32}$`)

const (
	// importBatch is how many entries Import adds at once.
	importBatch = 2000
	// maxAhead is how many seconds a date may be in the future, since DDNet-Server writes local
	// times.
	maxAhead = 24 * 60 * 60
)

// Import adds the rows of DDNet's tables, whose names usually begin with "record". IDs are derived
// from the rows, so that repeating an import adds only new rows. After an error, the rows before it
// have been added.
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

// keep adds the entry for a row. date is the index of the date's column, or negative if there is
// none.
func (im *importer) keep(e Entry, columns []string, date int) error {
	dated := true
	if date >= 0 {
		e.When, dated = im.date(&columns[date])
	}
	sum := sha256.Sum256([]byte(fmt.Sprint(e.Kind, e.Team) + strings.Join(columns, "\x1f")))
	copy(e.ID[:], sum[:])
	renamed := false
	for i, name := range e.Names {
		// Clients show no longer names, and a database may reject invalid UTF-8.
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

// date returns the date in a column, or 0 if it is missing or invalid. ok is false if it is
// invalid. A text that is not a number is removed from the column.
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

// query calls row with the rows that have the expected number of columns. It counts the others as
// Refused.
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
	// The maps come after the finishes, since a finish would otherwise add the points of its map.
	err = im.query(ctx, from, "SELECT Map, Server, Mapper, Points, Stars, "+when+" FROM "+prefix+"_maps", 6, func(c []string) error {
		im.Maps++
		return im.keep(Entry{Kind: SetMap, Map: c[0], Server: c[1], Text: c[2], Points: count(c[3]), Stars: count(c[4])}, slices.Clone(c), 5)
	})
	if err != nil {
		return err
	}
	// Several names can become equal when shortened. The row with the most points comes last and
	// counts.
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

// teams reads the team ranks. The table has a row for each member.
func (im *importer) teams(ctx context.Context, from Source, prefix string) error {
	var e Entry
	var of []string // columns that the rows of a team share
	flush := func() error {
		if of == nil {
			return nil
		}
		im.TeamFinishes++
		return im.keep(e, append(of, e.Names...), 2)
	}
	err := im.query(ctx, from, "SELECT HEX(ID), Map, "+from.UnixTime("Timestamp")+", Time, GameID, DDNet7, Name FROM "+prefix+"_teamrace ORDER BY ID, Name",
		7, func(c []string) error {
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

// SavedNames returns the members of a saved team. The first line of a saved state contains the
// number of members in its second field. The first field of each following line is a name.
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

// ms returns the milliseconds of a time in seconds, or 0 if it is not a positive number.
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

// count returns a number of points or stars, or -1 if the text is not a number. An empty text means
// 0.
func count(text string) int32 {
	n, err := strconv.ParseInt(cmp.Or(text, "0"), 10, 32)
	if err != nil {
		return -1
	}
	return int32(n)
}

// SQLite is the path of an SQLite file. The program sqlite3 reads it.
type SQLite string

// UnixTime implements Source. The expression checks the text, since strftime would accept "now" and
// other texts.
func (SQLite) UnixTime(column string) string {
	return strings.ReplaceAll("CASE WHEN IFNULL(#, '') = '' OR # LIKE '0000-00-00%' THEN '' "+
		"WHEN # GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' THEN IFNULL(strftime('%s', #), 'no date') ELSE 'no date' END", "#", column)
}

// Query implements Source.
func (file SQLite) Query(ctx context.Context, query string, row func([]string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// An absolute path cannot be mistaken for an option. The mode -safe prevents views in the file
	// from running programs.
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
		return fmt.Errorf("read %s: %w; install the program sqlite3 (package sqlite3 in Debian)", file, err)
	}
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(out, 64<<10)
	limit, err := readRow(r)
	if err == nil && !slices.Equal(limit, []string{strconv.Itoa(maxHeap)}) {
		err = fmt.Errorf("sqlite3 does not accept the memory limit and prints %.99q", limit)
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
			text += fmt.Sprintf(`; copy the readable rows with "sqlite3 %s .recover | sqlite3 NEW.sqlite"`, file)
		}
		if strings.Contains(text, "out of memory") {
			text += fmt.Sprintf("; reading the file takes more than the %d MiB that sqlite3 may use", maxHeap>>20)
		}
		if strings.Contains(text, "unknown option: -safe") {
			text = "sqlite3 is older than 3.37 and cannot read files safely; install 3.37 or newer"
		}
		return fmt.Errorf("read %s: %w: %s", file, err, text)
	}
	return nil
}

const (
	// maxRow limits the bytes of a row that sqlite3 writes.
	maxRow = 1 << 20
	// maxHeap limits the memory of sqlite3 in bytes, since a view in the file can create texts of
	// any length. Sorting millions of usual rows takes a few MB.
	maxHeap = 64 << 20
)

// readRow returns the columns of the next row, or none if it is too long. A unit separator ends a
// column, a record separator a row.
func readRow(r *bufio.Reader) ([]string, error) {
	var row []byte
	for {
		part, err := r.ReadSlice('\x1e')
		if len(row) <= maxRow { // skip the bytes of a row over the limit
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
