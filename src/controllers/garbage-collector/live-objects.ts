import { deepEqual } from '../../base/index.ts';
import {
  type Client,
  type DeleteOptions,
  hasReason,
  type Kind,
  type KubernetesObject,
  mergePatch,
  type Patch,
  type ResourceClient,
  StatusError,
  type Stored,
  strategicPatch,
} from '../../client/index.ts';
import type { Owner } from './graph-node.ts';
import type { KindCatalogue } from './kind-catalogue.ts';
import type { ObjectReference } from './object-reference.ts';

/** The kind of a reference is not served (yet). */
export class UnknownKindError extends Error {
  override readonly name = 'UnknownKindError';
}

/** A cluster-scoped object refers to a namespaced one: the reference can never be resolved. */
export class UnresolvableOwnerError extends Error {
  override readonly name = 'UnresolvableOwnerError';
}

export type Metadata = Stored<KubernetesObject>['metadata'];
export type DeletionChoice = Required<Pick<DeleteOptions, 'propagationPolicy'>>;

/** The API server's current objects, by reference. Reads metadata only. */
export class LiveObjects {
  readonly #client: Client;
  readonly #kinds: KindCatalogue;
  readonly #signal: AbortSignal;

  constructor(client: Client, kinds: KindCatalogue, options: { readonly signal: AbortSignal }) {
    this.#client = client;
    this.#kinds = kinds;
    this.#signal = options.signal;
  }

  async kind(wanted: { readonly apiVersion: string; readonly kind: string }): Promise<Kind> {
    const found = await this.#kinds.find(wanted, { signal: this.#signal });
    if (found !== undefined) return found;
    throw new UnknownKindError(`Cannot find "${wanted.kind}" of "${wanted.apiVersion}": it is not served`);
  }

  /** The object's metadata; undefined when the reference is empty. The object may be another one with the same name. */
  async get(reference: ObjectReference): Promise<Metadata | undefined> {
    const kind = await this.kind(reference);
    if (kind.scope === 'Namespaced' && reference.namespace === '') {
      throw new UnresolvableOwnerError(`Cannot look up ${kind.kind} "${reference.name}": its namespace is not known`);
    }
    try {
      return (await this.#in(kind, reference).get(reference.name, { signal: this.#signal })).metadata;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Deletes the object as last read. False: it is already gone. */
  async delete(reference: ObjectReference, seen: Metadata, { propagationPolicy }: DeletionChoice): Promise<boolean> {
    const resource = this.#in(await this.kind(reference), reference);
    const { uid, resourceVersion } = seen;
    const options = { propagationPolicy, signal: this.#signal };
    try {
      await resource.delete(reference.name, { ...options, preconditions: { uid, resourceVersion } });
      return true;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return false;
      if (!hasReason(error, 'Conflict')) throw error;
      const now = await this.get(reference);
      if (now === undefined) return false;
      const hasSameOwners = deepEqual(now.ownerReferences ?? [], seen.ownerReferences ?? []);
      if (now.uid !== uid || now.resourceVersion === resourceVersion || !hasSameOwners) throw error;
    }
    // the change is irrelevant, and the object might change again and again
    return await isThere(resource.delete(reference.name, { ...options, preconditions: { uid } }));
  }

  /** Removes owners from the object, if it exists. Fails with a Conflict for another object with the same name. */
  async removeOwners(reference: ObjectReference, owners: readonly string[]): Promise<void> {
    const deletions = owners.map((uid) => ({ $patch: 'delete', uid }));
    const keep = (current: readonly Owner[]): readonly Owner[] => current.filter(({ uid }) => !owners.includes(uid));
    await isThere(this.#patch(reference, deletions, keep));
  }

  /** Clears blockOwnerDeletion for the given owners. */
  async unblockOwners(reference: ObjectReference, owners: readonly Owner[]): Promise<void> {
    const unblock = (owner: Owner): Owner => ({ ...owner, blockOwnerDeletion: false });
    const blocking = owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    await this.#patch(reference, blocking.map(unblock), (current) => current.map(unblock));
  }

  /** Removes a finalizer from the object, if it exists and has it. Another object with the same name keeps its own. */
  async removeFinalizer(reference: ObjectReference, finalizer: string): Promise<void> {
    const metadata = await this.get(reference);
    if (metadata?.uid !== reference.uid || metadata.finalizers?.includes(finalizer) !== true) return;
    const left = metadata.finalizers.filter((name) => name !== finalizer);
    const { resourceVersion } = metadata;
    const finalizers = left.length === 0 ? null : left;
    await this.#send(reference, mergePatch({ metadata: { resourceVersion, finalizers } }));
  }

  /** Patches owner references by strategic merge, or, for kinds without that, by replacing the current list. */
  async #patch(
    reference: ObjectReference,
    merged: readonly object[],
    change: (current: readonly Owner[]) => readonly Owner[],
  ): Promise<void> {
    const { uid } = reference;
    try {
      await this.#send(reference, strategicPatch({ metadata: { uid, ownerReferences: merged } }));
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 415) throw error;
      const metadata = await this.get(reference);
      if (metadata === undefined || metadata.uid !== uid) return;
      const ownerReferences = change(metadata.ownerReferences ?? []);
      const { resourceVersion } = metadata;
      await this.#send(reference, mergePatch({ metadata: { uid, resourceVersion, ownerReferences } }));
    }
  }

  async #send(reference: ObjectReference, patch: Patch): Promise<void> {
    const resource = this.#in(await this.kind(reference), reference);
    await resource.patch(reference.name, patch, { signal: this.#signal });
  }

  #in(kind: Kind, { namespace }: ObjectReference): ResourceClient {
    return this.#client.kindIn(kind, namespace === '' ? undefined : namespace).metadata();
  }
}

/** Whether the object existed when it was written. */
async function isThere(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}
