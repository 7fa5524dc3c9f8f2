import {
  binary,
  declareFunction,
  type FunctionDeclaration,
  member,
  overload,
  unary,
} from '../../check/declarations.ts';
import { BOOL, BYTES, INT, listOf, mapOf, STRING, typeParameter } from '../../type-terms/index.ts';
import { isSized, noSuchOverload, sizeOf, type Value } from '../../values/index.ts';
import { compilePattern } from '../regex.ts';

const A = typeParameter('A');
const B = typeParameter('B');

/** `size`, `contains`, `startsWith`, `endsWith` and `matches`. */
export function text(): readonly FunctionDeclaration[] {
  return [
    declareFunction(
      'size',
      [
        overload('size_bytes', [BYTES], INT),
        member('bytes_size', [BYTES], INT),
        overload('size_list', [listOf(A)], INT),
        member('list_size', [listOf(A)], INT),
        overload('size_map', [mapOf(A, B)], INT),
        member('map_size', [mapOf(A, B)], INT),
        overload('size_string', [STRING], INT),
        member('string_size', [STRING], INT),
      ],
      {
        singleton: {
          implementation: unary((value) => sizeOf(value) ?? noSuchOverload()),
          accepts: isSized,
        },
      },
    ),
    test('contains', 'contains_string', (whole, part) => whole.includes(part)),
    test('endsWith', 'ends_with_string', (whole, part) => whole.endsWith(part)),
    test('startsWith', 'starts_with_string', (whole, part) => whole.startsWith(part)),
    declareFunction(
      'matches',
      [overload('matches', [STRING, STRING], BOOL), member('matches_string', [STRING, STRING], BOOL)],
      { singleton: { implementation: binary(matches), accepts: (value) => typeof value === 'string' } },
    ),
  ];
}

function test(name: string, id: string, holds: (whole: string, part: string) => boolean): FunctionDeclaration {
  const apply = (whole: Value, part: Value): Value =>
    typeof whole === 'string' && typeof part === 'string' ? holds(whole, part) : noSuchOverload();
  return declareFunction(name, [member(id, [STRING, STRING], BOOL, apply)], { isUnguarded: true });
}

function matches(input: Value, pattern: Value): Value {
  if (typeof input !== 'string' || typeof pattern !== 'string') return noSuchOverload();
  const compiled = compilePattern(pattern);
  return compiled.ok ? compiled.pattern.test(input) : compiled.error;
}
