package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
)

func (p *program) logs(ctx context.Context) error {
	one := int64(1)
	last, err := p.client.CoreV1().Pods(p.namespace).GetLogs(pod, &corev1.PodLogOptions{TailLines: &one}).DoRaw(ctx)
	if err != nil {
		return err
	}
	if string(last) != "second\n" {
		return fmt.Errorf("the last line is %q", last)
	}
	stream, err := p.client.CoreV1().Pods(p.namespace).GetLogs(pod, &corev1.PodLogOptions{Follow: true}).Stream(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	line, err := bufio.NewReader(stream).ReadString('\n')
	if err != nil || line != "first\n" {
		return fmt.Errorf("followed, the first line is %q: %v", line, err)
	}
	return nil
}

// An attached client sees nothing until it leaves, since the container is silent.
func (p *program) attach(ctx context.Context) error {
	for _, way := range []dial{p.webSocket, p.spdy} {
		request := p.client.CoreV1().RESTClient().Post().Resource("pods").Namespace(p.namespace).Name(pod).SubResource("attach")
		executor, err := way(request.VersionedParams(&corev1.PodAttachOptions{Stdout: true}, scheme.ParameterCodec).URL())
		if err != nil {
			return err
		}
		leaving, leave := context.WithCancel(ctx)
		ended := make(chan error, 1)
		var out bytes.Buffer
		go func() { ended <- executor.StreamWithContext(leaving, remotecommand.StreamOptions{Stdout: &out}) }()
		if err := p.command(ctx, way); err != nil { // meanwhile a command runs
			leave()
			return err
		}
		leave()
		if err := <-ended; err != context.Canceled || out.Len() > 0 {
			return fmt.Errorf("it ended with %v after %q", err, out.String())
		}
	}
	return nil
}

func (p *program) tunnel(target *url.URL) (httpstream.Dialer, error) {
	return portforward.NewSPDYOverWebsocketDialer(target, p.config)
}

func (p *program) spdyDialer(target *url.URL) (httpstream.Dialer, error) {
	transport, upgrader, err := spdy.RoundTripperFor(p.config)
	if err != nil {
		return nil, err
	}
	return spdy.NewDialer(upgrader, &http.Client{Transport: transport}, "POST", target), nil
}

// Several requests, each on a connection of its own, through a forwarded port.
func (p *program) forward(way func(target *url.URL) (httpstream.Dialer, error)) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		target := p.client.CoreV1().RESTClient().Post().Resource("pods").Namespace(p.namespace).Name(pod).SubResource("portforward").URL()
		dialer, err := way(target)
		if err != nil {
			return err
		}
		stop, ready, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		var problems bytes.Buffer
		forwarder, err := portforward.NewOnAddresses(dialer, []string{"127.0.0.1"}, []string{"0:8080"}, stop, ready, io.Discard, &problems)
		if err != nil {
			return err
		}
		go func() { ended <- forwarder.ForwardPorts() }()
		select {
		case <-ready:
		case err := <-ended:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
		ports, err := forwarder.GetPorts()
		if err != nil {
			return err
		}
		for range 5 {
			if err := ask(fmt.Sprintf("http://127.0.0.1:%d/", ports[0].Local)); err != nil {
				return err
			}
		}
		close(stop)
		if err := <-ended; err != nil || problems.Len() > 0 {
			return fmt.Errorf("it ended with %v: %s", err, problems.String())
		}
		return nil
	}
}

func ask(address string) error {
	own := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := own.Get(address)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || strings.TrimSpace(string(body)) != "hello" {
		return fmt.Errorf("it answered %q: %v", body, err)
	}
	return nil
}
