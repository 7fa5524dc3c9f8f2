import { messageOf } from '../../base/index.ts';
import { GrpcError, isGrpcError } from '../../wire/grpc/index.ts';
import { StoreError, type StoreFailure } from '../errors.ts';

/** Texts of etcd's errors that a store has to recognize; they are part of etcd's API. */
const COMPACTED = 'etcdserver: mvcc: required revision has been compacted';
const REASONS: ReadonlyMap<string, StoreFailure> = new Map([
  [COMPACTED, 'Compacted'],
  ['etcdserver: mvcc: required revision is a future revision', 'FutureRevision'],
  ['etcdserver: mvcc: database space exceeded', 'NoSpace'],
  ['etcdserver: request is too large', 'TooLarge'],
  ['etcdserver: too many operations in txn request', 'TooLarge'],
  ['etcdserver: corrupt cluster', 'Damaged'],
]);
const LEASE_NOT_FOUND = 'etcdserver: requested lease not found';
const LEASE_EXISTS = 'etcdserver: lease already exists';
/** Errors etcd gives before it has looked at the request. */
const NOT_TRIED: ReadonlySet<string> = new Set([
  'etcdserver: no leader',
  'etcdserver: too many requests',
  'etcdserver: not capable',
  'etcdserver: rpc not supported for learner',
]);

export interface ErrorContext {
  /** What was being done, for the message: `read at revision 7`. */
  readonly action: string;
  /** True if the request would have changed something. */
  readonly isWrite?: boolean;
  /** The caller's signal: its reason is thrown unchanged. */
  readonly signal?: AbortSignal;
}

/** The error that the store throws for a failed call to etcd. */
export function toStoreError(error: unknown, context: ErrorContext): unknown {
  if (error instanceof StoreError) return error;
  if (context.signal?.aborted === true && error === context.signal.reason) return error;
  const reason = reasonOf(error);
  const outcome = context.isWrite === true ? outcomeOf(error, reason) : '';
  const why = messageOf(error);
  return new StoreError(reason, `Cannot ${context.action}: ${why}${outcome}`, { cause: error });
}

/** Whether a call may be retried: always when etcd has not seen it, otherwise only if it is harmless twice. */
export function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (!isGrpcError(error)) return false;
  return wasNotTried(error) || (isRepeatable && error.code === 'UNAVAILABLE');
}

export function isLeaseNotFound(error: unknown): boolean {
  return error instanceof GrpcError && error.message === LEASE_NOT_FOUND;
}

export function isLeaseAlreadyGranted(error: unknown): boolean {
  return error instanceof GrpcError && error.message === LEASE_EXISTS;
}

export function isCompacted(error: unknown): boolean {
  return error instanceof GrpcError && error.message === COMPACTED;
}

/**
 * Whether a gRPC message limit was exceeded: etcd's limit on requests, which is a little above its own request limit,
 * or ours on answers.
 */
export function isMessageTooLarge(error: unknown): boolean {
  return isGrpcError(error, 'RESOURCE_EXHAUSTED') && error.message.includes('larger than max');
}

function reasonOf(error: unknown): StoreFailure {
  if (!(error instanceof GrpcError)) return 'Unavailable';
  const known = REASONS.get(error.message);
  if (known !== undefined) return known;
  return isMessageTooLarge(error) ? 'TooLarge' : 'Unavailable';
}

/** Describes whether a failed write may have happened after all, in which case the caller must not simply retry. */
function outcomeOf(error: unknown, reason: StoreFailure): string {
  if (reason !== 'Unavailable') return '';
  if (wasNotTried(error)) return '; nothing was written';
  const isRefused = isGrpcError(
    error,
    'INVALID_ARGUMENT',
    'NOT_FOUND',
    'PERMISSION_DENIED',
    'FAILED_PRECONDITION',
    'UNIMPLEMENTED',
    'UNAUTHENTICATED',
  );
  return isRefused ? '; nothing was written' : '; the outcome is unknown: it may or may not have been written';
}

function wasNotTried(error: unknown): boolean {
  return error instanceof GrpcError && (error.isUnsent || NOT_TRIED.has(error.message));
}
