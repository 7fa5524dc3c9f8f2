import { parseGoInteger, ValueError } from '../../../api/values/index.ts';
import { DurationError, parseGoDuration } from '../../../base/index.ts';
import {
  declareFunction,
  type FunctionDeclaration,
  type Implementation,
  overload,
  unary,
} from '../../check/declarations.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  TYPE,
  Type,
  typeOfType,
  typeParameter,
  UINT,
} from '../../type-terms/index.ts';
import {
  CelError,
  checkedInt,
  checkedUint,
  Double,
  doubleToInt,
  doubleToUint,
  Duration,
  formatShortest,
  Opaque,
  parseTimestamp,
  Timestamp,
  timestampOfSeconds,
  typeOf,
  Uint,
  type Value,
} from '../../values/index.ts';

const A = typeParameter('A');
const identity = unary((value) => value);

/** `int`, `string` and the other conversions, `type` and `dyn`. */
export function conversions(): readonly FunctionDeclaration[] {
  return [
    declareFunction('type', [overload('type', [A], typeOfType(A))], {
      singleton: {
        implementation: unary((value) => (value instanceof Opaque ? value.typeValue : typeOf(value))),
        accepts: undefined,
      },
    }),
    declareFunction('dyn', [overload('to_dyn', [A], DYN)], {
      singleton: { implementation: identity, accepts: undefined },
    }),
    conversion('bool', BOOL, { bool_to_bool: BOOL, string_to_bool: STRING }),
    conversion('bytes', BYTES, { bytes_to_bytes: BYTES, string_to_bytes: STRING }),
    conversion('double', DOUBLE, {
      double_to_double: DOUBLE,
      int64_to_double: INT,
      string_to_double: STRING,
      uint64_to_double: UINT,
    }),
    conversion('duration', DURATION, {
      duration_to_duration: DURATION,
      int64_to_duration: INT,
      string_to_duration: STRING,
    }),
    conversion('int', INT, {
      int64_to_int64: INT,
      double_to_int64: DOUBLE,
      duration_to_int64: DURATION,
      string_to_int64: STRING,
      timestamp_to_int64: TIMESTAMP,
      uint64_to_int64: UINT,
    }),
    conversion('string', STRING, {
      string_to_string: STRING,
      bool_to_string: BOOL,
      bytes_to_string: BYTES,
      double_to_string: DOUBLE,
      duration_to_string: DURATION,
      int64_to_string: INT,
      timestamp_to_string: TIMESTAMP,
      uint64_to_string: UINT,
    }),
    conversion('timestamp', TIMESTAMP, {
      timestamp_to_timestamp: TIMESTAMP,
      int64_to_timestamp: INT,
      string_to_timestamp: STRING,
    }),
    conversion('uint', UINT, {
      uint64_to_uint64: UINT,
      double_to_uint64: DOUBLE,
      int64_to_uint64: INT,
      string_to_uint64: STRING,
    }),
  ];
}

function conversion(name: string, to: Type, from: Readonly<Record<string, Type>>): FunctionDeclaration {
  const convert = converters.get(to) as (value: Value) => Value | undefined;
  const implementation: Implementation = unary((value) => convert(value) ?? conversionError(typeOf(value), to));
  return declareFunction(
    name,
    Object.entries(from).map(([id, type]) => overload(id, [type], to, type === to ? identity : implementation)),
  );
}

function conversionError(from: Type, to: Type): CelError {
  return new CelError(`type conversion error from '${from.toString()}' to '${to.toString()}'`);
}

/** The converted value; undefined when it cannot be converted. */
const converters: ReadonlyMap<Type, (value: Value) => Value | undefined> = new Map([
  [BOOL, toBool],
  [BYTES, (value) => (typeof value === 'string' ? new TextEncoder().encode(value) : undefined)],
  [DOUBLE, toDouble],
  [DURATION, toDuration],
  [INT, toInt],
  [STRING, toText],
  [TIMESTAMP, toTimestamp],
  [UINT, toUint],
]);

const TRUE_TEXTS = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE_TEXTS = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function toBool(value: Value): Value | undefined {
  if (typeof value !== 'string') return undefined;
  return TRUE_TEXTS.has(value) ? true : FALSE_TEXTS.has(value) ? false : undefined;
}

function toDouble(value: Value): Value | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return new Double(Number(value));
  if (value instanceof Uint) return new Double(Number(value.value));
  if (typeof value !== 'string') return undefined;
  const number = parseGoFloat(value);
  return number === undefined ? undefined : new Double(number);
}

export function toDuration(value: Value): Value | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return new Duration(parseGoDuration(value));
  } catch (error) {
    if (error instanceof DurationError) return undefined;
    throw error;
  }
}

function toInt(value: Value): Value | undefined {
  if (value instanceof Double) return doubleToInt(value.value);
  if (value instanceof Uint) return checkedInt(value.value);
  if (value instanceof Duration) return checkedInt(value.nanos);
  if (value instanceof Timestamp) return value.instant.seconds;
  if (typeof value !== 'string') return undefined;
  const int = parseGoInteger(value, 'ParseInt');
  return int instanceof ValueError ? undefined : checkedInt(int);
}

function toUint(value: Value): Value | undefined {
  if (value instanceof Double) return doubleToUint(value.value);
  if (typeof value === 'number' || typeof value === 'bigint') return checkedUint(BigInt(value));
  if (typeof value !== 'string') return undefined;
  const uint = parseGoInteger(value, 'ParseUint');
  return uint instanceof ValueError ? undefined : new Uint(uint);
}

export function toTimestamp(value: Value): Value | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return timestampOfSeconds(value);
  return typeof value === 'string' ? parseTimestamp(value) : undefined;
}

/** `string(value)`; undefined for values that have no string form. */
export function toText(value: Value): Value | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
  }
  if (value === null) return 'null';
  if (value instanceof Double) return formatShortest(value.value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration || value instanceof Timestamp) return value.toString();
  if (value instanceof Type) return value.name;
  if (!(value instanceof Uint8Array)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** The types that expressions may name. */
export const standardTypes: readonly Type[] = [BOOL, BYTES, DOUBLE, DURATION, INT, STRING, TIMESTAMP, TYPE, UINT];

const NAMED: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity],
  ['infinity', Infinity],
  ['nan', Number.NaN],
]);
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const HEXADECIMAL = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?\d+)$/;

/** Digits may have single underscores between them; there may also be one after `0x`. */
const WRONG_UNDERSCORE = /(?<![0-9a-fA-FxX])_|_(?![0-9a-fA-F])|(?<!^[+-]?0)[xX]_/;

/**
 * Parses a number as Go's ParseFloat does, including `inf`, `NaN` and hexadecimal; undefined when invalid or too large.
 */
function parseGoFloat(written: string): number | undefined {
  const text = WRONG_UNDERSCORE.test(written) ? written : written.replaceAll('_', '');
  const named = NAMED.get(text.replace(/^[+-]/, '').toLowerCase());
  if (named !== undefined) {
    if (Number.isNaN(named)) return /^[+-]/.test(text) ? undefined : named;
    return text.startsWith('-') ? -named : named;
  }
  const value = DECIMAL.test(text) ? Number(text) : parseHexadecimal(text);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

function parseHexadecimal(text: string): number | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = ''] = HEXADECIMAL.exec(text) ?? [];
  if (whole + fraction === '') return undefined;
  const mantissa = Number(BigInt(`0x${whole}${fraction}`));
  const value = mantissa * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}
