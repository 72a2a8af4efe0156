// Package query handles the server info that browsers show: servers answer with it, and
// clients ask for it, in all formats of Teeworlds 0.7, 0.6 and DDNet.
//
// An Info is what all formats have in common. A server encodes one with a ReplyEncoder;
// AskHost, Ask and AskAll return one, whatever versions a server supports. Package
// query/master lists servers and registers them.
//
// # Formats
//
//	Format           request          answer            limits
//	FormatPlain6     gie3             inf3              16 clients; the name has the count of more
//	FormatExtended6  gie3, "xe" head  iext, iex+ ...    64 datagrams
//	FormatLegacy64   fstd             dtsf ...          24 clients per datagram
//	Format7          gie3 with token  inf3              64 clients in one datagram
//
// Numbers are decimal texts in 0.6 and packed integers in 0.7. In 0.7 a token proves the
// client's address before a server answers. 0.6 has none, and answers are longer than
// requests, so servers should limit them with a Budget.
package query
