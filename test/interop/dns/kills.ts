// `npm run dns:kills [-- --kills N --seed S]`: kills the API server, the DNS server and its upstream server at random while questions are
// asked: an existing name must never be denied, an address never be wrong, and after each kill changes must arrive again.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Daemon, freePorts, type RunningServer, startKeelson } from '../../../peers/index.ts';
import { SeededRandom } from '../../../src/base/index.ts';
import { type Client, connect } from '../../../src/client/index.ts';
import {
  decodeMessage,
  Flag,
  type Message,
  MessageEncoder,
  Rcode,
  RCODE_MASK,
  RecordType,
} from '../../../src/wire/dns/index.ts';
import { questionBytes } from '../../../src/network/dns/testing/dns-client.ts';
import { eventually } from '../../real-node/eventually.ts';
import { askUdp } from './ask-server.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
});
const SERVICES = 200;
const HOST = '127.0.0.1';
/** A question every so often, by each of the askers. */
const ASK_EVERY_MS = 2;
const PATIENCE_MS = 60_000;
const WHATS = ['API server', 'DNS server', 'upstream server'] as const;

async function main(): Promise<number> {
  const random = new SeededRandom(Number(values.seed));
  const folder = await mkdtemp(join(tmpdir(), 'keelson-dns-kills-'));
  try {
    await using server = await startKeelson({ folder: join(folder, 'server'), flags: ['--nodes=0'] });
    await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'kills' });
    for (let index = 0; index < SERVICES; index++) await createService(client, `svc-${index}`, addressOf(index));
    await using cluster = await KilledCluster.start(server, folder);
    await using asker = new Asker(cluster.port, random);
    for (let kill = 1; kill <= Number(values.kills); kill++) {
      const what = WHATS[random.int(WHATS.length)] as (typeof WHATS)[number];
      await cluster.kill(what);
      await changesArrive(client, cluster.port, kill);
      console.log(`${kill} of ${values.kills}: ${what} killed; ${asker.summary}`);
    }
    await asker.stop();
    for (const line of asker.faults) console.log(`WRONG ${line}`);
    console.log(`${asker.faults.length} wrong answers; ${asker.summary}`);
    return asker.faults.length === 0 && asker.right > 1000 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function addressOf(index: number): string {
  return `10.96.200.${index + 1}`;
}

async function createService(client: Client, name: string, clusterIP: string): Promise<void> {
  const spec = { clusterIP, ports: [{ name: 'http', port: 80 }] };
  await client.core.v1.services.namespace('default').create({ metadata: { name }, spec });
}

/** A service that is created now is known soon, and one that is deleted is not. */
async function changesArrive(client: Client, port: number, kill: number): Promise<void> {
  const name = `new-${kill}`;
  const says = async (rcode: number): Promise<void> => {
    const answer = await ask(port, questionBytes(`${name}.default.svc.cluster.local.`, RecordType.A));
    if (answer === undefined || (answer.flags & RCODE_MASK) !== rcode) throw new Error(`not yet ${rcode}`);
  };
  const limit = { limitMs: PATIENCE_MS, daemons: [] };
  await eventually(() => createService(client, name, '10.96.201.1'), { what: 'a service that is created', ...limit });
  await eventually(() => says(Rcode.NOERROR), { what: 'the name of a new service', ...limit });
  await client.core.v1.services.namespace('default').delete(name);
  await eventually(() => says(Rcode.NXDOMAIN), { what: 'the end of the name of a service', ...limit });
}

/** The DNS server, its upstream server, and how each is killed. */
class KilledCluster implements AsyncDisposable {
  readonly port: number;
  readonly #server: RunningServer;
  readonly #folder: string;
  readonly #upstreamPort: number;
  #dns: Daemon;
  #upstream: Socket | undefined;

  static async start(server: RunningServer, folder: string): Promise<KilledCluster> {
    const [port = 0, upstreamPort = 0] = await freePorts(2);
    const cluster = new KilledCluster(server, folder, { port, upstreamPort });
    await cluster.#startUpstream();
    await cluster.#dnsAnswers();
    return cluster;
  }

  private constructor(
    server: RunningServer,
    folder: string,
    { port, upstreamPort }: { readonly port: number; readonly upstreamPort: number },
  ) {
    this.#server = server;
    this.#folder = folder;
    this.port = port;
    this.#upstreamPort = upstreamPort;
    this.#dns = this.#startDns();
  }

  async kill(what: (typeof WHATS)[number]): Promise<void> {
    switch (what) {
      case 'API server':
        await this.#server.restartKilled?.();
        return;
      case 'DNS server':
        process.kill(this.#dns.pid, 'SIGKILL');
        await this.#dns.ended;
        this.#dns = this.#startDns();
        await this.#dnsAnswers();
        return;
      case 'upstream server':
        this.#upstream?.close();
        this.#upstream = undefined;
        await new Promise((done) => void setTimeout(done, 3000)); // long enough to count as down
        await this.#startUpstream();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#upstream?.close();
    await this.#dns.stop();
  }

  #startDns(): Daemon {
    const args = ['dns', `--kubeconfig=${this.#server.kubeconfig}`, `--listen=${HOST}:${this.port}`];
    args.push(`--forward=${HOST}:${this.#upstreamPort}`, '--cache-entries=0');
    const logPath = join(this.#folder, 'dns.log');
    return new Daemon(process.execPath, [resolve('dist', 'keelson.js'), ...args], { logPath });
  }

  async #dnsAnswers(): Promise<void> {
    const first = async (): Promise<void> => {
      const answer = await ask(this.port, questionBytes('svc-0.default.svc.cluster.local.', RecordType.A));
      if (answer?.answers.length !== 1) throw new Error('no answer yet');
    };
    await eventually(first, { what: 'an answer', limitMs: PATIENCE_MS, daemons: [this.#dns] });
  }

  async #startUpstream(): Promise<void> {
    const socket = createSocket('udp4');
    const encoder = new MessageEncoder();
    socket.on('message', (bytes, from) => {
      const query = decodeMessage(bytes);
      const answers = query.questions.map((question) => ({ ...question, ttl: 1, data: Uint8Array.of(192, 0, 2, 1) }));
      const reply = {
        ...query,
        flags: Flag.RESPONSE,
        answers: query.questions[0]?.type === RecordType.A ? answers : [],
      };
      socket.send(encoder.encode(reply), from.port, from.address);
    });
    socket.bind(this.#upstreamPort, HOST);
    await once(socket, 'listening');
    this.#upstream = socket;
  }
}

/** Asks without end, and judges every answer. */
class Asker implements AsyncDisposable {
  readonly faults: string[] = [];
  right = 0;
  failed = 0;
  silent = 0;
  readonly #stop = new AbortController();
  readonly #asking: Promise<void>;

  constructor(port: number, random: SeededRandom) {
    this.#asking = this.#ask(port, random.clone());
  }

  get summary(): string {
    return `${this.right} right answers, ${this.failed} SERVFAIL, ${this.silent} without an answer`;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#asking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #ask(port: number, random: SeededRandom): Promise<void> {
    const pending = new Set<Promise<void>>();
    while (!this.#stop.signal.aborted) {
      const index = random.int(SERVICES);
      const isOwn = random.int(4) > 0;
      const one = this.#askOne(port, index, isOwn).finally(() => pending.delete(one));
      pending.add(one);
      await new Promise((done) => void setTimeout(done, ASK_EVERY_MS));
    }
    await Promise.all(pending);
  }

  async #askOne(port: number, index: number, isOwn: boolean): Promise<void> {
    const name = isOwn ? `svc-${index}.default.svc.cluster.local.` : `n${index}.example.org.`;
    const answer = await ask(port, questionBytes(name, RecordType.A));
    if (answer === undefined) {
      this.silent += 1;
      return;
    }
    const rcode = answer.flags & RCODE_MASK;
    const [record] = answer.answers;
    const address = record?.data instanceof Uint8Array ? record.data.join('.') : '';
    const wanted = isOwn ? addressOf(index) : '192.0.2.1';
    if (rcode === Rcode.SERVFAIL) this.failed += 1;
    else if (rcode === Rcode.NOERROR && address === wanted) this.right += 1;
    else this.faults.push(`${name}: rcode ${rcode}, address "${address}"`);
  }
}

/** One question; undefined without an answer in time. */
async function ask(port: number, bytes: Buffer): Promise<Message | undefined> {
  const answer = await askUdp(bytes, port, HOST);
  return answer === undefined ? undefined : decodeMessage(answer);
}

process.exitCode = await main();
