import { declareFunction, overload } from '../../check/declarations.ts';
import type { Library } from '../../library/library.ts';
import { STRING } from '../../type-terms/index.ts';

/** `jsonpatch.escapeKey`. */
export function jsonPatchLibrary(): Library {
  return {
    functions: [
      declareFunction('jsonpatch.escapeKey', [
        overload('string_jsonpatch_escapeKey_string', [STRING], STRING, (key) =>
          (key as string).replaceAll(/[~/]/g, (found) => (found === '~' ? '~0' : '~1')),
        ),
      ]),
    ],
  };
}
