// Tells sequences of events to client-go's recorders, in a bubble of virtual time, and writes what they send.
package events

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"sort"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

type step struct {
	At                                               int64
	Object, FieldPath, Type, Reason, Message, Action string
	Forget                                           bool
}

type sequence struct {
	Name  string
	Host  string
	Steps []step
	Until int64
}

// write is one request, with times in milliseconds since the beginning.
type write struct {
	At           int64  `json:"at"`
	Verb         string `json:"verb"`
	Event        int    `json:"event"`
	Object       string `json:"object,omitempty"`
	FieldPath    string `json:"fieldPath,omitempty"`
	Type         string `json:"type,omitempty"`
	Reason       string `json:"reason,omitempty"`
	Message      string `json:"message,omitempty"`
	Action       string `json:"action,omitempty"`
	Count        int32  `json:"count,omitempty"`
	First        *int64 `json:"first,omitempty"`
	Last         *int64 `json:"last,omitempty"`
	Component    string `json:"component,omitempty"`
	Instance     string `json:"instance,omitempty"`
	Source       string `json:"source,omitempty"`
	Host         string `json:"host,omitempty"`
	SeriesCount  int32  `json:"seriesCount,omitempty"`
	LastObserved *int64 `json:"lastObserved,omitempty"`
}

// sink is a server that knows nothing but names.
type sink struct {
	mu     sync.Mutex
	began  time.Time
	names  map[string]int
	stored map[string]bool
	writes []write
}

func (s *sink) since(at time.Time) *int64 {
	ms := at.Sub(s.began).Milliseconds()
	return &ms
}

func (s *sink) note(verb, name string, written write) {
	if _, known := s.names[name]; !known {
		s.names[name] = len(s.names)
	}
	written.At, written.Verb, written.Event = *s.since(time.Now()), verb, s.names[name]
	s.writes = append(s.writes, written)
}

var resource = schema.GroupResource{Resource: "events"}

type coreSink struct{ *sink }

func (s coreSink) Create(event *corev1.Event) (*corev1.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored[event.Name] = true
	s.note("create", event.Name, write{
		Object: event.InvolvedObject.Name, FieldPath: event.InvolvedObject.FieldPath, Type: event.Type, Reason: event.Reason,
		Message: event.Message, Count: event.Count, First: s.since(event.FirstTimestamp.Truncate(time.Second)), Last: s.since(event.LastTimestamp.Truncate(time.Second)),
		Component: event.ReportingController, Instance: event.ReportingInstance, Source: event.Source.Component, Host: event.Source.Host,
	})
	return event, nil
}

func (s coreSink) Update(event *corev1.Event) (*corev1.Event, error) { panic("not used") }

func (s coreSink) Patch(event *corev1.Event, data []byte) (*corev1.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var patch struct {
		Count         int32
		Message       string
		LastTimestamp time.Time
	}
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	s.note("patch", event.Name, write{Count: patch.Count, Message: patch.Message, Last: s.since(patch.LastTimestamp)})
	if !s.stored[event.Name] {
		return nil, errors.NewNotFound(resource, event.Name)
	}
	return event, nil
}

type eventsSink struct{ *sink }

func (s eventsSink) Create(_ context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored[event.Name] = true
	written := write{
		Object: event.Regarding.Name, FieldPath: event.Regarding.FieldPath, Type: event.Type, Reason: event.Reason, Message: event.Note,
		Action: event.Action, First: s.since(event.EventTime.Time), Component: event.ReportingController,
	}
	if event.Series != nil {
		written.SeriesCount, written.LastObserved = event.Series.Count, s.since(event.Series.LastObservedTime.Time)
	}
	s.note("create", event.Name, written)
	return event.DeepCopy(), nil
}

func (s eventsSink) Update(context.Context, *eventsv1.Event) (*eventsv1.Event, error) {
	panic("not used")
}

func (s eventsSink) Patch(_ context.Context, event *eventsv1.Event, data []byte) (*eventsv1.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var patch struct {
		Series *eventsv1.EventSeries
	}
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	s.note("patch", event.Name, write{SeriesCount: patch.Series.Count, LastObserved: s.since(patch.Series.LastObservedTime.Time)})
	if !s.stored[event.Name] {
		return nil, errors.NewNotFound(resource, event.Name)
	}
	return event.DeepCopy(), nil
}

func TestRecord(t *testing.T) {
	input, err := os.ReadFile(os.Getenv("SEQUENCES"))
	if err != nil {
		t.Fatal(err)
	}
	var sequences []sequence
	if err := json.Unmarshal(input, &sequences); err != nil {
		t.Fatal(err)
	}
	recorded := map[string][]write{}
	for _, each := range sequences {
		synctest.Test(t, func(t *testing.T) { recorded[each.Name] = play(each) })
	}
	output, err := json.Marshal(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("RECORDED"), output, 0o644); err != nil {
		t.Fatal(err)
	}
}

func play(each sequence) []write {
	ctx, cancel := context.WithCancel(context.Background())
	kept := &sink{began: time.Now(), names: map[string]int{}, stored: map[string]bool{}}
	old := record.NewBroadcaster(record.WithContext(ctx))
	old.StartRecordingToSink(coreSink{kept})
	oldRecorder := old.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "recorder", Host: each.Host})
	current := events.NewBroadcaster(eventsSink{kept})
	if err := current.StartRecordingToSinkWithContext(ctx); err != nil {
		panic(err)
	}
	recorder := current.NewRecorder(scheme.Scheme, "recorder")
	sort.SliceStable(each.Steps, func(i, j int) bool { return each.Steps[i].At < each.Steps[j].At })
	for _, next := range each.Steps {
		time.Sleep(time.Until(kept.began.Add(time.Duration(next.At) * time.Millisecond)))
		synctest.Wait()
		if next.Forget {
			kept.mu.Lock()
			kept.stored = map[string]bool{}
			kept.mu.Unlock()
			continue
		}
		kind := next.Type
		if kind == "" {
			kind = corev1.EventTypeNormal
		}
		about := &corev1.ObjectReference{
			APIVersion: "v1", Kind: "Pod", Namespace: "default", Name: next.Object, UID: types.UID("uid-of-" + next.Object), FieldPath: next.FieldPath,
		}
		if next.Action == "" {
			oldRecorder.Event(about, kind, next.Reason, next.Message)
		} else {
			recorder.Eventf(about, nil, kind, next.Reason, next.Action, "%s", next.Message)
		}
		synctest.Wait()
	}
	time.Sleep(time.Until(kept.began.Add(time.Duration(each.Until) * time.Millisecond)))
	synctest.Wait()
	kept.mu.Lock()
	written := append([]write{}, kept.writes...)
	kept.mu.Unlock()
	cancel()
	old.Shutdown()
	current.Shutdown()
	synctest.Wait()
	return inOrder(written)
}

// inOrder removes what chance decides: the order of what is sent at the same time, and whether a series that is over and due
// to be refreshed at the same time is sent once or twice.
func inOrder(written []write) []write {
	sort.SliceStable(written, func(i, j int) bool {
		if written[i].At != written[j].At {
			return written[i].At < written[j].At
		}
		return written[i].Event < written[j].Event
	})
	kept := []write{}
	for _, next := range written {
		if len(kept) == 0 || !reflect.DeepEqual(kept[len(kept)-1], next) {
			kept = append(kept, next)
		}
	}
	return kept
}
