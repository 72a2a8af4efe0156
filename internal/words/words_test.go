package words

import "testing"

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"1 line": Count(1, "line"), "0 lines": Count(0, "line"), "2 lines": Count(uint64(2), "line"), "-1 lines": Count(-1, "line"),
		"1 entry": Count(1, "entry"), "3 entries": Count(int64(3), "entry"), "2 days": Count(2, "day"), "2 matches": Count(2, "match"),
		"2 finishes": Count(2, "finish"), "2 boxes": Count(2, "box"), "2 team finishes": Count(int32(2), "team finish"), "5 ": Count(5, ""),
		"1 line is missing": Clause(1, "line", "is missing", "are missing"), "0 lines are missing": Clause(0, "line", "is missing", "are missing"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
