import { expect, test } from 'vitest';
import type { KubernetesObject, Observed } from '../../client/index.ts';
import { EchoFilter } from './echo-filter.ts';

const object = (version: number, deletionTimestamp?: string): Observed<KubernetesObject> => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a', uid: 'u', resourceVersion: String(version), creationTimestamp: '', deletionTimestamp },
});

/** A filter, the versions that it has delivered, and a function that simulates watch events. */
function start(): { filter: EchoFilter; passed: number[]; tell: (version: number) => void } {
  const filter = new EchoFilter();
  const passed: number[] = [];
  const tell = (version: number): void => filter.pass('a', object(version).metadata, () => void passed.push(version));
  return { filter, passed, tell };
}

test('holds back the echo of a write, whether it arrives before the answer or after it', async () => {
  const { filter, passed, tell } = start();
  await filter.write('a', async () => (tell(2), object(2)));
  tell(2);
  await filter.write('a', async () => object(3));
  tell(3);
  tell(4);

  expect(passed).toEqual([4]);
});

test('delivers a deletion that arrives before the echo while the answer is pending', async () => {
  const { filter, passed, tell } = start();
  await filter.write(
    'a',
    async () => (tell(2), tell(3), object(3, '2026-01-01T00:00:00Z')),
    () => true,
  );

  expect(passed).toEqual([2]);
});

test('does not take a deletion that an interrupted watch delivers together with our write for the echo', async () => {
  const { filter, passed, tell } = start();
  await filter.write('a', async () => object(3, '2026-01-01T00:00:00Z'));
  tell(3);

  expect(passed).toEqual([3]);
});

test('a failed write delivers everything', async () => {
  const { filter, passed, tell } = start();
  const failing = filter.write('a', async () => {
    tell(2);
    throw new Error('refused');
  });

  await expect(failing).rejects.toThrow('refused');
  expect(passed).toEqual([2]);
});
