import type { Call, IncomingRequest } from '../../apiserver/index.ts';
import type { FlowRecorder } from '../metrics/flow-recorder.ts';
import type { ObjectSizes, StoredSizes } from './object-sizes.ts';
import type { WatchCounts } from './watch-counts.ts';
import { ONE_SEAT, type WorkEstimate } from './work-estimate.ts';

const BYTES_PER_SEAT = 100_000;
/** A list served from memory is written piece by piece and never needs more memory than this. */
const MAX_IN_MEMORY_BYTES = 1_000_000;
const MAX_OBJECT_BYTES = 1_500_000;
const MAX_LIST_SEATS = 100;
const MAX_WRITE_SEATS = 10;
const WATCHES_PER_SEAT = 10;
/** How long notifying one watcher of a change occupies a seat. */
const NOTIFY_MS = 5;

export interface EstimateParts {
  readonly sizes: Pick<StoredSizes, 'of'>;
  readonly watches: Pick<WatchCounts, 'interestedIn'>;
}

/** What an estimate is for, and its limit. */
export interface EstimatedFor {
  /** Max seats of the priority level; 0 when it has none. */
  readonly maxSeats: number;
  readonly recorder: FlowRecorder;
}

/**
 * The expected cost of a request, as 1.36 computes it: lists by what they read, writes by the number of watches, others
 * one seat.
 */
export function estimateWork(call: Call, parts: EstimateParts, target: EstimatedFor): WorkEstimate {
  switch (call.info.verb) {
    case 'list':
    case 'watch':
      return estimateList(call, parts.sizes, target.maxSeats);
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
      return estimateWrite(call, parts.watches, target);
    default:
      return ONE_SEAT;
  }
}

function estimateList(call: Call, sizes: EstimateParts['sizes'], levelMaxSeats: number): WorkEstimate {
  const { query } = call.request;
  const { info } = call;
  const isWatch = info.verb === 'watch';
  const resourceVersion = query.get('resourceVersion');
  if (isWatch && query.get('sendInitialEvents') !== 'true' && !['', '0'].includes(resourceVersion)) return ONE_SEAT;
  const stored = sizes.of(info);
  if (stored === undefined) return ONE_SEAT;
  const maxSeats = boundOf(levelMaxSeats, MAX_LIST_SEATS);
  const seats = Math.ceil(bytesOf(call, stored) / BYTES_PER_SEAT);
  return { initialSeats: Math.max(1, Math.min(seats, maxSeats)), finalSeats: 0, finalMs: 0 };
}

function bytesOf(call: Call, { count, averageBytes }: ObjectSizes): number {
  const { query } = call.request;
  const { info } = call;
  const limit = Number(query.get('limit'));
  const limited = limit > 0 ? Math.min(limit, count) : count;
  const isAtHand = info.verb === 'watch' || !readsPast(call.request, limit);
  const isSelected = query.get('labelSelector') !== '' || query.get('fieldSelector') !== '';
  const searched = !isAtHand && isSelected ? Math.max(limited, Math.floor(count / 2)) : limited;
  const bytes = (info.name === '' ? searched : 1) * (averageBytes > 0 || count === 0 ? averageBytes : MAX_OBJECT_BYTES);
  return isAtHand ? Math.min(bytes, MAX_IN_MEMORY_BYTES) : bytes;
}

/** Whether a list reads an older state than the newest, which kube-apiserver reads from etcd. */
function readsPast({ query }: IncomingRequest, limit: number): boolean {
  const match = query.get('resourceVersionMatch');
  if (match === 'NotOlderThan') return false;
  if (match !== '' || query.get('continue') !== '') return true;
  return limit > 0 && !['', '0'].includes(query.get('resourceVersion'));
}

/** The answer does not wait until all watchers have been notified; the seats for that are kept after it. */
function estimateWrite({ info }: Call, watches: EstimateParts['watches'], target: EstimatedFor): WorkEstimate {
  if (info.resource === 'serviceaccounts' && info.subresource === 'token') return ONE_SEAT; // nothing changes
  const count = watches.interestedIn(info);
  target.recorder.watchCounts.observe(count);
  if (count < WATCHES_PER_SEAT) return ONE_SEAT;
  const wanted = Math.ceil(count / WATCHES_PER_SEAT);
  const finalSeats = Math.min(wanted, boundOf(target.maxSeats, MAX_WRITE_SEATS));
  return { initialSeats: 1, finalSeats, finalMs: (wanted * NOTIFY_MS) / finalSeats };
}

function boundOf(level: number, most: number): number {
  return level === 0 ? most : Math.min(level, most);
}
