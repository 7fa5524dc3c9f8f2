import type { Logger } from '../../../base/index.ts';
import {
  decodeHeader,
  decodeMessage,
  type Edns,
  type EdnsOption,
  Flag,
  MAX_MESSAGE_BYTES,
  type Message,
  MessageEncoder,
  MIN_UDP_BYTES,
  Opcode,
  OPCODE_MASK,
  OPCODE_SHIFT,
  type Question,
  Rcode,
  RecordClass,
  type ResourceRecord,
} from '../../../wire/dns/index.ts';
import type { Forwarded, Resolver } from '../forward/resolver.ts';
import type { ClusterZone, ZoneAlias, ZoneAnswer } from '../zone/cluster-zone.ts';
import type { DnsMetrics, QueryClient, Served } from './dns-metrics.ts';

export interface QueryHandlerOptions {
  readonly zone: ClusterZone;
  /** Resolves names outside of the zones; default such questions are refused. */
  readonly resolver?: Resolver;
  /** Whether a client may ask about names outside of the zones. */
  readonly mayForward: (address: string) => boolean;
  readonly metrics: DnsMetrics;
  readonly log: Logger;
}

/** What a question is answered with, before it is written. */
interface Reply {
  readonly flags: number;
  readonly rcode: number;
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
  /** For metrics: the zone, and what has answered. */
  readonly zone: string;
  readonly source: Served['source'];
}

/** Options that are sent back as they came; a server may ignore others. */
const ECHOED_OPTIONS: ReadonlySet<number> = new Set([3, 9, 10, 11, 12]); // NSID, EXPIRE, COOKIE, TCP keepalive, padding
const COPIED_FLAGS = Flag.RECURSION_DESIRED | Flag.CHECKING_DISABLED;
const NONE: readonly ResourceRecord[] = [];
/** A client that is not one of the cluster's gets no more than this over UDP, so that forged questions gain nothing. */
const STRANGER_UDP_BYTES = MIN_UDP_BYTES;

/**
 * Answers DNS messages: names of the cluster from its zone, others from the resolver.
 *
 * Guarantees: a question about the cluster's names is answered without waiting. Whatever the bytes are, there is at most one answer,
 * and none to what is not a question.
 */
export class QueryHandler {
  readonly #zone: ClusterZone;
  readonly #resolver: Resolver | undefined;
  readonly #mayForward: (address: string) => boolean;
  readonly #metrics: DnsMetrics;
  readonly #log: Logger;
  readonly #encoder = new MessageEncoder();

  constructor(options: QueryHandlerOptions) {
    this.#zone = options.zone;
    this.#resolver = options.resolver;
    this.#mayForward = options.mayForward;
    this.#metrics = options.metrics;
    this.#log = options.log;
  }

  /** The answer to a message; undefined when there is none to give. */
  handle(bytes: Uint8Array, client: QueryClient): Buffer | undefined | Promise<Buffer | undefined> {
    const header = decodeHeader(bytes);
    if (header === undefined || (header.flags & Flag.RESPONSE) !== 0) return undefined;
    const refusal = rejected(header);
    if (refusal !== undefined) return this.#reject(header.id, header.flags, refusal, client);
    const start = this.#metrics.now();
    const requestBytes = bytes.length;
    let query: Message;
    try {
      query = decodeMessage(bytes, header);
    } catch {
      return this.#reject(header.id, header.flags, Rcode.FORMERR, client); // a message that cannot be read has no question to quote
    }
    const reply = this.#reply(query, client);
    if (!(reply instanceof Promise)) return this.#write(query, reply, { client, start, requestBytes });
    return reply.then(
      (late) => this.#write(query, late, { client, start, requestBytes }),
      (error: unknown) => {
        this.#log.error('cannot answer a question', { error });
        return this.#write(query, failure(Rcode.SERVFAIL, '.'), { client, start, requestBytes });
      },
    );
  }

  #reply(query: Message, client: QueryClient): Reply | Promise<Reply> {
    const question = query.questions[0] as Question;
    if (question.class !== RecordClass.IN) return failure(Rcode.REFUSED, 'dropped');
    if (query.edns !== undefined && query.edns.version !== 0) return failure(Rcode.BADVERS, 'dropped');
    const outcome = this.#zone.answer(question);
    if (outcome === undefined) return this.#resolve(query, question, client);
    if (outcome.type === 'alias') return this.#completeAlias(outcome, query, client);
    if (outcome.rcode === Rcode.NXDOMAIN && isReverse(outcome.zone) && this.#canForward(client))
      return this.#resolve(query, question, client); // an address that is not the cluster's
    return zoneReply(outcome);
  }

  #canForward({ address }: QueryClient): boolean {
    return this.#resolver !== undefined && this.#mayForward(address);
  }

  #resolve(query: Message, question: Question, client: QueryClient): Reply | Promise<Reply> {
    if (this.#resolver === undefined || !this.#mayForward(client.address)) return failure(Rcode.REFUSED, '.');
    if (this.#resolver.noticeLoop(question)) return failure(Rcode.SERVFAIL, '.');
    const { flags, edns } = query;
    const found = this.#resolver.resolve(question, { flags, ednsFlags: edns?.flags ?? 0, client: client.address });
    return found instanceof Promise ? found.then((late) => forwardedReply(late, query)) : forwardedReply(found, query);
  }

  /** An alias that leads out of the zone is answered with what the target has. */
  #completeAlias(alias: ZoneAlias, query: Message, client: QueryClient): Reply | Promise<Reply> {
    const { type } = query.questions[0] as Question;
    const question: Question = { name: alias.target, type, class: RecordClass.IN };
    const other = this.#zone.answer(question);
    if (other?.type === 'answer') return aliasReply(alias, other.answers, 0);
    if (other !== undefined || !this.#canForward(client)) return aliasReply(alias, NONE, 0);
    const reply = this.#resolve(query, question, client);
    return reply instanceof Promise
      ? reply.then((late) => aliasReply(alias, late.answers, late.flags))
      : aliasReply(alias, reply.answers, reply.flags);
  }

  #write(
    query: Message,
    reply: Reply,
    {
      client,
      start,
      requestBytes,
    }: { readonly client: QueryClient; readonly start: number; readonly requestBytes: number },
  ): Buffer {
    const { rcode, answers, authorities, additionals } = reply;
    const { edns } = query;
    const size = client.transport === 'tcp' ? MAX_MESSAGE_BYTES : Math.max(MIN_UDP_BYTES, edns?.udpBytes ?? 0);
    const message: Message = {
      id: query.id,
      flags: Flag.RESPONSE | (query.flags & COPIED_FLAGS) | reply.flags | (rcode & 0x0f),
      questions: query.questions,
      answers,
      authorities,
      additionals,
      edns: edns === undefined ? undefined : answeredEdns(edns, rcode),
    };
    let bytes = this.#encoder.encode(message, { maxBytes: size });
    if (bytes.length > STRANGER_UDP_BYTES && client.transport === 'udp' && !this.#mayForward(client.address))
      bytes = this.#encoder.encode(message, { maxBytes: STRANGER_UDP_BYTES });
    const { zone, source } = reply;
    this.#metrics.served({
      client,
      zone,
      source,
      rcode,
      query,
      requestBytes,
      responseBytes: bytes.length,
      start,
    });
    return bytes;
  }

  /** The header alone, with the reason. */
  #reject(id: number, flags: number, rcode: number, client: QueryClient): Buffer {
    this.#metrics.rejected(client, rcode);
    const opcode = rcode === Rcode.NOTIMP ? flags & OPCODE_MASK : 0;
    const kept = flags & (COPIED_FLAGS | Flag.AUTHENTIC_DATA | Flag.RECURSION_AVAILABLE);
    return this.#encoder.encode({
      id,
      flags: Flag.RESPONSE | opcode | kept | rcode,
      questions: [],
      answers: NONE,
      authorities: NONE,
      additionals: NONE,
    });
  }
}

/** Why a message is not read any further. */
function rejected(header: NonNullable<ReturnType<typeof decodeHeader>>): number | undefined {
  const opcode = (header.flags & OPCODE_MASK) >> OPCODE_SHIFT;
  if (opcode !== Opcode.QUERY) return Rcode.NOTIMP;
  const { questionCount, answerCount, authorityCount, additionalCount } = header;
  const isSound = questionCount === 1 && answerCount <= 1 && authorityCount <= 1 && additionalCount <= 2;
  return isSound ? undefined : Rcode.FORMERR;
}

function isReverse(zone: string): boolean {
  return zone.endsWith('in-addr.arpa.') || zone.endsWith('ip6.arpa.');
}

function failure(rcode: number, zone: string): Reply {
  return { flags: 0, rcode, answers: NONE, authorities: NONE, additionals: NONE, zone, source: '' };
}

function zoneReply({ zone, rcode, isAuthoritative, answers, authorities, additionals }: ZoneAnswer): Reply {
  const flags = isAuthoritative ? Flag.AUTHORITATIVE : 0;
  return { flags, rcode, answers, authorities, additionals, zone, source: 'kubernetes' };
}

function aliasReply(alias: ZoneAlias, found: readonly ResourceRecord[], flags: number): Reply {
  return {
    flags: Flag.AUTHORITATIVE | (flags & Flag.TRUNCATED),
    rcode: Rcode.NOERROR,
    answers: [...alias.answers, ...found],
    authorities: NONE,
    additionals: NONE,
    zone: alias.zone,
    source: 'kubernetes',
  };
}

/** An answer of an upstream server: whether it is authentic is said to clients that have asked for it (RFC 6840, section 5.8). */
function forwardedReply(found: Forwarded, { flags, edns }: Message): Reply {
  const wantsAuthentic = (flags & Flag.AUTHENTIC_DATA) !== 0 || (edns?.flags ?? 0) >= 0x8000;
  const kept =
    Flag.AUTHORITATIVE | Flag.RECURSION_AVAILABLE | Flag.TRUNCATED | (wantsAuthentic ? Flag.AUTHENTIC_DATA : 0);
  const { rcode, answers, authorities, additionals, source } = found;
  return { flags: found.flags & kept, rcode, answers, authorities, additionals, zone: '.', source };
}

/** The OPT record of an answer: the client's own size, its DNSSEC flag, and the options that are sent back. */
function answeredEdns({ udpBytes, flags, version, options }: Edns, rcode: number): Edns {
  if (version !== 0) return { udpBytes: 0, extendedRcode: rcode >> 4, version: 0, flags: 0, options: NO_OPTIONS };
  return {
    udpBytes,
    extendedRcode: rcode >> 4,
    version: 0,
    flags: flags & 0xff00,
    options: options.length === 0 ? NO_OPTIONS : options.filter(({ code }) => ECHOED_OPTIONS.has(code)),
  };
}

const NO_OPTIONS: readonly EdnsOption[] = [];
