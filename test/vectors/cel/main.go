// Evaluates expressions with Kubernetes' own CEL: the answers that our implementation is compared with.
//
//	vectors answer WORLDS.json   < {"world": …, "expr": …} lines   > answers, one line each
//	vectors bench WORLDS.json    < the same                        > nanoseconds to compile and to evaluate, one line each
//	vectors uses                 < tasks, one line each            > outcomes, one line each
//	vectors declarations         > every function of the environment
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"
)

type question struct {
	World string `json:"world"`
	Expr  string `json:"expr"`
}

type answer struct {
	World string `json:"world"`
	Expr  string `json:"expr"`
	// Issues is what parsing and checking complain about; nothing else is set then.
	Issues string `json:"issues,omitempty"`
	Type   string `json:"type,omitempty"`
	// Min and Max are the estimated cost.
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
	// Refused is why no program could be made.
	Refused string `json:"refused,omitempty"`
	Value   string `json:"value,omitempty"`
	Error   string `json:"error,omitempty"`
	Cost    string `json:"cost,omitempty"`
	// Panic is set when Kubernetes' implementation breaks down.
	Panic string `json:"panic,omitempty"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 1 && args[0] == "declarations" {
		return printDeclarations()
	}
	if len(args) == 1 && args[0] == "uses" {
		return eachLine(func(line []byte) (any, error) {
			var t task
			if err := json.Unmarshal(line, &t); err != nil {
				return nil, err
			}
			return carryOut(t)
		})
	}
	if len(args) != 2 {
		return fmt.Errorf("usage: vectors answer|bench WORLDS.json, or vectors declarations")
	}
	worlds, err := readWorlds(args[1])
	if err != nil {
		return err
	}
	return eachLine(func(line []byte) (any, error) {
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			return nil, err
		}
		w, ok := worlds[q.World]
		if !ok {
			return nil, fmt.Errorf("no world %q", q.World)
		}
		if args[0] == "bench" {
			return measure(w, q)
		}
		return w.answer(q)
	})
}

func eachLine(answer func(line []byte) (any, error)) error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		result, err := answer(lines.Bytes())
		if err != nil {
			return err
		}
		if err := encoder.Encode(result); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

type timing struct {
	Expr      string  `json:"expr"`
	CompileNs float64 `json:"compileNs"`
	EvalNs    float64 `json:"evalNs"`
}

func measure(w *world, q question) (timing, error) {
	compile := func() error {
		_, _, err := w.compile(q.Expr)
		return err
	}
	_, program, err := w.compile(q.Expr)
	if err != nil {
		return timing{}, err
	}
	eval := func() error {
		_, _, err := program.Eval(w.activation)
		return err
	}
	compileNs, err := perRound(compile, 300*time.Millisecond)
	if err != nil {
		return timing{}, err
	}
	evalNs, err := perRound(eval, 500*time.Millisecond)
	return timing{Expr: q.Expr, CompileNs: compileNs, EvalNs: evalNs}, err
}

// perRound is the processor time of one round in nanoseconds.
func perRound(action func() error, budget time.Duration) (float64, error) {
	for i := 0; i < 10; i++ {
		if err := action(); err != nil {
			return 0, err
		}
	}
	rounds := 0
	start, before := time.Now(), processorTime()
	for time.Since(start) < budget {
		for i := 0; i < 10; i++ {
			if err := action(); err != nil {
				return 0, err
			}
		}
		rounds += 10
	}
	return float64((processorTime() - before).Nanoseconds()) / float64(rounds), nil
}

// processorTime is what the process has used so far, which other processes do not change.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
