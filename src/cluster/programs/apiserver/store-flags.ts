import { parseQuantity, ValueError } from '../../../api/index.ts';
import type { StorageOptions } from '../../server-only.ts';
import { FlagError } from '../flag.ts';
import type { FlagDefinitions, FlagValues } from '../flag.ts';
import { durationFlag } from '../read-flags.ts';

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
    help: 'Bytes of the log that a checkpoint must make superfluous before the embedded store writes one',
  },
  'store-checkpoint-interval': {
    type: 'string',
    value: 'DURATION',
    default: '5m',
    help: 'Time after which it writes one even for fewer bytes',
  },
};

const MIN_BYTES = 64 * 1024;
const MAX_BYTES = 64 * 1024 ** 3;
const MIN_INTERVAL_MS = 1_000;

/** The embedded store in a folder, as the flags want it. */
export function embeddedStorage(flags: FlagValues, folder: string): Extract<StorageOptions, { type: 'durable' }> {
  return {
    type: 'durable',
    folder,
    history: historyLimits(flags),
    checkpointAfterBytes: bytesFlag(flags, 'store-checkpoint-bytes'),
    checkpointInterval: checkpointInterval(flags),
  };
}

/** What stores remember of the past. */
export function historyLimits(flags: FlagValues): { readonly maxAgedBytes: number } {
  return { maxAgedBytes: bytesFlag(flags, 'store-history-bytes') };
}

function checkpointInterval(flags: FlagValues): number {
  const name = 'store-checkpoint-interval';
  const ms = durationFlag(flags, name);
  if (ms < MIN_INTERVAL_MS) throw new FlagError(`--${name} must be 1s at least, got "${flags.text(name) ?? ''}"`);
  return ms;
}

/** Bytes that a flag says: a quantity such as 16Mi. */
function bytesFlag(flags: FlagValues, name: string): number {
  const text = flags.text(name) ?? '';
  const quantity = parseQuantity(text);
  const bytes = quantity instanceof ValueError ? 0 : quantity.value();
  if (bytes < MIN_BYTES || bytes > MAX_BYTES)
    throw new FlagError(`--${name} must be a number of bytes from 64Ki to 64Gi such as 16Mi, got "${text}"`);
  return bytes;
}
