// Lets a real kube-scheduler decide about the pods of mixed clusters, and records scores, victims and messages.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKube } from '../../../peers/index.ts';
import type { PodSpec } from '../../../src/api/types/core/v1.d.ts';
import { type Random, SeededRandom } from '../../../src/base/index.ts';
import {
  type Client,
  connect,
  mergePatch,
  type Observed,
  type Pod,
  StatusError,
  type Stored,
} from '../../../src/client/index.ts';
import { schedulerConfiguration } from './decision-profiles.ts';
import { type Decision, type DecisionRun, startTimeOf, writeDecisions } from './decision-run.ts';
import { type MixedPod, RandomMix, type Surroundings } from './random-mix.ts';

/** Admission plugins that need controllers, or that would not let a pod say its priority and overhead itself. */
const WITHOUT = '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,Priority,RuntimeClass';

export async function recordDecisions({ runs, seed }: { runs: number; seed: string }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-decisions-'));
  const configPath = join(folder, 'scheduler.json');
  await writeFile(configPath, JSON.stringify(schedulerConfiguration(join(folder, 'kubeconfig'))));
  await using kube = await startKube({
    parts: ['kube-scheduler'],
    folder,
    apiserverFlags: [WITHOUT],
    schedulerFlags: [`--config=${configPath}`, '--secure-port=0', '--vmodule=schedule_one=10'],
  });
  try {
    await using client = await connect({ kubeconfig: kube.kubeconfig });
    const recorded = await recordAll(client, { runs, random: new SeededRandom(seed) });
    const log = await readFile(join(folder, 'kube-scheduler.log'), 'utf8');
    writeDecisions(withScores(recorded, log));
  } finally {
    await kube.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function recordAll(client: Client, { runs, random }: { runs: number; random: Random }): Promise<DecisionRun[]> {
  const mix = new RandomMix(random);
  const recorded: DecisionRun[] = [];
  for (let run = 0; run < runs; run++) {
    const surroundings = mix.surroundings();
    await prepare(client, surroundings);
    const decisions: Decision[] = [];
    for (const pod of mix.pods(surroundings)) {
      // names are unique over all runs, so that scores are found in the log by them
      const decision = await decide(client, { ...pod, name: `r${run}-${pod.name}` }, decisions.length);
      if (decision !== undefined) decisions.push(decision);
    }
    const count = (test: (decision: Decision) => unknown): number => decisions.filter(test).length;
    console.log(
      `run ${run}: ${decisions.length} pods, ${count(({ node }) => node)} placed, ${count(({ nominated }) => nominated)} by preemption`,
    );
    recorded.push({ surroundings, decisions });
  }
  return recorded;
}

/** Removes what the run before has left, and makes everything but pods. */
async function prepare({ core, apps, policy }: Client, surroundings: Surroundings): Promise<void> {
  const { v1 } = core;
  const known = new Set((await v1.namespaces.list()).items.map(({ metadata }) => metadata.name));
  for (const [name, labels] of Object.entries(surroundings.namespaces)) {
    if (!known.has(name)) await v1.namespaces.create({ metadata: { name, labels } });
    for (const { metadata } of (await v1.pods.namespace(name).list()).items)
      await v1.pods.namespace(name).delete(metadata.name, { gracePeriodSeconds: 0 });
    for (const one of [
      v1.services,
      v1.replicationcontrollers,
      apps.v1.replicasets,
      apps.v1.statefulsets,
      policy.v1.poddisruptionbudgets,
    ]) {
      for (const { metadata } of (await one.namespace(name).list()).items)
        if (metadata.name !== 'kubernetes')
          await one.namespace(name).delete(metadata.name, { propagationPolicy: 'Background' });
    }
  }
  for (const { metadata } of (await v1.nodes.list()).items) await v1.nodes.delete(metadata.name);
  for (const { metadata, spec, status } of surroundings.nodes) {
    await v1.nodes.create({ metadata, spec });
    await v1.nodes.status.patch(metadata.name, mergePatch({ status }));
  }
  for (const { name, namespace, labels } of surroundings.services)
    await v1.services
      .namespace(namespace)
      .create({ metadata: { name }, spec: { selector: labels, ports: [{ port: 80 }] } });
  for (const { kind, name, namespace, labels } of surroundings.owners) {
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'main', image: 'image' }] },
    };
    const selector = { matchLabels: labels };
    const metadata = { name };
    if (kind === 'ReplicationController')
      await v1.replicationcontrollers.namespace(namespace).create({ metadata, spec: { selector: labels, template } });
    else if (kind === 'ReplicaSet')
      await apps.v1.replicasets.namespace(namespace).create({ metadata, spec: { selector, template } });
    else
      await apps.v1.statefulsets
        .namespace(namespace)
        .create({ metadata, spec: { selector, template, serviceName: name } });
  }
  for (const { name, namespace, labels, allowed } of surroundings.budgets) {
    const budgets = policy.v1.poddisruptionbudgets.namespace(namespace);
    await budgets.create({ metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: labels } } });
    const status = {
      disruptionsAllowed: allowed,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
      observedGeneration: 1,
    };
    await budgets.status.patch(name, mergePatch({ status }));
  }
  await pause(2000); // the scheduler hears of all this by different watches
}

/** What became of the pod; undefined when the API server does not want it. Pods without a node are deleted again. */
async function decide(client: Client, pod: MixedPod, index: number): Promise<Decision | undefined> {
  const { name, namespace } = pod;
  const pods = client.core.v1.pods.namespace(namespace);
  const owner = await ownerOf(client, pod);
  try {
    const metadata = { name, labels: pod.labels, ownerReferences: owner === undefined ? [] : [owner] };
    await pods.create({ metadata, spec: pod.spec });
  } catch (error) {
    if (error instanceof StatusError && error.code === 422) return undefined;
    throw error;
  }
  const first = await settled(client, pod, ({ status }) =>
    status?.conditions?.some(({ type }) => type === 'PodScheduled') === true ? true : undefined,
  );
  const decision: Decision = { name, namespace, labels: pod.labels, owner: owner?.kind, spec: neededOf(first.spec) };
  if (first.spec?.nodeName !== undefined) {
    await pods.status.patch(name, mergePatch({ status: { startTime: startTimeOf(index) } }));
    return { ...decision, node: first.spec.nodeName };
  }
  const message = first.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? '';
  const nominatedNode = first.status?.nominatedNodeName;
  if (nominatedNode === undefined) {
    await pods.delete(name, { gracePeriodSeconds: 0 });
    return { ...decision, message };
  }
  const victims = await victimsOf(client);
  for (const victim of victims) {
    const { namespace: place = '', name: victimName } = victim.metadata;
    await client.core.v1.pods.namespace(place).delete(victimName, { gracePeriodSeconds: 0 });
  }
  const bound = await settled(client, pod, ({ spec }) => spec?.nodeName);
  await pods.status.patch(name, mergePatch({ status: { startTime: startTimeOf(index) } }));
  const keys = victims.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
  return { ...decision, message, nominated: { node: nominatedNode, victims: keys }, node: bound.spec?.nodeName };
}

/** The pods that are being deleted, once their number does not change any more: without kubelets they stay. */
async function victimsOf({ core }: Client): Promise<readonly Observed<Pod>[]> {
  let found: readonly Observed<Pod>[] = [];
  for (let stable = 0; stable < 10; stable++) {
    const { items } = await core.v1.pods.list();
    const now = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    if (now.length !== found.length || now.length === 0) stable = 0;
    found = now;
    await pause(10);
  }
  return found;
}

async function ownerOf(
  { core, apps }: Client,
  { owner, namespace }: MixedPod,
): Promise<{ apiVersion: string; kind: string; name: string; uid: string; controller: true } | undefined> {
  if (owner === undefined) return undefined;
  const { kind, name } = owner;
  const apiVersion = kind === 'ReplicationController' ? 'v1' : 'apps/v1';
  const found =
    kind === 'ReplicationController'
      ? await core.v1.replicationcontrollers.namespace(namespace).get(name)
      : kind === 'ReplicaSet'
        ? await apps.v1.replicasets.namespace(namespace).get(name)
        : await apps.v1.statefulsets.namespace(namespace).get(name);
  return { apiVersion, kind, name, uid: found.metadata.uid, controller: true };
}

async function settled(
  { core }: Client,
  { name, namespace }: MixedPod,
  isThere: (pod: Stored<Pod>) => unknown,
): Promise<Stored<Pod>> {
  for (let tries = 0; tries < 4000; tries++) {
    const pod = await core.v1.pods.namespace(namespace).get(name);
    if (isThere(pod) !== undefined) return pod;
    await pause(5);
  }
  throw new Error(`Cannot record: nothing happens to pod "${namespace}/${name}"`);
}

function neededOf(spec: PodSpec | undefined): Partial<PodSpec> {
  const { containers = [], initContainers, ...rest } = spec ?? { containers: [] };
  const needed = (list: PodSpec['containers']): PodSpec['containers'] =>
    list.map(({ name, image, resources, ports, restartPolicy, restartPolicyRules }) => ({
      name,
      image,
      resources,
      ports,
      restartPolicy,
      restartPolicyRules,
    }));
  const { tolerations, affinity, nodeSelector, resources, priority, overhead, preemptionPolicy } = rest;
  const { topologySpreadConstraints, schedulerName } = rest;
  return {
    containers: needed(containers),
    initContainers: initContainers === undefined ? undefined : needed(initContainers),
    ...{ tolerations, affinity, nodeSelector, resources, priority, overhead, preemptionPolicy },
    ...{ topologySpreadConstraints, schedulerName },
  };
}

const SCORED = /"Plugin scored node for pod" pod="([^"]+)" plugin="([^"]+)" node="([^"]+)" score=(-?\d+)/;

/** Adds the scores from the log, for the pods that were placed at the first try. */
function withScores(runs: readonly DecisionRun[], log: string): DecisionRun[] {
  const byPod = new Map<string, Record<string, Record<string, number>>>();
  for (const line of log.split('\n')) {
    const [, pod = '', plugin = '', node = '', score = ''] = SCORED.exec(line) ?? [];
    if (pod === '') continue;
    const nodes = byPod.get(pod) ?? {};
    byPod.set(pod, nodes);
    (nodes[node] ??= {})[plugin] = Number(score);
  }
  return runs.map((run) => ({
    ...run,
    decisions: run.decisions.map((decision) => ({
      ...decision,
      scores: decision.message === undefined ? byPod.get(`${decision.namespace}/${decision.name}`) : undefined,
    })),
  }));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
