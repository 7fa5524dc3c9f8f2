import { ControllerRevision, DaemonSet, Pod } from '../../../client/index.ts';
import type { ScenarioTopic } from '../../testing/scenarios/index.ts';
import { addNodes, bindAll, daemonSet, rolling, setImage } from './samples.ts';

/** Template updates and revision history. */
export const rolloutScenarios: ScenarioTopic['scenarios'] = {
  'a rolling update': async (world) => {
    await addNodes(world, 'n1', 'n2', 'n3');
    await world.create(DaemonSet, daemonSet());
    await world.makeReady();
    await setImage(world, 'log:2');
    await world.look('changed');
    for (const step of [1, 2, 3]) {
      await world.makeReady();
      await world.look(`${step} ready`);
    }
  },

  'a rolling update of several at a time': async (world) => {
    await addNodes(world, 'n1', 'n2', 'n3');
    await world.create(DaemonSet, daemonSet(rolling('50%')));
    await world.makeReady();
    await setImage(world, 'log:2');
    await world.look('changed');
    await world.makeReady(1);
    await world.look('one ready');
    await world.makeReady();
    await world.look('two ready');
    await world.makeReady();
    await world.look('all ready');
  },

  'a rolling update of pods that take their time to end': async (world) => {
    await addNodes(world, 'n1', 'n2');
    await world.create(DaemonSet, daemonSet());
    await bindAll(world);
    await world.makeReady();
    await setImage(world, 'log:2');
    await world.look('changed');
    await world.removeTerminating();
    await world.look('one gone');
    await world.makeReady();
    await world.look('one ready');
  },

  'a rolling update with one pod more': async (world) => {
    await addNodes(world, 'n1', 'n2');
    await world.create(DaemonSet, daemonSet(rolling(0, 1)));
    await world.makeReady();
    await setImage(world, 'log:2');
    await world.look('changed');
    await world.makeReady();
    await world.look('one ready');
    await world.makeReady();
    await world.look('two ready');
  },

  'more pods, in percent, that have to be ready for a time': async (world) => {
    await addNodes(world, 'n1', 'n2', 'n3');
    await world.create(DaemonSet, daemonSet({ minReadySeconds: 20, ...rolling(0, '60%') }));
    await world.makeReady();
    await world.pass(22);
    await setImage(world, 'log:2');
    await world.makeReady();
    await world.look('two ready');
    await world.pass(22);
    await world.look('two available');
  },

  'a pod more that does not work, and an old one that no longer does': async (world) => {
    await addNodes(world, 'n1');
    await world.create(DaemonSet, daemonSet(rolling(0, 1)));
    await world.makeReady();
    const { items } = await world.pods.list();
    await setImage(world, 'bad');
    await world.look('bad');
    const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: world.now() }];
    await world.changeStatus(Pod, items[0]?.metadata.name ?? '', { conditions });
    await world.look('only the bad one');
  },

  'a bad rollout that is undone': async (world) => {
    await addNodes(world, 'n1', 'n2', 'n3');
    await world.create(DaemonSet, daemonSet());
    await world.makeReady();
    await setImage(world, 'bad');
    await world.look('bad');
    await setImage(world, 'log:1');
    await world.look('undone');
    await world.makeReady();
    await world.look('ready');
  },

  'a bad rollout with more pods that is undone': async (world) => {
    await addNodes(world, 'n1', 'n2');
    await world.create(DaemonSet, daemonSet(rolling(0, 1)));
    await world.makeReady();
    await setImage(world, 'bad');
    await world.look('bad');
    await setImage(world, 'log:1');
    await world.look('undone');
  },

  'old pods that do not work go at once': async (world) => {
    await addNodes(world, 'n1', 'n2', 'n3');
    await world.create(DaemonSet, daemonSet());
    await setImage(world, 'log:2');
    await world.look('changed');
  },

  'pods that are replaced when somebody deletes them': async (world) => {
    await addNodes(world, 'n1', 'n2');
    await world.create(DaemonSet, daemonSet({ updateStrategy: { type: 'OnDelete' } }));
    await world.makeReady();
    await setImage(world, 'log:2');
    await world.look('changed');
    const { items } = await world.pods.list();
    await world.of(Pod).delete(items[0]?.metadata.name ?? '');
    await world.makeReady();
    await world.look('one is new');
    await world.change(DaemonSet, 'log', { spec: { updateStrategy: { type: 'RollingUpdate' } } });
    await world.makeReady();
    await world.look('all are new');
  },

  'going back and forth with a history of one': async (world) => {
    await addNodes(world, 'n1');
    await world.create(DaemonSet, daemonSet({ revisionHistoryLimit: 1 }));
    await world.makeReady();
    for (const image of ['log:2', 'log:3', 'log:2', 'log:4']) {
      await setImage(world, image);
      await world.makeReady();
      await world.look(image);
    }
  },

  'a name that is taken': async (world) => {
    await world.create(DaemonSet, daemonSet());
    const { items } = await world.of(ControllerRevision).list();
    const name = items[0]?.metadata.name ?? '';
    await world.of(DaemonSet).delete('log');
    await world.of(ControllerRevision).delete(name);
    await world.create(ControllerRevision, { metadata: { name }, data: { other: true }, revision: 7 });
    await addNodes(world, 'n1');
    await world.create(DaemonSet, daemonSet());
    await world.pass(20);
    await world.makeReady();
    await world.look('collided');
  },

  'two revisions that are equal': async (world) => {
    await addNodes(world, 'n1');
    await world.create(DaemonSet, daemonSet());
    await world.makeReady();
    const { items } = await world.of(ControllerRevision).list();
    const { data = {}, metadata } = items[0] ?? {};
    const labels = { ...metadata?.labels, 'controller-revision-hash': 'other' };
    await world.create(ControllerRevision, { metadata: { name: 'copy', labels }, data, revision: 7 });
    await world.look('one stays');
  },

  'a revision without a hash': async (world) => {
    await world.create(ControllerRevision, {
      metadata: { name: 'old', labels: { app: 'log' } },
      data: { spec: { template: { $patch: 'replace' } } },
      revision: 3,
    });
    await world.create(DaemonSet, daemonSet());
    await world.look('adopted');
    await world.change(ControllerRevision, 'old', { metadata: { labels: { app: 'other' } } });
    await world.look('released');
  },
};
