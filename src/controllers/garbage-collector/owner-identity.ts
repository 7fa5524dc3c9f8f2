// Dependents may disagree about where their owner is: a uid is one object, but any client can write references.
import type { GraphNode } from './graph-node.ts';
import {
  isReferenceBefore,
  isSameReference,
  type ObjectReference,
  ownerOf,
  pointsAt,
  referenceKey,
} from './object-reference.ts';

/**
 * The dependents whose references match the owner, and those whose references do not. A dependent with two references
 * can be in both.
 */
export interface ReferenceAgreement {
  readonly right: readonly GraphNode[];
  readonly wrong: readonly GraphNode[];
}

export function opinionsOn(owner: ObjectReference, dependents: Iterable<GraphNode>): ReferenceAgreement {
  const right: GraphNode[] = [];
  const wrong: GraphNode[] = [];
  for (const dependent of dependents) {
    const isElsewhere = owner.namespace !== '' && owner.namespace !== dependent.identity.namespace;
    const references = dependent.owners.filter(({ uid }) => uid === owner.uid);
    if (!isElsewhere && references.some((reference) => pointsAt(reference, owner))) right.push(dependent);
    if (isElsewhere || references.some((reference) => !pointsAt(reference, owner))) wrong.push(dependent);
  }
  return { right, wrong };
}

/**
 * Another reference to the owner, after one turned out to be absent: the next in order, wrapping around, so that each
 * is tried.
 */
export function otherIdentity(absent: ObjectReference, dependents: Iterable<GraphNode>): ObjectReference | undefined {
  const others = new Map<string, ObjectReference>();
  for (const { owners, identity } of dependents) {
    for (const owner of owners) {
      if (owner.uid !== absent.uid) continue;
      // a kind that was looked up as cluster-scoped is cluster-scoped
      const isSameKind = owner.apiVersion === absent.apiVersion && owner.kind === absent.kind;
      const namespace = absent.namespace === '' && isSameKind ? '' : identity.namespace;
      const claimed = ownerOf(owner, namespace);
      if (!isSameReference(claimed, absent)) others.set(referenceKey(claimed), claimed);
    }
  }
  const following = [...others.values()].filter((other) => isReferenceBefore(absent, other));
  return first(following) ?? first([...others.values()]);
}

function first(references: readonly ObjectReference[]): ObjectReference | undefined {
  let found: ObjectReference | undefined;
  for (const reference of references) {
    if (found === undefined || isReferenceBefore(reference, found)) found = reference;
  }
  return found;
}
