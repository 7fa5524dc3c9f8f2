import { encodeBase64 } from '../../api/values/index.ts';
import {
  CelError,
  Double,
  Duration,
  Failure,
  isList,
  isMap,
  listItems,
  mapFind,
  mapKeys,
  Timestamp,
  typeOf,
  Uint,
  type Value,
} from '../values/index.ts';
import { ObjectValue } from './mutation-types.ts';

/** Converts a value to JSON, such as the new value of a field; an error for values that have no JSON form. */
export function plainJson(value: Value): unknown {
  try {
    return convert(value);
  } catch (error) {
    if (error instanceof NoJson) return new CelError(error.message);
    throw error;
  }
}

class NoJson extends Error {}

function convert(value: Value): unknown {
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Double) return value.value;
  if (value instanceof Uint) return value.value <= Number.MAX_SAFE_INTEGER ? Number(value.value) : value.value;
  if (value instanceof Timestamp) return value.toString();
  if (value instanceof Duration) return `${Number(value.nanos) / 1e9}s`;
  if (value instanceof ObjectValue) return fromEntries([...value.fields]);
  if (isList(value)) return listItems(value).map(convert);
  if (!isMap(value)) throw new NoJson(`type conversion error from '${typeOf(value).name}' to 'google.protobuf.Value'`);
  return fromEntries([...mapKeys(value)].map((key) => [String(key), memberOf(mapFind(value, key))] as const));
}

function memberOf(found: Value | Failure | undefined): Value {
  if (found instanceof Failure) throw new NoJson(found instanceof CelError ? found.message : 'no value');
  return found ?? null;
}

function fromEntries(entries: readonly (readonly [string, Value])[]): object {
  return Object.fromEntries(entries.map(([name, member]) => [name, convert(member)]));
}
