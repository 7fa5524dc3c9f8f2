// Written by `npm run protocols` from k8s.io/kubelet@v0.36.3/pkg/apis/podresources/v1alpha1/api.proto. Do not edit.
import type { Method } from '../../../wire/grpc/index.ts';
import { nested, repeated, text, type Fields, type Message, MessageTable } from '../../../wire/protobuf/index.ts';

function method<Request extends Fields, Response extends Fields>(
  path: string,
  request: MessageTable<Request>,
  response: MessageTable<Response>,
): Method<Message<Request>, Message<Response>> {
  return { path, request, response };
}

export const listPodResourcesRequest = new MessageTable({});

export const containerDevices = new MessageTable({ resourceName: text(1), deviceIds: repeated(text(2)) });

export const containerResources = new MessageTable({ name: text(1), devices: repeated(nested(2, containerDevices)) });

export const podResources = new MessageTable({
  name: text(1),
  namespace: text(2),
  containers: repeated(nested(3, containerResources)),
});

export const listPodResourcesResponse = new MessageTable({ podResources: repeated(nested(1, podResources)) });

export const PodResourcesLister = {
  list: method('/v1alpha1.PodResourcesLister/List', listPodResourcesRequest, listPodResourcesResponse),
};
