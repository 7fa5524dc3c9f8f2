// Command look is the only program in the image of the kubelet's trial: it waits, says something and fails, sends back what comes at a port, or asks the API server who it is.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

const folder = "/var/run/secrets/kubernetes.io/serviceaccount/"

func main() {
	if len(os.Args) == 1 {
		fmt.Println("waiting")
		for {
			time.Sleep(time.Hour)
		}
	}
	if os.Args[1] == "say" {
		fmt.Println(os.Args[2])
		os.Exit(3)
	}
	if os.Args[1] == "echo" {
		if err := echo(os.Args[2]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	if err := ask(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func echo(port string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		return err
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(connection, connection)
			_ = connection.Close()
		}()
	}
}

func ask() error {
	token, err := os.ReadFile(folder + "token")
	if err != nil {
		return err
	}
	authorities, err := os.ReadFile(folder + "ca.crt")
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authorities)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	review := bytes.NewBufferString(`{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`)
	request, err := http.NewRequest("POST", os.Getenv("API_URL")+"/apis/authentication.k8s.io/v1/selfsubjectreviews", review)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+string(token))
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != 201 || !bytes.Contains(text, []byte(os.Getenv("WANTED"))) {
		return fmt.Errorf("%d %s", answer.StatusCode, text)
	}
	return nil
}
