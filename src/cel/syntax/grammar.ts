import { Token, type TokenKind } from './token.ts';

/**
 * The grammar as data, for diagnosing invalid expressions: which tokens may come at each place, and where parsing can
 * continue after a mistake. Valid expressions are read by the parser, which does not use it.
 */
export type GrammarNode =
  | { readonly type: 'token'; readonly kinds: readonly TokenKind[] }
  /** A rule by name. `rank` is the operator precedence: the rule's loop takes only operators of that rank or more. */
  | { readonly type: 'rule'; readonly rule: RuleName; readonly rank: number }
  | { readonly type: 'sequence'; readonly parts: readonly GrammarNode[] }
  | { readonly type: 'optional'; readonly body: GrammarNode }
  /** `isEager`: at least once. `decision` looks further ahead than one token. */
  | { readonly type: 'repeat'; readonly body: GrammarNode; readonly isEager: boolean; readonly decision?: Decision }
  | { readonly type: 'choice'; readonly alternatives: readonly GrammarNode[]; readonly decision: Decision };

/** The places where one token of lookahead is not, or not always, enough. */
export type Decision =
  | 'unary'
  | 'minus'
  | 'relation'
  | 'calc'
  | 'calcRank'
  | 'member'
  | 'memberForm'
  | 'primary'
  | 'comma'
  | 'fieldComma'
  | 'name'
  | 'literal';

export type RuleName =
  | 'start'
  | 'expr'
  | 'conditionalOr'
  | 'conditionalAnd'
  | 'relation'
  | 'calc'
  | 'unary'
  | 'member'
  | 'primary'
  | 'exprList'
  | 'listInit'
  | 'fieldInitializerList'
  | 'optField'
  | 'mapInitializerList'
  | 'escapeIdent'
  | 'optExpr'
  | 'literal';

const token = (...kinds: readonly TokenKind[]): GrammarNode => ({ type: 'token', kinds });
const rule = (name: RuleName, rank = 0): GrammarNode => ({ type: 'rule', rule: name, rank });
const sequence = (...parts: readonly GrammarNode[]): GrammarNode => ({ type: 'sequence', parts });
const optional = (body: GrammarNode): GrammarNode => ({ type: 'optional', body });
const repeat = (body: GrammarNode, decision?: Decision): GrammarNode => ({
  type: 'repeat',
  body,
  isEager: false,
  decision,
});
const choice = (decision: Decision, ...alternatives: readonly GrammarNode[]): GrammarNode => ({
  type: 'choice',
  alternatives,
  decision,
});

const isEager = true;
const {
  dot,
  identifier,
  openBrace,
  closeBrace,
  openBracket,
  closeBracket,
  openParen,
  closeParen,
  comma,
  colon,
  question,
  minus,
} = Token;

export function celGrammar(): Readonly<Record<RuleName, GrammarNode>> {
  const commaList = (item: () => GrammarNode, decision: Decision = 'comma'): GrammarNode =>
    sequence(item(), repeat(sequence(token(comma), item()), decision));
  const callArguments = (): GrammarNode[] => [token(openParen), optional(rule('exprList')), token(closeParen)];
  const trailing = (close: TokenKind): GrammarNode[] => [optional(token(comma)), token(close)];
  const relations = token(
    Token.equals,
    Token.notEquals,
    Token.in,
    Token.less,
    Token.lessEquals,
    Token.greaterEquals,
    Token.greater,
  );
  return {
    start: sequence(rule('expr'), token(Token.end)),
    expr: sequence(
      rule('conditionalOr'),
      optional(sequence(token(question), rule('conditionalOr'), token(colon), rule('expr'))),
    ),
    conditionalOr: sequence(rule('conditionalAnd'), repeat(sequence(token(Token.or), rule('conditionalAnd')))),
    conditionalAnd: sequence(rule('relation'), repeat(sequence(token(Token.and), rule('relation')))),
    relation: sequence(rule('calc'), repeat(sequence(relations, rule('relation', 2)), 'relation')),
    calc: sequence(
      rule('unary'),
      repeat(
        choice(
          'calcRank',
          sequence(token(Token.star, Token.slash, Token.percent), rule('calc', 3)),
          sequence(token(minus, Token.plus), rule('calc', 2)),
        ),
        'calc',
      ),
    ),
    unary: choice(
      'unary',
      rule('member'),
      sequence({ type: 'repeat', body: token(Token.not), isEager }, rule('member')),
      sequence({ type: 'repeat', body: token(minus), isEager, decision: 'minus' }, rule('member')),
    ),
    member: sequence(
      rule('primary'),
      repeat(
        choice(
          'memberForm',
          sequence(token(dot), optional(token(question)), rule('escapeIdent')),
          sequence(token(dot), token(identifier), ...callArguments()),
          sequence(token(openBracket), optional(token(question)), rule('expr'), token(closeBracket)),
        ),
        'member',
      ),
    ),
    primary: choice(
      'primary',
      sequence(optional(token(dot)), token(identifier)),
      sequence(optional(token(dot)), token(identifier), ...callArguments()),
      sequence(token(openParen), rule('expr'), token(closeParen)),
      sequence(token(openBracket), optional(rule('listInit')), ...trailing(closeBracket)),
      sequence(token(openBrace), optional(rule('mapInitializerList')), ...trailing(closeBrace)),
      sequence(
        optional(token(dot)),
        token(identifier),
        repeat(sequence(token(dot), token(identifier))),
        token(openBrace),
        optional(rule('fieldInitializerList')),
        ...trailing(closeBrace),
      ),
      rule('literal'),
    ),
    exprList: sequence(rule('expr'), repeat(sequence(token(comma), rule('expr')))),
    listInit: commaList(() => rule('optExpr')),
    fieldInitializerList: commaList(() => sequence(rule('optField'), token(colon), rule('expr')), 'fieldComma'),
    optField: sequence(optional(token(question)), rule('escapeIdent')),
    mapInitializerList: commaList(() => sequence(rule('optExpr'), token(colon), rule('expr'))),
    escapeIdent: choice('name', token(identifier), token(Token.escapedIdentifier)),
    optExpr: sequence(optional(token(question)), rule('expr')),
    literal: choice(
      'literal',
      sequence(optional(token(minus)), token(Token.int)),
      token(Token.uint),
      sequence(optional(token(minus)), token(Token.float)),
      token(Token.string),
      token(Token.bytes),
      token(Token.true),
      token(Token.false),
      token(Token.null),
    ),
  };
}
