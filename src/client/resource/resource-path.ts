import { formatGroupResource } from '../../api/client.ts';
import type { Kind } from '../kind.ts';

/** Builds the paths of one resource, in one namespace or in all. */
export class ResourcePath {
  readonly kind: Kind;
  readonly namespace: string | undefined;

  constructor(kind: Kind, namespace: string | undefined) {
    if (namespace !== undefined && kind.scope === 'Cluster') {
      throw new Error(`Cannot look for ${nameOf(kind)} in namespace "${namespace}": they are cluster-scoped`);
    }
    this.kind = kind;
    this.namespace = namespace;
  }

  /** The path of all objects of the namespace, or of all namespaces. */
  get collection(): string {
    return this.#inNamespace(this.namespace);
  }

  /** The path to create an object at; `namespace` is the object's namespace, if it has one. */
  collectionFor(namespace: string | undefined, verb: string): string {
    return this.#inNamespace(this.#requireNamespace(namespace, verb));
  }

  /** The path of one object. Rejects an empty name, which would mean all objects. */
  object(name: string, verb: string, namespace?: string): string {
    if (name === '') throw new Error(`Cannot ${verb} ${nameOf(this.kind)}: the name is empty`);
    return `${this.collectionFor(namespace, verb)}/${encodeURIComponent(name)}`;
  }

  #requireNamespace(namespace: string | undefined, verb: string): string | undefined {
    const given = this.namespace ?? (namespace === '' ? undefined : namespace);
    if (given !== undefined || this.kind.scope === 'Cluster') return given;
    throw new Error(`Cannot ${verb} ${nameOf(this.kind)}: no namespace is given; call .namespace('…') first`);
  }

  #inNamespace(namespace: string | undefined): string {
    const { group, version, plural } = this.kind;
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const isInside = namespace !== undefined && this.kind.scope === 'Namespaced';
    return `${root}${isInside ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${plural}`;
  }
}

function nameOf({ group, plural }: Kind): string {
  return formatGroupResource({ group, resource: plural });
}
