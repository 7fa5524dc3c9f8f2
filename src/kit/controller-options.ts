import type { Clock, Logger, MetricRegistry, Random } from '../base/index.ts';
import type { Client, ObjectSelection, Kind, KubernetesObject, Observed, Sendable } from '../client/index.ts';
import type { Condition, StatedCondition } from './conditions.ts';
import type { EventDetails } from './events.ts';
import type { Objects } from './objects.ts';
import type { WorkContext } from './work/keyed-workers.ts';

/** What a reconciler has at hand: `Owned` are the kinds of its children, `Declared` those that it may read. */
export interface ReconcileContext<
  Status = unknown,
  Owned extends Kind = Kind,
  Declared extends Kind = Kind,
> extends Omit<WorkContext, 'countWrite'> {
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** For figures of one's own: `metrics.shared(register)` gives what `register` has made of it in an earlier run. */
  readonly metrics: MetricRegistry;
  /** The objects of a kind that the controller declares; another kind is refused. */
  objects<T extends KubernetesObject>(kind: Kind<T> & Declared): Objects<T>;
  /** States a child: written by server-side apply when it differs, with the reconciled object as its controller. */
  desire<T extends KubernetesObject>(kind: Kind<T> & Owned, child: Sendable<T>): Promise<Observed<T>>;
  /** States all children of a kind: those that are not in the list are deleted, and nothing else ever deletes children. */
  desireAll<T extends KubernetesObject>(
    kind: Kind<T> & Owned,
    children: readonly Sendable<T>[],
  ): Promise<Observed<T>[]>;
  /** The status to be written when the run ends, also when it fails. What `reconcile` returns takes its place. */
  report(status: Status): void;
  /** Conditions for the status: complete, and with the time at which each last changed. */
  conditions(...stated: readonly StatedCondition[]): Condition[];
  /** Records an event about the object. */
  event(details: EventDetails): void;
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
export interface Watch<K extends Kind = Kind> {
  readonly kind: K;
  readonly where: ObjectSelection | undefined;
  /** The keys of the objects to reconcile when `object` has changed; asked with its old state as well. */
  keysFor(object: Observed<KubernetesObject>, context: WatchContext): Iterable<string>;
  /** Whether a change matters; default every one. An object that has come or gone has no old state. */
  when?(object: Observed<KubernetesObject>, old: Observed<KubernetesObject> | undefined): boolean;
}

export interface ControllerOptions<
  T extends KubernetesObject,
  Status = StatusOf<T>,
  Owned extends Kind = Kind,
  Read extends Kind = Kind,
  Watched extends Watch = Watch,
> {
  /** As in logs, metrics, events and field managers; default the kind's plural. */
  readonly name?: string;
  /** The component that events name as their source; default the app's name. */
  readonly component?: string;
  /** The label of its queue's metrics; default its name. */
  readonly queueName?: string;
  /** Which objects; default all. One that leaves is finalized, and its children are deleted. */
  readonly where?: ObjectSelection;
  /** Kinds of children that are stated with `desire` or `desireAll`. */
  readonly owns?: readonly Owned[];
  /** Kinds that are read from caches, and whose changes lead to nothing. */
  readonly reads?: readonly Read[];
  readonly watches?: readonly Watched[];
  /**
   * Whether a change of the object itself matters; default every one. A new object has no old state. That one has gone, or
   * waits for `finalize`, always matters. An object that would matter as a new one, and by a change of more than its status no
   * longer would, has left: it is finalized, and its children are deleted.
   */
  when?(object: Observed<T>, old: Observed<T> | undefined): boolean;
  /** Runs at once, each for another object; default 1. */
  readonly concurrency?: number;
  /** Makes the object's world what the object says; safe to run again at any time. A returned status is written if it differs. */
  reconcile(
    object: Observed<T>,
    context: ReconcileContext<StatusOf<T>, Owned, Kind<T> | Owned | Read | Watched['kind']>,
  ): Promise<Status | void> | Status | void;
  /**
   * Cleans up before the object goes away, or when it leaves. Until it succeeds, the object stays; with `wait` it stays too, and is
   * looked at again when it or something that the controller watches changes, or after a time that the run has said.
   */
  finalize?(
    object: Observed<T>,
    context: ReconcileContext<StatusOf<T>, Owned, Kind<T> | Owned | Read | Watched['kind']>,
  ): Promise<'wait' | void> | 'wait' | void;
  /** The finalizer's name; default `<group or name>/<controller name>`. */
  readonly finalizer?: string;
  /** The object is not there, or no longer. For controllers that keep something beside the cluster. */
  gone?(key: string, context: ReconcileContext): Promise<void> | void;
}

/** The options of any controller of a kind, whatever it declares. */
export type AnyControllerOptions<T extends KubernetesObject> = ControllerOptions<T, unknown>;
