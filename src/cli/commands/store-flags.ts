import { parseQuantity, ValueError } from '../../api/index.ts';
import type { StorageOptions } from '../../cluster/index.ts';
import { UsageError } from '../command.ts';
import type { FlagDefinitions, Flags } from '../flags.ts';
import { durationFlag } from './file-flag.ts';

/** How much past the store keeps, in memory and on disk. */
export const storeFlags: FlagDefinitions = {
  'store-history-bytes': {
    type: 'string',
    value: 'BYTES',
    default: '16Mi',
    help: 'Past versions of objects that are kept in memory for watches and lists, five minutes at most; those of the last 30s always are',
  },
  'store-checkpoint-bytes': {
    type: 'string',
    value: 'BYTES',
    default: '16Mi',
    help: 'The embedded store writes a checkpoint when it makes so much of its log superfluous',
  },
  'store-checkpoint-interval': {
    type: 'string',
    value: 'DURATION',
    default: '5m',
    help: 'After so long it writes one even if that is less',
  },
};

const LEAST_BYTES = 64 * 1024;
const MOST_BYTES = 64 * 1024 ** 3;
const LEAST_INTERVAL_MS = 1_000;

/** The embedded store in a folder, as the flags want it. */
export function embeddedStorage(flags: Flags, folder: string): Extract<StorageOptions, { type: 'durable' }> {
  return {
    type: 'durable',
    folder,
    history: historyLimits(flags),
    checkpointAfterBytes: bytesFlag(flags, 'store-checkpoint-bytes'),
    checkpointIntervalMs: checkpointInterval(flags),
  };
}

/** What stores remember of the past. */
export function historyLimits(flags: Flags): { readonly maxAgedBytes: number } {
  return { maxAgedBytes: bytesFlag(flags, 'store-history-bytes') };
}

function checkpointInterval(flags: Flags): number {
  const name = 'store-checkpoint-interval';
  const ms = durationFlag(flags, name);
  if (ms < LEAST_INTERVAL_MS) throw new UsageError(`--${name} must be 1s at least, got "${flags.text(name) ?? ''}"`);
  return ms;
}

/** Bytes that a flag says: a quantity such as 16Mi. */
function bytesFlag(flags: Flags, name: string): number {
  const text = flags.text(name) ?? '';
  const quantity = parseQuantity(text);
  const bytes = quantity instanceof ValueError ? 0 : quantity.value();
  if (bytes < LEAST_BYTES || bytes > MOST_BYTES)
    throw new UsageError(`--${name} must be a number of bytes from 64Ki to 64Gi such as 16Mi, got "${text}"`);
  return bytes;
}
