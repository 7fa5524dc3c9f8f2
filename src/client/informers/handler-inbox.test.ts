import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../kind.ts';
import { HandlerInbox, type Notification } from './handler-inbox.ts';
import { thing } from './testing/scripted-source.ts';

function added(name: string, version: number): [string, Notification<KubernetesObject>] {
  return [name, { type: 'add', object: thing(name, version), isInInitialList: false }];
}

function updated(name: string, from: number, to: number): [string, Notification<KubernetesObject>] {
  return [name, { type: 'update', object: thing(name, to), old: thing(name, from) }];
}

function deleted(name: string, version: number): [string, Notification<KubernetesObject>] {
  return [name, { type: 'delete', object: thing(name, version), isFinalStateUnknown: false }];
}

function drain(inbox: HandlerInbox<KubernetesObject>): string[] {
  const lines: string[] = [];
  for (let next = inbox.shift(); next !== undefined; next = inbox.shift()) {
    const old = next.type === 'update' ? `${next.old.metadata.resourceVersion}→` : '';
    lines.push(`${next.type} ${next.object.metadata.name} ${old}${next.object.metadata.resourceVersion}`);
  }
  return lines;
}

function inboxWith(
  capacity: number,
  ...notifications: [string, Notification<KubernetesObject>][]
): HandlerInbox<KubernetesObject> {
  const inbox = new HandlerInbox<KubernetesObject>(capacity);
  for (const [key, notification] of notifications) inbox.push(key, notification);
  return inbox;
}

test('within its capacity every change is kept', () => {
  const inbox = inboxWith(10, added('a', 1), updated('a', 1, 2), updated('a', 2, 3), deleted('a', 4));

  expect(inbox.size).toBe(4);
  expect(drain(inbox)).toEqual(['add a 1', 'update a 1→2', 'update a 2→3', 'delete a 4']);
});

test.each<[string, [string, Notification<KubernetesObject>][], string[]]>([
  ['an update after an addition is the addition', [added('a', 1), updated('a', 1, 2)], ['add a 2']],
  ['a deletion after an addition cancels it', [added('a', 1), deleted('a', 2)], []],
  ['updates are one update', [updated('a', 1, 2), updated('a', 2, 3)], ['update a 1→3']],
  ['a deletion after an update is the deletion', [updated('a', 1, 2), deleted('a', 3)], ['delete a 3']],
  ['an addition after a deletion is another object', [deleted('a', 1), added('a', 2)], ['delete a 1', 'add a 2']],
  [
    '…and what happens to that is merged with it',
    [deleted('a', 1), added('a', 2), updated('a', 2, 3)],
    ['delete a 1', 'add a 3'],
  ],
  ['…up to nothing but the deletion', [deleted('a', 1), added('a', 2), deleted('a', 3)], ['delete a 1']],
])('beyond its capacity: %s', (_what, notifications, expected) => {
  const inbox = inboxWith(1, ...notifications);

  expect(inbox.size).toBe(expected.length);
  expect(drain(inbox)).toEqual(expected);
});

test('beyond its capacity changes of other objects are queued in order', () => {
  const inbox = inboxWith(
    2,
    added('a', 1),
    added('b', 1),
    added('c', 1),
    updated('a', 1, 2),
    added('d', 1),
    updated('c', 1, 2),
  );

  expect(drain(inbox)).toEqual(['add a 2', 'add b 1', 'add c 2', 'add d 1']);
});

test('a delivered notification is not merged into', () => {
  const inbox = inboxWith(1, updated('a', 1, 2), updated('b', 1, 2));
  inbox.shift();
  const [key, notification] = updated('a', 2, 3);
  inbox.push(key, notification);

  expect(drain(inbox)).toEqual(['update b 1→2', 'update a 2→3']);
});

test('when it is no longer full every change is kept again', () => {
  const inbox = inboxWith(
    4,
    updated('a', 1, 2),
    updated('b', 1, 2),
    updated('c', 1, 2),
    updated('d', 1, 2),
    updated('d', 2, 3),
  );
  for (let count = 0; count < 3; count++) inbox.shift();
  for (const [key, notification] of [updated('d', 3, 4), updated('d', 4, 5)]) inbox.push(key, notification);

  expect(drain(inbox)).toEqual(['update d 1→3', 'update d 3→4', 'update d 4→5']);
});

test('delivered objects are released while others still wait', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const inbox = inboxWith(10, added('a', 1), added('b', 1));
  const delivered = new WeakRef(inbox.shift() as object);

  await new Promise((resolve) => void setImmediate(resolve)); // a WeakRef holds its target until then
  collectGarbage();

  expect(delivered.deref()).toBeUndefined();
  expect(inbox.size).toBe(1);
});
