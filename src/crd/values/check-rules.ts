import {
  collectErrors,
  type Correlation,
  type FieldError,
  fieldErrorText,
  invalidValue,
  KeyedItems,
  MAX_FIELD_ERRORS,
  type Shape,
} from '../../api/index.ts';
import { type Bindings, isProblem, limits, NONE, Optional } from '../../cel/index.ts';
import { Ratchet } from './ratchet.ts';
import { evaluateMessage, ruleError, ruleName } from './rule-message.ts';
import type { PreparedRule, RuleNode } from './rule-tree.ts';

export interface RuleCheck {
  /** The object before the update. */
  readonly old?: unknown;
  readonly correlation?: Correlation | undefined;
  /** Receives what rules say about unchanged values. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Where the value is. */
  readonly path?: string;
  /** The cost budget of the rules; default: that of one object. */
  readonly budget?: RuleBudget;
}

/** The remaining cost budget of rules; below zero once it was exceeded, after which nothing is evaluated. */
export class RuleBudget {
  left: number = limits.objectCost;
}

/**
 * Validates an object by the rules of its type.
 *
 * Bounded: all rules together share the budget of one object; the first that exceeds it ends the check.
 */
export function checkRules(
  value: unknown,
  tree: RuleNode,
  { old, correlation, warn, path = '', budget = new RuleBudget() }: RuleCheck,
): readonly FieldError[] {
  const run = new RuleRun(budget, warn);
  const ratchet = correlation === undefined ? Ratchet.NONE : new Ratchet(correlation, undefined);
  run.visit(tree, { value, old, path, ratchet });
  return run.errors;
}

/** A value, its old state, and its path. */
interface Spot {
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
  readonly ratchet: Ratchet;
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

class RuleRun {
  readonly errors: FieldError[] = [];
  readonly #warn: ((text: string) => void) | undefined;
  readonly #budget: RuleBudget;
  #warnings = 0;

  constructor(budget: RuleBudget, warn: ((text: string) => void) | undefined) {
    this.#budget = budget;
    this.#warn = warn;
  }

  visit(node: RuleNode, spot: Spot): void {
    const { value, old, path, ratchet } = spot;
    if (value === null || value === undefined || this.#budget.left < 0) return;
    this.#evaluate(node, spot);
    if (Array.isArray(value)) {
      const { element, shape } = node;
      if (element === undefined || shape.kind !== 'list') return;
      const before = new KeyedItems(shape.listType === 'map' && Array.isArray(old) ? old : [], shape);
      for (const [index, item] of value.entries()) {
        if (this.#budget.left < 0) return;
        const at = `${path}[${index}]`;
        this.visit(element, { value: item, old: before.find(item), path: at, ratchet: ratchet.index(index) });
      }
    } else if (typeof value === 'object') {
      const members = value as Readonly<Record<string, unknown>>;
      const before = isObject(old) ? old : {};
      for (const name of Object.keys(members)) {
        const inner = node.members.get(name) ?? (node.shape.kind === 'map' ? node.element : undefined);
        if (inner === undefined) continue;
        const was = Object.hasOwn(before, name) ? before[name] : undefined;
        const at = node.shape.kind === 'map' ? `${path}[${name}]` : childPath(path, name);
        this.visit(inner, { value: members[name], old: was, path: at, ratchet: ratchet.key(name) });
      }
    }
  }

  #evaluate(node: RuleNode, spot: Spot): void {
    const { rules } = node;
    if (rules.length === 0) return;
    if (this.#budget.left <= 0) {
      this.#end(node, spot, OUT_OF_BUDGET);
      return;
    }
    for (const prepared of rules) {
      if (this.#budget.left < 0) return;
      this.#evaluateRule(prepared, node, spot);
    }
  }

  #evaluateRule(prepared: PreparedRule, node: RuleNode, spot: Spot): void {
    const { compiled, rule } = prepared;
    if (compiled === undefined) return;
    if (isProblem(compiled)) {
      this.#report(node, spot, `rule compile error: ${compiled.detail}`);
      return;
    }
    const isNew = spot.old === undefined || spot.old === null;
    if (compiled.usesOldSelf && isNew && rule.optionalOldSelf !== true) return;
    const bindings = bindingsOf(prepared, node, spot);
    const evaluation = compiled.program.evaluate(bindings);
    if (evaluation.cost > this.#budget.left) {
      this.#end(node, spot, OUT_OF_BUDGET);
      return;
    }
    this.#budget.left -= evaluation.cost;
    if (!evaluation.ok) {
      this.#tellFailure(evaluation.error, { node, spot, name: ruleName(rule) });
      if (evaluation.isOverLimit) this.#budget.left = -1;
    } else if (evaluation.value !== true) {
      this.#tellBroken(prepared, node, spot);
    }
  }

  #tellFailure(error: string, { node, spot, name }: { node: RuleNode; spot: Spot; name: string }): void {
    if (error.startsWith('no such overload')) {
      const what = 'call arguments did not match a supported operator, function or macro signature';
      this.#report(node, spot, `'${error}': ${what} for rule: ${name}`);
    } else if (error.startsWith('operation cancelled: actual cost limit exceeded')) {
      this.#report(
        node,
        spot,
        `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`,
      );
    } else {
      this.#report(node, spot, `${error} evaluating rule: ${name}`);
    }
  }

  #tellBroken(prepared: PreparedRule, node: RuleNode, spot: Spot): void {
    const { rule, compiled, fieldPath } = prepared;
    const field = fieldPath === '' ? fieldOf(spot.path) : childPath(spot.path, fieldPath);
    const usesOldSelf = compiled !== undefined && !isProblem(compiled) && compiled.usesOldSelf;
    const add = (make: () => FieldError): void => {
      if (usesOldSelf || !spot.ratchet.isUnchanged) this.errors.push(make());
      else this.#warnOf(make);
    };
    const message = evaluateMessage(prepared, messageBindings(node, spot), this.#budget.left);
    if (message.problem !== undefined) {
      const { problem } = message;
      add(() => invalidValue(field, typeName(node.shape), problem));
      this.#budget.left = -1;
      return;
    }
    this.#budget.left -= message.cost;
    const isWhole = node.shape.kind !== 'scalar';
    add(() => ruleError(rule, { field, detail: message.detail, ...(isWhole ? {} : { value: spot.value }) }));
  }

  /** Only warned about, so it does not count as an error. */
  #warnOf(make: () => FieldError): void {
    this.#warnings += 1;
    if (this.#warnings > MAX_FIELD_ERRORS) return;
    for (const error of collectErrors(() => [make()])) this.#warn?.(fieldErrorText(error));
  }

  #report({ shape }: RuleNode, { path }: Spot, detail: string): void {
    this.errors.push(invalidValue(fieldOf(path), typeName(shape), detail));
  }

  #end(node: RuleNode, spot: Spot, detail: string): void {
    this.#report(node, spot, detail);
    this.#budget.left = -1;
  }
}

/** The bindings of an expression: raw JSON, or an optional for a value that may not have existed before. */
function bindingsOf({ rule, compiled }: PreparedRule, node: RuleNode, { value, old }: Spot): Bindings {
  if (compiled === undefined || isProblem(compiled) || !compiled.usesOldSelf) return { self: value };
  if (rule.optionalOldSelf !== true) return { self: value, oldSelf: old };
  const isNew = old === undefined || old === null;
  return { self: value, oldSelf: isNew ? NONE : new Optional(node.environment.value(old)) };
}

/**
 * The bindings of a message expression. Upstream binds the plain old value even where rules see an optional one, so an
 * expression which tests whether there is one fails.
 */
function messageBindings(node: RuleNode, { value, old }: Spot): Bindings {
  const isThere = node.usesOldSelf && old !== undefined && old !== null;
  return isThere ? { self: value, oldSelf: node.environment.value(old) } : { self: value };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How upstream writes the path to the whole object. */
function fieldOf(path: string): string {
  return path === '' ? '<nil>' : path;
}

function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  int32: 'integer',
  int64: 'integer',
  double: 'number',
  bool: 'boolean',
};

/** The `type` of a schema. */
function typeName(shape: Shape): string {
  if (shape.kind === 'scalar') return SCALARS[shape.scalar] ?? '';
  return shape.kind === 'list' ? 'array' : 'object';
}
