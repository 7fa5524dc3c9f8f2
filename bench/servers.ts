// Measures one and two API servers on one etcd, ours and kube-apiserver, under the same load:
// `npm run bench:servers [-- --seconds 10 --workers 64]`. Servers, etcd and clients share the machine.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ADMIN_TOKEN, Daemon, findPeers, freePorts, TOKEN_FILE } from '../peers/index.ts';
import { CryptoRandom, RealClock } from '../src/base/index.ts';
import { bearer, type Client, connectTo, FixedCredentials } from '../src/client/index.ts';
import { clusterPki } from '../src/cluster/pki/cluster-pki.ts';
import { EtcdProcess } from '../src/store/etcd/testing/etcd-process.ts';

const { values: args } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, workers: { type: 'string', default: '64' } },
});
const found = findPeers(['etcd', 'kube-apiserver'], process.env);
if (found.paths === undefined) throw new Error(`Cannot measure: ${found.reason}`);
const { paths } = found;
const [seconds, workers] = [Number(args.seconds), Number(args.workers)];
const [clock, random] = [new RealClock(), new CryptoRandom()];
const DATA = 'x'.repeat(1000);

interface Kind {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}
const kinds: readonly Kind[] = [
  { name: 'keelson apiserver', command: process.execPath, args: ['dist/keelson.js', 'apiserver'] },
  { name: 'kube-apiserver', command: paths['kube-apiserver'], args: [] },
];

console.log(`${cpus().length} processors, ${workers} requests at once, ${seconds} s each; objects of 1 KB`);
console.log('| servers | creates/s | p99 ms | gets/s | p99 ms | lists at version 0 that select nothing/s | p99 ms |');
console.log('|---|---:|---:|---:|---:|---:|---:|');
for (const kind of kinds) for (const count of [1, 2]) console.log(await measured(kind, count));

async function measured(kind: Kind, count: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-servers-'));
  await using etcd = await EtcdProcess.start({ binary: paths['etcd'] });
  const daemons: Daemon[] = [];
  const clients: Client[] = [];
  try {
    for (const port of await freePorts(count)) {
      daemons.push(await start(kind, { folder, port, etcd: etcd.endpoint }));
      const credentials = new FixedCredentials({ authorization: bearer(ADMIN_TOKEN) });
      const client = connectTo(
        { server: `https://127.0.0.1:${port}`, insecureSkipTlsVerify: true, credentials },
        { clock, random },
      );
      await ready(client);
      clients.push(client);
    }
    const any = (): Client => clients[random.int(clients.length)] as Client;
    let made = 0;
    const create = (): Promise<unknown> => {
      const name = `object-${made++}`;
      return any().core.v1.configmaps.namespace('default').create({ metadata: { name }, data: { DATA } });
    };
    await rate(create, 2);
    const results = [
      await rate(create, seconds),
      await rate(
        () =>
          any()
            .core.v1.configmaps.namespace('default')
            .get(`object-${random.int(made)}`),
        seconds,
      ),
      await rate(
        () => any().core.v1.configmaps.namespace('default').list({ resourceVersion: '0', labelSelector: 'none' }),
        seconds,
      ),
    ];
    return `| ${count} × ${kind.name} | ${results.join(' | ')} |`;
  } finally {
    for (const client of clients) await client[Symbol.asyncDispose]();
    for (const daemon of daemons) await daemon.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function start(
  { command, args: first, name }: Kind,
  { folder, port, etcd }: { readonly folder: string; readonly port: number; readonly etcd: string },
): Promise<Daemon> {
  const pki = join(folder, 'pki');
  await mkdir(pki, { recursive: true });
  await clusterPki({ clock, random, servingNames: ['127.0.0.1', 'localhost'], folder: pki });
  await writeFile(join(folder, 'tokens.csv'), TOKEN_FILE);
  const flags = [
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(folder, `certs-${port}`)}`,
    `--tls-cert-file=${join(pki, 'apiserver.crt')}`,
    `--tls-private-key-file=${join(pki, 'apiserver.key')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    `--service-account-key-file=${join(pki, 'sa.key')}`,
    `--service-account-signing-key-file=${join(pki, 'sa.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    `--advertise-address=192.0.2.${(port % 250) + 1}`,
  ];
  return new Daemon(command, [...first, ...flags], { logPath: join(folder, `${name.replace(' ', '-')}-${port}.log`) });
}

async function ready(client: Client): Promise<void> {
  const endMs = clock.monotonic() + 60_000;
  for (;;) {
    try {
      await client.text('/readyz', { maxRetries: 0 });
      await client.core.v1.namespaces.get('default', { maxRetries: 0 });
      return;
    } catch (error) {
      if (clock.monotonic() > endMs) throw error;
      await clock.sleep(200);
    }
  }
}

/** Requests a second and their 99th percentile, at this concurrency. */
async function rate(once: () => Promise<unknown>, forSeconds: number): Promise<string> {
  const latencies: number[] = [];
  const started = clock.monotonic();
  const until = started + forSeconds * 1000;
  const work = async (): Promise<void> => {
    while (clock.monotonic() < until) {
      const before = clock.monotonic();
      await once();
      latencies.push(clock.monotonic() - before);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  latencies.sort((left, right) => left - right);
  const perSecond = Math.round((latencies.length / (clock.monotonic() - started)) * 1000);
  return `${perSecond} | ${(latencies[Math.floor(latencies.length * 0.99)] ?? 0).toFixed(1)}`;
}
