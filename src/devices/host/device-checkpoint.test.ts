import { expect, test } from 'vitest';
import { DEVICE_CHECKPOINT, DeviceCheckpoint } from './device-checkpoint.ts';

class MemoryCheckpoints {
  readonly texts = new Map<string, string>();

  async read(name: string): Promise<string | undefined> {
    return this.texts.get(name);
  }

  async write(name: string, text: string): Promise<void> {
    this.texts.set(name, text);
  }
}

/** Written with Go's spew and JSON packages, from structs with the kubelet's names. */
const EMPTY = '{"Data":{"PodDeviceEntries":null,"RegisteredDevices":{}},"Checksum":3467439661}';
const FULL =
  '{"Data":{"PodDeviceEntries":[{"PodUID":"u1","ContainerName":"c","ResourceName":"example.com/fpga","DeviceIDs":{"-1":["d1","d2"],"0":["a"],"10":["z"],"2":["b"]},"AllocResp":"CgHI"},{"PodUID":"u0","ContainerName":"c","ResourceName":"a.com/b","DeviceIDs":{"1":null},"AllocResp":""}],"RegisteredDevices":{"b.com/x":[],"c.com/x":null,"example.com/fpga":["d1","d2"]}},"Checksum":2331509498}';

test("the checkpoint of a kubelet is read, with its checksum over Go's print of the struct", async () => {
  const checkpoints = new MemoryCheckpoints();
  const checkpoint = new DeviceCheckpoint(checkpoints);
  expect(await checkpoint.read()).toBeUndefined();
  checkpoints.texts.set(DEVICE_CHECKPOINT, FULL);
  const state = await checkpoint.read();
  expect(state?.entries).toHaveLength(2);
  expect(state?.entries[0]).toMatchObject({ podUid: 'u1', resource: 'example.com/fpga' });
  expect(state?.entries[0]?.ids.get(-1)).toEqual(['d1', 'd2']);
  expect([...(state?.entries[0]?.answer ?? [])]).toEqual([10, 1, 200]);
  expect(state?.registered.get('example.com/fpga')).toEqual(['d1', 'd2']);
});

test('a checkpoint is written as a kubelet writes it, and one whose content was changed is refused', async () => {
  const checkpoints = new MemoryCheckpoints();
  const checkpoint = new DeviceCheckpoint(checkpoints);
  await checkpoint.write({ entries: [], registered: new Map() });
  expect(checkpoints.texts.get(DEVICE_CHECKPOINT)).toBe(EMPTY);
  const entry = { podUid: 'u', container: 'c', resource: 'a.com/b', ids: new Map([[0, ['x']]]) };
  await checkpoint.write({ entries: [{ ...entry, answer: Uint8Array.of(1) }], registered: new Map() });
  expect((await checkpoint.read())?.entries).toMatchObject([entry]);
  const text = checkpoints.texts.get(DEVICE_CHECKPOINT) ?? '';
  checkpoints.texts.set(DEVICE_CHECKPOINT, text.replace('"x"', '"y"'));
  await expect(checkpoint.read()).rejects.toThrow('checkpoint is corrupted');
});
