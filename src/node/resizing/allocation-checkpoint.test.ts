import { expect, test } from 'vitest';
import { AllocationCheckpoint } from './allocation-checkpoint.ts';

test('allocations are kept in a kubelet’s file', async () => {
  const files = new Map<string, string>();
  const checkpoint = new AllocationCheckpoint({
    read: async (name) => files.get(name),
    write: async (name, text) => void files.set(name, text),
  });
  const allocation = { containers: new Map([['web', { requests: { cpu: '1' } }]]), pod: undefined };
  await checkpoint.write(new Map([['u1', allocation]]));
  expect(await checkpoint.read()).toEqual(new Map([['u1', allocation]]));
  const damaged = files.get('allocated_pods_state')?.replace('cpu', 'CPU') ?? '';
  files.set('allocated_pods_state', damaged);
  await expect(checkpoint.read()).rejects.toThrow('Cannot use the checkpoint "allocated_pods_state"');
});
