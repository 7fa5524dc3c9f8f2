import type { MinorVersion } from '../../base/index.ts';
import type { PackedField, PackedPackage, PackedType } from '../language/pack.ts';
import { holdsIn } from '../language/version-range.ts';
import type { FieldFlags, UnionDefinition } from '../language/definition.ts';
import type { Constraints } from './constraints.ts';
import { type Field, type GroupVersionKind, type ScalarName, scalarNames, type Shape, type Struct } from './schema.ts';

/** What a struct needs to know its fields: those of a version, and where their types are found. */
export interface Surroundings {
  readonly types: { resolve(reference: string, from: PackedPackage): Struct };
  readonly version: MinorVersion;
}

/** A type of the packed table. Its fields are made on first use, so an unused type costs nothing. */
export class TableStruct implements Struct {
  readonly name: string;
  readonly shortName: string;
  readonly kind: GroupVersionKind | undefined;
  readonly isAtomic: boolean;
  readonly isGranular: boolean;
  readonly unions: readonly UnionDefinition[];
  readonly preservesUnknown = false;
  readonly checkedFirst: readonly string[] | undefined;
  readonly hasOwnRules: boolean;
  readonly internal: string | undefined;
  readonly #package: PackedPackage;
  readonly #packed: PackedType;
  readonly #surroundings: Surroundings;
  #fields: readonly Field[] | undefined;
  #byName: ReadonlyMap<string, Field> | undefined;

  constructor(pack: PackedPackage, packed: PackedType, surroundings: Surroundings) {
    const [shortName, isKind, merging, , unions, checkedFirst, hasOwnRules, internal] = packed;
    this.name = `${pack.package}.${shortName}`;
    this.shortName = shortName;
    this.kind = isKind === 1 ? { group: pack.group, version: pack.version, kind: shortName } : undefined;
    this.isAtomic = merging === 1;
    this.isGranular = merging === 2;
    this.unions = unions ?? [];
    this.checkedFirst = checkedFirst;
    this.hasOwnRules = hasOwnRules === 1;
    this.internal = internal;
    this.#package = pack;
    this.#packed = packed;
    this.#surroundings = surroundings;
  }

  get fields(): readonly Field[] {
    return (this.#fields ??= [
      ...(this.kind === undefined ? [] : typeMetaFields),
      ...this.#packed[3].filter((field) => this.#isThere(field)).map((field) => this.#field(field)),
    ]);
  }

  readonly field = (name: string): Field | undefined => {
    this.#byName ??= new Map(this.fields.map((field) => [field.name, field]));
    return this.#byName.get(name);
  };

  #isThere([, , , flags]: PackedField): boolean {
    return flags === undefined || flags === 0 || holdsIn(flags, this.#surroundings.version);
  }

  #field([name, number, type, packedFlags, constraints]: PackedField): Field {
    const flags = packedFlags || NO_FLAGS;
    const isPointer = type.startsWith('*');
    const numbers = typeof number === 'number' ? [number] : number;
    return {
      name,
      number: numbers.at(-1) ?? 0,
      inside: numbers.slice(0, -1),
      shape: this.#shape(isPointer ? type.slice(1) : type, flags, constraints),
      presence: isPointer ? 'pointer' : 'value',
      omit: flags.always === true ? 'never' : flags.omitzero === true ? 'zero' : 'empty',
      required: flags.required !== undefined,
      isOnlyPublished: flags.required === 'published',
      isOnlyChecked: flags.required === 'checked',
      missingSays: flags.missing,
      immutable: flags.immutable === true,
      patchStrategy: flags.patch,
      mergeKey: flags.mergeKey,
      goType: flags.go,
      goInside: flags.in,
    };
  }

  #shape(type: string, flags: FieldFlags, constraints: Constraints | undefined): Shape {
    const { list: listType, keys, map: mapType } = flags;
    const isWrapped = type.startsWith('wrapped');
    if (isWrapped || type.startsWith('[]')) {
      const { own, inner } = divided(constraints);
      const element = this.#shape(type.slice(isWrapped ? 'wrapped[]'.length : 2), NO_FLAGS, inner);
      return { kind: 'list', element, listType, keys, isWrapped, constraints: own };
    }
    if (type.startsWith('map<')) {
      const { own, inner } = divided(constraints);
      return { kind: 'map', value: this.#shape(type.slice(4, -1), NO_FLAGS, inner), mapType, constraints: own };
    }
    if (type.startsWith('*')) return this.#shape(type.slice(1), flags, constraints);
    if (isScalarName(type)) {
      if (constraints === undefined && listType === undefined) return scalarShapes[type];
      return { kind: 'scalar', scalar: type, listType, constraints };
    }
    const resolve = (): Struct => this.#surroundings.types.resolve(type, this.#package);
    let struct: Struct | undefined;
    return {
      kind: 'struct',
      mapType,
      listType,
      constraints,
      get struct() {
        return (struct ??= resolve());
      },
    };
  }
}

const NO_FLAGS: FieldFlags = {};

/** Splits the constraints of a list or map line: defaults apply to the whole, rules to each item. */
function divided(all: Constraints | undefined): { readonly own?: Constraints; readonly inner?: Constraints } {
  if (all === undefined) return {};
  const { default: whole, fill, ...inner } = all;
  if (whole === undefined && fill === undefined) return { inner: all };
  const own = { ...(whole === undefined ? {} : { default: whole }), ...(fill === undefined ? {} : { fill }) };
  return Object.keys(inner).length === 0 ? { own } : { own, inner };
}

const scalarShapes = Object.fromEntries(
  scalarNames.map((scalar) => [scalar, { kind: 'scalar', scalar }]),
) as unknown as Readonly<Record<ScalarName, Shape>>;

function isScalarName(type: string): type is ScalarName {
  return Object.hasOwn(scalarShapes, type);
}

/** `kind` and `apiVersion`, which every kind has; in protobuf they are in the envelope instead. */
const typeMetaFields: readonly Field[] = ['kind', 'apiVersion'].map((name) => ({
  name,
  number: 0,
  inside: [],
  shape: scalarShapes.string,
  presence: 'value',
  omit: 'empty',
  required: false,
  immutable: false,
}));
