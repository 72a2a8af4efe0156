package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// Player is a row of a server's list of players.
type Player struct {
	// Index is the number in the server's answer. AppendPlayers counts from 1.
	Index int
	// Name is the player's name, at most 31 bytes.
	Name string
	// Score is the player's score, such as frags or points.
	Score int32
	// Time is how long the player has been on the server.
	Time time.Duration
	// Bot reports whether the player is a bot. Only A2S marks bots, with a time of -1 s, and not
	// all servers do so.
	Bot bool
}

// Rule is a setting of a server. The name has at most 63 bytes and the value at most 127.
type Rule struct {
	Name, Value string
}

const (
	maxPlayerName = 31
	maxRuleName   = 63
	maxRuleValue  = 127
)

// AppendPlayers appends the answer to "players" (S2A_PLAYER, 'D'): the number of rows, and as many
// rows as fit into limit bytes, at most 255. Rows are numbered from 1, since quakestat shows no
// others. Bot is ignored, see AppendA2SPlayers.
func AppendPlayers(dst []byte, players []Player, limit int) []byte {
	return appendPlayers(dst, players, limit, false)
}

// AppendA2SPlayers appends the answer to A2S_PLAYER. It differs from AppendPlayers in the time of
// -1 s that marks bots.
func AppendA2SPlayers(dst []byte, players []Player, limit int) []byte {
	return appendPlayers(dst, players, limit, true)
}

// botTime is the time in seconds that marks bots.
const botTime = -1

func appendPlayers(dst []byte, players []Player, limit int, markBots bool) []byte {
	start := len(dst)
	dst = append(append(dst, header...), kindPlayers, 0)
	n := 0
	for i := range players {
		if n == 255 {
			break
		}
		row := len(dst)
		p := &players[i]
		dst = appendString(append(dst, byte(n+1)), p.Name, maxPlayerName)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(p.Score))
		seconds := float32(p.Time.Seconds())
		if markBots && p.Bot {
			seconds = botTime
		}
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(seconds))
		if len(dst)-start > limit {
			dst = dst[:row]
			break
		}
		n++
	}
	dst[start+5] = byte(n)
	return dst
}

// ParsePlayers reads an answer made by AppendPlayers. The count in it is an upper bound: truncated
// rows are left out.
func ParsePlayers(b []byte) ([]Player, error) {
	if messageKind(b) != kindPlayers || len(b) < 6 {
		return nil, formatError("players", b)
	}
	r := reader{b: b[6:]}
	players := make([]Player, 0, min(int(b[5]), len(b)/minPlayerRow))
	for range b[5] {
		p := Player{Index: int(r.u8()), Name: r.text(), Score: int32(r.u32())}
		t := r.f32()
		p.Time, p.Bot = secondsToDuration(t), t == botTime
		if r.truncated {
			break
		}
		players = append(players, p)
	}
	return players, nil
}

// minPlayerRow is the size of the shortest row in bytes: index, NUL, score and time.
const minPlayerRow = 10

// secondsToDuration returns f seconds, limited to the range 0 to 10 years.
func secondsToDuration(f float32) time.Duration {
	const most = 10 * 365 * 24 * 60 * 60
	if !(f > 0) { // also true for NaN
		return 0
	}
	return time.Duration(float64(min(f, most)) * float64(time.Second))
}

// AppendRules appends the answer to "rules" and A2S_RULES ('E'): the number of rules, and as many
// rules as fit into limit bytes.
func AppendRules(dst []byte, rules []Rule, limit int) []byte {
	start := len(dst)
	dst = append(append(dst, header...), kindRules, 0, 0)
	n := 0
	for i := range rules {
		row := len(dst)
		dst = appendString(dst, rules[i].Name, maxRuleName)
		dst = appendString(dst, rules[i].Value, maxRuleValue)
		if len(dst)-start > limit || n == math.MaxInt16 {
			dst = dst[:row]
			break
		}
		n++
	}
	binary.LittleEndian.PutUint16(dst[start+5:], uint16(n))
	return dst
}

// ParseRules reads an answer made by AppendRules. The count in it is an upper bound: truncated
// rules are left out.
func ParseRules(b []byte) ([]Rule, error) {
	if messageKind(b) != kindRules || len(b) < 7 {
		return nil, formatError("rules", b)
	}
	n := int(binary.LittleEndian.Uint16(b[5:]))
	r := reader{b: b[7:]}
	rules := make([]Rule, 0, min(n, len(b)/2))
	for range n {
		rule := Rule{Name: r.text(), Value: r.text()}
		if r.truncated {
			break
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// String returns the rule as "name value".
func (r Rule) String() string { return fmt.Sprintf("%s %q", r.Name, r.Value) }
