// Jobs and their pods in scenarios: what users create, and what kubelets would report.
import type { JobSpec } from '../../../api/types/batch/v1.d.ts';
import { Job, mergePatch, type Observed, type Pod, type Sendable } from '../../../client/index.ts';
import type { ScenarioWorld } from '../../testing/scenarios/index.ts';
import { indexOf } from '../job-pod.ts';

type Template = JobSpec['template'];

export function template(restartPolicy: 'Never' | 'OnFailure' = 'Never'): Template {
  return {
    metadata: { labels: { app: 'work' } },
    spec: { restartPolicy, containers: [{ name: 'c', image: 'busybox' }] },
  };
}

export function newJob(spec: Partial<JobSpec> = {}, name = 'work'): Sendable<Job> {
  return { metadata: { name }, spec: { template: template(), ...spec } };
}

export function indexed(completions: number, spec: Partial<JobSpec> = {}): Sendable<Job> {
  return newJob({ completionMode: 'Indexed', completions, parallelism: completions, ...spec });
}

/** Creates a Job and waits for its pods. */
export async function start(world: ScenarioWorld, job: Sendable<Job>): Promise<void> {
  await world.create(Job, job);
  await later(world);
}

/** Waits long enough for finished pods to be counted, which happens a second later and may cause more changes. */
export async function later(world: ScenarioWorld): Promise<void> {
  await world.pass(2);
}

export async function changeJob(world: ScenarioWorld, spec: object): Promise<void> {
  await world.change(Job, 'work', { spec });
  await later(world);
}

/** How a pod ends. */
export interface PodEnd {
  readonly phase?: 'Succeeded' | 'Failed';
  readonly exitCode?: number;
  readonly container?: string;
  readonly condition?: string;
}

/** Finishes unfinished pods: a number of them, or those with the given indexes. */
export async function end(world: ScenarioWorld, which: number | readonly number[], podEnd: PodEnd = {}): Promise<void> {
  await endAtOnce(world, which, podEnd);
  await later(world);
}

export async function fail(
  world: ScenarioWorld,
  which: number | readonly number[],
  podEnd: PodEnd = {},
): Promise<void> {
  await end(world, which, { phase: 'Failed', exitCode: 1, ...podEnd });
}

/** Finishes pods without waiting for the consequences. */
export async function endAtOnce(
  world: ScenarioWorld,
  which: number | readonly number[],
  podEnd: PodEnd,
): Promise<void> {
  const { phase = 'Succeeded', exitCode = 0, container: name = 'c', condition } = podEnd;
  const terminated = { exitCode, startedAt: world.now(), finishedAt: world.now() };
  const containerStatuses = [{ name, state: { terminated }, ready: false, restartCount: 0, image: '', imageID: '' }];
  const conditions =
    condition === undefined ? [] : [{ type: condition, status: 'True', lastTransitionTime: world.now() }];
  for (const pod of await runningPods(world, which))
    await world.pods.status.patch(
      pod.metadata.name,
      mergePatch({ status: { phase, containerStatuses, ...(conditions.length === 0 ? {} : { conditions }) } }),
    );
}

export async function runningPods(
  world: ScenarioWorld,
  which: number | readonly number[],
): Promise<readonly Observed<Pod>[]> {
  await world.quiet();
  const { items } = await world.pods.list();
  const running = items
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    .toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  return typeof which === 'number'
    ? running.slice(0, which)
    : running.filter((pod) => which.includes(indexOf(pod) ?? -1));
}

export async function deletePods(world: ScenarioWorld, which: number | readonly number[]): Promise<void> {
  for (const { metadata } of await runningPods(world, which)) await world.pods.delete(metadata.name);
  await later(world);
}
