import { DaemonSet, Pod } from '../../../client/index.ts';
import type { ScenarioTopic } from '../../testing/scenarios/index.ts';
import { addNodes, bindAll, daemonSet, endPod, noteNodes, rolling, template } from './samples.ts';

/** Pods that finish, or that other clients create. */
export const podScenarios: ScenarioTopic['scenarios'] = {
  'pods that fail': async (world) => {
    await addNodes(world, 'n1', 'n2');
    await world.create(DaemonSet, daemonSet());
    await world.makeReady();
    await endPod(world, 'n1', 'Failed');
    await world.look('made anew');
    await endPod(world, 'n1', 'Failed');
    await world.pass(20);
    await world.look('made anew again');
  },

  'pods that succeed': async (world) => {
    await addNodes(world, 'n1');
    await world.create(DaemonSet, daemonSet());
    await bindAll(world);
    await endPod(world, 'n1', 'Succeeded');
    await world.look('deleted');
    await world.removeTerminating();
    await world.look('made anew');
  },

  'a pod that fails where there may be one more': async (world) => {
    await addNodes(world, 'n1');
    await world.create(DaemonSet, daemonSet(rolling(0, 1)));
    await bindAll(world);
    await endPod(world, 'n1', 'Failed');
    await world.look('failed');
  },

  'a pod that is deleted': async (world) => {
    await addNodes(world, 'n1');
    await world.create(DaemonSet, daemonSet());
    await bindAll(world);
    await world.makeReady();
    const { items } = await world.pods.list();
    await world.of(Pod).delete(items[0]?.metadata.name ?? '');
    await world.look('deleted');
    await world.removeTerminating();
    await world.look('made anew');
  },

  'a time to be ready for': async (world) => {
    await addNodes(world, 'n1', 'n2');
    await world.create(DaemonSet, daemonSet({ minReadySeconds: 20 }));
    await world.makeReady();
    await world.look('ready');
    await world.pass(22);
    await world.look('available');
  },

  'adopting and releasing': async (world) => {
    await addNodes(world, 'n1', 'n2');
    const { spec } = template({ nodeName: 'n1' });
    const labels = { app: 'log' };
    await world.create(Pod, { metadata: { name: 'orphan', labels }, ...(spec === undefined ? {} : { spec }) });
    await world.create(DaemonSet, daemonSet({ updateStrategy: { type: 'OnDelete' } }));
    await world.look('adopted');
    await noteNodes(world, 'nodes');
    await world.change(Pod, 'orphan', { metadata: { labels: { app: 'other' } } });
    await world.look('released');
    await world.change(Pod, 'orphan', { metadata: { labels: { app: 'log' } } });
    await world.look('adopted again, so that there are two');
    await noteNodes(world, 'nodes');
  },

  'pods that the server refuses': async (world) => {
    await addNodes(world, 'n1', 'n2');
    const bad = template();
    bad.metadata = { ...bad.metadata, finalizers: ['not a name'] };
    await world.create(DaemonSet, daemonSet({ template: bad }));
    await world.look('refused');
    await world.change(DaemonSet, 'log', { spec: { template: { metadata: { finalizers: null } } } });
    await world.pass(20);
    await world.makeReady();
    await world.look('repaired');
  },

  'a set that waits for its deletion': async (world) => {
    await addNodes(world, 'n1');
    await world.create(DaemonSet, daemonSet());
    await world.makeReady();
    await world.of(DaemonSet).delete('log', { propagationPolicy: 'Foreground' });
    const { items } = await world.pods.list();
    await world.of(Pod).delete(items[0]?.metadata.name ?? '');
    await world.look('nothing is made');
  },
};
