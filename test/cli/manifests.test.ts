import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTool } from '../../src/base/testing/find-tool.ts';
import { requires } from '../../src/base/testing/requires.ts';
import { runProgram } from '../../src/cli/program.ts';
import { connect } from '../../src/client/index.ts';
import { startCluster } from '../../src/testing/index.ts';

const examples = join(import.meta.dirname, '..', '..', 'examples');
const greedy = join(import.meta.dirname, 'testdata', 'greedy.ts');
const converting = join(import.meta.dirname, 'testdata', 'converting.ts');
const foreign = join(import.meta.dirname, 'testdata', 'foreign.ts');
const honest = join(import.meta.dirname, 'testdata', 'honest.ts');

const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const buckets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'buckets.storage.example.dev' },
  spec: {
    group: 'storage.example.dev',
    names: { kind: 'Bucket', plural: 'buckets' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
  },
};
const bucket = {
  apiVersion: 'storage.example.dev/v1',
  kind: 'Bucket',
  metadata: { name: 'a', namespace: 'default' },
  spec: { region: 'north' },
};

/** A module is loaded once in a process, and then runs nothing any more. */
const podPresets = [join(examples, 'podpreset', 'podpreset.ts'), '--call=podPresetApp'];

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function manifests(...args: readonly string[]): Promise<Printed> {
  return printed(args, {});
}

async function printed(args: readonly string[], terminal: { readonly isTTY?: boolean }): Promise<Printed> {
  let [out, err] = ['', ''];
  const code = await runProgram(['manifests', ...args], {
    env: { NO_COLOR: '1' },
    stdout: { write: (text: string) => (out += text) },
    stderr: { ...terminal, write: (text: string) => (err += text) },
    once: () => undefined,
  });
  return { code, out, err };
}

/** The kinds and names of all documents. */
function objectsIn(text: string): readonly string[] {
  return text.split('---\n').map((document) => {
    const kind = /^kind: (.*)$/m.exec(document)?.[1] ?? '';
    return `${kind} ${/^metadata:\n(?: .*\n)*? {2}name: (.*)$/m.exec(document)?.[1] ?? ''}`;
  });
}

describe('keelson manifests', () => {
  let folder = '';
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'keelson-manifests-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('prints what a controller needs, in the order in which it is made', async () => {
    const { code, out, err } = await manifests(
      join(examples, 'crontab', 'main.ts'),
      '--image=registry.example/crontab:7',
    );

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(objectsIn(out)).toEqual([
      'Namespace crontab-operator-system',
      'CustomResourceDefinition crontabs.stable.example.com',
      'ServiceAccount crontab-operator',
      'ClusterRole crontab-operator',
      'ClusterRoleBinding crontab-operator',
      'Role crontab-operator',
      'RoleBinding crontab-operator',
      'Deployment crontab-operator',
    ]);
    expect(out).toContain('image: registry.example/crontab:7');
    expect(out).not.toContain('customresourcedefinitions\n'); // the definition is there before the app is
  });

  test('tells people at a terminal what it does at the moment', async () => {
    const { out, err } = await printed(podPresets, { isTTY: true });
    expect(err.split('\n')).toEqual([
      `loading ${podPresets[0]}`,
      'starting a cluster for the trial',
      expect.stringMatching(/^running \S+ as system:serviceaccount:/),
      '',
    ]);
    expect(out).toMatch(/^apiVersion: v1\nkind: Namespace/);
  });

  test('finds the webhook configurations and APIServices that an app writes itself, and leads a Service to it', async () => {
    const webhooks = await manifests(join(examples, 'podpreset', 'main.ts'), '--namespace=hooks');
    expect(objectsIn(webhooks.out)).toEqual(
      expect.arrayContaining(['Service podpreset', 'MutatingWebhookConfiguration podpreset.settings.k8s.io']),
    );
    expect(webhooks.out).toContain('value: hooks/podpreset');
    expect(webhooks.out).not.toContain('caBundle');

    const apis = await manifests(join(examples, 'wardle', 'main.ts'));
    expect(objectsIn(apis.out)).toEqual(
      expect.arrayContaining([
        'Service wardle',
        'RoleBinding wardle-authentication-reader',
        'APIService v1alpha1.wardle.example.dev',
      ]),
    );
  });

  test('leads to the webhook that converts a kind, and keeps the texts of objects from being templates', async () => {
    const out = join(folder, 'converting');
    const { code, err } = await manifests(converting, '--out', out);
    expect({ code, err }).toEqual({ code: 0, err: '' });

    const definition = await readFile(join(out, 'kubernetes', '1-definitions.yaml'), 'utf8');
    expect(definition).toContain('path: /convert');
    expect(definition).toContain('namespace: caches-system');
    const access = await readFile(join(out, 'kubernetes', '2-access.yaml'), 'utf8');
    expect(access).toContain('- customresourcedefinitions'); // where the app writes the authority of its certificate
    const template = await readFile(join(out, 'chart', 'templates', 'definitions.yaml'), 'utf8');
    expect(template).toContain('namespace: {{ .Release.Namespace | toJson }}');
    expect(template).toContain('A cache of {{ "{{" }} .Values.size }}');
    expect(template).toContain('helm.sh/resource-policy: keep');
  });

  test('makes charts that Helm finds nothing against', requires('helm'), async () => {
    const out = join(folder, 'charts');
    await manifests(converting, '--out', out);
    const helm = findTool('helm') ?? '';
    const linted = spawnSync(helm, ['lint', '--strict', join(out, 'chart')], { encoding: 'utf8' });
    expect(linted).toMatchObject({ status: 0, stdout: expect.stringContaining('0 chart(s) failed') });

    const flags = ['--namespace=elsewhere', '--set=replicas=0', '--set-json=nodeSelector={"disk":"ssd"}'];
    const { stdout } = spawnSync(helm, ['template', 'caches', join(out, 'chart'), ...flags], { encoding: 'utf8' });
    expect(stdout).toContain('A cache of {{ .Values.size }}');
    expect(stdout).toContain('nodeSelector: {"disk":"ssd"}');
    expect(stdout).toContain('value: elsewhere/caches');
    expect(stdout).not.toContain('caches-system');
  });

  test('refuses roles with which the app cannot do what it does', async () => {
    const sample = join(folder, 'sample.yaml');
    await writeFile(
      sample,
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default, labels: {copy: "yes"}}\ndata: {a: b}\n',
    );
    const { code, err } = await manifests(greedy, '--try', sample);
    expect(code).toBe(1);
    expect(err).toContain(
      'User "system:serviceaccount:greedy-system:greedy" cannot create resource "secrets" in API group "" in the namespace "default"',
    );

    expect(await manifests(honest, '--try', sample, '--call=honestApp')).toMatchObject({ code: 0, err: '' });
  });

  test('reads samples as kubectl does: several documents, a leading marker, lists, and no namespace', async () => {
    const sample = join(folder, 'documents.yaml');
    const copied = (name: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, labels: { copy: "yes" } }\n`;
    await writeFile(
      sample,
      `---\n# the first\n${copied('a')}---\n---\n${copied('b')}...\n---\napiVersion: v1\nkind: List\nitems: [{ apiVersion: v1, kind: Secret, metadata: { name: c } }]\n`,
    );
    const { code, err } = await manifests(honest, '--try', sample, '--call=honestApp');
    expect({ code, err }).toEqual({ code: 0, err: '' });

    const unable = await manifests(honest, '--try', sample, '--call=greedyApp');
    expect(unable.err).toContain('cannot create resource "secrets" in API group "" in the namespace "default"');

    await writeFile(sample, `---\n${copied('a')}---\nkind: ConfigMap\n`);
    expect((await manifests(honest, '--try', sample, '--call=honestApp')).err).toContain(
      `Cannot load document 2 of "${sample}": apiVersion not set`,
    );
  });

  test('knows the kinds of others that an app watches when it is given them', async () => {
    const samples = join(folder, 'samples');
    await mkdir(samples);
    await writeFile(join(samples, 'bucket.json'), JSON.stringify(bucket));
    await writeFile(join(samples, 'definition.json'), JSON.stringify(buckets));
    const { code, err, out } = await manifests(foreign, '--try', samples);

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(objectsIn(out)).not.toContain('CustomResourceDefinition buckets.storage.example.dev');
  });

  test('refuses what a server would refuse', async () => {
    const cronTabs = [join(examples, 'crontab', 'crontab.ts'), '--call=cronTabOperator'];
    const { code, err } = await manifests(...cronTabs, '--image=');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('Cannot deploy Deployment "crontab-operator"'),
    });
    expect((await manifests(...cronTabs, '--name=Big')).err).toContain('cannot name a Deployment');
    expect((await manifests(join(folder, 'none.ts'))).err).toContain('there is no file');
  });

  test('writes a folder, and leaves a Dockerfile as people have changed it', async () => {
    const out = join(folder, 'deploy');
    await manifests(...podPresets, '--out', out);
    await writeFile(join(out, 'Dockerfile'), 'FROM scratch\n');
    const again = await manifests(...podPresets, '--out', out);

    expect(again.out).toContain(`left ${join(out, 'Dockerfile')} as it is`);
    expect(await readFile(join(out, 'Dockerfile'), 'utf8')).toBe('FROM scratch\n');
    expect((await readdir(out, { recursive: true })).filter((path) => path.includes('.')).sort()).toEqual([
      'Dockerfile.dockerignore',
      'chart/Chart.yaml',
      'chart/crds/definitions.yaml',
      'chart/templates/access.yaml',
      'chart/templates/deployment.yaml',
      'chart/templates/registrations.yaml',
      'chart/values.yaml',
      'kubernetes/0-namespace.yaml',
      'kubernetes/1-definitions.yaml',
      'kubernetes/2-access.yaml',
      'kubernetes/3-deployment.yaml',
      'kubernetes/4-registrations.yaml',
    ]);
  });
});

describe('a module that runs a plugin of nodes', () => {
  let driver: Printed;
  beforeAll(async () => {
    driver = await manifests(join(examples, 'gpu-dra', 'main.ts'));
  });
  const documentsIn = (text: string): readonly Record<string, unknown>[] =>
    text.split(/^---$/m).map((document) => load(document) as Record<string, unknown>);

  test('a DRA driver gets a DaemonSet with its folders, and may publish only slices of its own node', async () => {
    const { code, out } = driver;
    expect(code).toBe(0);
    expect(objectsIn(out)).toEqual([
      'Namespace gpu-example-com-system',
      'ServiceAccount gpu-example-com',
      'ClusterRole gpu-example-com',
      'ClusterRoleBinding gpu-example-com',
      'ValidatingAdmissionPolicy gpu-example-com-slices',
      'ValidatingAdmissionPolicyBinding gpu-example-com-slices',
      'DaemonSet gpu-example-com',
    ]);
    expect(documentsIn(out).at(-1)).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
                volumeMounts: [
                  { mountPath: '/var/lib/kubelet/plugins_registry' },
                  { mountPath: '/var/lib/kubelet/plugins' },
                  { mountPath: '/var/run/cdi' },
                ],
              },
            ],
            volumes: [
              { hostPath: { path: '/var/lib/kubelet/plugins_registry' } },
              { hostPath: { path: '/var/lib/kubelet/plugins' } },
              { hostPath: { path: '/var/run/cdi' } },
            ],
          },
        },
      },
    });
  });

  test('its rights suffice for what a driver does, on its own node only', async () => {
    await using cluster = await startCluster({ nodes: 2 });
    const folder = await mkdtemp(join(tmpdir(), 'keelson-plugin-'));
    await writeFile(join(folder, 'all.yaml'), driver.out);
    await cluster.load(folder);
    await rm(folder, { recursive: true });
    await cluster.settle();
    const namespace = 'gpu-example-com-system';
    const extra = { 'authentication.kubernetes.io/node-name': ['keelson-1'] };
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
    const user = `system:serviceaccount:${namespace}:gpu-example-com`;
    const kubeconfig = await cluster.kubeconfig();
    await using client = await connect({ kubeconfig, impersonate: { user, groups, extra } });
    const slice = (nodeName: string) => ({
      metadata: { generateName: 'gpu-' },
      spec: { driver: 'gpu.example.com', nodeName, pool: { name: nodeName, generation: 1, resourceSliceCount: 1 } },
    });
    const own = await client.resource.v1.resourceslices.create(slice('keelson-1'));
    await client.resource.v1.resourceslices.update({ ...own, spec: { ...own.spec, devices: [{ name: 'card0' }] } });
    await expect(client.resource.v1.resourceslices.create(slice('keelson-2'))).rejects.toThrow(
      'a driver on the node keelson-1 may not change slices of another node',
    );
    await client.core.v1.nodes.get('keelson-1');
    await client.resource.v1.resourceslices.delete(own.metadata.name);
  });

  test('a device plugin gets a DaemonSet with the folder of its socket, and no rights', async () => {
    const { code, out } = await manifests(join(examples, 'fpga-plugin', 'main.ts'), '--image=registry/fpga:1');
    expect(code).toBe(0);
    expect(objectsIn(out)).toEqual([
      'Namespace example-com-fpga-system',
      'ServiceAccount example-com-fpga',
      'DaemonSet example-com-fpga',
    ]);
    expect(out).toContain('image: registry/fpga:1');
    expect(out).toContain('path: /var/lib/kubelet/device-plugins');
  });
});

describe('keelson manifests dashboard', () => {
  test('prints objects that a cluster takes, for an account without rights', async () => {
    const { code, out } = await manifests('dashboard', '--namespace=see', '--image=registry.example/keelson:1');
    expect(code).toBe(0);
    expect(objectsIn(out)).toEqual([
      'Namespace see',
      'ServiceAccount keelson-dashboard',
      'Service keelson-dashboard',
      'Deployment keelson-dashboard',
    ]);
    expect(out).toContain('image: registry.example/keelson:1');
    const deploy = await mkdtemp(join(tmpdir(), 'keelson-manifests-'));
    await writeFile(join(deploy, 'dashboard.yaml'), out);
    await using cluster = await startCluster();
    await cluster.load(deploy);
    await rm(deploy, { recursive: true });
    await cluster.settle();
    const pods = await cluster.client.core.v1.pods.namespace('see').list();
    expect(pods.items.map(({ status }) => status?.phase)).toEqual(['Running']); // the namespace enforces pod security
  });

  test('refuses flags that are for apps', async () => {
    const { code, err } = await manifests('dashboard', '--out=deploy');
    expect(code).not.toBe(0);
    expect(err).toContain('a dashboard takes --image, --namespace and --name only');
  });
});
