import { celGrammar } from './grammar.ts';
import { Issues } from './issues.ts';
import { type LexicalFailure, tokenize } from './lexer.ts';
import { Places } from './places.ts';
import { Reader } from './recovery.ts';
import type { Source } from './source.ts';

/**
 * What is wrong with an expression that does not fit the grammar: reads it again, going on after each mistake as
 * Kubernetes' parser does, so that the messages are the same ones at the same places.
 */
export function diagnose(source: Source): Issues {
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
