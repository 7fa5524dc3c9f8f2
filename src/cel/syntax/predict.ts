import type { Decision } from './grammar.ts';
import { products, relations, sums } from './operators.ts';
import { Token, type TokenKind } from './token.ts';

/** The input of decisions. */
export interface Lookahead {
  /** The kind of the token at `distance` from the current one, which is at 0. */
  at(distance: number): TokenKind;
  /** The rank of the rule that is being read. */
  readonly rank: number;
}

/** The alternative, from 1; or, when no alternative fits, after how many tokens that was certain. */
export type Prediction = number | { readonly failsAt: number };

const memberStarts: ReadonlySet<TokenKind> = new Set([
  Token.openBracket,
  Token.openBrace,
  Token.openParen,
  Token.dot,
  Token.minus,
  Token.true,
  Token.false,
  Token.null,
  Token.float,
  Token.int,
  Token.uint,
  Token.string,
  Token.bytes,
  Token.identifier,
]);
const exprStarts: ReadonlySet<TokenKind> = new Set([...memberStarts, Token.not]);

/** Which alternative to take. For loops 1 means another round, 2 the end: a loop also ends where nothing fits. */
export const predict: Readonly<Record<Decision, (look: Lookahead) => Prediction>> = {
  unary(look) {
    const [first, second] = [look.at(0), look.at(1)];
    if (first === Token.not) return 2;
    if (first !== Token.minus) return memberStarts.has(first) ? 1 : { failsAt: 0 };
    if (second === Token.int || second === Token.float) return 1;
    return memberStarts.has(second) ? 3 : { failsAt: 1 };
  },
  minus(look) {
    if (look.at(0) !== Token.minus) return memberStarts.has(look.at(0)) ? 2 : { failsAt: 0 };
    return memberStarts.has(look.at(1)) ? 1 : { failsAt: 1 };
  },
  relation: (look) => (relations.has(look.at(0)) && look.rank <= 1 ? 1 : 2),
  calc: (look) => ((products.has(look.at(0)) && look.rank <= 2) || (sums.has(look.at(0)) && look.rank <= 1) ? 1 : 2),
  calcRank: (look) => (products.has(look.at(0)) ? 1 : 2),
  member: (look) => (look.at(0) === Token.dot || look.at(0) === Token.openBracket ? 1 : 2),
  memberForm(look) {
    if (look.at(0) === Token.openBracket) return 3;
    const second = look.at(1);
    if (second === Token.identifier) return look.at(2) === Token.openParen ? 2 : 1;
    return second === Token.question || second === Token.escapedIdentifier ? 1 : { failsAt: 1 };
  },
  primary(look) {
    switch (look.at(0)) {
      case Token.openParen:
        return 3;
      case Token.openBracket:
        return 4;
      case Token.openBrace:
        return 5;
      case Token.dot:
      case Token.identifier:
        return nameForm(look);
      default:
        return memberStarts.has(look.at(0)) ? 7 : { failsAt: 0 };
    }
  },
  /** Another item after the comma, or a trailing comma. */
  comma(look) {
    if (look.at(0) !== Token.comma) return 2;
    return exprStarts.has(look.at(1)) || look.at(1) === Token.question ? 1 : 2;
  },
  fieldComma(look) {
    if (look.at(0) !== Token.comma) return 2;
    const next = look.at(1);
    return next === Token.question || next === Token.identifier || next === Token.escapedIdentifier ? 1 : 2;
  },
  name(look) {
    if (look.at(0) === Token.identifier) return 1;
    return look.at(0) === Token.escapedIdentifier ? 2 : { failsAt: 0 };
  },
  literal(look) {
    const isSigned = look.at(0) === Token.minus;
    const kind = look.at(isSigned ? 1 : 0);
    const alternative = literalForms.indexOf(kind) + 1;
    const isFine = isSigned ? alternative === 1 || alternative === 3 : alternative > 0;
    return isFine ? alternative : { failsAt: isSigned ? 1 : 0 };
  },
};

const literalForms: readonly TokenKind[] = [
  Token.int,
  Token.uint,
  Token.float,
  Token.string,
  Token.bytes,
  Token.true,
  Token.false,
  Token.null,
];

function nameForm(look: Lookahead): Prediction {
  const start = look.at(0) === Token.dot ? 1 : 0;
  if (look.at(start) !== Token.identifier) return { failsAt: start };
  if (look.at(start + 1) === Token.openParen) return 2;
  let distance = start;
  while (look.at(distance + 1) === Token.dot && look.at(distance + 2) === Token.identifier) distance += 2;
  return look.at(distance + 1) === Token.openBrace ? 6 : 1;
}
