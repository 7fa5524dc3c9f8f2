import { LIST_CREATE } from '../cost/factors.ts';
import {
  Failure,
  GrowingList,
  isList,
  isMap,
  listSize,
  mapSize,
  MapValue,
  noSuchOverload,
  UnknownValue,
  type Value,
} from '../values/index.ts';
import type { Evaluate, Frame } from './frame.ts';
import type { Range } from './range.ts';

/** The places of a loop's variables. */
export interface Slots {
  readonly first: number;
  /** Undefined with one variable. */
  readonly second: number | undefined;
}

function assign(frame: Frame, slots: Slots, values: readonly [unknown, unknown]): void {
  frame.locals[slots.first] = values[0];
  if (slots.second !== undefined) frame.locals[slots.second] = values[1];
}

/**
 * `all` (or `exists`): until one predicate is false (true). What the loop in its spelled-out form would cost for each
 * round: reading the accumulator for the condition and the step, and the calls of the condition.
 */
export function quantifier(
  range: Range,
  slots: Slots,
  { predicate, isAll }: { readonly predicate: Evaluate; readonly isAll: boolean },
): Evaluate {
  const checkCost = isAll ? 2 : 3;
  const decisive = !isAll;
  return (frame) => {
    let state: Value = isAll;
    const failure = range.each(frame, (first, second) => {
      frame.charge(checkCost);
      if (state === decisive) return false;
      assign(frame, slots, [first, second]);
      frame.charge(1);
      const answer = predicate(frame);
      if (answer === decisive) state = decisive;
      else if (answer !== isAll) state = mergeFailures(state, answer);
      return true;
    });
    if (failure !== undefined) return failure;
    frame.charge(1);
    return state;
  };
}

/** What `state && answer` is when the answer is no boolean: an unknown before an error, of errors the first. */
function mergeFailures(state: Value, answer: Value): Value {
  const failure = answer instanceof Failure ? answer : noSuchOverload();
  if (!(state instanceof Failure)) return failure;
  if (failure instanceof UnknownValue) return state instanceof UnknownValue ? state.merge(failure) : failure;
  return state;
}

/** `exists_one`: counts, without an early end. */
export function countingOne(range: Range, slots: Slots, predicate: Evaluate): Evaluate {
  return (frame) => {
    let count = 0;
    let failed: Failure | undefined;
    const failure = range.each(frame, (first, second) => {
      assign(frame, slots, [first, second]);
      const answer = predicate(frame);
      if (answer === true) {
        frame.charge(2);
        count += 1;
      } else if (answer !== false) {
        failed = answer instanceof Failure ? answer : noSuchOverload();
      }
      return true;
    });
    if (failure !== undefined) return failure;
    frame.charge(2);
    return failed ?? count === 1;
  };
}

export interface Collecting {
  readonly element: Evaluate;
  /** A list of a constant needs not be made anew in each round. */
  readonly isConstant: boolean;
  readonly filter: Evaluate | undefined;
}

/** `map`, `filter` and `transformList`. */
export function collecting(range: Range, slots: Slots, { element, isConstant, filter }: Collecting): Evaluate {
  const addCost = isConstant ? 1 : LIST_CREATE + 1;
  return (frame) => {
    const items: Value[] = [];
    let failed: Failure | undefined;
    const failure = range.each(frame, (first, second) => {
      assign(frame, slots, [first, second]);
      const isWanted = filter === undefined || filter(frame);
      if (isWanted === true) {
        frame.charge(1);
        const item = element(frame);
        frame.charge(addCost);
        if (failed !== undefined) return true;
        if (item instanceof Failure) failed = item;
        else items.push(item);
      } else if (isWanted !== false) {
        failed = isWanted instanceof Failure ? isWanted : noSuchOverload();
      }
      return true;
    });
    if (failure !== undefined) return failure;
    frame.charge(1);
    return failed ?? items;
  };
}

/** Marks an accumulator that nothing has read yet: it is worked out only when it is needed. */
const UNSET = Symbol('unset');

export interface Spelled {
  readonly condition: Evaluate;
  readonly step: Evaluate;
  readonly result: Evaluate;
  /** The place of the accumulator. */
  readonly accumulator: number;
}

/** Any other loop; with an empty range, a name for a value. */
export function spelledOut(range: Range, slots: Slots, { condition, step, result, accumulator }: Spelled): Evaluate {
  return (frame) => {
    frame.locals[accumulator] = UNSET;
    const failure = range.each(frame, (first, second) => {
      assign(frame, slots, [first, second]);
      if (condition(frame) === false) return false;
      frame.locals[accumulator] = step(frame);
      return true;
    });
    if (failure !== undefined) return failure;
    const value = result(frame);
    return value instanceof GrowingList ? value.finish() : value;
  };
}

/** Reads an accumulator; the first time its initial value. */
export function readAccumulator(place: number, initial: Evaluate): (frame: Frame) => unknown {
  return (frame) => {
    const value = frame.locals[place];
    if (value !== UNSET) return value;
    const started = startOf(initial(frame));
    frame.locals[place] = started;
    return started;
  };
}

/** Empty lists and maps are collected into, so each loop needs one of its own. */
function startOf(value: Value): Value {
  if (isList(value) && listSize(value) === 0) return new GrowingList();
  return isMap(value) && mapSize(value) === 0 ? new MapValue() : value;
}
