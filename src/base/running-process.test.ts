import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { skipWhen } from './testing/requires.ts';
import { isProcessRunning, processStart } from './running-process.ts';

/** Starts a process that does nothing, and prints its number. `cat`, which the shell becomes, never asks how its child ended. */
const NEGLIGENT_PARENT = 'sleep 1000 & echo $!; exec cat';

function started(command: string): ChildProcess {
  const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('this process runs, one with a number that none can have does not', () => {
  expect(isProcessRunning(process.pid)).toBe(true);
  expect(isProcessRunning(2 ** 30)).toBe(false);
  expect(processStart(2 ** 30)).toBeUndefined();
});

test(
  'a killed process whose parent has not noticed its end does not run',
  skipWhen(process.platform !== 'linux', 'it reads /proc'),
  async () => {
    const parent = started(NEGLIGENT_PARENT);
    if (parent.stdout === null) throw new Error('Unreachable: the output is a pipe');
    const lines = createInterface(parent.stdout);
    const pid = Number(((await once(lines, 'line')) as [string])[0]);
    parent.stdin?.write('now it is cat\n'); // a shell would still notice the end of its child
    await once(lines, 'line');
    expect(isProcessRunning(pid)).toBe(true);
    expect(processStart(pid)).toMatch(/^\d+$/);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isProcessRunning(pid)).toBe(false);
    expect(() => process.kill(pid, 0)).not.toThrow(); // it still has its number
  },
);
