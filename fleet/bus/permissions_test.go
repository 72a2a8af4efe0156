package bus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestWriteUsers checks names and levels. TestPermissions of internal/peers/fleet checks what the
// permissions allow.
func TestWriteUsers(t *testing.T) {
	for _, test := range []struct {
		users []User
		want  string // in the error
	}{
		{[]User{{Name: "alice", Level: "admin"}, {Name: "s1"}}, ""},
		{[]User{{Name: "a.b"}}, "a.b"},
		{[]User{{Name: ">"}}, `">"`},
		{[]User{{Name: "s1"}, {Name: "s1"}}, "listed twice"},
		{[]User{{Name: "alice", Level: "root"}}, "not one of admin, moderator, helper"},
		{[]User{{Name: "op-alice"}}, "cannot begin with op-"},
	} {
		text, err := WriteUsers("ger", test.users)
		if test.want == "" {
			testenv.Check(t, err == nil && strings.Count(text, "nkey:") == len(test.users), "%v: %v", test.users, err)
		} else {
			testenv.Check(t, err != nil && strings.Contains(err.Error(), test.want), "%v: %v, want %q", test.users, err, test.want)
		}
	}
}

// TestOpenKey checks that a key stays the same, and that others cannot read its file.
func TestOpenKey(t *testing.T) {
	dir := t.TempDir()
	first, created, err := OpenKey(dir, "s1")
	testenv.Check(t, err == nil && created && strings.HasPrefix(first, "U"), "%q %v %v", first, created, err)
	again, created, err := OpenKey(dir, "s1")
	testenv.Check(t, err == nil && !created && again == first, "%q %v %v", again, created, err)
	info, err := os.Stat(filepath.Join(dir, "s1.nk"))
	testenv.Check(t, err == nil && info.Mode().Perm()&0o077 == 0 || os.PathSeparator == '\\', "%v %v", info.Mode(), err)
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, "bad.nk"), []byte("nothing"), 0o600))
	_, _, err = OpenKey(dir, "bad")
	testenv.Check(t, err != nil, "a file without a seed")
}
