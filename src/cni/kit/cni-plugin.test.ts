import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { CniError } from '../cni-error.ts';
import { NetworkNamespace } from '../network-namespace.ts';
import { needsNamespaces } from '../testing/needs-namespaces.ts';
import { cniPlugin, type CniPlugin, type CniRequest } from './cni-plugin.ts';

const attached = { CNI_CONTAINERID: 'c1', CNI_NETNS: '/proc/1/none', CNI_IFNAME: 'eth0', CNI_PATH: '/none' };

interface Answer {
  readonly code: number;
  readonly output: unknown;
  readonly stderr: string;
}

async function call(plugin: CniPlugin, environment: Record<string, string>, config: unknown = {}): Promise<Answer> {
  const input =
    typeof config === 'string'
      ? config
      : JSON.stringify({ cniVersion: '1.1.0', name: 'pods', type: plugin.name, ...(config as object) });
  const { code, stdout, stderr } = await plugin.run({ environment, input });
  return { code, output: stdout === '' ? undefined : (JSON.parse(stdout) as unknown), stderr };
}

/** Keeps the requests that it gets. */
function recorder(): { readonly plugin: CniPlugin; readonly requests: CniRequest[] } {
  const requests: CniRequest[] = [];
  const keep = (request: CniRequest): void => void requests.push(request);
  return {
    requests,
    plugin: cniPlugin({ name: 'recorder', add: keep, check: keep, del: keep, gc: keep, status: keep }),
  };
}

test('VERSION names the versions, for the version that was asked', async () => {
  const { plugin } = recorder();
  expect(await call(plugin, { CNI_COMMAND: 'VERSION' }, '{"cniVersion":"0.4.0"}')).toEqual({
    code: 0,
    output: { cniVersion: '0.4.0', supportedVersions: ['0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'] },
    stderr: '',
  });
});

test.each<[string, Record<string, string>, unknown, [number, string]]>([
  ['no command', {}, {}, [4, 'required env variables [CNI_COMMAND] missing']],
  ['an unknown command', { CNI_COMMAND: 'GO' }, {}, [4, 'unknown CNI_COMMAND: GO']],
  ['missing variables', { CNI_COMMAND: 'DEL' }, {}, [4, 'required env variables [CNI_CONTAINERID,CNI_IFNAME] missing']],
  [
    'a bad id',
    { ...attached, CNI_COMMAND: 'DEL', CNI_CONTAINERID: 'a/b' },
    {},
    [4, 'invalid characters in containerID'],
  ],
  ['bad arguments', { ...attached, CNI_COMMAND: 'DEL', CNI_ARGS: 'A' }, {}, [4, 'cannot read CNI_ARGS']],
  ['no input', { ...attached, CNI_COMMAND: 'DEL' }, '', [6, 'cannot read the network configuration']],
  ['no name', { ...attached, CNI_COMMAND: 'DEL' }, { name: '' }, [7, 'missing network name']],
  ['a version of the future', { ...attached, CNI_COMMAND: 'DEL' }, { cniVersion: '2.0.0' }, [1, 'incompatible']],
  ['no version', { ...attached, CNI_COMMAND: 'DEL' }, { cniVersion: undefined }, [1, 'incompatible CNI versions']],
  ['CHECK of an old version', { ...attached, CNI_COMMAND: 'CHECK' }, { cniVersion: '0.3.1' }, [1, 'has no CHECK']],
  ['GC of an old version', { CNI_COMMAND: 'GC' }, { cniVersion: '1.0.0' }, [1, 'version 1.0.0 has no GC']],
  ['a namespace that is gone', { ...attached, CNI_COMMAND: 'ADD' }, {}, [3, 'does not exist']],
  ['a file', { ...attached, CNI_COMMAND: 'ADD', CNI_NETNS: '/etc/passwd' }, {}, [8, 'is no network namespace']],
  [
    'its own namespace',
    { ...attached, CNI_COMMAND: 'ADD', CNI_NETNS: '/proc/self/ns/net' },
    {},
    [8, 'not be the same'],
  ],
])('with %s it fails by the codes of the specification', async (_, environment, config, [code, message]) => {
  const { plugin, requests } = recorder();
  const answer = await call(plugin, environment, config);
  expect(answer.code).toBe(1);
  expect(answer.output).toMatchObject({ code, msg: expect.stringContaining(message) as string });
  expect(requests).toEqual([]);
});

test('DEL without a namespace, GC and STATUS get what the runtime gives', async () => {
  const { plugin, requests } = recorder();
  const valid = [{ containerID: 'c1', ifname: 'eth0' }];
  await call(
    plugin,
    { ...attached, CNI_COMMAND: 'DEL', CNI_NETNS: '', CNI_ARGS: 'A=1;B=x=y' },
    {
      runtimeConfig: { mac: '02::1' },
      color: 'red',
      prevResult: { cniVersion: '1.1.0', ips: [{ address: '10.0.0.2/24' }] },
    },
  );
  await call(plugin, { CNI_COMMAND: 'GC' }, { 'cni.dev/valid-attachments': valid, 'cni.dev/other': 1 });
  expect(await call(plugin, { CNI_COMMAND: 'STATUS' })).toEqual({ code: 0, output: undefined, stderr: '' });

  expect(requests).toMatchObject([
    {
      command: 'DEL',
      network: 'pods',
      containerId: 'c1',
      netns: '',
      args: { A: '1', B: 'x=y' },
      runtimeConfig: { mac: '02::1' },
      config: { color: 'red' },
      prevResult: { ips: [{ address: '10.0.0.2/24' }] },
    },
    { command: 'GC', validAttachments: valid, config: {} },
    { command: 'STATUS', validAttachments: undefined },
  ]);
});

test(
  'results are in the version of the configuration, and without one the plugin before is repeated',
  needsNamespaces,
  async () => {
    await using container = await NetworkNamespace.create();
    const environment = { ...attached, CNI_COMMAND: 'ADD', CNI_NETNS: container.path };
    const plugin = cniPlugin({ name: 'a', add: () => ({ ips: [{ address: '10.0.0.2/24' }] }) });
    expect((await call(plugin, environment, { cniVersion: '0.4.0' })).output).toEqual({
      cniVersion: '0.4.0',
      ips: [{ version: '4', address: '10.0.0.2/24' }],
      dns: {},
    });
    const chained = cniPlugin({ name: 'a', add: () => undefined });
    const prevResult = { cniVersion: '1.0.0', interfaces: [{ name: 'eth0', mtu: 1400 }], routes: [{ dst: '::/0' }] };
    expect((await call(chained, environment, { cniVersion: '1.0.0', prevResult })).output).toEqual(prevResult);
  },
);

test('errors are printed with their code, other failures with 999', needsNamespaces, async () => {
  await using container = await NetworkNamespace.create();
  const environment = { ...attached, CNI_COMMAND: 'ADD', CNI_NETNS: container.path };
  const failing = (error: Error): CniPlugin => cniPlugin({ name: 'a', add: () => Promise.reject(error) });
  const error = new CniError(120, 'no colour', { details: 'the box is empty' });
  expect((await call(failing(error), environment)).output).toEqual({
    cniVersion: '1.1.0',
    code: 120,
    msg: 'no colour',
    details: 'the box is empty',
  });
  expect((await call(failing(new TypeError('oops')), environment)).output).toMatchObject({ code: 999, msg: 'oops' });
});

test('programs run on the machine and in the container', needsNamespaces, async () => {
  await using container = await NetworkNamespace.create();
  await container.run('ip', 'link', 'add', 'there0', 'type', 'veth', 'peer', 'name', 'there1');
  let printed = '';
  const plugin = cniPlugin({
    name: 'a',
    async add({ inContainer, onHost }) {
      printed = await inContainer('ip', '-o', 'link');
      await onHost('ip', 'link', 'show', 'there0');
    },
  });
  const answer = await call(plugin, {
    ...attached,
    CNI_COMMAND: 'ADD',
    CNI_NETNS: container.path,
    PATH: process.env['PATH'] ?? '',
  });
  expect(printed).toContain('there0');
  expect(answer.output).toMatchObject({ code: 999, msg: 'ip link show there0 failed' });
});

test('a configuration is read by a schema: a literal, zod or valibot', async () => {
  const run = async (plugin: CniPlugin, config: object): Promise<unknown> => {
    const { output, code } = await call(plugin, { ...attached, CNI_COMMAND: 'DEL' }, config);
    return code === 0 ? seen.at(-1) : output;
  };
  const seen: unknown[] = [];
  const literal = cniPlugin({
    name: 'literal',
    config: {
      type: 'object',
      properties: {
        bridge: { type: 'string', default: 'cni0', pattern: '^[a-z0-9]+$' },
        mtu: { type: 'integer', minimum: 68 },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['mtu'],
      additionalProperties: false,
    },
    add: () => undefined,
    del({ config }) {
      const bridge: string = config.bridge;
      const mtu: number = config.mtu;
      const tags: readonly string[] | undefined = config.tags;
      seen.push({ bridge, mtu, tags });
    },
  });
  expect(await run(literal, { mtu: 1400, tags: ['a'] })).toEqual({ bridge: 'cni0', mtu: 1400, tags: ['a'] });
  expect(await run(literal, { mtu: 1, bridge: 'A', tags: [7] })).toMatchObject({
    code: 7,
    details:
      '"mtu" must be at least 68, got 1; "bridge" must match "^[a-z0-9]+$", got "A"; "tags[0]" must be a string, got 7',
  });
  expect(await run(literal, {})).toMatchObject({ code: 7, details: '"mtu" is required' });
  expect(await run(literal, { mtu: 99, colour: 'red' })).toMatchObject({
    code: 2,
    msg: 'unsupported field: "colour" is not supported, got "red"',
  });

  const byZod = cniPlugin({
    name: 'zod',
    config: z.strictObject({ mtu: z.number().default(1500) }),
    add: () => undefined,
    del: ({ config }) => void seen.push(config.mtu.toFixed(0)),
  });
  expect(await run(byZod, {})).toBe('1500');
  expect(await run(byZod, { mtu: 'x' })).toMatchObject({
    code: 7,
    details: expect.stringContaining('"mtu"') as string,
  });

  const byValibot = cniPlugin({
    name: 'valibot',
    config: v.object({ mtu: v.optional(v.number(), 1500) }),
    add: () => undefined,
    del: ({ config }) => void seen.push(config.mtu.toFixed(1)),
  });
  expect(await run(byValibot, {})).toBe('1500.0');
});

test('a schema with rules that are not kept is refused at once', () => {
  const define = (config: object) => () => cniPlugin({ name: 'a', config, add: () => undefined });
  expect(define({ type: 'object', properties: { a: { format: 'ipv4' } } })).toThrow('keyword "format" of "a"');
  expect(define({ oneOf: [] })).toThrow('keyword "oneOf" is not supported');
});

test('other plugins get the same call, and lose what they added when this one fails', needsNamespaces, async () => {
  await using container = await NetworkNamespace.create();
  const folder = await mkdtemp(join(tmpdir(), 'keelson-cni-kit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const log = join(folder, 'log');
  await writeFile(
    join(folder, 'pool'),
    `#!/bin/sh\necho "$CNI_COMMAND $(cat)" >> ${log}\n[ $CNI_COMMAND != ADD ] || echo '{"ips":[{"address":"10.0.0.2/24"}]}'\n`,
  );
  await chmod(join(folder, 'pool'), 0o755);
  const environment = { ...attached, CNI_NETNS: container.path, CNI_PATH: folder, PATH: process.env['PATH'] ?? '' };
  let isBroken = false;
  const plugin = cniPlugin({
    name: 'a',
    config: { type: 'object', properties: { ipam: { type: 'object' } } },
    delegates: () => ['pool'],
    async add({ delegate }) {
      const result = await delegate('pool');
      if (isBroken) throw new Error('broken');
      return result;
    },
    status: () => Promise.reject(new CniError('NotAvailable', 'not now')),
  });
  const commands = async (): Promise<readonly string[]> => {
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    await rm(log);
    for (const line of lines) expect(line).toContain('"name":"pods"');
    return lines.map((line) => line.replace(/ .*/, ''));
  };

  expect((await call(plugin, { ...environment, CNI_COMMAND: 'ADD' })).output).toEqual({
    cniVersion: '1.1.0',
    ips: [{ address: '10.0.0.2/24' }],
  });
  for (const CNI_COMMAND of ['CHECK', 'DEL', 'GC']) await call(plugin, { ...environment, CNI_COMMAND });
  expect((await call(plugin, { ...environment, CNI_COMMAND: 'STATUS' })).output).toMatchObject({ code: 50 });
  expect(await commands()).toEqual(['ADD', 'CHECK', 'DEL', 'GC', 'STATUS']);
  isBroken = true;
  expect((await call(plugin, { ...environment, CNI_COMMAND: 'ADD' })).output).toMatchObject({ msg: 'broken' });
  expect(await commands()).toEqual(['ADD', 'DEL']);
});
