// Written by `npm run protocols` from k8s.io/kubelet@v0.36.3/pkg/apis/dra/v1/api.proto. Do not edit.
import type { Method } from '../../wire/grpc/index.ts';
import { mapOf, nested, repeated, text, type Fields, type Message, MessageTable } from '../../wire/protobuf/index.ts';

function method<Request extends Fields, Response extends Fields>(
  path: string,
  request: MessageTable<Request>,
  response: MessageTable<Response>,
): Method<Message<Request>, Message<Response>> {
  return { path, request, response };
}

export const claim = new MessageTable({ namespace: text(1), uid: text(2), name: text(3) });

export const nodePrepareResourcesRequest = new MessageTable({ claims: repeated(nested(1, claim)) });

export const device = new MessageTable({
  requestNames: repeated(text(1)),
  poolName: text(2),
  deviceName: text(3),
  cdiDeviceIds: repeated(text(4)),
  shareId: text(5),
});

export const nodePrepareResourceResponse = new MessageTable({ devices: repeated(nested(1, device)), error: text(2) });

export const nodePrepareResourcesResponse = new MessageTable({
  claims: mapOf(1, nested(2, nodePrepareResourceResponse)),
});

export const nodeUnprepareResourcesRequest = new MessageTable({ claims: repeated(nested(1, claim)) });

export const nodeUnprepareResourceResponse = new MessageTable({ error: text(1) });

export const nodeUnprepareResourcesResponse = new MessageTable({
  claims: mapOf(1, nested(2, nodeUnprepareResourceResponse)),
});

export const DRAPlugin = {
  nodePrepareResources: method(
    '/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources',
    nodePrepareResourcesRequest,
    nodePrepareResourcesResponse,
  ),
  nodeUnprepareResources: method(
    '/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodeUnprepareResources',
    nodeUnprepareResourcesRequest,
    nodeUnprepareResourcesResponse,
  ),
};
