/** A store that does not answer for this long is away. */
const LIMIT_MS = 3000;

interface Head {
  readonly version: number;
  readonly isRemoved: boolean;
}

/** Where the stores of a pool are, as far as they are there, and how many it should have. */
export interface PoolMembers {
  readonly size: number;
  readonly addresses: readonly string[];
}

/**
 * The objects of a pool. What is written is on most of its stores, and what is read comes from most of them, so nothing is lost while less than
 * half of the stores are away. A bucket has one writer at a time.
 */
export class Pool {
  readonly #members: () => Promise<PoolMembers>;

  constructor(members: () => Promise<PoolMembers>) {
    this.#members = members;
  }

  /** The keys of a bucket that are there. */
  async list(bucket: string): Promise<readonly string[]> {
    const newest = newestOf(await this.#mostAnswer((address) => listOf(address, bucket)));
    return [...newest].filter(([, { isRemoved }]) => !isRemoved).map(([key]) => key);
  }

  async get(bucket: string, key: string): Promise<Buffer | undefined> {
    const found = await this.#mostAnswer(async (address) => {
      const response = await call(address, [bucket, key]);
      const bytes = Buffer.from(await response.arrayBuffer());
      return response.status === 404 ? undefined : { head: headIn(response), bytes };
    });
    const [newest] = found
      .filter((each) => each !== undefined)
      .toSorted((one, other) => other.head.version - one.head.version);
    return newest === undefined || newest.head.isRemoved ? undefined : newest.bytes;
  }

  async put(bucket: string, key: string, bytes: Uint8Array): Promise<void> {
    await this.#write(bucket, key, { bytes, isRemoved: false });
  }

  async remove(bucket: string, key: string): Promise<void> {
    await this.#write(bucket, key, { bytes: new Uint8Array(), isRemoved: true });
  }

  /** Drops a bucket for good. A store that is away learns of it by `repair`. */
  async drop(bucket: string): Promise<void> {
    await this.#mostAnswer((address) => call(address, [bucket], { method: 'DELETE' }));
  }

  /** Copies the objects of one bucket into another one. */
  async copy(from: string, to: string): Promise<void> {
    for (const key of await this.list(from)) await this.put(to, key, (await this.get(from, key)) ?? new Uint8Array());
  }

  /** Gives every store what it has missed. Returns the number of writes. */
  async repair(): Promise<number> {
    const { addresses } = await this.#members();
    const buckets = new Set<string>();
    for (const address of addresses)
      for (const name of (await (await call(address, [])).json()) as string[]) buckets.add(name);
    let writes = 0;
    for (const bucket of buckets) {
      const lists = await Promise.all(addresses.map((address) => listOf(address, bucket)));
      const isDropped = lists.includes('dropped');
      for (const [at, address] of addresses.entries()) {
        const own = lists[at];
        if (isDropped) {
          if (own !== 'dropped') writes += (await call(address, [bucket], { method: 'DELETE' })).ok ? 1 : 0;
          continue;
        }
        for (const [key, head] of newestOf(lists)) {
          if (own === 'dropped' || (own?.[key]?.version ?? 0) >= head.version) continue;
          const source =
            addresses[lists.findIndex((list) => list !== 'dropped' && list[key]?.version === head.version)];
          const bytes = Buffer.from(await (await call(source ?? address, [bucket, key])).arrayBuffer());
          await putOn(address, [bucket, key], { ...head, bytes });
          writes++;
        }
      }
    }
    return writes;
  }

  async #write(bucket: string, key: string, value: { bytes: Uint8Array; isRemoved: boolean }): Promise<void> {
    const heads = await this.#mostAnswer(async (address) =>
      headIn(await call(address, [bucket, key], { method: 'HEAD' })),
    );
    const version = Math.max(0, ...heads.map((head) => head.version)) + 1;
    await this.#mostAnswer((address) => putOn(address, [bucket, key], { ...value, version }));
  }

  /** What the stores answer; throws unless most of them do. */
  async #mostAnswer<T>(ask: (address: string) => Promise<T>): Promise<readonly T[]> {
    const { size, addresses } = await this.#members();
    const answers = await Promise.allSettled(addresses.map(ask));
    const found = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value);
    if (found.length > size / 2) return found;
    throw new Error(`the pool has ${found.length} of ${size} stores, and needs more than half of them`);
  }
}

type List = Readonly<Record<string, Head>> | 'dropped';

function newestOf(lists: readonly List[]): ReadonlyMap<string, Head> {
  const newest = new Map<string, Head>();
  for (const list of lists)
    for (const [key, head] of Object.entries(list === 'dropped' ? {} : list))
      if ((newest.get(key)?.version ?? 0) < head.version) newest.set(key, head);
  return newest;
}

async function listOf(address: string, bucket: string): Promise<List> {
  const response = await call(address, [bucket]);
  return response.status === 410 ? 'dropped' : ((await response.json()) as Record<string, Head>);
}

async function putOn(address: string, path: readonly string[], object: Head & { bytes: Uint8Array }): Promise<void> {
  const headers = { 'x-version': String(object.version), ...(object.isRemoved ? { 'x-removed': 'true' } : {}) };
  const response = await call(address, path, { method: 'PUT', headers, body: new Uint8Array(object.bytes) });
  if (!response.ok) throw new Error(`a store refuses an object: ${await response.text()}`);
}

function headIn({ headers }: Response): Head {
  return { version: Number(headers.get('x-version') ?? 0), isRemoved: headers.has('x-removed') };
}

async function call(address: string, path: readonly string[], options: RequestInit = {}): Promise<Response> {
  const url = `${address}/${path.map((part) => encodeURIComponent(part)).join('/')}`;
  return await fetch(url, { ...options, signal: AbortSignal.timeout(LIMIT_MS) });
}
