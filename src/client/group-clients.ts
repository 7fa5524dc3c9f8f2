import type { Kind, KubernetesObject } from './kind.ts';
import { mapValues } from './kind-tree.ts';
import type { AllNamespaces, ResourceClient } from './resource/resource-client.ts';

/** A client for a kind; a namespaced kind requires `.namespace(…)` first. */
export type ClientOf<K> =
  K extends Kind<infer T, infer S> ? ([S] extends ['Namespaced'] ? AllNamespaces<T> : ResourceClient<T>) : never;

type KindTree = Readonly<Record<string, Readonly<Record<string, Kind>>>>;

/** The resources of one API group, by version and plural. */
export type GroupClient<G extends KindTree> = {
  readonly [Version in keyof G]: { readonly [Plural in keyof G[Version]]: ClientOf<G[Version][Plural]> };
};

/** A client with a property for each group. */
type ClientsOf<Groups extends Readonly<Record<string, KindTree>>> = GroupClients & {
  readonly [Group in keyof Groups]: GroupClient<Groups[Group]>;
};

/** The base class of clients with a property for each API group. */
export abstract class GroupClients {
  readonly #groups = new Map<KindTree, unknown>();

  /**
   * Makes a client class with a property for each group. A loop, since a written property for each would enlarge users'
   * bundles.
   */
  static of<Groups extends Readonly<Record<string, KindTree>>>(groups: Groups): abstract new () => ClientsOf<Groups> {
    abstract class Clients extends GroupClients {}
    for (const [name, tree] of Object.entries(groups)) {
      Object.defineProperty(Clients.prototype, name, {
        get(this: GroupClients) {
          return this.#group(tree);
        },
      });
    }
    return Clients as abstract new () => ClientsOf<Groups>;
  }

  /** A client for the objects of a kind. */
  abstract kind<T extends KubernetesObject>(kind: Kind<T, 'Namespaced'>): AllNamespaces<T>;
  abstract kind<T extends KubernetesObject>(kind: Kind<T>): ResourceClient<T>;

  #group(tree: KindTree): unknown {
    let made = this.#groups.get(tree);
    if (made === undefined) {
      made = mapValues(tree, (kinds) => mapValues(kinds, (kind) => this.kind(kind)));
      this.#groups.set(tree, made);
    }
    return made;
  }
}
