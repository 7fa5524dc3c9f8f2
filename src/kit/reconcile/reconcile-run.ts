import { formatDuration, parseDuration } from '../../base/index.ts';
import { keyOf, type Kind, type KubernetesObject, type Observed } from '../../client/index.ts';
import type { ControllerOptions, ReconcileContext } from '../controller.ts';
import type { EventRecorder } from '../events.ts';
import type { Objects } from '../objects.ts';
import type { AppContext } from '../part.ts';
import type { DeclaredKinds } from './declared-kinds.ts';
import { childId, DesiredChildren } from './desired-children.ts';
import type { EchoFilter } from './echo-filter.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizer.ts';
import type { Request } from './request.ts';
import { RunObjects, type RunScope } from './run-objects.ts';
import type { Statement } from './statement.ts';
import { writeStatus } from './status-writer.ts';

/** What the kit has said for an object so far. */
export interface Said {
  readonly uid: string;
  readonly children: Map<string, Statement>;
  status: Statement | undefined;
}

/** What all runs of a controller share. */
export interface RunParts<T extends KubernetesObject> {
  readonly name: string;
  readonly kind: Kind<T>;
  readonly options: ControllerOptions<T>;
  readonly finalizer: string;
  readonly app: AppContext;
  /** The objects that the controller is about, from the very cache that it hears of. */
  readonly own: Objects<T>;
  readonly declared: DeclaredKinds;
  readonly echoes: EchoFilter;
  readonly recorder: EventRecorder;
  /** By key. */
  readonly said: Map<string, Said>;
}

/** One run for one object. */
export class ReconcileRun<T extends KubernetesObject> implements RunScope {
  readonly signal: AbortSignal;
  readonly #request: Request;
  readonly #parts: RunParts<T>;
  #writes = 0;
  #afterMs: number | undefined;

  constructor(request: Request, parts: RunParts<T>, signal: AbortSignal) {
    this.#request = request;
    this.#parts = parts;
    this.signal = signal;
  }

  get writes(): number {
    return this.#writes;
  }

  /** When to look again, if the reconciler said so. */
  get afterMs(): number | undefined {
    return this.#afterMs;
  }

  onWrite(): void {
    this.#writes += 1;
  }

  async run(): Promise<void> {
    const { options, said } = this.#parts;
    const { key } = this.#request;
    const object = this.#own.get(key);
    if (object === undefined) {
      said.delete(key);
      await options.gone?.(key, this.#context(undefined, undefined));
    } else if (options.finalize === undefined) {
      await this.#reconcile(object);
    } else {
      await this.#reconcileOrFinalize(object);
    }
  }

  async #reconcileOrFinalize(object: Observed<T>): Promise<void> {
    const { finalizer } = this.#parts;
    const isMarked = object.metadata.deletionTimestamp !== undefined || hasFinalizer(object, finalizer);
    const marked = isMarked ? object : await this.#addFinalizer(object); // others may have deleted it meanwhile
    if (marked.metadata.deletionTimestamp === undefined) await this.#reconcile(marked);
    else if (hasFinalizer(marked, finalizer)) await this.#finalize(marked);
  }

  async #reconcile(object: Observed<T>): Promise<void> {
    const { options } = this.#parts;
    const said = this.#saidOf(object);
    const children = this.#children(object, said);
    const status = await options.reconcile(object, this.#context(object, children));
    if (typeof status === 'object') await this.#writeStatus(object, status, said);
    await children.prune();
  }

  async #finalize(object: Observed<T>): Promise<void> {
    const { options, finalizer, echoes } = this.#parts;
    const children = this.#children(object, this.#saidOf(object));
    await options.finalize?.(object, this.#context(object, children));
    await echoes.write(this.#id, () => removeFinalizer(object, finalizer, this.#own));
  }

  #addFinalizer(object: Observed<T>): Promise<Observed<T>> {
    return this.#parts.echoes.write(this.#id, () => addFinalizer(object, this.#parts.finalizer, this.#own));
  }

  async #writeStatus(object: Observed<T>, status: object, said: Said): Promise<void> {
    const { kind, echoes, name: fieldManager } = this.#parts;
    const parts = { kind, echoes, fieldManager, id: this.#id, objects: this.#own };
    said.status = await writeStatus(object, { status, said: said.status }, parts);
  }

  #children(object: Observed<T>, said: Said): DesiredChildren {
    const { kind, options, echoes, name: fieldManager } = this.#parts;
    return new DesiredChildren(object as Observed<KubernetesObject>, {
      kind,
      owns: options.owns ?? [],
      fieldManager,
      echoes,
      said: said.children,
      objects: (of) => this.#objects(of),
    });
  }

  /** Reconcilers take it apart, so all that is in it works by itself. */
  #context(object: Observed<T> | undefined, children: DesiredChildren | undefined): ReconcileContext {
    const { app, name, recorder } = this.#parts;
    const { key, why } = this.#request;
    return {
      key,
      why,
      signal: this.signal,
      client: app.client,
      clock: app.clock,
      random: app.random,
      log: app.log.with({ controller: name, object: key }),
      objects: (kind) => this.#objects(kind),
      desire: (kind, child) => {
        if (children === undefined) throw new Error(`Cannot make children of "${key}": it is gone`);
        return children.desire(kind, child);
      },
      event: (details) => {
        if (object === undefined) throw new Error(`Cannot record an event about "${key}": it is gone`);
        recorder.event(object as Observed<KubernetesObject>, details);
      },
      after: (duration) => {
        const ms = typeof duration === 'number' ? duration : parseDuration(duration);
        if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`Cannot look again after ${formatAny(duration)}`);
        this.#afterMs = Math.min(ms, this.#afterMs ?? Infinity);
      },
    };
  }

  get #own(): Objects<T> {
    return new RunObjects(this.#parts.own, this);
  }

  get #id(): string {
    return childId(this.#parts.kind, this.#request.key);
  }

  #objects<U extends KubernetesObject>(kind: Kind<U>): Objects<U> {
    return new RunObjects(this.#parts.declared.objects(kind), this);
  }

  /** What was said for an object of the same name before is of no use for this one. */
  #saidOf(object: Observed<T>): Said {
    const { said } = this.#parts;
    const key = keyOf(object);
    const known = said.get(key);
    if (known?.uid === object.metadata.uid) return known;
    const made: Said = { uid: object.metadata.uid, children: new Map(), status: undefined };
    said.set(key, made);
    return made;
  }
}

function formatAny(duration: string | number): string {
  return typeof duration === 'string'
    ? `"${duration}"`
    : Number.isFinite(duration)
      ? formatDuration(duration)
      : String(duration);
}
