// What happens to workloads, as steps that can be gone through on any cluster.
import type { Deployment, DeploymentSpec } from '../../api/types/apps/v1.d.ts';
import { mergePatch } from '../../client/index.ts';
import type { WorkloadWorld } from './workload-world.ts';

export type Scenario = (world: WorkloadWorld) => Promise<void>;

type Template = NonNullable<DeploymentSpec['template']>;

function template(labels: Record<string, string>, image = 'nginx:1'): Template {
  return { metadata: { labels }, spec: { containers: [{ name: 'c', image }] } };
}

function deployment(spec: Partial<DeploymentSpec> = {}, name = 'web'): Deployment {
  const labels = { app: 'web' };
  return {
    metadata: { name, annotations: { team: 'x', 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
    spec: { replicas: 3, selector: { matchLabels: labels }, template: template(labels), ...spec },
  };
}

function rolling(maxSurge: number | string, maxUnavailable: number | string): Pick<DeploymentSpec, 'strategy'> {
  return { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } };
}

/** By what they show. */
export const workloadScenarios: Readonly<Record<string, Scenario>> = {
  'a new Deployment': async (world) => {
    await world.deployments.create(deployment());
    await world.look('created');
    await world.makeReady(1);
    await world.look('one ready');
    await world.makeReady();
    await world.look('all ready');
  },

  'a rolling update with one pod more': async (world) => {
    await world.deployments.create(deployment(rolling(1, 0)));
    await world.makeReady();
    await world.setImage('nginx:2');
    await world.look('changed');
    for (const step of [1, 2, 3]) {
      await world.makeReady(1);
      await world.look(`${step} ready`);
    }
  },

  'a rolling update with two pods fewer': async (world) => {
    await world.deployments.create(deployment({ replicas: 5, ...rolling(0, '40%') }));
    await world.makeReady();
    await world.setImage('nginx:2');
    await world.look('changed');
    for (const step of [1, 2, 3, 4, 5]) {
      await world.makeReady(1);
      await world.look(`${step} ready`);
    }
  },

  'scaling in the middle of a bad rollout, rolling over, and undoing it': async (world) => {
    await world.deployments.create(deployment({ replicas: 10, ...rolling(3, 2) }));
    await world.makeReady();
    await world.setImage('bad');
    await world.look('bad');
    await world.change('web', { spec: { replicas: 15 } });
    await world.look('scaled to 15');
    await world.setImage('worse');
    await world.look('rolled over');
    await world.change('web', { spec: { replicas: 5 } });
    await world.look('scaled to 5');
    await world.setImage('nginx:1');
    await world.look('undone');
  },

  'a Deployment that is recreated': async (world) => {
    await world.deployments.create(deployment({ strategy: { type: 'Recreate' } }));
    await world.makeReady();
    await world.look('first');
    await world.setImage('nginx:2');
    await world.look('changed');
    await world.makeReady();
    await world.look('second');
  },

  'a Deployment that is paused': async (world) => {
    await world.deployments.create(deployment());
    await world.makeReady();
    await world.change('web', { spec: { paused: true } });
    await world.look('paused');
    await world.setImage('nginx:2');
    await world.change('web', { spec: { replicas: 4 } });
    await world.look('changed');
    await world.change('web', { spec: { paused: false } });
    await world.look('resumed');
    for (let pod = 0; pod < 4; pod++) await world.makeReady(1);
    await world.look('done');
  },

  'going back and forth with a history of one': async (world) => {
    await world.deployments.create(deployment({ replicas: 1, revisionHistoryLimit: 1 }));
    await world.makeReady();
    for (const image of ['nginx:2', 'nginx:3', 'nginx:2', 'nginx:3']) {
      await world.setImage(image);
      await world.makeReady();
      await world.look(image);
    }
  },

  'rollbacks asked for by annotation': async (world) => {
    await world.deployments.create(deployment({ replicas: 1 }));
    await world.makeReady();
    await world.setImage('nginx:2');
    await world.makeReady();
    const ask = (revision: string): Promise<void> =>
      world.change('web', { metadata: { annotations: { team: 'y', 'deprecated.deployment.rollback.to': revision } } });
    await ask('1');
    await world.makeReady();
    await world.look('back');
    await ask('77');
    await world.look('no such revision');
  },

  'adopting and releasing': async (world) => {
    const labels = { app: 'web', v: '1' };
    const { spec } = template(labels, 'other');
    await world.pods.create({ metadata: { name: 'orphan', labels }, ...(spec === undefined ? {} : { spec }) });
    const set = { replicas: 2, selector: { matchLabels: labels }, template: template(labels) };
    await world.replicaSets.create({ metadata: { name: 'set', labels: { app: 'web' } }, spec: set });
    await world.look('pod adopted');
    await world.makeReady();
    await world.deployments.create(deployment({ replicas: 2, template: template(labels) }));
    await world.look('set adopted');
    await world.pods.patch('orphan', mergePatch({ metadata: { labels: { v: '2' } } }));
    await world.look('pod released');
    await world.pods.patch('orphan', mergePatch({ metadata: { labels: { v: '1' } } }));
    await world.look('pod adopted again');
    await world.replicaSets.patch('set', mergePatch({ metadata: { labels: { app: 'other' } } }));
    await world.look('set released');
  },

  'a ReplicationController': async (world) => {
    const labels = { app: 'rc' };
    const spec = { replicas: 3, selector: labels, template: template(labels) };
    await world.controllers.create({ metadata: { name: 'rc' }, spec });
    await world.look('created');
    await world.makeReady(2);
    await world.look('two ready');
    await world.controllers.patch('rc', mergePatch({ spec: { replicas: 1 } }));
    await world.look('scaled');
    const { items } = await world.pods.list();
    await world.pods.status.patch(items[0]?.metadata.name ?? '', mergePatch({ status: { phase: 'Failed' } }));
    await world.look('a failed pod is replaced');
  },

  'a time to be ready for': async (world) => {
    await world.deployments.create(deployment({ replicas: 2, minReadySeconds: 4 }));
    await world.makeReady();
    await world.look('ready');
    await world.pass(5);
    await world.look('available');
    await world.change('web', { spec: { minReadySeconds: 0 } });
    await world.look('no time');
  },

  'a deadline that is missed': async (world) => {
    await world.deployments.create(deployment({ replicas: 2, progressDeadlineSeconds: 5 }));
    await world.look('created');
    await world.pass(8);
    await world.look('late');
    await world.makeReady();
    await world.look('after all');
  },

  'a name that is taken': async (world) => {
    await world.deployments.create(deployment({ paused: true }));
    await world.deployments.create(deployment({ replicas: 0 }, 'probe'));
    await world.quiet();
    const { items } = await world.replicaSets.list();
    const { name = '', labels = {} } = items[0]?.metadata ?? {};
    await world.deployments.delete('probe');
    await world.replicaSets.delete(name);
    await world.quiet();
    const other = { replicas: 0, selector: { matchLabels: { o: 'o' } }, template: template({ o: 'o' }) };
    await world.replicaSets.create({ metadata: { name: `web-${labels['pod-template-hash']}` }, spec: other });
    await world.change('web', { spec: { paused: false } });
    await world.look('collided');
    await world.makeReady();
    await world.look('ready');
  },

  'pods that the server refuses': async (world) => {
    const bad = template({ app: 'web' });
    bad.metadata = { ...bad.metadata, finalizers: ['not a name'] };
    await world.deployments.create(deployment({ template: bad }));
    await world.look('refused');
    await world.change('web', { spec: { template: { metadata: { finalizers: null } } } });
    await world.makeReady();
    await world.look('repaired');
  },

  'from no pods to some and back': async (world) => {
    await world.deployments.create(deployment({ replicas: 0 }));
    await world.look('none');
    await world.setImage('nginx:2');
    await world.look('changed');
    await world.change('web', { spec: { replicas: 2 } });
    await world.makeReady();
    await world.look('two');
    await world.change('web', { spec: { replicas: 0 } });
    await world.look('none again');
  },
};

/** Goes through all steps, and returns what was seen. */
export async function playScenario(scenario: Scenario, world: WorkloadWorld): Promise<readonly object[]> {
  await scenario(world);
  await world.lookAtEvents();
  return JSON.parse(JSON.stringify(world.looks)) as readonly object[];
}
