import { encodeBase64 } from '../../../api/values/index.ts';
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
  MapValue,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../../values/index.ts';
import { EmptyMessage } from './empty-message.ts';
import { fieldContent, mismatch } from './field-conversion.ts';

/** A value as google.protobuf.Value stores it: all numbers are doubles, and values without a JSON form are strings. */
export function jsonMessage(value: Value): Value {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || value instanceof Double)
    return value;
  if (typeof value === 'number') return new Double(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint) {
    return value.value <= Number.MAX_SAFE_INTEGER ? new Double(Number(value.value)) : String(value.value);
  }
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof Duration || value instanceof Timestamp) return value.toString();
  if (value instanceof EmptyMessage) return new MapValue();
  if (value instanceof Optional) {
    return value.value === undefined ? new CelError('optional.none() dereference') : jsonMessage(value.value);
  }
  if (isList(value)) return jsonList(value);
  return isMap(value) ? jsonStruct(value) : mismatch(value, '*structpb.Value');
}

/** google.protobuf.ListValue. */
export function jsonList(value: Value): Value {
  if (value instanceof Optional && value.value !== undefined) return jsonList(value.value);
  if (!isList(value)) return wrongContent(value, '*structpb.ListValue');
  const items = listItems(value).map(jsonMessage);
  return items.find((item) => item instanceof Failure) ?? items;
}

/** google.protobuf.Struct. */
export function jsonStruct(value: Value): Value {
  if (value instanceof Optional && value.value !== undefined) return jsonStruct(value.value);
  if (!isMap(value)) return wrongContent(value, '*structpb.Struct');
  const made = new MapValue();
  for (const key of mapKeys(value)) {
    const name = fieldContent(key, 'string');
    if (name instanceof Failure) return name;
    const content = jsonMessage(mapFind(value, key) as Value);
    if (content instanceof Failure) return content;
    made.set(name, content);
  }
  return made;
}

function wrongContent(value: Value, wanted: string): CelError {
  return value instanceof Optional ? new CelError('optional.none() dereference') : mismatch(value, wanted);
}
