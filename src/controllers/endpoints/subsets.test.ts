import { describe, expect, test } from 'vitest';
import type { Observed, Pod, Service } from '../../client/index.ts';
import { subsetsOf, truncated } from './subsets.ts';

const metadata = (name: string) => ({
  name,
  namespace: 'default',
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
});
const pod = (
  number: number,
  options: { readonly ready?: boolean; readonly port?: number; readonly phase?: 'Running' | 'Failed' } = {},
): Observed<Pod> => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: metadata(`pod-${number}`),
  spec: {
    nodeName: 'n1',
    containers: [{ name: 'c', ports: [{ name: 'web', containerPort: options.port ?? 8080, protocol: 'TCP' }] }],
  },
  status: {
    phase: options.phase ?? 'Running',
    podIP: `10.0.0.${number}`,
    podIPs: [{ ip: `10.0.0.${number}` }],
    conditions: [{ type: 'Ready', status: options.ready === false ? 'False' : 'True' }],
  },
});
const service = (spec: Service['spec']): Observed<Service> => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: metadata('web'),
  spec: { clusterIP: '10.96.0.9', ipFamilies: ['IPv4'], ...spec },
});
const web = service({ ports: [{ name: 'http', port: 80, targetPort: 'web', protocol: 'TCP' }] });
const ips = (addresses: readonly { ip: string }[] = []): string[] => addresses.map(({ ip }) => ip);

describe('the subsets of Endpoints', () => {
  test('pods with the same ports share a subset, ready or not', () => {
    const [subset, ...others] = subsetsOf(web, [pod(2), pod(1), pod(3, { ready: false })]);

    expect(others).toEqual([]);
    expect(ips(subset?.addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(ips(subset?.notReadyAddresses)).toEqual(['10.0.0.3']);
    expect(subset?.ports).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }]);
  });

  test('a named port may have different numbers on different pods', () => {
    const subsets = subsetsOf(web, [pod(1), pod(2, { port: 9090 })]);

    expect(subsets.map(({ addresses, ports }) => [ips(addresses), ports?.[0]?.port])).toEqual([
      [['10.0.0.1'], 8080],
      [['10.0.0.2'], 9090],
    ]);
  });

  test('finished pods are not included', () => {
    expect(subsetsOf(web, [pod(1, { phase: 'Failed' })])).toEqual([]);
  });

  test('a headless service without ports lists only addresses', () => {
    expect(subsetsOf(service({ clusterIP: 'None' }), [pod(1)])).toEqual([
      { addresses: [expect.objectContaining({ ip: '10.0.0.1', nodeName: 'n1' })] },
    ]);
  });

  test('of more than a thousand addresses the first thousand are kept, ready ones first', () => {
    const address = (number: number) => ({ ip: `10.0.${number >> 8}.${number & 255}` });
    const many = (count: number) => Array.from({ length: count }, (_, number) => address(number));

    const { subsets, isTruncated } = truncated([{ addresses: many(900), notReadyAddresses: many(900) }]);

    expect(isTruncated).toBe(true);
    expect([subsets[0]?.addresses?.length, subsets[0]?.notReadyAddresses?.length]).toEqual([900, 100]);
  });
});
