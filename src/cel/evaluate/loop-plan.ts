import type { ComprehensionExpr, Expr, LoopForm } from '../syntax/index.ts';
import type { Evaluate, Frame } from './frame.ts';
import type { Local } from './local-scope.ts';
import { evaluatorOf, type Plan } from './plan.ts';
import { type Range, rawListRange, valueRange } from './range.ts';
import type { Shape } from './shape.ts';
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

/** Plans the parts of a loop. */
interface Planner {
  newSlot(): number;
  within(locals: readonly Local[]): Planner;
  plan(expr: Expr): Plan;
  evaluator(expr: Expr): Evaluate;
}

/** Plans a loop: the ones that macros generate directly, others step by step. */
export function planLoop(expr: ComprehensionExpr, planner: Planner): Evaluate {
  const range = planRange(expr, planner);
  const slots: Slots = {
    first: planner.newSlot(),
    second: expr.variable2 === undefined ? undefined : planner.newSlot(),
  };
  const locals = loopLocals(expr, slots, range.shape);
  if (expr.form !== undefined) return planForm(expr.form, planner.within(locals), { range, slots });
  const accumulator = planner.newSlot();
  const initial = planner.evaluator(expr.initial);
  const outer = planner.within([
    { name: expr.accumulator, read: readAccumulator(accumulator, initial), shape: undefined },
  ]);
  const inner = outer.within(locals);
  return spelledOut(range, slots, {
    condition: inner.evaluator(expr.condition),
    step: inner.evaluator(expr.step),
    result: outer.evaluator(expr.result),
    accumulator,
  });
}

function planRange(expr: ComprehensionExpr, planner: Planner): Range {
  const isPaired = expr.variable2 !== undefined;
  const plan = planner.plan(expr.range);
  if (plan.kind === 'attribute') {
    const item = plan.attribute.shape?.item;
    if (item !== undefined) return rawListRange(plan.attribute.raw(), item, isPaired);
  }
  return valueRange(evaluatorOf(plan), isPaired);
}

function loopLocals(expr: ComprehensionExpr, slots: Slots, shape: Shape | undefined): readonly Local[] {
  const local = (name: string, slot: number, shaped: Shape | undefined): Local => ({
    name,
    read: (frame: Frame) => frame.locals[slot],
    shape: shaped,
  });
  if (expr.variable2 === undefined || slots.second === undefined) return [local(expr.variable, slots.first, shape)];
  return [local(expr.variable, slots.first, undefined), local(expr.variable2, slots.second, shape)];
}

function planForm(
  form: LoopForm,
  planner: Planner,
  { range, slots }: { readonly range: Range; readonly slots: Slots },
): Evaluate {
  const evaluator = (expr: Expr): Evaluate => planner.evaluator(expr);
  switch (form.kind) {
    case 'all':
    case 'exists':
      return quantifier(range, slots, { predicate: evaluator(form.predicate), isAll: form.kind === 'all' });
    case 'existsOne':
      return countingOne(range, slots, evaluator(form.predicate));
    case 'collect': {
      const element = planner.plan(form.element);
      return collecting(range, slots, {
        element: evaluatorOf(element),
        isConstant: element.kind === 'constant',
        filter: form.filter === undefined ? undefined : evaluator(form.filter),
      });
    }
  }
}

/** The slots of a loop's variables. */
interface Slots {
  readonly first: number;
  /** Undefined in a loop with one variable. */
  readonly second: number | undefined;
}

function assign(frame: Frame, slots: Slots, values: readonly [unknown, unknown]): void {
  frame.locals[slots.first] = values[0];
  if (slots.second !== undefined) frame.locals[slots.second] = values[1];
}

/**
 * `all` (or `exists`): runs until one predicate is false (true). Charges what the expanded loop would cost in each
 * round: reading the accumulator for the condition and the step, and the calls of the condition.
 */
function quantifier(
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

/**
 * The value of `state && answer` when the answer is not a boolean: an unknown takes precedence over an error, the first
 * error over later ones.
 */
function mergeFailures(state: Value, answer: Value): Value {
  const failure = answer instanceof Failure ? answer : noSuchOverload();
  if (!(state instanceof Failure)) return failure;
  if (failure instanceof UnknownValue) return state instanceof UnknownValue ? state.merge(failure) : failure;
  return state;
}

/** `exists_one`: counts all matches, without ending early. */
function countingOne(range: Range, slots: Slots, predicate: Evaluate): Evaluate {
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

interface Collecting {
  readonly element: Evaluate;
  /** A list of constants need not be rebuilt in each round. */
  readonly isConstant: boolean;
  readonly filter: Evaluate | undefined;
}

/** `map`, `filter` and `transformList`. */
function collecting(range: Range, slots: Slots, { element, isConstant, filter }: Collecting): Evaluate {
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

/** Marks an accumulator that has not been read yet: its initial value is computed only when needed. */
const UNSET = Symbol('unset');

interface Spelled {
  readonly condition: Evaluate;
  readonly step: Evaluate;
  readonly result: Evaluate;
  /** The accumulator's slot. */
  readonly accumulator: number;
}

/** Any other loop; with an empty range it only binds a name to a value. */
function spelledOut(range: Range, slots: Slots, { condition, step, result, accumulator }: Spelled): Evaluate {
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

/** Reads an accumulator; on first use, its initial value. */
function readAccumulator(place: number, initial: Evaluate): (frame: Frame) => unknown {
  return (frame) => {
    const value = frame.locals[place];
    if (value !== UNSET) return value;
    const started = startOf(initial(frame));
    frame.locals[place] = started;
    return started;
  };
}

/** Loops append to empty lists and maps, so each loop needs a new one. */
function startOf(value: Value): Value {
  if (isList(value) && listSize(value) === 0) return new GrowingList();
  return isMap(value) && mapSize(value) === 0 ? new MapValue() : value;
}
