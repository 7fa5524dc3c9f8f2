import type { Entry, KeyRange, ReadOptions, Revision } from '../store.ts';
import { type EtcdClient, missingFromAnswer } from './etcd-client.ts';
import { toEntry } from './etcd-entry.ts';
import { isMessageTooLarge } from './etcd-errors.ts';
import { FIRST_KEY, type KeyNames } from './key-names.ts';
import type { RangeResponse } from './messages/kv.ts';
import { RANGE } from './messages/methods.ts';

/** One answer of etcd to a part of a range. */
export interface Page {
  readonly entries: readonly Entry[];
  /** The leases of the entries that have one, by key. */
  readonly leases: ReadonlyMap<string, bigint>;
  readonly more: boolean;
  /** Number of keys in the whole requested range. */
  readonly count: number;
  /** etcd's revision when it answered. */
  readonly revision: Revision;
}

export interface PageOptions {
  readonly at?: Revision;
  /** 0 for no limit. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  readonly names: KeyNames;
}

export interface RevisionOptions extends Pick<ReadOptions, 'notOlderThan' | 'signal'> {
  /** Replaces the time limit of every request. */
  readonly timeoutMs?: number;
}

const FIRST_PAGE = 500;
const MAX_PAGE = 10_000;
/** Target size of a page, whatever the size of its entries. */
const PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Reads a range in pages, all at the same revision, so that neither side holds an unbounded answer.
 *
 * Ends: after the last page; by throwing what the call threw.
 */
export async function* rangePages(
  client: EtcdClient,
  range: KeyRange,
  options: PageOptions,
): AsyncGenerator<Page, void, undefined> {
  const etcdRange = options.names.rangeToEtcd(range);
  if (etcdRange === undefined) {
    yield { entries: [], leases: new Map(), more: false, count: 0, revision: await readRevision(client, options) };
    return;
  }
  let { at } = options;
  let { key } = etcdRange;
  let left = options.limit === 0 ? Infinity : options.limit;
  let pageSize = FIRST_PAGE;
  let known: { count: number; revision: Revision } | undefined;
  while (left > 0) {
    const limit = Math.min(left, pageSize);
    const request = { key, rangeEnd: etcdRange.rangeEnd, limit, revision: at };
    const response = await readPage(client, request, options);
    if (response === 'too large') {
      pageSize = Math.max(Math.floor(limit / 4), 1);
      continue;
    }
    const page = toPage(response, options.names);
    known ??= { count: page.count, revision: page.revision };
    at ??= page.revision;
    left -= page.entries.length;
    yield { ...page, ...known };
    if (!page.more || page.entries.length === 0) return;
    key = `${options.names.toEtcd(page.entries.at(-1)?.key ?? '')}\0`;
    pageSize = fittingSize(page.entries);
  }
}

/** The cluster's newest revision: a read, through the leader, of a key that cannot exist. */
export async function readRevision(client: EtcdClient, { signal, timeoutMs }: RevisionOptions = {}): Promise<Revision> {
  const options = { signal, timeoutMs, isRepeatable: true };
  const response = await client.call(RANGE, { key: FIRST_KEY, countOnly: true }, options);
  if (response.header?.revision === undefined) throw missingFromAnswer('revision');
  return response.header.revision;
}

/** Reads one key; a range would do, but this is the most frequent read. */
export async function readKey(
  client: EtcdClient,
  key: string,
  options: Omit<PageOptions, 'limit'>,
): Promise<Entry | undefined> {
  const { at, names, signal } = options;
  if (key === '') return undefined; // the empty key cannot exist
  const request = { key: names.toEtcd(key), revision: at };
  const { kvs } = await client.call(RANGE, request, { signal, isRepeatable: true });
  return kvs?.[0] === undefined ? undefined : toEntry(kvs[0], names);
}

async function readPage(
  client: EtcdClient,
  request: { key: string; rangeEnd: string; limit: number; revision: Revision | undefined },
  options: PageOptions,
): Promise<RangeResponse | 'too large'> {
  try {
    return await client.call(RANGE, request, { signal: options.signal, isRepeatable: true });
  } catch (error) {
    if (request.limit > 1 && isMessageTooLarge(error)) return 'too large';
    throw error;
  }
}

function toPage(response: RangeResponse, names: KeyNames): Page {
  const revision = response.header?.revision;
  if (revision === undefined) throw missingFromAnswer('revision');
  const leases = new Map<string, bigint>();
  const entries = (response.kvs ?? []).map((kv) => {
    const entry = toEntry(kv, names);
    if (kv.lease !== undefined) leases.set(entry.key, kv.lease);
    return entry;
  });
  return { entries, leases, more: response.more ?? false, count: response.count ?? 0, revision };
}

function fittingSize(entries: readonly Entry[]): number {
  let bytes = 0;
  for (const entry of entries) bytes += entry.key.length + entry.value.byteLength;
  const fitting = Math.floor((PAGE_BYTES * entries.length) / Math.max(bytes, 1));
  return Math.min(Math.max(fitting, 1), MAX_PAGE);
}
