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

/** The kind of a reference is not served, or not yet. */
export class UnknownKindError extends Error {
  override readonly name = 'UnknownKindError';
}

/** A reference out of no namespace to an object in one: it cannot be followed, now or ever. */
export class UnresolvableOwnerError extends Error {
  override readonly name = 'UnresolvableOwnerError';
}

export type Metadata = Stored<KubernetesObject>['metadata'];
export type DeletionChoice = Required<Pick<DeleteOptions, 'propagationPolicy'>>;

/** Objects as the server has them now, by reference. Only their metadata is looked at. */
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

  /** The object's metadata; undefined when nothing is at that place. What is there may be another object of the same name. */
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

  /** Deletes the object as it was seen. False: it is gone already. */
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
    // what has changed has nothing to do with us, and might change again and again
    return await isThere(resource.delete(reference.name, { ...options, preconditions: { uid } }));
  }

  /** Removes owners from the object, if it is there. Another object of the same name is left alone, with a Conflict. */
  async removeOwners(reference: ObjectReference, owners: readonly string[]): Promise<void> {
    const deletions = owners.map((uid) => ({ $patch: 'delete', uid }));
    const keep = (current: readonly Owner[]): readonly Owner[] => current.filter(({ uid }) => !owners.includes(uid));
    await isThere(this.#patch(reference, deletions, keep));
  }

  /** Makes the object hold up the deletion of none of its owners. */
  async unblockOwners(reference: ObjectReference, owners: readonly Owner[]): Promise<void> {
    const unblock = (owner: Owner): Owner => ({ ...owner, blockOwnerDeletion: false });
    const blocking = owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    await this.#patch(reference, blocking.map(unblock), (current) => current.map(unblock));
  }

  /** Removes a finalizer from the object, if it is there and has it. Another object of the same name keeps its own. */
  async removeFinalizer(reference: ObjectReference, finalizer: string): Promise<void> {
    const metadata = await this.get(reference);
    if (metadata?.uid !== reference.uid || metadata.finalizers?.includes(finalizer) !== true) return;
    const left = metadata.finalizers.filter((name) => name !== finalizer);
    const { resourceVersion } = metadata;
    const finalizers = left.length === 0 ? null : left;
    await this.#send(reference, mergePatch({ metadata: { resourceVersion, finalizers } }));
  }

  /** Changes owner references by strategic merge, or, for kinds that do not know it, by replacing the list as it is now. */
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

/** Whether the object was there for a write. */
async function isThere(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}
