// Written by `npm run protocols` from k8s.io/kubelet@v0.36.3/pkg/apis/pluginregistration/v1/api.proto. Do not edit.
import type { Method } from '../../wire/grpc/index.ts';
import { bool, repeated, text, type Fields, type Message, MessageTable } from '../../wire/protobuf/index.ts';

function method<Request extends Fields, Response extends Fields>(
  path: string,
  request: MessageTable<Request>,
  response: MessageTable<Response>,
): Method<Message<Request>, Message<Response>> {
  return { path, request, response };
}

export const pluginInfo = new MessageTable({
  type: text(1),
  name: text(2),
  endpoint: text(3),
  supportedVersions: repeated(text(4)),
});

export const registrationStatus = new MessageTable({ pluginRegistered: bool(1), error: text(2) });

export const registrationStatusResponse = new MessageTable({});

export const infoRequest = new MessageTable({});

export const Registration = {
  getInfo: method('/pluginregistration.Registration/GetInfo', infoRequest, pluginInfo),
  notifyRegistrationStatus: method(
    '/pluginregistration.Registration/NotifyRegistrationStatus',
    registrationStatus,
    registrationStatusResponse,
  ),
};
