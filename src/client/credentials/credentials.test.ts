import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { testdata } from '../testing/test-server.ts';
import { ExecCredentials, type ExecCredentialsOptions, type ExecPlugin } from './exec-credentials.ts';
import { CertificateCredentials, TokenFileCredentials } from './file-credentials.ts';

/** A temporary file; each write changes its modification time, however quickly it follows. */
async function file(text: string): Promise<{ path: string; write(text: string): Promise<void> } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-credentials-'));
  const path = join(folder, 'file');
  let version = 0;
  const write = async (content: string): Promise<void> => {
    await writeFile(path, content);
    await utimes(path, ++version, version);
  };
  await write(text);
  return { path, write, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

describe('a token file', () => {
  test('is read again when it has changed, at most every ten seconds', async () => {
    const clock = new VirtualClock();
    await using token = await file('one');
    const credentials = new TokenFileCredentials(token.path, clock);
    expect(await credentials.current()).toEqual({ authorization: 'Bearer one' });

    await token.write('two');
    expect(await credentials.current()).toEqual({ authorization: 'Bearer one' });
    await clock.advance('10s');

    expect(await credentials.current()).toEqual({ authorization: 'Bearer two' });
  });

  test('is read at once when the server refuses the token', async () => {
    await using token = await file('one');
    const credentials = new TokenFileCredentials(token.path, new VirtualClock());
    const refused = await credentials.current();
    expect(await credentials.renew(refused)).toBe(false);

    await token.write('two');

    expect(await credentials.renew(refused)).toBe(true);
    expect(await credentials.current()).toEqual({ authorization: 'Bearer two' });
  });

  test('keeps its last token while the file is missing', async () => {
    const clock = new VirtualClock();
    await using token = await file('one');
    const credentials = new TokenFileCredentials(token.path, clock);
    await credentials.current();
    await rm(token.path);

    await clock.advance('10s');

    expect(await credentials.current()).toEqual({ authorization: 'Bearer one' });
  });

  test('that is missing or empty is an error that names it', async () => {
    await using empty = await file(' \n');

    await expect(new TokenFileCredentials(empty.path, new VirtualClock()).current()).rejects.toThrow(
      `token file "${empty.path}": it is empty`,
    );
    await expect(new TokenFileCredentials('/nowhere', new VirtualClock()).current()).rejects.toMatchObject({
      reason: 'credentials',
      message: expect.stringContaining('Cannot read token file "/nowhere"'),
    });
  });
});

test('certificate files are read again when they have changed', async () => {
  const clock = new VirtualClock();
  await using certificate = await file('cert one');
  const credentials = new CertificateCredentials({ path: certificate.path }, { pem: 'key' }, clock);
  const first = await credentials.current();
  expect(first).toEqual({ certificate: { certificate: 'cert one', key: 'key' } });
  expect((await credentials.current()).certificate).toBe(first.certificate);

  await certificate.write('cert two');
  await clock.advance('10s');

  expect(await credentials.current()).toEqual({ certificate: { certificate: 'cert two', key: 'key' } });
});

describe('an exec plugin', () => {
  const V1 = 'client.authentication.k8s.io/v1';

  /** A plugin that runs a line of JavaScript; `n` is how often it has run, counted in a file. */
  function plugin(script: string, counter: string, more: Partial<ExecPlugin> = {}): ExecPlugin {
    const prologue = `const fs = require('node:fs'); let n = 1 + Number(fs.readFileSync(process.env.COUNTER, 'utf8')); fs.writeFileSync(process.env.COUNTER, String(n)); const say = (status) => console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${V1}', status }));`;
    return {
      apiVersion: V1,
      command: process.execPath,
      args: ['-e', `${prologue} ${script}`],
      env: { COUNTER: counter },
      interactiveMode: 'Never',
      provideClusterInfo: false,
      ...more,
    };
  }

  function credentialsOf(exec: ExecPlugin, options: Partial<ExecCredentialsOptions> = {}): ExecCredentials {
    return new ExecCredentials(exec, {
      clock: new VirtualClock(),
      environment: process.env,
      isTerminal: false,
      cluster: async () => ({ server: 'https://example.test' }),
      origin: 'user "u" in kubeconfig "k"',
      ...options,
    });
  }

  test('runs once for all callers, and again when its credentials have expired', async () => {
    const clock = new VirtualClock();
    await using counter = await file('0');
    const expires = new Date(clock.now() + 60_000).toISOString();
    const script = `say({ token: 'token-' + n, expirationTimestamp: n === 1 ? '${expires}' : undefined })`;
    const credentials = credentialsOf(plugin(script, counter.path), { clock });

    const both = await Promise.all([credentials.current(), credentials.current()]);
    expect(both).toEqual([{ authorization: 'Bearer token-1' }, { authorization: 'Bearer token-1' }]);
    await clock.advance('60s');
    expect(await credentials.current()).toEqual({ authorization: 'Bearer token-1' });
    await clock.advance('1s');

    expect(await credentials.current()).toEqual({ authorization: 'Bearer token-2' });
  });

  test('runs again when the server rejects its credentials, once for all callers', async () => {
    await using counter = await file('0');
    const credentials = credentialsOf(plugin(`say({ token: 'token-' + n })`, counter.path));
    const refused = await credentials.current();

    expect(await credentials.renew(refused)).toBe(true);
    expect(await credentials.renew(refused)).toBe(true);

    expect(await credentials.current()).toEqual({ authorization: 'Bearer token-2' });
  });

  test('may give a certificate', async () => {
    await using counter = await file('0');
    const pair = { certificate: testdata('client.crt'), key: testdata('client.key') };
    const status = JSON.stringify({ clientCertificateData: pair.certificate, clientKeyData: pair.key });

    expect(await credentialsOf(plugin(`say(${status})`, counter.path)).current()).toEqual({ certificate: pair });
  });

  test('receives its configuration, and the cluster if it asks for it', async () => {
    await using counter = await file('0');
    const script = `say({ token: Buffer.from(process.env.KUBERNETES_EXEC_INFO + process.env.EXTRA).toString('base64') })`;
    const exec = plugin(script, counter.path, { provideClusterInfo: true });
    const credentials = credentialsOf({ ...exec, env: { ...exec.env, EXTRA: 'more' } });

    const { authorization = '' } = await credentials.current();

    const received = Buffer.from(authorization.slice('Bearer '.length), 'base64').toString();
    expect(received.endsWith('more')).toBe(true);
    expect(JSON.parse(received.slice(0, -4))).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: { cluster: { server: 'https://example.test' }, interactive: false },
    });
  });

  test.each<[string, string, Partial<ExecPlugin>, string]>([
    [
      'that is not there',
      '',
      { command: 'no-such-plugin', installHint: 'Install it' },
      'executable "no-such-plugin" not found\n\nInstall it',
    ],
    ['that fails', 'process.exit(3)', {}, 'it failed with exit code 3'],
    ['that says nothing', '', {}, 'its output is not JSON'],
    ['that says something else', 'console.log("[]")', {}, 'its output is not a JSON object'],
    [
      'of another version',
      'say({ token: "t" })',
      { apiVersion: 'client.authentication.k8s.io/v1beta1' },
      'is configured for version "client.authentication.k8s.io/v1beta1" and returned "client.authentication.k8s.io/v1"',
    ],
    ['without a status', 'say(undefined)', {}, 'it returned no status'],
    ['without credentials', 'say({})', {}, 'it returned neither a token nor a certificate and key'],
    ['with half a pair', 'say({ clientKeyData: "k" })', {}, 'it returned only a certificate or a key, not both'],
    [
      'with an odd time',
      'say({ token: "t", expirationTimestamp: "soon" })',
      {},
      'its expirationTimestamp "soon" is not a time',
    ],
    ['that talks too much', 'console.log("x".repeat(2 * 1024 * 1024))', {}, 'it wrote more than'],
    [
      'that must prompt without a terminal',
      'say({ token: "t" })',
      { interactiveMode: 'Always' },
      'standard input is not a terminal',
    ],
  ])('%s is refused with words', async (_what, script, more, message) => {
    await using counter = await file('0');
    const attempt = credentialsOf(plugin(script, counter.path, more)).current();

    await expect(attempt).rejects.toMatchObject({
      name: 'TransportError',
      reason: 'credentials',
      message: expect.stringContaining(message),
    });
    await expect(attempt).rejects.toThrow('of user "u" in kubeconfig "k"');
  });
});
