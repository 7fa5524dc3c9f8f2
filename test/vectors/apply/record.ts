// Plays random writes against a real kube-apiserver and records what it answers.
//   npm run vectors:apply -- --kubeconfig FILE [--sequences N] [--seed TEXT] [--out FILE]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../../../src/base/index.ts';
import { Chance } from './chance.ts';
import { vectorKinds } from './kinds.ts';
import type { VectorKind } from './vector-kind.ts';
import { KubeClient } from './kube-client.ts';
import { pod } from './pod-kind.ts';
import { Recorder } from './recorder.ts';
import { type Sequence, type Step, writeVectors } from './vector.ts';

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    sequences: { type: 'string', default: '1200' },
    seed: { type: 'string', default: 'apply' },
    out: { type: 'string', default: join(import.meta.dirname, 'apply.jsonl.gz') },
    full: { type: 'boolean', default: false },
  },
});

const WORKERS = 6;

if (values.kubeconfig === undefined || !existsSync(values.kubeconfig)) {
  console.error('Cannot record: give the kubeconfig of a running kube-apiserver 1.36 with --kubeconfig FILE');
  process.exit(1);
}
const client = new KubeClient(values.kubeconfig);
const version = await client
  .send('GET', '/version')
  .catch((error: unknown) => ({ code: 0, body: { message: String(error) } }));
if (version.code !== 200) {
  console.error(`Cannot record: the server does not answer (${JSON.stringify(version.body)})`);
  process.exit(1);
}

const kinds = [...vectorKinds, pod];
const wanted = Number(values.sequences);
const sequences: Sequence[] = [];
let started = 0;
await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
client.close();
sequences.sort((left, right) => (left.resource < right.resource ? -1 : left.resource > right.resource ? 1 : 0));
writeVectors(values.out, sequences);
const steps = sequences.flatMap((sequence) => sequence.steps);
console.log(`${sequences.length} sequences, ${steps.length} steps, codes ${JSON.stringify(count(steps))}`);

function count(all: readonly Step[]): Record<string, number> {
  const codes: Record<string, number> = {};
  for (const { code } of all) codes[code] = (codes[code] ?? 0) + 1;
  return codes;
}

async function work(worker: number): Promise<void> {
  const namespace = `keelson-vectors-${worker}`;
  await removeNamespace(namespace);
  await client.send('POST', '/api/v1/namespaces', {
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
  await client.send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
    body: { metadata: { name: 'default' } },
  });
  while (started < wanted) {
    const index = started++;
    const kind = kinds[index % kinds.length] as VectorKind;
    const chance = new Chance(new SeededRandom(`${values.seed} ${index}`));
    sequences.push(await new Recorder(kind, { chance, namespace, client, isFull: values.full }).run());
  }
  await removeNamespace(namespace);
}

/** No controller empties a namespace here, so that it goes only when its own finalizer is taken away. */
async function removeNamespace(namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}`;
  await client.send('DELETE', path);
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: { finalizers: [] } };
  await client.send('PUT', `${path}/finalize`, { body });
}
