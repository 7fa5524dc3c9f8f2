import { expect, test } from 'vitest';
import type { OpenNodeBackend } from '../node/index.ts';
import { simulatedBackend } from './index.ts';
import { startNodes } from './testing/simulated-nodes.ts';

const COUNT = 320;
const MAX_A_TURN = 16;

/** The usual backend, which counts the containers that are created in one turn of the event loop. */
function countingBackend(): { readonly open: OpenNodeBackend; most(): number } {
  let created = 0;
  let most = 0;
  const open: OpenNodeBackend = async (node, parts) => {
    const backend = await simulatedBackend()(node, parts);
    const { runtime } = backend;
    const create = runtime.createContainer.bind(runtime);
    runtime.createContainer = (request, options) => {
      if (created === 0) setImmediate(() => (created = 0));
      created += 1;
      most = Math.max(most, created);
      return create(request, options);
    };
    return backend;
  };
  return { open, most: () => most };
}

test('a pod with hundreds of containers is started bit by bit: others get their turns meanwhile', async () => {
  const { open, most } = countingBackend();
  await using cluster = await startNodes({ backend: open });
  const containers = Array.from({ length: COUNT }, (_unused, index) => ({ name: `c${index}`, image: 'i' }));
  const pod = await cluster.run({ metadata: { name: 'large' }, spec: { containers } });

  expect(pod.status?.phase).toBe('Running');
  expect(pod.status?.containerStatuses?.filter(({ ready }) => ready)).toHaveLength(COUNT);
  expect(most()).toBeLessThanOrEqual(MAX_A_TURN);
});
