import { describeError } from '../../base/index.ts';
import {
  type Handler,
  type ObjectSelection,
  keyOf,
  type Kind,
  type KubernetesObject,
  type Observed,
} from '../../client/index.ts';
import type { Watch } from '../controller-options.ts';
import { objectId } from '../kind-id.ts';
import { controlledBy } from '../watch.ts';
import type { AddKeyOptions } from '../work/keyed-workers.ts';
import { hasFinalizer } from './finalizer.ts';
import { type RunParts, statusId } from './run-parts.ts';

/** A change of an object; a created or deleted object has no old state. */
interface Change<T extends KubernetesObject> {
  readonly type: 'added' | 'changed' | 'deleted';
  readonly object: Observed<T>;
  readonly old?: Observed<T>;
  /** True if the object existed when the controller started. */
  readonly isInInitialList?: boolean;
}

type AddKey = (key: string, options: AddKeyOptions) => void;

/** Handlers that map changes to the objects that the controller reconciles. */
export class ChangeHandlers<T extends KubernetesObject> {
  readonly #parts: RunParts<T>;
  readonly #add: AddKey;

  constructor(parts: RunParts<T>, add: AddKey) {
    this.#parts = parts;
    this.#add = add;
  }

  /** Subscribes to the changes of all kinds that the controller declares. */
  listen(): void {
    const { kind, options } = this.#parts;
    this.#onChange(kind, options.where, (change) => this.#own(change));
    for (const watch of options.watches ?? []) {
      this.#onChange(watch.kind, watch.where, (change) => this.#watched(watch, change));
    }
    for (const owned of options.owns ?? []) {
      const watch = controlledBy(owned);
      this.#onChange(owned, undefined, (change) => this.#unlessEcho(owned, change, () => this.#watched(watch, change)));
    }
  }

  #onChange<U extends KubernetesObject>(
    kind: Kind<U>,
    where: ObjectSelection | undefined,
    handle: (change: Change<U>) => void,
  ): void {
    const handler: Handler<U> = {
      add: (object, { isInInitialList }) => handle({ type: 'added', object, isInInitialList }),
      update: (object, old) => handle({ type: 'changed', object, old }),
      delete: (object) => handle({ type: 'deleted', object }),
    };
    this.#parts.app.onChange(kind, handler, where);
  }

  #own(change: Change<T>): void {
    const { kind, options } = this.#parts;
    const { type, object, old } = change;
    if (type === 'deleted') this.#lose(object);
    const isRelevant =
      type === 'deleted' ||
      this.#isToFinalize(object) ||
      this.#isRelevant(kind, change, () => this.#leaves(change) || options.when?.(object, old));
    if (isRelevant) this.#unlessEcho(kind, change, () => this.#addKey(keyOf(object), kind, change));
  }

  #lose(object: Observed<T>): void {
    const { statements, departures, rivals } = this.#parts;
    statements.delete(statusId(object.metadata.uid));
    rivals.delete(statusId(object.metadata.uid));
    departures.lostSightOf(keyOf(object));
  }

  /** Whether the object waits for this controller's finalizer: no filter may suppress that. */
  #isToFinalize(object: Observed<T>): boolean {
    const { options, finalizer } = this.#parts;
    const isTerminating = object.metadata.deletionTimestamp !== undefined;
    return isTerminating && options.finalize !== undefined && hasFinalizer(object, finalizer);
  }

  #leaves({ object, old }: Change<T>): boolean {
    return old !== undefined && this.#parts.departures.leavesBy(object, old);
  }

  #watched(watch: Watch, change: Change<KubernetesObject>): void {
    const { kind } = watch;
    const { object, old } = change;
    if (!this.#isRelevant(kind, change, () => watch.when?.(object, old))) return;
    const keys = new Set([...this.#keysFor(watch, object), ...(old === undefined ? [] : this.#keysFor(watch, old))]);
    for (const key of keys) this.#addKey(key, kind, change);
  }

  /** Skips changes that the kit itself has made. */
  #unlessEcho(kind: Kind, { type, object }: Change<KubernetesObject>, act: () => void): void {
    const { echoes, statements } = this.#parts;
    const id = objectId(kind, keyOf(object));
    if (type !== 'deleted') return echoes.pass(id, object.metadata, act);
    echoes.forget(id);
    statements.delete(id);
    act();
  }

  #addKey(key: string, kind: Kind, { type, object, isInInitialList = false }: Change<KubernetesObject>): void {
    this.#add(key, { why: `${kind.kind} ${keyOf(object)} ${type}`, isLowPriority: isInInitialList });
  }

  /** Calls a filter; if it throws, the change counts as relevant. */
  #isRelevant(kind: Kind, { object }: Change<KubernetesObject>, ask: () => boolean | undefined): boolean {
    try {
      return ask() ?? true;
    } catch (error) {
      this.#report('filter failed', kind, object, error);
      return true;
    }
  }

  #keysFor(watch: Watch, object: Observed<KubernetesObject>): Iterable<string> {
    const { kind, declared } = this.#parts;
    try {
      return [...watch.keysFor(object, { kind, objects: (of) => declared.objects(of) })];
    } catch (error) {
      this.#report('watch failed to map', watch.kind, object, error);
      return [];
    }
  }

  #report(message: string, { kind }: Kind, object: Observed<KubernetesObject>, error: unknown): void {
    const { app, name } = this.#parts;
    const fields = { controller: name, kind, object: keyOf(object), error: describeError(error) };
    app.log.error(message, fields);
  }
}
