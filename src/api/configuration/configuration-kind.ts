import type { Field, Shape, Struct, StructShape } from '../schema/schema.ts';
import type { GroupVersionKind } from '../values/resource-names.ts';

/** The fields of a configuration object and their shapes. */
export type ConfigurationFields = Readonly<Record<string, Shape>>;

/** A kind of configuration file with all its versions. */
export interface ConfigurationKind {
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly string[];
  /** The fields in one version; embedded kinds are named after it. */
  readonly fields: (version: string) => ConfigurationFields;
}

export const TEXT: Shape = { kind: 'scalar', scalar: 'string' };
export const INTEGER: Shape = { kind: 'scalar', scalar: 'int32' };
export const LONG: Shape = { kind: 'scalar', scalar: 'int64' };
export const FLAG: Shape = { kind: 'scalar', scalar: 'bool' };
/** A duration as Go writes it, such as `1m30s`. */
export const DURATION: Shape = { kind: 'scalar', scalar: 'Duration' };
/** An object of any kind. */
export const EMBEDDED: Shape = { kind: 'scalar', scalar: 'RawExtension' };

export function listOf(element: Shape): Shape {
  return { kind: 'list', element, isWrapped: false };
}

export function mapOf(value: Shape): Shape {
  return { kind: 'map', value };
}

/** An object inside a configuration; `name` is `version.Type`, as messages show it. */
export function objectOf(name: string, fields: ConfigurationFields): StructShape {
  return { kind: 'struct', struct: new ConfigurationStruct(name, fields) };
}

/** The type of a configuration kind in one of its versions. */
export function configurationStruct({ group, kind, fields }: ConfigurationKind, version: string): Struct {
  return new ConfigurationStruct(`${version}.${kind}`, fields(version), { group, version, kind });
}

class ConfigurationStruct implements Struct {
  readonly name: string;
  readonly shortName: string;
  readonly fields: readonly Field[];
  readonly kind: GroupVersionKind | undefined;
  readonly isAtomic = false;
  readonly unions = [];
  readonly preservesUnknown = false;
  readonly #byName: ReadonlyMap<string, Field>;

  constructor(name: string, fields: ConfigurationFields, kind?: GroupVersionKind) {
    this.name = name;
    this.shortName = name.slice(name.lastIndexOf('.') + 1);
    this.kind = kind;
    const all = kind === undefined ? fields : { kind: TEXT, apiVersion: TEXT, ...fields };
    this.fields = Object.entries(all).map(([member, shape]) => fieldOf(member, shape));
    this.#byName = new Map(this.fields.map((field) => [field.name, field]));
  }

  readonly field = (name: string): Field | undefined => this.#byName.get(name);
}

function fieldOf(name: string, shape: Shape): Field {
  return { name, number: 0, inside: [], shape, presence: 'pointer', omit: 'empty', required: false, immutable: false };
}
