import { managerName, type TypeTable } from '../api/index.ts';
import type { Clock, Logger, Random, Turns, UidSource } from '../base/index.ts';
import { type KeyRange, prefixRange } from '../store/index.ts';
import type { Admission } from './admission/admission.ts';
import { Listeners } from './listeners.ts';
import type { FieldOwnership } from './ownership/field-ownership.ts';
import type { Call } from './request/call.ts';
import type { Resource, WriteContext } from './resource.ts';
import type { ObjectStore } from './storage/object-store.ts';
import type { BookmarkRounds } from './verbs/bookmark-rounds.ts';

/** A resource as it is served: what it is, where its objects are, and what the verbs need besides. */
export interface Endpoint {
  readonly resource: Resource;
  readonly objects: ObjectStore;
  readonly services: Services;
  readonly withdrawal: Withdrawal;
}

/** The end of an endpoint: its resource is served no more, or by another endpoint. */
export class Withdrawal {
  readonly #listeners = new Listeners<void>();
  #hasHappened = false;

  /** Calls `listener` when it happens; at once when it has happened already. */
  onHappened(listener: () => void): Disposable {
    if (this.#hasHappened) listener();
    return this.#listeners.add(listener);
  }

  happen(): void {
    this.#hasHappened = true;
    this.#listeners.tell();
  }
}

/** What the server lends to its verbs. */
export interface Services {
  readonly clock: Clock;
  readonly random: Random;
  readonly uids: UidSource;
  readonly log: Logger;
  readonly admission: Admission;
  readonly ownership: FieldOwnership;
  readonly types: TypeTable;
  readonly bookmarks: BookmarkRounds;
  /** For requests that take long to work on. */
  readonly turns: Turns;
  /** Longest body that is read. */
  readonly maxBodyBytes: number;
  /** A watch without timeoutSeconds lasts between this and twice this. */
  readonly minWatchSeconds: number;
}

export function keyOf(resource: Resource, namespace: string, name: string): string {
  const { prefix } = resource.storage;
  return resource.namespaced ? `${prefix}${namespace}/${name}` : `${prefix}${name}`;
}

/** The keys of a collection: one namespace's, or all. */
export function rangeOf(resource: Resource, namespace: string): KeyRange {
  const { prefix } = resource.storage;
  return prefixRange(resource.namespaced && namespace !== '' ? `${prefix}${namespace}/` : prefix);
}

export function writeContext(
  call: Call,
  endpoint: Endpoint,
  options: { readonly dryRun: boolean; readonly fieldManager?: string },
): WriteContext {
  const { clock, uids, turns } = endpoint.services;
  return {
    user: call.user,
    verb: call.info.verb,
    dryRun: options.dryRun,
    subresource: call.info.subresource,
    now: clock.now(),
    newUid: () => uids.next(),
    get signal() {
      return call.signal;
    },
    manager: managerName(options.fieldManager ?? '', call.header('user-agent') ?? ''),
    warn: (message) => call.warnings.add(message),
    annotate: (key, value) => call.annotations.add(key, value),
    ...(call.isLarge ? { pause: () => turns.take(true) } : {}),
  };
}

/** The same context for work that pauses, or does not. A copy makes the signal, so there is none where nothing differs. */
export function pausing(context: WriteContext, pause: WriteContext['pause']): WriteContext {
  return context.pause === pause ? context : { ...context, pause };
}

/** How messages name the resource. */
export function groupResource(resource: Resource): { readonly group: string; readonly resource: string } {
  return { group: resource.group, resource: resource.plural };
}

/** How `is invalid` messages name the kind. */
export function groupKind(resource: Resource): { readonly group: string; readonly resource: string } {
  return resource.strategy.invalidAs ?? { group: resource.group, resource: resource.kind };
}
