import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePorts } from '../../peers/index.ts';
import { CryptoRandom } from '../../src/base/index.ts';
import { runProgram } from '../../src/cli/program.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../../src/wire/certificates/index.ts';

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-envtest-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A command of the program that runs until it is stopped, as by SIGTERM. */
function start(...args: readonly string[]): { stop(): Promise<{ readonly code: number; readonly text: string }> } {
  let text = '';
  let terminate = (): void => undefined;
  const write = (part: string): void => void (text += part);
  const ended = runProgram(args, {
    env: {},
    stdout: { write },
    stderr: { write },
    once: (signal, listener) => {
      if (signal === 'SIGTERM') terminate = listener;
    },
  });
  return {
    async stop() {
      terminate();
      return { code: await ended, text };
    },
  };
}

interface Pair {
  readonly certificate: string;
  readonly privateKey: string;
}

const validity = { notBefore: Date.UTC(2020), notAfter: Date.UTC(2049) };

/** What envtest makes before it starts the server: a serving pair, an authority for clients and a user, keys for tokens. */
async function suiteFiles(folder: string): Promise<Pair> {
  const random = new CryptoRandom();
  const authorityKey = createPrivateKey(newPrivateKey());
  const issuer = selfIssuer({ commonName: 'envtest-environment' }, authorityKey);
  const authority = issueCertificate(
    { subject: { commonName: 'envtest-environment' }, usage: 'authority', ...validity },
    createPublicKey(authorityKey),
    { issuer, random },
  );
  const issue = (subject: { commonName: string; organizations?: string[] }, usage: 'server' | 'client'): Pair => {
    const privateKey = newPrivateKey();
    const named = { subject, usage, names: usage === 'server' ? ['127.0.0.1', 'localhost'] : [], ...validity };
    return { certificate: issueCertificate(named, createPublicKey(privateKey), { issuer, random }), privateKey };
  };
  const serving = issue({ commonName: 'localhost' }, 'server');
  await mkdir(folder);
  const files = {
    'apiserver.crt': serving.certificate,
    'apiserver.key': serving.privateKey,
    'client-cert-auth-ca.crt': authority,
    'sa-signer.crt': authority,
    'sa-signer.key': authorityKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return issue({ commonName: 'admin', organizations: ['system:masters'] }, 'client');
}

/** The flags that envtest of controller-runtime 0.24 gives. */
function flagsOf(certDir: string, port: number, etcdPort: number): readonly string[] {
  return [
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${certDir}`,
    `--client-ca-file=${join(certDir, 'client-cert-auth-ca.crt')}`,
    '--disable-admission-plugins=ServiceAccount',
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    `--service-account-issuer=https://127.0.0.1:${port}/`,
    `--service-account-key-file=${join(certDir, 'sa-signer.crt')}`,
    `--service-account-signing-key-file=${join(certDir, 'sa-signer.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
  ];
}

interface Asking {
  readonly user?: Pair;
  readonly body?: object;
}

function ask(url: string, { user, body }: Asking = {}): Promise<{ readonly code: number; readonly text: string }> {
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    rejectUnauthorized: false,
    agent: false,
    headers: { 'content-type': 'application/json' },
    ...(user === undefined ? {} : { cert: user.certificate, key: user.privateKey }),
  } as const;
  return new Promise((resolve, reject) => {
    const asked = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text }));
    });
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** As envtest does: again and again until the answer is there. */
async function healthy(url: string): Promise<void> {
  await expect.poll(async () => (await ask(`${url}/healthz`).catch(() => ({ code: 0 }))).code).toBe(200);
}

test('the API server takes what envtest gives it, leaves its files alone, and keeps objects as long as etcd lives', () =>
  inFolder(async (folder) => {
    const [port = 0, etcdPort = 0] = await freePorts(2);
    const certDir = join(folder, 'certs');
    const user = await suiteFiles(certDir);
    const before = await readdir(certDir);
    const url = `https://127.0.0.1:${port}`;
    const etcd = start(
      'etcd',
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
      `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
      '--listen-peer-urls=http://127.0.0.1:1',
      '--unsafe-no-fsync=true',
    );
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${etcdPort}/health`).catch(() => undefined))?.status)
      .toBe(200);

    const first = start('apiserver', ...flagsOf(certDir, port, etcdPort));
    await healthy(url);
    expect((await ask(`${url}/api/v1/namespaces`)).code).toBe(403);
    const body = { metadata: { name: 'mine' } };
    expect((await ask(`${url}/api/v1/namespaces`, { user, body })).code).toBe(201);
    expect(await first.stop()).toMatchObject({ code: 0 });
    expect(await readdir(certDir)).toEqual(before);

    const second = start('apiserver', ...flagsOf(certDir, port, etcdPort));
    await healthy(url);
    expect((await ask(`${url}/api/v1/namespaces/mine`, { user })).code).toBe(200);
    await second.stop();
    expect(await etcd.stop()).toEqual({ code: 0, text: '' });
  }));

test('what holds the place of etcd refuses what it cannot do', async () => {
  const { code, text } = await start('etcd', '--cert-file=/a', '--listen-client-urls=http://127.0.0.1:0').stop();
  expect(code).toBe(2);
  expect(text).toContain('--cert-file is refused: it answers without TLS, to every process on this machine');
  const https = await start('etcd', '--listen-client-urls=https://127.0.0.1:2379').stop();
  expect(https).toMatchObject({ code: 2, text: expect.stringContaining('must be of the form http://ADDRESS:PORT') });
});

test('keelson envtest makes programs that start this one', () =>
  inFolder(async (folder) => {
    const file = join(folder, "it's the program.mjs");
    await writeFile(file, 'console.log(JSON.stringify(process.argv.slice(2)));');
    let out = '';
    const code = await runProgram(['envtest', '--dir', join(folder, 'assets')], {
      env: { PATH: '/nowhere' },
      execPath: process.execPath,
      argv: [process.execPath, file],
      stdout: { write: (text) => (out += text) },
      stderr: { write: (text) => (out += text) },
      once: () => undefined,
    });
    const shell = (script: string): string =>
      spawnSync('sh', ['-c', `${out}\n${script}`], { encoding: 'utf8' }).stdout.trim();

    expect(code).toBe(0);
    expect(await readdir(join(folder, 'assets'))).toEqual([
      'etcd',
      'etcd.help',
      'kube-apiserver',
      'kube-apiserver.help',
    ]);
    expect(shell('"$KUBEBUILDER_ASSETS/etcd" --data-dir "a b"')).toBe('["etcd","--data-dir","a b"]');
    expect(shell('"$KUBEBUILDER_ASSETS/kube-apiserver" --v=2')).toBe('["kube-apiserver","--v=2"]');
    expect(shell('"$KUBEBUILDER_ASSETS/etcd" --help')).toMatch(/^ +--unsafe-no-fsync\b/m); // how envtest looks for flags
    expect(shell('"$KUBEBUILDER_ASSETS/kube-apiserver" --help')).not.toMatch(/^\s*--insecure-port\b/m);
    expect(await readFile(join(folder, 'assets', 'etcd'), 'utf8')).toContain(`it'\\''s the program.mjs`);
  }));
