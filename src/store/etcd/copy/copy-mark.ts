import { discardLogger, type Logger } from '../../../base/index.ts';
import { StoreError } from '../../errors.ts';
import { type EtcdClient, missingFromAnswer } from '../etcd-client.ts';
import { toStoreError } from '../etcd-errors.ts';
import type { Revision } from '../../store.ts';
import { keyNames } from '../key-names.ts';
import { COMPACT, RANGE, TXN } from '../messages/methods.ts';

/** Outside the prefix of any cluster, where no API server looks. */
const MARKS = '/keelson/copy';

/** Concurrent writes while the revision is raised; etcd syncs them together. */
const CONCURRENT_WRITES = 200;
/** How often history is compacted while the revision is raised, since each revision takes space in etcd. */
const COMPACT_EVERY_REVISIONS = 50_000;
/** More writes than this would take us an hour; etcd's own tool does it in a moment. */
const MAX_RAISE = 10_000_000;

export interface CopyMarkOptions {
  /**
   * The source of the copy; an unfinished copy from another source is not continued. Absent: no unfinished copy is
   * continued.
   */
  readonly from?: string;
  /** The name of '/registry' in this etcd. */
  readonly prefix?: string;
  readonly log?: Logger;
}

/** A key that exists while a copy is unfinished: it distinguishes such a copy from any other contents of an etcd. */
export class CopyMark {
  readonly #client: EtcdClient;
  readonly #from: string;
  readonly #key: string;
  readonly #log: Logger;

  constructor(client: EtcdClient, { from = '', prefix, log = discardLogger }: CopyMarkOptions) {
    this.#log = log;
    this.#client = client;
    this.#from = from;
    this.#key = MARKS + keyNames(prefix).toEtcd('/registry/').slice(0, -1);
  }

  /** Whether a copy from the same source was begun. Throws when one from another source was. */
  async isBegun(): Promise<boolean> {
    const { kvs } = await this.#try('read', () => this.#client.call(RANGE, { key: this.#key }, { isRepeatable: true }));
    const value = kvs?.[0]?.value;
    if (value === undefined) return false;
    const from = Buffer.from(value).toString('utf8');
    if (from === this.#from) return true;
    const problem = `it holds an unfinished copy of ${JSON.stringify(from)}, which its key ${this.#key} says`;
    const wayOut = '"keelson store copy" continues it; without the key it counts as finished';
    throw new StoreError('Locked', `Cannot use this etcd: ${problem}; ${wayOut}`);
  }

  /** Writes the mark and returns the revision of that write. */
  async write(): Promise<Revision> {
    const put = { key: this.#key, value: Buffer.from(this.#from) };
    const { header } = await this.#try('write to', () =>
      this.#client.call(TXN, { success: [{ put }] }, { isRepeatable: true }),
    );
    if (header?.revision === undefined) throw missingFromAnswer('revision');
    return header.revision;
  }

  async remove(): Promise<void> {
    await this.#try('write to', () =>
      this.#client.call(TXN, { success: [{ deleteRange: { key: this.#key } }] }, { isRepeatable: true }),
    );
  }

  /** Compacts all history before `revision`. */
  async compact(revision: Revision): Promise<void> {
    await this.#try('compact', () => this.#client.call(COMPACT, { revision }, { isRepeatable: true }));
  }

  /** Writes the mark until etcd's revision is at least `wanted`: a running etcd offers no other way to raise it. */
  async raiseTo(wanted: Revision): Promise<Revision> {
    let revision = await this.write();
    if (wanted - revision > MAX_RAISE) {
      const problem = `its revision is ${revision}, and raising it to ${wanted} takes too many writes; begin with an etcd restored by "etcdutl snapshot restore --bump-revision ${wanted} --mark-compacted"`;
      throw new StoreError('TooLarge', `Cannot copy into this etcd: ${problem}`);
    }
    let compactAt = revision + COMPACT_EVERY_REVISIONS;
    while (revision < wanted) {
      const count = Math.min(CONCURRENT_WRITES, wanted - revision);
      revision = Math.max(...(await Promise.all(Array.from({ length: count }, () => this.write()))));
      if (revision < compactAt) continue;
      await this.compact(revision);
      this.#log.info('raising the revision of etcd', { revision, wanted });
      compactAt = revision + COMPACT_EVERY_REVISIONS;
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
