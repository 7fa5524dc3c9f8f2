import { appendFile, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { discardLogger, VirtualClock } from '../../base/index.ts';
import { type ContainerStatus, FileLogs, RuntimeError } from '../../node/index.ts';
import { LogRotation } from './log-rotation.ts';

const { signal } = new AbortController();
let folder: string;
let logPath: string;
let clock: VirtualClock;
let reopened: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-rotation-'));
  logPath = join(folder, '0.log');
  clock = new VirtualClock();
  reopened = [];
});
afterEach(() => rm(folder, { recursive: true }));

/** A runtime with one running container, which writes to whatever file is at its path. */
function rotation(maxFiles: number, reopen = async (): Promise<void> => undefined): LogRotation {
  const container = { id: 'c', logPath } as ContainerStatus;
  const runtime = {
    listContainers: async () => [container],
    containerStatus: async () => container,
    reopenContainerLog: async (id: string) => {
      await reopen();
      reopened.push(id);
      await writeFile(logPath, '', { flag: 'a' });
    },
  };
  return new LogRotation({ maxBytes: 10, maxFiles }, { runtime, clock, log: discardLogger });
}

const files = async (): Promise<readonly string[]> => (await readdir(folder)).toSorted();

test('a log is rotated from its maximum size on; older files are compressed, and the oldest are removed', async () => {
  const rotating = rotation(4);
  await writeFile(logPath, 'too short');
  await rotating.rotateAll(signal);
  expect(await files()).toEqual(['0.log']);
  const kept: string[] = [];
  for (const number of [1, 2, 3, 4]) {
    await writeFile(logPath, `the text number ${number}`);
    await rotating.rotateAll(signal);
    kept.push(...(await files()).filter((name) => !name.endsWith('.gz') && !kept.includes(name) && name !== '0.log'));
    await clock.advance('10s');
  }
  expect(kept.every((name) => /^0\.log\.\d{8}-\d{6}$/.test(name))).toBe(true);
  expect(await files()).toEqual(['0.log', `${kept[1]}.gz`, `${kept[2]}.gz`, kept[3]]);
  expect(gunzipSync(await readFile(join(folder, `${kept[1]}.gz`))).toString()).toBe('the text number 2');
  expect(await readFile(join(folder, kept[3] ?? ''), 'utf8')).toBe('the text number 4');
  expect(await readFile(logPath, 'utf8')).toBe('');
  expect(reopened.length).toBe(4);
});

test('two files are one that is written and one that was rotated', async () => {
  const rotating = rotation(2);
  for (const text of ['the first text', 'the second text', 'the third text']) {
    await writeFile(logPath, text);
    await rotating.rotateAll(signal);
    await clock.advance('10s');
  }
  const [, rotated = '', ...others] = await files();
  expect(others).toEqual([]);
  expect(await readFile(join(folder, rotated), 'utf8')).toBe('the third text');
  expect(() => rotation(1)).toThrow('containerLogMaxFiles must be greater than 1, got 1');
});

test('what an interrupted rotation has left is removed, and a log that is gone is opened again', async () => {
  await writeFile(logPath, 'long enough to be rotated');
  for (const name of ['0.log.1.tmp', '0.log.2', '0.log.2.gz', '1.log.3.tmp']) await writeFile(join(folder, name), name);
  const rotating = rotation(5);
  await rotating.rotateAll(signal);
  expect((await files()).filter((name) => !/\d{8}-/.test(name))).toEqual(['0.log', '0.log.2.gz', '1.log.3.tmp']);
  await rm(logPath);
  await rotating.rotateAll(signal);
  expect(reopened).toEqual(['c', 'c']);
});

test('a log that the runtime cannot open again stays where it was', async () => {
  await writeFile(logPath, 'long enough to be rotated');
  const rotating = rotation(5, async () => {
    throw new RuntimeError('Failed', 'no');
  });
  await rotating.rotateAll(signal);
  expect(await files()).toEqual(['0.log']);
});

test('a reader who follows a log sees every line across rotations', async () => {
  const line = (number: number): string => `2026-01-01T00:00:00Z stdout F ${number}\n`;
  let isRunning = true;
  const logs = new FileLogs(clock, async () => isRunning);
  const container = { id: 'c', logPath } as ContainerStatus;
  await writeFile(logPath, line(1));
  const seen: string[] = [];
  const stop = new AbortController();
  let next = 2;
  for await (const { content } of logs.entries(container, { follow: true, signal: stop.signal })) {
    seen.push(String(content));
    if (next > 5) {
      isRunning = false;
    } else if (seen.length === next - 1) {
      // lines that come between the last read and the rotation are in the file that was moved away
      await appendFile(logPath, line(next++));
      await rename(logPath, `${logPath}.${next}`);
      await writeFile(logPath, line(next++));
    }
  }
  expect(seen).toEqual(['1', '2', '3', '4', '5']);
});
