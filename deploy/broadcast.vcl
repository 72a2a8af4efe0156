# Varnish in front of a server that many watch. docs/reference/http.md explains it; web/broadcast has a
# test of it with 5,000 viewers.
vcl 4.1;

backend teeyard {
	.host = "127.0.0.1";
	.port = "8303";
	.max_connections = 14;
}

# Players in browsers, each of whom has a connection. They need sv_http_proxy local, with which the server
# believes Varnish who asks.
backend players {
	.host = "127.0.0.1";
	.port = "8303";
}

sub vcl_recv {
	if (req.url == "/" && req.http.Upgrade ~ "(?i)^websocket$") {
		set req.backend_hint = players;
		return (pipe);
	}
	if (req.method != "GET" && req.method != "HEAD") {
		return (synth(405));
	}
	# What comes behind it is for the page.
	set req.url = regsub(req.url, "\?.*$", "");
	# Only what everybody may read, and is the same for all.
	if (req.url ~ "\.\." || req.url !~ "^/($|live\.json$|replays$|replays\.json$|b/|map/|viewer/)") {
		return (synth(404));
	}
	unset req.http.Cookie;
	return (hash);
}

sub vcl_pipe {
	set bereq.http.Upgrade = "websocket";
	set bereq.http.Connection = "upgrade";
}

sub vcl_backend_response {
	# While one request fetches it anew, the others get what is a second old, but nothing older.
	set beresp.grace = 1s;
}
