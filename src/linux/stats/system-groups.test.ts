import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CgroupFiles } from './cgroup-figures.ts';
import { ownCgroup, SystemGroups } from './system-groups.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-groups-'));
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

async function write(path: string, text: string): Promise<string> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), `${text}\n`);
  return join(root, path);
}

test('pods as a whole and the agent are measured in their cgroups; groups without a cgroup are left out', async () => {
  const at = 'sys/fs/cgroup/kubepods';
  await write(`${at}/cpu.stat`, 'usage_usec 2500000');
  await write(`${at}/memory.current`, '600');
  await write(`${at}/memory.max`, '1000');
  await write(`${at}/memory.stat`, 'anon 200\nfile 300\ninactive_file 100\npgfault 40\npgmajfault 5');
  await write('sys/fs/cgroup/agent/cpu.stat', 'usage_usec 1000000');
  const cgroups = new CgroupFiles({ root, version: 2, processors: { physicalCores: 1, sockets: 1 } });
  const paths = { pods: '/kubepods', kubelet: '/agent', runtime: '/none', misc: '' };
  const found = await new SystemGroups(cgroups, paths).read(7000);
  expect([...found.keys()]).toEqual(['kubelet', 'pods']);
  expect(found.get('kubelet')?.usageCoreNanoSeconds).toBe(1e9);
  expect(found.get('pods')).toMatchObject({
    timestampMs: 7000,
    usageCoreNanoSeconds: 2.5e9,
    workingSetBytes: 500,
    details: {
      memory: { availableBytes: 500, usageBytes: 600, rssBytes: 200, pageFaults: 40, majorPageFaults: 5 },
    },
  });
});

test('the cgroup of the agent is the one that limits its memory in version 1, and the only one in version 2', async () => {
  const split = await write('split', '9:pids:/a\n4:memory:/kubelet\n1:name=systemd:/init\n0::/');
  const unified = await write('unified', '0::/system.slice/kubelet.service');
  expect(await ownCgroup(split)).toBe('/kubelet');
  expect(await ownCgroup(unified)).toBe('/system.slice/kubelet.service');
  expect(await ownCgroup(join(root, 'missing'))).toBe('');
});
