import { DaemonSet, Node, Pod } from '../../../client/index.ts';
import type { ScenarioTopic } from '../../testing/scenarios/index.ts';
import { addNode, addNodes, bindAll, daemonSet, noteNodes, template } from './samples.ts';

/** Which nodes get pods. */
export const nodeScenarios: ScenarioTopic['scenarios'] = {
  'a pod on each node': async (world) => {
    await addNodes(world, 'n1', 'n2', 'n3');
    await world.create(DaemonSet, daemonSet());
    await world.look('created');
    await noteNodes(world, 'nodes');
    await world.makeReady(1);
    await world.look('one ready');
    await world.makeReady();
    await world.look('all ready');
  },

  'a node that comes later': async (world) => {
    await world.create(DaemonSet, daemonSet());
    await world.look('no node');
    await world.create(Node, { metadata: { name: 'n1' } });
    await world.look('a node that is not ready');
    await world.change(Node, 'n1', { spec: { taints: [] } });
    await world.look('a node');
    await addNodes(world, 'n2');
    await world.look('two nodes');
    await noteNodes(world, 'nodes');
  },

  'nodes by label': async (world) => {
    await addNode(world, 'n1', { labels: { disk: 'fast' } });
    await addNode(world, 'n2', { labels: { disk: 'slow' } });
    await world.create(DaemonSet, daemonSet({ template: template({ nodeSelector: { disk: 'fast' } }) }));
    await world.makeReady();
    await world.look('created');
    await noteNodes(world, 'one node');
    await world.change(Node, 'n2', { metadata: { labels: { disk: 'fast' } } });
    await world.look('two nodes');
    await bindAll(world);
    await world.change(Node, 'n1', { metadata: { labels: { disk: null } } });
    await world.removeTerminating();
    await world.look('another node');
    await noteNodes(world, 'nodes');
  },

  'nodes by affinity': async (world) => {
    await addNode(world, 'n1', { labels: { zone: 'a' } });
    await addNode(world, 'n2', { labels: { zone: 'b' } });
    await addNode(world, 'n3');
    const terms = [
      { matchExpressions: [{ key: 'zone', operator: 'In' as const, values: ['a', 'c'] }] },
      { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['n3'] }] },
    ];
    const weighted = { weight: 1, preference: { matchExpressions: [{ key: 'zone', operator: 'Exists' as const }] } };
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
      preferredDuringSchedulingIgnoredDuringExecution: [weighted],
    };
    await world.create(DaemonSet, daemonSet({ template: template({ affinity: { nodeAffinity } }) }));
    await world.look('created');
    const { items } = await world.pods.list();
    world.note('affinities', items.map(({ spec }) => JSON.stringify(spec?.affinity)).toSorted());
  },

  'a node by name': async (world) => {
    await addNodes(world, 'n1', 'n2');
    await world.create(DaemonSet, daemonSet({ template: template({ nodeName: 'n2' }) }));
    await world.look('created');
    await noteNodes(world, 'nodes');
  },

  'a taint that keeps pods off': async (world) => {
    const taints = [{ key: 'for', value: 'others', effect: 'NoSchedule' as const }];
    await addNode(world, 'n1', { taints });
    await addNodes(world, 'n2');
    await world.create(DaemonSet, daemonSet());
    await bindAll(world);
    await world.makeReady();
    await world.look('one');
    await world.change(Node, 'n2', { spec: { taints } });
    await world.look('tainted');
    await world.change(DaemonSet, 'log', { metadata: { labels: { looked: 'again' } } });
    await world.look('out of place');
    await world.change(Node, 'n2', { spec: { taints: [] } });
    await world.look('in place again');
    await world.change(Node, 'n1', { spec: { taints: [] } });
    await world.look('two');
  },

  'a taint that drives pods away': async (world) => {
    await addNodes(world, 'n1', 'n2');
    await world.create(DaemonSet, daemonSet());
    await bindAll(world);
    await world.makeReady();
    await world.change(Node, 'n2', { spec: { taints: [{ key: 'out', effect: 'NoExecute' }] } });
    await world.look('tainted');
    await world.removeTerminating();
    await world.look('gone');
    await world.change(Node, 'n2', { spec: { taints: [] } });
    await world.look('back');
  },

  'tolerations of its own': async (world) => {
    const own = { key: 'for', operator: 'Equal' as const, value: 'daemons' };
    const less = { key: 'node.kubernetes.io/not-ready', operator: 'Exists' as const, effect: 'NoExecute' as const };
    await addNode(world, 'n1', { taints: [{ key: 'for', value: 'daemons', effect: 'NoSchedule' }] });
    await addNode(world, 'n2', { taints: [{ key: 'for', value: 'others', effect: 'NoSchedule' }] });
    const tolerations = [own, { ...less, tolerationSeconds: 60 }];
    await world.create(DaemonSet, daemonSet({ template: template({ tolerations }) }));
    await world.look('created');
    await noteNodes(world, 'nodes');
  },

  'taints that every daemon tolerates': async (world) => {
    const taint = (name: string, effect: 'NoSchedule' | 'NoExecute') => ({ key: `node.kubernetes.io/${name}`, effect });
    await addNode(world, 'n1', { taints: [taint('not-ready', 'NoExecute'), taint('unreachable', 'NoExecute')] });
    const pressures = ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'];
    await addNode(world, 'n2', { taints: pressures.map((name) => taint(name, 'NoSchedule')) });
    await addNode(world, 'n3', { taints: [taint('not-ready', 'NoSchedule')] });
    await addNode(world, 'n4', { taints: [taint('network-unavailable', 'NoSchedule')] });
    await world.change(Node, 'n2', { spec: { unschedulable: true } });
    await world.create(DaemonSet, daemonSet());
    await world.look('created');
    await noteNodes(world, 'nodes');
  },

  'the network of the node': async (world) => {
    await addNode(world, 'n1', {
      taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }],
    });
    await world.create(DaemonSet, daemonSet({ template: template({ hostNetwork: true }) }));
    await world.look('created');
  },

  'a node that is deleted': async (world) => {
    await addNodes(world, 'n1', 'n2', 'n3');
    await world.create(DaemonSet, daemonSet());
    await world.makeReady();
    const { items } = await world.pods.list();
    await world.of(Node).delete('n2');
    await world.look('deleted, and nobody looks');
    await world.of(Pod).delete(items[0]?.metadata.name ?? '');
    await world.look('a pod deleted');
    await noteNodes(world, 'nodes');
  },
};
