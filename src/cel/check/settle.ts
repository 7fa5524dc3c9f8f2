import type { Expr } from '../syntax/index.ts';
import type { Substitutions } from '../type-terms/index.ts';

/** Replaces type parameters in all nodes by the types inferred for them. */
export function settle(expr: Expr, bindings: Substitutions): void {
  if (expr.type !== undefined) expr.type = bindings.apply(expr.type, true);
  switch (expr.kind) {
    case 'select':
      if (expr.resolved === undefined) settle(expr.operand, bindings);
      else expr.resolved.type = expr.type;
      return;
    case 'call':
      if (expr.target !== undefined) settle(expr.target, bindings);
      for (const arg of expr.args) settle(arg, bindings);
      return;
    case 'list':
      for (const element of expr.elements) settle(element, bindings);
      return;
    case 'map':
      for (const { key, value } of expr.entries) {
        settle(key, bindings);
        settle(value, bindings);
      }
      return;
    case 'struct':
      for (const { value } of expr.fields) settle(value, bindings);
      return;
    case 'comprehension':
      for (const part of [expr.range, expr.initial, expr.condition, expr.step, expr.result]) settle(part, bindings);
      return;
    default:
  }
}
