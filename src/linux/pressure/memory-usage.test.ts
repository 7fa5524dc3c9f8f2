import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cgroupMemory, cgroupProcesses } from './memory-usage.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-pressure-'));
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), `${text}\n`);
}

test('processes and memory of a pod are read from the cgroups of version 1', async () => {
  await write('pids/kubepods/pod1/pids.current', '7');
  await write('memory/kubepods/pod1/memory.usage_in_bytes', '600');
  await write('memory/kubepods/pod1/memory.stat', 'inactive_file 1\ntotal_inactive_file 100');
  await write('memory/kubepods/pod1/memory.limit_in_bytes', '1000');
  expect(await cgroupProcesses('/kubepods/pod1', root)).toBe(7);
  expect(await cgroupMemory('/kubepods/pod1', root)).toEqual({ workingSetBytes: 500, limitBytes: 1000 });
});

test('processes and memory of a pod are read from the cgroups of version 2', async () => {
  await write('cgroup.controllers', 'cpu memory pids');
  await write('kubepods/pod1/pids.current', '7');
  await write('kubepods/pod1/memory.current', '600');
  await write('kubepods/pod1/memory.stat', 'inactive_file 100');
  await write('kubepods/pod1/memory.max', 'max');
  expect(await cgroupProcesses('/kubepods/pod1', root)).toBe(7);
  expect(await cgroupMemory('/kubepods/pod1', root)).toEqual({ workingSetBytes: 500, limitBytes: Infinity });
});

test('a pod without a cgroup has no processes and no memory', async () => {
  expect(await cgroupProcesses('/kubepods/pod1', root)).toBe(0);
  expect(await cgroupMemory('/kubepods/pod1', root)).toBeUndefined();
});
