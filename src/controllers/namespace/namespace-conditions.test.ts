import { expect, test } from 'vitest';
import { deletionConditions, type DeletionFindings, describeDiscoveryFailures } from './namespace-conditions.ts';

const clean: DeletionFindings = { contentFailures: [], remaining: new Map(), finalizers: new Map() };

test('a namespace without problems gets all five conditions, in order, all False', () => {
  const conditions = deletionConditions([], clean, '2026-01-01T00:00:00Z');

  expect(conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual([
    ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered'],
    ['NamespaceDeletionGroupVersionParsingFailure', 'False', 'ParsedGroupVersions'],
    ['NamespaceDeletionContentFailure', 'False', 'ContentDeleted'],
    ['NamespaceContentRemaining', 'False', 'ContentRemoved'],
    ['NamespaceFinalizersRemaining', 'False', 'ContentHasNoFinalizers'],
  ]);
});

test('remaining objects are counted in a stable order', () => {
  const conditions = deletionConditions(
    [],
    {
      discoveryFailure: describeDiscoveryFailures(new Map([['b.io/v1', 'is down']])),
      contentFailures: ['second', 'first'],
      remaining: new Map([
        ['widgets.example.com', 2],
        ['configmaps.', 1],
      ]),
      finalizers: new Map([['example.com/hold', 3]]),
    },
    '2026-01-01T00:00:00Z',
  );

  expect(conditions.map(({ status, reason, message }) => [status, reason, message])).toEqual([
    [
      'True',
      'DiscoveryFailed',
      'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: b.io/v1: is down',
    ],
    ['False', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    ['True', 'ContentDeletionFailed', 'Failed to delete all resource types, 2 remaining: first, second'],
    [
      'True',
      'SomeResourcesRemain',
      'Some resources are remaining: configmaps. has 1 resource instances, widgets.example.com has 2 resource instances',
    ],
    [
      'True',
      'SomeFinalizersRemain',
      'Some content in the namespace has finalizers remaining: example.com/hold in 3 resource instances',
    ],
  ]);
});

test('a condition keeps its time while its status is the same, and equal conditions are the same list', () => {
  const first = deletionConditions([], clean, '2026-01-01T00:00:00Z');
  expect(deletionConditions(first, clean, '2026-01-01T00:00:05Z')).toBe(first);

  const left = (count: number): DeletionFindings => ({ ...clean, remaining: new Map([['pods.', count]]) });
  const second = deletionConditions(first, left(2), '2026-01-01T00:00:10Z');
  const third = deletionConditions(second, left(1), '2026-01-01T00:00:20Z');

  expect(third[3]).toEqual({
    type: 'NamespaceContentRemaining',
    status: 'True',
    reason: 'SomeResourcesRemain',
    message: 'Some resources are remaining: pods. has 1 resource instances',
    lastTransitionTime: '2026-01-01T00:00:10Z',
  });
  expect(third[0]).toBe(first[0]);
});
