import type { StatefulSetSpec } from '../../../api/types/apps/v1.d.ts';
import type { PersistentVolumeClaim, PodSpec } from '../../../api/types/core/v1.d.ts';
import { Pod, StatefulSet } from '../../../client/index.ts';
import type { ScenarioWorld } from '../../testing/scenarios/index.ts';

type Template = StatefulSetSpec['template'];

const labels = { app: 'web' };

export function template(spec: Partial<PodSpec> = {}): Template {
  return { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx:1' }], ...spec } };
}

/** Pods bound to a node, which terminate only when the kubelet says so. */
export const onNode = { template: template({ nodeName: 'n1', terminationGracePeriodSeconds: 3600 }) };

export function statefulSet(spec: Partial<StatefulSetSpec> = {}): StatefulSet {
  return {
    metadata: { name: 'web', annotations: { team: 'x' } },
    spec: { replicas: 3, serviceName: 'web', selector: { matchLabels: labels }, template: template(), ...spec },
  };
}

export function claimTemplate(name = 'data'): PersistentVolumeClaim {
  const resources = { requests: { storage: '1Gi' } };
  return { metadata: { name, labels: { disk: name } }, spec: { accessModes: ['ReadWriteOnce'], resources } };
}

export function setImage(world: ScenarioWorld, image: string): Promise<void> {
  return world.change(StatefulSet, 'web', { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } });
}

export function scale(world: ScenarioWorld, replicas: number): Promise<void> {
  return world.change(StatefulSet, 'web', { spec: { replicas } });
}

/** Makes pods ready one after the other, for ordered pod management. */
export async function makeAllReady(world: ScenarioWorld, pods: number): Promise<void> {
  for (let pod = 0; pod < pods; pod++) await world.makeReady();
}

export async function makeUnready(world: ScenarioWorld, name: string): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: world.now() }];
  await world.changeStatus(Pod, name, { conditions });
}
