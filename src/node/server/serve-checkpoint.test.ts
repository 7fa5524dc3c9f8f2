import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { type ContainerStatus, RuntimeError, type RuntimeService } from '../runtime/index.ts';
import { START_MS, podOf, viewOf } from '../testing/pod-views.ts';
import { TEST_MACHINE } from '../testing/test-machine.ts';
import type { NodeRequest } from './node-request.ts';
import { checkpoint } from './serve-checkpoint.ts';

interface Saved {
  readonly id: string;
  readonly location: string;
  readonly timeoutSeconds?: number;
}

/** The answer to a request for the container of pod `web`, and what the runtime was asked. */
async function ask(
  container: string,
  { query = '', key = 'default/web', fail = '' } = {},
): Promise<{ readonly answer: unknown; readonly saved: readonly Saved[] }> {
  const clock = new VirtualClock({ startMs: START_MS });
  const saved: Saved[] = [];
  const running = viewOf({ containers: [{ name: 'web', state: 'CONTAINER_RUNNING' }] }).containers;
  const runtime: Partial<RuntimeService> = {
    name: 'memory',
    listContainers: async () => running as readonly ContainerStatus[],
    checkpointContainer: async (id, { location, timeoutSeconds = 0 }) => {
      saved.push({ id, location, timeoutSeconds });
      if (fail !== '') throw new RuntimeError('Failed', fail);
    },
  };
  const pod = podOf({ spec: { containers: [{ name: 'web' }, { name: 'waiting' }] } });
  const node = {
    clock,
    backend: { runtime: runtime as RuntimeService, machine: TEST_MACHINE },
    pod: (asked: string) => (asked === 'default/web' ? pod : undefined),
  };
  const request: NodeRequest = {
    method: 'POST',
    path: '',
    query: new URLSearchParams(query),
    header: () => undefined,
    signal: new AbortController().signal,
    isUpgrade: false,
  };
  const answer = await checkpoint(node, request, { key, container });
  return { answer: 'code' in answer ? [answer.code, answer.text] : answer.type, saved };
}

test('the runtime saves a container to a file in the folder of the agent, and the path is the answer', async () => {
  const location = `${TEST_MACHINE.folders.root}/checkpoints/checkpoint-web_default-web-2026-01-01T00:00:00Z.tar`;
  expect(await ask('web', { query: 'timeout=1&timeout=600' })).toEqual({
    answer: [200, JSON.stringify({ items: [location] })],
    saved: [{ id: 'web-0', location, timeoutSeconds: 600 }],
  });
});

test.each([
  ['a pod that is not there', 'web', { key: 'default/other' }, [404, 'pod does not exist']],
  ['a container that is not there', 'other', {}, [404, 'container other does not exist']],
  ['a time that is none', 'web', { query: 'timeout=soon' }, [404, 'cannot parse value of timeout parameter']],
  [
    'a negative time',
    'web',
    { query: 'timeout=-1' },
    [500, 'checkpointing of default/web/web failed (CheckpointContainer requires the timeout value to be > 0)'],
  ],
  [
    'a container that does not run',
    'waiting',
    {},
    [500, 'checkpointing of default/web/waiting failed (container waiting not found)'],
  ],
  ['a runtime that refuses', 'web', { fail: 'no criu' }, [500, 'checkpointing of default/web/web failed (no criu)']],
])('%s is refused in the words of a kubelet', async (_, container, options, answer) => {
  expect((await ask(container, options)).answer).toEqual(answer);
});
