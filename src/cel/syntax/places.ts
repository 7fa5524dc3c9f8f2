import type { GrammarNode, RuleName } from './grammar.ts';
import type { TokenKind } from './token.ts';

/** A place in a rule: which tokens may come next, and whether the rule may end here. */
export interface Place {
  readonly first: ReadonlySet<TokenKind>;
  readonly mayEnd: boolean;
}

export const RULE_END: Place = { first: new Set(), mayEnd: true };

/** Computes, for every node of the grammar, what may come there and after it. */
export class Places {
  readonly #rules: Readonly<Record<RuleName, GrammarNode>>;
  readonly #firsts = new Map<GrammarNode, ReadonlySet<TokenKind>>();

  constructor(rules: Readonly<Record<RuleName, GrammarNode>>) {
    this.#rules = rules;
  }

  rule(name: RuleName): GrammarNode {
    return this.#rules[name];
  }

  /** The place before `node` when `rest` follows it. */
  before(node: GrammarNode, rest: Place): Place {
    if (!this.#isSkippable(node)) return { first: this.first(node), mayEnd: false };
    return { first: new Set([...this.first(node), ...rest.first]), mayEnd: rest.mayEnd };
  }

  /** The place before the parts from `index` on, when `rest` follows them all. */
  beforeParts(parts: readonly GrammarNode[], index: number, rest: Place): Place {
    let place = rest;
    for (let at = parts.length - 1; at >= index; at--) place = this.before(parts[at] as GrammarNode, place);
    return place;
  }

  /** The tokens with which `node` can begin. */
  first(node: GrammarNode): ReadonlySet<TokenKind> {
    const known = this.#firsts.get(node);
    if (known !== undefined) return known;
    const first = this.#findFirst(node);
    this.#firsts.set(node, first);
    return first;
  }

  #findFirst(node: GrammarNode): ReadonlySet<TokenKind> {
    switch (node.type) {
      case 'token':
        return new Set(node.kinds);
      case 'rule':
        return this.first(this.#rules[node.rule]);
      case 'sequence': {
        const end = node.parts.findIndex((part) => !this.#isSkippable(part));
        return new Set(node.parts.slice(0, end + 1).flatMap((part) => [...this.first(part)]));
      }
      case 'optional':
      case 'repeat':
        return this.first(node.body);
      case 'choice':
        return new Set(node.alternatives.flatMap((alternative) => [...this.first(alternative)]));
    }
  }

  #isSkippable(node: GrammarNode): boolean {
    return node.type === 'optional' || (node.type === 'repeat' && !node.isEager);
  }
}
