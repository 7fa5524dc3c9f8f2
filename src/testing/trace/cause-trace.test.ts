import { describe, expect, test } from 'vitest';
import { ConfigMap, Secret } from '../../client/index.ts';
import { app, controller } from '../../kit/index.ts';
import { startCluster, type StartClusterOptions, type TestCluster, type TraceNode } from '../index.ts';

const bare: StartClusterOptions = {
  controllers: false,
  scheduler: false,
  nodes: 0,
  trace: true,
  startAt: '2030-01-01',
};

/** Creates a Secret for each labelled ConfigMap, and labels it a minute later. */
const keeper = () =>
  app('keeper', [
    controller(ConfigMap, {
      name: 'keeper',
      where: { namespace: 'default', labelSelector: 'keep' },
      owns: [Secret],
      async reconcile({ metadata }, { desire, why, after }) {
        if (why.some((reason) => reason.startsWith('ConfigMap'))) after('1m');
        else await desire(Secret, { metadata: { name: `${metadata.name}-key` } });
      },
    }),
  ]);

const create = (cluster: TestCluster, name: string) =>
  cluster.client.core.v1.configmaps.namespace('default').create({ metadata: { name, labels: { keep: '' } } });

describe('the trace of a cluster', () => {
  test('goes from a Deployment to its pods and back', async () => {
    await using cluster = await startCluster({ trace: true });
    const labels = { app: 'web' };
    await cluster.client.apps.v1.deployments.namespace('default').create({
      metadata: { name: 'web' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
      },
    });
    await cluster.settle();
    const { roots } = cluster.trace();
    expect(roots.map(({ key }) => key)).toEqual(['default/web']);
    const paths = pathsOf(roots);
    const binding = paths.find((path) => path.endsWith('create pods/binding'));
    expect(binding?.split(' > ')).toEqual([
      'create deployments',
      'deployment',
      'create replicasets',
      'replicaset',
      'create pods',
      'create pods/binding',
    ]);
    expect(paths).toContain(`${binding ?? ''} > node_pods > patch pods/status`);
    cluster.clearTrace();
    await cluster.client.apps.v1.deployments.namespace('default').delete('web');
    await cluster.clock.advance('1m');
    const gone = 'delete deployments > garbage_collector_attempt_to_delete > delete replicasets';
    expect(pathsOf(cluster.trace().roots)).toContain(`${gone} > garbage_collector_attempt_to_delete > delete pods`);
  });

  test('shows apps, passing time, faults and refusals as text', async () => {
    await using cluster = await startCluster(bare);
    await cluster.run(keeper());
    cluster.clearTrace();
    await create(cluster, 'a');
    cluster.fault({ type: 'internalError', program: 'keeper', resource: 'secrets', verb: 'patch', times: 1 });
    await cluster.clock.advance('61s');
    await cluster.settle();
    expect(cluster.trace().text).toBe(
      [
        '      0s  keelson-testing (kubernetes-admin) create configmaps default/a',
        '      0s  └─ keeper runs for default/a · because ConfigMap default/a added',
        '    1m0s     └─ ✗ keeper runs for default/a · failed: etcdserver: request timed out; because after 1m0s',
        '    1m0s        ├─ ✗ patch secrets default/a-key · fault "internalError"; 500: etcdserver: request timed out',
        '1m0.005s        └─ keeper runs for default/a · because retry',
        '1m0.005s           └─ patch secrets default/a-key',
        '',
      ].join('\n'),
    );
  });

  test('is drawn as a self-contained SVG', async () => {
    await using cluster = await startCluster(bare);
    await cluster.run(keeper());
    await create(cluster, 'a');
    await create(cluster, 'a').catch(() => undefined);
    await cluster.settle();
    const { svg } = cluster.trace();
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+"/);
    expect(svg).toContain('409: configmaps &quot;a&quot; already exists');
    expect(svg.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|href|<script|@import/);
    expect(svg.match(/<rect class="write"/g)).toHaveLength(1);
    expect(svg.match(/<rect class="failed"/g)).toHaveLength(1);
  });

  test('can be restricted to a part', async () => {
    await using cluster = await startCluster(bare);
    await cluster.run(keeper());
    for (const name of ['a', 'b']) await create(cluster, name);
    await cluster.clock.advance('61s');
    const part = cluster.trace().under((node) => node.type === 'run' && node.key === 'default/b');
    expect(part.roots).toHaveLength(1);
    expect(part.text).toContain('patch secrets default/b-key');
    expect(part.text).not.toContain('a-key');
  });

  test('requires the option trace', async () => {
    await using cluster = await startCluster({ ...bare, trace: false });
    expect(() => cluster.trace()).toThrow('Cannot trace the cluster: start it with { trace: true }');
  });
});

/** Each write and run with its chain of causes. */
function pathsOf(nodes: readonly TraceNode[], above = ''): readonly string[] {
  return nodes.flatMap((node) => {
    const path = `${above}${node.type === 'run' ? node.controller : `${node.verb} ${node.resource}`}`;
    return [path, ...pathsOf(node.children, `${path} > `)];
  });
}
