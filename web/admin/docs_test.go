package admin

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/selfsigned"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/viewer"
)

// TestDocs runs the examples of docs/operate/admin.md with curl.
func TestDocs(t *testing.T) {
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs " + program)
		}
	}
	page := string(testenv.Must(os.ReadFile("../../docs/operate/admin.md")))
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(strings.ReplaceAll(page, "\r\n", "\n"), -1)
	testenv.Require(t, len(blocks) == 3, "%d examples", len(blocks))
	w := newWorld(t, "sv_rcon_password secret")
	w.join("10.0.0.7", "alice")
	dir := t.TempDir()
	key := testenv.Must(web.OpenKey(filepath.Join(dir, "http.key")))
	s := httptest.NewServer(key.Handler(web.NewHandler(w.console.Rooms()...)))
	defer s.Close()
	run := func(script string) string {
		t.Helper()
		script = strings.ReplaceAll(script, "http://localhost:8303", s.URL)
		script = strings.ReplaceAll(script, "-m 2", "-m 0.3")
		c := exec.Command("sh", "-e", "-c", script)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s\n%s: %v", script, out, err)
		}
		return string(out)
	}
	token := regexp.MustCompile(`"token":"(\w[\w-]+)"`).FindStringSubmatch(run(blocks[0][1]))
	testenv.Require(t, token != nil, "no token")
	before := "TOKEN=" + token[1] + "\n"
	out := run(before + blocks[1][1])
	for _, want := range []string{`"name":"alice"`, "banned '10.0.0.7' for 30 minutes (spam)", "unbanned", `{"value":"10","output":[]}`,
		"in about 10 seconds", `"step":60`} {
		if !strings.Contains(out, want) {
			t.Errorf("%q lacks %q", out, want)
		}
	}
	header, _, _ := strings.Cut(blocks[1][1], "\n")
	if out := run(before + header + "\n" + blocks[2][1]); !strings.Contains(out, "retry: 3000") {
		t.Errorf("the stream is %q", out)
	}
}

// TestNginx runs nginx with deploy/nginx.conf in front of a server, at the root of a site and below
// a path. Operators can sign in through it, events stream without delay, the server sees the
// clients' addresses, and spectators and players in browsers get through.
func TestNginx(t *testing.T) {
	for _, path := range []string{"", "/tee"} {
		t.Run("at "+path+"/", func(t *testing.T) { testNginx(t, path) })
	}
}

// TestNginxBlock checks that the block in the documentation equals the one in deploy/nginx.conf.
func TestNginxBlock(t *testing.T) {
	block := regexp.MustCompile(`(?s)location / \{.*?\}`)
	var texts []string
	for _, file := range []string{"../../docs/operate/web.md", "../../deploy/nginx.conf"} {
		texts = append(texts, strings.Join(strings.Fields(block.FindString(string(testenv.Must(os.ReadFile(file))))), " "))
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "proxy_pass") {
		t.Errorf("docs/operate/web.md has %s\ndeploy/nginx.conf has %s", texts[0], texts[1])
	}
}

func testNginx(t *testing.T, path string) {
	program := peers.RequirePrograms(t, "nginx")[0]
	site := strings.ReplaceAll(string(testenv.Must(os.ReadFile("../../deploy/nginx.conf"))), "\r\n", "\n")
	if path != "" {
		site = strings.NewReplacer("location / {", "location "+path+"/ {", `X-Forwarded-Prefix "";`, "X-Forwarded-Prefix "+path+";").Replace(site)
	}
	w := newWorld(t, "sv_http_proxy local")
	viewers := web.NewHandler(viewer.Rooms("", nil)...)
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/admin"):
			w.rooms.ServeHTTP(rw, r)
		case r.Header.Get("Upgrade") == "websocket":
			c, err := websocket.Accept(rw, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
			if err == nil {
				c.Close(websocket.StatusNormalClosure, r.URL.Path)
			}
		default:
			viewers.ServeHTTP(rw, r)
		}
	}))
	t.Cleanup(s.Close)
	free := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))
	addr := free.Addr().String()
	free.Close()
	dir := t.TempDir()
	certFile, keyFile := selfsigned.Write(t, dir, "yard")
	for _, r := range [][2]string{
		{"listen 443 ssl;", "listen " + addr + " ssl;"}, {"http://127.0.0.1:8303", s.URL},
		{"/etc/letsencrypt/live/yard.example/fullchain.pem", certFile}, {"/etc/letsencrypt/live/yard.example/privkey.pem", keyFile},
	} {
		if site = strings.ReplaceAll(site, r[0], r[1]); !strings.Contains(site, r[1]) {
			t.Fatalf("%q is not in the page:\n%s", r[0], site)
		}
	}
	main := filepath.Join(dir, "nginx.conf")
	testenv.NoError(t, os.WriteFile(main, fmt.Appendf(nil, `daemon off; master_process off; pid %s/pid; error_log stderr;
events { }
http { access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
%s
}
`, dir, site), 0o644))
	peers.Start(t, dir, nil, program, "-p", dir, "-c", main, "-e", "stderr")
	browser := http.Client{
		Jar:       testenv.Must(cookiejar.New(nil)),
		Timeout:   20 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	}
	url := "https://" + addr + path + "/admin"
	peers.Eventually(t, 20*time.Second, "nginx answers", func() bool {
		answer, err := browser.Get(url)
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == 200
	})
	for from, to := range map[string]string{"": "/", "/": "/", "/admin/": "/admin", "/replays/": "/replays", "/viewer": "/"} {
		answer := testenv.Must(browser.Get("https://" + addr + path + from))
		answer.Body.Close()
		if got := answer.Request.URL; cmp.Or(got.Path, "/") != path+to || got.Host != addr || answer.StatusCode != 200 {
			t.Errorf("%s leads to %s: %s", path+from, got, answer.Status)
		}
	}
	c, _, err := websocket.Dial(t.Context(), "wss://"+addr+path+"/", &websocket.DialOptions{HTTPClient: &http.Client{Transport: browser.Transport}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure || !strings.Contains(err.Error(), `"/"`) {
		t.Errorf("a player's connection: %v", err)
	}
	r := testenv.Must(http.NewRequest("POST", url+"/api/login", bytes.NewReader([]byte(`{"password":"adminpw"}`))))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Origin": {"https://" + addr}}
	answer := testenv.Must(browser.Do(r))
	answer.Body.Close()
	if k := answer.Cookies(); answer.StatusCode != 200 || len(k) != 1 || !k[0].HttpOnly {
		t.Fatalf("%s, %v", answer.Status, k)
	}
	// The client is on this machine, too.
	w.expectAudit(`"event":"login","via":"http","level":"admin","addr":"127.0.0.1:0"`)
	answer = testenv.Must(browser.Get(url + "/api/events?topics=log"))
	defer answer.Body.Close()
	w.Execute("echo hello")
	var got []byte
	for b := make([]byte, 4096); !bytes.Contains(got, []byte("hello")); {
		n, err := answer.Body.Read(b)
		if got = append(got, b[:n]...); err != nil {
			t.Fatalf("%v after %s", err, got)
		}
	}
}
