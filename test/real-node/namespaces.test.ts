import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { skipWhen } from '../../src/base/testing/requires.ts';
import { findLeftovers, readSettings, uptimeSeconds } from './leftovers.ts';
import { runInNamespaces, whyNoNamespaces } from './namespaces.ts';

const reason = whyNoNamespaces();
const LIMIT_MS = 120_000;

let folder: string;
let out: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-namespaces-'));
  out = join(folder, 'out');
});

afterAll(() => rm(folder, { recursive: true }));

/** Runs shell text inside; what the rig prints, the exit code and what the text wrote into $OUT. */
async function inside(
  script: string,
  signal?: AbortSignal,
): Promise<{ code?: number; lines: string[]; wrote: string }> {
  await writeFile(out, '');
  const lines: string[] = [];
  const command = ['bash', '-c', `OUT=${out}; ${script}`];
  const code = await runInNamespaces({ command, limitMs: LIMIT_MS, signal, print: (line) => lines.push(line) });
  return { code, lines, wrote: await readFile(out, 'utf8') };
}

describe('runInNamespaces()', skipWhen(reason !== undefined, reason ?? ''), () => {
  test('gives a program interfaces, processes and control groups of its own', { timeout: LIMIT_MS }, async () => {
    const { code, wrote } = await inside(`
      { ls /sys/class/net; ls /proc | grep -c '^[0-9]'; cat /proc/sys/vm/overcommit_memory;
        mkdir /sys/fs/cgroup/memory/kubepods && cat /proc/self/cgroup | grep memory; } > $OUT`);

    expect(code).toBe(0);
    const lines = wrote.trim().split('\n');
    expect(lines.slice(0, 2)).toEqual(['lo', 'node0']);
    expect(Number(lines[2])).toBeLessThan(10);
    expect(lines.slice(3)).toEqual(['1', expect.stringMatching(/:memory:\/$/)]);
  });

  test('leaves nothing behind of a program that left processes, mounts and groups', { timeout: LIMIT_MS }, async () => {
    const before = await readSettings();
    const { code, lines, wrote } = await inside(`
      mkdir -p /sys/fs/cgroup/pids/kubepods/pod && mount -t tmpfs tmpfs /mnt && ip netns add pod1
      ip netns exec pod1 sleep 1000 & echo $! > /sys/fs/cgroup/pids/kubepods/pod/cgroup.procs
      setsid sleep 1000 & readlink /proc/self/ns/pid > $OUT; exit 3`);

    expect(code).toBe(3);
    expect(lines).toEqual(['namespaces are gone: 0 things left behind']);
    expect(wrote.trim()).not.toBe(await readlink('/proc/self/ns/pid'));
    expect(await readSettings()).toEqual(before);
  });

  test('removes what a run that was killed has left', { timeout: LIMIT_MS }, async () => {
    const abandoned = join(tmpdir(), 'keelson-node-99999999-test'); // no process has such an id
    const group = '/sys/fs/cgroup/pids/keelson-node-99999999-test';
    await mkdir(abandoned);
    await mkdir(join(group, 'kubepods'), { recursive: true });
    await writeFile(join(abandoned, 'control-groups'), group);
    await inside('true');

    expect([existsSync(abandoned), existsSync(group)]).toEqual([false, false]);
  });

  test('asks a program that is to end, and takes its exit code', { timeout: LIMIT_MS }, async () => {
    const stop = new AbortController();
    const running = inside('trap "exit 7" TERM; sleep 1000 & echo up > $OUT; wait', stop.signal);
    await vi.waitFor(async () => expect(await readFile(out, 'utf8')).toBe('up\n'), { timeout: LIMIT_MS });
    stop.abort();

    expect(await running).toMatchObject({ code: 7, lines: ['namespaces are gone: 0 things left behind'] });
  });
});

describe('findLeftovers()', skipWhen(process.platform !== 'linux', 'a node needs Linux'), () => {
  test('finds processes, folders and changed settings', async () => {
    const own = await readlink('/proc/self/ns/net');
    const found = await findLeftovers({
      folder,
      controlGroups: [folder],
      namespaces: new Set([own]),
      settings: new Map(),
      endedAt: await uptimeSeconds(),
    });

    expect(found).toContain(`process ${process.pid} in ${own}`);
    expect(found).toContain(`control group ${folder}`);
    expect(found).toContain(`folder ${folder}`);
    expect(existsSync(folder)).toBe(true);
  });

  test('takes no process that started after the run for one of it', async () => {
    const namespaces = new Set([await readlink('/proc/self/ns/net')]);
    const none = join(folder, 'none');

    expect(
      await findLeftovers({ folder: none, controlGroups: [], namespaces, settings: new Map(), endedAt: 0.001 }),
    ).not.toContainEqual(expect.stringContaining(`process ${process.pid} `));
  });

  test('puts a changed setting back', async () => {
    const setting = join(folder, 'setting');
    await writeFile(setting, '10\n');
    const settings = new Map([[setting, '1']]);
    const found = await findLeftovers({
      folder: join(folder, 'none'),
      controlGroups: [],
      namespaces: new Set(),
      settings,
      endedAt: 0,
    });

    expect(found).toEqual([`setting ${setting} was 1 and became 10; it is 1 again`]);
    expect(await readFile(setting, 'utf8')).toBe('1');
  });
});
