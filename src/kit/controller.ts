import type { Clock, Logger, Random } from '../base/index.ts';
import type {
  Client,
  IndexFunction,
  InformerScope,
  Kind,
  KubernetesObject,
  Observed,
  Sendable,
} from '../client/index.ts';
import type { EventDetails } from './events.ts';
import type { Objects } from './objects.ts';
import type { Part } from './part.ts';
import { ControllerRuntime } from './reconcile/controller-runtime.ts';

/** What a reconciler has at hand. */
export interface ReconcileContext {
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** What led to this run, merged: such as `Pod default/web-1 changed`, `retry`, `after 5m`. */
  readonly why: readonly string[];
  /** Aborts when the app stops or no longer leads. */
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The objects of a kind that the controller declares; another kind is refused. */
  objects<T extends KubernetesObject>(kind: Kind<T>): Objects<T>;
  /**
   * States a child: written by server-side apply when it differs, with the reconciled object as its controller. Children of
   * the kinds in `owns` that a successful run did not state are deleted.
   */
  desire<T extends KubernetesObject>(kind: Kind<T>, child: Sendable<T>): Promise<Observed<T>>;
  /** Records an event about the object. */
  event(details: EventDetails): void;
  /** Looks again after this long (`'5m'`, or milliseconds), if nothing else happens before. The shortest of several counts. */
  after(duration: string | number): void;
}

/** The type of a kind's status. */
export type StatusOf<T> = T extends { status?: infer S } ? NonNullable<S> : never;

/** What a watch has at hand to find out whom a change concerns. */
export interface WatchContext {
  /** The kind that the controller reconciles. */
  readonly kind: Kind;
  objects: ReconcileContext['objects'];
}

/** Another kind whose changes matter. `watch` and `controlledBy` make these. */
export interface Watch {
  readonly kind: Kind;
  readonly scope: InformerScope | undefined;
  /** The keys of the objects to reconcile when `object` has changed; asked with its old state as well. */
  keysFor(object: Observed<KubernetesObject>, context: WatchContext): Iterable<string>;
  /** Whether a change matters; every one unless given. An object that has come or gone has no old state. */
  isRelevant?(object: Observed<KubernetesObject>, old: Observed<KubernetesObject> | undefined): boolean;
}

export interface ControllerOptions<T extends KubernetesObject> {
  /** As in logs, metrics, events and field managers; the kind's plural unless given. */
  readonly name?: string;
  /** The component that events name as their source; the app's name unless given. */
  readonly component?: string;
  /** Which objects; all unless given. */
  readonly where?: InformerScope;
  /** Kinds of children that are stated with `desire`; those no longer stated are deleted. */
  readonly owns?: readonly Kind[];
  /** Kinds that are read from caches, and whose changes lead to nothing. */
  readonly reads?: readonly Kind[];
  readonly watches?: readonly Watch[];
  /** More ways to look up objects of the declared kinds. */
  readonly indexes?: readonly { readonly kind: Kind; readonly name: string; readonly values: IndexFunction<never> }[];
  /** Whether a change of the object itself matters; every one unless given. A new object has no old state; that one has gone always matters. */
  isRelevant?(object: Observed<T>, old: Observed<T> | undefined): boolean;
  /** Runs at once, each for another object; 1 unless given. */
  readonly concurrency?: number;
  /** Makes the object's world what the object says; safe to run again at any time. A returned status is written if it differs. */
  reconcile(object: Observed<T>, context: ReconcileContext): Promise<StatusOf<T> | void> | StatusOf<T> | void;
  /** Cleans up before the object goes away. Until it succeeds, the object stays. */
  finalize?(object: Observed<T>, context: ReconcileContext): Promise<void> | void;
  /** The finalizer's name; `<group or name>/<controller name>` unless given. */
  readonly finalizer?: string;
  /** The object is not there, or no longer. For controllers that keep something beside the cluster. */
  gone?(key: string, context: ReconcileContext): Promise<void> | void;
}

/** A controller, to be run by an app. */
export interface Controller extends Part {
  readonly kind: Kind;
}

/**
 * A controller for the objects of a kind.
 *
 * Guarantees: one run at a time for each object, `concurrency` for all; a run that fails is tried again, later each time;
 * an object that changes during a run gets another one.
 */
export function controller<T extends KubernetesObject>(kind: Kind<T>, options: ControllerOptions<T>): Controller {
  return {
    name: options.name ?? kind.plural,
    kind,
    prepare: (context) => new ControllerRuntime(kind, options, context),
  };
}
