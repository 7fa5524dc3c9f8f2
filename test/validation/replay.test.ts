import { afterAll, beforeAll, expect, test } from 'vitest';
import { comparable } from './answer.ts';
import { loadBaseObjects } from './base-objects.ts';
import { describeCase } from './case.ts';
import { readKnownDifferences, reasonOf } from './known-differences.ts';
import { playAll } from './play.ts';
import { digestOf, readRecording, type Recorded } from './recording.ts';
import { ownServer, type PlayedServer } from './server.ts';

const bases = loadBaseObjects();
const recorded = readRecording();
const known = readKnownDifferences();
let server: PlayedServer & AsyncDisposable;

beforeAll(async () => {
  server = await ownServer(bases);
  await server.prepare();
});
afterAll(() => server[Symbol.asyncDispose]());

const MAX_SHOWN = 10;
const TIMEOUT_MS = 180_000;

test('creates are answered as recorded of kube-apiserver', { timeout: TIMEOUT_MS }, async () => {
  expect(await differences('create')).toEqual([]);
});

test('updates are answered as recorded of kube-apiserver', { timeout: TIMEOUT_MS }, async () => {
  await server.store();
  expect(await differences('update')).toEqual([]);
});

/** The first cases that are answered differently and not for a listed reason. */
async function differences(part: Recorded['part']): Promise<object[]> {
  const cases = recorded.filter((one) => one.part === part);
  const answers = await playAll(
    cases.map(({ played }) => played),
    server,
  );
  const found: object[] = [];
  for (const [index, { played, digests, code, message, differing }] of cases.entries()) {
    const ours = answers[index];
    if (ours === undefined || digests.includes(digestOf(ours))) continue;
    const kind = bases.find(({ id }) => id === played.base)?.kind ?? '';
    if (differing !== undefined && reasonOf({ played, kind, real: differing, ours }, known) !== undefined) continue;
    if (found.length < MAX_SHOWN) {
      const own = ours.code >= 300 ? String(ours.body['message']) : comparable(ours);
      found.push({ case: describeCase(played), real: `${code} ${message}`, ours: `${ours.code} ${own}` });
    }
  }
  return found;
}

test('the recording has at least 20,000 cases', () => {
  expect(recorded.length).toBeGreaterThanOrEqual(20_000);
});
