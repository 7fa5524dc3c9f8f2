import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { play } from './player.ts';
import { ReplayStage } from './replay-stage.ts';
import type { Outcome, Recorded } from './scenario.ts';

const recorded = gunzipSync(readFileSync(new URL('recorded.jsonl.gz', import.meta.url)))
  .toString('utf8')
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

const stage = new ReplayStage();
beforeAll(() => stage.prepare());
afterAll(() => stage[Symbol.asyncDispose]());

test('enough has been recorded', () => {
  const outcomes = recorded.flatMap((line) => line.outcomes);
  expect(outcomes.filter((outcome) => outcome !== null).length).toBeGreaterThan(500);
});

test.each(recorded.map(({ scenario, outcomes }) => ({ name: scenario.name, scenario, outcomes })))(
  'objects fare as with Kubernetes: $name',
  async ({ scenario, outcomes }) => {
    const played = await play(scenario, stage);
    const plain = JSON.parse(JSON.stringify(played)) as (Outcome | null)[];
    const comparable = (list: readonly (Outcome | null | undefined)[]): unknown[] =>
      list.map((outcome, index) => ({ step: scenario.steps[index], ...outcome }));
    expect(comparable(plain)).toEqual(comparable(outcomes));
  },
);
