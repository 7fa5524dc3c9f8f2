import type { Duplex } from 'node:stream';
import type { Clock, Logger, Random } from '../../base/index.ts';
import { MirrorStore } from '../mirror/mirror-store.ts';
import type { HistoryLimits } from '../mvcc/history.ts';
import { ChannelStore } from './channel-store.ts';
import { boardReader } from './revision-board.ts';

export interface OpenChannelStoreOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  /**
   * Descriptor of the other process's `RevisionBoard`; without it, every current read asks that process for its
   * revision.
   */
  readonly boardFd?: number;
  /** Limits of the history kept here; older events are read from the other process, which has its own limits. */
  readonly history?: HistoryLimits;
}

/**
 * Opens the store of another process, which serves it with `serveStore` at the other end of the channel, and keeps a
 * copy in this process.
 */
export function openChannelStore(channel: Duplex, options: OpenChannelStoreOptions): MirrorStore {
  const { clock, random, log, boardFd, history } = options;
  const newest = boardFd === undefined ? {} : { newest: boardReader(boardFd) };
  return new MirrorStore(new ChannelStore(channel, { clock, random, ...newest }), { log, history });
}
