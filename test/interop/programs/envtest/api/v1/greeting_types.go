// Package v1 has the kind that the operator serves.
// +kubebuilder:object:generate=true
// +groupName=demo.keelson.dev
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "demo.keelson.dev", Version: "v1"}
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}
	AddToScheme   = SchemeBuilder.AddToScheme
)

func init() {
	SchemeBuilder.Register(&Greeting{}, &GreetingList{})
}

// GreetingSpec says whom to greet, and how.
type GreetingSpec struct {
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Word is "Hello" unless given.
	Word string `json:"word,omitempty"`
}

type GreetingStatus struct {
	Text               string             `json:"text,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Greeting struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   GreetingSpec   `json:"spec,omitempty"`
	Status GreetingStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true
type GreetingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Greeting `json:"items"`
}

func (in *Greeting) DeepCopyObject() runtime.Object {
	out := *in
	out.ObjectMeta = *in.ObjectMeta.DeepCopy()
	out.Status.Conditions = append([]metav1.Condition(nil), in.Status.Conditions...)
	return &out
}

func (in *GreetingList) DeepCopyObject() runtime.Object {
	out := GreetingList{TypeMeta: in.TypeMeta, ListMeta: *in.ListMeta.DeepCopy()}
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopyObject().(*Greeting))
	}
	return &out
}
