import { ControllerRevision, Pod, StatefulSet } from '../../../client/index.ts';
import type { ScenarioTopic } from '../../testing/scenarios/index.ts';
import { makeAllReady, onNode, scale, setImage, statefulSet, template } from './samples.ts';

function rolling(rollingUpdate: object): Pick<NonNullable<StatefulSet['spec']>, 'updateStrategy'> {
  return { updateStrategy: { type: 'RollingUpdate', rollingUpdate } };
}

/** Template updates and revision history. */
export const rolloutScenarios: ScenarioTopic['scenarios'] = {
  'a rolling update': async (world) => {
    await world.create(StatefulSet, statefulSet());
    await makeAllReady(world, 3);
    await setImage(world, 'nginx:2');
    await world.look('changed');
    for (const step of [1, 2, 3]) {
      await world.makeReady();
      await world.look(`${step} ready`);
    }
  },

  'a rolling update of pods that take their time to end': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 2, ...onNode }));
    await makeAllReady(world, 2);
    await setImage(world, 'nginx:2');
    await world.look('changed');
    await world.removeTerminating();
    await world.look('one gone');
    await world.makeReady();
    await world.look('one ready');
    await world.removeTerminating();
    await world.makeReady();
    await world.look('two ready');
  },

  'a rolling update of a set without order': async (world) => {
    await world.create(StatefulSet, statefulSet({ podManagementPolicy: 'Parallel' }));
    await world.makeReady();
    await setImage(world, 'nginx:2');
    await world.look('changed');
    await world.makeReady();
    await world.look('one ready');
    await makeAllReady(world, 2);
    await world.look('all ready');
  },

  'a partition': async (world) => {
    await world.create(StatefulSet, statefulSet(rolling({ partition: 2 })));
    await makeAllReady(world, 3);
    await setImage(world, 'nginx:2');
    await makeAllReady(world, 2);
    await world.look('one is new');
    await world.of(Pod).delete('web-0');
    await world.look('an old one is made anew as it was');
    await world.makeReady();
    await world.change(StatefulSet, 'web', { spec: rolling({ partition: 0 }) });
    await makeAllReady(world, 3);
    await world.look('all are new');
  },

  'a partition beyond all pods': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 2, ...rolling({ partition: 5 }) }));
    await makeAllReady(world, 2);
    await setImage(world, 'nginx:2');
    await world.look('changed');
    await scale(world, 3);
    await world.look('a new one is old');
  },

  'a partition and numbers from five on': async (world) => {
    await world.create(StatefulSet, statefulSet({ ordinals: { start: 5 }, ...rolling({ partition: 1 }) }));
    await makeAllReady(world, 3);
    await setImage(world, 'nginx:2');
    await makeAllReady(world, 3);
    await world.look('rolled out');
    await world.of(Pod).delete('web-5');
    await world.look('made anew');
  },

  'pods that are replaced when somebody deletes them': async (world) => {
    await world.create(StatefulSet, statefulSet({ updateStrategy: { type: 'OnDelete' } }));
    await makeAllReady(world, 3);
    await setImage(world, 'nginx:2');
    await world.look('changed');
    await world.of(Pod).delete('web-1');
    await world.makeReady();
    await world.look('one is new');
    await world.change(StatefulSet, 'web', { spec: { updateStrategy: { type: 'RollingUpdate' } } });
    await makeAllReady(world, 3);
    await world.look('all are new');
  },

  'a bad rollout that is undone': async (world) => {
    await world.create(StatefulSet, statefulSet());
    await makeAllReady(world, 3);
    await setImage(world, 'bad');
    await world.look('bad');
    await setImage(world, 'nginx:1');
    await world.look('undone, but stuck');
    await world.of(Pod).delete('web-2');
    await world.makeReady();
    await world.look('freed');
  },

  'a bad rollout that is undone without order': async (world) => {
    await world.create(StatefulSet, statefulSet({ podManagementPolicy: 'Parallel' }));
    await world.makeReady();
    await setImage(world, 'bad');
    await setImage(world, 'nginx:1');
    await world.makeReady();
    await world.look('undone');
  },

  'rolling over': async (world) => {
    await world.create(StatefulSet, statefulSet());
    await makeAllReady(world, 3);
    await setImage(world, 'nginx:2');
    await world.makeReady();
    await setImage(world, 'nginx:3');
    await world.look('changed twice');
    await makeAllReady(world, 4);
    await world.look('done');
  },

  'scaling in the middle of a rollout': async (world) => {
    await world.create(StatefulSet, statefulSet());
    await makeAllReady(world, 3);
    await setImage(world, 'nginx:2');
    await scale(world, 4);
    await world.look('scaled up');
    await makeAllReady(world, 2);
    await scale(world, 2);
    await world.look('scaled down');
    await makeAllReady(world, 3);
    await world.look('done');
  },

  'going back and forth with a history of one': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 1, revisionHistoryLimit: 1 }));
    await world.makeReady();
    for (const image of ['nginx:2', 'nginx:3', 'nginx:2', 'nginx:4']) {
      await setImage(world, image);
      await world.makeReady();
      await world.look(image);
    }
  },

  'a history of nothing': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 1, revisionHistoryLimit: 0 }));
    await world.makeReady();
    await setImage(world, 'nginx:2');
    await world.look('changed');
    await world.makeReady();
    await world.look('done');
  },

  'more than one pod missing, which is not asked for by default': async (world) => {
    await world.create(StatefulSet, statefulSet({ ...rolling({ maxUnavailable: 2 }), ...onNode }));
    await makeAllReady(world, 3);
    await setImage(world, 'nginx:2');
    await world.look('changed');
  },

  'a name that is taken': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 0 }));
    const { items } = await world.of(ControllerRevision).list();
    const name = items[0]?.metadata.name ?? '';
    await world.of(StatefulSet).delete('web');
    await world.of(ControllerRevision).delete(name);
    await world.create(ControllerRevision, { metadata: { name }, data: { other: true }, revision: 7 });
    await world.create(StatefulSet, statefulSet({ replicas: 1 }));
    await world.makeReady();
    await world.look('collided');
    await setImage(world, 'nginx:2');
    await world.look('changed');
  },

  'a history that nobody has': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 1 }));
    await world.makeReady();
    await setImage(world, 'nginx:2');
    await world.makeReady();
    await world.of(StatefulSet).delete('web', { propagationPolicy: 'Orphan' });
    await world.change(StatefulSet, 'web', { metadata: { finalizers: null } });
    for (const { metadata } of (await world.of(ControllerRevision).list()).items)
      await world.change(ControllerRevision, metadata.name, { metadata: { ownerReferences: null } });
    await world.change(Pod, 'web-0', { metadata: { ownerReferences: null } });
    await world.look('orphans');
    await world.create(StatefulSet, statefulSet({ replicas: 1 }));
    await world.look('adopted and rolled back');
  },

  'a template with awkward letters and numbers': async (world) => {
    const awkward = template({
      terminationGracePeriodSeconds: 9007199254740991,
      containers: [
        {
          name: 'c',
          image: 'nginx:1',
          args: ['<a> & "b"', '\u2028\u2029', '\u0001\b\f\n\r\t\u007f\\', '\u{1f40b} \u00e9'],
          env: [{ name: 'A', value: '' }],
          ports: [{ containerPort: 80 }],
          resources: { limits: { cpu: '0.5', memory: '1e3' }, requests: { cpu: '1e-1' } },
          readinessProbe: { httpGet: { port: 'http' } },
        },
      ],
      securityContext: { runAsUser: 2147483647 },
      volumes: [{ name: 'v', emptyDir: {} }],
    });
    awkward.metadata = { ...awkward.metadata, annotations: { 'z/b': '<>', a: '\u00fc' } };
    await world.create(StatefulSet, statefulSet({ replicas: 1, template: awkward }));
    await world.look('created');
  },
};
