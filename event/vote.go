package event

import (
	"fmt"
	"strings"
)

// VoteKind is what a vote is about, or how it ended.
type VoteKind uint8

// The kinds of votes. VoteNone tells a new client that no vote is running.
const (
	VoteNone VoteKind = iota
	VoteOption
	VoteKick
	VoteSpectate
	VoteAborted
	VotePassed
	VoteFailed
)

var voteKindNames = [...]string{"none", "option", "kick", "spectate", "aborted", "passed", "failed"}

// String returns the name of the kind.
func (k VoteKind) String() string {
	if int(k) < len(voteKindNames) {
		return voteKindNames[k]
	}
	return fmt.Sprint(uint8(k))
}

// MarshalText returns what String does.
func (k VoteKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText is the inverse of MarshalText. Case does not matter.
func (k *VoteKind) UnmarshalText(text []byte) error {
	for i, name := range voteKindNames {
		if strings.EqualFold(name, string(text)) {
			*k = VoteKind(i)
			return nil
		}
	}
	return fmt.Errorf("event: no kind of votes %q; there are %s", text, strings.Join(voteKindNames[:], ", "))
}
