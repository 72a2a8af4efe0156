package game

import "encoding/json"

// The ranks are the results of races and what is asked of them. They are outside of the world like
// the storage: a [RankRequest] leaves as an EvStore, and its answer comes some ticks later as a
// command. They go by the rules of DDNet: the rank of a name is 1 plus the number of names with a
// better best time, so that equal times share one.

// RankOp is what a RankRequest asks for.
type RankOp uint8

// The requests and the fields that they use besides ID, Op and Map, and what is in the answer.
const (
	// RankFinish keeps a finish: Names, Team, Time, Checkpoints, Begin, End. Answered when it is on the
	// disk, with the Points that the player got for it.
	RankFinish RankOp = iota + 1
	// RankBest asks for the best time of all, Rows[0] if there is one, and that of Name, Own with
	// its checkpoints.
	RankBest
	// RankOf asks for the rank of Name: Own, Percent and, among the times of this server, Local.
	RankOf
	// RankTop asks for five ranks, and three Local ones: From.
	RankTop
	// RankTeamOf asks for the best team rank of Name: Own and Percent.
	RankTeamOf
	// RankTeamTop asks for five team ranks, if Name is set of that player's teams: From.
	RankTeamTop
	// RankTimes asks for the last five times, if Name is set of that player: From.
	RankTimes
	// RankPoints asks for the points of Name: Own.
	RankPoints
	// RankTopPoints asks for the five who have most points: From.
	RankTopPoints
	// RankMapInfo asks for what is known of the map with a name like Name, and for the best time that
	// Asker has there.
	RankMapInfo
	// RankSave keeps the state of a team under a code, unless that is taken: Code, Text, Names. Found says
	// whether it was kept.
	RankSave
	// RankSaved asks for what is kept under a code, which stays there: Code. Found, Save.
	RankSaved
	// RankLoad takes what RankSaved found out: Code and SaveID. Found says whether it was there; of
	// several who ask, one gets it.
	RankLoad
	// RankSaves asks how many saves on the map Name is part of: Count and, of the last one, Save.Age.
	RankSaves
	numRankOps
)

// The limits of ranks.
const (
	// MaxCheckpoints is the number of checkpoints that a finish can have.
	MaxCheckpoints = 25
	// MaxSave is the maximum size of a saved team in bytes: the size of an SQL column of type TEXT.
	MaxSave = 64<<10 - 1
	// maxRankAnswer limits an encoded answer.
	maxRankAnswer = 2*MaxSave + 4*MaxStoreValue
)

// RankRequest asks for something about ranks, or keeps something.
type RankRequest struct {
	ID int32 // as of a StoreRequest
	Op RankOp
	// Map is the name of a map, "" for the one that is played.
	Map  string `json:",omitempty"`
	Name string `json:",omitempty"` // of the player who is asked for
	// By asks, or is Nobody. Who asks again before sv_sql_queries_delay is over gets no answer.
	By    PlayerID
	Asker string `json:",omitempty"` // the name of By
	// From is the place of the first row, 1 for the best or latest; negative from the other end.
	From int32 `json:",omitempty"`

	Names       []string `json:",omitempty"` // who finished, or is in a save
	Team        bool     `json:",omitempty"` // a finish of a team; each of its players has another one
	Time        int32    `json:",omitempty"` // ms
	Checkpoints []int32  `json:",omitempty"` // ms when they were passed, 0 for those that were not
	Begin       int32    `json:",omitempty"` // tick of the start
	End         int32    `json:",omitempty"` // and of the finish

	Code   string `json:",omitempty"`
	SaveID string `json:",omitempty"`
	Text   string `json:",omitempty"`
}

// RankRow is a rank, a time or a number of points.
type RankRow struct {
	Rank   int32    `json:",omitempty"`
	Names  []string `json:",omitempty"` // several of a team
	Time   int32    `json:",omitempty"` // ms
	Points int32    `json:",omitempty"`
	// Age is how many seconds ago that was, negative if nobody knows.
	Age    int64  `json:",omitempty"`
	Server string `json:",omitempty"`
}

// RankSaveState is what is kept under a code.
type RankSaveState struct {
	ID   string   `json:",omitempty"`
	Text string   `json:",omitempty"`
	Age  int64    `json:",omitempty"` // seconds, negative if nobody knows
	Who  []string `json:",omitempty"`
}

// RankMap is what is known of a map.
type RankMap struct {
	Name, Server, Mapper string
	Points, Stars        int32
	// Age is how many seconds ago it was released, negative if nobody knows.
	Age       int64
	Finishes  int32
	Finishers int32
	Median    int32 // ms, 0 if there is none
	Own       int32 // ms, 0 if there is none
}

// RankAnswer is the answer to a RankRequest, of which it has By, Asker, Map, Name, From and Code, and, of a RankSave,
// the Text in Save.
type RankAnswer struct {
	ID    int32
	Op    RankOp
	Map   string `json:",omitempty"`
	Name  string `json:",omitempty"`
	By    PlayerID
	Asker string `json:",omitempty"`
	From  int32  `json:",omitempty"`
	Code  string `json:",omitempty"`

	// Err says why the request was refused or failed, "" if it was not.
	Err string `json:",omitempty"`
	// Server is the name of this server in the ranks.
	Server      string         `json:",omitempty"`
	Found       bool           `json:",omitempty"`
	Own         *RankRow       `json:",omitempty"`
	Checkpoints []int32        `json:",omitempty"` // of Own
	Percent     int32          `json:",omitempty"` // of names that Own is better than
	Rows        []RankRow      `json:",omitempty"`
	Local       []RankRow      `json:",omitempty"` // among the times of this server
	Points      int32          `json:",omitempty"`
	Count       int32          `json:",omitempty"`
	Save        *RankSaveState `json:",omitempty"`
	Info        *RankMap       `json:",omitempty"`
}

// Answer returns an answer to the request without a result.
func (r *RankRequest) Answer() RankAnswer {
	a := RankAnswer{ID: r.ID, Op: r.Op, Map: r.Map, Name: r.Name, By: r.By, Asker: r.Asker, From: r.From, Code: r.Code}
	if r.Op == RankSave {
		a.Save = &RankSaveState{Text: r.Text}
	}
	return a
}

// valid reports whether the request is within the limits.
func (r *RankRequest) valid() bool {
	for _, n := range r.Names {
		if len(n) > MaxStoreName {
			return false
		}
	}
	return r.Op > 0 && r.Op < numRankOps && len(r.Map) <= 2*MaxStoreName && len(r.Name) <= 2*MaxStoreName && len(r.Names) <= MaxPlayers &&
		len(r.Checkpoints) <= MaxCheckpoints && len(r.Code) <= 2*MaxStoreName && len(r.SaveID) <= MaxStoreName && len(r.Text) <= MaxSave
}

// Rank sends a request to the ranks. It returns the ID of the request, which [StorageHook] is told
// with the answer, in StoreAnswer.Rank; or 0 if something is too long or there were too many requests in
// this tick.
func (tx *Tx) Rank(r RankRequest) int32 {
	if !r.valid() {
		return 0
	}
	r.Asker = ""
	if r.By >= 0 && r.By < MaxPlayers {
		r.Asker = tx.Name(r.By)
	}
	return Storage{tx, RankSpace}.request(StoreRequest{Op: StoreRank, Rank: &r})
}

// RankOrigin is what a server adds to a request.
type RankOrigin struct {
	// ID is that of the finish, save or load: who repeats a request takes the same one.
	ID [16]byte
	// Server is the name of the server in the ranks, in DDNet's tables at most 4 bytes.
	Server string
	// GameID is the UUID of the world.
	GameID string
	// Log is the replay log that has the run, "" if there is none.
	Log string
}

// RankSpace is the storage space of all answers about ranks.
const RankSpace = "rank"

// encode returns the answer as the Value of a StoreAnswer.
func (a *RankAnswer) encode() string {
	b, err := json.Marshal(a)
	if err != nil {
		return "" // it has nothing that cannot be encoded
	}
	return string(b)
}

// parseRankAnswer is the inverse of encode, nil for what it cannot be.
func parseRankAnswer(text string) *RankAnswer {
	var first, a RankAnswer
	// What is empty or not quite UTF-8 comes out of the second pass as it would of encode.
	if json.Unmarshal([]byte(text), &first) != nil {
		return nil
	}
	text = first.encode()
	if len(text) > maxRankAnswer || json.Unmarshal([]byte(text), &a) != nil || a.Op == 0 || a.Op >= numRankOps || a.By < Nobody || a.By >= MaxPlayers {
		return nil
	}
	return &a
}
