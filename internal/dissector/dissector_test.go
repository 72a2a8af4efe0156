package dissector

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/schema"
)

// TestAllMessages checks that the file has all messages, objects and fields of the schema. The test
// with tshark is in internal/peers/tools.
func TestAllMessages(t *testing.T) {
	lua := testenv.Must(Lua())
	n := 0
	for _, version := range []string{"msg6", "msg7"} {
		s := testenv.Must(schema.Load(version))
		has := func(name string, fields []*schema.Field) {
			line := fmt.Sprintf("name = %q, ", name)
			i := strings.Index(lua, line)
			testenv.Require(t, i >= 0, "%s is missing", name)
			for _, f := range fields {
				n++
				testenv.Check(t, strings.Contains(lua, fmt.Sprintf("n = %q", f.Name)), "%s.%s is missing", name, f.Name)
			}
		}
		for _, m := range s.Messages {
			if !m.Reserved {
				has(m.Name, m.Fields)
			}
		}
		for _, o := range s.Objects {
			has(o.Name, o.Fields)
		}
	}
	testenv.Check(t, n > 300, "only %d fields", n)
	for i, line := range strings.Split(lua, "\n") {
		testenv.Check(t, !strings.Contains(line, "%!"), "line %d: %s", i+1, line)
	}
}
