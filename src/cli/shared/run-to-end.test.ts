import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandContext, StopSignal } from '../command.ts';
import { runToEnd } from './run-to-end.ts';

function contextOf(printed: string[] = []): CommandContext & { send(signal: StopSignal): void } {
  let send = (_signal: StopSignal): void => undefined;
  const print = (text: string): void => void printed.push(text);
  return {
    environment: process.env,
    signal: new AbortController().signal,
    isTerminal: false,
    print,
    printError: print,
    onStopSignal: (listener) => {
      send = listener;
      return { [Symbol.dispose]: () => undefined };
    },
    send: (signal) => send(signal),
  };
}

test('the exit code of a command is passed on as in a shell', async () => {
  expect(await runToEnd(['sh', '-c', 'exit 7'], {}, contextOf())).toBe(7);
  expect(await runToEnd(['sh', '-c', 'exit $CODE'], { CODE: '3' }, contextOf())).toBe(3);
  expect(await runToEnd(['sh', '-c', 'kill -TERM $$'], {}, contextOf())).toBe(143);
  const printed: string[] = [];
  expect(await runToEnd(['no-such-program'], {}, contextOf(printed))).toBe(127);
  expect(printed.join()).toContain('cannot run "no-such-program"');
});

test('a signal is passed to the command, which decides how to react', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-run-'));
  const ready = join(folder, 'ready');
  const context = contextOf();
  const script = `trap 'exit 5' TERM; : > ${ready}; while :; do sleep 0.01; done`;
  const ended = runToEnd(['sh', '-c', script], {}, context);
  await expect.poll(() => existsSync(ready)).toBe(true);
  context.send('SIGTERM');
  expect(await ended).toBe(5);
  await rm(folder, { recursive: true });
});
