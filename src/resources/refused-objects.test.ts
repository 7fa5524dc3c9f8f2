import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { TestApi } from './testing/test-api.ts';

interface Refused {
  readonly input: { readonly apiVersion: string; readonly kind: string };
  readonly causes: readonly string[];
}

interface Warned {
  readonly input: { readonly apiVersion: string; readonly kind: string };
  readonly warnings: readonly string[];
}

function recorded<T>(file: string): T[] {
  return load(readFileSync(new URL(`testdata/${file}`, import.meta.url), 'utf8')) as T[];
}

/** The explanations of valid names, which other tests check in full. */
const LONG_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/a lowercase RFC 1123 (label|subdomain) must consist.*/s, '<$1>'],
  [/a DNS-1035 label must consist.*/s, '<1035 label>'],
  [/name part must consist of.*/s, '<qualified name>'],
  [/a valid label must be an empty.*/s, '<label value>'],
];

function shortened(text: string): string {
  return LONG_TEXTS.reduce((short, [pattern, word]) => short.replace(pattern, word), text);
}

test('problems of an object are reported in the words and order of upstream', async () => {
  await using api = await TestApi.open();
  for (const { input, causes } of recorded<Refused>('refused.yaml')) {
    const { code, body } = await api.create(input, '?dryRun=All');
    const found = (body.details?.causes ?? []).map(({ field, message }) => shortened(`${field}: ${message}`));
    expect({ code, causes: found }, JSON.stringify(input)).toEqual({ code: 422, causes });
  }
});

test('warnings about an object are worded as upstream', async () => {
  await using api = await TestApi.open();
  for (const { input, warnings } of recorded<Warned>('warned.yaml')) {
    const reply = await api.create(input, '?dryRun=All');
    expect({ code: reply.code, warnings: reply.warnings }, input.kind).toEqual({ code: 201, warnings });
  }
});
