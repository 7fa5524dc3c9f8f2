import { expect, it } from 'vitest';
import { settle } from '../../../base/index.ts';
import type { Namespace, Observed } from '../../../client/index.ts';
import { namespace } from '../testing/dns-objects.ts';
import { RecordFeed } from './record-feed.ts';

function feedOf() {
  const present = new Set<string>();
  const received: string[] = [];
  const feed = new RecordFeed<Namespace>(
    {
      set: ({ metadata }) => void (present.add(metadata.name), received.push(`+${metadata.name}`)),
      delete: ({ metadata }) => void (present.delete(metadata.name), received.push(`-${metadata.name}`)),
      keys: () => present,
    },
    () => undefined,
  );
  return { feed, present, received };
}

const named = (...names: readonly string[]): Observed<Namespace>[] => names.map(namespace);

it('RecordFeed.replace() takes in what is there before it removes what is not', async () => {
  const { feed, received } = feedOf();
  feed.replace(named('a', 'b'));
  await settle();
  feed.replace(named('b', 'c'));
  await settle();
  expect(received).toEqual(['+a', '+b', '+b', '+c', '-a']);
});

it('RecordFeed applies changes in order, also those that come while a large list is taken in', async () => {
  const { feed, present } = feedOf();
  const many = Array.from({ length: 1000 }, (_, index) => `n${index}`);
  feed.replace(named(...many));
  feed.delete(namespace('n5'));
  feed.add(namespace('late'));
  expect(feed.isSynced).toBe(false);
  expect(present.size).toBeLessThan(1000); // it gives others a turn
  await settle();
  expect(feed.isSynced).toBe(true);
  expect(present.has('n5')).toBe(false);
  expect(present.has('late')).toBe(true);
  expect(present.size).toBe(1000);
});

it('RecordFeed.replace() makes older changes that wait needless', async () => {
  const { feed, present, received } = feedOf();
  feed.replace(named(...Array.from({ length: 300 }, (_, index) => `n${index}`)));
  feed.add(namespace('never'));
  feed.replace(named('only'));
  await settle();
  expect([...present]).toEqual(['only']);
  expect(received).not.toContain('+never');
});
