// Written by `npm run protocols` from k8s.io/kubelet@v0.36.3/pkg/apis/deviceplugin/v1beta1/api.proto. Do not edit.
import type { Method } from '../../wire/grpc/index.ts';
import {
  bool,
  int32,
  int64,
  nested,
  repeated,
  text,
  textMap,
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

export const devicePluginOptions = new MessageTable({
  preStartRequired: bool(1),
  getPreferredAllocationAvailable: bool(2),
});

export const registerRequest = new MessageTable({
  version: text(1),
  endpoint: text(2),
  resourceName: text(3),
  options: nested(4, devicePluginOptions),
});

export const empty = new MessageTable({});

export const numaNode = new MessageTable({ id: int64(1) });

export const topologyInfo = new MessageTable({ nodes: repeated(nested(1, numaNode)) });

export const device = new MessageTable({ id: text(1), health: text(2), topology: nested(3, topologyInfo) });

export const listAndWatchResponse = new MessageTable({ devices: repeated(nested(1, device)) });

export const preStartContainerRequest = new MessageTable({ devicesIds: repeated(text(1)) });

export const preStartContainerResponse = new MessageTable({});

export const containerPreferredAllocationRequest = new MessageTable({
  availableDeviceIDs: repeated(text(1)),
  mustIncludeDeviceIDs: repeated(text(2)),
  allocationSize: int32(3),
});

export const preferredAllocationRequest = new MessageTable({
  containerRequests: repeated(nested(1, containerPreferredAllocationRequest)),
});

export const containerPreferredAllocationResponse = new MessageTable({ deviceIDs: repeated(text(1)) });

export const preferredAllocationResponse = new MessageTable({
  containerResponses: repeated(nested(1, containerPreferredAllocationResponse)),
});

export const containerAllocateRequest = new MessageTable({ devicesIds: repeated(text(1)) });

export const allocateRequest = new MessageTable({ containerRequests: repeated(nested(1, containerAllocateRequest)) });

export const cdiDevice = new MessageTable({ name: text(1) });

export const mount = new MessageTable({ containerPath: text(1), hostPath: text(2), readOnly: bool(3) });

export const deviceSpec = new MessageTable({ containerPath: text(1), hostPath: text(2), permissions: text(3) });

export const containerAllocateResponse = new MessageTable({
  envs: textMap(1),
  mounts: repeated(nested(2, mount)),
  devices: repeated(nested(3, deviceSpec)),
  annotations: textMap(4),
  cdiDevices: repeated(nested(5, cdiDevice)),
});

export const allocateResponse = new MessageTable({
  containerResponses: repeated(nested(1, containerAllocateResponse)),
});

export const Registration = {
  register: method('/v1beta1.Registration/Register', registerRequest, empty),
};

export const DevicePlugin = {
  getDevicePluginOptions: method('/v1beta1.DevicePlugin/GetDevicePluginOptions', empty, devicePluginOptions),
  listAndWatch: method('/v1beta1.DevicePlugin/ListAndWatch', empty, listAndWatchResponse),
  getPreferredAllocation: method(
    '/v1beta1.DevicePlugin/GetPreferredAllocation',
    preferredAllocationRequest,
    preferredAllocationResponse,
  ),
  allocate: method('/v1beta1.DevicePlugin/Allocate', allocateRequest, allocateResponse),
  preStartContainer: method(
    '/v1beta1.DevicePlugin/PreStartContainer',
    preStartContainerRequest,
    preStartContainerResponse,
  ),
};
