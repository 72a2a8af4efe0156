package metrics

import (
	"strings"
	"testing"
)

// TestWriter compares all kinds of metrics with the examples in the format's documentation.
func TestWriter(t *testing.T) {
	var b strings.Builder
	w := NewWriter(&b, "x_")
	w.Value("up", Gauge, `A \ and`+"\nmore.", 0.25)
	w.Value("seen_total", Counter, "Seen.", 1<<53)
	w.Labelled("lost_total", Counter, "Lost.", "reason", map[string]uint64{"b": 2, "a": 1, "nowhere\n\"\\": 0})
	w.Labelled("none_total", Counter, "None.", "reason", nil)
	w.Info("build_info", "Build.", "version", `v"1`, "map", "dm1")
	w.Histogram("time_seconds", "Time.", []float64{0.0001, 0.5}, []uint64{3, 0, 2}, 1.5)
	const want = `# HELP x_up A \\ and\nmore.
# TYPE x_up gauge
x_up 0.25
# HELP x_seen_total Seen.
# TYPE x_seen_total counter
x_seen_total 9007199254740992
# HELP x_lost_total Lost.
# TYPE x_lost_total counter
x_lost_total{reason="a"} 1
x_lost_total{reason="b"} 2
x_lost_total{reason="nowhere\n\"\\"} 0
# HELP x_none_total None.
# TYPE x_none_total counter
# HELP x_build_info Build.
# TYPE x_build_info gauge
x_build_info{version="v\"1",map="dm1"} 1
# HELP x_time_seconds Time.
# TYPE x_time_seconds histogram
x_time_seconds_bucket{le="0.0001"} 3
x_time_seconds_bucket{le="0.5"} 3
x_time_seconds_bucket{le="+Inf"} 5
x_time_seconds_sum 1.5
x_time_seconds_count 5
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
