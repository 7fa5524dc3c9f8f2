// Command stream-source stands in for a kubelet in `npm run bench:streams`: it serves logs, commands and ports with the streaming server of
// Kubernetes' container runtimes, but without containers, so that the servers in front of it are what is measured.
package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

const (
	idleTimeout   = time.Hour
	streamTimeout = 30 * time.Second
	pieceBytes    = 32 * 1024
)

// source serves a log of `logLines` lines of 80 bytes, as many zeros as a command asks for, and `portBytes` of them at every port.
type source struct{ logLines, portBytes int }

func zeros(out io.Writer, left int) error {
	piece := make([]byte, pieceBytes)
	for left > 0 {
		written, err := out.Write(piece[:min(left, pieceBytes)])
		if err != nil {
			return err
		}
		left -= written
	}
	return nil
}

// ExecInContainer understands `head -c N /dev/zero`, `cat` and `true`.
func (source) ExecInContainer(_ context.Context, _, _, _ string, command []string, in io.Reader, out, _ io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize, _ time.Duration) error {
	switch {
	case len(command) == 4 && command[0] == "head":
		count, err := strconv.Atoi(command[2])
		if err != nil {
			return err
		}
		return zeros(out, count)
	case len(command) == 1 && command[0] == "cat":
		_, err := io.Copy(out, in)
		return err
	}
	return nil
}

// PortForward answers one HTTP request.
func (s source) PortForward(_ context.Context, _, _ string, _ int32, stream io.ReadWriteCloser) error {
	if _, err := http.ReadRequest(bufio.NewReader(stream)); err != nil {
		return err
	}
	fmt.Fprintf(stream, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", s.portBytes)
	if err := zeros(stream, s.portBytes); err != nil {
		return err
	}
	return stream.Close()
}

func (s source) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	switch strings.Split(request.URL.Path, "/")[1] {
	case "containerLogs":
		line := []byte(strings.Repeat("x", 79) + "\n")
		for range s.logLines { // line by line, as a kubelet sends logs
			if _, err := response.Write(line); err != nil {
				return
			}
			response.(http.Flusher).Flush()
		}
	case "exec":
		options, err := remotecommand.NewOptions(request)
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		remotecommand.ServeExec(response, request, s, "", "", "", request.URL.Query()["command"], options, idleTimeout, streamTimeout, remotecommand.SupportedStreamingProtocols)
	case "portForward":
		options, err := portforward.NewV4Options(request)
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		portforward.ServePortForward(response, request, s, "", "", options, idleTimeout, streamTimeout, portforward.SupportedProtocols)
	default:
		http.NotFound(response, request)
	}
}

func certificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "stream-source"},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: stream-source PORT LOG-LINES PORT-BYTES")
	}
	lines, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	bytes, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	serving, err := certificate()
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{serving}, ClientAuth: tls.RequestClientCert}
	server := &http.Server{Handler: source{logLines: lines, portBytes: bytes}, TLSConfig: config}
	log.Fatal(server.ServeTLS(listener, "", ""))
}
