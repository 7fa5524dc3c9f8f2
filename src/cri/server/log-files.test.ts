import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { discardLogger, VirtualClock } from '../../base/index.ts';
import { type ContainerStatus, OutputLog } from '../../node/index.ts';
import { LogFiles } from './log-files.ts';

test('output is written line by line, long and unfinished lines in parts, and goes to a new file after a rotation', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-logs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'web', '0.log');
  const output = new OutputLog(new VirtualClock({ startMs: 0 }));
  const over = new AbortController();
  const life = {
    isRunning: () => !over.signal.aborted,
    ended: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        for (const each of [signal, over.signal]) each.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  using files = new LogFiles({ entries: (_, query) => output.entries(query, life) }, discardLogger);
  await files.start({ id: 'c' } as ContainerStatus, path);
  output.write('stdout', Buffer.from('one\n'));
  output.write('stderr', Buffer.alloc(16 * 1024, 'x'));
  output.write('stderr', Buffer.from('rest\n'));
  const lines = async (file: string): Promise<string[]> =>
    (await readFile(file, 'utf8')).split('\n').map((line) => line.replace(/x{16384}/, 'long'));
  const time = '1970-01-01T00:00:00.000000000Z';
  await expect
    .poll(() => lines(path))
    .toEqual([`${time} stdout F one`, `${time} stderr P long`, `${time} stderr F rest`, '']);

  await rename(path, `${path}.1`);
  expect(await files.reopen('c')).toBe(true);
  expect(await readFile(path, 'utf8')).toBe('');
  output.write('stdout', Buffer.from('no newline'));
  output.end();
  over.abort();
  await files.finished('c');
  expect(await lines(path)).toEqual([`${time} stdout P no newline`, '']);
  expect(await lines(`${path}.1`)).toHaveLength(4);
  files.forget('c');
  expect(await files.reopen('c')).toBe(false);
});
