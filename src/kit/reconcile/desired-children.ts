import { controllerOf, controllerReference } from '../../api/client.ts';
import { clone } from '../../base/index.ts';
import { keyOf, type Kind, type KubernetesObject, type Observed, type Sendable } from '../../client/index.ts';
import { kindId, objectId } from '../kind-id.ts';
import type { Objects } from '../objects.ts';
import type { EchoFilter } from '../work/echo-filter.ts';
import { isStated, type Statement, statementOf } from './statement.ts';

/** What declaring children needs of a run. */
export interface DesireParts {
  readonly kind: Kind;
  readonly owns: readonly Kind[];
  readonly fieldManager: string;
  readonly echoes: EchoFilter;
  /** Earlier declarations, by child; kept for as long as the child exists. */
  readonly statements: Map<string, Statement>;
  objects<T extends KubernetesObject>(kind: Kind<T>): Objects<T>;
}

/** The children of an object, as its runs declare them. */
export class DesiredChildren {
  readonly #owner: Observed<KubernetesObject>;
  readonly #parts: DesireParts;

  constructor(owner: Observed<KubernetesObject>, parts: DesireParts) {
    this.#owner = owner;
    this.#parts = parts;
  }

  /** Writes the child as declared; sends nothing if it already is. */
  async desire<T extends KubernetesObject>(kind: Kind<T>, child: Sendable<T>): Promise<Observed<T>> {
    const { statements, fieldManager, echoes } = this.#parts;
    const intent = this.#complete(kind, child);
    const key = keyOf(intent);
    const id = objectId(kind, key);
    const objects = this.#parts.objects(kind);
    const actual = objects.get(key);
    this.#checkOwner(kind, actual);
    if (actual !== undefined && (isTerminating(actual) || isStated(intent, actual, statements.get(id)))) return actual;
    const answer = await echoes.write(id, () => objects.apply(intent, { fieldManager, force: true }));
    statements.set(id, statementOf(intent, answer));
    return answer;
  }

  /** Writes the children as declared, and deletes all others of the kind. Deletes nothing if a write fails. */
  async desireAll<T extends KubernetesObject>(kind: Kind<T>, children: readonly Sendable<T>[]): Promise<Observed<T>[]> {
    this.#checkDeclared(kind);
    const stated: Observed<T>[] = [];
    for (const child of children) stated.push(await this.desire(kind, child));
    const keys = new Set(stated.map(keyOf));
    const objects = this.#parts.objects(kind);
    for (const child of objects.list({ controlledBy: this.#owner.metadata.uid })) {
      const key = keyOf(child);
      if (keys.has(key) || isTerminating(child)) continue;
      await objects.delete(key, { preconditions: { uid: child.metadata.uid }, propagationPolicy: 'Background' });
    }
    return stated;
  }

  /** Deletes the children of an object that the controller no longer handles, except those that another manager also claims. */
  async prune(): Promise<void> {
    const { owns, fieldManager } = this.#parts;
    const { uid: owner } = this.#owner.metadata;
    for (const objects of owns.map((kind) => this.#parts.objects(kind))) {
      for (const child of objects.list({ controlledBy: owner })) {
        const key = keyOf(child);
        const stored = isTerminating(child) ? undefined : await objects.fetch(key); // caches do not keep managedFields
        if (stored === undefined || !isStatedBy(fieldManager, stored, owner)) continue;
        const { uid } = stored.metadata;
        await objects.delete(key, { preconditions: { uid }, propagationPolicy: 'Background' });
      }
    }
  }

  /** A copy of the child with its namespace and owner, which later changes by the caller do not affect. */
  #complete<T extends KubernetesObject>(kind: Kind<T>, child: Sendable<T>): Sendable<T> {
    const { metadata = {} } = child;
    this.#checkDeclared(kind, child);
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

  #checkDeclared(kind: Kind, child?: Sendable<KubernetesObject>): void {
    if (this.#parts.owns.some((owned) => kindId(owned) === kindId(kind))) return;
    throw this.#refusal(kind, child ?? {}, 'the controller does not declare the kind in owns');
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

function isTerminating({ metadata }: Observed<KubernetesObject>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The part of `fieldsV1` that covers owner references. */
interface OwnerFields {
  readonly 'f:metadata'?: { readonly 'f:ownerReferences'?: Readonly<Record<string, unknown>> };
}

/** Whether this manager, and no other, owns the owner reference to the given owner. */
function isStatedBy(manager: string, { metadata }: Observed<KubernetesObject>, ownerUid: string): boolean {
  const reference = `k:${JSON.stringify({ uid: ownerUid })}`;
  const stating = (metadata.managedFields ?? []).filter(({ fieldsV1 }) => {
    const fields = fieldsV1 as OwnerFields | undefined;
    return fields?.['f:metadata']?.['f:ownerReferences']?.[reference] !== undefined;
  });
  return stating.length > 0 && stating.every((entry) => entry.manager === manager);
}
