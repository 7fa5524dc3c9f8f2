import { startCluster, type TestCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { needsNamespaces, NetworkNamespace } from '../../test/support/cni-bench.ts';
import { AddressPool, PodAddress } from './address-kinds.ts';
import { poolIpam } from './address-pools.ts';

interface Called {
  readonly code: number;
  readonly answer: { readonly code?: number; readonly ips?: readonly object[]; readonly routes?: readonly object[] };
}

/** Calls the plugin as `bridge` would. */
function calls(
  cluster: TestCluster,
  netns: string,
): (command: string, container: string, more?: object) => Promise<Called> {
  const plugin = poolIpam(() => cluster.client);
  return async (command, container, more = {}) => {
    const { code, stdout } = await plugin.run({
      environment: {
        CNI_COMMAND: command,
        CNI_CONTAINERID: container,
        CNI_NETNS: netns,
        CNI_IFNAME: 'eth0',
        CNI_PATH: '/nowhere',
        CNI_ARGS: `K8S_POD_NAMESPACE=default;K8S_POD_NAME=${container}`,
      },
      input: JSON.stringify({
        cniVersion: '1.1.0',
        name: 'pods',
        type: 'bridge',
        ipam: { type: 'pool-ipam', node: 'n1' },
        ...more,
      }),
    });
    return { code, answer: stdout === '' ? {} : (JSON.parse(stdout) as Called['answer']) };
  };
}

test('containers get addresses of the pools, each to one, and give them back', needsNamespaces, async () => {
  await using cluster = await startCluster({ nodes: 0, resources: [AddressPool, PodAddress] });
  await using namespace = await NetworkNamespace.create();
  const { client } = cluster;
  await client.core.v1.nodes.create({ metadata: { name: 'n1', labels: { zone: 'north' } } });
  await client
    .kind(AddressPool)
    .create({ metadata: { name: 'far' }, spec: { cidr: '10.8.0.0/24', nodes: { zone: 'south' } } });
  await client.kind(AddressPool).create({ metadata: { name: 'near' }, spec: { cidr: '10.9.0.0/29' } });
  const call = calls(cluster, namespace.path);

  const added = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => call('ADD', name)));
  expect(added.map(({ answer }) => answer.ips?.map((ip) => (ip as { address: string }).address)[0]).toSorted()).toEqual(
    [2, 3, 4, 5, 6].map((last) => `10.9.0.${last}/29`),
  );
  expect(added[0]?.answer).toMatchObject({ ips: [{ gateway: '10.9.0.1' }], routes: [{ dst: '0.0.0.0/0' }] });
  expect((await call('ADD', 'f')).answer.code).toBe(11);
  expect((await call('ADD', 'a')).answer.code).toBe(100);
  expect((await call('STATUS', '')).answer.code).toBe(50);

  expect((await call('DEL', 'a')).code).toBe(0);
  expect((await call('DEL', 'a')).code).toBe(0);
  expect((await call('STATUS', '')).code).toBe(0);
  expect((await call('CHECK', 'a')).answer.code).toBe(101);
  expect((await call('CHECK', 'b', { prevResult: { cniVersion: '1.1.0' } })).code).toBe(0);

  await call('GC', '', { 'cni.dev/valid-attachments': [{ containerID: 'b', ifname: 'eth0' }] });
  const { items } = await client.kind(PodAddress).list();
  expect(items.map(({ spec }) => spec.pod)).toEqual(['default/b']);
});
