import type { PodSpec } from '../../../api/types/core/v1.d.ts';
import type { DeploymentSpec } from '../../../api/types/apps/v1.d.ts';
import { Deployment, hasReason, mergePatch, Pod } from '../../../client/index.ts';
import type { ScenarioWorld } from '../../testing/scenarios/index.ts';
import { PodMetrics } from './metric-kinds.ts';

const LABELS = { app: 'web' };

/** A Deployment whose pods the scenarios create themselves. */
export async function deploy(
  world: ScenarioWorld,
  replicas: number,
  spec: Partial<DeploymentSpec> = {},
): Promise<void> {
  const template = { metadata: { labels: LABELS }, spec: podSpec() };
  await world.create(Deployment, {
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: LABELS }, template, ...spec },
  });
  await world.changeStatus(Deployment, 'web', { replicas });
}

export function podSpec(requests: Record<string, string> = { cpu: '100m', memory: '64Mi' }): PodSpec {
  return { containers: [{ name: 'c', image: 'i', resources: { requests } }] };
}

export interface MadePod {
  readonly name: string;
  readonly spec?: PodSpec;
  readonly status?: object;
}

/** Pods that have been ready for long, unless their status is given. */
export async function makePods(world: ScenarioWorld, ...pods: readonly (string | MadePod)[]): Promise<void> {
  for (const each of pods) {
    const { name, spec = podSpec(), status = ready(world) } = typeof each === 'string' ? { name: each } : each;
    await world.of(Pod).create({ metadata: { name, labels: LABELS }, spec });
    await world.of(Pod).status.patch(name, mergePatch({ status }));
  }
  await world.quiet();
}

export function ready(world: ScenarioWorld): object {
  const since = world.now(-3600);
  return {
    phase: 'Running',
    startTime: since,
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }],
  };
}

/** The status of a pod that has started and was never ready. */
export function starting(world: ScenarioWorld): object {
  const since = world.now();
  return {
    phase: 'Running',
    startTime: since,
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: since }],
  };
}

/** Publishes the pods' usage: `cpu` of their container `c`, or more. */
export async function use(
  world: ScenarioWorld,
  pods: readonly string[],
  usage: string | Record<string, Record<string, string>>,
): Promise<void> {
  const byContainer = typeof usage === 'string' ? { c: { cpu: usage, memory: '64Mi' } } : usage;
  const containers = Object.entries(byContainer).map(([name, amounts]) => ({ name, usage: amounts }));
  const metrics = world.of(PodMetrics);
  for (const name of pods) {
    const measured = { timestamp: world.now(), window: '10s', containers };
    try {
      await metrics.create({ metadata: { name, labels: LABELS }, ...measured });
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      await metrics.patch(name, mergePatch(measured));
    }
  }
}
