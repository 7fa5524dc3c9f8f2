import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../../base/index.ts';
import { podOf } from '../../node/testing/pod-views.ts';
import { GrpcServer, SocketCalls, unaryMethod } from '../../wire/grpc/index.ts';
import { DeviceList } from '../published.ts';
import * as protocol from '../protocol/device-plugin-v1beta1.ts';
import { asking, DeviceNode, idsOf, listed, podWith, RESOURCE } from '../testing/device-node.ts';

let machine: DeviceNode;

beforeEach(async () => {
  machine = await DeviceNode.create();
});

afterEach(() => machine[Symbol.asyncDispose]());

test('devices of a registered plugin are counted, given to pods, and taken back', async () => {
  const node = await machine.open();
  await machine.startPlugin();
  await listed(node);
  expect(node.resources()).toEqual({ capacity: { [RESOURCE]: '2' }, allocatable: { [RESOURCE]: '2' } });
  expect(await node.admit(podWith('u1', 2))).toBeUndefined();
  expect(idsOf(node, 'u1')).toEqual(['a', 'b']);
  const [container] = podWith('u1', 2).spec?.containers ?? [];
  expect(container && (await node.containerEdits(podWith('u1', 2), container))).toMatchObject({
    envs: [{ key: 'FPGA', value: 'a,b' }],
  });
  expect(await node.admit(podWith('u2'))).toEqual({
    reason: 'UnexpectedAdmissionError',
    message: `Allocate failed due to requested number of devices unavailable for ${RESOURCE}. Requested: 1, Available: 0, which is unexpected`,
  });
  await node.release('u1'); // its containers may still run
  expect(idsOf(node, 'u1')).toEqual(['a', 'b']);
  await node.unprepare('u1');
  expect(await node.admit(podWith('u2'))).toBeUndefined();
  expect(node.metrics.families().map(({ name }) => name)).toEqual([
    'kubelet_device_plugin_registration_total',
    'kubelet_device_plugin_alloc_duration_seconds',
  ]);
});

test('a plugin that goes leaves unhealthy devices, and five minutes later none; one that comes back has its devices again', async () => {
  const node = await machine.open();
  const first = await machine.startPlugin();
  await listed(node);
  await first[Symbol.asyncDispose]();
  await listed(node, 0);
  expect(node.resources().capacity).toEqual({ [RESOURCE]: '2' });
  expect((await node.admit(podWith('u1')))?.message).toContain(
    `no healthy devices present; cannot allocate unhealthy devices ${RESOURCE}`,
  );
  await machine.clock.advance('5m');
  expect(node.resources().capacity).toEqual({});
  expect(await node.admit(podWith('u2'))).toBeUndefined(); // no resource of a plugin any more
  await machine.startPlugin();
  await listed(node);
});

test('devices of a pod keep the health that their plugin last said, also after the plugin is gone for good, as with a kubelet', async () => {
  const node = await machine.open();
  const devices = new DeviceList([{ id: 'a' }, { id: 'b' }]);
  const plugin = await machine.startPlugin({ devices });
  await listed(node);
  await node.admit(podWith('u1', 2));
  devices.setHealth('b', false);
  await listed(node, 1);
  await plugin[Symbol.asyncDispose]();
  await listed(node, 0);
  const health = (): unknown => node.given('u1', 'main').map(({ id, isHealthy }) => [id, isHealthy]);
  const said = [
    ['a', true],
    ['b', false],
  ];
  expect(health()).toEqual(said);
  await machine.clock.advance('5m');
  expect(node.resources().capacity).toEqual({});
  expect(health()).toEqual(said);
  expect(node.health.problem()).toBeUndefined();
});

test('an agent that starts again knows the devices of its pods, and plugins register again by themselves', async () => {
  const first = await machine.open();
  await machine.startPlugin();
  await listed(first);
  await first.admit(podWith('u1'));
  const before = idsOf(first, 'u1');
  await first[Symbol.asyncDispose]();
  const second = await machine.open();
  expect(second.podUids()).toEqual(['u1']);
  expect(idsOf(second, 'u1')).toEqual(before);
  expect(second.resources().allocatable).toEqual({ [RESOURCE]: '0' });
  await listed(second);
  await second.admit(podWith('u2'));
  expect(idsOf(second, 'u2')).toEqual(['b']);
  expect(JSON.parse(await readFile(join(machine.folder, 'kubelet_internal_checkpoint'), 'utf8'))).toMatchObject({
    Data: { PodDeviceEntries: [{ PodUID: 'u1' }, { PodUID: 'u2' }] },
  });
});

test('containers have the devices of init containers again, but not those of sidecars', async () => {
  const node = await machine.open();
  await machine.startPlugin({ devices: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] });
  await listed(node, 3);
  const image = 'i';
  const both = podOf({
    metadata: { name: 'p', uid: 'p' },
    spec: {
      initContainers: [
        { name: 'setup', image, resources: asking(1) },
        { name: 'sidecar', image, restartPolicy: 'Always', resources: asking(1) },
        { name: 'late', image, resources: asking(1) },
      ],
      containers: [{ name: 'main', image, resources: asking(2) }],
    },
  });
  expect(await node.admit(both)).toBeUndefined();
  const [sidecar] = idsOf(node, 'p', 'sidecar');
  // the sidecar takes the device that setup has left, as with a kubelet
  expect(idsOf(node, 'p', 'setup')).toEqual([sidecar]);
  expect(idsOf(node, 'p')).toContain(idsOf(node, 'p', 'late')[0]);
  expect(idsOf(node, 'p')).not.toContain(sidecar);
});

test('the health of devices reaches the pods that have them', async () => {
  const node = await machine.open();
  const devices = new DeviceList([{ id: 'a' }, { id: 'b' }]);
  await machine.startPlugin({ devices });
  await listed(node);
  await node.admit(podWith('u1'));
  devices.setHealth('a', false);
  await listed(node, 1);
  expect(machine.changedPods).toEqual(['u1']);
  expect(node.given('u1', 'main')).toMatchObject([{ id: 'a', isHealthy: false }]);
  expect(node.givable()).toMatchObject([{ id: 'b' }]);
  await node.admit(podWith('u2'));
  expect(idsOf(node, 'u2')).toEqual(['b']);
});

test("a plugin's preference is followed as far as its devices are free", async () => {
  const node = await machine.open();
  const asked: unknown[] = [];
  await machine.startPlugin({
    devices: ['a', 'b', 'c', 'd'].map((id) => ({ id })),
    prefer: (available, { size, mustInclude }) => {
      asked.push({ available: available.map(({ id }) => id), size, mustInclude });
      return [{ id: 'nonsense' }, ...available.slice(-size)];
    },
  });
  await listed(node, 4);
  await node.admit(podWith('u1', 2));
  expect(idsOf(node, 'u1')).toEqual(['c', 'd']);
  expect(asked).toEqual([{ available: ['a', 'b', 'c', 'd'], size: 2, mustInclude: [] }]);
});

test('hints are the NUMA nodes with enough free devices, and devices near to the agreed ones are given first', async () => {
  const node = await machine.open([0, 1, 2]);
  const near = (id: string, numaNode: number): object => ({ id, numaNodes: [numaNode] });
  await machine.startPlugin({ devices: [near('a0', 0), near('b0', 0), near('a1', 1)] as { id: string }[] });
  await listed(node, 3);
  const [container] = podWith('u', 2).spec?.containers ?? [];
  if (container === undefined) throw new Error('no container');
  expect(node.hints(podWith('u', 2), container).get(RESOURCE)).toEqual([
    { nodes: [0], isPreferred: true },
    { nodes: [0, 1], isPreferred: false },
  ]);
  expect(node.podHints(podWith('u', 3)).get(RESOURCE)).toEqual([{ nodes: [0, 1], isPreferred: true }]);
  const [one] = podWith('v').spec?.containers ?? [];
  if (one !== undefined) await node.allocate(podWith('v'), one, { nodes: [1], isPreferred: true });
  expect(idsOf(node, 'v')).toEqual(['a1']);
  expect(node.given('v', 'main')).toMatchObject([{ nodes: [1] }]);
});

test('requests to register are refused with the words of a kubelet', async () => {
  const node = await machine.open();
  const endpoint = `unix://${join(machine.folder, 'kubelet.sock')}`;
  const tools = { clock: new RealClock(), random: new CryptoRandom(), log: discardLogger };
  const calls = machine.kept(new SocketCalls({ endpoint, server: 'the agent', ...tools }));
  const register = (request: object): Promise<unknown> => calls.call(protocol.Registration.register, request);
  const good = { version: 'v1beta1', endpoint: 'x.sock', resourceName: RESOURCE };
  await expect(register({ ...good, version: 'v1' })).rejects.toMatchObject({
    code: 'UNKNOWN',
    message: 'requested API version "v1" is not supported by kubelet. Supported version is ["v1beta1"]',
  });
  await expect(register({ ...good, resourceName: 'cpu' })).rejects.toMatchObject({
    message: 'the ResourceName "cpu" is invalid',
  });
  const { getDevicePluginOptions } = protocol.DevicePlugin;
  const broken = unaryMethod(getDevicePluginOptions, async () => await Promise.reject(new Error('no')));
  const address = `unix:${join(machine.folder, 'x.sock')}`;
  machine.kept(await GrpcServer.listen({ address, methods: [broken], clock: new RealClock() }));
  await expect(register(good)).rejects.toMatchObject({
    message: expect.stringContaining('failed to get device plugin options: rpc error: code = Unknown') as string,
  });
  expect(node.resources().capacity).toEqual({});
});

test('a plugin that wants it is called before each start of a container, and can keep it from starting', async () => {
  const node = await machine.open();
  let isBroken = false;
  const started: string[] = [];
  await machine.startPlugin({
    beforeStart: (given) => {
      if (isBroken) throw new Error('cannot be reset');
      started.push(...given.map(({ id }) => id));
    },
  });
  await listed(node);
  await node.admit(podWith('u1'));
  const [container] = podWith('u1').spec?.containers ?? [];
  if (container === undefined) throw new Error('no container');
  await node.containerEdits(podWith('u1'), container);
  await node.containerEdits(podWith('u1'), container);
  expect(started).toEqual(['a', 'a']);
  isBroken = true;
  await expect(node.containerEdits(podWith('u1'), container)).rejects.toThrow(
    'device plugin PreStartContainer rpc failed with err: rpc error: code = Unknown desc = cannot be reset',
  );
});

test('a plugin that the plugin watcher has found is used like one that registers by itself', async () => {
  await using elsewhere = await DeviceNode.create();
  const node = await elsewhere.open();
  const other = await machine.open(); // serves the socket at which the plugin of the kit registers
  await machine.startPlugin();
  await listed(other);
  const plugin = { name: RESOURCE, endpoint: join(machine.folder, 'example.com_fpga.sock'), versions: ['v1beta1'] };
  node.handler.validate(plugin);
  await node.handler.register(plugin);
  await listed(node);
  expect(await node.admit(podWith('u1'))).toBeUndefined();
  await node.handler.deregister(plugin);
  await listed(node, 0);
  expect(() => node.handler.validate({ ...plugin, versions: ['v1', 'v2'] })).toThrow(
    'manager version, v1beta1, is not among plugin supported versions [v1 v2]',
  );
  expect(() => node.handler.validate({ ...plugin, name: 'cpu' })).toThrow(
    'invalid name of device plugin socket: the ResourceName "cpu" is invalid',
  );
});
