// Package query tells what game servers are: it answers server browsers, and asks
// servers as browsers do, in every form that Teeworlds 0.7, 0.6 and DDNet use.
//
// # One record
//
// An Info is what all forms have in common. A server keeps one and lets Answers
// encode it; whoever asks gets one from Host, Ask or an Asker, whatever the server
// speaks. Package query/master lists servers and announces them.
//
// # The forms
//
//	Form            request          answer            limits
//	FormatPlain6      gie3             inf3              16 clients; more are hinted at in the name
//	FormatExtended6   gie3, "xe" head  iext, iex+ ...    64 datagrams
//	FormatLegacy64    fstd             dtsf ...          24 clients per datagram
//	Form7           gie3 with token  inf3              64 clients in one datagram
//
// In 0.6 numbers are decimal texts, in 0.7 packed integers. 0.7 proves the asker's
// address by a token before it says anything; 0.6 does not, and its answers are
// longer than the requests. Whoever serves it spends bytes of a Budget.
package query
