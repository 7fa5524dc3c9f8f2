import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, connect, EndpointSlice } from 'keelson';
import { expect, onTestFinished, test } from 'vitest';
import { cronTabOperator } from '../../examples/crontab/crontab.ts';
import { library } from '../../examples/library/library.ts';
import { podPresetApp } from '../../examples/podpreset/podpreset.ts';
import { freePorts } from '../../peers/index.ts';
import { requires, skipWhen } from '../../src/base/testing/requires.ts';
import { runProgram } from '../../src/cli/program.ts';
import { deploymentOptions } from '../../src/kit/deployment-environment.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';

const examples = join(import.meta.dirname, '..', '..', 'examples');

/** An address of this machine that endpoints may have: not that of its loopback. */
const address = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

/** Writes the objects of an app into a folder, as `keelson manifests` does. */
async function written(...args: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-manifests-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  let output = '';
  const write = (text: string): void => void (output += text);
  const process = { env: {}, stdout: { write }, stderr: { write }, once: () => undefined };
  const code = await runProgram(['manifests', ...args, '--out', folder], process);
  expect(code, output).toBe(0);
  return join(folder, 'kubernetes');
}

interface Deployed {
  readonly app: App;
  readonly name: string;
  readonly kubectl: Kubectl;
  readonly kubeconfig: string;
}

/** Runs the app as its pod would: as the service account, with the environment of the Deployment. */
async function runDeployed({ app, name, kubectl, kubeconfig }: Deployed, environment: Record<string, string> = {}) {
  const namespace = `${name}-system`;
  const deployment = JSON.parse(await kubectl.output('get', 'deployment', name, '-n', namespace, '-o', 'json')) as {
    spec: { template: { spec: { containers: [{ env: { name: string; value: string }[] }] } } };
  };
  const { env } = deployment.spec.template.spec.containers[0];
  const set = Object.fromEntries(env.map((each) => [each.name, each.value]));
  const token = (await kubectl.output('create', 'token', name, '-n', namespace)).trim();
  const config = (await kubectl.output('config', 'view', '--raw', '-o', 'json')).trim();
  const account = { ...(JSON.parse(config) as object), users: [{ name: 'test', user: { token } }] };
  const path = `${kubeconfig}.${name}`;
  await writeFile(path, JSON.stringify(account));
  const client = await connect({ kubeconfig: path, namespace, userAgent: name });
  const stop = new AbortController();
  const options = deploymentOptions({ ...set, KEELSON_HEALTH_PORT: '0', ...environment });
  const running = app.run(client, stop.signal, options);
  onTestFinished(async () => {
    stop.abort();
    await running;
    await client[Symbol.asyncDispose]();
  });
  running.catch(() => undefined); // the end of the test sees it
}

test('kubectl applies the manifests of an app, which works as its service account', requires('kubectl'), async () => {
  const folder = await written(join(examples, 'crontab', 'crontab.ts'), '--call=cronTabOperator');
  await using cluster = await startTestCluster();
  const { kubeconfig } = cluster;
  const kubectl = new Kubectl(findKubectl() ?? '', kubeconfig);
  await kubectl.output('apply', '-f', folder);
  const name = 'crontab-operator';
  const account = `--as=system:serviceaccount:${name}-system:${name}`;
  expect((await kubectl.run(['auth', 'can-i', 'create', 'secrets', account])).stdout).toBe('no\n');
  await runDeployed({ app: cronTabOperator(), name, kubectl, kubeconfig });

  await kubectl.create(
    '{"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}, "spec": {"image": "i"}}',
  );
  await kubectl.output('wait', '--for=create', 'cronjob/a', '--timeout=120s');
  await kubectl.output('wait', '--for=jsonpath={.status.active}=0', 'crontab/a', '--timeout=120s');
  expect(await kubectl.output('get', 'lease', '-n', `${name}-system`, '-o', 'name')).toContain(name);
  expect((await kubectl.run(['apply', '-f', folder])).code).toBe(0);
});

test(
  'the API server reaches the webhooks of a deployed app by its Service',
  { ...requires('kubectl'), ...skipWhen(address === undefined, 'no network address') },
  async () => {
    const folder = await written(join(examples, 'podpreset', 'podpreset.ts'), '--call=podPresetApp');
    const [port = 0] = await freePorts(1);
    for (const file of await readdir(folder)) {
      const text = await readFile(join(folder, file), 'utf8');
      await writeFile(join(folder, file), text.replaceAll('8443', String(port))); // others may use that one here
    }
    await using cluster = await startTestCluster();
    const { kubeconfig } = cluster;
    const kubectl = new Kubectl(findKubectl() ?? '', kubeconfig);
    await kubectl.output('apply', '-f', folder);
    await using client = await connect({ kubeconfig });
    await client
      .kind(EndpointSlice)
      .namespace('podpreset-system')
      .create({
        metadata: { name: 'podpreset', labels: { 'kubernetes.io/service-name': 'podpreset' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: [address ?? ''], conditions: { ready: true } }],
        ports: [{ name: 'server', port, protocol: 'TCP' }],
      });
    const environment = { KEELSON_SERVER_PORT: String(port) };
    await runDeployed({ app: podPresetApp(), name: 'podpreset', kubectl, kubeconfig }, environment);
    const configuration = 'mutatingwebhookconfiguration/podpreset.settings.k8s.io';
    await kubectl.output(
      'wait',
      '--for=jsonpath={.webhooks[0].clientConfig.caBundle}',
      configuration,
      '--timeout=120s',
    );

    const preset = { selector: {}, env: [{ name: 'A', value: 'B' }] };
    const head = { apiVersion: 'settings.k8s.io/v1alpha1', kind: 'PodPreset', metadata: { name: 'a' } };
    await kubectl.create(JSON.stringify({ ...head, spec: preset }));
    const presets = client.core.v1.pods.namespace('default');
    const made = async (): Promise<unknown> => {
      const { spec } = await presets.create(
        { metadata: { generateName: 'x-' }, spec: { containers: [{ name: 'x', image: 'i' }] } },
        { dryRun: true },
      );
      return spec?.containers[0]?.env;
    };
    await expect.poll(made).toEqual([{ name: 'A', value: 'B' }]);
  },
);

test(
  'webhooks, conversion and APIs of a deployed app have one port behind its Service',
  { ...requires('kubectl'), ...skipWhen(address === undefined, 'no network address') },
  async () => {
    const folder = await written(join(examples, 'library', 'library.ts'), '--call=library', '--replicas=2');
    const [port = 0] = await freePorts(1);
    for (const file of await readdir(folder)) {
      const text = await readFile(join(folder, file), 'utf8');
      await writeFile(join(folder, file), text.replaceAll('8443', String(port))); // others may use that one here
    }
    await using cluster = await startTestCluster({ aggregation: { routing: 'endpoints' } });
    const { kubeconfig } = cluster;
    const kubectl = new Kubectl(findKubectl() ?? '', kubeconfig);
    await kubectl.output('apply', '-f', folder);
    await using client = await connect({ kubeconfig });
    await client
      .kind(EndpointSlice)
      .namespace('library-system')
      .create({
        metadata: { name: 'library', labels: { 'kubernetes.io/service-name': 'library' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: [address ?? ''], conditions: { ready: true } }],
        ports: [{ name: 'server', port, protocol: 'TCP' }],
      });
    const environment = { KEELSON_SERVER_PORT: String(port) };
    await runDeployed({ app: library(), name: 'library', kubectl, kubeconfig }, environment);
    await kubectl.output('wait', '--for=condition=Available', 'apiservice/v1.catalogue.example.dev', '--timeout=120s');

    const loan = '{"apiVersion": "library.example.dev/v1", "kind": "Loan", "metadata": {"name": "a"}, "spec": SPEC}';
    const made = async (): Promise<string> => {
      await kubectl.run(['create', '-f', '-'], loan.replace('SPEC', '{"book": "emma", "reader": "ada"}'));
      return (await kubectl.run(['get', 'loan', 'a', '-o', 'jsonpath={.spec.days}'])).stdout;
    };
    await expect.poll(made).toBe('28');
    expect((await kubectl.run(['get', 'books'])).stderr).toContain('No resources found');
    expect(await kubectl.output('get', 'secret', '-n', 'library-system', '-o', 'name')).toContain('library-authority');
  },
);
