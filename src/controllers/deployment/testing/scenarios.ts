import type { DeploymentSpec } from '../../../api/types/apps/v1.d.ts';
import { Deployment, mergePatch, Pod, ReplicaSet, ReplicationController } from '../../../client/index.ts';
import { type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';

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

function setImage(world: ScenarioWorld, image: string): Promise<void> {
  return world.change(Deployment, 'web', { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } });
}

const scenarios: ScenarioTopic['scenarios'] = {
  'a new Deployment': async (world) => {
    await world.create(Deployment, deployment());
    await world.look('created');
    await world.makeReady(1);
    await world.look('one ready');
    await world.makeReady();
    await world.look('all ready');
  },

  'a rolling update with one pod more': async (world) => {
    await world.create(Deployment, deployment(rolling(1, 0)));
    await world.makeReady();
    await setImage(world, 'nginx:2');
    await world.look('changed');
    for (const step of [1, 2, 3]) {
      await world.makeReady(1);
      await world.look(`${step} ready`);
    }
  },

  'a rolling update with two pods fewer': async (world) => {
    await world.create(Deployment, deployment({ replicas: 5, ...rolling(0, '40%') }));
    await world.makeReady();
    await setImage(world, 'nginx:2');
    await world.look('changed');
    for (const step of [1, 2, 3, 4, 5]) {
      await world.makeReady(1);
      await world.look(`${step} ready`);
    }
  },

  'scaling in the middle of a bad rollout, rolling over, and undoing it': async (world) => {
    await world.create(Deployment, deployment({ replicas: 10, ...rolling(3, 2) }));
    await world.makeReady();
    await setImage(world, 'bad');
    await world.look('bad');
    await world.change(Deployment, 'web', { spec: { replicas: 15 } });
    await world.look('scaled to 15');
    await setImage(world, 'worse');
    await world.look('rolled over');
    await world.change(Deployment, 'web', { spec: { replicas: 5 } });
    await world.look('scaled to 5');
    await setImage(world, 'nginx:1');
    await world.look('undone');
  },

  'a Deployment that is recreated': async (world) => {
    await world.create(Deployment, deployment({ strategy: { type: 'Recreate' } }));
    await world.makeReady();
    await world.look('first');
    await setImage(world, 'nginx:2');
    await world.look('changed');
    await world.makeReady();
    await world.look('second');
  },

  'a Deployment that is paused': async (world) => {
    await world.create(Deployment, deployment());
    await world.makeReady();
    await world.change(Deployment, 'web', { spec: { paused: true } });
    await world.look('paused');
    await setImage(world, 'nginx:2');
    await world.change(Deployment, 'web', { spec: { replicas: 4 } });
    await world.look('changed');
    await world.change(Deployment, 'web', { spec: { paused: false } });
    await world.look('resumed');
    for (let pod = 0; pod < 4; pod++) await world.makeReady(1);
    await world.look('done');
  },

  'going back and forth with a history of one': async (world) => {
    await world.create(Deployment, deployment({ replicas: 1, revisionHistoryLimit: 1 }));
    await world.makeReady();
    for (const image of ['nginx:2', 'nginx:3', 'nginx:2', 'nginx:3']) {
      await setImage(world, image);
      await world.makeReady();
      await world.look(image);
    }
  },

  'rollbacks asked for by annotation': async (world) => {
    await world.create(Deployment, deployment({ replicas: 1 }));
    await world.makeReady();
    await setImage(world, 'nginx:2');
    await world.makeReady();
    const ask = (revision: string): Promise<void> =>
      world.change(Deployment, 'web', {
        metadata: { annotations: { team: 'y', 'deprecated.deployment.rollback.to': revision } },
      });
    await ask('1');
    await world.makeReady();
    await world.look('back');
    await ask('77');
    await world.look('no such revision');
  },

  'adopting and releasing': async (world) => {
    const labels = { app: 'web', v: '1' };
    const { spec } = template(labels, 'other');
    await world.create(Pod, { metadata: { name: 'orphan', labels }, ...(spec === undefined ? {} : { spec }) });
    const set = { replicas: 2, selector: { matchLabels: labels }, template: template(labels) };
    await world.create(ReplicaSet, { metadata: { name: 'set', labels: { app: 'web' } }, spec: set });
    await world.look('pod adopted');
    await world.makeReady();
    await world.create(Deployment, deployment({ replicas: 2, template: template(labels) }));
    await world.look('set adopted');
    await world.change(Pod, 'orphan', { metadata: { labels: { v: '2' } } });
    await world.look('pod released');
    await world.change(Pod, 'orphan', { metadata: { labels: { v: '1' } } });
    await world.look('pod adopted again');
    await world.change(ReplicaSet, 'set', { metadata: { labels: { app: 'other' } } });
    await world.look('set released');
  },

  'a ReplicationController': async (world) => {
    const labels = { app: 'rc' };
    const spec = { replicas: 3, selector: labels, template: template(labels) };
    await world.create(ReplicationController, { metadata: { name: 'rc' }, spec });
    await world.look('created');
    await world.makeReady(2);
    await world.look('two ready');
    await world.change(ReplicationController, 'rc', { spec: { replicas: 1 } });
    await world.look('scaled');
    const { items } = await world.pods.list();
    await world.pods.status.patch(items[0]?.metadata.name ?? '', mergePatch({ status: { phase: 'Failed' } }));
    await world.look('a failed pod is replaced');
  },

  'a time to be ready for': async (world) => {
    await world.create(Deployment, deployment({ replicas: 2, minReadySeconds: 20 }));
    await world.makeReady();
    await world.look('ready');
    await world.pass(21);
    await world.look('available');
    await world.change(Deployment, 'web', { spec: { minReadySeconds: 0 } });
    await world.look('no time');
  },

  'a deadline that is missed': async (world) => {
    await world.create(Deployment, deployment({ replicas: 2, progressDeadlineSeconds: 5 }));
    await world.look('created');
    await world.pass(8);
    await world.look('late');
    await world.makeReady();
    await world.look('after all');
  },

  'a name that is taken': async (world) => {
    await world.create(Deployment, deployment({ paused: true }));
    await world.create(Deployment, deployment({ replicas: 0 }, 'probe'));
    await world.quiet();
    const { items } = await world.of(ReplicaSet).list();
    const { name = '', labels = {} } = items[0]?.metadata ?? {};
    await world.of(Deployment).delete('probe');
    await world.of(ReplicaSet).delete(name);
    await world.quiet();
    const other = { replicas: 0, selector: { matchLabels: { o: 'o' } }, template: template({ o: 'o' }) };
    await world.create(ReplicaSet, { metadata: { name: `web-${labels['pod-template-hash']}` }, spec: other });
    await world.change(Deployment, 'web', { spec: { paused: false } });
    await world.look('collided');
    await world.makeReady();
    await world.look('ready');
  },

  'pods that the server refuses': async (world) => {
    const bad = template({ app: 'web' });
    bad.metadata = { ...bad.metadata, finalizers: ['not a name'] };
    await world.create(Deployment, deployment({ template: bad }));
    await world.look('refused');
    await world.change(Deployment, 'web', { spec: { template: { metadata: { finalizers: null } } } });
    await world.makeReady();
    await world.look('repaired');
  },

  'from no pods to some and back': async (world) => {
    await world.create(Deployment, deployment({ replicas: 0 }));
    await world.look('none');
    await setImage(world, 'nginx:2');
    await world.look('changed');
    await world.change(Deployment, 'web', { spec: { replicas: 2 } });
    await world.makeReady();
    await world.look('two');
    await world.change(Deployment, 'web', { spec: { replicas: 0 } });
    await world.look('none again');
  },
};

/** Scenarios about Deployments, ReplicaSets and ReplicationControllers. */
export const topic: ScenarioTopic = {
  controllers: ['deployment-controller', 'replicaset-controller', 'replicationcontroller-controller'],
  seen: [
    see(Deployment),
    see(ReplicaSet, ({ spec }) => [
      spec?.replicas,
      spec?.minReadySeconds,
      spec?.selector,
      spec?.template?.metadata?.labels,
    ]),
    see(ReplicationController),
    see(Pod),
  ],
  scenarios,
};
