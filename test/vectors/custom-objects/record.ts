// Plays the scenarios of this folder on a real kube-apiserver and records what comes back.
//   npm run vectors:custom-objects [-- --check] [--scenario REGEX]
// With --check nothing is written: it only reports which outcomes differ from the recorded ones. Scenarios that are left out keep
// their outcomes.
import { readFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { startKube, whyNoKube } from '../../../peers/index.ts';
import { KubeClient } from '../apply/kube-client.ts';
import { play, type Stage } from './player.ts';
import type { Outcome, Recorded } from './scenario.ts';
import { scenarios } from './scenarios/index.ts';

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, scenario: { type: 'string', default: '' } },
});
const file = join(import.meta.dirname, 'recorded.jsonl.gz');

const reason = whyNoKube();
if (reason !== undefined) {
  console.error(`Cannot record: ${reason}`);
  process.exit(1);
}
await using kube = await startKube();
const client = new KubeClient(kube.kubeconfig);

const stage: Stage = {
  send: (method, path, options = {}) => client.send(method, path, { ...options, userAgent: 'test' }),
  pause: () => pause(20),
};

const before = new Map(recorded().map((line) => [line.scenario.name, line]));
const lines: Recorded[] = [];
let changed = 0;
const chosen = new RegExp(values.scenario);
for (const scenario of scenarios) {
  const kept = before.get(scenario.name);
  if (kept !== undefined && !chosen.test(scenario.name)) {
    lines.push(kept);
    continue;
  }
  const outcomes = await play(scenario, stage).catch((error: Error) => error);
  if (outcomes instanceof Error) {
    console.error(outcomes.message);
    process.exitCode = 1;
    continue;
  }
  const known = kept?.outcomes;
  const plain = JSON.parse(JSON.stringify(outcomes)) as (Outcome | null)[];
  if (known !== undefined && !isDeepStrictEqual(plain, known)) {
    changed += 1;
    console.log(`${scenario.name} has other outcomes than recorded`);
  }
  lines.push({ scenario, outcomes });
}
client.close();
const text = lines.map((line) => JSON.stringify(line)).join('\n');
if (!values.check) writeFileSync(file, gzipSync(text, { level: 9 }));
const count = lines
  .flatMap(({ outcomes }) => outcomes)
  .filter((outcome) => outcome !== undefined && outcome !== null).length;
console.log(`${lines.length} scenarios, ${count} outcomes, ${changed} scenarios other than recorded`);
if (values.check && changed > 0) process.exitCode = 1;

function recorded(): Recorded[] {
  if (!existsSync(file)) return [];
  const all = gunzipSync(readFileSync(file)).toString('utf8');
  return all.split('\n').map((line) => JSON.parse(line) as Recorded);
}
