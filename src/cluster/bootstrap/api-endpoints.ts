import { deepEqual } from '../../base/index.ts';
import type { ApiObject } from '../../api/index.ts';
import type { Amendment, OwnObject } from './own-object.ts';

export interface ApiAddress {
  readonly address: string;
  readonly port: number;
  /** Other servers may write to the same store; their addresses are kept beside ours, with the port that all must have. */
  readonly isShared: boolean;
}

const NAMESPACE = 'default';
const NAME = 'kubernetes';

type Labels = Readonly<Record<string, string>>;

/** Lets the `kubernetes` Service lead to this server, wherever it listens this time. */
export function apiEndpoints({ address, port, isShared }: ApiAddress): OwnObject[] {
  const slice = {
    addressType: address.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
  const subset = { addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] };
  const sliceLabels = { 'kubernetes.io/service-name': NAME };
  const endpointsLabels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
  return [
    {
      kind: { group: 'discovery.k8s.io', plural: 'endpointslices', root: '/apis/discovery.k8s.io/v1' },
      object: { metadata: { name: NAME, namespace: NAMESPACE, labels: sliceLabels }, ...slice },
      amend: (current) => {
        if (current['addressType'] !== slice.addressType) return { type: 'replace' };
        const known = current['endpoints'] as typeof slice.endpoints | undefined;
        const others = isShared ? (known ?? []).filter(({ addresses }) => addresses[0] !== address) : [];
        const endpoints = sorted([...others, ...slice.endpoints], ({ addresses }) => addresses[0] ?? '');
        const ports = others.length === 0 ? slice.ports : current['ports'];
        return amendment(current, { labels: sliceLabels, content: { ...slice, endpoints, ports } });
      },
    },
    {
      kind: { group: '', plural: 'endpoints', root: '/api/v1' },
      object: { metadata: { name: NAME, namespace: NAMESPACE, labels: endpointsLabels }, subsets: [subset] },
      amend: (current) => {
        const known = (current['subsets'] as (typeof subset)[] | undefined) ?? [];
        const [first] = isShared && known.length === 1 ? known : [];
        const others = (first?.addresses ?? []).filter(({ ip }) => ip !== address);
        const ports = others.length === 0 ? subset.ports : first?.ports;
        const addresses = sorted([...others, ...subset.addresses], ({ ip }) => ip);
        return amendment(current, { labels: endpointsLabels, content: { subsets: [{ addresses, ports }] } });
      },
    },
  ];
}

function sorted<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...items].sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
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
