import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CniBench, needsNamespaces, NetworkNamespace } from '../../test/support/cni-bench.ts';

test('pods and their addresses are written down while they are there', needsNamespaces, async () => {
  await using bench = await CniBench.create({
    'keelson-bridge': 'examples/cni-bridge/main.ts',
    'keelson-metadata': 'examples/cni-metadata/main.ts',
  });
  await using blue = await NetworkNamespace.create();
  const folder = bench.state('metadata');
  const network = bench.network('pods', [
    { type: 'keelson-bridge', subnet: '10.9.0.0/24', stateDir: bench.state('bridge') },
    { type: 'keelson-metadata', folder },
  ]);
  const pod = [
    ['K8S_POD_NAMESPACE', 'shop'],
    ['K8S_POD_NAME', 'web-1'],
  ] as const;
  const attachment = { containerId: 'blue', netns: blue.path, args: pod };
  await bench.runner.add(network, attachment);

  expect(JSON.parse(await readFile(join(folder, 'blue-eth0.json'), 'utf8'))).toEqual({
    pod: { namespace: 'shop', name: 'web-1' },
    network: 'pods',
    netns: blue.path,
    addresses: ['10.9.0.2'],
  });
  await bench.runner.check(network, attachment);
  await bench.runner.gc(network, { valid: [{ containerID: 'blue', ifname: 'eth0' }] });
  expect(await readdir(folder)).toEqual(['blue-eth0.json']);
  await bench.runner.del(network, attachment);
  expect(await readdir(folder)).toEqual([]);
});
