import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CdiFolder } from './cdi-folder.ts';
import { cdiProblems, type CdiSpec, parseCdiName } from './cdi-spec.ts';

let path: string;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'keelson-cdi-'));
});

afterEach(() => rm(path, { recursive: true }));

const spec: CdiSpec = {
  cdiVersion: '0.5.0',
  kind: 'example.com/gpu',
  devices: [
    { name: 'a', containerEdits: { env: ['GPU=a', 'EMPTY='], deviceNodes: [{ path: '/dev/a', permissions: 'rw' }] } },
    { name: 'b', containerEdits: { mounts: [{ hostPath: '/opt/b', containerPath: '/b', options: ['ro'] }] } },
  ],
  containerEdits: { env: ['GPUS=yes'] },
};

test('devices of files change containers as a runtime would have it', async () => {
  const folder = new CdiFolder(path);
  await folder.write('gpus.json', spec);
  await writeFile(
    join(path, 'cards.yaml'),
    'cdiVersion: 0.6.0\nkind: example.com/card\ndevices:\n- name: c\n  containerEdits:\n    env: [CARD=1.10]\n',
  );
  const edits = await folder.edits(['example.com/gpu=a', 'example.com/gpu=b', 'example.com/card=c']);
  expect(edits).toMatchObject({
    envs: [
      { key: 'GPU', value: 'a' },
      { key: 'EMPTY', value: '' },
      { key: 'GPUS', value: 'yes' },
      { key: 'CARD', value: '1.10' },
    ],
    devices: [{ containerPath: '/dev/a', hostPath: '/dev/a', permissions: 'rw' }],
    mounts: [{ hostPath: '/opt/b', containerPath: '/b', readonly: true }],
  });
  await expect(folder.edits(['example.com/gpu=a', 'example.com/gpu=z', 'nonsense'])).rejects.toThrow(
    'CDI device injection failed: unresolvable CDI devices example.com/gpu=z, nonsense',
  );
  await folder.remove('gpus.json');
  await folder.remove('gpus.json');
  expect(await readdir(path)).toEqual(['cards.yaml']);
});

test('files that runtimes would not take are not written, and devices in them are not known', async () => {
  const folder = new CdiFolder(path);
  await expect(folder.write('bad.json', { ...spec, kind: 'gpu' })).rejects.toThrow(
    'Cannot write the CDI file "bad.json": kind is "gpu", and must be like vendor.com/class',
  );
  await writeFile(join(path, 'half.json'), '{"cdiVersion":');
  expect((await folder.read('half.json'))?.problems).toHaveLength(1);
  await expect(folder.edits(['example.com/gpu=a'])).rejects.toThrow('unresolvable');
  expect(await new CdiFolder(join(path, 'absent')).names()).toEqual([]);
});

test.each([
  [{ cdiVersion: '9.0.0' }, 'cdiVersion is "9.0.0"'],
  [{ kind: '1example.com/gpu' }, 'kind is "1example.com/gpu"'],
  [{ devices: [] }, 'there are no devices'],
  [{ extra: 1 }, 'the file has the unknown field "extra"'],
  [{ devices: [{ name: 'a', containerEdits: {} }] }, 'devices[0] changes nothing in containers'],
  [{ devices: [{ name: '-a', containerEdits: { env: ['A=1'] } }] }, 'the name of devices[0] is "-a"'],
  [{ devices: [spec.devices[0], spec.devices[0]] }, 'the name "a" is there twice'],
  [{ containerEdits: { env: ['A'] } }, 'containerEdits.env[0] is "A", and must be NAME=VALUE'],
  [{ containerEdits: { deviceNodes: [{ path: '' }] } }, 'containerEdits.deviceNodes[0] has no path'],
  [{ containerEdits: { deviceNodes: [{ path: '/dev/a', permissions: 'x' }] } }, 'has the permissions "x"'],
  [{ containerEdits: { mounts: [{ hostPath: '/a' }] } }, 'containerEdits.mounts[0] needs both of its paths'],
  [{ containerEdits: { hooks: [{ hookName: 'later', path: '/a' }] } }, 'has an unknown hookName'],
])('the change %j is a problem of a file', (change, problem) => {
  expect(cdiProblems({ ...spec, ...change }).join('; ')).toContain(problem);
});

test('a good file has no problems, and names are read as runtimes read them', () => {
  expect(cdiProblems(spec)).toEqual([]);
  expect(parseCdiName('example.com/gpu=a:0_1')).toEqual({ kind: 'example.com/gpu', device: 'a:0_1' });
  for (const name of ['gpu=a', 'example.com/gpu', 'example.com/gpu=', 'example.com/gpu=a=b', 'example.com/g.pu=a'])
    expect(parseCdiName(name)).toBeUndefined();
});
