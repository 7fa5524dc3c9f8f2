import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { CniBench, needsNamespaces, NetworkNamespace } from '../../test/support/cni-bench.ts';

test('containers reach each other over the bridge, and nothing is left of those that go', needsNamespaces, async () => {
  await using bench = await CniBench.create({ 'keelson-bridge': 'examples/cni-bridge/main.ts' });
  await using blue = await NetworkNamespace.create();
  await using red = await NetworkNamespace.create();
  const { runner, machine } = bench;
  const plugin = { type: 'keelson-bridge', subnet: '10.9.0.0/29', stateDir: bench.state('bridge') };
  const network = bench.network('pods', [plugin]);
  const [first, second] = [
    { containerId: 'blue', netns: blue.path },
    { containerId: 'red', netns: red.path },
  ];

  await runner.status(network);
  const added = await Promise.all([runner.add(network, first), runner.add(network, second)]);
  const addresses = added.map((result) => ('ips' in result ? result.ips?.[0]?.address : undefined));
  expect(addresses.toSorted()).toEqual(['10.9.0.2/29', '10.9.0.3/29']);
  expect(await reach(red, blue, addresses[0]?.replace('/29', '') ?? '')).toBe('hello');
  expect(await reach(red, machine, '10.9.0.1')).toBe('hello');
  await runner.check(network, first);
  await expect(runner.add(network, first)).rejects.toThrow('interface "eth0" exists already');
  await runner.check(network, first); // the second ADD has taken nothing away

  await blue.run('ip', 'address', 'flush', 'dev', 'eth0');
  await expect(runner.check(network, first)).rejects.toThrow('is missing on eth0');
  await runner.del(network, first);
  await red[Symbol.asyncDispose]();
  await runner.del(network, { ...second, netns: '' });
  await runner.del(network, { ...second, netns: '' });
  expect(await machine.run('ip', '-o', 'link')).not.toContain('kb');
  expect(await blue.run('ip', '-o', 'link')).not.toContain('eth0');
});

test('a subnet that is full is reported by STATUS, and collected', needsNamespaces, async () => {
  await using bench = await CniBench.create({ 'keelson-bridge': 'examples/cni-bridge/main.ts' });
  await using blue = await NetworkNamespace.create();
  await using red = await NetworkNamespace.create();
  const plugin = { type: 'keelson-bridge', subnet: '10.9.0.0/30', stateDir: bench.state('bridge') };
  const network = bench.network('pods', [plugin]);
  await bench.runner.add(network, { containerId: 'blue', netns: blue.path });

  await expect(bench.runner.status(network)).rejects.toMatchObject({ code: 50 });
  await expect(bench.runner.add(network, { containerId: 'red', netns: red.path })).rejects.toMatchObject({ code: 11 });
  await bench.runner.gc(network, { valid: [] });
  await bench.runner.status(network);
});

/** What a client in one namespace reads from a server in another. */
async function reach(from: NetworkNamespace, to: NetworkNamespace, address: string): Promise<string> {
  const code = `require('net').createServer((s) => s.end('hello')).listen(80, () => console.log('listening'))`;
  const server = spawn('nsenter', [`--net=${to.path}`, process.execPath, '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(server.stdout, 'data');
    return await from.run('bash', '-c', `cat < /dev/tcp/${address}/80`);
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}
