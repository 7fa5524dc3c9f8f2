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
  /** The descriptor of the other process's `RevisionBoard`; it is asked for each revision unless given. */
  readonly boardFd?: number;
  /** What is older is read from the other process, which keeps as much as it likes. */
  readonly history?: HistoryLimits;
}

/** Opens the store of another process, which `serveStore` serves at the other end of the channel, with a copy in this one. */
export function openChannelStore(channel: Duplex, options: OpenChannelStoreOptions): MirrorStore {
  const { clock, random, log, boardFd, history } = options;
  const newest = boardFd === undefined ? {} : { newest: boardReader(boardFd) };
  return new MirrorStore(new ChannelStore(channel, { clock, random, ...newest }), { log, history });
}
