// Written by `npm run protocols` from k8s.io/kubelet@v0.36.3/pkg/apis/dra-health/v1alpha1/api.proto. Do not edit.
import type { Method } from '../../wire/grpc/index.ts';
import {
  enumeration,
  int64,
  nested,
  repeated,
  text,
  type Fields,
  type Message,
  MessageTable,
} from '../../wire/protobuf/index.ts';

function method<Request extends Fields, Response extends Fields>(
  path: string,
  request: MessageTable<Request>,
  response: MessageTable<Response>,
): Method<Message<Request>, Message<Response>> {
  return { path, request, response };
}

export const HealthStatus = {
  UNKNOWN: 0,
  HEALTHY: 1,
  UNHEALTHY: 2,
} as const;

export const nodeWatchResourcesRequest = new MessageTable({});

export const deviceIdentifier = new MessageTable({ poolName: text(1), deviceName: text(2) });

export const deviceHealth = new MessageTable({
  device: nested(1, deviceIdentifier),
  health: enumeration(2),
  lastUpdatedTime: int64(3),
  healthCheckTimeoutSeconds: int64(4),
  message: text(5),
});

export const nodeWatchResourcesResponse = new MessageTable({ devices: repeated(nested(1, deviceHealth)) });

export const DRAResourceHealth = {
  nodeWatchResources: method(
    '/v1alpha1.DRAResourceHealth/NodeWatchResources',
    nodeWatchResourcesRequest,
    nodeWatchResourcesResponse,
  ),
};
