package certificate

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"time"

	"golang.org/x/crypto/acme"

	"github.com/teeyard/teeyard/internal/safetext"
)

// A new certificate may begin this long before or after the present. CAs begin an hour early, for
// clocks that are slow.
const (
	longestBefore = 25 * time.Hour
	longestAfter  = time.Minute
)

// wrongClock returns a text if a new certificate, or one that is not valid yet, shows that the
// clock of this machine is wrong.
func wrongClock(leaf *x509.Certificate, now time.Time) string {
	if since := now.Sub(leaf.NotBefore); since > -longestAfter && since < longestBefore {
		return ""
	}
	return fmt.Sprintf("the clock of this machine is wrong: it says %s, but the CA issued a certificate that is valid from %s to %s; set the clock",
		now.Local().Format(timeFormat), leaf.NotBefore.Local().Format(timeFormat), leaf.NotAfter.Local().Format(timeFormat))
}

// retryTime returns the time to wait after the first of several failures.
func retryTime(err error) time.Duration {
	var fromCA *acme.Error
	var order *acme.OrderError
	var authorization *acme.AuthorizationError
	if errors.As(err, &fromCA) {
		if wait, ok := acme.RateLimit(fromCA); ok {
			return min(max(wait, firstRetry), maxWait/2)
		}
	} else if !errors.As(err, &order) && !errors.As(err, &authorization) {
		return networkRetry
	}
	return firstRetry
}

// explain describes why there is no certificate, and what the operator can do.
func explain(err error, ports Ports, now time.Time) string {
	text, problem := safetext.Line(err.Error()), problemOf(err)
	if problem != nil && problem.Detail != "" {
		text = safetext.Line(problem.Detail)
	}
	text = safetext.Truncate(text, maxDetail)
	var challenge *challengeError
	var onWay *url.Error
	switch {
	case errors.As(err, &challenge):
		return fmt.Sprintf("the CA did not reach this server at TCP port %d of %s: %s; %s",
			challenge.port(), challenge.name, text, challenge.advice(ports, problem))
	case problem != nil:
		return "the CA rejects the request: " + text
	case errors.Is(err, context.DeadlineExceeded):
		return "the CA did not answer in time"
	case errors.As(err, &onWay):
		return fmt.Sprintf("the CA cannot be reached: %s; %s", text, clockAdvice(err, now))
	}
	return text
}

// maxDetail limits the text of a CA in the log, in bytes.
const maxDetail = 400

// port returns the port to which the CA connects for a challenge.
func (e *challengeError) port() int {
	if e.kind == challengeHTTP {
		return 80
	}
	return 443
}

// advice returns what to do so that the CA reaches this server.
func (e *challengeError) advice(ports Ports, problem *acme.Error) string {
	closed := ports.HTTPS
	if e.kind == challengeHTTP {
		closed = ports.HTTP
	}
	switch {
	case problem != nil && strings.HasSuffix(problem.ProblemType, ":dns"):
		return "let the name point to the address of this machine"
	case closed != nil:
		return closed.Error()
	case isAddress(e.name):
		return "open the port in the firewall, forward it in the router, and check that the address is this machine's"
	}
	return "open the port in the firewall, forward it in the router, and check that the name points to this machine"
}

// problemOf returns the CA's error in err, or nil.
func problemOf(err error) *acme.Error {
	var problem *acme.Error
	if errors.As(err, &problem) {
		return problem
	}
	var order *acme.OrderError
	if errors.As(err, &order) {
		return order.Problem
	}
	var authorization *acme.AuthorizationError
	if errors.As(err, &authorization) {
		for _, e := range authorization.Errors {
			if errors.As(e, &problem) {
				return problem
			}
		}
	}
	return nil
}

// clockAdvice returns what to do if a request does not reach the CA. With a wrong clock, its own
// certificate seems invalid.
func clockAdvice(err error, now time.Time) string {
	var invalid x509.CertificateInvalidError
	if errors.As(err, &invalid) && invalid.Reason == x509.Expired {
		return fmt.Sprintf("the clock of this machine says %s, set it if it is wrong", now.Local().Format(timeFormat))
	}
	return "check the connection of this machine to the internet"
}

// PortError describes a port that cannot be opened on this machine, and what to do.
func PortError(port int, err error) error {
	what := "let the program that has the port forward it"
	if errors.Is(err, fs.ErrPermission) {
		what = `allow it with "sysctl net.ipv4.ip_unprivileged_port_start=80" or "setcap cap_net_bind_service=+ep PROGRAM", or forward it`
	}
	return fmt.Errorf("this machine does not open port %d (%w): %s to the server's own TCP port", port, err, what)
}
