package master

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/teeyard/teeyard/halflife"
)

// DropReason is a reason why a datagram was not answered.
type DropReason uint8

// The reasons.
const (
	// DropUnknown is a datagram that is no request, or an unexpected answer.
	DropUnknown DropReason = iota
	// DropSource is a datagram from a port below 1024.
	DropSource
	// DropRate is a request over a limit.
	DropRate
	// DropUnproven is a list request from an address that is not proved.
	DropUnproven
	// DropChallenge is a heartbeat without a valid challenge.
	DropChallenge
	// DropReserved is a heartbeat from an address that is never listed, such as one
	// of a local network.
	DropReserved
	// DropFull is a heartbeat of a new server when the list is full, or has too many
	// servers of its address.
	DropFull

	// NumDropReasons is the number of reasons.
	NumDropReasons
)

var dropNames = [NumDropReasons]string{"unknown", "source", "rate", "unproven", "challenge", "reserved", "full"}

// String returns the reason as used for metrics.
func (d DropReason) String() string { return dropNames[d%NumDropReasons] }

// Stats counts since the start.
type Stats struct {
	// Lists counts list requests by format.
	Lists [halflife.ListAll + 1]uint64
	// ChallengeRequests, Heartbeats and Shutdowns count the messages of servers.
	ChallengeRequests, Heartbeats, Shutdowns uint64
	// Probes, ProbesAnswered and ProbesFailed count probes of servers.
	Probes, ProbesAnswered, ProbesFailed uint64
	// Sent and SentBytes count datagrams.
	Sent, SentBytes uint64
	// Dropped counts datagrams without an answer.
	Dropped [NumDropReasons]uint64
	// Listed and Waiting are the numbers of servers that are on the list and that are
	// being probed for it; Players is the number of players on those listed.
	Listed, Waiting, Players int
}

// Stats returns the counters so far.
func (m *Master) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.stats
	for _, e := range m.servers {
		if !e.listed {
			s.Waiting++
			continue
		}
		s.Listed++
		s.Players += e.info.Players
	}
	return s
}

// writeMetrics writes the counters in the text format of Prometheus.
func (s *Stats) writeMetrics(w io.Writer) {
	family := func(name, kind, help string) {
		fmt.Fprintf(w, "# HELP teeyard_master_%s %s\n# TYPE teeyard_master_%[1]s %[3]s\n", name, help, kind)
	}
	single := func(name, kind, help string, v uint64) {
		family(name, kind, help)
		fmt.Fprintf(w, "teeyard_master_%s %d\n", name, v)
	}
	labelled := func(name, kind, help, label string, values map[string]uint64) {
		family(name, kind, help)
		for _, value := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(w, "teeyard_master_%s{%s=%q} %d\n", name, label, value, values[value])
		}
	}
	const counter, gauge = "counter", "gauge"
	dropped, lists := map[string]uint64{}, map[string]uint64{}
	for d, n := range s.Dropped {
		dropped[DropReason(d).String()] = n
	}
	for f, n := range s.Lists {
		lists[halflife.ListFormat(f).String()] = n
	}
	labelled("dropped_total", counter, "Datagrams that got no answer.", "reason", dropped)
	labelled("list_requests_total", counter, "Requests for the list.", "form", lists)
	single("players", gauge, "Players on the servers of the list.", uint64(s.Players))
	labelled("probes_total", counter, "Questions to servers, and how they ended.", "result",
		map[string]uint64{"sent": s.Probes, "answered": s.ProbesAnswered, "failed": s.ProbesFailed})
	single("sent_bytes_total", counter, "Bytes sent.", s.SentBytes)
	single("sent_datagrams_total", counter, "Datagrams sent.", s.Sent)
	labelled("server_messages_total", counter, "What servers sent.", "kind",
		map[string]uint64{"hello": s.ChallengeRequests, "heartbeat": s.Heartbeats, "shutdown": s.Shutdowns})
	labelled("servers", gauge, "Servers on the list, and those that have not shown yet that they are one.", "state",
		map[string]uint64{"listed": uint64(s.Listed), "waiting": uint64(s.Waiting)})
}
