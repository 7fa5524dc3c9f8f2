import { describeError, type Logger } from '../../base/index.ts';
import {
  type AddOptions,
  type HandlerRegistration,
  type InformerScope,
  keyOf,
  type Kind,
  type KubernetesObject,
  type Observed,
} from '../../client/index.ts';
import type { Watch } from '../controller.ts';
import { controlledBy } from '../watch.ts';
import { childId } from './desired-children.ts';
import type { RunParts } from './reconcile-run.ts';
import type { Request } from './request.ts';

/** What happened to an object; one that came or went has no old state. */
interface Change<T extends KubernetesObject> {
  readonly type: 'added' | 'changed' | 'deleted';
  readonly object: Observed<T>;
  readonly old?: Observed<T>;
  /** It was there when the controller started. */
  readonly isInInitialList?: boolean;
}

/** Hears of changes for a controller, and tells which objects they concern. */
export class ChangeEars<T extends KubernetesObject> {
  readonly #parts: RunParts<T>;
  readonly #log: Logger;
  readonly #deliver: (request: Request, options: AddOptions) => void;
  readonly #registrations: Pick<HandlerRegistration<never>, 'pending'>[] = [];

  constructor(parts: RunParts<T>, deliver: (request: Request, options: AddOptions) => void) {
    const { kind, options, app, name } = parts;
    this.#parts = parts;
    this.#log = app.log.with({ controller: name });
    this.#deliver = deliver;
    this.#listen(kind, options.where, (change) => this.#hearOwn(change));
    for (const watch of options.watches ?? []) {
      this.#listen(watch.kind, watch.scope, (change) => this.#hear(watch, change));
    }
    for (const owned of options.owns ?? []) {
      const watch = controlledBy(owned);
      this.#listen(owned, undefined, (change) => this.#unlessEcho(owned, change, () => this.#hear(watch, change)));
    }
  }

  /** Changes that were not told yet. */
  get pending(): number {
    return this.#registrations.reduce((sum, { pending }) => sum + pending, 0);
  }

  #listen<U extends KubernetesObject>(
    kind: Kind<U>,
    scope: InformerScope | undefined,
    hear: (change: Change<U>) => void,
  ): void {
    const { app, name } = this.#parts;
    const registration = app.informer(kind, scope).addHandler(
      {
        add: (object, { isInInitialList }) => hear({ type: 'added', object, isInInitialList }),
        update: (object, old) => hear({ type: 'changed', object, old }),
        delete: (object) => hear({ type: 'deleted', object }),
      },
      { name },
    );
    app.objects(kind, scope).onVanished((object) => hear({ type: 'deleted', object }));
    this.#registrations.push(registration);
  }

  #hearOwn(change: Change<T>): void {
    const { kind, options } = this.#parts;
    const { type, object, old } = change;
    const isRelevant = type === 'deleted' || this.#isRelevant(kind, change, () => options.isRelevant?.(object, old));
    if (isRelevant) this.#unlessEcho(kind, change, () => this.#tell(keyOf(object), kind, change));
  }

  #hear(watch: Watch, change: Change<KubernetesObject>): void {
    const { kind } = watch;
    const { object, old } = change;
    if (!this.#isRelevant(kind, change, () => watch.isRelevant?.(object, old))) return;
    const keys = new Set([...this.#keysFor(watch, object), ...(old === undefined ? [] : this.#keysFor(watch, old))]);
    for (const key of keys) this.#tell(key, kind, change);
  }

  /** What the kit itself has changed is of no interest. */
  #unlessEcho(kind: Kind, { type, object }: Change<KubernetesObject>, act: () => void): void {
    const { echoes } = this.#parts;
    const id = childId(kind, keyOf(object));
    if (type !== 'deleted') return echoes.hear(id, object.metadata, act);
    echoes.forget(id);
    act();
  }

  #tell(key: string, kind: Kind, { type, object, isInInitialList = false }: Change<KubernetesObject>): void {
    this.#deliver({ key, why: [`${kind.kind} ${keyOf(object)} ${type}`] }, { isLowPriority: isInInitialList });
  }

  /** What a filter that fails cannot rule out is relevant. */
  #isRelevant(kind: Kind, { object }: Change<KubernetesObject>, ask: () => boolean | undefined): boolean {
    try {
      return ask() ?? true;
    } catch (error) {
      this.#complain('filter failed', kind, object, error);
      return true;
    }
  }

  #keysFor(watch: Watch, object: Observed<KubernetesObject>): Iterable<string> {
    const { kind, declared } = this.#parts;
    try {
      return [...watch.keysFor(object, { kind, objects: (of) => declared.objects(of) })];
    } catch (error) {
      this.#complain('watch failed to map', watch.kind, object, error);
      return [];
    }
  }

  #complain(message: string, { kind }: Kind, object: Observed<KubernetesObject>, error: unknown): void {
    this.#log.error(message, { kind, object: keyOf(object), error: describeError(error) });
  }
}
