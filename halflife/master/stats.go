package master

import (
	"io"

	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/metrics"
)

// DropReason is the reason why a datagram was not answered.
type DropReason uint8

// The reasons for leaving a datagram without an answer.
const (
	// DropUnknown is an unrecognised datagram or an unexpected answer.
	DropUnknown DropReason = iota
	// DropSource is a datagram from a port below 1024.
	DropSource
	// DropRate is a request over a rate limit.
	DropRate
	// DropUnproven is a list request from an address that has not passed a challenge.
	DropUnproven
	// DropChallenge is a heartbeat without a valid challenge.
	DropChallenge
	// DropReserved is a heartbeat from an address that is never listed, such as an address of a
	// local network.
	DropReserved
	// DropFull is a heartbeat of a new server when the list is full or its address has too many
	// servers.
	DropFull

	numDropReasons
)

var dropNames = [numDropReasons]string{"unknown", "source", "rate", "unproven", "challenge", "reserved", "full"}

// String returns the name of the reason in the metrics.
func (d DropReason) String() string { return dropNames[d%numDropReasons] }

// Stats holds counters since the start.
type Stats struct {
	// Lists counts list requests by format.
	Lists [wire.ListAll + 1]uint64
	// ChallengeRequests, Heartbeats and Shutdowns count the messages from game servers.
	ChallengeRequests, Heartbeats, Shutdowns uint64
	// Probes, ProbesAnswered and ProbesFailed count probes of servers.
	Probes, ProbesAnswered, ProbesFailed uint64
	// Sent and SentBytes count the datagrams sent and their bytes.
	Sent, SentBytes uint64
	// Dropped counts datagrams without an answer.
	Dropped [numDropReasons]uint64
	// Listed is the number of servers on the list, and Waiting the number of servers that have not
	// answered a probe yet. Players is the number of players on the listed servers.
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
func (s *Stats) writeMetrics(to io.Writer) {
	w := metrics.NewWriter(to, "teeyard_master_")
	dropped, lists := map[string]uint64{}, map[string]uint64{}
	for d, n := range s.Dropped {
		dropped[DropReason(d).String()] = n
	}
	for f, n := range s.Lists {
		lists[wire.ListFormat(f).String()] = n
	}
	w.Labelled("dropped_total", metrics.Counter, "Datagrams that got no answer.", "reason", dropped)
	w.Labelled("list_requests_total", metrics.Counter, "Requests for the list by format.", "form", lists)
	w.Value("players", metrics.Gauge, "Players on the listed servers.", float64(s.Players))
	w.Labelled("probes_total", metrics.Counter, "Probes of servers by result.", "result",
		map[string]uint64{"sent": s.Probes, "answered": s.ProbesAnswered, "failed": s.ProbesFailed})
	w.Value("sent_bytes_total", metrics.Counter, "Bytes sent.", float64(s.SentBytes))
	w.Value("sent_datagrams_total", metrics.Counter, "Datagrams sent.", float64(s.Sent))
	w.Labelled("server_messages_total", metrics.Counter, "Messages from servers by kind.", "kind",
		map[string]uint64{"hello": s.ChallengeRequests, "heartbeat": s.Heartbeats, "shutdown": s.Shutdowns})
	w.Labelled("servers", metrics.Gauge, "Servers on the list, and servers that have not answered a probe yet.", "state",
		map[string]uint64{"listed": uint64(s.Listed), "waiting": uint64(s.Waiting)})
}
