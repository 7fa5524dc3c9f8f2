import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RecordingPlugins } from '../../cni/testing/recording-plugins.ts';
import { runProgram } from '../program.ts';

const list = { cniVersion: '1.1.0', name: 'pods', plugins: [{ type: 'one', capabilities: { mac: true } }] };

async function setUp(): Promise<RecordingPlugins> {
  const plugins = await RecordingPlugins.create('one');
  onTestFinished(() => plugins[Symbol.asyncDispose]());
  await plugins.answer('one', { ips: [{ address: '10.0.0.2/24' }] });
  await plugins.network('pods.conflist', list);
  return plugins;
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  let [out, err] = ['', ''];
  const code = await runProgram(['cni', ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    once: () => undefined,
  });
  return { code, out, err };
}

const places = (plugins: RecordingPlugins): Record<string, string> => ({
  NETCONFPATH: plugins.networks,
  CNI_PATH: plugins.programs,
});

test('the variables of cnitool are read, and the container has the id that cnitool gives it', async () => {
  const plugins = await setUp();
  const cache = `--cache-dir=${plugins.cache}`;
  const env = { ...places(plugins), CNI_ARGS: 'A=1;B=2', CAP_ARGS: '{"mac":"02::1"}', CNI_IFNAME: 'net1' };

  const added = await run(['add', 'pods', '/run/netns/blue', cache], env);

  expect(added).toEqual({ code: 0, err: '', out: expect.any(String) });
  expect(JSON.parse(added.out)).toEqual({ cniVersion: '1.1.0', ips: [{ address: '10.0.0.2/24' }] });
  const [call] = await plugins.calls();
  expect(call?.environment).toEqual({
    CNI_ARGS: 'A=1;B=2',
    CNI_COMMAND: 'ADD',
    CNI_CONTAINERID: 'cnitool-df26705e2e4ffd095eb1',
    CNI_IFNAME: 'net1',
    CNI_NETNS: '/run/netns/blue',
    CNI_PATH: plugins.programs,
  });
  expect(JSON.parse(call?.input ?? '')).toMatchObject({ runtimeConfig: { mac: '02::1' } });
  expect((await run(['del', 'pods', '/run/netns/blue', cache], env)).code).toBe(0);
  expect(await readdir(join(plugins.cache, 'results'))).toEqual([]);
});

test('flags win over variables', async () => {
  const plugins = await setUp();
  const ran = await run([
    'add',
    'pods',
    '/run/netns/blue',
    `--config=${join(plugins.networks, 'pods.conflist')}`,
    `--plugin-path=${plugins.programs}`,
    `--cache-dir=${plugins.cache}`,
    '--ifname=eth9',
    '--container-id=mine',
    '--args=C=3',
  ]);
  expect(ran.code).toBe(0);
  const [call] = await plugins.calls();
  expect(call?.environment).toMatchObject({ CNI_ARGS: 'C=3', CNI_CONTAINERID: 'mine', CNI_IFNAME: 'eth9' });
});

test('a failure is the error object of the specification and exit code 1', async () => {
  const plugins = await setUp();
  await plugins.fail('one', '{"cniVersion":"1.1.0","code":50,"msg":"no addresses","details":"all 254 are taken"}');
  const ran = await run(['status', 'pods'], places(plugins));
  expect(ran.code).toBe(1);
  expect(JSON.parse(ran.out)).toEqual({
    cniVersion: '1.1.0',
    code: 50,
    msg: 'no addresses',
    details: 'all 254 are taken',
  });
  expect(ran.err).toBe('keelson cni status: no addresses; all 254 are taken\n');
});

test('validate says what a network has', async () => {
  const plugins = await setUp();
  expect(await run(['validate', 'pods'], places(plugins))).toEqual({
    code: 0,
    out: 'network "pods": version 1.1.0, plugins one\ncapabilities: mac\n',
    err: '',
  });
  expect((await run(['validate', 'other'], places(plugins))).out).toContain('"code": 7');
});

test.each([
  [['join', 'pods'], 'expected add, check, del, gc, status or validate, got "join"'],
  [['add'], 'the name of a network must be given'],
  [['add', 'pods'], 'the path of a network namespace must be given'],
  [['add', 'pods', '/a', '/b'], 'unexpected argument "/b"'],
  [['add', 'pods', '/a', '--args=A'], '--args must be pairs such as A=1;B=2, got "A"'],
  [['add', 'pods', '/a', '--capability-args=[]'], '--capability-args must be a JSON object: it is no object'],
  [['gc', 'pods', '--valid=a'], '--valid must be ID/IFNAME, got "a"'],
  [['add', 'pods', '/a', '--timeout=soon'], '--timeout: time: invalid duration'],
])('%j is refused', async (args, message) => {
  const plugins = await setUp();
  const ran = await run(args, places(plugins));
  expect(ran.code).toBe(2);
  expect(ran.err).toContain(message);
});
