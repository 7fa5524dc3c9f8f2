import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import type { RuntimeService } from '../runtime/index.ts';
import { NetworkActions } from './network-actions.ts';

test('a command is given as long as the probe says, and forever if it does not', async () => {
  const given: unknown[] = [];
  const execSync: RuntimeService['execSync'] = async (_id, _command, { timeoutMs } = {}) => {
    given.push(timeoutMs ?? 'forever');
    return { exitCode: 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  };
  const actions = new NetworkActions({ execSync }, new VirtualClock());
  const target = { containerId: 'c', container: { name: 'web' }, podIp: '127.0.0.1', purpose: 'readiness' } as const;
  const { signal } = new AbortController();

  await actions.run({ exec: { command: ['a'] } }, target, { signal, timeoutMs: 5000 });
  await actions.run({ exec: { command: ['a'] } }, target, { signal });

  expect(given).toEqual([5000, 'forever']);
});
