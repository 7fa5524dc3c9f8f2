import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { normalized } from './testing/normalized.ts';
import { MERGE_PATCH, TestApi } from './testing/test-api.ts';

interface Step {
  /** Method and path. */
  readonly send: string;
  readonly body?: object;
  readonly type?: string;
  readonly code?: number;
  readonly reply?: unknown;
  readonly warnings?: readonly string[];
}

const folder = new URL('testdata/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.startsWith('scenario-'));

test.each(files)('the answers to the requests of %s equal upstream’s', async (file) => {
  await using api = await TestApi.open();
  const steps = load(readFileSync(new URL(file, folder), 'utf8')) as Step[];
  for (const [index, { send, body, type, code, reply, warnings = [] }] of steps.entries()) {
    const [method = '', path = ''] = send.split(' ');
    const fallback = method === 'PATCH' ? MERGE_PATCH : 'application/json';
    const got = await api.send(method, path, body, type ?? fallback);
    if (code === undefined) continue;
    const answer = normalized(got.body, JSON.stringify(body ?? null));
    expect({ code: got.code, warnings: got.warnings, answer }, `step ${index}: ${send}`).toEqual({
      code,
      warnings,
      answer: reply,
    });
  }
});
