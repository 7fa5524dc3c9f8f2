import type { Steps } from '../../base/index.ts';
import type { ExpressionRule, Field, Shape, Struct } from '../../api/index.ts';
import {
  type CompiledRule,
  compileRule,
  type ExpressionProblem,
  isProblem,
  ruleEnvironment,
  type RuleEnvironment,
  ruleType,
  seenFields,
} from '../../cel/index.ts';
import { ruleFieldPath } from './rule-field-path.ts';

/** A rule of a schema, ready to be evaluated. */
export interface PreparedRule {
  readonly rule: ExpressionRule;
  /** Undefined for a blank rule. */
  readonly compiled: CompiledRule | ExpressionProblem | undefined;
  /** The field that findings are reported for, relative to the rule's place; empty: the place itself. */
  readonly fieldPath: string;
}

/** The rules at one place of a type and below it; places without any are left out. */
export class RuleNode {
  readonly shape: Shape;
  readonly members: ReadonlyMap<string, RuleNode>;
  /** The rules of the values of a map, or of the items of a list. */
  readonly element: RuleNode | undefined;
  readonly #rules: readonly ExpressionRule[];
  #prepared: readonly PreparedRule[] | undefined;
  #environment: RuleEnvironment | undefined;

  constructor(shape: Shape, rules: readonly ExpressionRule[], inner: Inner) {
    this.shape = shape;
    this.members = inner.members;
    this.element = inner.element;
    this.#rules = rules;
  }

  /** Compiled when a value is first validated, and kept as long as the type is. */
  get rules(): readonly PreparedRule[] {
    if (this.#rules.length === 0) return NO_RULES;
    return (this.#prepared ??= this.#rules.map((rule) => this.#compile(rule)));
  }

  /** The number of rules here and below that have not been compiled. */
  get uncompiled(): number {
    let count = this.#prepared === undefined ? this.#rules.length : 0;
    for (const node of this.#inner()) count += node.uncompiled;
    return count;
  }

  /** Compiles all rules here and below, one a step. */
  *compiling(): Steps<void> {
    if (this.#prepared === undefined) {
      const prepared: PreparedRule[] = [];
      for (const rule of this.#rules) {
        prepared.push(this.#compile(rule));
        yield;
      }
      this.#prepared = prepared;
    }
    for (const node of this.#inner()) yield* node.compiling();
  }

  *#inner(): Iterable<RuleNode> {
    yield* this.members.values();
    if (this.element !== undefined) yield this.element;
  }

  #compile(rule: ExpressionRule): PreparedRule {
    return {
      rule,
      compiled: compileRule(rule, this.environment),
      fieldPath: rule.fieldPath === undefined ? '' : (ruleFieldPath(rule.fieldPath, this.shape) ?? ''),
    };
  }

  /** Whether any rule here uses the old value. */
  get usesOldSelf(): boolean {
    return this.rules.some(({ compiled }) => compiled !== undefined && !isProblem(compiled) && compiled.usesOldSelf);
  }

  get environment(): RuleEnvironment {
    this.#environment ??= ruleEnvironment(this.shape);
    if (this.#environment === undefined) throw new Error('Cannot evaluate rules of data that expressions cannot see');
    return this.#environment;
  }
}

const NO_RULES: readonly PreparedRule[] = [];

interface Inner {
  readonly members: ReadonlyMap<string, RuleNode>;
  readonly element?: RuleNode | undefined;
}

/** Fewer rules are compiled with the first object. */
const MANY_RULES = 50;
/** Rules that are compiled between two pauses: some 2 ms. */
const RULES_AT_ONCE = 20;

/**
 * Compiles the rules of a type in steps, for a caller that is about to check an object. Undefined when little is left to be
 * compiled.
 */
export function compilingRules(type: Struct): Steps<void> | undefined {
  const tree = ruleTreeOf(type);
  if (tree === undefined || ready.has(tree)) return undefined;
  if (tree.uncompiled > MANY_RULES) return inGroups(tree);
  ready.add(tree);
  return undefined;
}

/** Trees that have few rules, or whose rules are compiled. */
const ready = new WeakSet<RuleNode>();

function* inGroups(tree: RuleNode): Steps<void> {
  let count = 0;
  for (const _ of tree.compiling()) {
    count += 1;
    if (count % RULES_AT_ONCE === 0) yield;
  }
  ready.add(tree);
}

const trees = new WeakMap<Struct, RuleNode | 'none'>();

/** The rules of a type; undefined when it has none. */
export function ruleTreeOf(type: Struct): RuleNode | undefined {
  let tree = trees.get(type);
  if (tree === undefined) {
    tree = rulesAt({ kind: 'struct', struct: type, constraints: type.constraints }) ?? 'none';
    trees.set(type, tree);
  }
  return tree === 'none' ? undefined : tree;
}

/** The rules at a place of a type and below it; undefined when there are none. */
export function rulesAt(shape: Shape, rules = shape.constraints?.rules ?? []): RuleNode | undefined {
  const inner = innerOf(shape);
  if (rules.length === 0 && inner.members.size === 0 && inner.element === undefined) return undefined;
  // Expressions cannot see data without a type, nor anything inside it.
  return ruleType(shape) === undefined ? undefined : new RuleNode(shape, rules, inner);
}

const NO_MEMBERS: ReadonlyMap<string, RuleNode> = new Map();

function innerOf(shape: Shape): Inner {
  switch (shape.kind) {
    case 'scalar':
      return { members: NO_MEMBERS };
    case 'list':
      return { members: NO_MEMBERS, element: rulesAt(shape.element) };
    case 'map':
      return { members: NO_MEMBERS, element: rulesAt(shape.value) };
    case 'struct': {
      const members = new Map<string, RuleNode>();
      for (const field of shape.struct.isStructural === true ? seenFields(shape.struct) : []) {
        const node = memberNode(field, shape.struct);
        if (node !== undefined) members.set(field.name, node);
      }
      return members.size === 0 ? { members: NO_MEMBERS } : { members };
    }
  }
}

/** Metadata has its own type: rules about it and the names in it belong to its place. */
function memberNode(seen: Field, owner: Struct): RuleNode | undefined {
  const place = owner.field(seen.name)?.shape;
  if (place?.kind !== 'struct' || place.struct.isStructural === true || seen.shape.kind !== 'struct')
    return rulesAt(seen.shape);
  const { rules = [], properties = {} } = place.constraints ?? {};
  const members = new Map<string, RuleNode>();
  for (const { name, shape } of seen.shape.struct.fields) {
    const node = rulesAt(shape, properties[name]?.rules ?? []);
    if (node !== undefined) members.set(name, node);
  }
  return rules.length === 0 && members.size === 0 ? undefined : new RuleNode(seen.shape, rules, { members });
}
