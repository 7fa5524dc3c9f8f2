// Written by `npm run protocols` from k8s.io/kubelet@v0.36.3/pkg/apis/podresources/v1/api.proto. Do not edit.
import type { Method } from '../../../wire/grpc/index.ts';
import {
  int64,
  nested,
  repeated,
  text,
  type Fields,
  type Message,
  MessageTable,
} from '../../../wire/protobuf/index.ts';

function method<Request extends Fields, Response extends Fields>(
  path: string,
  request: MessageTable<Request>,
  response: MessageTable<Response>,
): Method<Message<Request>, Message<Response>> {
  return { path, request, response };
}

export const allocatableResourcesRequest = new MessageTable({});

export const numaNode = new MessageTable({ id: int64(1) });

export const topologyInfo = new MessageTable({ nodes: repeated(nested(1, numaNode)) });

export const containerDevices = new MessageTable({
  resourceName: text(1),
  deviceIds: repeated(text(2)),
  topology: nested(3, topologyInfo),
});

export const containerMemory = new MessageTable({
  memoryType: text(1),
  size: int64(2),
  topology: nested(3, topologyInfo),
});

export const allocatableResourcesResponse = new MessageTable({
  devices: repeated(nested(1, containerDevices)),
  cpuIds: repeated(int64(2)),
  memory: repeated(nested(3, containerMemory)),
});

export const listPodResourcesRequest = new MessageTable({});

export const cdiDevice = new MessageTable({ name: text(1) });

export const claimResource = new MessageTable({
  cdiDevices: repeated(nested(1, cdiDevice)),
  driverName: text(2),
  poolName: text(3),
  deviceName: text(4),
  shareId: text(5),
});

export const dynamicResource = new MessageTable({
  claimName: text(2),
  claimNamespace: text(3),
  claimResources: repeated(nested(4, claimResource)),
});

export const containerResources = new MessageTable({
  name: text(1),
  devices: repeated(nested(2, containerDevices)),
  cpuIds: repeated(int64(3)),
  memory: repeated(nested(4, containerMemory)),
  dynamicResources: repeated(nested(5, dynamicResource)),
});

export const podResources = new MessageTable({
  name: text(1),
  namespace: text(2),
  containers: repeated(nested(3, containerResources)),
});

export const listPodResourcesResponse = new MessageTable({ podResources: repeated(nested(1, podResources)) });

export const getPodResourcesRequest = new MessageTable({ podName: text(1), podNamespace: text(2) });

export const getPodResourcesResponse = new MessageTable({ podResources: nested(1, podResources) });

export const PodResourcesLister = {
  list: method('/v1.PodResourcesLister/List', listPodResourcesRequest, listPodResourcesResponse),
  getAllocatableResources: method(
    '/v1.PodResourcesLister/GetAllocatableResources',
    allocatableResourcesRequest,
    allocatableResourcesResponse,
  ),
  get: method('/v1.PodResourcesLister/Get', getPodResourcesRequest, getPodResourcesResponse),
};
