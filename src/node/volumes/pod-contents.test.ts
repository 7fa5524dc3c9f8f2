import { expect, test } from 'vitest';
import type { Observed, Pod } from '../../client/index.ts';
import { volumeFolder } from '../backend/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import { containerMounts } from '../config/index.ts';
import { PodContents } from './pod-contents.ts';
import type { VolumeData, VolumeObject } from './volume-files.ts';

const ROOT = '/var/lib/kubelet';
const object = (contents: Readonly<Record<string, string>>, isImmutable = false): VolumeObject => ({
  contents: new Map(Object.entries(contents).map(([key, text]) => [key, Buffer.from(text)])),
  isImmutable,
});
const DATA: VolumeData = {
  configMap: async (_namespace, name) => (name === 'settings' ? object({ color: 'blue', size: 'big' }) : undefined),
  secret: async (_namespace, name) => (name === 'keys' ? object({ pass: 'word' }, true) : undefined),
  token: async (_pod, { audience }) => `token for ${audience}`,
  trustAnchors: async ({ name }) => `anchors of ${name}`,
  forgetPod: () => undefined,
};
const MACHINE = {
  addresses: ['192.0.2.1'],
  dns: { clusterServers: [], clusterDomain: 'cluster.local', resolver: undefined },
  folders: { root: ROOT, podLogs: '/var/log/pods' },
};

type Spec = NonNullable<Pod['spec']>;

/** What a container sees, by path: mode and content. */
async function seen(volume: object, mount: object): Promise<Readonly<Record<string, string>>> {
  const spec = {
    containers: [{ name: 'main', image: 'main', volumeMounts: [{ name: 'data', mountPath: '/data', ...mount }] }],
    volumes: [{ name: 'data', ...volume }],
  } satisfies Spec;
  const metadata = { name: 'web', namespace: 'default', uid: 'u', labels: { app: 'web' } };
  const pod: Observed<Pod> = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { ...metadata, resourceVersion: '1', creationTimestamp: '' },
    spec,
  };
  const contents = new PodContents({ data: DATA, machine: MACHINE, allocatable: () => ({}), pod: () => pod });
  const folder = volumeFolder(ROOT, 'u', { plugin: 'kubernetes.io/any', name: 'data' });
  const mounts = containerMounts(spec.containers[0] as ContainerSpec, () => folder, new Map([['POD', 'size']]));
  const { hostPath = '' } = mounts[0] ?? {};
  const found = (await contents.at(hostPath))?.files ?? [];
  const files = found.map((file) => ({ ...file, path: file.path === '' ? '/data' : `/data/${file.path}` }));
  return Object.fromEntries(
    files.map(({ path, mode, bytes }) => [path, `${mode.toString(8)} ${Buffer.from(bytes).toString()}`]),
  );
}

test('keys are files of their names, or at the paths and with the modes that are given', async () => {
  expect(await seen({ configMap: { name: 'settings' } }, {})).toEqual({
    '/data/color': '644 blue',
    '/data/size': '644 big',
  });
  const items = [
    { key: 'pass', path: 'deep/er' },
    { key: 'pass', path: 'b', mode: 0o440 },
    { key: 'none', path: 'c' },
  ];
  expect(await seen({ secret: { secretName: 'keys', defaultMode: 0o400, items } }, {})).toEqual({
    '/data/deep/er': '400 word',
    '/data/b': '440 word',
  });
  expect(await seen({ secret: { secretName: 'others', optional: true } }, {})).toEqual({});
});

test('a part of a volume is a file or a directory of its own', async () => {
  const volume = { configMap: { name: 'settings', items: [{ key: 'color', path: 'a/b/c' }] } };
  expect(await seen(volume, { subPath: 'a/b/c' })).toEqual({ '/data': '644 blue' });
  expect(await seen(volume, { subPath: 'a' })).toEqual({ '/data/b/c': '644 blue' });
  expect(await seen({ configMap: { name: 'settings' } }, { subPathExpr: '$(POD)' })).toEqual({ '/data': '644 big' });
});

test('several sources share a projected volume', async () => {
  const sources = [
    { serviceAccountToken: { path: 'token', audience: 'vault' } },
    { configMap: { name: 'settings', items: [{ key: 'color', path: 'color' }] } },
    { secret: { name: 'keys' } },
    { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  ];
  expect(await seen({ projected: { defaultMode: 0o600, sources } }, {})).toEqual({
    '/data/token': '600 token for vault',
    '/data/color': '600 blue',
    '/data/pass': '600 word',
    '/data/labels': '600 app="web"',
  });
  expect(await seen({ emptyDir: {} }, {})).toEqual({});
});

test('a token is for the user of the pod alone, or for the group of the pod', async () => {
  const token = async (more: object): Promise<unknown> => {
    const metadata = { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
    const pod = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata,
      spec: { containers: [{ name: 'a' }], ...more },
    } as Observed<Pod>;
    const contents = new PodContents({ data: DATA, machine: MACHINE, allocatable: () => ({}), pod: () => pod });
    const projected = { defaultMode: 0o644, sources: [{ serviceAccountToken: { path: 'token' } }] };
    const { files = [], isFixed } = (await contents.payload(pod, { name: 'data', projected })?.()) ?? {};
    return [files[0]?.mode.toString(8), files[0]?.owner, isFixed];
  };
  const own = (runAsUser: number): object => ({ name: 'a', securityContext: { runAsUser } });
  expect(await token({})).toEqual(['644', undefined, false]);
  expect(await token({ securityContext: { fsGroup: 5 } })).toEqual(['600', undefined, false]);
  expect(await token({ securityContext: { runAsUser: 7 } })).toEqual(['600', 7, false]);
  expect(await token({ containers: [own(7), own(7)] })).toEqual(['600', 7, false]);
  expect(await token({ containers: [own(7), own(8)] })).toEqual(['644', undefined, false]);
});

test('content is fixed when everything that it is built from is immutable', async () => {
  const pod = { metadata: { name: 'web', namespace: 'default', uid: 'u' } } as Observed<Pod>;
  const contents = new PodContents({ data: DATA, machine: MACHINE, allocatable: () => ({}), pod: () => pod });
  const isFixed = async (sources: readonly object[]): Promise<unknown> =>
    (await contents.payload(pod, { name: 'data', projected: { sources } })?.())?.isFixed;
  expect(await isFixed([{ secret: { name: 'keys' } }])).toBe(true);
  expect(await isFixed([{ secret: { name: 'keys' } }, { configMap: { name: 'settings' } }])).toBe(false);
  expect(await isFixed([{ secret: { name: 'none', optional: true } }])).toBe(false);
});

test('what is missing and not optional is named, in the words of a kubelet', async () => {
  const pod = { metadata: { name: 'web', namespace: 'default', uid: 'u' } } as Observed<Pod>;
  const contents = new PodContents({ data: DATA, machine: MACHINE, allocatable: () => ({}), pod: () => pod });
  const missing = async (volume: object): Promise<unknown> =>
    (await contents.payload(pod, { name: 'data', ...volume })?.())?.missing;
  expect(await missing({ configMap: { name: 'none' } })).toEqual(['configmap "none" not found']);
  expect(await missing({ configMap: { name: 'none', optional: true } })).toEqual([]);
  const items = [{ key: 'none', path: 'none' }];
  expect(await missing({ secret: { secretName: 'keys', items } })).toEqual([
    'references non-existent secret key: none',
  ]);
  const sources = [{ podCertificate: { signerName: 'example.com/s', keyType: 'ED25519', keyPath: 'key' } }];
  expect(await missing({ projected: { sources } })).toEqual(['podCertificate sources are not supported on this node']);
});

test('a pod has a hosts file with its own names and those that it adds', async () => {
  const pod = {
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: { subdomain: 'sub', containers: [], hostAliases: [{ ip: '10.1.1.1', hostnames: ['a', 'b'] }] },
    status: { podIPs: [{ ip: '10.244.0.2' }] },
  } as unknown as Observed<Pod>;
  const contents = new PodContents({ data: DATA, machine: MACHINE, allocatable: () => ({}), pod: () => pod });
  const { files = [] } = (await contents.at(`${ROOT}/pods/u/etc-hosts`)) ?? {};
  expect(Buffer.from(files[0]?.bytes ?? []).toString()).toBe(
    [
      '# Kubernetes-managed hosts file.',
      '127.0.0.1\tlocalhost',
      '::1\tlocalhost ip6-localhost ip6-loopback',
      'fe00::0\tip6-localnet',
      'fe00::0\tip6-mcastprefix',
      'fe00::1\tip6-allnodes',
      'fe00::2\tip6-allrouters',
      '10.244.0.2\tweb.sub.default.svc.cluster.local\tweb',
      '',
      '# Entries added by HostAliases.',
      '10.1.1.1\ta\tb',
      '',
    ].join('\n'),
  );
});
