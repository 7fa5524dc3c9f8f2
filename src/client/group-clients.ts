import type { Kind, KubernetesObject } from './kind.ts';
import { mapValues } from './kind-tree.ts';
import type { AllNamespaces, ResourceClient } from './resource/resource-client.ts';

/** A client for a kind: what is namespaced first wants to know the namespace. */
export type ClientOf<K> =
  K extends Kind<infer T, infer S> ? ([S] extends ['Namespaced'] ? AllNamespaces<T> : ResourceClient<T>) : never;

type KindTree = Readonly<Record<string, Readonly<Record<string, Kind>>>>;

/** The resources of one API group, by version and plural. */
export type GroupClient<G extends KindTree> = {
  readonly [Version in keyof G]: { readonly [Plural in keyof G[Version]]: ClientOf<G[Version][Plural]> };
};

/** What the properties for API groups are built on. */
export abstract class GroupClients {
  readonly #groups = new Map<KindTree, unknown>();

  /** A client for the resource that a kind stands for. */
  abstract kind<T extends KubernetesObject>(kind: Kind<T, 'Namespaced'>): AllNamespaces<T>;
  abstract kind<T extends KubernetesObject>(kind: Kind<T>): ResourceClient<T>;

  protected group<const G extends KindTree>(tree: G): GroupClient<G> {
    const known = this.#groups.get(tree);
    if (known !== undefined) return known as GroupClient<G>;
    const made = mapValues(tree, (kinds) => mapValues(kinds, (kind) => this.kind(kind)));
    this.#groups.set(tree, made);
    return made as GroupClient<G>;
  }
}
