import {
  CelError,
  goText,
  type MapLike,
  Double,
  Duration,
  formatShortest,
  isList,
  isMap,
  listItems,
  mapFind,
  mapKeys,
  Optional,
  Timestamp,
  Type,
  typeOf,
  Uint,
  type Value,
} from '../../../src/cel/index.ts';
import { FormatValue, QuantityValue, SemverValue, UrlValue } from '../../../src/cel/kubernetes/libraries/index.ts';
import { CidrValue, IpValue } from '../../../src/cel/kubernetes/network-values.ts';

/** Writes a value so that equal values of equal types, and only they, look alike; as the Go program does. */
export function describeValue(value: Value): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
  }
  if (value === null) return 'null';
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Double) return `double:${formatShortest(value.value)}`;
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString('hex')}`;
  if (value instanceof Duration) return `duration:${value.nanos}`;
  if (value instanceof Timestamp) return `timestamp:${new Timestamp(value.instant).toString()}`;
  if (value instanceof Type) return `type:${value.name}`;
  if (value instanceof CelError) return `error:${value.message}`;
  if (value instanceof Optional) return value.value === undefined ? 'none' : `some(${describeValue(value.value)})`;
  if (value instanceof UrlValue) return `url:${value.toString()}`;
  if (value instanceof QuantityValue) return `quantity:${value.toString()}`;
  if (value instanceof IpValue) return `ip:${value.toString()}`;
  if (value instanceof CidrValue) return `cidr:${value.toString()}`;
  if (value instanceof SemverValue) return `semver:${value.toString()}`;
  if (value instanceof FormatValue) return `format:${value.name}`;
  if (isList(value)) return `[${listItems(value).map(describeValue).join(', ')}]`;
  if (isMap(value)) {
    // Typed data has keys that nothing can be found by, where there are fields that the schema does not know.
    const keys = [...mapKeys(value)].filter((key) => key !== null || !(mapFind(value, key) instanceof CelError));
    const entries = keys.map((key) => Buffer.from(`${describeValue(key)}: ${describeEntry(value, key)}`));
    return `{${entries.sort(Buffer.compare).map(String).join(', ')}}`;
  }
  return `other:${typeOf(value).name}`;
}

function describeEntry(map: MapLike, key: Value): string {
  const value = mapFind(map, key);
  if (value === undefined) return `error:no such key: ${goText(key)}`;
  return value instanceof CelError ? `error:${value.message}` : describeValue(value);
}

/** As Go's JSON encoder writes text. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed())
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`)
    .replaceAll('\x7f', '\x7f');
}
