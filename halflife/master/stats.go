package master

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/teeyard/teeyard/halflife"
)

// Drop is a reason for which a datagram was not answered.
type Drop uint8

// The reasons.
const (
	// DropUnknown is a datagram that is no request, or an answer to nothing.
	DropUnknown Drop = iota
	// DropSource is one from a port below 1024.
	DropSource
	// DropRate is one over a limit.
	DropRate
	// DropUnproven is a request for the list from an address that has echoed
	// nothing.
	DropUnproven
	// DropChallenge is a heartbeat without a valid challenge.
	DropChallenge
	// DropReserved is a heartbeat from an address that is not listed, such as one
	// of a local network.
	DropReserved
	// DropFull is a heartbeat for which there was no room, in the list or for the
	// address.
	DropFull

	// NumDrops is the number of reasons.
	NumDrops
)

var dropNames = [NumDrops]string{"unknown", "source", "rate", "unproven", "challenge", "reserved", "full"}

// String returns the reason as used for metrics.
func (d Drop) String() string { return dropNames[d%NumDrops] }

// Stats counts since the start.
type Stats struct {
	// Lists counts requests for the list by form.
	Lists [halflife.ListAll + 1]uint64
	// Hellos, Heartbeats and Shutdowns count what servers send.
	Hellos, Heartbeats, Shutdowns uint64
	// Probes, ProbesAnswered and ProbesFailed count questions to servers.
	Probes, ProbesAnswered, ProbesFailed uint64
	// Sent and SentBytes count datagrams.
	Sent, SentBytes uint64
	// Dropped counts what got no answer.
	Dropped [NumDrops]uint64
	// Listed and Waiting are how many servers there are now, on the list and not
	// yet; Players is the sum of their players.
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

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("teeyard_master_"+name, help, labels, nil)
}

var (
	descServers    = desc("servers", "Servers on the list, and those that have not shown yet that they are one.", "state")
	descPlayers    = desc("players", "Players on the servers of the list.")
	descLists      = desc("list_requests_total", "Requests for the list.", "form")
	descHeartbeats = desc("server_messages_total", "What servers sent.", "kind")
	descProbes     = desc("probes_total", "Questions to servers, and how they ended.", "result")
	descSent       = desc("sent_datagrams_total", "Datagrams sent.")
	descSentBytes  = desc("sent_bytes_total", "Bytes sent.")
	descDropped    = desc("dropped_total", "Datagrams that got no answer.", "reason")
)

// Describe implements prometheus.Collector.
func (m *Master) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descServers, descPlayers, descLists, descHeartbeats, descProbes, descSent, descSentBytes, descDropped} {
		c <- d
	}
}

// Collect implements prometheus.Collector.
func (m *Master) Collect(c chan<- prometheus.Metric) {
	s := m.Stats()
	gauge := func(d *prometheus.Desc, v int, labels ...string) {
		c <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), labels...)
	}
	counter := func(d *prometheus.Desc, v uint64, labels ...string) {
		c <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge(descServers, s.Listed, "listed")
	gauge(descServers, s.Waiting, "waiting")
	gauge(descPlayers, s.Players)
	for f, n := range s.Lists {
		counter(descLists, n, halflife.ListForm(f).String())
	}
	counter(descHeartbeats, s.Hellos, "hello")
	counter(descHeartbeats, s.Heartbeats, "heartbeat")
	counter(descHeartbeats, s.Shutdowns, "shutdown")
	counter(descProbes, s.Probes, "sent")
	counter(descProbes, s.ProbesAnswered, "answered")
	counter(descProbes, s.ProbesFailed, "failed")
	counter(descSent, s.Sent)
	counter(descSentBytes, s.SentBytes)
	for d, n := range s.Dropped {
		counter(descDropped, n, Drop(d).String())
	}
}
