import { attack as adminFlood } from './admin-flood.ts';
import type { Attack } from './attack.ts';
import { attack as byteChunks } from './byte-chunks.ts';
import { attack as connectionFlood } from './connection-flood.ts';
import { attack as headerBomb } from './header-bomb.ts';
import { attack as heavyWork } from './heavy-work.ts';
import { attack as hostileRequests } from './hostile-requests.ts';
import { attack as kitServers } from './kit-servers.ts';
import { attack as largeBodies } from './large-bodies.ts';
import { attack as largeStatuses } from './large-statuses.ts';
import { attacks as programLoad } from './program-load.ts';
import { attack as rapidReset } from './rapid-reset.ts';
import { shellExec, shellPods } from './shell-scripts.ts';
import { attack as stalledLists } from './stalled-lists.ts';
import { spdyFrames, webSocketFrames } from './tiny-frames.ts';
import { attack as unreadWatches } from './unread-watches.ts';

export const ATTACKS: readonly Attack[] = [
  byteChunks,
  hostileRequests,
  heavyWork,
  largeBodies,
  headerBomb,
  rapidReset,
  adminFlood,
  connectionFlood,
  unreadWatches,
  stalledLists,
  webSocketFrames,
  spdyFrames,
  kitServers,
  shellExec,
  shellPods,
  largeStatuses,
  ...programLoad,
];
