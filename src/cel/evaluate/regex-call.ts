import type { Implementation } from '../check/declarations.ts';
import type { Pattern } from '../library/regex.ts';
import { noSuchOverload, type Value } from '../values/index.ts';

/** `matches`, `find` or `findAll` with a pattern that is compiled already. */
export function regexCall(name: string, pattern: Pattern): Implementation {
  const onText = (apply: (text: string, limit: Value | undefined) => Value): Implementation => ({
    style: 'function',
    apply: (text, _, limit) => (typeof text === 'string' ? apply(text, limit) : noSuchOverload()),
  });
  switch (name) {
    case 'matches':
      return onText((text) => pattern.test(text));
    case 'find':
      return onText((text) => pattern.find(text));
    default:
      return onText((text, limit) => {
        if (limit === undefined) return pattern.findAll(text, -1);
        return typeof limit === 'number' || typeof limit === 'bigint'
          ? pattern.findAll(text, Number(limit))
          : noSuchOverload();
      });
  }
}
