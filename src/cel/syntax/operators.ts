import { Token, type TokenKind } from './token.ts';

/** The function names behind operators; none of them can be written as a call. */
export const Operator = {
  add: '_+_',
  and: '_&&_',
  conditional: '_?_:_',
  divide: '_/_',
  equals: '_==_',
  greater: '_>_',
  greaterEquals: '_>=_',
  in: '@in',
  index: '_[_]',
  less: '_<_',
  lessEquals: '_<=_',
  modulo: '_%_',
  multiply: '_*_',
  negate: '-_',
  not: '!_',
  notEquals: '_!=_',
  notStrictlyFalse: '@not_strictly_false',
  optionalIndex: '_[?_]',
  optionalSelect: '_?._',
  or: '_||_',
  subtract: '_-_',
} as const;

/** Comparisons: all of one rank, left to right. */
export const relations: ReadonlyMap<TokenKind, string> = new Map([
  [Token.equals, Operator.equals],
  [Token.notEquals, Operator.notEquals],
  [Token.in, Operator.in],
  [Token.less, Operator.less],
  [Token.lessEquals, Operator.lessEquals],
  [Token.greaterEquals, Operator.greaterEquals],
  [Token.greater, Operator.greater],
]);

export const products: ReadonlyMap<TokenKind, string> = new Map([
  [Token.star, Operator.multiply],
  [Token.slash, Operator.divide],
  [Token.percent, Operator.modulo],
]);

export const sums: ReadonlyMap<TokenKind, string> = new Map([
  [Token.plus, Operator.add],
  [Token.minus, Operator.subtract],
]);

/** Words that cannot be variables, but can be field names. */
export const reservedWords: ReadonlySet<string> = new Set([
  'as',
  'break',
  'const',
  'continue',
  'else',
  'false',
  'for',
  'function',
  'if',
  'import',
  'in',
  'let',
  'loop',
  'namespace',
  'null',
  'package',
  'return',
  'true',
  'var',
  'void',
  'while',
]);
