import { formatGoDuration } from '../../base/index.ts';
import { Type } from '../type-terms/index.ts';
import { Duration } from './duration.ts';
import { CelError } from './failure.ts';
import { formatShortest } from './go-float.ts';
import { isList, listItems } from './list.ts';
import { isMap, mapFind, mapKeys } from './map.ts';
import { Optional } from './optional.ts';
import { Timestamp } from './timestamp.ts';
import { Uint } from './uint.ts';
import { Double, type Value } from './value.ts';

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
