import { StoreError } from '../../errors.ts';
import { type EtcdClient, missingInAnswer } from '../etcd-client.ts';
import { toStoreError } from '../etcd-errors.ts';
import type { Revision } from '../../store.ts';
import { COMPACT, RANGE, TXN } from '../messages/methods.ts';

/** Beside the keys of clusters, where no API server looks: it is there while a copy is not finished. */
export const COPY_MARK_KEY = '/keelson/copy';

/** Writes at once while the revision is raised; etcd syncs them together. */
const RAISED_AT_ONCE = 200;
/** Revisions are forgotten so often while it is raised, since each takes room in etcd. */
const COMPACT_EVERY = 50_000;
/** More writes than this take etcd's own tool a moment and us an hour. */
const MAX_RAISE = 10_000_000;

/** The key that tells a copy that was begun from any other contents of an etcd. */
export class CopyMark {
  readonly #client: EtcdClient;
  readonly #from: string;

  /** `from` says what is copied; another copy than of this is not gone on with. */
  constructor(client: EtcdClient, from: string) {
    this.#client = client;
    this.#from = from;
  }

  /** Whether a copy from the same place was begun. Throws when it is one from another place. */
  async isBegun(): Promise<boolean> {
    const { kvs } = await this.#try('read', () =>
      this.#client.call(RANGE, { key: COPY_MARK_KEY }, { isRepeatable: true }),
    );
    const value = kvs?.[0]?.value;
    if (value === undefined) return false;
    const from = Buffer.from(value).toString('utf8');
    if (from === this.#from) return true;
    const problem = `it holds an unfinished copy of ${JSON.stringify(from)} (its key ${COPY_MARK_KEY} says so)`;
    throw new StoreError('Unavailable', `Cannot copy into this etcd: ${problem}`);
  }

  /** Writes the mark; answers with the revision of that. */
  async write(): Promise<Revision> {
    const put = { key: COPY_MARK_KEY, value: Buffer.from(this.#from) };
    const { header } = await this.#try('write to', () =>
      this.#client.call(TXN, { success: [{ put }] }, { isRepeatable: true }),
    );
    if (header?.revision === undefined) throw missingInAnswer('revision');
    return header.revision;
  }

  async remove(): Promise<void> {
    await this.#try('write to', () =>
      this.#client.call(TXN, { success: [{ deleteRange: { key: COPY_MARK_KEY } }] }, { isRepeatable: true }),
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
