import type { PackedField, PackedPackage, PackedTable, PackedType } from '../language/pack.ts';
import type { GroupVersionKind, ResourceInfo, Struct, SubresourceInfo } from './schema.ts';
import { TableStruct } from './table-struct.ts';

/** Finds types by name: built-in ones from the packed table, and those added at run time. */
export class TypeTable {
  readonly #packed = new Map<string, { readonly package: PackedPackage; readonly type: PackedType }>();
  readonly #packageOfAlias = new Map<string, PackedPackage>();
  readonly #structs = new Map<string, Struct>();
  readonly #kinds = new Map<string, string>();
  readonly #packages: readonly PackedPackage[];
  #resources: readonly ResourceInfo[] | undefined;

  constructor(table: PackedTable) {
    this.#packages = table.packages;
    for (const pack of table.packages) {
      this.#packageOfAlias.set(pack.alias, pack);
      const add = (type: PackedType): void => {
        const name = `${pack.package}.${type[0]}`;
        this.#packed.set(name, { package: pack, type });
        if (type[1] === 1) this.#kinds.set(kindKey({ group: pack.group, version: pack.version, kind: type[0] }), name);
      };
      for (const type of pack.types) add(type);
      for (const resource of pack.resources) if (resource.verbs.includes('list')) add(listType(resource.kind));
    }
  }

  /** The type with this OpenAPI name; throws if there is none, because names come from tables, not from users. */
  struct(name: string): Struct {
    const known = this.#structs.get(name);
    if (known !== undefined) return known;
    const packed = this.#packed.get(name);
    if (packed === undefined) throw new Error(`No type is named "${name}"`);
    const struct = new TableStruct(packed.package, packed.type, this);
    this.#structs.set(name, struct);
    return struct;
  }

  /** The type of a kind, if it is a built-in one. */
  kind(kind: GroupVersionKind): Struct | undefined {
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

  /** Every type's OpenAPI name, in the order of the definition files. */
  names(): IterableIterator<string> {
    return this.#packed.keys();
  }

  resources(): readonly ResourceInfo[] {
    return (this.#resources ??= this.#packages.flatMap((pack) =>
      pack.resources.map((resource) => this.#resource(pack, resource)),
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
      subresources: resource.subresources.map((subresource): SubresourceInfo => ({
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
