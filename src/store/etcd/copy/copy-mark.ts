import { StoreError } from '../../errors.ts';
import { type EtcdClient, missingInAnswer } from '../etcd-client.ts';
import { toStoreError } from '../etcd-errors.ts';
import type { Revision } from '../../store.ts';
import { keyNames } from '../key-names.ts';
import { COMPACT, RANGE, TXN } from '../messages/methods.ts';

/** Beside the keys of clusters, where no API server looks. */
const MARKS = '/keelson/copy';

/** Writes at once while the revision is raised; etcd syncs them together. */
const RAISED_AT_ONCE = 200;
/** Revisions are forgotten so often while it is raised, since each takes room in etcd. */
const COMPACT_EVERY = 50_000;
/** More writes than this take etcd's own tool a moment and us an hour. */
const MAX_RAISE = 10_000_000;

export interface CopyMarkOptions {
  /** What is copied; a copy of anything else is not gone on with. Absent: no copy is. */
  readonly from?: string;
  /** What '/registry' is called in this etcd. */
  readonly prefix?: string;
}

/** A key that is there while a copy is not finished: it tells such a copy from any other contents of an etcd. */
export class CopyMark {
  readonly #client: EtcdClient;
  readonly #from: string;
  readonly #key: string;

  constructor(client: EtcdClient, { from = '', prefix }: CopyMarkOptions) {
    this.#client = client;
    this.#from = from;
    this.#key = MARKS + keyNames(prefix).toEtcd('/registry/').slice(0, -1);
  }

  /** Whether a copy from the same place was begun. Throws when it is one from another place. */
  async isBegun(): Promise<boolean> {
    const { kvs } = await this.#try('read', () => this.#client.call(RANGE, { key: this.#key }, { isRepeatable: true }));
    const value = kvs?.[0]?.value;
    if (value === undefined) return false;
    const from = Buffer.from(value).toString('utf8');
    if (from === this.#from) return true;
    const problem = `it holds an unfinished copy of ${JSON.stringify(from)}, which its key ${this.#key} says`;
    const wayOut = '"keelson store copy" goes on with it; without the key it counts as finished';
    throw new StoreError('Unavailable', `Cannot use this etcd: ${problem}; ${wayOut}`);
  }

  /** Writes the mark; answers with the revision of that. */
  async write(): Promise<Revision> {
    const put = { key: this.#key, value: Buffer.from(this.#from) };
    const { header } = await this.#try('write to', () =>
      this.#client.call(TXN, { success: [{ put }] }, { isRepeatable: true }),
    );
    if (header?.revision === undefined) throw missingInAnswer('revision');
    return header.revision;
  }

  async remove(): Promise<void> {
    await this.#try('write to', () =>
      this.#client.call(TXN, { success: [{ deleteRange: { key: this.#key } }] }, { isRepeatable: true }),
    );
  }

  /** Forgets all history before `revision`. */
  async compact(revision: Revision): Promise<void> {
    await this.#try('compact', () => this.#client.call(COMPACT, { revision }, { isRepeatable: true }));
  }

  /** Writes the mark until etcd's revision is at least this: a live etcd has no other way to get there. */
  async raiseTo(wanted: Revision): Promise<Revision> {
    let revision = await this.write();
    if (wanted - revision > MAX_RAISE) {
      const problem = `its revision is ${revision}, and raising it to ${wanted} takes too many writes; begin with an etcd restored by "etcdutl snapshot restore --bump-revision ${wanted} --mark-compacted"`;
      throw new StoreError('TooLarge', `Cannot copy into this etcd: ${problem}`);
    }
    let compactAt = revision + COMPACT_EVERY;
    while (revision < wanted) {
      const count = Math.min(RAISED_AT_ONCE, wanted - revision);
      revision = Math.max(...(await Promise.all(Array.from({ length: count }, () => this.write()))));
      if (revision < compactAt) continue;
      await this.compact(revision);
      compactAt = revision + COMPACT_EVERY;
    }
    return revision;
  }

  async #try<T>(action: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toStoreError(error, { action: `${action} etcd` });
    }
  }
}
