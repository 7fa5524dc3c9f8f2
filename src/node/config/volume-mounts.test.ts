import { expect, test } from 'vitest';
import type { ContainerSpec } from '../life/index.ts';
import type { Mount } from '../runtime/index.ts';
import { ExpansionBudget } from './expand-variables.ts';
import { volumeMounts, type VolumeMountsParts } from './volume-mounts.ts';

type Mounts = NonNullable<ContainerSpec['volumeMounts']>;

const PARTS: VolumeMountsParts = {
  volumes: new Map([
    ['data', { path: '/data', isReadOnly: false, isRelabelled: true }],
    ['keys', { path: '/keys', isReadOnly: true, isRelabelled: true }],
    ['tools', { path: '', image: { image: 'sha256:1' }, isReadOnly: true, isRelabelled: false }],
  ]),
  hasRecursiveReadOnly: true,
  subPath: async ({ container, mountName, index, subPath }) => `/parts/${mountName}/${container}/${index} ${subPath}`,
};

function mountsOf(mounts: Mounts, parts: Partial<VolumeMountsParts> = {}): Promise<Mount[]> {
  const container = { name: 'web', image: 'web', volumeMounts: mounts };
  return volumeMounts(container, { ...PARTS, ...parts }, { variables: new Map(), budget: new ExpansionBudget() });
}

test('a volume with files from the API is mounted read-only, whatever the mount says', async () => {
  expect(await mountsOf([{ name: 'keys', mountPath: '/keys' }])).toMatchObject([
    { readonly: true, selinuxRelabel: true },
  ]);
});

test('the content of an image is mounted by the runtime, also a part of it', async () => {
  expect(await mountsOf([{ name: 'tools', mountPath: '/tools', subPath: 'bin' }])).toEqual([
    {
      containerPath: '/tools',
      hostPath: '',
      image: { image: 'sha256:1' },
      imageSubPath: 'bin',
      readonly: true,
      recursiveReadOnly: false,
      propagation: 'PROPAGATION_PRIVATE',
      selinuxRelabel: false,
    },
  ]);
});

test('what is below a mount is read-only too where the runtime can do that', async () => {
  const mount = { name: 'data', mountPath: '/data', readOnly: true };
  const modes = async (isAble: boolean): Promise<readonly boolean[]> => {
    const mounts = [mount, { ...mount, recursiveReadOnly: 'IfPossible' }];
    return (await mountsOf(mounts, { hasRecursiveReadOnly: isAble })).map((each) => each.recursiveReadOnly);
  };
  expect([await modes(true), await modes(false)]).toEqual([
    [false, true],
    [false, false],
  ]);
  const refused =
    'failed to resolve recursive read-only mode: volume "data" requested recursive read-only mode, but it is';
  const enabled = { ...mount, recursiveReadOnly: 'Enabled' };
  await expect(mountsOf([enabled], { hasRecursiveReadOnly: false })).rejects.toThrow(
    `${refused} not supported by the runtime`,
  );
  await expect(mountsOf([{ ...enabled, readOnly: false }])).rejects.toThrow(`${refused} not read-only`);
  await expect(mountsOf([{ ...enabled, mountPropagation: 'HostToContainer' }])).rejects.toThrow(
    `${refused} not compatible with propagation "HostToContainer"`,
  );
});

test('a part that cannot be made ready keeps the container from being made', async () => {
  const subPath = (): Promise<string> => Promise.reject(new Error('failed to prepare subPath'));
  await expect(mountsOf([{ name: 'data', mountPath: '/d', subPath: 'a' }], { subPath })).rejects.toMatchObject({
    name: 'ContainerConfigError',
    message: 'failed to prepare subPath',
  });
  await expect(mountsOf([{ name: 'data', mountPath: '/d', subPath: '/etc' }])).rejects.toThrow(
    'must not be an absolute path',
  );
  await expect(mountsOf([{ name: 'data', mountPath: '/d', subPath: 'a/../../b' }])).rejects.toThrow(
    "must not contain '..'",
  );
});
