import { expect, test } from 'vitest';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import { DependencyGraph, type ObservedObject } from './dependency-graph.ts';
import { describeReference } from './object-reference.ts';

interface Thing {
  readonly name: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly owners?: readonly OwnerReference[];
  readonly finalizers?: string[];
  readonly isDeleted?: boolean;
}

function thing({ name, kind = 'Thing', namespace = 'default', owners, finalizers, isDeleted }: Thing): ObservedObject {
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

/** A graph, and a function that returns the listener calls since its last call. */
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

test('an unobserved owner is looked up once for all its dependents', () => {
  const { graph, said } = start();

  graph.observe(thing({ name: 'one', owners: [ownedBy('parent')] }));
  graph.observe(thing({ name: 'two', owners: [ownedBy('parent')] }));

  expect(said()).toEqual(['examine parent']);
  expect(graph.node('uid-of-parent')).toMatchObject({ isVirtual: true });
});

test('an owner that is observed after its dependents is treated like one observed before', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'child', owners: [ownedBy('parent')] }));
  said();

  graph.observe(thing({ name: 'parent' }));

  expect(said()).toEqual([]);
  expect(graph.node('uid-of-parent')).toMatchObject({ isVirtual: false });
  expect([...(graph.node('uid-of-parent')?.dependents ?? [])].map(({ identity }) => identity.name)).toEqual(['child']);
});

test('the deletion of an owner triggers the examination of its dependents and records it as absent', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'parent' }));
  graph.observe(thing({ name: 'child', owners: [ownedBy('parent')] }));

  graph.remove(thing({ name: 'parent' }));

  expect(said()).toEqual(['absent default/parent', 'examine child']);
  expect(graph.node('uid-of-parent')).toBeUndefined();
});

test('a foreground deletion starts with the examination of the dependents and the owner', () => {
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

test('an owner in foreground deletion is examined again when a dependent stops blocking it', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'parent' }));
  graph.observe(thing({ name: 'child', owners: [ownedBy('parent', { blockOwnerDeletion: true })] }));
  expect(graph.node('uid-of-parent')?.blockingDependents).toHaveLength(1);

  graph.observe(thing({ name: 'child', owners: [ownedBy('parent', { blockOwnerDeletion: false })] }));
  expect(said()).toEqual(['examine parent']);
  expect(graph.node('uid-of-parent')?.blockingDependents).toHaveLength(0);
});

test('an orphaning deletion is reported once, however often the object changes', () => {
  const { graph, said } = start();
  const dying = thing({ name: 'parent', isDeleted: true, finalizers: ['orphan'] });

  graph.observe(dying);
  graph.observe(dying);

  expect(said()).toEqual(['orphan dependents of parent']);
});

test('references can be added and removed', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'a' }));
  graph.observe(thing({ name: 'b' }));
  graph.observe(thing({ name: 'child', owners: [ownedBy('a')] }));

  graph.observe(thing({ name: 'child', owners: [ownedBy('b')] }));

  expect(graph.node('uid-of-a')?.dependents.size).toBe(0);
  expect(graph.node('uid-of-b')?.dependents.size).toBe(1);
  expect(said()).toEqual([]);
});

test('an owner in another namespace is reported, whichever of the two is observed first', () => {
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

test('a cluster-scoped owner may be referred to from every namespace', () => {
  const { graph, said } = start();
  graph.observe(thing({ name: 'parent', namespace: '' }));
  graph.observe(thing({ name: 'child', owners: [ownedBy('parent')] }));

  expect(said()).toEqual([]);
});

test('an owner that is absent at one reference is looked up at the references of other dependents', () => {
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

test('an observed object is not considered absent because of a wrong reference', () => {
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
  throw new Error('the node does not exist');
}
