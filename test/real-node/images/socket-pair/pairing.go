package main

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
)

// maxWaiting is how many dialled connections wait for a client. The suite keeps ten; further ones stay in the kernel's queue.
const maxWaiting = 64

// dialled is a connection that the suite opened before any client asked for it. What the suite has sent already is in the reader.
type dialled struct {
	conn   net.Conn
	reader *bufio.Reader
	// gone is closed when the suite has closed the connection while it waited.
	gone chan struct{}
	// first is closed when the goroutine that looks for its end has stopped reading.
	first chan struct{}
}

// pairAll gives every client of the socket the connection that has waited longest, until the listeners are closed.
func pairAll(ctx context.Context, sockets, ports net.Listener) {
	waiting := make(chan *dialled, maxWaiting)
	go func() {
		for {
			conn, err := ports.Accept()
			if err != nil {
				return
			}
			offered := &dialled{conn: conn, reader: bufio.NewReader(conn), gone: make(chan struct{}), first: make(chan struct{})}
			go offered.awaitFirstByte()
			select {
			case waiting <- offered:
			case <-ctx.Done():
				conn.Close()
				return
			}
		}
	}()
	for {
		client, err := sockets.Accept()
		if err != nil {
			return
		}
		go serve(ctx, client, waiting)
	}
}

// awaitFirstByte notices connections that end while they wait: servers of gRPC close those on which nothing arrives for two minutes.
func (d *dialled) awaitFirstByte() {
	defer close(d.first)
	if _, err := d.reader.Peek(1); err != nil {
		close(d.gone)
		d.conn.Close()
	}
}

func serve(ctx context.Context, client net.Conn, waiting <-chan *dialled) {
	server := next(ctx, waiting)
	if server == nil {
		client.Close()
		return
	}
	log.Printf("paired %s", server.conn.RemoteAddr())
	go func() {
		<-server.first // the reader is not safe for two goroutines
		pass(server.reader, client, server.conn)
	}()
	pass(client, server.conn, client)
}

// next is the first waiting connection that is still open.
func next(ctx context.Context, waiting <-chan *dialled) *dialled {
	for {
		select {
		case found := <-waiting:
			select {
			case <-found.gone:
			default:
				return found
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// pass copies until one end is closed, and then closes both.
func pass(from io.Reader, to net.Conn, source net.Conn) {
	_, _ = io.Copy(to, from)
	to.Close()
	source.Close()
}
