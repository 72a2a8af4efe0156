# Varnish as a cache for many viewers. docs/reference/http.md explains it, and a test in web/broadcast
# runs it with 5,000 viewers.
vcl 4.1;

backend teeyard {
	.host = "127.0.0.1";
	.port = "8303";
	.max_connections = 14;
}

# Players in browsers, with a connection each. They need sv_http_proxy local, so that the server
# trusts the addresses from Varnish.
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
	# The query is for the page itself.
	set req.url = regsub(req.url, "\?.*$", "");
	# Only pages that everyone may read and that are the same for all.
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
	# While one request fetches a page, the others get a copy that is at most a second old.
	set beresp.grace = 1s;
}
