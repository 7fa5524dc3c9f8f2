import { declareFunction, member } from '../../check/declarations.ts';
import type { Library } from '../../library/library.ts';
import { compilePattern, type Pattern } from '../../library/regex.ts';
import { INT, listOf, STRING } from '../../type-terms/index.ts';
import { CelError, noSuchOverload, type Value } from '../../values/index.ts';

/** `find` and `findAll`. */
export function regexLibrary(): Library {
  return {
    functions: [
      declareFunction('find', [
        member('string_find_string', [STRING, STRING], STRING, (text, regex) =>
          withPattern(regex, (pattern) => find(pattern, text)),
        ),
      ]),
      declareFunction('findAll', [
        member('string_find_all_string', [STRING, STRING], listOf(STRING), (text, regex) =>
          withPattern(regex, (pattern) => findAll(pattern, text, -1)),
        ),
        member('string_find_all_string_int', [STRING, STRING, INT], listOf(STRING), (text, regex, limit) =>
          withPattern(regex, (pattern) => findAll(pattern, text, limit)),
        ),
      ]),
    ],
  };
}

function withPattern(regex: Value, apply: (pattern: Pattern) => Value): Value {
  if (typeof regex !== 'string') return noSuchOverload();
  const compiled = compilePattern(regex);
  return compiled.ok ? apply(compiled.pattern) : new CelError(`Illegal regex: ${compiled.error.message}`);
}

export function find(pattern: Pattern, text: Value): Value {
  return typeof text === 'string' ? pattern.find(text) : noSuchOverload();
}

export function findAll(pattern: Pattern, text: Value, limit: Value): Value {
  if (typeof text !== 'string' || (typeof limit !== 'number' && typeof limit !== 'bigint')) return noSuchOverload();
  return pattern.findAll(text, Number(limit));
}
