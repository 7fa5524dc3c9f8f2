import { describe, expect, test } from 'vitest';
import { matchLabels } from '../../api/client.ts';
import type { KubernetesObject, Observed } from '../../client/index.ts';
import { decideClaim } from './decide-claim.ts';

interface Facts {
  readonly controller?: string;
  readonly app?: string;
  readonly isDeleted?: boolean;
  readonly namespace?: string;
}

function object(
  uid: string,
  { controller, app = 'web', isDeleted = false, namespace = 'here' }: Facts = {},
): Observed<KubernetesObject> {
  const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: controller ?? '', controller: true };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: uid,
      namespace,
      uid,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app },
      ...(controller === undefined ? {} : { ownerReferences: [reference] }),
      ...(isDeleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
  };
}

describe('what an owner does about an object', () => {
  test.each([
    ['keep', 'its own that matches', { controller: 'owner' }, {}],
    ['release', 'its own that no longer matches', { controller: 'owner', app: 'other' }, {}],
    ['adopt', 'an orphan that matches', {}, {}],
    ['ignore', 'an orphan that does not match', { app: 'other' }, {}],
    ['ignore', "another's that matches", { controller: 'other' }, {}],
    ['ignore', 'an orphan that is being deleted', { isDeleted: true }, {}],
    ['ignore', 'an orphan in another namespace', { namespace: 'there' }, {}],
    ['keep', 'its own, while being deleted itself', { controller: 'owner' }, { isDeleted: true }],
    [
      'ignore',
      'its own that no longer matches, while being deleted itself',
      { controller: 'owner', app: 'x' },
      { isDeleted: true },
    ],
    ['ignore', 'an orphan, while being deleted itself', {}, { isDeleted: true }],
  ] as const)('%s: %s', (claim, _, facts, owner) => {
    expect(decideClaim(object('object', facts), object('owner', owner), matchLabels({ app: 'web' }))).toBe(claim);
  });
});
