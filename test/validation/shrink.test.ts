import { expect, test } from 'vitest';
import type { Answer } from './answer.ts';
import type { Case } from './case.ts';
import type { Edit } from './edits.ts';
import { shrunk } from './shrink.ts';

const edits: readonly Edit[] = ['a', 'b', 'c', 'd'].map((name) => ({ path: [name] }));
const ok: Answer = { code: 201, warnings: [], body: { kind: 'Pod' } };

function refused(message: string): Answer {
  return { code: 422, warnings: [], body: { kind: 'Status', message } };
}

/** The real server refuses objects without `b` and `d`, in words that say what is missing. */
async function askBoth({ edits: own }: Case): Promise<{ real: Answer; ours: Answer }> {
  const missing = own.map(({ path }) => String(path[0])).filter((name) => name === 'b' || name === 'd');
  return { real: missing.length === 0 ? ok : refused(`required: ${missing.join(' and ')}`), ours: ok };
}

test('a difference keeps only the edits without which it is another one', async () => {
  const played: Case = { base: 'pod', verb: 'create', validation: 'Strict', edits };

  const found = await shrunk({ played, kind: 'Pod', ...(await askBoth(played)) }, askBoth);

  expect(found.played.edits.map(({ path }) => path[0])).toEqual(['b', 'd']);
  expect(found.real.body['message']).toBe('required: b and d');
});

test('the last edit stays', async () => {
  const played: Case = { base: 'pod', verb: 'create', validation: 'Strict', edits: edits.slice(0, 2) };
  const always = async (): Promise<{ real: Answer; ours: Answer }> => ({ real: refused('no'), ours: ok });

  expect((await shrunk({ played, kind: 'Pod', ...(await always()) }, always)).played.edits).toHaveLength(1);
});
