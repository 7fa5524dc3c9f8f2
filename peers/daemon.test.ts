import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Daemon } from './daemon.ts';

let folder: string;
let logPath: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-daemon-'));
  logPath = join(folder, 'log');
  await writeFile(logPath, '');
});

afterEach(() => rm(folder, { recursive: true }));

function start(program: string, patienceMs?: number): Daemon {
  return new Daemon(process.execPath, ['-e', program], { logPath, patienceMs });
}

function logged(text: string): Promise<void> {
  return vi.waitFor(async () => expect(await readFile(logPath, 'utf8')).toContain(text), { timeout: 120_000 });
}

test('a daemon is asked to end, and has ended when stop() resolves', async () => {
  const daemon = start(`process.on('SIGTERM', () => { console.log('bye'); process.exit(0) });
    setInterval(() => {}, 1000); console.log('up')`);
  await logged('up');

  await daemon.stop();

  expect(daemon.logTail()).toBe('up\nbye');
  expect(() => process.kill(daemon.pid, 0)).toThrow('ESRCH');
});

test('a daemon that does not listen is killed', async () => {
  const daemon = start(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')`, 20);
  await logged('up');

  await daemon.stop();

  expect(daemon.failure).toMatch(/ended with SIGKILL/);
});

test('a daemon that ended by itself reports why, and can still be stopped', async () => {
  const daemon = start(`console.error('no port'); process.exit(3)`);
  await logged('no port');
  await daemon.ended;

  expect(daemon.failure).toBe(`${daemon.name} ended with 3:\nno port`);
  await daemon.stop();
});

test('a program that is not there is a failure in words', async () => {
  const daemon = new Daemon(join(folder, 'nothing'), [], { logPath });

  expect(daemon.failure).toBe('nothing could not be started');
  await daemon.stop();
});
