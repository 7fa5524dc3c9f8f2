import type { OwnerReference } from '../api/types/meta/v1.d.ts';
import type { Clock, Logger, MetricRegistry, Random } from '../base/index.ts';
import type { Client, Handler, ObjectSelection, Kind, KubernetesObject, SharedInformer } from '../client/index.ts';
import type { EventRecorder } from './events.ts';
import type { Objects } from './objects.ts';
import type { AccessNeed } from './rbac/access-need.ts';
import type { WebhookHandler } from './webhooks/webhook-handler.ts';
import type { KeyedWorkers, KeyedWorkersOptions } from './work/keyed-workers.ts';
import type { Passes, PassesOptions } from './work/passes.ts';

/** A handler that the app tells of changes. Disposing removes it. */
export interface Subscription extends Disposable {
  /** Resolves when the handler has been told of all objects that were there before. */
  synced(signal: AbortSignal): Promise<void>;
}

/** What an app gives to its parts: shared caches, workers, a client, events, and the time. */
export interface AppContext {
  /** As in logs, metrics and field managers. */
  readonly name: string;
  /** The component that events name as their source, unless a part says otherwise. */
  readonly component: string;
  /** The part's own client. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  /** What is under way when the app stops may take so long to finish before its signal aborts. */
  readonly stopGraceMs: number;
  /** Up to this resourceVersion, another run of the part had seen to everything; undefined where there was none. */
  readonly seenUpTo: string | undefined;
  /** Records events under the given component name; `host` is for those that run on a node. */
  events(component: string, options?: { readonly host?: string }): EventRecorder;
  /**
   * The objects of a kind. All parts that ask for the same kind and selection share one cache and one watch. Who writes them is the
   * part itself, unless it says for whom it does.
   */
  objects<T extends KubernetesObject>(kind: Kind<T>, where?: ObjectSelection, writer?: string): Objects<T>;
  /** The client of one whom the part writes for, such as a node among many; see `AppRunOptions.clientFor`. */
  clientOf(writer: string): Client;
  /** The informer under `objects`. */
  informer<T extends KubernetesObject>(kind: Kind<T>, where?: ObjectSelection): SharedInformer<T>;
  /**
   * Has the handler told of changes, from when the part runs until it ends. What is there already is told as added, and what
   * was there when `prepare` returned is told before `run` is called.
   */
  onChange<T extends KubernetesObject>(kind: Kind<T>, handler: Handler<T>, where?: ObjectSelection): Subscription;
  /** Workers for keys, to be run by the part. The name is as in logs, metrics and the trace. */
  workers(name: string, options: KeyedWorkersOptions): KeyedWorkers;
  /** Passes over everything when there is a reason to, to be run by the part. */
  passes(name: string, options: PassesOptions): Passes;
}

/** A change that a part is asked about before it has begun; a missing side means that the object was not there. */
export interface ObjectChange {
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
}

/** What a part that has not begun can know of the cluster. */
export interface ClusterState {
  hasAny(kind: Kind): boolean;
  /** Whether the very object is there that a reference in an object of the namespace leads to. */
  has(reference: OwnerReference, namespace: string): boolean;
}

/** Something that an app runs: a controller, or any other loop. */
export interface Part {
  readonly name: string;
  /** What it answers over HTTPS, by path, on the app's one server and whether this replica leads or not: webhooks of any kind. */
  readonly handlers?: Readonly<Record<string, WebhookHandler>>;
  /** The service account that it is known as to the cluster, where parts of an app write under names of their own. */
  readonly account?: string;
  /** How much its workers do at once, for those that say so themselves; as they say unless given. */
  readonly concurrency?: number;
  /** What it does to objects, as far as it declares it; see `rbacOf`. */
  readonly needs?: readonly AccessNeed[];
  /**
   * The part has nothing to do while there is no object of any of these kinds. Beside a server of the same process it is not begun
   * before there is one.
   */
  readonly sleepsWithout?: readonly Kind[];
  /** Whether a part that sleeps may sleep on, although an object has changed that it reads; no unless given. */
  sleepsThrough?(change: ObjectChange, state: ClusterState): boolean;
  /** The part reads all kinds that there are, also those that come later. */
  readonly readsEverything?: boolean;
  /** The part has something of its own for each object of these kinds, which a copy of it must make anew. */
  readonly holds?: readonly Kind[];
  /** Says which caches it needs, before they are filled; what it returns runs when they are, and while we lead. */
  prepare(context: AppContext): PreparedPart;
}

export interface PreparedPart {
  run(signal: AbortSignal): Promise<void>;
  /**
   * Whether nothing is waiting or under way that could go on without time passing, for `settle` and for health. The app
   * itself knows that of the part's handlers, workers and passes.
   */
  readonly isIdle?: boolean;
}
