import { expect, test } from 'vitest';
import type { KubernetesObject, Observed } from '../../client/index.ts';
import { EchoFilter } from './echo-filter.ts';

const object = (version: number, deletionTimestamp?: string): Observed<KubernetesObject> => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a', uid: 'u', resourceVersion: String(version), creationTimestamp: '', deletionTimestamp },
});

/** A filter, and what it has let pass, as the watch tells of versions. */
function start(): { filter: EchoFilter; passed: number[]; tell: (version: number) => void } {
  const filter = new EchoFilter();
  const passed: number[] = [];
  const tell = (version: number): void => filter.pass('a', object(version).metadata, () => void passed.push(version));
  return { filter, passed, tell };
}

test('the echo of a write is kept back, whether it comes before the answer or after it', async () => {
  const { filter, passed, tell } = start();
  await filter.write('a', async () => (tell(2), object(2)));
  tell(2);
  await filter.write('a', async () => object(3));
  tell(3);
  tell(4);

  expect(passed).toEqual([4]);
});

test('a deletion that is told before the echo, while the answer is awaited, is not forgotten', async () => {
  const { filter, passed, tell } = start();
  await filter.write(
    'a',
    async () => (tell(2), tell(3), object(3, '2026-01-01T00:00:00Z')),
    () => true,
  );

  expect(passed).toEqual([2]);
});

test('a deletion that an interrupted watch tells of only together with our write is not taken for the echo', async () => {
  const { filter, passed, tell } = start();
  await filter.write('a', async () => object(3, '2026-01-01T00:00:00Z'));
  tell(3);

  expect(passed).toEqual([3]);
});

test('a write that fails lets everything pass', async () => {
  const { filter, passed, tell } = start();
  const failing = filter.write('a', async () => {
    tell(2);
    throw new Error('refused');
  });

  await expect(failing).rejects.toThrow('refused');
  expect(passed).toEqual([2]);
});
