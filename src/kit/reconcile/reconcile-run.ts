import { deepFreeze } from '../../base/index.ts';
import type { KubernetesObject, Observed } from '../../client/index.ts';
import { objectId } from '../kind-id.ts';
import type { Objects } from '../objects.ts';
import type { WorkContext } from '../work/keyed-workers.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizer.ts';
import { RunContext } from './run-context.ts';
import { RunObjects } from './run-objects.ts';
import { type RunParts, statusId } from './run-parts.ts';
import { isStated } from './statement.ts';
import { noteRival } from './status-rivals.ts';
import { writeStatus } from './status-writer.ts';

/** One run for one object. */
export class ReconcileRun<T extends KubernetesObject> {
  readonly #key: string;
  readonly #parts: RunParts<T>;
  readonly #work: WorkContext;

  constructor(key: string, parts: RunParts<T>, work: WorkContext) {
    this.#key = key;
    this.#parts = parts;
    this.#work = work;
  }

  async run(): Promise<void> {
    const { options, departures } = this.#parts;
    const object = this.#own.get(this.#key);
    if (object === undefined) await this.#gone();
    else if (departures.isIrrelevant(object, this.#key)) await this.#leave(object);
    else if (options.finalize === undefined) await this.#reconcile(object);
    else await this.#reconcileOrFinalize(object);
  }

  /** Handles an object that does not exist, or is outside the controller's scope. */
  async #gone(): Promise<void> {
    const { options, departures } = this.#parts;
    const left = await departures.find(this.#key, () => this.#fetch());
    if (left !== undefined && (await this.#leave(left)) === 'wait') return;
    departures.settled(this.#key);
    const context = this.#context(undefined);
    await this.#kept(context, () => options.gone?.(this.#key, context));
  }

  /** Undoes what the controller has done for the object: finalizes it and deletes its children. */
  async #leave(object: Observed<T>): Promise<'wait' | void> {
    const isMarked = this.#parts.options.finalize !== undefined && hasFinalizer(object, this.#parts.finalizer);
    if (isMarked && (await this.#cleanUp(object)) === 'wait') return 'wait';
    await this.#context(object).prune();
    if (isMarked) await this.#removeFinalizer(object);
  }

  async #fetch(): Promise<Observed<T> | undefined> {
    return deepFreeze(await this.#own.fetch(this.#key)) as Observed<T> | undefined;
  }

  async #reconcileOrFinalize(object: Observed<T>): Promise<void> {
    const { finalizer } = this.#parts;
    const isMarked = object.metadata.deletionTimestamp !== undefined || hasFinalizer(object, finalizer);
    const marked = isMarked ? object : await this.#addFinalizer(object); // others may have deleted it meanwhile
    if (marked.metadata.deletionTimestamp === undefined) await this.#reconcile(marked);
    else if (hasFinalizer(marked, finalizer)) await this.#finalize(marked);
  }

  async #reconcile(object: Observed<T>): Promise<void> {
    const context = this.#context(object);
    try {
      const status = await this.#kept(context, () => this.#parts.options.reconcile(object, context));
      await this.#writeStatus(object, status ?? context.reported);
    } catch (error) {
      await this.#writeStatusOfFailed(object, context.reported);
      throw error;
    }
  }

  /** Calls the author's function, and waits for all calls that it started. */
  async #kept<A>(context: RunContext<T>, act: () => A): Promise<Awaited<A>> {
    const answer = await act();
    await context.promises.forgotten();
    return answer;
  }

  /**
   * Writes the status that a failed run has reported; if that fails too, only logs it, because the first failure matters
   * more.
   */
  async #writeStatusOfFailed(object: Observed<T>, status: unknown): Promise<void> {
    try {
      await this.#writeStatus(object, status);
    } catch (error) {
      const { app, name: controller } = this.#parts;
      app.log.warn('status of a failed run not written', { controller, object: this.#key, error });
    }
  }

  async #finalize(object: Observed<T>): Promise<void> {
    if ((await this.#cleanUp(object)) !== 'wait') await this.#removeFinalizer(object);
  }

  async #cleanUp(object: Observed<T>): Promise<'wait' | void> {
    const context = this.#context(object);
    return await this.#kept(context, () => this.#parts.options.finalize?.(object, context));
  }

  async #removeFinalizer(object: Observed<T>): Promise<void> {
    const { finalizer, echoes } = this.#parts;
    const isEcho = (): boolean => true; // that the object is being deleted is known
    await echoes.write(this.#id, () => removeFinalizer(object, finalizer, this.#own), isEcho);
  }

  #addFinalizer(object: Observed<T>): Promise<Observed<T>> {
    const isEcho = (): boolean => true; // the run continues with the answer
    return this.#parts.echoes.write(this.#id, () => addFinalizer(object, this.#parts.finalizer, this.#own), isEcho);
  }

  async #writeStatus(object: Observed<T>, status: unknown): Promise<void> {
    if (typeof status !== 'object' || status === null) return;
    const { kind, echoes, statements, name: fieldManager } = this.#parts;
    const parts = { kind, echoes, fieldManager, id: this.#id, objects: this.#own };
    const ofStatus = statusId(object.metadata.uid);
    const earlier = statements.get(ofStatus);
    const change = { status, earlier };
    if (earlier !== undefined && !isStated(earlier.intent, (object as { readonly status?: unknown }).status, earlier)) {
      const fetch = (): Promise<Observed<T> | undefined> => this.#own.fetch(this.#key);
      const { rivals, app } = this.#parts;
      await noteRival(rivals, { id: ofStatus, key: this.#key, fieldManager, fetch }, app);
    }
    statements.set(ofStatus, await writeStatus(object, change, parts));
  }

  #context(object: Observed<T> | undefined): RunContext<T> {
    return new RunContext(this.#key, object, { parts: this.#parts, work: this.#work });
  }

  get #own(): Objects<T> {
    return new RunObjects(this.#parts.own, this.#work);
  }

  get #id(): string {
    return objectId(this.#parts.kind, this.#key);
  }
}
