import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiskPullRecords } from './disk-pull-records.ts';
import { diskUsage } from './volumes/disk-usage.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-records-'));
});
afterEach(() => rm(root, { recursive: true }));

test('records of pulls are files as a kubelet writes them', async () => {
  const records = new DiskPullRecords(root);
  expect([await records.pulled('sha256:1'), await records.hasIntent('web:1')]).toEqual([undefined, false]);
  await records.addIntent('web:1');
  expect([await records.hasIntent('web:1'), await records.hasIntent('web:2')]).toEqual([true, false]);
  const credentialMapping = { web: { nodePodsAccessible: true } };
  const record = { lastUpdatedTime: '2026-01-01T00:00:00Z', imageRef: 'sha256:1', credentialMapping };
  await records.writePulled(record);
  await records.removeIntent('web:1');
  expect(await new DiskPullRecords(root).pulled('sha256:1')).toEqual(record);
  const [file = ''] = await readdir(join(root, 'image_manager', 'pulled'));
  expect(file).toMatch(/^sha256-[0-9a-f]{64}$/);
  expect(JSON.parse(await readFile(join(root, 'image_manager', 'pulled', file), 'utf8'))).toEqual({
    kind: 'ImagePulledRecord',
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    ...record,
  });
  expect(await readdir(join(root, 'image_manager', 'pulling'))).toEqual([]);
});

test('pods that pull the same image at the same time do not disturb each other', async () => {
  const records = new DiskPullRecords(root);
  const record = { lastUpdatedTime: '2026-01-01T00:00:00Z', imageRef: 'sha256:1', credentialMapping: {} };
  const pull = async (): Promise<void> => {
    await records.addIntent('web:1');
    await records.writePulled(record);
  };

  await Promise.all(Array.from({ length: 20 }, pull));

  expect(await records.pulled('sha256:1')).toEqual(record);
  expect(await readdir(join(root, 'image_manager', 'pulling'))).toHaveLength(1);
});

test('the usage of a folder counts what is on the disk, and what is gone counts as nothing', async () => {
  await writeFile(join(root, 'a'), Buffer.alloc(100_000, 1));
  const { bytes, inodes } = await diskUsage(root, new AbortController().signal);
  expect(bytes).toBeGreaterThanOrEqual(100_000);
  expect(bytes).toBeLessThan(200_000);
  expect(inodes).toBe(2);
  expect(await diskUsage(join(root, 'none'), new AbortController().signal)).toEqual({ bytes: 0, inodes: 0 });
});
