export { compare, compareNumbers, isComparable, isNumeric, type Numeric } from './compare.ts';
export {
  contains,
  deepEqualValues,
  equal,
  equalLists,
  isEqual,
  type CustomEquality,
  type CustomSearch,
} from './equal.ts';
export { checkedDuration, Duration } from './duration.ts';
export { Breakdown, CelError, CostLimitExceeded, Failure, noSuchOverload, UnknownValue } from './failure.ts';
export { formatFixed, formatShortest } from './go-float.ts';
export { goText, literalText } from './literal-text.ts';
export { goNativeName, goTypeName } from './go-type-name.ts';
export { requireHashable } from './hashable.ts';
export * from './int.ts';
export { type HasNative, nativeOf, unconvertible } from './native.ts';
export * from './list.ts';
export { isMap, MapBase, mapFind, mapKeys, type MapLike, mapSize, MapValue } from './map.ts';
export { Opaque } from './opaque.ts';
export { NONE, Optional } from './optional.ts';
export { costSize, isSized, sizeOf } from './size.ts';
export { addDuration, parseTimestamp, subtractTimestamps, Timestamp, timestampOfSeconds } from './timestamp.ts';
export { checkedUint, doubleToUint, Uint } from './uint.ts';
export { Double, fromJson, isJsonObject, type JsonObject, typeOf, type Value } from './value.ts';
