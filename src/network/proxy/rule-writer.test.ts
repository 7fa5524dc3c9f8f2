import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EndpointSlice } from '../../api/types/discovery/v1.d.ts';
import { Nft } from '../nftables/nft.ts';
import { serviceOf, sliceOf } from '../services/testing/services.ts';
import { inNamespaces, LAB_PORT, NetworkLab, SILENCE_MS } from '../testing/network-lab.ts';
import { removeRules } from './rule-writer.ts';
import { LAB_NODE, LabProxy } from './testing/proxied-lab.ts';

const PORTS = [
  { name: 'http', protocol: 'TCP' as const, port: LAB_PORT },
  { name: 'dns', protocol: 'UDP' as const, port: LAB_PORT },
];

describe('packets on a node', inNamespaces(), () => {
  let lab!: NetworkLab;
  let proxy: LabProxy;

  beforeAll(async () => {
    lab = await NetworkLab.open(2);
    proxy = new LabProxy(lab);
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  /** A slice with the pods of these numbers, all on the node or all elsewhere. */
  function slice(service: string, pods: readonly number[], isLocal = true): EndpointSlice {
    const nodeName = isLocal ? LAB_NODE : 'other';
    const endpoints = pods.map((number) => ({ addresses: [lab.pod(number).ipv4], nodeName }));
    return sliceOf(service, endpoints, { ports: PORTS });
  }

  const clusterIp = (service: number) => ({ address: `10.96.0.${service}`, port: 80 });
  const ports = [
    { name: 'http', protocol: 'TCP' as const, port: 80, nodePort: 30_080 },
    { name: 'dns', protocol: 'UDP' as const, port: 80 },
  ];

  test('a cluster IP leads to every endpoint over TCP and UDP, also to the pod that asks', async () => {
    await proxy.apply([serviceOf('web', { clusterIP: '10.96.0.1', ports })], [slice('web', [1, 2])]);
    const { ipv4 } = lab.pod(1);
    const asked = await lab.pod(1).askOften(20, clusterIp(1));
    expect(asked).toEqual([`pod1 sees 10.244.0.1`, `pod2 sees ${ipv4}`]); // to itself with the address of the node
    expect(await lab.pod(2).askOften(20, { ...clusterIp(1), protocol: 'UDP' })).toHaveLength(2);
    expect(await lab.node.askOften(20, clusterIp(1))).toHaveLength(2);
    expect(await lab.outside.askOften(20, clusterIp(1))).toEqual(['pod1 sees 10.244.0.1', 'pod2 sees 10.244.0.1']);
  });

  test('a node port is served on the addresses of the node, and not on loopback', async () => {
    await proxy.apply([serviceOf('web', { type: 'NodePort', clusterIP: '10.96.0.1', ports })]);
    const nodePort = { address: lab.node.ipv4, port: 30_080 };
    expect(await lab.outside.askOften(20, nodePort)).toEqual(['pod1 sees 10.244.0.1', 'pod2 sees 10.244.0.1']);
    expect(await lab.node.ask({ address: '127.0.0.1', port: 30_080 })).toBe('refused');
  });

  test('without endpoints a port is refused, and so is one that the Service does not have', async () => {
    await proxy.apply([serviceOf('none', { clusterIP: '10.96.0.2', ports })]);
    expect(await lab.pod(1).ask(clusterIp(2))).toBe('refused');
    expect(await lab.node.ask({ ...clusterIp(2), protocol: 'UDP' })).toBe('refused');
    expect(await lab.pod(1).ask({ address: '10.96.0.1', port: 81 })).toBe('refused');
    expect(await lab.pod(1).ask({ address: '10.96.0.99', port: 80, waitMs: SILENCE_MS })).toBe('no answer');
  });

  test('external policy Local keeps the source, and drops what has no endpoint here', async () => {
    const spec = { type: 'NodePort', externalTrafficPolicy: 'Local', clusterIP: '10.96.0.3' } as const;
    const local = { ...spec, ports: [{ name: 'http', port: 80, nodePort: 30_081 }] };
    const nodePort = { address: lab.node.ipv4, port: 30_081 };
    await proxy.apply([serviceOf('local', local)], [slice('local', [1])]);
    expect(await lab.outside.ask(nodePort)).toBe(`pod1 sees ${lab.outside.ipv4}`);
    await proxy.apply([], [slice('local', [1], false)]);
    expect(await lab.outside.ask({ ...nodePort, waitMs: SILENCE_MS })).toBe('no answer');
    expect(await lab.pod(2).ask(nodePort)).toBe(`pod1 sees ${lab.pod(2).ipv4}`); // pods of the node go anywhere
    expect(await lab.node.ask(nodePort)).toMatch(/^pod1 sees /);
  });

  test('a client with affinity stays with its endpoint, until that is gone', async () => {
    const spec = { clusterIP: '10.96.0.4', sessionAffinity: 'ClientIP' as const, ports };
    await proxy.apply([serviceOf('sticky', spec)], [slice('sticky', [1, 2])]);
    const first = await lab.outside.askOften(10, clusterIp(4));
    expect(first).toHaveLength(1);
    await proxy.sync(true); // a sync of everything keeps who belongs where
    expect(await lab.outside.askOften(10, clusterIp(4))).toEqual(first);
    const other = first[0]?.startsWith('pod1') === true ? 2 : 1;
    await proxy.apply([], [slice('sticky', [other])]);
    expect(await lab.outside.askOften(5, clusterIp(4))).toEqual([`pod${other} sees 10.244.0.1`]);
  });

  test('source ranges limit who reaches a load balancer', async () => {
    const ingress = [{ ip: '203.0.113.1' }];
    const balanced = (...loadBalancerSourceRanges: string[]) =>
      serviceOf(
        'balanced',
        { type: 'LoadBalancer', clusterIP: '10.96.0.5', ports: [{ name: 'http', port: 80 }], loadBalancerSourceRanges },
        { status: { loadBalancer: { ingress } } },
      );
    const address = { address: '203.0.113.1', port: 80 };
    await proxy.apply([balanced('192.0.2.0/24', '192.0.2.0/28')], [slice('balanced', [1])]);
    expect(await lab.outside.ask(address)).toBe('pod1 sees 10.244.0.1');
    await proxy.apply([balanced('198.51.100.0/24')]);
    expect(await lab.outside.ask({ ...address, waitMs: SILENCE_MS })).toBe('no answer');
    expect(await lab.pod(2).ask(clusterIp(5))).toMatch(/^pod1 sees /);
  });

  test('rules that others removed are missed, and made again by a sync of everything', async () => {
    expect(await proxy.check()).toBe(true);
    for (const flush of [
      'flush table ip keelson-services',
      'flush map ip keelson-services service-ips',
      'flush ruleset',
    ]) {
      await lab.node.run('nft', flush);
      expect(await proxy.check()).toBe(false);
      await proxy.sync(true);
      expect(await proxy.check()).toBe(true);
    }
    await lab.node.run('nft', 'flush ruleset');
    await proxy.apply([serviceOf('more', { clusterIP: '10.96.0.6' })]); // a change that is refused becomes one of everything
    expect(await lab.pod(1).ask(clusterIp(6))).toBe('refused');
    expect(await lab.pod(1).ask(clusterIp(1))).toMatch(/^pod/);
  });

  test('a process that starts finds what another one left, and leaves nothing of it', async () => {
    const next = new LabProxy(lab);
    await next.apply([serviceOf('web', { clusterIP: '10.96.0.1', ports })], [slice('web', [2])]);
    expect(await lab.outside.askOften(5, clusterIp(1))).toEqual(['pod2 sees 10.244.0.1']);
    expect(await lab.outside.ask({ ...clusterIp(4), waitMs: SILENCE_MS })).toBe('no answer');
    const text = await lab.node.run('nft', 'list', 'ruleset');
    expect(text).not.toContain('affinity-default/sticky');
  });

  test('IPv6, and rules of SCTP', async () => {
    const ipv6 = new LabProxy(lab, 'IPv6');
    const sctp = [...ports, { name: 'sctp', protocol: 'SCTP' as const, port: 80 }];
    const targets = [...PORTS, { name: 'sctp', protocol: 'SCTP' as const, port: LAB_PORT }];
    const endpoints = [1, 2].map((number) => ({ addresses: [lab.pod(number).ipv6], nodeName: LAB_NODE }));
    await ipv6.apply(
      [serviceOf('web', { type: 'NodePort', clusterIP: 'fd00:96::1', ports: sctp, sessionAffinity: 'ClientIP' })],
      [sliceOf('web', endpoints, { addressType: 'IPv6', ports: targets })],
    );
    expect(await lab.pod(1).askOften(5, { address: 'fd00:96::1', port: 80 })).toHaveLength(1);
    expect(await lab.outside.ask({ address: lab.node.ipv6, port: 30_080 })).toMatch(/^pod[12] sees fd00:244::1$/);
    const text = await lab.node.run('nft', 'list', 'table', 'ip6', 'keelson-services');
    expect(text).toMatch(/meta l4proto (132|sctp) dnat to \[fd00:244::11\]:8080/);
  });

  test('removing the rules leaves nothing', async () => {
    await removeRules(new Nft({ prefix: lab.node.prefix }), ['IPv4', 'IPv6']);
    expect(await lab.node.run('nft', 'list', 'ruleset')).toBe('');
  });
});
