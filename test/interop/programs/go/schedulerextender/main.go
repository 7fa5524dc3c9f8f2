// An extender with the types of k8s.io/kube-scheduler: it is sent whole nodes, takes those of tier gold, and prefers the highest rank.
package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	extender "k8s.io/kube-scheduler/extender/v1"
)

func main() {
	http.HandleFunc("/filter", answer(filter))
	http.HandleFunc("/prioritize", answer(prioritize))
	if err := http.ListenAndServe("127.0.0.1:"+os.Args[1], nil); err != nil {
		panic(err)
	}
}

func answer(decide func(extender.ExtenderArgs) any) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		var args extender.ExtenderArgs
		decoder := json.NewDecoder(request.Body)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&args); err != nil {
			json.NewEncoder(response).Encode(extender.ExtenderFilterResult{Error: err.Error()})
			return
		}
		json.NewEncoder(response).Encode(decide(args))
	}
}

func filter(args extender.ExtenderArgs) any {
	result := extender.ExtenderFilterResult{Nodes: &corev1.NodeList{}, FailedNodes: extender.FailedNodesMap{}}
	for _, node := range args.Nodes.Items {
		if node.Labels["tier"] == "gold" {
			result.Nodes.Items = append(result.Nodes.Items, node)
		} else {
			result.FailedNodes[node.Name] = "node(s) were not gold"
		}
	}
	return result
}

func prioritize(args extender.ExtenderArgs) any {
	list := extender.HostPriorityList{}
	for _, node := range args.Nodes.Items {
		rank, _ := strconv.ParseInt(node.Labels["rank"], 10, 64)
		list = append(list, extender.HostPriority{Host: node.Name, Score: rank})
	}
	return list
}
