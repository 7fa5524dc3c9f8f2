import { managerName, type TypeTable } from '../api/index.ts';
import type { Clock, Logger, Random, Turns, UidSource } from '../base/index.ts';
import { compilingRules } from '../crd/index.ts';
import { type KeyRange, prefixRange } from '../store/index.ts';
import type { Admission } from './admission/admission.ts';
import { Listeners } from './listeners.ts';
import type { FieldOwnership } from './ownership/field-ownership.ts';
import type { Call } from './request/call.ts';
import { builtInCapabilities } from './capabilities.ts';
import type { Action, Projection, Resource, WriteContext } from './resource.ts';
import type { ObjectStore } from './storage/object-store.ts';
import type { BookmarkRounds } from './verbs/bookmark-rounds.ts';

/** A registered resource and its object store. */
export interface RegisteredResource {
  readonly resource: Resource;
  readonly objects: ObjectStore;
  readonly withdrawal: Withdrawal;
  readonly targets: SubresourceTargets;
}

/** The resources for the bodies of subresources: of another kind than the resource itself, and not stored. */
export class SubresourceTargets {
  readonly #resource: Resource;
  /** Each is made once, because caches are keyed by resource. */
  readonly #targets = new Map<Action | Projection, Resource>();

  constructor(resource: Resource) {
    this.#resource = resource;
  }

  ofAction(action: Action): Resource {
    const known = this.#targets.get(action);
    if (known !== undefined) return known;
    const { normalize: _, ...storage } = this.#resource.storage;
    return this.#add(action, { storage });
  }

  ofProjection(projection: Projection): Resource {
    const { columns = [] } = projection;
    return this.#targets.get(projection) ?? this.#add(projection, { columns, capabilities: builtInCapabilities });
  }

  #add(subresource: Action | Projection, members: Partial<Resource>): Resource {
    const { kind, struct: type } = subresource;
    const target = { ...this.#resource, ...kind, type, strategy: {}, ...members };
    this.#targets.set(subresource, target);
    return target;
  }
}

/** A registered resource with everything that the verbs need. */
export interface Endpoint extends RegisteredResource {
  readonly services: Services;
}

/** Signals the end of an endpoint: its resource is no longer served, or another endpoint replaced it. */
export class Withdrawal {
  readonly #listeners = new Listeners<void>();
  #hasHappened = false;

  /** Calls `listener` when it happens; at once when it has already happened. */
  onHappened(listener: () => void): Disposable {
    if (this.#hasHappened) listener();
    return this.#listeners.add(listener);
  }

  happen(): void {
    this.#hasHappened = true;
    this.#listeners.notify();
  }
}

/** The server's services for its verbs. */
export interface Services {
  readonly clock: Clock;
  readonly random: Random;
  readonly uids: UidSource;
  readonly log: Logger;
  readonly admission: Admission;
  readonly ownership: FieldOwnership;
  readonly types: TypeTable;
  readonly bookmarks: BookmarkRounds;
  /** Lets long-running work pause for other requests. */
  readonly turns: Turns;
  /** Maximum size of a request body. */
  readonly maxBodyBytes: number;
  /** A watch without timeoutSeconds lasts between this and twice this. */
  readonly minWatchSeconds: number;
}

export function keyOf(resource: Resource, namespace: string, name: string): string {
  const { prefix } = resource.storage;
  return resource.namespaced ? `${prefix}${namespace}/${name}` : `${prefix}${name}`;
}

/** The keys of a collection: of one namespace, or of all. */
export function rangeOf(resource: Resource, namespace: string): KeyRange {
  const { prefix } = resource.storage;
  return prefixRange(resource.namespaced && namespace !== '' ? `${prefix}${namespace}/` : prefix);
}

export function writeContext(
  call: Call,
  endpoint: Endpoint,
  options: { readonly dryRun: boolean; readonly fieldManager?: string },
): WriteContext {
  return new CallContext(call, endpoint, options);
}

/** A class, because every write creates one: an object literal with a getter is slow to create and takes four times the memory. */
class CallContext implements WriteContext {
  readonly user: WriteContext['user'];
  readonly verb: string;
  readonly dryRun: boolean;
  readonly subresource: string;
  readonly now: number;
  readonly manager: string;
  readonly newUid: () => string;
  readonly pause?: () => Promise<void>;
  readonly #call: Call;

  constructor(
    call: Call,
    { services: { clock, uids, turns }, resource: { strategy, type } }: Endpoint,
    { dryRun, fieldManager = '' }: { readonly dryRun: boolean; readonly fieldManager?: string },
  ) {
    const { verb, subresource } = call.info;
    this.user = call.principal.user;
    this.verb = verb;
    this.dryRun = dryRun;
    this.subresource = subresource;
    this.now = clock.now();
    this.manager = managerName(fieldManager, call.request.header('user-agent') ?? '');
    this.newUid = () => uids.next();
    const isLong =
      strategy.validateInSteps !== undefined || (type.isStructural === true && compilingRules(type) !== undefined);
    if (call.request.isLarge || isLong) this.pause = () => turns.take(true);
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.request.signal;
  }

  get trace(): WriteContext['trace'] {
    return this.#call.record.trace;
  }

  warn(message: string): void {
    this.#call.record.warnings.add(message);
  }

  annotate(key: string, value: string): void {
    this.#call.record.annotations.add(key, value);
  }
}

/** The same context with another `pause`. */
export function pausing(context: WriteContext, pause: WriteContext['pause']): WriteContext {
  return context.pause === pause ? context : contextWith(context, { dryRun: context.dryRun, pause });
}

/** The same context with these changes. Its signal is created on first use. */
export function contextWith(context: WriteContext, changes: Pick<WriteContext, 'dryRun' | 'pause'>): WriteContext {
  const { user, verb, subresource, now, newUid, manager } = context;
  return {
    user,
    verb,
    subresource,
    now,
    newUid,
    manager,
    get signal() {
      return context.signal;
    },
    get trace() {
      return context.trace;
    },
    warn: (message) => context.warn(message),
    annotate: (key, value) => context.annotate(key, value),
    ...changes,
  };
}

/** The resource's name in messages. */
export function groupResource(resource: Resource): { readonly group: string; readonly resource: string } {
  return { group: resource.group, resource: resource.plural };
}

/** The kind's name in `is invalid` messages. */
export function groupKind(resource: Resource): { readonly group: string; readonly resource: string } {
  return resource.strategy.invalidAs ?? { group: resource.group, resource: resource.kind };
}
