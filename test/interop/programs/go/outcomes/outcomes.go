// Package outcomes runs the steps of an interop program and prints what came of them as one line of JSON.
package outcomes

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"time"
)

// StepLimit is how long one step may take.
const StepLimit = 60 * time.Second

// Outcome is what came of one step.
type Outcome struct {
	Step    string `json:"step"`
	Passed  bool   `json:"passed"`
	Message string `json:"message,omitempty"`
}

// Report collects the outcomes of one client.
type Report struct {
	Client   string    `json:"client"`
	Version  string    `json:"version"`
	Outcomes []Outcome `json:"outcomes"`
}

// New is a report about the module of that path, as it is linked in.
func New(client, modulePath string) *Report {
	report := &Report{Client: client, Version: "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == modulePath {
				report.Version = module.Version
			}
		}
	}
	return report
}

// Step runs one step; a failed one does not keep later ones from running.
func (r *Report) Step(name string, run func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), StepLimit)
	defer cancel()
	outcome := Outcome{Step: name, Passed: true}
	if err := run(ctx); err != nil {
		outcome = Outcome{Step: name, Message: err.Error()}
	}
	r.Outcomes = append(r.Outcomes, outcome)
}

// Print writes the report as the last line of standard output.
func (r *Report) Print() {
	line, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stdout, string(line))
}

// Eventually asks until the answer is nil, and fails with the last answer when the context ends.
func Eventually(ctx context.Context, ask func() error) error {
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("still so at the end: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
