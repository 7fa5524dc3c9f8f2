import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { CniError } from '../cni-error.ts';
import { loadNetwork } from '../configuration/load-network.ts';
import { RecordingPlugins } from '../testing/recording-plugins.ts';
import { cniRunner, type CniRunner, type CniRunnerOptions } from './cni-runner.ts';

const attachment = {
  containerId: 'c1',
  netns: '/run/netns/blue',
  args: [['A', '1'] as const, ['B', 'two'] as const],
  capabilityArgs: { mac: '02:00:00:00:00:01', portMappings: [{ hostPort: 80, containerPort: 8080, protocol: 'tcp' }] },
};
const first = { cniVersion: '1.1.0', interfaces: [{ name: 'eth0', sandbox: '/run/netns/blue' }] };
const second = { ...first, ips: [{ address: '10.0.0.2/24', interface: 0 }] };
const list = {
  cniVersion: '1.1.0',
  name: 'pods',
  plugins: [
    { type: 'one', color: 'red' },
    { type: 'two', capabilities: { portMappings: true, bandwidth: true, mac: false } },
  ],
};

async function setUp(
  network: object = list,
  options: Partial<CniRunnerOptions> = {},
): Promise<{ plugins: RecordingPlugins; runner: CniRunner }> {
  const plugins = await RecordingPlugins.create('one', 'two');
  onTestFinished(() => plugins[Symbol.asyncDispose]());
  await plugins.answer('one', first);
  await plugins.answer('two', second);
  await plugins.network('10-pods.conflist', network);
  const runner = cniRunner({ pluginFolders: [plugins.programs], cacheFolder: plugins.cache, ...options });
  return { plugins, runner };
}

const summary = (calls: Awaited<ReturnType<RecordingPlugins['calls']>>): readonly string[] =>
  calls.map(({ plugin, environment }) => `${environment['CNI_COMMAND']} ${plugin}`);

test('a container is added by each plugin in order, and removed by them in reverse', async () => {
  const { plugins, runner } = await setUp();
  const network = await loadNetwork(plugins.networks, 'pods');

  expect(await runner.add(network, attachment)).toEqual(second);
  await runner.check(network, attachment);
  await runner.del(network, attachment);

  const calls = await plugins.calls();
  expect(summary(calls)).toEqual(['ADD one', 'ADD two', 'CHECK one', 'CHECK two', 'DEL two', 'DEL one']);
  expect(calls[1]?.environment).toEqual({
    CNI_ARGS: 'A=1;B=two',
    CNI_COMMAND: 'ADD',
    CNI_CONTAINERID: 'c1',
    CNI_IFNAME: 'eth0',
    CNI_NETNS: '/run/netns/blue',
    CNI_PATH: plugins.programs,
  });
  expect(calls.map(({ input }) => JSON.parse(input) as unknown)).toEqual([
    { cniVersion: '1.1.0', name: 'pods', type: 'one', color: 'red' },
    {
      ...list.plugins[1],
      cniVersion: '1.1.0',
      name: 'pods',
      prevResult: first,
      runtimeConfig: { portMappings: attachment.capabilityArgs.portMappings },
    },
    ...[0, 1, 1, 0].map((at) => expect.objectContaining({ type: list.plugins[at]?.type, prevResult: second })),
  ]);
});

test('the result of ADD is kept in libcni’s file and form until DEL', async () => {
  const { plugins, runner } = await setUp();
  const network = await loadNetwork(plugins.networks, 'pods');
  await runner.add(network, attachment);
  const folder = join(plugins.cache, 'results');

  expect(await readdir(folder)).toEqual(['pods-c1-eth0']);
  const text = await readFile(join(folder, 'pods-c1-eth0'), 'utf8');
  const config = Buffer.from(JSON.stringify(list)).toString('base64');
  expect(text).toBe(
    `{"kind":"cniCacheV1","containerId":"c1","config":"${config}","ifName":"eth0","networkName":"pods","netns":"/run/netns/blue",` +
      '"cniArgs":[["A","1"],["B","two"]],' +
      '"capabilityArgs":{"mac":"02:00:00:00:00:01","portMappings":[{"containerPort":8080,"hostPort":80,"protocol":"tcp"}]},' +
      '"result":{"cniVersion":"1.1.0","interfaces":[{"name":"eth0","sandbox":"/run/netns/blue"}],' +
      '"ips":[{"address":"10.0.0.2/24","interface":0}]}}',
  );
  await runner.del(network, attachment);
  expect(await readdir(folder)).toEqual([]);
});

test('a plugin that fails ends the operation with its code and text', async () => {
  const { plugins, runner } = await setUp();
  const network = await loadNetwork(plugins.networks, 'pods');
  await plugins.fail('two', '{"cniVersion":"1.1.0","code":11,"msg":"try again","details":"no leases"}');

  const error = await runner.add(network, attachment).catch((caught: unknown) => caught);

  expect(error).toBeInstanceOf(CniError);
  expect(error).toMatchObject({ code: 11, details: 'no leases' });
  expect((error as CniError).message).toBe('plugin type="two" failed (add): try again; no leases');
  expect(await readdir(plugins.cache).catch(() => [])).toEqual([]);
  await plugins.fail('two', undefined);
  await plugins.fail('one', 'not JSON');
  await expect(runner.status(network)).rejects.toThrow('netplugin failed but its error cannot be read');
  await plugins.fail('one', '');
  await expect(runner.status(network)).rejects.toThrow('netplugin failed with no error message: exit code 1');
});

test('GC deletes cached attachments that are not valid, then tells the plugins which are', async () => {
  const { plugins, runner } = await setUp();
  const network = await loadNetwork(plugins.networks, 'pods');
  for (const containerId of ['a', 'b']) await runner.add(network, { containerId, netns: '/run/netns/x' });
  const valid = [{ containerID: 'b', ifname: 'eth0' }];

  await runner.gc(network, { valid });

  const calls = (await plugins.calls()).slice(4);
  expect(summary(calls)).toEqual(['DEL two', 'DEL one', 'GC one', 'GC two']);
  expect(calls[0]?.environment).toMatchObject({ CNI_CONTAINERID: 'a', CNI_NETNS: '/run/netns/x' });
  expect(JSON.parse(calls[2]?.input ?? '')).toEqual({
    ...list.plugins[0],
    cniVersion: '1.1.0',
    name: 'pods',
    'cni.dev/valid-attachments': valid,
    'cni.dev/attachments': valid,
  });
  expect(await readdir(join(plugins.cache, 'results'))).toEqual(['pods-b-eth0']);
});

test('GC goes on after errors and reports them all', async () => {
  const { plugins, runner } = await setUp();
  const network = await loadNetwork(plugins.networks, 'pods');
  await plugins.fail('one', '{"code":100,"msg":"broken"}');

  await expect(runner.gc(network)).rejects.toMatchObject({ code: 100, msg: 'failed to GC plugin one: broken' });
  expect(summary(await plugins.calls())).toEqual(['GC one', 'GC two']);
});

test('older versions have no GC, STATUS, CHECK and no result for DEL', async () => {
  const { plugins, runner } = await setUp({ ...list, cniVersion: '0.3.1' });
  const network = await loadNetwork(plugins.networks, 'pods');
  await plugins.answer('two', { ips: [{ version: '4', address: '10.0.0.2/24' }] });

  const result = await runner.add(network, attachment);
  expect(result).toEqual({ cniVersion: '0.3.1', ips: [{ version: '4', address: '10.0.0.2/24' }], dns: {} });
  await expect(runner.check(network, attachment)).rejects.toThrow('"0.3.1" does not support the CHECK command');
  await runner.status(network);
  await runner.del(network, attachment);
  const calls = await plugins.calls();
  expect(summary(calls)).toEqual(['ADD one', 'ADD two', 'DEL two', 'DEL one']);
  expect(JSON.parse(calls[3]?.input ?? '')).not.toHaveProperty('prevResult');
});

test('disableCheck and disableGC call no plugin', async () => {
  const { plugins, runner } = await setUp({ ...list, disableCheck: true, disableGC: true });
  const network = await loadNetwork(plugins.networks, 'pods');
  await runner.check(network, attachment);
  await runner.gc(network);
  expect(await plugins.calls()).toEqual([]);
});

test('versions of plugins are asked for, and compared with the network’s', async () => {
  const { plugins, runner } = await setUp();
  const network = await loadNetwork(plugins.networks, 'pods');
  expect(await runner.versions('one')).toEqual(['0.3.1', '0.4.0', '1.0.0', '1.1.0']);
  expect(await runner.validate(network)).toEqual(['portMappings', 'bandwidth']);
  await expect(runner.validate({ ...network, cniVersion: '0.2.0' })).rejects.toThrow(
    'plugin "one" supports 0.3.1, 0.4.0, 1.0.0, 1.1.0 and not version 0.2.0',
  );
  await plugins.fail('one', '{"code":4,"msg":"unknown CNI_COMMAND: VERSION"}');
  expect(await runner.versions('one')).toEqual(['0.1.0']);
  await expect(runner.versions('three')).rejects.toThrow('failed to find plugin "three"');
});

test('names that could lead elsewhere are refused before any plugin runs', async () => {
  const { plugins, runner } = await setUp();
  const network = await loadNetwork(plugins.networks, 'pods');
  const add = (more: object): Promise<unknown> => runner.add(network, { ...attachment, ...more });
  await expect(add({ containerId: '../c' })).rejects.toMatchObject({ code: 4 });
  await expect(add({ containerId: '' })).rejects.toMatchObject({ code: 3 });
  await expect(add({ ifName: 'a/b' })).rejects.toMatchObject({ code: 4 });
  await expect(add({ ifName: 'a-name-of-16-byt' })).rejects.toMatchObject({ code: 4 });
  expect(await plugins.calls()).toEqual([]);
});

test('a plugin that takes too long is killed, with what it has started', async () => {
  const clock = new VirtualClock();
  const { plugins, runner } = await setUp(list, { clock, timeout: '10s' });
  const network = await loadNetwork(plugins.networks, 'pods');
  const { writeFile } = await import('node:fs/promises');
  await writeFile(join(plugins.programs, 'one'), '#!/bin/sh\nsleep 600\n');

  const status = runner.status(network).catch((error: unknown) => error);
  while (clock.pending === 0) await new Promise((resolve) => void setImmediate(resolve));
  await clock.advance(10_000);

  expect((await status) as Error).toMatchObject({ msg: 'netplugin was killed: it took longer than 10000 ms' });
});
