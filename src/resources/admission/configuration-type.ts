import {
  decodeJson,
  DecodeError,
  type Field,
  isPlainObject,
  jsonGo,
  quoteGo,
  type Shape,
  type Struct,
} from '../../api/index.ts';

/** The members of a configuration kind: texts, lists, and structs of more of them. */
export type Member = 'string' | readonly [Member] | Struct;

/** A type of configuration files, which the API does not serve. Members are absent where the file does not state them. */
export function configurationStruct(name: string, members: Readonly<Record<string, Member>>): Struct {
  const fields = new Map(Object.entries(members).map(([member, type]) => [member, fieldOf(member, type)]));
  return {
    name,
    shortName: name,
    fields: [...fields.values()],
    field: (member) => fields.get(member),
    kind: undefined,
    isAtomic: false,
    unions: [],
    preservesUnknown: false,
  };
}

function fieldOf(name: string, type: Member): Field {
  return {
    name,
    number: 0,
    inside: [],
    shape: shapeOf(type),
    presence: 'pointer',
    omit: 'empty',
    required: false,
    immutable: false,
  };
}

function shapeOf(type: Member): Shape {
  if (type === 'string') return { kind: 'scalar', scalar: 'string' };
  if ('shortName' in type) return { kind: 'struct', struct: type };
  return { kind: 'list', element: shapeOf(type[0]), isWrapped: false };
}

export interface ConfigurationKind {
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly string[];
  readonly struct: Struct;
}

/** Reads the configuration of a plugin, strictly; throws what upstream says of one that is of another kind or has unknown members. */
export function decodeConfiguration(value: unknown, { group, kind, versions, struct }: ConfigurationKind): object {
  if (!isPlainObject(value)) throw new DecodeError('mismatch', `Object 'Kind' is missing in '${jsonGo(value)}'`);
  for (const [name, said] of [
    ['kind', "'Kind'"],
    ['apiVersion', "'apiVersion'"],
  ] as const) {
    if (typeof value[name] !== 'string' || value[name] === '')
      throw new DecodeError('mismatch', `Object ${said} is missing in '${jsonGo(value)}'`);
  }
  if (value['kind'] !== kind || !versions.some((version) => value['apiVersion'] === `${group}/${version}`)) {
    const asked = `no kind ${quoteGo(String(value['kind']))} is registered for version ${quoteGo(String(value['apiVersion']))}`;
    throw new DecodeError('mismatch', asked);
  }
  return decodeJson(JSON.stringify(value), struct, { fieldValidation: 'Strict' }).value;
}
