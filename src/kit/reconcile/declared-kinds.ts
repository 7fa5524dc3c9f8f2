import type { ObjectSelection, Kind, KubernetesObject } from '../../client/index.ts';
import type { ControllerOptions } from '../controller-options.ts';
import { kindId } from '../kind-id.ts';
import type { Objects } from '../objects.ts';
import type { AppContext } from '../part.ts';

/**
 * The caches of the kinds that a controller declares. Other kinds are refused, because reading one would start an
 * undeclared watch.
 */
export class DeclaredKinds {
  readonly #controller: string;
  readonly #context: AppContext;
  /** Cached, because reconcilers ask for them in every run. */
  readonly #objects = new WeakMap<Kind, Objects<never>>();
  readonly #scopes = new Map<string, ObjectSelection | undefined>();

  constructor(
    kind: Kind,
    options: Pick<ControllerOptions<never>, 'where' | 'watches' | 'owns' | 'reads'>,
    parts: { readonly name: string; readonly context: AppContext },
  ) {
    this.#controller = parts.name;
    this.#context = parts.context;
    this.#declare(kind, options.where);
    for (const { kind: watched, where } of options.watches ?? []) this.#declare(watched, where);
    for (const owned of options.owns ?? []) this.#declare(owned);
    for (const read of options.reads ?? []) this.#declare(read);
  }

  objects<T extends KubernetesObject>(kind: Kind<T>): Objects<T> {
    const known = this.#objects.get(kind);
    if (known !== undefined) return known as unknown as Objects<T>;
    const objects = this.#context.objects(kind, this.#scopeOf(kind));
    this.#objects.set(kind, objects as unknown as Objects<never>);
    return objects;
  }

  /** A kind that is declared more than once is read with the widest selection. */
  #declare(kind: Kind, where?: ObjectSelection): void {
    const id = kindId(kind);
    if (!this.#scopes.has(id) || where === undefined) this.#scopes.set(id, where);
    this.#context.objects(kind, where);
  }

  #scopeOf(kind: Kind): ObjectSelection | undefined {
    const id = kindId(kind);
    if (!this.#scopes.has(id)) {
      throw new Error(
        `Cannot read ${kind.plural} of ${kind.apiVersion}: controller "${this.#controller}" does not declare them in owns, reads or watches`,
      );
    }
    return this.#scopes.get(id);
  }
}
