// Sends damaged objects to a real kube-apiserver and to ours, and lists what is answered differently.
//   npm run validate -- [--kubernetes-version V] [--seed S] [--count 4000] [--updates 2000] [--only REGEX] [--save FILE] [--against FILE] [--full] [--every-mode] [--write]
// `--every-mode` sends each case with all three values of fieldValidation, and as server-side apply. `--save` keeps the answers of the real server, `--against` compares with kept ones, `--record` only asks the real server,
// `--write` writes what `npm test` replays, and docs/reference/validation.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DEFAULT_KUBERNETES_VERSION, isKubernetesVersion } from '../../src/base/index.ts';
import { startKube, whyNoKube } from '../../peers/index.ts';
import { type Answer, sameAnswer, unordered } from './answer.ts';
import { loadBaseObjects } from './base-objects.ts';
import { type Case, CaseMaker, describeCase, hasStatus, isStored } from './case.ts';
import { type Difference, signature } from './difference.ts';
import { readKnownDifferences, reasonOf } from './known-differences.ts';
import { writePage } from './page.ts';
import { isAmong, playAll, playForAll } from './play.ts';
import { digestOf, type Recorded, writeRecording } from './recording.ts';
import { shrunk } from './shrink.ts';
import { FEATURE_GATES, NO_ANSWER, ownServer, remoteServer, RUNTIME_CONFIG } from './server.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '4000' },
    updates: { type: 'string', default: '2000' },
    only: { type: 'string', default: '' },
    save: { type: 'string' },
    against: { type: 'string' },
    record: { type: 'string' },
    full: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'every-mode': { type: 'boolean', default: false },
    limit: { type: 'string', default: '60' },
    'kubernetes-version': { type: 'string', default: DEFAULT_KUBERNETES_VERSION },
  },
});

const version = values['kubernetes-version'];
if (!isKubernetesVersion(version)) throw new Error(`Cannot compare with Kubernetes "${version}"`);
const bases = loadBaseObjects();
const maker = new CaseMaker(bases);
const seeds = values.seed.split(',');
const pattern = new RegExp(values.only);
const seedOf = new Map<Case, string>();
const madeOf = (verb: 'create' | 'update', seed: string, number: number): readonly Case[] => {
  const made = maker.make(verb, seed, number);
  const cases = values['every-mode'] ? maker.inEveryMode(made) : [made];
  for (const one of cases) seedOf.set(one, seed);
  return cases;
};
const casesOf = (verb: 'create' | 'update', count: string): Case[] =>
  seeds
    .flatMap((seed) => Array.from({ length: Number(count) }, (_, number) => madeOf(verb, seed, number)).flat())
    .filter((played) => pattern.test(describeCase(played)));
const whole = (verbs: readonly Case['verb'][]): Case[] =>
  bases.flatMap((base) =>
    verbs
      .filter((verb) => verb === 'create' || (verb === 'status' ? isStored(base) && hasStatus(base) : isStored(base)))
      .map((verb): Case => ({ base: base.id, verb, validation: 'Strict', edits: [] })),
  );
const creates = [
  ...whole(['create', 'apply']).filter((played) => pattern.test(describeCase(played))),
  ...casesOf('create', values.count),
];
const updates =
  Number(values.updates) < 0
    ? []
    : [
        ...whole(['update', 'status', 'apply']).filter((played) => pattern.test(describeCase(played))),
        ...casesOf('update', values.updates),
      ];

/** How many cases were played and answered equally, by kind or by seed. */
type Tally = Record<string, Record<Recorded['part'], { cases: number; equal: number }>>;

/** What the real server answered in an earlier run: to each case one or more answers. */
type Saved = Record<string, readonly Answer[]>;

const started = performance.now();
const saved: Saved =
  values.against !== undefined && existsSync(values.against)
    ? (JSON.parse(readFileSync(values.against, 'utf8')) as Saved)
    : {};
const isReplay = values.against !== undefined;
if (!isReplay) {
  const reason = whyNoKube([], { version });
  if (reason !== undefined) {
    console.log(`validate: skipped, ${reason}`);
    process.exit(0);
  }
}
await using kube = isReplay
  ? undefined
  : await startKube({
      version,
      apiserverFlags: [`--runtime-config=${RUNTIME_CONFIG}`, `--feature-gates=${FEATURE_GATES}`],
    });
using real = kube === undefined ? undefined : remoteServer(kube.kubeconfig, bases);
if (values.record !== undefined && real !== undefined) {
  const recorded: Saved = {};
  const keep = async (part: string, cases: readonly Case[]): Promise<void> => {
    const answers = await playForAll(cases, real);
    for (const [index, played] of cases.entries()) {
      recorded[part + JSON.stringify(played)] = answers[index] ?? [];
      const [first] = answers[index] ?? [];
      if (played.edits.length === 0 && first !== undefined && first.code >= 300)
        console.log(`refused: ${describeCase(played)} ${shown(first)}`);
    }
    writeFileSync(values.record ?? '', JSON.stringify(recorded));
    console.log(`${cases.length} answers after ${((performance.now() - started) / 1000).toFixed(0)} s`);
  };
  await real.prepare();
  await keep('create', creates);
  await real.store();
  await keep('update', updates);
  await kube?.stop();
  process.exit(0);
}
await using ours = await ownServer(bases, version);
await Promise.all([real?.prepare(), ours.prepare()]);
const differences: Difference[] = [];
/** The smallest case that shows a difference, by its signature. */
const examples = new Map<string, Difference>();
let unstable = 0;
/** Requests whose connection kube-apiserver closes, because its own code fails on them: there is nothing to compare. */
let unanswered = 0;
const recording: Recorded[] = [];
const kinds: Tally = {};
const ofSeeds: Tally = {};
const codesOfSeeds: Record<string, number> = {};
await compare('create', creates);
if (updates.length > 0) await Promise.all([real?.store(), ours.store()]);
await compare('update', updates);
report();
if (values.save !== undefined) writeFileSync(values.save, JSON.stringify(saved));
if (values.write) {
  const results = Object.entries(kinds).map(([kind, { create, update }]) => ({
    kind,
    creates: create,
    updates: update,
  }));
  writeRecording(recording);
  const bySeed = seeds.map((seed) => {
    const { create, update } = countsOf(ofSeeds, seed);
    return { seed, creates: create, updates: update, codes: codesOfSeeds[seed] ?? 0 };
  });
  writePage({ kinds: results, differences, known: readKnownDifferences(), seeds: bySeed, unanswered });
}

async function compare(verb: 'create' | 'update', cases: readonly Case[]): Promise<void> {
  const before = differences.length;
  const known = (index: number): readonly Answer[] => saved[verb + JSON.stringify(cases[index])] ?? [];
  const theirs = real === undefined ? cases.map((_, index) => known(index)[0]) : await playAll(cases, real);
  const own = await playAll(cases, ours);
  let same = 0;
  let codes = 0;
  let compared = 0;
  for (const [index, one] of cases.entries()) {
    const answer = own[index] as Answer;
    const want = theirs[index];
    if (want === undefined) throw new Error(`Cannot find the answer to ${describeCase(one)}: save the answers again`);
    if (real !== undefined) saved[verb + JSON.stringify(one)] = [want];
    if (want.code === NO_ANSWER) {
      unanswered += 1;
      continue;
    }
    compared += 1;
    if (one.edits.length === 0 && want.code >= 300) console.log(`refused: ${describeCase(one)} ${shown(want)}`);
    const answers = known(index);
    const isReordered = answers.length > 1 && sameAnswer(unordered(want), unordered(answer));
    if (sameAnswer(answer, want) || answers.some((other) => sameAnswer(other, answer)) || isReordered) {
      same += 1;
      keep(verb, one, [...answers, want, answer]);
      continue;
    }
    const again = real !== undefined && (await isAmong(answer, want, () => real.play(one)));
    if (again) {
      saved[verb + JSON.stringify(one)] = [want, answer];
      same += 1;
      keep(verb, one, [want, answer]);
      unstable += 1;
      continue;
    }
    if (answer.code !== want.code) {
      codes += 1;
      const seed = seedOf.get(one) ?? '';
      codesOfSeeds[seed] = (codesOfSeeds[seed] ?? 0) + 1;
    }
    keep(verb, one, [want, ...answers], true);
    differences.push({
      played: one,
      kind: bases.find(({ id }) => id === one.base)?.kind ?? '',
      real: want,
      ours: answer,
    });
  }
  await findExamples(differences.slice(before));
  console.log(
    `${verb}: ${compared} cases, ${same} equal (${((100 * same) / Math.max(1, compared)).toFixed(2)} %), ${codes} codes differ, after ${((performance.now() - started) / 1000).toFixed(0)} s`,
  );
}

/** Finds an example of each new way in which answers differ; a live server is asked for smaller ones. */
async function findExamples(found: readonly Difference[]): Promise<void> {
  const ordered = found.toSorted((left, right) => describeCase(left.played).length - describeCase(right.played).length);
  for (const difference of ordered) {
    const key = signature(difference);
    if (examples.has(key)) continue;
    const live = examples.size < Number(values.limit) ? real : undefined;
    const askBoth = async (played: Case): Promise<{ real: Answer; ours: Answer }> => ({
      real: live === undefined ? difference.real : await live.play(played),
      ours: await ours.play(played),
    });
    examples.set(key, live === undefined ? difference : await shrunk(difference, askBoth));
  }
}

function keep(part: Recorded['part'], one: Case, answers: readonly Answer[], differs = false): void {
  const [first] = answers;
  if (first === undefined) return;
  const digests = [...new Set(answers.map(digestOf))];
  const message = first.body['kind'] === 'Status' ? String(first.body['message']) : '';
  recording.push({ part, played: one, digests, code: first.code, message, ...(differs ? { differing: first } : {}) });
  const kind = bases.find(({ id }) => id === one.base)?.kind ?? '';
  const seed = seedOf.get(one);
  for (const counts of [countsOf(kinds, kind), ...(seed === undefined ? [] : [countsOf(ofSeeds, seed)])]) {
    counts[part].cases += 1;
    if (!differs) counts[part].equal += 1;
  }
}

function countsOf(tally: Tally, name: string): Tally[string] {
  return (tally[name] ??= { create: { cases: 0, equal: 0 }, update: { cases: 0, equal: 0 } });
}

function report(): void {
  const listed = readKnownDifferences();
  const groups = new Map<string, Difference[]>();
  for (const difference of differences) {
    const key = signature(difference);
    groups.set(key, [...(groups.get(key) ?? []), difference]);
  }
  console.log(
    `${differences.length} differ, in ${groups.size} ways; ${unstable} answers of the real server vary, ${unanswered} requests it does not answer`,
  );
  const ordered = [...groups].sort(([, left], [, right]) => right.length - left.length).slice(0, Number(values.limit));
  for (const [key, members] of ordered) {
    const named = [...new Set(members.map(({ kind }) => kind))].join(' ');
    const reason = members.every((one) => reasonOf(one, listed) !== undefined) ? ' (listed)' : '';
    console.log(`\n${members.length}× [${named}] ${key}${reason}`);
    const smallest = examples.get(key);
    if (smallest === undefined) continue;
    console.log(`   ${describeCase(smallest.played).slice(0, 700)}`);
    console.log(`   real ${shown(smallest.real)}`);
    console.log(`   ours ${shown(smallest.ours)}`);
  }
}

function shown({ code, body, warnings }: Answer): string {
  const text = body['kind'] === 'Status' ? String(body['message']) : values.full ? JSON.stringify(body) : '';
  return `${code} ${text.slice(0, values.full ? 5000 : 900)}${warnings.length > 0 ? ` warnings ${JSON.stringify(warnings)}` : ''}`;
}
