import { expect, test } from 'vitest';
import type { Observed, Pod } from '../../client/index.ts';
import { containerFiles } from './container-files.ts';
import type { VolumeFilesParts } from './volume-files.ts';

const PARTS: VolumeFilesParts = {
  data: {
    configMap: async (_namespace, name) =>
      name === 'settings'
        ? new Map([
            ['color', Buffer.from('blue')],
            ['size', Buffer.from('big')],
          ])
        : undefined,
    secret: async (_namespace, name) => (name === 'keys' ? new Map([['pass', Buffer.from('word')]]) : undefined),
    token: async (_pod, { audience }) => `token for ${audience}`,
  },
  podIps: ['10.0.0.1'],
  hostIps: ['192.0.2.1'],
  allocatable: {},
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
  const mounted = await containerFiles(pod, { name: 'main', environment: new Map([['POD', 'size']]) }, PARTS);
  const files = mounted.flatMap((each) => each.files);
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
