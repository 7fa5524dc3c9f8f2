import { expect, test } from 'vitest';
import { Buffer } from 'node:buffer';
import type { PodFiles } from '../backend/index.ts';
import { UserNamespaces } from './user-namespaces.ts';

const root = '/var/lib/kubelet';
const ids = { first: 65_536, length: 3 * 65_536, perPod: 65_536 };

/** Files as entries of a map, which outlives the agents of a test. */
function filesIn(map: Map<string, string>): PodFiles {
  return {
    write: async (path, content) => void map.set(path, await content()),
    read: async (path) => (map.has(path) ? Buffer.from(map.get(path) ?? '') : undefined),
    pods: async () => [...map.keys()].map((path) => path.split('/').at(-2) ?? ''),
    removePod: async (uid) => void map.delete(`${root}/pods/${uid}/userns`),
  };
}

test('pods have different ids, which they keep after a restart of the agent', async () => {
  const disk = new Map<string, string>();
  const before = new UserNamespaces({ files: filesIn(disk), root, ids });
  const [a, b] = await Promise.all([before.of('a'), before.of('b')]);
  expect([a, b, await before.of('a')]).toEqual([
    { hostId: 65_536, containerId: 0, length: 65_536 },
    { hostId: 131_072, containerId: 0, length: 65_536 },
    { hostId: 65_536, containerId: 0, length: 65_536 },
  ]);
  const after = new UserNamespaces({ files: filesIn(disk), root, ids });
  expect((await after.of('c')).hostId).toBe(196_608);
  expect((await after.of('b')).hostId).toBe(131_072);
});

test('a node whose ids are all taken refuses the next pod until one is released', async () => {
  const namespaces = new UserNamespaces({ files: filesIn(new Map()), root, ids });
  for (const uid of ['a', 'b', 'c']) await namespaces.of(uid);
  await expect(namespaces.of('d')).rejects.toThrow('could not find an empty slot to allocate a user namespace');
  namespaces.release('b');
  expect((await namespaces.of('d')).hostId).toBe(131_072);
});

test('a damaged file is refused by name, and no ids are assigned twice', async () => {
  const disk = new Map([[`${root}/pods/a/userns`, '{"uidMappings":[]}']]);
  const namespaces = new UserNamespaces({ files: filesIn(disk), root, ids });
  await expect(namespaces.of('b')).rejects.toThrow('Cannot read the user namespace of pod a');
});
