import { celGrammar } from './grammar.ts';
import { Issues } from './issues.ts';
import { tokenize } from './lexer.ts';
import { Places } from './places.ts';
import { quoteInput } from './quote-input.ts';
import { Reader } from './recovery.ts';
import type { Source } from './source.ts';

/**
 * What is wrong with an expression that does not fit the grammar: reads it again, going on after each mistake as
 * Kubernetes' parser does, so that the messages are the same ones at the same places.
 */
export function diagnose(source: Source): Issues {
  const issues = new Issues(source);
  const tokens = tokenize(source.text, ({ start, end }) => {
    issues.report(start, `Syntax error: token recognition error at: ${quoteInput(source.text.slice(start, end))}`);
  });
  new Reader(source.text, tokens, { places: new Places(celGrammar()), issues }).read();
  return issues;
}
