// Dependents may disagree about where their owner is: a uid is one object, but references can be written by anybody.
import type { GraphNode } from './graph-node.ts';
import {
  isReferenceBefore,
  isSameReference,
  type ObjectReference,
  ownerOf,
  pointsAt,
  referenceKey,
} from './object-reference.ts';

/** Those who refer to the owner as it is, and those who say something else of it. One with two references can be both. */
export interface Opinions {
  readonly right: readonly GraphNode[];
  readonly wrong: readonly GraphNode[];
}

export function opinionsOn(owner: ObjectReference, dependents: Iterable<GraphNode>): Opinions {
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
 * Another place where dependents say the owner is, after one has turned out to be empty: the next in order, and after the
 * last the first, so that each gets its turn.
 */
export function otherIdentity(absent: ObjectReference, dependents: Iterable<GraphNode>): ObjectReference | undefined {
  const others = new Map<string, ObjectReference>();
  for (const { owners, identity } of dependents) {
    for (const owner of owners) {
      if (owner.uid !== absent.uid) continue;
      // what has been looked for outside of namespaces is a kind outside of namespaces
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
