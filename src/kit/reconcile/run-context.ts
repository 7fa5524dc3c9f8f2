import type { Clock, Duration, Logger, MetricRegistry, Random } from '../../base/index.ts';
import type { Client, Kind, KubernetesObject, Observed, Sendable } from '../../client/index.ts';
import { type Condition, conditionsOf, type StatedCondition } from '../conditions.ts';
import type { ReconcileContext } from '../controller-options.ts';
import type { EventDetails } from '../events.ts';
import type { Objects } from '../objects.ts';
import type { WorkContext } from '../work/keyed-workers.ts';
import { DesiredChildren } from './desired-children.ts';
import { KeptPromises } from './kept-promises.ts';
import type { RunParts } from './run-parts.ts';
import { RunObjects } from './run-objects.ts';

/** The context of one run. Its methods are bound, because reconcilers destructure it. */
export class RunContext<T extends KubernetesObject> implements ReconcileContext {
  readonly key: string;
  readonly why: readonly string[];
  readonly failures: number;
  readonly signal: AbortSignal;
  readonly after: (duration: Duration) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  readonly promises = new KeptPromises();
  /** The status that the reconciler has reported last. */
  reported: unknown;
  readonly #object: Observed<KubernetesObject> | undefined;
  readonly #parts: RunParts<T>;
  readonly #work: WorkContext;
  #client: Client | undefined;

  constructor(
    key: string,
    object: Observed<T> | undefined,
    { parts, work }: { readonly parts: RunParts<T>; readonly work: WorkContext },
  ) {
    const { app, name } = parts;
    this.key = key;
    this.why = work.why;
    this.failures = work.failures;
    this.signal = work.signal;
    this.after = work.after;
    this.clock = app.clock;
    this.random = app.random;
    this.log = app.log.with({ controller: name, object: key });
    this.metrics = app.metrics;
    this.#object = object as Observed<KubernetesObject> | undefined;
    this.#parts = parts;
    this.#work = work;
  }

  /** The app's client; its writes are counted as those of the run. */
  get client(): Client {
    return (this.#client ??= this.#parts.app.client.guarded(this.#work.countWrite));
  }

  readonly objects = <U extends KubernetesObject>(kind: Kind<U>): Objects<U> => {
    const objects = this.#parts.declared.objects(kind);
    return new RunObjects(objects, this.#work, (verb, work) => this.promises.keep(`${verb} of ${kind.kind}`, work));
  };

  readonly desire = <U extends KubernetesObject>(kind: Kind<U>, child: Sendable<U>): Promise<Observed<U>> =>
    this.promises.keep(`desire of ${kind.kind}`, this.#children('desire').desire(kind, child));

  readonly desireAll = <U extends KubernetesObject>(
    kind: Kind<U>,
    children: readonly Sendable<U>[],
  ): Promise<Observed<U>[]> =>
    this.promises.keep(`desireAll of ${kind.kind}`, this.#children('desireAll').desireAll(kind, children));

  readonly report = (status: unknown): void => {
    this.reported = status;
  };

  readonly conditions = (...stated: readonly StatedCondition[]): Condition[] =>
    conditionsOf(this.#given('state conditions'), stated, this.clock);

  readonly event = (details: EventDetails): void => this.#parts.recorder.event(this.#given('record an event'), details);

  /** Deletes the children that the controller has created. */
  prune(): Promise<void> {
    return this.#children('prune').prune();
  }

  #children(act: string): DesiredChildren {
    const { kind, options, echoes, statements, name: fieldManager } = this.#parts;
    return new DesiredChildren(this.#given(act), {
      kind,
      owns: options.owns ?? [],
      fieldManager,
      echoes,
      statements,
      objects: (of) => new RunObjects(this.#parts.declared.objects(of), this.#work),
    });
  }

  #given(act: string): Observed<KubernetesObject> {
    if (this.#object === undefined) throw new Error(`Cannot ${act} for "${this.key}": it is gone`);
    return this.#object;
  }
}
