package game

import "encoding/binary"

// The storage keeps data of modes and mods for later matches and after a restart. It is outside the
// world: a request of [Storage] leaves the world as an EvStore, and the answer comes some ticks
// later as a command. So replays need no storage.

// The limits of the [Storage].
const (
	MaxStoreName  = 64   // bytes in the name of a space, key, table or row
	MaxStoreValue = 4096 // bytes in a value
	MaxStoreRows  = 100  // rows in an answer
	// maxStoreRequests is the maximum number of requests in a tick, and maxFinishes the maximum
	// with finishes.
	maxStoreRequests = 64
	maxFinishes      = maxStoreRequests + 2*MaxPlayers
)

// StoreOp selects the action of a StoreRequest.
type StoreOp uint8

// The requests and the fields that they use besides ID, Op and Space.
const (
	StorePut  StoreOp = iota + 1 // sets the value of a key, "" deletes it: Key, Value
	StoreGet                     // requests the value of a key: Key
	StoreBest                    // puts a row into a table unless the row of that name is at least as good: Key, Row, LowFirst
	StoreAdd                     // adds to the score of a row and sets its value: Key, Row
	StoreDrop                    // deletes a row: Key, Row.Name
	StoreRow                     // requests a row: Key, Row.Name
	StoreTop                     // requests the first rows: Key, LowFirst, Limit
	StoreRank                    // a request to the ranks: Rank; see [Tx.Rank]
	numStoreOps
)

// Row is a row of a table in the storage.
type Row struct {
	Name  string // unique in the table
	Score int64
	Value string
}

// StoreRequest is a request to the storage.
type StoreRequest struct {
	ID       int32 // positive, ascending in each world
	Op       StoreOp
	Space    string
	Key      string // name of the value or table
	Value    string
	Row      Row
	LowFirst bool  // lower scores are better, such as times
	Limit    int32 // 1..MaxStoreRows
	Rank     *RankRequest
}

// StoreAnswer is the answer to a StoreRequest. The answer to a write comes when the data is on
// disk.
type StoreAnswer struct {
	// ID, Op, Space and Key are copies from the request.
	ID         int32
	Op         StoreOp
	Space, Key string
	// Err is the reason why the request was rejected or failed, or "".
	Err   string
	Found bool   // whether the value or row of StoreGet or StoreRow exists
	Value string // for StoreGet
	Rows  []Row  // for StoreRow and StoreTop
	Rank  *RankAnswer
}

// StorageHook is called with the answer to each storage request of the mode and all mods. Compare
// Space and ID to find your own.
type StorageHook interface {
	OnStored(ctx *Ctx, a *StoreAnswer)
}

// Storage is a space of the storage. It keeps values and tables across matches and restarts. Use
// the mod's own name as the name of the space. A Storage is valid as long as its Tx.
//
// All methods return the ID of a request. The answer comes some ticks later in [StorageHook], with
// that ID. The ID is 0 if a name or value is too long, or if the tick already has 64 requests.
type Storage struct {
	tx    *Tx
	space string
}

// Storage returns the storage space with a name.
func (tx *Tx) Storage(space string) Storage { return Storage{tx, space} }

// Put sets the value of a key. An empty value deletes the key.
func (s Storage) Put(key, value string) int32 {
	return s.request(StoreRequest{Op: StorePut, Key: key, Value: value})
}

// Get requests the value of a key.
func (s Storage) Get(key string) int32 { return s.request(StoreRequest{Op: StoreGet, Key: key}) }

// PutBest puts r into a table, unless the row named r.Name already has an equal or better score.
// With lowFirst, lower scores are better.
func (s Storage) PutBest(table string, r Row, lowFirst bool) int32 {
	return s.request(StoreRequest{Op: StoreBest, Key: table, Row: r, LowFirst: lowFirst})
}

// Add adds r.Score to the score of the row named r.Name and sets the row's value. A new row starts
// at 0.
func (s Storage) Add(table string, r Row) int32 {
	return s.request(StoreRequest{Op: StoreAdd, Key: table, Row: r})
}

// Drop deletes a row from a table.
func (s Storage) Drop(table, name string) int32 {
	return s.request(StoreRequest{Op: StoreDrop, Key: table, Row: Row{Name: name}})
}

// Row requests a row of a table.
func (s Storage) Row(table, name string) int32 {
	return s.request(StoreRequest{Op: StoreRow, Key: table, Row: Row{Name: name}})
}

// Top requests the best n rows of a table, at most MaxStoreRows. Of rows with equal scores, the
// older one comes first.
func (s Storage) Top(table string, n int32, lowFirst bool) int32 {
	return s.request(StoreRequest{Op: StoreTop, Key: table, Limit: min(max(n, 1), MaxStoreRows), LowFirst: lowFirst})
}

func (s Storage) request(r StoreRequest) int32 {
	r.Space = s.space
	st := &s.tx.w.storage
	if st.tick != s.tx.w.tick {
		st.tick, st.inTick = s.tx.w.tick, 0
	}
	limit := int32(maxStoreRequests)
	if r.Rank != nil && r.Rank.Op == RankFinish { // those who ask much must not keep others from finishing
		limit = maxFinishes
	}
	if !r.valid() || st.inTick >= limit {
		return 0
	}
	st.inTick++
	st.lastID++
	r.ID = st.lastID
	if r.Rank != nil {
		r.Rank.ID = r.ID
	}
	s.tx.w.addEvent(Event{Kind: EvStore, Player: Nobody, Target: Nobody, Store: &r})
	return r.ID
}

// valid reports whether names and values are within the limits.
func (r *StoreRequest) valid() bool {
	return len(r.Space) <= MaxStoreName && len(r.Key) <= MaxStoreName && len(r.Row.Name) <= MaxStoreName &&
		len(r.Value) <= MaxStoreValue && len(r.Row.Value) <= MaxStoreValue
}

// storageState is the world's record of its requests.
type storageState struct {
	lastID int32
	tick   int32 // to which inTick belongs
	inTick int32
}

// visit visits the numbers of requests. Hashes lack them, so that a mode that begins to keep
// something still verifies the logs from before.
func (s *storageState) visit(v *visitor) {
	if v.op != hashing && v.extra(42, s.lastID != 0) {
		num(v, &s.lastID)
		num(v, &s.tick)
		num(v, &s.inTick)
	}
}

// Command returns the command that delivers the answer to the world.
func (a *StoreAnswer) Command() Command {
	b := binary.AppendUvarint(nil, uint64(uint32(a.ID)))
	b = append(b, byte(a.Op))
	value := a.Value
	if a.Rank != nil {
		value = a.Rank.encode()
	}
	for _, s := range []string{a.Space, a.Key, a.Err, value} {
		b = appendString(b, s)
	}
	found := byte(0)
	if a.Found {
		found = 1
	}
	b = append(b, found)
	b = binary.AppendUvarint(b, uint64(len(a.Rows)))
	for i := range a.Rows {
		r := &a.Rows[i]
		b = appendString(b, r.Name)
		b = binary.AppendVarint(b, r.Score)
		b = appendString(b, r.Value)
	}
	return Command{Kind: CmdStored, Player: Nobody, Target: Nobody, Text: string(b)}
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// parseAnswer is the inverse of StoreAnswer.Command. It returns false for an invalid text.
func parseAnswer(text string) (a StoreAnswer, ok bool) {
	b := []byte(text)
	ok = true
	number := func(read func([]byte) (uint64, int)) uint64 {
		v, n := read(b)
		if n <= 0 {
			ok, b = false, nil
			return 0
		}
		b = b[n:]
		return v
	}
	str := func(limit uint64) string {
		n := number(binary.Uvarint)
		if n > limit || n > uint64(len(b)) {
			ok, b = false, nil
			return ""
		}
		s := string(b[:n])
		b = b[n:]
		return s
	}
	signed := func(b []byte) (uint64, int) {
		v, n := binary.Varint(b)
		return uint64(v), n
	}
	id, op := number(binary.Uvarint), number(binary.Uvarint)
	longest := uint64(MaxStoreValue)
	if op == uint64(StoreRank) {
		longest = maxRankAnswer
	}
	a = StoreAnswer{ID: int32(id), Op: StoreOp(op), Space: str(MaxStoreName), Key: str(MaxStoreName), Err: str(MaxStoreValue), Value: str(longest)}
	a.Found = number(binary.Uvarint) == 1
	rows := number(binary.Uvarint)
	if id == 0 || id > 1<<31-1 || op == 0 || op >= uint64(numStoreOps) || rows > MaxStoreRows {
		return a, false
	}
	for range rows {
		a.Rows = append(a.Rows, Row{Name: str(MaxStoreName), Score: int64(number(signed)), Value: str(MaxStoreValue)})
	}
	if a.Op == StoreRank {
		if a.Rank, a.Value = parseRankAnswer(a.Value), ""; a.Rank == nil {
			return a, false
		}
		a.Rank.ID = a.ID
	}
	return a, ok && len(b) == 0
}

// applyStored handles CmdStored.
func (w *World) applyStored(cmd *Command) {
	a, ok := parseAnswer(cmd.Text)
	if !ok || a.ID > w.storage.lastID {
		return
	}
	c := w.enterHook()
	if c == nil {
		return
	}
	defer w.exitHook(c)
	for _, h := range w.hooks.storage {
		w.protect(h.of, func() { h.hook.OnStored(&c.ctx, &a) })
	}
}
