// Goes through the scenarios of a controller with the real kube-controller-manager, and records what is seen there.
//   node scripts/run.mjs test/vectors/controllers/record.ts FOLDER [--only TEXT] [--at-once NUMBER]
// FOLDER is one of src/controllers that is in topics.ts. With --only, the scenarios whose names contain the text are
// recorded again, and the others kept. It needs the peers etcd, kube-apiserver and kube-controller-manager (npm run peers).
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startKube } from '../../../peers/index.ts';
import { connect } from '../../../src/client/index.ts';
import { play, ScenarioWorld } from '../../../src/controllers/testing/scenarios/index.ts';
import { topics } from './topics.ts';

const QUIET_MS = 1500;
const LOOKS = 8;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  // Scenarios run concurrently, up to this number, where they do not see each other's objects.
  options: { only: { type: 'string', default: '' }, 'at-once': { type: 'string', default: '5' } },
});
const [folder = ''] = positionals;
const load = topics[folder];
if (load === undefined) {
  console.error(`Cannot record: name a folder of src/controllers, one of ${Object.keys(topics).join(', ')}`);
  process.exit(1);
}
const { topic } = await load();
const file = join('src/controllers', folder, 'testdata/real-cluster.json');

const gates = topic.featureGates === undefined ? [] : [`--feature-gates=${topic.featureGates}`];

await using kube = await startKube({
  parts: ['kube-controller-manager'],
  apiserverFlags: [
    '--disable-admission-plugins=ServiceAccount',
    ...gates,
    ...(topic.runtimeConfig === undefined ? [] : [`--runtime-config=${topic.runtimeConfig.join()}`]),
  ],
  controllerManagerFlags: [`--controllers=${topic.controllers.join()}`, ...gates, ...(topic.flags ?? [])],
});
await using client = await connect({ kubeconfig: kube.kubeconfig });
const recorded: Record<string, readonly object[]> = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : {};
const waiting = Object.entries(topic.scenarios).filter(([name]) => name.includes(values.only));
const isApart = topic.seen.every(({ kind }) => kind.scope === 'Namespaced');
await Promise.all(Array.from({ length: isApart ? Number(values['at-once']) : 1 }, recordNext));
const known = Object.keys(topic.scenarios).filter((name) => name in recorded);
await mkdir(dirname(file), { recursive: true });
await writeFile(
  file,
  `{\n${known.map((name) => `${JSON.stringify(name)}: ${lines(recorded[name])}`).join(',\n')}\n}\n`,
);

async function recordNext(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [name, scenario] = next;
    const namespace = `keelson-${folder}-${process.pid}-${waiting.length}`;
    await client.core.v1.namespaces.create({ metadata: { name: namespace } });
    const time = { nowMs: () => Date.now(), pass, quiet: () => quiet(namespace) };
    try {
      recorded[name] = await play(scenario, new ScenarioWorld(client, namespace, { time, sight: topic }));
      console.log(`recorded: ${name}`);
    } catch (error) {
      console.error(`not recorded: ${name}:`, error);
      process.exitCode = 1;
    }
  }
}

/** One line for each object, so that differences can be read. */
function lines(looks: readonly object[] = []): string {
  const texts = looks.map((look) => {
    const members = Object.entries(look).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
    return `{ ${members.join(',\n    ')} }`;
  });
  return `[\n  ${texts.join(',\n  ')}\n]`;
}

async function pass(seconds: number): Promise<void> {
  await sleep(seconds * 1000);
}

/** A real cluster is quiet when no object has changed for a while. */
async function quiet(namespace: string): Promise<void> {
  let seen = await versions(namespace);
  for (let looks = 0; looks < LOOKS; looks++) {
    await sleep(QUIET_MS / LOOKS);
    const now = await versions(namespace);
    if (now !== seen) looks = 0;
    seen = now;
  }
}

async function versions(namespace: string): Promise<string> {
  const lists = await Promise.all(
    topic.seen.map(({ kind }) => {
      const all = client.kind(kind);
      return (kind.scope === 'Namespaced' ? all.namespace(namespace) : all).list();
    }),
  );
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.resourceVersion)).join();
}
