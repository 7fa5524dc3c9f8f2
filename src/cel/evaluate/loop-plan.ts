import type { ComprehensionExpr, Expr, LoopForm } from '../syntax/index.ts';
import { collecting, countingOne, quantifier, readAccumulator, type Slots, spelledOut } from './fold.ts';
import type { Evaluate, Frame } from './frame.ts';
import type { Local } from './local-scope.ts';
import { evaluatorOf, type Plan } from './plan.ts';
import { type Range, rawListRange, valueRange } from './range.ts';
import type { Shape } from './shape.ts';

/** Plans the parts of a loop. */
interface Planner {
  newSlot(): number;
  within(locals: readonly Local[]): Planner;
  plan(expr: Expr): Plan;
  evaluator(expr: Expr): Evaluate;
}

/** Plans a loop: the macros' own ones directly, others step by step. */
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
