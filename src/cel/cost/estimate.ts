import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr } from '../syntax/index.ts';
import type { Type } from '../type-terms/index.ts';
import { AliasedPath } from './aliased-path.ts';
import { estimateCall } from './call-estimate.ts';
import type { EstimatedCall, EstimatedNode } from './estimated-call.ts';
import { LIST_CREATE, MAP_CREATE, STRUCT_CREATE } from './factors.ts';
import {
  type Bounds,
  exactly,
  exprSize,
  ONE,
  plus,
  times,
  typeSize,
  union,
  UNKNOWN_SIZE,
  UNLIMITED,
  ZERO,
} from './size.ts';

/** What an expression may cost. */
export type CostRange = Bounds;

/** Knows how large the values at a path below a variable can be. */
export interface SizeEstimator {
  /** The first name is the variable, the others are fields, `@items`, `@keys` or `@values`; undefined when unknown. */
  sizeAt(path: readonly string[]): Bounds | undefined;
}

const NO_SIZES: SizeEstimator = { sizeAt: () => undefined };

/** Estimates what evaluating a checked expression costs. Equal to what Kubernetes computes. */
export function estimateCost(expr: Expr, sizes: SizeEstimator = NO_SIZES): CostRange {
  return new Estimator(sizes).cost(expr);
}

/** The sizes of the entries of a list or map; present only if both are known. */
interface EntrySize {
  readonly isList: boolean;
  readonly key: Bounds;
  readonly value: Bounds;
}

interface LocalVariable {
  readonly path: AliasedPath;
  readonly size: Bounds | undefined;
  readonly entry: EntrySize | undefined;
}

class Estimator {
  readonly #sizes: SizeEstimator;
  readonly #paths = new Map<Expr, AliasedPath>();
  readonly #known = new Map<Expr, Bounds>();
  readonly #entries = new Map<Expr, EntrySize>();
  readonly #locals = new Map<string, LocalVariable[]>();

  constructor(sizes: SizeEstimator) {
    this.#sizes = sizes;
  }

  cost(expr: Expr): CostRange {
    switch (expr.kind) {
      case 'literal':
        return ZERO;
      case 'ident':
        this.#paths.set(expr, this.#local(expr.name)?.path ?? AliasedPath.of(expr.name));
        return ONE;
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return expr.fields.reduce((sum, { value }) => plus(sum, this.cost(value)), exactly(STRUCT_CREATE));
      case 'comprehension':
        return isBinding(expr) ? this.#binding(expr) : this.#loop(expr);
    }
  }

  #select(expr: SelectExpr): CostRange {
    if (expr.resolved !== undefined) {
      this.#paths.set(expr, AliasedPath.of(expr.resolved.name));
      return ONE;
    }
    const operand = this.cost(expr.operand);
    if (expr.isTest) return operand;
    this.#paths.set(expr, this.#path(expr.operand).append(expr.field));
    const { kind } = expr.operand.type as Type;
    return kind === 'map' || kind === 'struct' || kind === 'param' ? plus(operand, ONE) : operand;
  }

  #call(expr: CallExpr): CostRange {
    if (expr.name === 'dyn') {
      const argument = expr.args[0] as Expr;
      const cost = this.cost(argument);
      this.#copySizes(expr, argument);
      return plus(ONE, cost);
    }
    const args: EstimatedNode[] = [];
    const argCosts: CostRange[] = [];
    for (const arg of expr.args) {
      argCosts.push(this.cost(arg));
      args.push(this.#node(arg));
    }
    if (expr.overloads === undefined || expr.overloads.length === 0) return ZERO;
    const targetCost = expr.target === undefined ? ZERO : this.cost(expr.target);
    const target = expr.target === undefined ? undefined : this.#node(expr.target);
    let cost: CostRange = { min: UNLIMITED, max: 0n };
    let size: Bounds | undefined;
    for (const overloadId of expr.overloads) {
      const estimated = this.#overload(expr, { name: expr.name, overloadId, target, args, argCosts });
      cost = union(cost, estimated.cost);
      if (estimated.size !== undefined) size = size === undefined ? estimated.size : union(size, estimated.size);
      if (overloadId === 'index_list' || overloadId === 'index_map') {
        const container = expr.args[0] as Expr;
        size = this.#entry(container)?.value;
        this.#paths.set(expr, this.#path(container).append(overloadId === 'index_list' ? '@items' : '@values'));
      }
      size ??= this.#size(expr);
    }
    if (size !== undefined) this.#known.set(expr, size);
    return plus(targetCost, cost);
  }

  #overload(expr: CallExpr, call: EstimatedCall): { readonly cost: CostRange; readonly size?: Bounds | undefined } {
    const [first, second] = call.args;
    if (call.overloadId === 'conditional') {
      this.#setEntry(expr, unionEntries(this.#entry(expr.args[1] as Expr), this.#entry(expr.args[2] as Expr)));
    } else if (
      ['add_string', 'add_bytes', 'add_list'].includes(call.overloadId) &&
      first !== undefined &&
      second !== undefined
    ) {
      this.#setEntry(expr, unionEntries(this.#entry(first.expr as Expr), this.#entry(second.expr as Expr)));
    }
    return estimateCall(call, (node) => this.#nodeSize(node));
  }

  #list(expr: ListExpr): CostRange {
    let cost = exactly(LIST_CREATE);
    let item: Bounds = { min: expr.elements.length === 0 ? 0n : UNLIMITED, max: 0n };
    for (const element of expr.elements) {
      cost = plus(cost, this.cost(element));
      item = union(item, this.#sizeOrUnknown(element));
    }
    this.#setEntry(expr, { isList: true, key: ONE, value: item });
    return cost;
  }

  #map(expr: MapExpr): CostRange {
    let cost = exactly(MAP_CREATE);
    const start: Bounds = { min: expr.entries.length === 0 ? 0n : UNLIMITED, max: 0n };
    let [key, value] = [start, start];
    for (const entry of expr.entries) {
      cost = plus(cost, plus(this.cost(entry.key), this.cost(entry.value)));
      key = union(key, this.#sizeOrUnknown(entry.key));
      value = union(value, this.#sizeOrUnknown(entry.value));
    }
    this.#setEntry(expr, { isList: false, key, value });
    return cost;
  }

  #loop(expr: ComprehensionExpr): CostRange {
    const before = plus(this.cost(expr.range), this.cost(expr.initial));
    this.#pushValue(expr.accumulator, expr.initial);
    if (expr.variable2 === undefined) {
      this.#pushElement(expr.variable, expr.range, 'single');
    } else {
      this.#pushElement(expr.variable, expr.range, 'key');
      this.#pushElement(expr.variable2, expr.range, 'value');
    }
    const condition = this.cost(expr.condition);
    const step = this.cost(expr.step);
    this.#pop(expr.variable);
    if (expr.variable2 !== undefined) this.#pop(expr.variable2);
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    const count = this.#sizeOrUnknown(expr.range);
    if (expr.initial.kind === 'literal') {
      const size = this.#size(expr.initial);
      if (size !== undefined) this.#known.set(expr, size);
    } else if (expr.initial.kind === 'list' || expr.initial.kind === 'map') {
      this.#known.set(expr, count);
      this.#setEntry(expr, this.#entry(expr.step));
    }
    return plus(plus(before, result), times(count, plus(step, condition)));
  }

  #binding(expr: ComprehensionExpr): CostRange {
    const before = plus(this.cost(expr.range), this.cost(expr.initial));
    this.#pushValue(expr.accumulator, expr.initial);
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    this.#copySizes(expr, expr.result);
    return plus(before, result);
  }

  #pushValue(name: string, expr: Expr): void {
    const path = this.#path(expr);
    const entry = this.#entry(expr);
    this.#push(name, { path, size: this.#size(expr), entry });
  }

  #pushElement(name: string, range: Expr, role: 'single' | 'key' | 'value'): void {
    const entry = this.#entry(range);
    const isList = entry === undefined ? (range.type as Type).kind === 'list' : entry.isList;
    const isElement = role === 'value' || (role === 'single' && isList);
    const part = isElement ? (isList ? '@items' : '@values') : isList ? '@indices' : '@keys';
    this.#push(name, {
      path: this.#path(range).append(part),
      size: isElement ? entry?.value : entry?.key,
      entry: undefined,
    });
  }

  #push(name: string, variable: LocalVariable): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), variable]);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #path(expr: Expr): AliasedPath {
    if (expr.kind === 'ident') {
      const local = this.#local(expr.name);
      if (local !== undefined) return local.path;
    }
    return this.#paths.get(expr) ?? AliasedPath.EMPTY;
  }

  #node(expr: Expr): EstimatedNode {
    const path = this.#path(expr);
    const isHidden = ['@result', '__result__'].includes(path.names()[0] ?? '');
    return { expr, type: expr.type as Type, path: isHidden ? AliasedPath.EMPTY : path, size: this.#size(expr) };
  }

  /** The known size of a node, also for the elements of a list. */
  #nodeSize(node: EstimatedNode): Bounds | undefined {
    return node.size ?? (node.path.length === 0 ? undefined : this.#sizes.sizeAt(node.path.names()));
  }

  #size(expr: Expr): Bounds | undefined {
    const known = this.#known.get(expr) ?? exprSize(expr);
    if (known !== undefined) return known;
    const path = this.#path(expr);
    const declared = path.length === 0 ? undefined : this.#sizes.sizeAt(path.names());
    if (declared !== undefined) {
      this.#known.set(expr, declared);
      return declared;
    }
    return typeSize(expr.type as Type) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined);
  }

  #sizeOrUnknown(expr: Expr): Bounds {
    return this.#size(expr) ?? UNKNOWN_SIZE;
  }

  #entry(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.entry : undefined);
  }

  #setEntry(expr: Expr, entry: EntrySize | undefined): void {
    if (entry !== undefined) this.#entries.set(expr, entry);
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#size(from);
    if (size !== undefined) this.#known.set(to, size);
    this.#setEntry(to, this.#entry(from));
  }
}

function unionEntries(left: EntrySize | undefined, right: EntrySize | undefined): EntrySize | undefined {
  if (left === undefined || right === undefined) return undefined;
  return { isList: left.isList, key: union(left.key, right.key), value: union(left.value, right.value) };
}

/** A loop over an empty range, which only binds a name to a value. */
function isBinding({ range, condition, accumulator }: ComprehensionExpr): boolean {
  const isEmpty = range.kind === 'list' && range.elements.length === 0;
  const isNever = condition.kind === 'literal' && condition.literal.kind === 'bool' && !condition.literal.value;
  return isEmpty && isNever && accumulator !== '__result__';
}
