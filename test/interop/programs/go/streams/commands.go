package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"

	"keelson/interop/outcomes"
)

const pod = "shell"

// An executor of a URL, by one of client-go's ways.
type dial func(target *url.URL) (remotecommand.Executor, error)

func over(way dial, run func(ctx context.Context, way dial) error) func(ctx context.Context) error {
	return func(ctx context.Context) error { return run(ctx, way) }
}

func (p *program) webSocket(target *url.URL) (remotecommand.Executor, error) {
	return remotecommand.NewWebSocketExecutor(p.config, "GET", target.String())
}

func (p *program) spdy(target *url.URL) (remotecommand.Executor, error) {
	return remotecommand.NewSPDYExecutor(p.config, "POST", target)
}

// As kubectl does it: SPDY where WebSockets are refused.
func (p *program) fallback(target *url.URL) (remotecommand.Executor, error) {
	first, err := p.webSocket(target)
	if err != nil {
		return nil, err
	}
	second, err := p.spdy(target)
	if err != nil {
		return nil, err
	}
	return remotecommand.NewFallbackExecutor(first, second, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
}

func (p *program) pods(ctx context.Context) error {
	namespaces := p.client.CoreV1().Namespaces()
	if _, err := namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.namespace}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	annotations := map[string]string{"sim.keelson.dev/log": "first\nsecond", "sim.keelson.dev/http-body": "hello"}
	spec := corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.invalid/main:1"}}}
	made := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: pod, Annotations: annotations}, Spec: spec}
	pods := p.client.CoreV1().Pods(p.namespace)
	if err := outcomes.Eventually(ctx, func() error {
		_, err := pods.Create(ctx, made, metav1.CreateOptions{}) // refused until there is a service account
		return err
	}); err != nil {
		return err
	}
	return outcomes.Eventually(ctx, func() error {
		found, err := pods.Get(ctx, pod, metav1.GetOptions{})
		if err == nil && found.Status.Phase != corev1.PodRunning {
			err = fmt.Errorf("the pod is %s", found.Status.Phase)
		}
		return err
	})
}

func (p *program) run(ctx context.Context, way dial, options *corev1.PodExecOptions, streams remotecommand.StreamOptions) error {
	request := p.client.CoreV1().RESTClient().Post().Resource("pods").Namespace(p.namespace).Name(pod).SubResource("exec")
	executor, err := way(request.VersionedParams(options, scheme.ParameterCodec).URL())
	if err != nil {
		return err
	}
	return executor.StreamWithContext(ctx, streams)
}

func (p *program) command(ctx context.Context, way dial) error {
	var out, problems bytes.Buffer
	options := &corev1.PodExecOptions{Command: []string{"sh", "-c", "echo out; echo problem >&2; exit 3"}, Stdout: true, Stderr: true}
	err := p.run(ctx, way, options, remotecommand.StreamOptions{Stdout: &out, Stderr: &problems})
	var exit exec.CodeExitError
	if !errors.As(err, &exit) || exit.Code != 3 {
		return fmt.Errorf("it ended with %v", err)
	}
	if err.Error() != "command terminated with exit code 3" || out.String() != "out\n" || problems.String() != "problem\n" {
		return fmt.Errorf("%v, stdout %q, stderr %q", err, out.String(), problems.String())
	}
	return nil
}

// A mebibyte goes in and comes out, and the end of the input ends the command.
func (p *program) input(ctx context.Context, way dial) error {
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	var out bytes.Buffer
	options := &corev1.PodExecOptions{Command: []string{"cat"}, Stdin: true, Stdout: true}
	if err := p.run(ctx, way, options, remotecommand.StreamOptions{Stdin: bytes.NewReader(sent), Stdout: &out}); err != nil {
		return err
	}
	if !bytes.Equal(out.Bytes(), sent) {
		return fmt.Errorf("%d bytes came back of %d", out.Len(), len(sent))
	}
	return nil
}

type sizes struct{ left []remotecommand.TerminalSize }

func (s *sizes) Next() *remotecommand.TerminalSize {
	if len(s.left) == 0 {
		return nil
	}
	next := s.left[0]
	s.left = s.left[1:]
	return &next
}

// One stream for both outputs, with the line ends of a terminal.
func (p *program) terminal(ctx context.Context, way dial) error {
	var out bytes.Buffer
	options := &corev1.PodExecOptions{Command: []string{"sh"}, Stdin: true, Stdout: true, TTY: true}
	input := io.Reader(strings.NewReader("echo problem >&2\nexit 4\n"))
	queue := &sizes{left: []remotecommand.TerminalSize{{Width: 80, Height: 24}, {Width: 120, Height: 40}}}
	err := p.run(ctx, way, options, remotecommand.StreamOptions{Stdin: input, Stdout: &out, Tty: true, TerminalSizeQueue: queue})
	var exit exec.CodeExitError
	if !errors.As(err, &exit) || exit.Code != 4 || !strings.Contains(out.String(), "problem\r\n") {
		return fmt.Errorf("it ended with %v and wrote %q", err, out.String())
	}
	return nil
}

func (p *program) refusals(ctx context.Context) error {
	options := &corev1.PodExecOptions{Container: "other", Command: []string{"true"}, Stdout: true}
	wanted := "container other is not valid for pod shell"
	for _, way := range []dial{p.webSocket, p.spdy} {
		err := p.run(ctx, way, options, remotecommand.StreamOptions{Stdout: io.Discard})
		if err == nil || !strings.Contains(err.Error(), wanted) {
			return fmt.Errorf("%q is not in %q", wanted, err)
		}
	}
	return nil
}

func (p *program) cleanUp() {
	_ = p.client.CoreV1().Namespaces().Delete(context.Background(), p.namespace, metav1.DeleteOptions{}) // the server goes away too
}
