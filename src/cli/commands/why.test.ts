import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../../testing/index.ts';
import { runProgram } from '../program.ts';

let cluster: TestCluster;
let kubeconfig = '';

const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'nginx' }] } });

beforeAll(async () => {
  cluster = await startCluster({ nodes: 1 });
  kubeconfig = await cluster.kubeconfig();
  await cluster.client.core.v1.namespaces.create({ metadata: { name: 'team' } });
  await cluster.settle();
  const { pods } = cluster.client.core.v1;
  for (const name of ['web-1', 'web-2', 'cache-1']) await pods.namespace('default').create(pod(name));
  for (const name of ['p4', 'web-1', 'lonely-abc']) await pods.namespace('team').create(pod(name));
  await cluster.settle();
});
afterAll(() => cluster[Symbol.asyncDispose]());

async function why(...args: readonly string[]): Promise<string> {
  let text = '';
  const stream = { write: (more: string) => void (text += more) };
  const process = { env: {}, stdout: stream, stderr: stream, once: () => undefined };
  await runProgram(['why', ...args, '--kubeconfig', kubeconfig], process);
  return text;
}

test.each([
  ['pod/web-1', /^\S+ {2}default-scheduler/],
  ['po/web-1', /chose /],
  ['web-1', /^\S+ {2}default-scheduler/],
  ['cache', /^pod default\/cache-1:\n.*\n {2}chose /],
  ['p4', /^pod team\/p4:\n.*\n {2}chose /],
  ['lonely', /^pod team\/lonely-abc:\n/],
  ['web', /Cannot choose a pod: default\/web-1, default\/web-2 could be meant/],
  ['none', /pods "none" not found/],
  ['a/b/c', /which pod\? Say NAME or pod\/NAME, got "a\/b\/c"/],
])('keelson why %s', async (subject, printed) => {
  expect(await why(subject)).toMatch(printed);
});

test('a namespace that is given is the only one that is searched', async () => {
  expect(await why('p4', '-n', 'default')).toContain('pods "p4" not found');
});
