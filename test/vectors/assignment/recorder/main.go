// The recorder gives the cases on its input, one JSON object a line, to the managers of a kubelet and prints what they decide, one line a case.
//
// It needs a /var/lib/kubelet of its own: the device manager keeps its checkpoint nowhere else.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"time"

	"github.com/go-logr/logr"
	cadvisor "github.com/google/cadvisor/info/v1"
	"google.golang.org/grpc"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	deviceplugin "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/utils/cpuset"
)

type machine struct {
	Processors []struct {
		CPU         int `json:"cpu"`
		Core        int `json:"core"`
		Socket      int `json:"socket"`
		NumaNode    int `json:"numaNode"`
		UncoreCache int `json:"uncoreCache"`
	} `json:"processors"`
	NumaNodes []struct {
		ID          int      `json:"id"`
		MemoryBytes uint64   `json:"memoryBytes"`
		HugePages   uint64   `json:"hugePages"`
		Distances   []uint64 `json:"distances"`
	} `json:"numaNodes"`
}

type options struct {
	CPUManagerPolicy             string            `json:"cpuManagerPolicy"`
	CPUManagerPolicyOptions      map[string]string `json:"cpuManagerPolicyOptions"`
	ReservedSystemCPUs           string            `json:"reservedSystemCPUs"`
	MemoryManagerPolicy          string            `json:"memoryManagerPolicy"`
	ReservedMemory               []reservation     `json:"reservedMemory"`
	TopologyManagerPolicy        string            `json:"topologyManagerPolicy"`
	TopologyManagerScope         string            `json:"topologyManagerScope"`
	TopologyManagerPolicyOptions map[string]string `json:"topologyManagerPolicyOptions"`
}

type reservation struct {
	NumaNode int32             `json:"numaNode"`
	Limits   map[string]string `json:"limits"`
}

type device struct {
	ID        string `json:"id"`
	NumaNodes []int  `json:"numaNodes"`
}

// A step is a new pod, or the end of an earlier one.
type step struct {
	Release string    `json:"release"`
	UID     string    `json:"uid"`
	Spec    v1.PodSpec `json:"spec"`
}

type question struct {
	Machine  machine           `json:"machine"`
	Options  options           `json:"options"`
	Reserved map[string]string `json:"reserved"`
	Resource string            `json:"resource"`
	Devices  []device          `json:"devices"`
	Steps    []step            `json:"steps"`
}

type container struct {
	CPUs    string   `json:"cpus,omitempty"`
	Memory  []string `json:"memory,omitempty"`
	Devices []string `json:"devices,omitempty"`
}

type decision struct {
	Reason     string               `json:"reason,omitempty"`
	Message    string               `json:"message,omitempty"`
	Containers map[string]container `json:"containers,omitempty"`
}

type answer struct {
	Error     string     `json:"error,omitempty"`
	Decisions []decision `json:"decisions,omitempty"`
}

type ready struct{}

func (ready) AddSource(string) {}
func (ready) AllReady() bool   { return true }

type noStatus struct{}

func (noStatus) GetPodStatus(types.UID) (v1.PodStatus, bool) { return v1.PodStatus{}, false }

// The plugin prefers its devices in the order of their names, so that decisions can be repeated.
type plugin struct{ resource string }

func (p plugin) API() deviceplugin.DevicePluginClient { return p }
func (p plugin) Resource() string                     { return p.resource }
func (p plugin) SocketPath() string                   { return "none" }

func (plugin) GetDevicePluginOptions(context.Context, *deviceplugin.Empty, ...grpc.CallOption) (*deviceplugin.DevicePluginOptions, error) {
	return &deviceplugin.DevicePluginOptions{GetPreferredAllocationAvailable: true}, nil
}

func (plugin) ListAndWatch(context.Context, *deviceplugin.Empty, ...grpc.CallOption) (grpc.ServerStreamingClient[deviceplugin.ListAndWatchResponse], error) {
	return nil, fmt.Errorf("not used")
}

func (plugin) GetPreferredAllocation(_ context.Context, in *deviceplugin.PreferredAllocationRequest, _ ...grpc.CallOption) (*deviceplugin.PreferredAllocationResponse, error) {
	request := in.ContainerRequests[0]
	chosen := append([]string{}, request.MustIncludeDeviceIDs...)
	rest := sets.New(request.AvailableDeviceIDs...).Difference(sets.New(chosen...))
	for _, id := range sets.List(rest) {
		if len(chosen) < int(request.AllocationSize) {
			chosen = append(chosen, id)
		}
	}
	response := &deviceplugin.ContainerPreferredAllocationResponse{DeviceIDs: chosen}
	return &deviceplugin.PreferredAllocationResponse{ContainerResponses: []*deviceplugin.ContainerPreferredAllocationResponse{response}}, nil
}

func (plugin) Allocate(context.Context, *deviceplugin.AllocateRequest, ...grpc.CallOption) (*deviceplugin.AllocateResponse, error) {
	return &deviceplugin.AllocateResponse{ContainerResponses: []*deviceplugin.ContainerAllocateResponse{{}}}, nil
}

func (plugin) PreStartContainer(context.Context, *deviceplugin.PreStartContainerRequest, ...grpc.CallOption) (*deviceplugin.PreStartContainerResponse, error) {
	return &deviceplugin.PreStartContainerResponse{}, nil
}

func machineInfo(m machine) *cadvisor.MachineInfo {
	info := &cadvisor.MachineInfo{NumCores: len(m.Processors)}
	sockets := sets.New[int]()
	for _, node := range m.NumaNodes {
		made := cadvisor.Node{Id: node.ID, Memory: node.MemoryBytes, Distances: node.Distances}
		made.HugePages = []cadvisor.HugePagesInfo{{PageSize: 2048, NumPages: node.HugePages}}
		at := map[int]int{}
		for _, processor := range m.Processors {
			sockets.Insert(processor.Socket)
			if processor.NumaNode != node.ID {
				continue
			}
			index, known := at[processor.Core]
			if !known {
				index = len(made.Cores)
				at[processor.Core] = index
				core := cadvisor.Core{Id: processor.Core, SocketID: processor.Socket}
				core.UncoreCaches = []cadvisor.Cache{{Id: processor.UncoreCache, Level: 3}}
				made.Cores = append(made.Cores, core)
			}
			made.Cores[index].Threads = append(made.Cores[index].Threads, processor.CPU)
		}
		info.Topology = append(info.Topology, made)
		info.MemoryCapacity += node.MemoryBytes
	}
	info.NumSockets = sockets.Len()
	return info
}

func amounts(texts map[string]string) v1.ResourceList {
	list := v1.ResourceList{}
	for name, text := range texts {
		list[v1.ResourceName(name)] = resource.MustParse(text)
	}
	return list
}

func decide(q question) (result answer) {
	failed := func(err error) answer { return answer{Error: err.Error()} }
	ctx := klog.NewContext(context.Background(), logr.Discard())
	logger := logr.Discard()
	info := machineInfo(q.Machine)
	active := map[string]*v1.Pod{}
	activePods := func() []*v1.Pod {
		var pods []*v1.Pod
		for _, pod := range active {
			pods = append(pods, pod)
		}
		return pods
	}
	o := q.Options
	topology, err := topologymanager.NewManager(info.Topology, o.TopologyManagerPolicy, o.TopologyManagerScope, o.TopologyManagerPolicyOptions)
	if err != nil {
		return failed(err)
	}
	if err := os.RemoveAll("/var/lib/kubelet/device-plugins"); err != nil {
		return failed(err)
	}
	state, err := os.MkdirTemp("", "assignment")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(state)
	devices, err := devicemanager.NewManagerImpl(info.Topology, topology)
	if err != nil {
		return failed(err)
	}
	topology.AddHintProvider(logger, devices)
	listed, err := cpuset.Parse(o.ReservedSystemCPUs)
	if err != nil {
		return failed(err)
	}
	cpus, err := cpumanager.NewManager(logger, o.CPUManagerPolicy, o.CPUManagerPolicyOptions, time.Hour, info, listed, amounts(q.Reserved), state, topology)
	if err != nil {
		return failed(err)
	}
	topology.AddHintProvider(logger, cpus)
	var reservedMemory []kubeletconfig.MemoryReservation
	for _, each := range o.ReservedMemory {
		reservedMemory = append(reservedMemory, kubeletconfig.MemoryReservation{NumaNode: each.NumaNode, Limits: amounts(each.Limits)})
	}
	memory, err := memorymanager.NewManager(logger, o.MemoryManagerPolicy, info, amounts(q.Reserved), reservedMemory, state, topology)
	if err != nil {
		return failed(err)
	}
	topology.AddHintProvider(logger, memory)
	if err := cpus.Start(ctx, activePods, ready{}, noStatus{}, nil, containermap.NewContainerMap()); err != nil {
		return failed(err)
	}
	if err := memory.Start(ctx, activePods, ready{}, noStatus{}, nil, containermap.NewContainerMap()); err != nil {
		return failed(err)
	}
	if err := devices.Start(logger, activePods, ready{}, containermap.NewContainerMap(), sets.New[string]()); err != nil {
		return failed(err)
	}
	defer devices.Stop(logger)
	if len(q.Devices) > 0 {
		if err := devices.PluginConnected(ctx, q.Resource, plugin{q.Resource}); err != nil {
			return failed(err)
		}
		response := &deviceplugin.ListAndWatchResponse{}
		for _, each := range q.Devices {
			made := &deviceplugin.Device{ID: each.ID, Health: deviceplugin.Healthy}
			if len(each.NumaNodes) > 0 {
				made.Topology = &deviceplugin.TopologyInfo{}
				for _, node := range each.NumaNodes {
					made.Topology.Nodes = append(made.Topology.Nodes, &deviceplugin.NUMANode{ID: int64(node)})
				}
			}
			response.Devices = append(response.Devices, made)
		}
		devices.PluginListAndWatchReceiver(logger, q.Resource, response)
	}
	for _, each := range q.Steps {
		if each.Release != "" {
			delete(active, each.Release)
			result.Decisions = append(result.Decisions, decision{})
			continue
		}
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: each.UID, Namespace: "default", UID: types.UID(each.UID)}, Spec: each.Spec}
		active[each.UID] = pod
		admitted := topology.Admit(&lifecycle.PodAdmitAttributes{Pod: pod})
		if !admitted.Admit {
			delete(active, each.UID)
			result.Decisions = append(result.Decisions, decision{Reason: admitted.Reason, Message: admitted.Message})
			continue
		}
		made := decision{Containers: map[string]container{}}
		for _, c := range append(append([]v1.Container{}, pod.Spec.InitContainers...), pod.Spec.Containers...) {
			given := container{CPUs: cpus.GetExclusiveCPUs(each.UID, c.Name).String()}
			for _, block := range memory.GetMemory(each.UID, c.Name) {
				nodes := cpuset.New(block.NUMAAffinity...)
				given.Memory = append(given.Memory, fmt.Sprintf("%s %d %s", block.Type, block.Size, nodes.String()))
			}
			sort.Strings(given.Memory)
			for id := range devices.GetDevices(each.UID, c.Name)[q.Resource] {
				given.Devices = append(given.Devices, id)
			}
			sort.Strings(given.Devices)
			made.Containers[c.Name] = given
		}
		result.Decisions = append(result.Decisions, made)
	}
	return result
}

func main() {
	klog.InitFlags(nil)
	flag.Set("logtostderr", "false")
	flag.Set("stderrthreshold", "FATAL")
	flag.Set("alsologtostderr", "false")
	flag.Parse()
	klog.SetLogger(logr.Discard())
	for _, gate := range []string{"CPUManagerPolicyAlphaOptions", "TopologyManagerPolicyAlphaOptions"} {
		if err := utilfeature.DefaultMutableFeatureGate.Set(gate + "=true"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(decide(q)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
