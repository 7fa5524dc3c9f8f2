import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type ApiObject, builtInTypes, decodeJson, fieldErrorText, structuralKind } from '../../../src/api/index.ts';
import type { StructuralSchema } from '../../../src/api/index.ts';
import { checkValues } from '../../../src/apiserver/validation/validate-object.ts';

interface Vector {
  readonly task: { readonly schema: StructuralSchema; readonly object: object };
  readonly answer: { readonly object: object; readonly unknown: readonly string[]; readonly errors: readonly string[] };
}

const types = builtInTypes();
const vectors = gunzipSync(readFileSync(new URL('vectors.jsonl.gz', import.meta.url)))
  .toString('utf8')
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

function outcome({ schema, object }: Vector['task']): Vector['answer'] {
  const type = structuralKind(schema, { group: 'example.dev', version: 'v1', kind: 'Widget' }, { types });
  const options = { defaults: true, fieldValidation: 'Warn' } as const;
  const { value, problems } = decodeJson(JSON.stringify(object), type, options);
  const errors = checkValues(value as unknown as ApiObject, type).map(fieldErrorText);
  return { object: value, unknown: problems.map(({ path }) => path), errors: errors.sort() };
}

test('objects are pruned, defaulted and judged by random schemas as upstream does it', () => {
  expect(vectors.length).toBeGreaterThan(1000);
  for (const { task, answer } of vectors) expect({ task, ...outcome(task) }).toEqual({ task, ...answer });
});
