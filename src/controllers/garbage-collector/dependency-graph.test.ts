import { expect, test } from 'vitest';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import { DependencyGraph, type Sighting } from './dependency-graph.ts';
import { describeReference } from './object-reference.ts';

interface Thing {
  readonly name: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly owners?: readonly OwnerReference[];
  readonly finalizers?: string[];
  readonly isDeleted?: boolean;
}

function thing({ name, kind = 'Thing', namespace = 'default', owners, finalizers, isDeleted }: Thing): Sighting {
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name,
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(namespace === '' ? {} : { namespace }),
      ...(owners === undefined ? {} : { ownerReferences: owners }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(isDeleted === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
  };
}

function ownedBy(name: string, more: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: 'v1', kind: 'Thing', name, uid: `uid-of-${name}`, ...more };
}

/** A graph, and what it has said since it was asked last. */
function start(): { graph: DependencyGraph; said: () => string[] } {
  const lines: string[] = [];
  const graph = new DependencyGraph({
    examine: ({ identity }, how) => lines.push(`${how?.isRetry === true ? 'retry' : 'examine'} ${identity.name}`),
    orphan: ({ identity }) => lines.push(`orphan dependents of ${identity.name}`),
    isAbsent: ({ name, namespace }) => lines.push(`absent ${namespace}/${name}`),
    refersElsewhere: ({ identity }, owner) => lines.push(`${identity.name} refers to ${owner.name} elsewhere`),
  });
  return { graph, said: () => lines.splice(0) };
}

test('an owner that has not been seen is looked for, once for all its dependents', () => {
  const { graph, said } = start();

  graph.observe(thing({ name: 'one', owners: [ownedBy('parent')] }));
  graph.observe(thing({ name: 'two', owners: [ownedBy('parent')] }));

  expect(said()).toEqual(['examine parent']);
  expect(graph.node('uid-of-parent')).toMatchObject({ isVirtual: true });
});

test('an owner that is seen later is as good as one that was seen before', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'child', owners: [ownedBy('parent')] }));
  said();

  graph.observe(thing({ name: 'parent' }));

  expect(said()).toEqual([]);
  expect(graph.node('uid-of-parent')).toMatchObject({ isVirtual: false });
  expect([...(graph.node('uid-of-parent')?.dependents ?? [])].map(({ identity }) => identity.name)).toEqual(['child']);
});

test('when an owner is gone its dependents are examined and it is remembered as absent', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'parent' }));
  graph.observe(thing({ name: 'child', owners: [ownedBy('parent')] }));

  graph.remove(thing({ name: 'parent' }));

  expect(said()).toEqual(['absent default/parent', 'examine child']);
  expect(graph.node('uid-of-parent')).toBeUndefined();
});

test('a deletion in the foreground begins with the dependents and the owner being examined', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'parent' }));
  graph.observe(thing({ name: 'child', owners: [ownedBy('parent', { blockOwnerDeletion: true })] }));
  const dying = thing({ name: 'parent', isDeleted: true, finalizers: ['foregroundDeletion'] });

  graph.observe(dying);
  expect(said()).toEqual(['examine child', 'examine parent']);
  graph.observe(dying);
  expect(said()).toEqual([]);

  graph.remove(thing({ name: 'child' }));
  expect(said()).toEqual(['examine parent']);
});

test('an owner in the foreground is examined again when a dependent no longer holds it up', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'parent' }));
  graph.observe(thing({ name: 'child', owners: [ownedBy('parent', { blockOwnerDeletion: true })] }));
  expect(graph.node('uid-of-parent')?.blockingDependents).toHaveLength(1);

  graph.observe(thing({ name: 'child', owners: [ownedBy('parent', { blockOwnerDeletion: false })] }));
  expect(said()).toEqual(['examine parent']);
  expect(graph.node('uid-of-parent')?.blockingDependents).toHaveLength(0);
});

test('a deletion that orphans is told once, however often the object changes meanwhile', () => {
  const { graph, said } = start();
  const dying = thing({ name: 'parent', isDeleted: true, finalizers: ['orphan'] });

  graph.observe(dying);
  graph.observe(dying);

  expect(said()).toEqual(['orphan dependents of parent']);
});

test('references can be added and taken away', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'a' }));
  graph.observe(thing({ name: 'b' }));
  graph.observe(thing({ name: 'child', owners: [ownedBy('a')] }));

  graph.observe(thing({ name: 'child', owners: [ownedBy('b')] }));

  expect(graph.node('uid-of-a')?.dependents.size).toBe(0);
  expect(graph.node('uid-of-b')?.dependents.size).toBe(1);
  expect(said()).toEqual([]);
});

test('an owner in another namespace is reported, whichever of the two is seen first', () => {
  const forward = start();
  forward.graph.observe(thing({ name: 'parent', namespace: 'other' }));
  forward.graph.observe(thing({ name: 'child', owners: [ownedBy('parent')] }));
  expect(forward.said()).toEqual(['child refers to parent elsewhere', 'examine child']);

  const backward = start();
  backward.graph.observe(thing({ name: 'child', owners: [ownedBy('parent')] }));
  backward.said();
  backward.graph.observe(thing({ name: 'parent', namespace: 'other' }));
  expect(backward.said()).toEqual(['child refers to parent elsewhere', 'examine child']);
});

test('an owner outside of namespaces may be referred to from everywhere', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'parent', namespace: '' }));
  graph.observe(thing({ name: 'child', owners: [ownedBy('parent')] }));

  expect(said()).toEqual([]);
});

test('an owner that is not where some say it is is looked for where others say it is', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'here', owners: [ownedBy('parent')] }));
  graph.observe(thing({ name: 'there', namespace: 'other', owners: [ownedBy('parent')] }));
  expect(said()).toEqual(['examine parent', 'examine there']);
  const absent = graph.node('uid-of-parent')?.identity;

  if (absent !== undefined) graph.confirmAbsent(absent);

  expect(said()).toEqual(['absent default/parent', 'examine here', 'retry parent']);
  expect(describeReference(graph.node('uid-of-parent')?.identity ?? never())).toBe(
    '[v1/Thing, namespace: other, name: parent, uid: uid-of-parent]',
  );
});

test('an object that was seen is not taken as absent because somebody has its place wrong', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'parent' }));
  graph.observe(thing({ name: 'child', owners: [ownedBy('parent', { kind: 'Mistake' })] }));
  expect(said()).toEqual(['examine child']);

  graph.confirmAbsent({
    apiVersion: 'v1',
    kind: 'Mistake',
    namespace: 'default',
    name: 'parent',
    uid: 'uid-of-parent',
  });

  expect(graph.node('uid-of-parent')).toMatchObject({ isVirtual: false });
  expect(said()).toEqual(['absent default/parent', 'examine child']);
});

function never(): never {
  throw new Error('the node is not there');
}
