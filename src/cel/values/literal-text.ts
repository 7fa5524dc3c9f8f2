import { Type } from '../type-terms/index.ts';
import { Duration } from './duration.ts';
import { CelError } from './failure.ts';
import { formatShortest } from './go-float.ts';
import { isList, listItems } from './list.ts';
import { isMap, mapFind, mapKeys } from './map.ts';
import { Opaque } from './opaque.ts';
import { Optional } from './optional.ts';
import { Timestamp } from './timestamp.ts';
import { Uint } from './uint.ts';
import { Double, type Value } from './value.ts';
import { formatGoDuration } from '../../base/index.ts';

/** A value as it could be written in an expression, for people: `"a"`, `2.0`, `5u`, `duration("90s")`, `{"a": [1]}`. */
export function literalText(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Double) return doubleText(value.value);
  if (value instanceof Uint8Array) return `b"${[...value].map(byteText).join('')}"`;
  if (value instanceof Duration || value instanceof Timestamp) return call(shortName(value.type), String(value));
  if (value instanceof Type) return value.name;
  if (value instanceof Optional) {
    return value.value === undefined ? 'optional.none()' : `optional.of(${literalText(value.value)})`;
  }
  if (value instanceof CelError) return `error(${JSON.stringify(value.message)})`;
  if (isList(value)) return `[${listItems(value).map(literalText).join(', ')}]`;
  if (isMap(value)) {
    const entries = [...mapKeys(value)].map(
      (key) => `${literalText(key)}: ${literalText(mapFind(value, key) ?? null)}`,
    );
    return `{${entries.join(', ')}}`;
  }
  return value instanceof Opaque ? call(shortName(value.type), String(value)) : String(value);
}

/** A double is always written so that it differs from an integer. */
function doubleText(value: number): string {
  if (!Number.isFinite(value)) return call('double', formatShortest(value));
  const text = formatShortest(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function byteText(byte: number): string {
  const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
  return isPlain ? String.fromCharCode(byte) : String.raw`\x${byte.toString(16).padStart(2, '0')}`;
}

function call(name: string, text: string): string {
  return `${name}(${JSON.stringify(text)})`;
}

/** `google.protobuf.Duration` is written `duration`, `kubernetes.Quantity` `quantity`, `net.IP` `ip`. */
function shortName(type: Type): string {
  return type.name.slice(type.name.lastIndexOf('.') + 1).toLowerCase();
}

/** A value as error messages of the language show it (Go's `%v`). */
export function goText(value: Value): string {
  if (typeof value !== 'object') return String(value);
  if (value === null) return '0';
  if (value instanceof Double) return formatShortest(value.value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration) return formatGoDuration(value.nanos);
  if (value instanceof Timestamp) return goTime(value);
  if (value instanceof Uint8Array) return `[${[...value].join(' ')}]`;
  if (value instanceof Type) return value.toString();
  if (value instanceof CelError) return value.message;
  if (value instanceof Optional)
    return value.value === undefined ? 'optional.none()' : `optional(${goText(value.value)})`;
  if (isList(value)) return `[${listItems(value).map(goText).join(', ')}]`;
  if (isMap(value)) {
    const entries = [...mapKeys(value)].map((key) => `${goText(key)}: ${goText(mapFind(value, key) as Value)}`);
    return `{${entries.join(', ')}}`;
  }
  return String(value);
}

/** `2020-01-02 03:04:05.5 +0000 UTC`. */
function goTime(timestamp: Timestamp): string {
  const [date = '', time = ''] = timestamp.toString().split('T');
  const [, clock = '', zone = ''] = /^([\d:.]+)(.*)$/.exec(time) ?? [];
  return zone === 'Z'
    ? `${date} ${clock} +0000 UTC`
    : `${date} ${clock} ${zone.replace(':', '')} ${zone.replace(':', '')}`;
}
