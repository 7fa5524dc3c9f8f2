/** What a type is made of. `dyn`, `any`, `param`, `none` and `error` exist only while checking. */
export type Kind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'none'
  | 'null'
  | 'opaque'
  | 'param'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'uint'
  | 'unknown';

/** A value that is not plain JSON; it knows its own type. */
export abstract class Boxed {
  abstract get type(): Type;

  /** The type's name in Kubernetes' implementation, where that shows in messages. */
  abstract get goName(): string;
}

const NO_PARAMETERS: readonly Type[] = [];

/** A type, both in the checker and as a run-time value of the language. At run time only the name matters. */
export class Type extends Boxed {
  readonly kind: Kind;
  readonly name: string;
  readonly parameters: readonly Type[];
  /** Set on the protobuf wrapper types: the values of this type and null. */
  readonly wrapped: Type | undefined;

  constructor(kind: Kind, name: string, options: { parameters?: readonly Type[]; wrapped?: Type } = {}) {
    super();
    this.kind = kind;
    this.name = name;
    this.parameters = options.parameters ?? NO_PARAMETERS;
    this.wrapped = options.wrapped;
  }

  get goName(): string {
    return '*types.Type';
  }

  override get type(): Type {
    return TYPE;
  }

  /** The first parameter; `dyn` when there is none. */
  get element(): Type {
    return this.parameters[0] ?? DYN;
  }

  /** Whether expressions of this type can only be checked at run time. */
  get isDyn(): boolean {
    return this.kind === 'dyn' || this.kind === 'any';
  }

  isExactly(other: Type): boolean {
    return this.#matches(other, true);
  }

  /** Like isExactly, except that names of type parameters do not matter. */
  isEquivalent(other: Type): boolean {
    return this.#matches(other, false);
  }

  #matches(other: Type, byParameterName: boolean): boolean {
    if (this === other) return true;
    if (this.kind !== other.kind || this.parameters.length !== other.parameters.length) return false;
    if ((byParameterName || this.kind !== 'param') && this.name !== other.name) return false;
    return this.parameters.every((parameter, at) => parameter.#matches(other.parameters[at] as Type, byParameterName));
  }

  /** Whether a value of type `from` is assignable to this type, ignoring the bindings of type parameters. */
  accepts(from: Type): boolean {
    if (this.wrapped !== undefined) return from.kind === 'null' || this.wrapped.accepts(from);
    if (this === from || this.isDyn || this.kind === 'param') return true;
    if (this.kind !== from.kind || this.name !== from.name) return false;
    if (this.parameters.length !== from.parameters.length) return false;
    return this.parameters.every((parameter, at) => parameter.accepts(from.parameters[at] as Type));
  }

  /** The name in declarations; wrapper types are marked as such. */
  get declaredName(): string {
    return this.wrapped === undefined ? this.name : `wrapper(${this.name})`;
  }

  /** As Kubernetes prints types outside of check errors: `list(int)`, `<A>`. */
  override toString(): string {
    if (this.kind === 'param') return `<${this.name}>`;
    if (this.parameters.length === 0) return this.declaredName;
    return `${this.declaredName}(${this.parameters.map(String).join(', ')})`;
  }
}

export const ANY = new Type('any', 'google.protobuf.Any');
/** The type of `true` and `false`. */
export const BOOL = new Type('bool', 'bool');
/** The type of byte sequences. */
export const BYTES = new Type('bytes', 'bytes');
/** The type of floating-point numbers. */
export const DOUBLE = new Type('double', 'double');
/** The type of `duration('1h')`. */
export const DURATION = new Type('duration', 'google.protobuf.Duration');
/** The type of values whose type is checked at run time. */
export const DYN = new Type('dyn', 'dyn');
export const ERROR = new Type('error', 'error');
/** The type of signed 64-bit integers. */
export const INT = new Type('int', 'int');
/** The type of `null`. */
export const NULL = new Type('null', 'null_type');
/** The type of texts. */
export const STRING = new Type('string', 'string');
/** The type of `timestamp('2026-01-01T00:00:00Z')`. */
export const TIMESTAMP = new Type('timestamp', 'google.protobuf.Timestamp');
export const TYPE = new Type('type', 'type');
/** The type of unsigned 64-bit integers. */
export const UINT = new Type('uint', 'uint');
export const UNKNOWN = new Type('unknown', 'unknown');
/** The type of a field that a provider declares without a type. */
export const NO_TYPE = new Type('none', '');
export const LIST = listOf(DYN);
export const MAP = mapOf(DYN, DYN);
/** The run-time type of optionals; with a parameter while checking. */
export const OPTIONAL = new Type('opaque', 'optional_type');

/** Types with an order, by which lists can be sorted. */
export const COMPARABLE_TYPES: readonly Type[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];

/** The type of lists of one element type. */
export function listOf(element: Type): Type {
  return new Type('list', 'list', { parameters: [element] });
}

/** The type of maps from one key type to one value type. */
export function mapOf(key: Type, value: Type): Type {
  return new Type('map', 'map', { parameters: [key, value] });
}

export function optionalOf(value: Type): Type {
  return opaqueType('optional_type', value);
}

export function opaqueType(name: string, ...parameters: readonly Type[]): Type {
  return new Type('opaque', name, { parameters });
}

/** A type with fields, by its full name. */
export function objectType(name: string): Type {
  return new Type('struct', name);
}

/** A type parameter of a declaration. */
export function typeParameter(name: string): Type {
  return new Type('param', name);
}

/** The type of the type `of` itself. */
export function typeOfType(of: Type): Type {
  return new Type('type', 'type', { parameters: [of] });
}

/** The protobuf wrapper of a primitive type: that or null. */
export function nullable(wrapped: Type): Type {
  return new Type(wrapped.kind, wrapped.name, { wrapped });
}

export function isOptionalType(type: Type): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** A type as check errors name it: `map(string, int)`, `null`, `!error!`. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'any':
    case 'duration':
    case 'null':
    case 'timestamp':
      return type.kind;
    case 'error':
      return '!error!';
    case 'param':
      return type.name;
    default:
      if (type.parameters.length === 0) return type.declaredName;
      return `${type.name}(${type.parameters.map(formatType).join(', ')})`;
  }
}

/** The signature of a call: `(int, string)`, or `string.(int)` with a receiver. */
export function formatSignature(types: readonly Type[], hasReceiver: boolean): string {
  const names = types.map(formatType);
  return hasReceiver ? `${names[0] ?? ''}.(${names.slice(1).join(', ')})` : `(${names.join(', ')})`;
}
