import { DEFAULT_KUBERNETES_VERSION, type KubernetesVersion, type MinorVersion, minorOf } from '../../base/index.ts';
import type { PackedField, PackedPackage, PackedTable, PackedType } from '../language/pack.ts';
import { holdsIn } from '../language/version-range.ts';
import type { GroupVersionKind, ResourceInfo, Struct, SubresourceInfo } from './schema.ts';
import { TableStruct } from './table-struct.ts';

/**
 * The types and resources of one version of Kubernetes, from the packed table, which has those of all.
 *
 * Kinds of other versions are not found, except by `storedKind`. `struct` takes any name, because names come from what was found.
 */
export class TypeTable {
  readonly version: KubernetesVersion;
  readonly #minor: MinorVersion;
  readonly #packed = new Map<string, { readonly package: PackedPackage; readonly type: PackedType }>();
  readonly #packageOfAlias = new Map<string, PackedPackage>();
  readonly #structs = new Map<string, Struct>();
  readonly #kinds = new Map<string, string>();
  /** The kinds of other versions. */
  readonly #hidden = new Set<string>();
  readonly #packages: readonly PackedPackage[];
  #resources: readonly ResourceInfo[] | undefined;

  constructor(table: PackedTable, version: KubernetesVersion = DEFAULT_KUBERNETES_VERSION) {
    this.version = version;
    this.#minor = minorOf(version);
    this.#packages = table.packages;
    for (const pack of table.packages) {
      this.#packageOfAlias.set(pack.alias, pack);
      for (const kind of this.#hiddenKinds(pack)) this.#hidden.add(kindKey({ ...pack, kind }));
      const add = (type: PackedType): void => {
        const name = `${pack.package}.${type[0]}`;
        this.#packed.set(name, { package: pack, type });
        if (type[1] === 1) this.#kinds.set(kindKey({ group: pack.group, version: pack.version, kind: type[0] }), name);
      };
      for (const type of pack.types) add(type);
      for (const { kind, verbs } of pack.resources) {
        if (verbs.includes('list') && !this.#packed.has(`${pack.package}.${kind}List`)) add(listType(kind));
      }
    }
  }

  /** The kinds of a package whose resources are all of other versions. */
  #hiddenKinds(pack: PackedPackage): readonly string[] {
    const shown = holdsIn(pack, this.#minor) ? pack.resources.filter((each) => holdsIn(each, this.#minor)) : [];
    if (shown.length === pack.resources.length) return [];
    const served = new Set(shown.map(({ kind }) => kind));
    const gone = pack.resources.filter(({ kind }) => !served.has(kind));
    return gone.flatMap(({ kind }) => [kind, `${kind}List`]);
  }

  /** The type with this OpenAPI name; throws if there is none, because names come from tables, not from users. */
  struct(name: string): Struct {
    const known = this.#structs.get(name);
    if (known !== undefined) return known;
    const packed = this.#packed.get(name);
    if (packed === undefined) throw new Error(`No type is named "${name}"`);
    const struct = new TableStruct(packed.package, packed.type, { types: this, version: this.#minor });
    this.#structs.set(name, struct);
    return struct;
  }

  /** The type of a kind, if it is a built-in one of this version of Kubernetes. */
  kind(kind: GroupVersionKind): Struct | undefined {
    return this.isOfOtherVersion(kind) ? undefined : this.storedKind(kind);
  }

  /** Whether another version of Kubernetes has the kind, and this one does not. */
  isOfOtherVersion(kind: GroupVersionKind): boolean {
    return this.#hidden.has(kindKey(kind));
  }

  /** The type of a built-in kind of any version of Kubernetes: one of them may have stored such objects. */
  storedKind(kind: GroupVersionKind): Struct | undefined {
    const name = this.#kinds.get(kindKey(kind));
    return name === undefined ? undefined : this.struct(name);
  }

  /** The type that `reference` (`T`, or `core/v1.T`) means inside a package. */
  resolve(reference: string, from: PackedPackage): Struct {
    const dot = reference.indexOf('.');
    if (dot < 0) return this.struct(`${from.package}.${reference}`);
    const owner = this.#packageOfAlias.get(reference.slice(0, dot));
    if (owner === undefined) throw new Error(`No definition file is called "${reference.slice(0, dot)}"`);
    return this.struct(`${owner.package}.${reference.slice(dot + 1)}`);
  }

  /** Every type's OpenAPI name, those of other versions included, in the order of the definition files. */
  names(): IterableIterator<string> {
    return this.#packed.keys();
  }

  resources(): readonly ResourceInfo[] {
    return (this.#resources ??= this.#packages
      .filter((pack) => holdsIn(pack, this.#minor))
      .flatMap((pack) =>
        pack.resources
          .filter((resource) => holdsIn(resource, this.#minor))
          .map((resource) => this.#resource(pack, resource)),
      ));
  }

  #resource(pack: PackedPackage, resource: PackedPackage['resources'][number]): ResourceInfo {
    const resolve = (reference: string): Struct => this.resolve(reference, pack);
    return {
      ...resource,
      group: pack.group,
      version: pack.version,
      get type() {
        return resolve(resource.kind);
      },
      subresources: resource.subresources
        .filter((subresource) => holdsIn(subresource, this.#minor))
        .map((subresource): SubresourceInfo => ({
          name: subresource.name,
          verbs: subresource.verbs,
          get type() {
            return resolve(subresource.type);
          },
        })),
    };
  }
}

/** All lists have the same structure, so the definition files do not list them. */
function listType(kind: string): PackedType {
  const fields: PackedField[] = [
    ['metadata', 1, 'meta/v1.ListMeta'],
    ['items', 2, `[]${kind}`, { required: true, always: true }],
  ];
  return [`${kind}List`, 1, 0, fields];
}

function kindKey(kind: GroupVersionKind): string {
  return `${kind.group}/${kind.version}/${kind.kind}`;
}
