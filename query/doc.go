// Package query implements the server info that browsers show, in all formats of Teeworlds 0.7, 0.6
// and DDNet. Clients request the info, and servers answer with it.
//
// An Info holds the fields of all formats. A server encodes it with a ReplyEncoder. AskHost, Ask
// and AskAll return an Info from a server of any version.
//
// Package query/master lists servers and registers them.
//
// # Formats
//
//	Format           request          answer            limits
//	FormatPlain6     gie3             inf3              16 clients; the name has the count of more
//	FormatExtended6  gie3, "xe" head  iext, iex+ ...    64 datagrams
//	FormatLegacy64   fstd             dtsf ...          24 clients per datagram
//	Format7          gie3 with token  inf3              64 clients in one datagram
//
// 0.6 writes numbers as decimal text, 0.7 as packed integers. In 0.7 a token proves the client's
// address before a server answers. 0.6 has no tokens, and its answers are longer than the requests,
// so a server should limit them with a Budget.
package query
