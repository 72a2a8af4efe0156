package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/load"
	"github.com/teeyard/teeyard/internal/words"
)

// botsReport sums up the traffic that a server sent to its clients.
type botsReport struct {
	Clients int     `json:"clients"`
	Joined  int     `json:"joined"`
	Seconds float64 `json:"seconds"`
	// Versions counts the clients by protocol version.
	Versions map[string]int `json:"versions"`
	// JoinMS is the time from the first datagram to entering the game, in ms.
	JoinMS percentiles `json:"join_ms"`
	// Snapshots is the number received per client and second.
	Snapshots   float64 `json:"snapshots"`
	CRCFailures int     `json:"crc_failures"`
	NoBase      int     `json:"no_base"`
	BadDelta    int     `json:"bad_delta"`
	BadMessage  int     `json:"bad_message"`
	// EarlyMS is the time in ms between the arrival of inputs and their tick; negative if late.
	EarlyMS   percentiles `json:"early_ms"`
	LateShare float64     `json:"late"` // share of late inputs, 0..1
	// BytesIn counts received bytes per client and second, without UDP headers.
	BytesIn float64 `json:"bytes_in"`
	// CPUShare is the share of one processor that this process used.
	CPUShare float64 `json:"cpu"`
	Error    string  `json:"error,omitempty"` // of the last client that failed
}

// percentiles describes a distribution.
type percentiles struct {
	P5  float64 `json:"p5"`
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

func percentilesOf(v []float64) percentiles {
	if len(v) == 0 {
		return percentiles{}
	}
	slices.Sort(v)
	at := func(p int) float64 { return v[(len(v)-1)*p/100] }
	return percentiles{at(5), at(50), at(95), at(99), v[len(v)-1]}
}

// newBotsReport returns the report of all bots.
func newBotsReport(all []load.Stats, span time.Duration) botsReport {
	total := load.Total(all)
	r := botsReport{
		Clients: len(all), Versions: map[string]int{}, Seconds: span.Seconds(), CPUShare: cpuTime().Seconds() / span.Seconds(),
		CRCFailures: total.CRCFailures, NoBase: total.NoBase, BadDelta: total.BadDelta, BadMessage: total.BadMessage,
	}
	var join, early []float64
	for _, s := range all {
		if s.Joined > 0 {
			r.Joined++
			r.Versions[string(s.Version)]++
			join = append(join, s.Joined.Seconds()*1000)
		}
	}
	for _, ms := range total.InputsEarly {
		early = append(early, float64(ms))
	}
	if playing := total.Playing.Seconds(); playing > 0 {
		r.Snapshots, r.BytesIn = float64(total.Snapshots)/playing, float64(total.Bytes)/playing
	}
	if len(early) > 0 {
		r.LateShare = float64(total.InputsLate) / float64(len(early))
	}
	switch err := total.Err; {
	case err == nil, errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		if r.Joined < r.Clients {
			r.Error = "the bots were still joining when --duration ended or the program was interrupted; --duration 1m gives them more time"
		}
	case errors.Is(err, client.ErrNoAnswer):
		r.Error = "no answer. " + whyNoAnswer
	default:
		r.Error = err.Error()
	}
	r.JoinMS, r.EarlyMS = percentilesOf(join), percentilesOf(early)
	return r
}

func (r *botsReport) print(w io.Writer) {
	fmt.Fprintf(w, "%d of %s joined, %.1f s\n", r.Joined, words.Count(r.Clients, "bot"), r.Seconds)
	if r.Error != "" {
		fmt.Fprintf(w, "last error      %s\n", r.Error)
	}
	if r.Joined == 0 {
		return
	}
	for _, v := range slices.Sorted(maps.Keys(r.Versions)) {
		fmt.Fprintf(w, "protocol %-6s %s\n", v, words.Count(r.Versions[v], "bot"))
	}
	line := func(what string, p percentiles) {
		fmt.Fprintf(w, "%-15s p5 %.0f  p50 %.0f  p95 %.0f  p99 %.0f  max %.0f ms\n", what, p.P5, p.P50, p.P95, p.P99, p.Max)
	}
	line("join", r.JoinMS)
	fmt.Fprintf(w, "snapshots       %.1f per client and second\n", r.Snapshots)
	fmt.Fprintf(w, "failures        %d CRC, %d without base, %d bad deltas, %d bad messages\n", r.CRCFailures, r.NoBase, r.BadDelta, r.BadMessage)
	line("inputs early by", r.EarlyMS)
	fmt.Fprintf(w, "inputs late     %.2f %%\n", r.LateShare*100)
	fmt.Fprintf(w, "received        %.1f kB per client and second\n", r.BytesIn/1000)
	fmt.Fprintf(w, "own CPU usage   %.0f %% of one core\n", r.CPUShare*100)
}
