import { expect, test } from 'vitest';
import { GraphNode } from './graph-node.ts';
import type { ObjectReference } from './object-reference.ts';
import { opinionsOn, otherIdentity } from './owner-identity.ts';

const owner: ObjectReference = { apiVersion: 'v1', kind: 'B', namespace: 'x', name: 'o', uid: 'u' };

function dependent(namespace: string, claims: Partial<ObjectReference>[]): GraphNode {
  const node = new GraphNode(
    { apiVersion: 'v1', kind: 'D', namespace, name: `in-${namespace}`, uid: `d-${namespace}` },
    { isVirtual: false },
  );
  node.owners = claims.map((claim) => ({ apiVersion: 'v1', kind: 'B', name: 'o', uid: 'u', ...claim }));
  return node;
}

test('a dependent in another namespace is wrong about a namespaced owner, whatever its reference says', () => {
  const near = dependent('x', [{}]);
  const far = dependent('y', [{}]);

  expect(opinionsOn(owner, [near, far])).toEqual({ right: [near], wrong: [far] });
  expect(opinionsOn({ ...owner, namespace: '' }, [near, far])).toEqual({ right: [near, far], wrong: [] });
});

test('a dependent with two references to a uid can be right and wrong', () => {
  const both = dependent('x', [{}, { kind: 'C' }]);

  expect(opinionsOn(owner, [both])).toEqual({ right: [both], wrong: [both] });
});

test('the references are tried in order, wrapping around', () => {
  const claims = [dependent('x', [{ kind: 'C' }]), dependent('x', [{ kind: 'A' }]), dependent('x', [{}])];
  const next = otherIdentity(owner, claims);
  const last = next === undefined ? undefined : otherIdentity(next, claims);

  expect(next).toMatchObject({ kind: 'C' });
  expect(last).toMatchObject({ kind: 'A' });
});

test('a kind that was looked up as cluster-scoped is not looked up in a namespace', () => {
  expect(otherIdentity({ ...owner, namespace: '' }, [dependent('x', [{}])])).toBeUndefined();
});
