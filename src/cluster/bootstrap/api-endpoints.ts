import { deepEqual } from '../../base/index.ts';
import type { ApiObject } from '../../api/index.ts';
import type { Amendment, OwnObject } from './own-object.ts';

/** Where the API is served. */
export interface ApiAddresses {
  readonly addresses: readonly string[];
  /** The same for all servers. */
  readonly port: number;
}

const NAMESPACE = 'default';
const NAME = 'kubernetes';

type Labels = Readonly<Record<string, string>>;

/** The objects that make the `kubernetes` Service lead to these servers. */
export function apiEndpoints({ addresses, port }: ApiAddresses): OwnObject[] {
  const sorted = [...new Set(addresses)].toSorted();
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  const slice = {
    addressType: sorted[0]?.includes(':') === true ? 'IPv6' : 'IPv4',
    endpoints: sorted.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports,
  };
  const subsets = [{ addresses: sorted.map((ip) => ({ ip })), ports }];
  const sliceLabels = { 'kubernetes.io/service-name': NAME };
  const endpointsLabels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
  return [
    {
      kind: { group: 'discovery.k8s.io', plural: 'endpointslices', root: '/apis/discovery.k8s.io/v1' },
      object: { metadata: { name: NAME, namespace: NAMESPACE, labels: sliceLabels }, ...slice },
      amend: (current) =>
        current['addressType'] === slice.addressType
          ? amendment(current, { labels: sliceLabels, content: slice })
          : { type: 'replace' },
    },
    {
      kind: { group: '', plural: 'endpoints', root: '/api/v1' },
      object: { metadata: { name: NAME, namespace: NAMESPACE, labels: endpointsLabels }, subsets },
      amend: (current) => amendment(current, { labels: endpointsLabels, content: { subsets } }),
    },
  ];
}

/** An update that gives the object these labels, beside others, and this content; undefined when it has them. */
function amendment(
  current: ApiObject,
  { labels, content }: { readonly labels: Labels; readonly content: Readonly<Record<string, unknown>> },
): Amendment | undefined {
  const known = current.metadata.labels as Labels | undefined;
  const hasLabels = Object.entries(labels).every(([name, value]) => known?.[name] === value);
  const hasContent = Object.entries(content).every(([field, value]) => deepEqual(current[field], value));
  if (hasLabels && hasContent) return undefined;
  const metadata = { ...current.metadata, labels: { ...known, ...labels } };
  return { type: 'update', object: { ...current, ...content, metadata } };
}
