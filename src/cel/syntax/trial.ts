import type { Decision, GrammarNode } from './grammar.ts';
import type { Tokens } from './lexer.ts';
import { Misfit } from './misfit.ts';
import type { Places } from './places.ts';
import { predict } from './predict.ts';
import { Token, type TokenKind } from './token.ts';

/** Reads ahead without reporting: how far an operand goes before it ends, or does not fit. */
export class Trial {
  readonly #tokens: Tokens;
  readonly #places: Places;
  #at = 0;

  constructor(tokens: Tokens, places: Places) {
    this.#tokens = tokens;
    this.#places = places;
  }

  operandEnd(start: number): { readonly at: number; readonly isFine: boolean } {
    this.#at = start;
    try {
      this.#node(this.#places.rule('member'), 0);
      return { at: this.#at, isFine: true };
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      return { at: error.token, isFine: false };
    }
  }

  #node(node: GrammarNode, rank: number): void {
    switch (node.type) {
      case 'token':
        if (!node.kinds.includes(this.#kind(0))) throw new Misfit('', this.#at);
        if (this.#kind(0) !== Token.end) this.#at += 1;
        return;
      case 'rule':
        this.#node(this.#places.rule(node.rule), node.rank);
        return;
      case 'sequence':
        for (const part of node.parts) this.#node(part, rank);
        return;
      case 'optional':
        if (this.#places.first(node.body).has(this.#kind(0))) this.#node(node.body, rank);
        return;
      case 'choice':
        this.#node(node.alternatives[this.#predict(node.decision, rank) - 1] as GrammarNode, rank);
        return;
      case 'repeat': {
        const { decision } = node;
        const goesOn = (): boolean =>
          decision === undefined ? this.#places.first(node.body).has(this.#kind(0)) : this.#predict(decision, rank) === 1;
        if (node.isEager) this.#node(node.body, rank);
        while (goesOn()) this.#node(node.body, rank);
      }
    }
  }

  #predict(decision: Decision, rank: number): number {
    const predicted = predict[decision]({
      at: (distance) => this.#kind(distance),
      rank,
      signedOperand: () => ({ distance: 0, isFine: true }),
    });
    if (typeof predicted === 'number') return predicted;
    throw new Misfit('', Math.min(this.#at + predicted.failsAt, this.#tokens.kinds.length - 1));
  }

  #kind(distance: number): TokenKind {
    return this.#tokens.kinds[Math.min(this.#at + distance, this.#tokens.kinds.length - 1)] as TokenKind;
  }
}
