import {
  CelError,
  Failure,
  fromJson,
  isList,
  isMap,
  listAt,
  listSize,
  mapFind,
  mapKeys,
  type Value,
  goTypeName,
} from '../values/index.ts';
import type { Evaluate, Frame } from './frame.ts';
import type { Shape } from './shape.ts';

/** One round of a loop, with the element (or key), or with two variables; returning false ends the loop. */
export type Round = (first: unknown, second: unknown) => boolean;

/** What a loop iterates over. */
export interface Range {
  /** Runs `round` for each element; a failure when the value cannot be iterated. */
  each(frame: Frame, round: Round): Failure | undefined;
  /** Set when elements of lists (or values of maps, with two variables) are raw JSON of this shape. */
  readonly shape: Shape | undefined;
}

/** A list whose schema is known: its raw elements are passed on as they are. */
export function rawListRange(read: (frame: Frame) => unknown, item: Shape, isPaired: boolean): Range {
  return {
    shape: item,
    each(frame, round) {
      const raw = read(frame);
      if (raw instanceof Failure) return raw;
      if (!Array.isArray(raw))
        return new CelError('invalid data, expected an array for the provided schema with type=array');
      const list = raw as readonly unknown[];
      for (let index = 0; index < list.length; index++) {
        if (!(isPaired ? round(index, list[index] ?? null) : round(list[index] ?? null, undefined))) break;
      }
      return undefined;
    },
  };
}

/** Any value, which must turn out to be a list or map. */
export function valueRange(evaluate: Evaluate, isPaired: boolean): Range {
  return {
    shape: undefined,
    each(frame, round) {
      const value = evaluate(frame);
      if (value instanceof Failure) return value;
      if (Array.isArray(value)) {
        eachItem(value, isPaired, round);
        return undefined;
      }
      if (isList(value)) {
        const size = listSize(value);
        for (let index = 0; index < size; index++) {
          const item = listAt(value, index);
          if (!(isPaired ? round(index, item) : round(item, undefined))) break;
        }
        return undefined;
      }
      if (isMap(value)) {
        for (const key of [...mapKeys(value)]) {
          if (!round(key, isPaired ? mapFind(value, key) : undefined)) break;
        }
        return undefined;
      }
      return notIterable(value, isPaired);
    },
  };
}

function eachItem(list: readonly unknown[], isPaired: boolean, round: Round): void {
  for (let index = 0; index < list.length; index++) {
    const item = fromJson(list[index]);
    if (!(isPaired ? round(index, item) : round(item, undefined))) break;
  }
}

function notIterable(value: Value, isPaired: boolean): CelError {
  const name = goTypeName(value);
  return new CelError(
    isPaired ? `unsupported comprehension range type: ${name}` : `got '${name}', expected iterable type`,
  );
}
