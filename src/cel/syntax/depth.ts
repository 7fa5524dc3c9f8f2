import type { Expr } from './expr.ts';

const MAX_DEPTH = 250;

/** An expression is nested too deeply. */
export class TooDeep extends Error {}

/**
 * Tracks how deep an expression is. Chained operators make nodes deeper than the nesting of the text, so each node has
 * its own depth besides the number of open rules.
 */
export class Depth {
  readonly #depths = new Map<Expr, number>();
  readonly #open = { expr: 0, relation: 0, calc: 0 };

  enter(rule: 'expr' | 'relation' | 'calc'): void {
    this.#open[rule] += 1;
    if (this.#open[rule] > MAX_DEPTH) throw new TooDeep(`expression recursion limit exceeded: ${MAX_DEPTH}`);
  }

  leave(rule: 'expr' | 'relation' | 'calc'): void {
    this.#open[rule] -= 1;
  }

  /** Records a node's depth: one more than its deepest part. */
  of(expr: Expr, parts: readonly Expr[]): Expr {
    let depth = 0;
    for (const part of parts) depth = Math.max(depth, this.#depthOf(part));
    if (depth > 0) this.#depths.set(expr, depth);
    return expr;
  }

  deeper(expr: Expr): Expr {
    this.#depths.set(expr, this.#depthOf(expr) + 1);
    return expr;
  }

  /** Throws TooDeep when the whole expression is too deep. */
  check(expr: Expr): void {
    if (this.#depthOf(expr) > MAX_DEPTH) throw new TooDeep('max recursion depth exceeded');
  }

  #depthOf(expr: Expr): number {
    return this.#depths.get(expr) ?? 0;
  }
}
