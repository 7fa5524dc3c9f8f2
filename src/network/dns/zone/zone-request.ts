import { labelsOf } from '../../../wire/dns/index.ts';

/**
 * What a name below a zone asks for, by the Kubernetes DNS specification 1.1:
 *
 * `web.default.svc` is a service; `pod-0.web.default.svc` one of its endpoints; `_http._tcp.web.default.svc` one of its ports;
 * `10-244-0-7.default.pod` a pod. `default.svc` and `svc` have nothing themselves, but names below them.
 */
export type ZoneRequest =
  | { readonly type: 'branch' }
  | { readonly type: 'namespace'; readonly namespace: string }
  | { readonly type: 'service'; readonly namespace: string; readonly service: string; readonly part: ServicePart }
  | { readonly type: 'pod'; readonly namespace: string; readonly address: string }
  | { readonly type: 'unknown' };

/** The part of a service that a name is about. An empty text stands for all. */
export interface ServicePart {
  readonly endpoint: string;
  readonly port: string;
  readonly protocol: string;
}

export const WHOLE_SERVICE: ServicePart = { endpoint: '', port: '', protocol: '' };

const BRANCH: ZoneRequest = { type: 'branch' };
const UNKNOWN: ZoneRequest = { type: 'unknown' };

/** Reads a name without the zone, in lower case: `web.default.svc`; empty for the zone itself. */
export function zoneRequest(base: string): ZoneRequest {
  if (base === '' || base === 'svc' || base === 'pod') return BRANCH;
  const labels = labelsOf(base);
  const count = labels.length;
  const branch = labels[count - 1];
  if (branch !== 'svc' && branch !== 'pod') return UNKNOWN;
  const namespace = labels[count - 2] as string;
  if (count === 2) return { type: 'namespace', namespace };
  if (count > 5) return UNKNOWN;
  const service = labels[count - 3] as string;
  if (branch === 'pod') return { type: 'pod', namespace, address: service };
  return { type: 'service', namespace, service, part: partOf(labels.slice(0, -3)) };
}

/** One label is an endpoint; two are port and protocol, with or without their underscores. */
function partOf([first = '', second]: readonly string[]): ServicePart {
  if (second !== undefined) return { endpoint: '', port: withoutMark(first), protocol: withoutMark(second) };
  return first === '' ? WHOLE_SERVICE : { endpoint: first, port: '', protocol: '' };
}

function withoutMark(label: string): string {
  return label.startsWith('_') ? label.slice(1) : label;
}

/** Whether a name is about the service itself. */
export function isWhole({ endpoint, port, protocol }: ServicePart): boolean {
  return endpoint === '' && port === '' && protocol === '';
}
