import type { Decision, GrammarNode, RuleName } from './grammar.ts';
import type { Issues } from './issues.ts';
import type { LexicalFailure, Tokens } from './lexer.ts';
import { type Place, type Places, RULE_END } from './places.ts';
import { type Lookahead, predict } from './predict.ts';
import { Misfit } from './misfit.ts';
import { quoteInput } from './quote-input.ts';
import { Token, type TokenKind, tokenNames } from './token.ts';

const MAX_RECOVERIES = 30;
const MAX_SKIPPED = 256;
const MAX_DEPTH = 250;
/** `a.true` gets a different message from other misfits after a dot. */
const KEYWORD_AS_NAME = /no viable alternative at input '.(true|false|null)'/s;

/** An expression split into tokens, and the invalid stretches. */
export interface Cut {
  readonly text: string;
  readonly tokens: Tokens;
  readonly failures: readonly LexicalFailure[];
}

/** Thrown to stop parsing altogether. */
class GivenUp extends Error {}

/** The rule being read, inside another one. */
interface Open {
  readonly rank: number;
  /** What follows the rule in the enclosing one. */
  readonly rest: Place;
  readonly around: Open | undefined;
}

/** Parses tokens by the grammar; reports where they do not fit, repairs or skips them, and continues. */
export class Reader implements Lookahead {
  readonly #text: string;
  readonly #tokens: Tokens;
  readonly #failures: readonly LexicalFailure[];
  readonly #places: Places;
  readonly #issues: Issues;
  #open: Open | undefined;
  #depth = 0;
  #at = 0;
  /** The current place, from which the expected tokens are computed. */
  #place: Place = RULE_END;
  /** True from a report until a token fits again; nothing is reported meanwhile. */
  #isRecovering = false;
  /** The current node, to detect that the same one fails again without progress. */
  #current: GrammarNode | undefined;
  #lastFailure: { readonly at: number; readonly nodes: ReadonlySet<GrammarNode | undefined> } | undefined;
  #recoveries = 0;

  constructor(cut: Cut, context: { readonly places: Places; readonly issues: Issues }) {
    this.#text = cut.text;
    this.#tokens = cut.tokens;
    this.#failures = cut.failures;
    this.#places = context.places;
    this.#issues = context.issues;
  }

  read(): void {
    try {
      this.#rule('start', 0, undefined);
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
      if (error.message !== '') this.#issues.report(undefined, error.message);
    }
  }

  at(distance: number): TokenKind {
    return this.#tokens.kinds[Math.min(this.#at + distance, this.#tokens.kinds.length - 1)] as TokenKind;
  }

  get rank(): number {
    return this.#open?.rank ?? 0;
  }

  #rule(name: RuleName, rank: number, rest: Place | undefined): void {
    this.#depth += name === 'expr' ? 1 : 0;
    if (this.#depth > MAX_DEPTH) throw new GivenUp(`expression recursion limit exceeded: ${MAX_DEPTH}`);
    const around = this.#open;
    this.#open = rest === undefined ? undefined : { rank, rest, around };
    try {
      this.#node(this.#places.rule(name), RULE_END);
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      if (!this.#isRecovering) this.#report(error.message, error.token);
      this.#recover();
    } finally {
      this.#open = around;
      this.#depth -= name === 'expr' ? 1 : 0;
    }
  }

  #node(node: GrammarNode, rest: Place): void {
    if (node.type !== 'sequence') this.#current = node;
    switch (node.type) {
      case 'token':
        this.#place = { first: new Set(node.kinds), mayEnd: false };
        this.#match(node.kinds, rest);
        return;
      case 'rule':
        this.#place = this.#places.before(node, rest);
        this.#rule(node.rule, node.rank, rest);
        return;
      case 'sequence':
        node.parts.forEach((part, at) => this.#node(part, this.#places.beforeParts(node.parts, at + 1, rest)));
        return;
      case 'optional':
        this.#synchronize(this.#places.before(node, rest), 'skip');
        if (this.#places.first(node.body).has(this.at(0))) this.#node(node.body, rest);
        return;
      case 'choice':
        this.#synchronize(this.#places.before(node, rest), 'skip');
        this.#node(node.alternatives[this.#predict(node.decision) - 1] as GrammarNode, rest);
        return;
      case 'repeat':
        this.#repeat(node, rest);
    }
  }

  #repeat(node: GrammarNode & { readonly type: 'repeat' }, rest: Place): void {
    const body = this.#places.first(node.body);
    const again: Place = { first: new Set([...body, ...rest.first]), mayEnd: rest.mayEnd };
    const goesOn = (): boolean =>
      node.decision === undefined ? body.has(this.at(0)) : this.#predict(node.decision) === 1;
    this.#synchronize(node.isEager ? { first: body, mayEnd: false } : again, 'skip');
    let isFirst = node.isEager;
    while (isFirst || goesOn()) {
      isFirst = false;
      this.#node(node.body, again);
      this.#current = node;
      this.#synchronize(again, 'resume');
    }
  }

  #predict(decision: Decision): number {
    const predicted = predict[decision](this);
    if (typeof predicted === 'number') return predicted;
    const last = Math.min(this.#at + predicted.failsAt, this.#tokens.kinds.length - 1);
    const input = this.at(0) === Token.end ? '<EOF>' : this.#textBetween(this.#at, last);
    throw new Misfit(`no viable alternative at input ${quoteInput(input)}`, last);
  }

  #match(kinds: readonly TokenKind[], rest: Place): void {
    if (kinds.includes(this.at(0))) {
      this.#fits();
      this.#consume();
      return;
    }
    this.#countRecovery();
    if (this.#dropOne()) {
      this.#consume();
      return;
    }
    if (this.#expected(rest).has(this.at(0))) {
      if (!this.#isRecovering) {
        this.#report(`missing ${nameAll(this.#expected(this.#place))} at ${this.#name(this.#at)}`, this.#at);
      }
      return;
    }
    throw this.#mismatch();
  }

  /** Before a decision, drops an unexpected token, or skips to one that can follow. */
  #synchronize(place: Place, way: 'skip' | 'resume'): void {
    this.#place = place;
    if (this.#isRecovering || place.mayEnd || place.first.has(this.at(0))) return;
    if (way === 'skip') {
      if (!this.#dropOne()) throw this.#mismatch();
      return;
    }
    this.#reportUnwanted();
    this.#skipTo(new Set([...this.#expected(place), ...this.#recoverySet()]), undefined);
  }

  /** Drops the current token if the next one is expected. */
  #dropOne(): boolean {
    if (!this.#expected(this.#place).has(this.at(1))) return false;
    this.#reportUnwanted();
    this.#consume();
    this.#fits();
    return true;
  }

  #reportUnwanted(): void {
    if (this.#isRecovering) return;
    this.#report(
      `extraneous input ${this.#name(this.#at)} expecting ${nameAll(this.#expected(this.#place))}`,
      this.#at,
    );
  }

  #mismatch(): Misfit {
    const expected = nameAll(this.#expected(this.#place));
    return new Misfit(`mismatched input ${this.#name(this.#at)} expecting ${expected}`, this.#at);
  }

  #fits(): void {
    this.#isRecovering = false;
    this.#lastFailure = undefined;
  }

  #report(message: string, token: number): void {
    this.#isRecovering = true;
    const reported = message.replace(KEYWORD_AS_NAME, "mismatched input '$1' expecting IDENTIFIER");
    if (this.#text === '') this.#issues.reportAt({ line: 1, column: -1 }, `Syntax error: ${reported}`);
    else this.#issues.report(this.#tokens.starts[token], `Syntax error: ${reported}`);
  }

  /** Skips to a token with which one of the enclosing rules can continue. */
  #recover(): void {
    this.#countRecovery();
    const budget = { left: MAX_SKIPPED };
    if (this.#lastFailure?.at === this.#at && this.#lastFailure.nodes.has(this.#current)) this.#skipOne(budget);
    this.#lastFailure = { at: this.#at, nodes: new Set([...(this.#lastFailure?.nodes ?? []), this.#current]) };
    this.#skipTo(this.#recoverySet(), budget);
  }

  #countRecovery(): void {
    if (this.#recoveries >= MAX_RECOVERIES) {
      this.#report(`error recovery attempt limit exceeded: ${MAX_RECOVERIES}`, this.#at);
      throw new GivenUp('');
    }
    this.#recoveries += 1;
  }

  #skipTo(tokens: ReadonlySet<TokenKind>, budget: { left: number } | undefined): void {
    while (this.at(0) !== Token.end && !tokens.has(this.at(0))) this.#skipOne(budget);
  }

  #skipOne(budget: { left: number } | undefined): void {
    if (budget !== undefined) {
      if (budget.left === 0) throw new GivenUp(`error recovery token lookahead limit exceeded: ${MAX_SKIPPED}`);
      budget.left -= 1;
    }
    this.#consume();
  }

  #consume(): void {
    if (this.at(0) !== Token.end) this.#at += 1;
  }

  /** The tokens that may come at a place, given the enclosing rules. */
  #expected(place: Place): ReadonlySet<TokenKind> {
    const expected = new Set(place.first);
    let { mayEnd } = place;
    for (let open = this.#open; mayEnd && open !== undefined; open = open.around) {
      for (const kind of open.rest.first) expected.add(kind);
      ({ mayEnd } = open.rest);
    }
    if (mayEnd) expected.add(Token.end);
    return expected;
  }

  #recoverySet(): ReadonlySet<TokenKind> {
    const set = new Set<TokenKind>();
    for (let open = this.#open; open !== undefined; open = open.around)
      for (const kind of open.rest.first) set.add(kind);
    return set;
  }

  /** The text from one token to another, without invalid stretches. */
  #textBetween(first: number, last: number): string {
    let at = this.#tokens.starts[first] as number;
    const end = this.#tokens.ends[last] as number;
    let text = '';
    for (const failure of this.#failures) {
      if (failure.start < at || failure.start >= end) continue;
      text += this.#text.slice(at, failure.start);
      at = failure.end;
    }
    return text + this.#text.slice(at, end);
  }

  #name(token: number): string {
    const text = this.#text.slice(this.#tokens.starts[token], this.#tokens.ends[token]);
    return quoteInput(text === '' ? '<EOF>' : text);
  }
}

function nameAll(kinds: ReadonlySet<TokenKind>): string {
  const names = [...kinds].sort((a, b) => a - b).map((kind) => tokenNames.get(kind) ?? '');
  return names.length === 1 ? (names[0] as string) : `{${names.join(', ')}}`;
}
