import { TooDeep } from './depth.ts';
import { diagnose } from './diagnose.ts';
import type { Expr } from './expr.ts';
import { Issues } from './issues.ts';
import { tokenize } from './lexer.ts';
import { OperatorParser } from './operator-parser.ts';
import { ParseContext, type Syntax } from './parse-context.ts';
import { codePointCount, type Source } from './source.ts';
import { Token } from './token.ts';
import { MISFIT, TokenReader } from './token-reader.ts';

export type Parsed = { readonly ok: true; readonly expr: Expr } | { readonly ok: false; readonly issues: Issues };

const MAX_CODE_POINTS = 100_000;

/** Parses an expression and expands its macros. */
export function parse(source: Source, syntax: Syntax): Parsed {
  const issues = new Issues(source);
  const size = source.text.length > MAX_CODE_POINTS ? codePointCount(source.text) : 0;
  if (size > MAX_CODE_POINTS) {
    issues.report(undefined, `expression code point size exceeds limit: size: ${size}, limit ${MAX_CODE_POINTS}`);
    return { ok: false, issues };
  }
  let isCut = true;
  const tokens = tokenize(source.text, () => (isCut = false));
  try {
    const expr = isCut ? read(new ParseContext(new TokenReader(source.text, tokens), syntax, issues)) : undefined;
    if (expr !== undefined && issues.isEmpty) return { ok: true, expr };
    if (expr !== undefined) return { ok: false, issues };
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    issues.report(undefined, error.message);
    return { ok: false, issues };
  }
  return { ok: false, issues: diagnose(source) };
}

/** The expression; nothing when the tokens do not fit the grammar. */
function read(context: ParseContext): Expr | undefined {
  try {
    const expr = new OperatorParser(context).expr();
    context.reader.expect(Token.end);
    context.depth.check(expr);
    return expr;
  } catch (error) {
    if (error === MISFIT) return undefined;
    throw error;
  }
}
