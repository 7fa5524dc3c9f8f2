import { aborted, type Clock, type Logger, type Random, type Runnable } from '../../../base/index.ts';
import {
  DNSSEC_OK,
  Flag,
  type Message,
  MessageEncoder,
  type Question,
  Rcode,
  RCODE_MASK,
  RecordClass,
  RecordType,
} from '../../../wire/dns/index.ts';
import { type Exchange, exchangeTcp, exchangeUdp, type UpstreamResponse } from './exchange.ts';
import type { ForwardMetrics } from './forward-metrics.ts';
import type { Forwarded, ResolveContext, Resolver } from './resolver.ts';
import type { ResponseCache } from './response-cache.ts';
import { Upstream } from './upstream.ts';
import type { UpstreamAddress } from './upstream-address.ts';

export interface ForwarderOptions {
  /** Asked in this order; those that do not answer come last. */
  readonly upstreams: readonly UpstreamAddress[];
  readonly cache: ResponseCache;
  readonly metrics: ForwardMetrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Questions on their way at once; default 1000. More are refused. */
  readonly maxConcurrent?: number;
  /** Questions of one client on their way at once; default 200. More are refused. */
  readonly maxPerClient?: number;
  /** How questions travel; default over the network. */
  readonly exchange?: { readonly udp: Exchange; readonly tcp: Exchange };
}

const TRY_MS = 2000;
/** Max clients, on average, that wait for one question that is on its way. */
const MAX_WAITING = 10;
/** A question is given up after this time, however many servers are left. */
const TOTAL_MS = 5000;
/** What fits into a packet on any network (DNS flag day 2020). */
const UDP_BYTES = 1232;
const PROBE: Question = { name: '.', type: RecordType.NS, class: RecordClass.IN };
const NO_RECORDS = { answers: [], authorities: [], additionals: [] } as const;

/**
 * Resolves names with the help of upstream servers.
 *
 * Guarantees: the same question is on its way once, however many clients have asked it; each has a random id and port; servers that
 * do not answer are passed over. A server that sends questions back to this one is found at the start, and not asked again.
 */
export class Forwarder implements Resolver, Runnable {
  readonly #upstreams: readonly Upstream[];
  readonly #options: ForwarderOptions;
  readonly #exchange: { readonly udp: Exchange; readonly tcp: Exchange };
  readonly #encoder = new MessageEncoder();
  /** By key: the answers that are awaited. */
  readonly #pending = new Map<string, Promise<Forwarded>>();
  /** Clients that wait for an answer, by address: several may wait for the same. */
  readonly #waiting = new Map<string, number>();
  #waitingCount = 0;
  /** Names that were made up to find out whether an upstream server asks us. */
  readonly #loopNames = new Map<string, Upstream>();

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#exchange = options.exchange ?? { udp: exchangeUdp, tcp: exchangeTcp };
    const { clock, log } = options;
    const probe = async (upstream: Upstream): Promise<void> => {
      await this.#ask(upstream, PROBE, { flags: Flag.RECURSION_DESIRED, ednsFlags: 0, timeoutMs: TRY_MS });
    };
    this.#upstreams = options.upstreams.map((address) => new Upstream(address, { clock, log, probe }));
  }

  /** The upstream servers with their state. */
  get upstreams(): readonly Pick<Upstream, 'name' | 'isDown' | 'isLoop'>[] {
    return this.#upstreams;
  }

  resolve(question: Question, context: ResolveContext): Forwarded | Promise<Forwarded> {
    const { cache, clock, metrics } = this.#options;
    const key = keyOf(question, context);
    const known = cache.get(key, clock.monotonic());
    metrics.cacheAsked(known === undefined ? undefined : known.isDenial ? 'denial' : 'success');
    if (known !== undefined) return forwarded(known.message, 'cache');
    const { maxConcurrent = 1000, maxPerClient = 200 } = this.#options;
    const { client } = context;
    const own = this.#waiting.get(client) ?? 0;
    const pending = this.#pending.get(key);
    const isFull = this.#waitingCount >= MAX_WAITING * maxConcurrent || own >= maxPerClient;
    if (isFull || (pending === undefined && this.#pending.size >= maxConcurrent)) {
      metrics.rejected();
      return { ...NO_RECORDS, flags: 0, rcode: Rcode.REFUSED, source: 'forward' };
    }
    this.#waiting.set(client, own + 1);
    this.#waitingCount += 1;
    return (pending ?? this.#start(question, context, key)).finally(() => this.#leave(client));
  }

  #start(question: Question, context: ResolveContext, key: string): Promise<Forwarded> {
    const asked = this.#askAll(question, context, key).finally(() => this.#pending.delete(key));
    this.#pending.set(key, asked);
    return asked;
  }

  #leave(client: string): void {
    this.#waitingCount -= 1;
    const left = (this.#waiting.get(client) ?? 1) - 1;
    if (left === 0) this.#waiting.delete(client);
    else this.#waiting.set(client, left);
  }

  /** Whether a question is one that was made up here: an upstream server has sent it back. */
  noticeLoop({ name, type }: Question): boolean {
    if (type !== RecordType.HINFO || this.#loopNames.size === 0) return false;
    const upstream = this.#loopNames.get(name.toLowerCase());
    upstream?.foundLoop();
    return upstream !== undefined;
  }

  /** Looks for loops, then probes servers that are down, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (const upstream of this.#upstreams) this.#lookForLoop(upstream);
    await aborted(signal);
    for (const upstream of this.#upstreams) upstream.stop();
  }

  #lookForLoop(upstream: Upstream): void {
    const { random } = this.#options;
    const name = `${random.nameSuffix(16)}.${random.nameSuffix(16)}.`;
    this.#loopNames.set(name, upstream);
    const question: Question = { name, type: RecordType.HINFO, class: RecordClass.IN };
    const context = { flags: Flag.RECURSION_DESIRED, ednsFlags: 0, timeoutMs: TRY_MS };
    const over = (): void => void this.#loopNames.delete(name);
    this.#ask(upstream, question, context).then(over, over);
  }

  async #askAll(question: Question, context: ResolveContext, key: string): Promise<Forwarded> {
    const { cache, clock } = this.#options;
    const start = clock.monotonic();
    for (const upstream of this.#inOrder()) {
      const leftMs = TOTAL_MS - (clock.monotonic() - start);
      if (leftMs <= 0) break;
      try {
        const response = await this.#ask(upstream, question, { ...context, timeoutMs: Math.min(TRY_MS, leftMs) });
        upstream.succeeded();
        if ((response.message.flags & RCODE_MASK) === Rcode.REFUSED) continue; // another may be willing
        cache.set(key, response, clock.monotonic());
        return forwarded(response.message, 'forward');
      } catch (error) {
        upstream.failed(error);
      }
    }
    return { ...NO_RECORDS, flags: 0, rcode: Rcode.SERVFAIL, source: 'forward' };
  }

  #inOrder(): readonly Upstream[] {
    const usable = this.#upstreams.filter(({ isLoop }) => !isLoop);
    return [...usable.filter(({ isDown }) => !isDown), ...usable.filter(({ isDown }) => isDown)];
  }

  /** Asks one server, over TCP again when the answer does not fit into a packet. */
  async #ask(
    upstream: Upstream,
    question: Question,
    context: Pick<ResolveContext, 'flags' | 'ednsFlags'> & { readonly timeoutMs: number },
  ): Promise<UpstreamResponse> {
    const { clock, metrics } = this.#options;
    const start = clock.monotonic();
    const { timeoutMs } = context;
    let query = this.#query(question, context, UDP_BYTES);
    let response = await this.#exchange.udp(upstream.address, query, { clock, timeoutMs });
    if ((response.message.flags & RCODE_MASK) === Rcode.FORMERR && response.message.edns === undefined) {
      query = this.#query(question, context, undefined); // a server that has never heard of EDNS
      response = await this.#exchange.udp(upstream.address, query, { clock, timeoutMs });
    }
    if ((response.message.flags & Flag.TRUNCATED) !== 0)
      response = await this.#exchange.tcp(upstream.address, query, { clock, timeoutMs });
    metrics.asked(upstream.name, rcodeOf(response.message), clock.monotonic() - start);
    return response;
  }

  #query(
    question: Question,
    { flags, ednsFlags }: Pick<ResolveContext, 'flags' | 'ednsFlags'>,
    udpBytes: number | undefined,
  ): { readonly id: number; readonly question: Question; readonly bytes: Buffer } {
    const id = this.#options.random.int(0x1_0000);
    const kept = flags & (Flag.CHECKING_DISABLED | Flag.AUTHENTIC_DATA);
    const edns =
      udpBytes === undefined
        ? undefined
        : { udpBytes, extendedRcode: 0, version: 0, flags: ednsFlags & DNSSEC_OK, options: [] };
    const message = { ...NO_RECORDS, id, flags: Flag.RECURSION_DESIRED | kept, questions: [question], edns };
    return { id, question, bytes: this.#encoder.encode(message) };
  }
}

/** Answers differ by DNSSEC's flags, so they are kept apart. */
function keyOf({ name, type }: Question, { flags, ednsFlags }: ResolveContext): string {
  const dnssec = (ednsFlags & DNSSEC_OK) !== 0 ? 'd' : '';
  const checking = (flags & Flag.CHECKING_DISABLED) !== 0 ? 'c' : '';
  const authentic = (flags & Flag.AUTHENTIC_DATA) !== 0 ? 'a' : '';
  return `${type}${dnssec}${checking}${authentic} ${name.toLowerCase()}`;
}

function rcodeOf({ flags, edns }: Message): number {
  return (flags & RCODE_MASK) | ((edns?.extendedRcode ?? 0) << 4);
}

function forwarded(message: Message, source: Forwarded['source']): Forwarded {
  const { flags, answers, authorities, additionals } = message;
  return { flags, rcode: rcodeOf(message), answers, authorities, additionals, source };
}
