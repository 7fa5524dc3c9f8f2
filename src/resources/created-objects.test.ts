import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { normalized } from './testing/normalized.ts';
import { TestApi } from './testing/test-api.ts';

interface Pair {
  readonly input: { readonly apiVersion: string; readonly kind: string; readonly metadata: { readonly name: string } };
  readonly output: Record<string, unknown>;
}

const folder = new URL('testdata/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.startsWith('created-'));

/** Kinds whose recorded status is missing, because a controller had written it. */
const CONTROLLED = new Set(['FlowSchema', 'CustomResourceDefinition', 'APIService', 'MutatingAdmissionPolicy']);

test.each(files)('objects of %s are returned as upstream does, member by member and in its order', async (file) => {
  await using api = await TestApi.open();
  const pairs = load(readFileSync(new URL(file, folder), 'utf8')) as Pair[];
  for (const { input, output } of pairs) {
    const { code } = await api.create(input);
    expect(code, `${input.kind} ${input.metadata.name}`).toBe(201);
    const path = `${api.collectionOf(input)}/${encodeURIComponent(input.metadata.name)}`;
    const { body } = await api.send('GET', path);
    const { status: _, ...others } = body;
    const got = normalized(CONTROLLED.has(input.kind) ? others : body, JSON.stringify(input));
    expect(JSON.stringify(got, null, 1)).toBe(JSON.stringify(output, null, 1));
  }
});
