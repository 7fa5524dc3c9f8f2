import { TooDeep } from './depth.ts';
import type { Expr } from './expr.ts';
import { Issues } from './issues.ts';
import { type LexicalFailure, tokenize } from './lexer.ts';
import { OperatorParser } from './operator-parser.ts';
import { ParseContext, type Syntax } from './parse-context.ts';
import { codePointCount } from '../../base/index.ts';
import type { Source } from './source.ts';
import { Token } from './token.ts';
import { MISFIT, TokenReader } from './token-reader.ts';
import { celGrammar } from './grammar.ts';
import { Places } from './places.ts';
import { Reader } from './recovery.ts';

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

/** The expression; undefined when the tokens do not fit the grammar. */
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

/**
 * Diagnoses an invalid expression: parses it again, recovering after each mistake as Kubernetes' parser does, so that
 * the messages and their positions are the same.
 */
function diagnose(source: Source): Issues {
  const issues = new Issues(source);
  const failures: LexicalFailure[] = [];
  const tokens = tokenize(source.text, (failure) => {
    const text = source.text.slice(failure.start, failure.end);
    issues.report(failure.start, `Syntax error: token recognition error at: '${text}'`);
    failures.push(failure);
  });
  const reader = new Reader({ text: source.text, tokens, failures }, { places: new Places(celGrammar()), issues });
  reader.read();
  return issues;
}
