import { afterEach, beforeEach, expect, test } from 'vitest';
import { settle, VirtualClock } from '../base/index.ts';
import { skipWhen } from '../base/testing/requires.ts';
import { SmallShell } from './small-shell.ts';

const needsLinux = skipWhen(process.platform !== 'linux', 'it needs /proc');
let clock: VirtualClock;
let shell: SmallShell;

beforeEach(() => {
  clock = new VirtualClock();
  shell = new SmallShell(clock);
});
afterEach(() => shell[Symbol.dispose]());

test('programs get their words as they are, and what they print and their code come back', async () => {
  const words = ['a b', "it's", '$HOME', '`x`', '"', '\\', '*', 'two\nlines', ''];
  expect(await shell.run('printf', ['%s|', ...words])).toEqual({ code: 0, output: `${words.join('|')}|` });
  expect(await shell.run('sh', ['-c', 'echo out; echo err >&2; exit 32'])).toEqual({ code: 32, output: 'out\nerr\n' });
  expect(await shell.run('sh', ['-c', 'kill -9 $$'])).toMatchObject({ code: undefined });
});

test('a program that is missing fails, and those after it run', async () => {
  expect((await shell.run('no-such-program', [])).code).toBe(127);
  expect(await shell.run('echo', ['next'])).toEqual({ code: 0, output: 'next\n' });
});

test('a program finds no input to wait for', async () => {
  expect(await shell.run('cat', [])).toEqual({ code: 0, output: '' });
});

test('output is kept up to a limit', async () => {
  const { code, output } = await shell.run('head', ['-c', '1000000', '/dev/zero']);
  expect([code, output.length <= 8192]).toEqual([0, true]);
  const { output: text } = await shell.run('sh', ['-c', 'yes | head -n 100000; echo end >&2']);
  expect(text.length).toBe(8192);
});

test('programs share four shells, and wait for each other', needsLinux, async () => {
  const parent = async (): Promise<string> => (await shell.run('sh', ['-c', 'echo $PPID'])).output;
  const first = await parent();
  expect(await parent()).toBe(first);
  const all = await Promise.all(Array.from({ length: 20 }, parent));
  expect(new Set(all).size).toBe(4);
  expect(all).not.toContain(`${process.pid}\n`);
});

test('while all shells hang, programs run without one after a second', async () => {
  const hanging = Array.from({ length: 4 }, () => shell.run('sleep', ['1000'], { limitMs: 60_000 }));
  const next = shell.run('sh', ['-c', 'echo $PPID']);
  await settle();
  await clock.advance(1000);
  expect((await next).output).toBe(`${process.pid}\n`);
  shell[Symbol.dispose]();
  expect((await Promise.all(hanging)).map(({ code }) => code)).toEqual([undefined, undefined, undefined, undefined]);
});

test('a program that hangs is killed with its shell, and others run', async () => {
  const hanging = shell.run('sleep', ['1000'], { limitMs: 60_000 });
  await settle();
  await clock.advance(60_000);
  expect((await hanging).code).toBeUndefined();
  expect(await shell.run('echo', ['next'])).toEqual({ code: 0, output: 'next\n' });
});
