import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { csiDriver, memoryRecords } from '../../csi/index.ts';
import { needsNamespaces } from '../../cni/testing/needs-namespaces.ts';
import { runProgram } from '../program.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(...args: readonly string[]): Promise<Ran> {
  let [out, err] = ['', ''];
  const code = await runProgram(['conform', ...args], {
    env: process.env,
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    once: () => undefined,
  });
  return { code, out, err };
}

test('the rules are listed without running anything', async () => {
  const { code, out } = await run('cni', '--list', '--only', 'del-again,add-again');
  expect(code).toBe(0);
  expect(out).toBe(`add-again (must): ADD of an interface that exists fails and changes nothing
    CNI 1.1.0, section 2, ADD: If an interface of the requested name exists in the container, ADD fails.
del-again (must): DEL may be repeated
    CNI 1.1.0, section 2, DEL: A plugin accepts several DEL calls for the same container and interface, and succeeds when nothing is left.
`);
});

test.each([
  [[], 'what is to be judged? Known kinds: cni, csi'],
  [['fly'], 'there is no suite for "fly"'],
  [['csi', '--calls-at-once', '0', '--', 'unix:///x'], '--calls-at-once must be a number from 1 to 100'],
  [['csi', '--volume-parameters', 'x', '--', 'unix:///x'], '--volume-parameters must be KEY=VALUE'],
  [['cni', '/bin/true'], 'unexpected argument "/bin/true"; the program comes after "--"'],
  [['cni'], 'the program must be given after "--"'],
  [['cni', '--only', 'fly', '--', '/bin/true'], 'there is no case "fly"'],
  [['cni', '--plugin-kind', 'odd', '--', '/bin/true'], '--plugin-kind must be interface, chained, ipam, got "odd"'],
  [['cni', '--cni-version', '7', '--', '/bin/true'], '--cni-version must be one of'],
  [['cni', '--concurrency', '0', '--', '/bin/true'], '--concurrency must be a number from 1 to 1000'],
  [['broker', '--broker-user', 'x', '--', 'http://b'], '--broker-user has the form NAME:PASSWORD'],
  [['broker', '--provision-parameters', '[]', '--', 'http://b'], '--provision-parameters is no JSON object: []'],
  [['broker', '--broker-plan', 'x', '--', 'http://b'], '--broker-plan has the form SERVICE/PLAN, and not "x"'],
  [['cni', '--config', '/does/not/exist', '--', '/bin/true'], 'no such file'],
])('%j is refused', async (args, message) => {
  const { code, err } = await run(...args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test('a broker that is a program is started, judged and stopped', async () => {
  const catalog = '{"services":[{"name":"s","id":"1","description":"d","bindable":false,"plans":[]}]}';
  const program = `require('http').createServer((_, out) => out.end('${catalog}')).listen(process.env.PORT)`;
  const only = 'catalog,catalog-fields,catalog-plans';
  const { code, out } = await run('broker', '--only', only, '--', process.execPath, '-e', program);
  expect(out).toContain('FAIL  catalog-plans: each service has a plan\n        service "s": it has no plans');
  expect(out).toContain('Open Service Broker API 2.17: 2 passed, 1 failed, 0 warned, 0 skipped');
  expect(code).toBe(1);
  const ended = await run('broker', '--', process.execPath, '-e', 'console.error("no license")');
  expect(ended).toMatchObject({
    code: 1,
    err: expect.stringContaining('Cannot start the broker: it has ended with 0; no license'),
  });
});

test('a plugin is judged, and reports are written', needsNamespaces, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-conform-cli-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const plugin = join(folder, 'plugin');
  const answer = '{"cniVersion":"1.1.0","supportedVersions":["1.1.0"]}';
  await writeFile(plugin, `#!/bin/sh\n[ "$CNI_COMMAND" != VERSION ] || echo '${answer}'\n`, { mode: 0o755 });
  const [json, junit] = [join(folder, 'report.json'), join(folder, 'report.xml')];
  const only = ['--only', 'version,unknown-command', `--report-json=${json}`, `--report-junit=${junit}`];

  const { code, out } = await run('cni', ...only, '--', plugin);

  expect(code).toBe(1);
  expect(out).toContain('ok    version: VERSION names the supported versions');
  expect(out).toContain('FAIL  unknown-command: a command that does not exist fails\n        it succeeds: exit code 0');
  expect(out).toContain('CNI 1.1.0: 1 passed, 1 failed, 0 warned, 0 skipped');
  expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({ subject: plugin, counts: { failed: 1 } });
  expect(await readFile(junit, 'utf8')).toContain('failures="1"');
  expect((await run('cni', '--only=version', '--', plugin)).code).toBe(0);
  expect((await run('cni', '--', join(folder, 'none'))).err).toContain('Cannot start');
});

test('a storage driver is judged at its endpoint, and reports are written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-conform-cli-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const controller = { records: memoryRecords(), create: async () => undefined, delete: async () => undefined };
  const driver = csiDriver({ name: 'plain.csi.example.com', version: '1', controller });
  const stop = new AbortController();
  const endpoint = `unix://${join(folder, 'csi.sock')}`;
  const served = driver.serve({ listen: endpoint });
  const running = served.run(stop.signal);
  await served.listening();
  const [json, junit] = [join(folder, 'report.json'), join(folder, 'report.xml')];
  const only = ['--only', 'plugin-info,create-again,snapshot-again,publish-again,restart-keeps'];

  const { code, out } = await run('csi', ...only, `--report-json=${json}`, `--report-junit=${junit}`, '--', endpoint);
  stop.abort();
  await running;

  expect(out).toContain('ok    create-again: CreateVolume may be repeated');
  expect(out).toContain('(the driver does not claim CREATE_DELETE_SNAPSHOT)');
  expect(out).toContain('(the driver has no node service)');
  expect(out).toContain('(only a driver that is given as a command can be killed)');
  expect(out).toContain('CSI 1.13: 2 passed, 0 failed, 0 warned, 3 skipped');
  expect(code).toBe(0);
  expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({ subject: endpoint, counts: { skipped: 3 } });
  expect(await readFile(junit, 'utf8')).toContain('skipped="3"');
});
