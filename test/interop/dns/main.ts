// `npm run interop:dns [-- --record]`: the same questions to CoreDNS and to `keelson dns`, both on one cluster; every answer must be
// the same, or be known to differ for a reason. --record keeps CoreDNS' answers for `npm test`.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Daemon, findPeers, startKeelson } from '../../../peers/index.ts';
import { type Client, connect } from '../../../src/client/index.ts';
import { eventually } from '../../real-node/eventually.ts';
import { runInNamespaces, whyNoNamespaces } from '../../real-node/index.ts';
import { room } from '../../real-node/namespaces.ts';
import { answerText } from './answer-text.ts';
import { askServer } from './ask-server.ts';
import { NAMESPACES, SERVER_ADDRESS, SERVICES, SLICES } from './cluster-objects.ts';
import { whyDifferent } from './known-differences.ts';
import { type Asked, questions } from './questions.ts';

const { values } = parseArgs({ options: { record: { type: 'boolean', default: false }, logs: { type: 'string' } } });
const LIMIT_MS = 15 * 60_000;
const CORPUS = join(import.meta.dirname, 'corpus.json.gz');
const [PEER_PORT, OWN_PORT] = [5301, 5302];
const FIRST: Asked = questions()[0] as Asked;

process.exitCode = await main();

async function main(): Promise<number> {
  const peers = findPeers(['coredns']);
  const reason = peers.paths === undefined ? peers.reason : whyNoNamespaces();
  if (peers.paths === undefined || reason !== undefined) {
    console.error(`interop:dns does not run: ${reason}`);
    return 1;
  }
  const code = await runInNamespaces({
    limitMs: LIMIT_MS,
    print: console.log,
    ...(values.logs === undefined ? {} : { logs: resolve(values.logs) }),
  });
  return code ?? compare(peers.paths.coredns);
}

async function compare(coredns: string): Promise<number> {
  const bundle = resolve('dist', 'keelson.js');
  const folder = join(room(), 'dns');
  await mkdir(folder, { recursive: true });
  await using server = await startKeelson({
    folder: join(room(), 'server'),
    bundle,
    flags: ['--nodes=0', '--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112'],
  });
  await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'interop' });
  await createObjects(client);
  await writeFile(join(folder, 'Corefile'), corefile(server.kubeconfig));
  const log = (name: string) => ({ logPath: join(folder, `${name}.log`) });
  await using peer = new Daemon(coredns, ['-conf', join(folder, 'Corefile')], log('coredns'));
  const args = [
    'dns',
    `--kubeconfig=${server.kubeconfig}`,
    `--listen=0.0.0.0:${OWN_PORT}`,
    `--allow=${SERVER_ADDRESS}`,
    '--load-balance=false',
    '--forward=none',
  ];
  await using own = new Daemon(process.execPath, [bundle, ...args], log('keelson-dns'));
  for (const port of [PEER_PORT, OWN_PORT])
    await eventually(() => answersFirst(port), {
      what: `an answer on port ${port}`,
      limitMs: 60_000,
      daemons: [peer, own],
    });
  return await judge(client); // while both servers run
}

function corefile(kubeconfig: string): string {
  return `.:${PEER_PORT} {
  errors
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig ${kubeconfig}
    pods insecure
    ttl 5
  }
}
`;
}

async function answersFirst(port: number): Promise<void> {
  const [head = ''] = answerText(await askServer(FIRST, port, SERVER_ADDRESS).catch(() => undefined));
  if (!head.includes('rcode 0 ')) throw new Error(`no such answer yet: ${head}`);
}

async function createObjects(client: Client): Promise<void> {
  for (const name of NAMESPACES) await client.core.v1.namespaces.create({ metadata: { name } });
  for (const service of SERVICES) await client.core.v1.services.namespace(service.metadata.namespace).create(service);
  for (const slice of SLICES)
    await client.discovery.v1.endpointslices.namespace(slice.metadata.namespace).create(slice);
}

async function judge(client: Client): Promise<number> {
  const all = questions();
  const recorded: { readonly asked: Asked; readonly answer: readonly string[] }[] = [];
  const known = new Map<string, number>();
  let faults = 0;
  for (const asked of all) {
    const theirs = answerText(await askServer(asked, PEER_PORT, SERVER_ADDRESS));
    const ours = answerText(await askServer(asked, OWN_PORT, SERVER_ADDRESS));
    recorded.push({ asked, answer: theirs });
    const reason = whyDifferent(asked.label);
    if (theirs.join('\n') === ours.join('\n')) {
      if (reason !== undefined) console.log(`no longer different: ${asked.label}`);
    } else if (reason !== undefined) {
      known.set(reason, (known.get(reason) ?? 0) + 1);
    } else {
      faults += 1;
      console.log(
        `DIFFERENT ${asked.label}\n  CoreDNS ${theirs.join('\n          ')}\n  ours    ${ours.join('\n          ')}`,
      );
    }
  }
  for (const [reason, count] of known) console.log(`known to differ: ${count}, ${reason}`);
  const same = all.length - faults - [...known.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${all.length} questions: ${same} answers are the same, ${faults} differ without a reason`);
  if (values.record) await record(client, recorded);
  return faults === 0 ? 0 : 1;
}

async function record(client: Client, answers: readonly unknown[]): Promise<void> {
  const [namespaces, services, slices] = await Promise.all([
    client.core.v1.namespaces.list(),
    client.core.v1.services.list(),
    client.discovery.v1.endpointslices.list(),
  ]);
  const lean = (objects: readonly object[]): unknown =>
    JSON.parse(
      JSON.stringify(objects, (key, value: unknown) => (key === 'managedFields' || key === 'uid' ? undefined : value)),
    );
  const objects = { namespaces: lean(namespaces.items), services: lean(services.items), slices: lean(slices.items) };
  await writeFile(CORPUS, gzipSync(JSON.stringify({ server: SERVER_ADDRESS, ...objects, answers }), { level: 9 }));
  console.log(`${answers.length} answers recorded`);
}
