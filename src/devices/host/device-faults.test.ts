import { afterEach, beforeEach, expect, test } from 'vitest';
import { aborted, RealClock, SeededRandom } from '../../base/index.ts';
import { DeviceList } from '../published.ts';
import { DeviceNode, idsOf, listed, podWith, until } from '../testing/device-node.ts';

let machine: DeviceNode;

beforeEach(async () => {
  machine = await DeviceNode.create();
});

afterEach(() => machine[Symbol.asyncDispose]());

test('a plugin that hangs rejects its pods after two minutes, holds up no other plugin, and its devices are free again', async () => {
  const node = await machine.open();
  const devices = [{ id: 'a' }];
  let isHanging = true;
  let calls = 0;
  await machine.startPlugin({
    devices,
    allocate: async (_, { signal }) => {
      calls += 1;
      if (isHanging) await aborted(signal);
      return {};
    },
  });
  await machine.startPlugin({ resource: 'example.com/gpu', devices });
  await listed(node, 1);
  await listed(node, 1, 'example.com/gpu');
  const refused = node.admit(podWith('u1'));
  await until(() => calls === 1);
  expect(await node.admit(podWith('u2', 1, 'example.com/gpu'))).toBeUndefined();
  expect((await node.admit(podWith('u3')))?.message).toContain('Requested: 1, Available: 0');
  await machine.clock.advance('2m');
  expect((await refused)?.message).toMatch(
    /^Allocate failed due to rpc error: code = DeadlineExceeded .*which is unexpected$/,
  );
  isHanging = false;
  expect(await node.admit(podWith('u4'))).toBeUndefined();
});

test('a plugin that dies while it allocates rejects the pod, and the device goes to the next one', async () => {
  const node = await machine.open();
  let calls = 0;
  const plugin = await machine.startPlugin({
    devices: [{ id: 'a' }],
    allocate: async (_, { signal }) => {
      calls += 1;
      await aborted(signal);
      return {};
    },
  });
  await listed(node, 1);
  const refused = node.admit(podWith('u1'));
  await until(() => calls === 1);
  await plugin[Symbol.asyncDispose]();
  expect((await refused)?.message).toContain('rpc error: code = ');
  expect(node.podUids()).toEqual([]);
  await machine.startPlugin({ devices: [{ id: 'a' }] });
  await listed(node, 1);
  expect(await node.admit(podWith('u2'))).toBeUndefined();
  expect(idsOf(node, 'u2')).toEqual(['a']);
});

test('a device that a plugin forgets and lists again is not given to a second pod', async () => {
  const node = await machine.open();
  const devices = new DeviceList([{ id: 'a' }]);
  await machine.startPlugin({ devices });
  await listed(node, 1);
  await node.admit(podWith('u1'));
  devices.set([{ id: 'x' }, { id: 'y' }]);
  await listed(node, 2);
  await node.admit(podWith('u2', 2));
  expect(idsOf(node, 'u2')).toEqual(['x', 'y']);
  devices.set([{ id: 'a' }]);
  await listed(node, 1);
  expect((await node.admit(podWith('u3')))?.message).toContain('Requested: 1, Available: 0');
  expect(idsOf(node, 'u1')).toEqual(['a']);
});

test('ten thousand devices are listed and given out', async () => {
  const node = await machine.open();
  await machine.startPlugin({
    devices: Array.from({ length: 10_000 }, (_, index) => ({ id: `device-${index}`, numaNodes: [index % 4] })),
    allocate: () => ({}),
  });
  await listed(node, 10_000);
  expect(await node.admit(podWith('u1', 5000))).toBeUndefined();
  expect(await node.admit(podWith('u2', 5000))).toBeUndefined();
  expect(new Set([...idsOf(node, 'u1'), ...idsOf(node, 'u2')]).size).toBe(10_000);
  expect((await node.admit(podWith('u3')))?.message).toContain('Requested: 1, Available: 0');
});

test('two hundred pods race for a hundred devices while the plugin is killed twenty times: no device is given twice, and all pods get one', async () => {
  const node = await machine.open();
  const clock = new RealClock();
  const random = new SeededRandom('devices');
  const devices = Array.from({ length: 100 }, (_, index) => ({ id: `device-${index}` }));
  const definition = {
    devices,
    allocate: async () => {
      await clock.sleep(random.int(4)); // the plugin dies meanwhile
      return {};
    },
  };
  const holders = new Map<string, string>();
  let refusals = 0;
  const live = async (name: string): Promise<void> => {
    for (let attempt = 0; ; attempt++) {
      const uid = `${name}-${attempt}`;
      if ((await node.admit(podWith(uid))) === undefined && idsOf(node, uid).length === 1) {
        const [id = ''] = idsOf(node, uid);
        expect(holders.get(id), `device ${id}, given to ${uid}`).toBeUndefined();
        holders.set(id, uid);
        await clock.sleep(20 + random.int(200));
        holders.delete(id);
        await node.unprepare(uid);
        return;
      }
      await node.unprepare(uid);
      refusals += 1;
      await clock.sleep(5 + random.int(20)); // its controller makes another pod
    }
  };
  let plugin = await machine.startPlugin(definition);
  await listed(node, 100);
  let kills = 0;
  const killing = (async () => {
    while (kills < 20) {
      await clock.sleep(random.int(30));
      await plugin[Symbol.asyncDispose]();
      kills += 1;
      plugin = await machine.startPlugin(definition);
    }
  })();
  const rounds = async (name: string): Promise<void> => {
    // pods come and go for as long as the plugin is killed
    do await live(`${name}-${kills}`);
    while (kills < 20);
  };
  await Promise.all(Array.from({ length: 200 }, (_, index) => rounds(`pod-${index}`)));
  await killing;
  expect(kills).toBe(20);
  expect(refusals).toBeGreaterThan(0);
  expect(node.podUids()).toEqual([]);
  await listed(node, 100);
  expect(await node.admit(podWith('last', 100))).toBeUndefined();
});
