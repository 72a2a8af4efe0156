package query_test

import (
	"fmt"

	"github.com/teeyard/teeyard/query"
)

// A server encodes its answer to a browser's request.
func ExampleReplyEncoder() {
	var answers query.ReplyEncoder
	answers.SetInfo(&query.Info{
		Version: "0.6.5", Name: "my server", Map: "dm1", GameType: "DM", MaxPlayers: 8, MaxClients: 8,
		NumPlayers: 1, NumClients: 1, Clients: []query.Client{{Name: "alice", Country: -1, Score: 3}},
	})
	datagram := query.AppendRequest(nil, query.Request{Format: query.FormatPlain6, Token: 7})

	if request, ok := query.ParseRequest6(datagram); ok {
		for n := range answers.NumDatagrams(request.Format) {
			fmt.Printf("%q\n", answers.Append(nil, request, n)[10:])
		}
	}
	// Output: "inf37\x000.6.5\x00my server\x00dm1\x00DM\x000\x001\x008\x001\x008\x00alice\x00\x00-1\x003\x001\x00"
}
