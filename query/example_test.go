package query_test

import (
	"fmt"
	"strings"

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
			answer := answers.Append(nil, request, n)[10:]
			fmt.Println(strings.ReplaceAll(string(answer), "\x00", "|"))
		}
	}
	// Output: inf37|0.6.5|my server|dm1|DM|0|1|8|1|8|alice||-1|3|1|
}
