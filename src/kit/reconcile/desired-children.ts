import { controllerOf, controllerReference } from '../../api/meaning/index.ts';
import { clone } from '../../base/index.ts';
import { keyOf, type Kind, type KubernetesObject, type Observed, type Sendable } from '../../client/index.ts';
import type { Objects } from '../objects.ts';
import { kindId } from './declared-kinds.ts';
import type { EchoFilter } from './echo-filter.ts';
import { isStated, type Statement, statementOf } from './statement.ts';

/** What stating children needs of a run. */
export interface DesireParts {
  readonly kind: Kind;
  readonly owns: readonly Kind[];
  readonly fieldManager: string;
  readonly echoes: EchoFilter;
  /** What was stated for this object before, by child; kept as long as the object is there. */
  readonly said: Map<string, Statement>;
  objects<T extends KubernetesObject>(kind: Kind<T>): Objects<T>;
}

/** The children that one run states for its object. */
export class DesiredChildren {
  readonly #owner: Observed<KubernetesObject>;
  readonly #parts: DesireParts;
  readonly #stated = new Set<string>();

  constructor(owner: Observed<KubernetesObject>, parts: DesireParts) {
    this.#owner = owner;
    this.#parts = parts;
  }

  /** Makes the child what it is stated to be; sends nothing when it is that already. */
  async desire<T extends KubernetesObject>(kind: Kind<T>, child: Sendable<T>): Promise<Observed<T>> {
    const { owns, said, fieldManager, echoes } = this.#parts;
    if (!owns.some((owned) => kindId(owned) === kindId(kind)))
      throw this.#refusal(kind, child, 'the controller does not declare the kind in owns');
    const intent = this.#complete(kind, child);
    const key = keyOf(intent);
    const id = childId(kind, key);
    this.#stated.add(id);
    const objects = this.#parts.objects(kind);
    const actual = objects.get(key);
    this.#checkOwner(kind, actual);
    if (actual !== undefined && (isTerminating(actual) || isStated(intent, actual, said.get(id)))) return actual;
    const answer = await echoes.write(id, () => objects.apply(intent, { fieldManager, force: true }));
    said.set(id, statementOf(intent, answer));
    return answer;
  }

  /** Deletes the children that this run has not stated. To be called when it has succeeded. */
  async prune(): Promise<void> {
    const { uid } = this.#owner.metadata;
    for (const kind of this.#parts.owns) {
      const objects = this.#parts.objects(kind);
      for (const child of objects.list({ controlledBy: uid })) {
        const key = keyOf(child);
        if (this.#stated.has(childId(kind, key)) || isTerminating(child)) continue;
        await objects.delete(key, { preconditions: { uid: child.metadata.uid }, propagationPolicy: 'Background' });
      }
    }
    for (const id of this.#parts.said.keys()) if (!this.#stated.has(id)) this.#parts.said.delete(id);
  }

  /** The child with its namespace and its owner, as a copy that later changes by the caller do not reach. */
  #complete<T extends KubernetesObject>(kind: Kind<T>, child: Sendable<T>): Sendable<T> {
    const { metadata = {} } = child;
    const ownerNamespace = this.#owner.metadata.namespace;
    const namespace = kind.scope === 'Cluster' ? undefined : (metadata.namespace ?? ownerNamespace);
    if (metadata.name === undefined || metadata.name === '') throw this.#refusal(kind, child, 'it has no name');
    if (kind.scope === 'Cluster' && ownerNamespace !== undefined) {
      throw this.#refusal(kind, child, 'what lives in a namespace cannot own what lives outside of namespaces');
    }
    if (kind.scope === 'Namespaced' && namespace === undefined) throw this.#refusal(kind, child, 'it has no namespace');
    if (ownerNamespace !== undefined && namespace !== ownerNamespace) {
      throw this.#refusal(kind, child, `it is in namespace "${namespace}", and owners must be in the same namespace`);
    }
    const others = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== this.#owner.metadata.uid);
    const { kind: name, apiVersion } = kind;
    return clone({
      ...child,
      kind: name,
      apiVersion,
      metadata: {
        ...metadata,
        ...(namespace === undefined ? {} : { namespace }),
        ownerReferences: [...others, controllerReference(this.#owner, this.#parts.kind)],
      },
    });
  }

  #checkOwner(kind: Kind, actual: Observed<KubernetesObject> | undefined): void {
    const owner = actual && controllerOf(actual);
    if (actual === undefined || owner === undefined || owner.uid === this.#owner.metadata.uid) return;
    throw this.#refusal(kind, actual, `it is controlled by ${owner.kind} "${owner.name}"`);
  }

  #refusal(kind: Kind, child: Sendable<KubernetesObject>, reason: string): Error {
    const owner = `${this.#parts.kind.kind} "${keyOf(this.#owner)}"`;
    return new Error(`Cannot make ${kind.kind} "${child.metadata?.name ?? ''}" a child of ${owner}: ${reason}`);
  }
}

export function childId(kind: Kind, key: string): string {
  return `${kindId(kind)} ${key}`;
}

function isTerminating({ metadata }: Observed<KubernetesObject>): boolean {
  return metadata.deletionTimestamp !== undefined;
}
