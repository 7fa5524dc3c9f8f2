import { parseDuration, type Random } from '../../base/index.ts';
import { Dashboard, type DashboardPlace, type DashboardSettings } from '../../dashboard/index.ts';
import { UsageError } from '../command.ts';
import { type FlagDefinitions, type Flags, grouped } from '../flags.ts';

/** The port that dashboards take if it is free. */
export const DASHBOARD_PORT = 6464;
/** Loopback only: a browser with the key acts with the user's credentials. */
export const LOOPBACK = '127.0.0.1';
const MEBIBYTE = 1024 * 1024;
const KEY_BYTES = 24;

/** How far back a dashboard can look. */
export const historyFlags: FlagDefinitions = grouped('Dashboard', {
  history: {
    type: 'string',
    value: 'DURATION',
    default: '1h',
    help: 'How far back the dashboard can look; 0 keeps nothing for it',
  },
  'history-size': {
    type: 'string',
    value: 'MIB',
    default: '64',
    help: 'Memory for changes that the API server does not remember, in MiB; the oldest are dropped first',
  },
});

/** The history that the flags ask for. */
export function historySettings(flags: Flags): DashboardSettings['history'] {
  const keepMs = durationOf(flags, 'history');
  const maxBytes = (flags.integer('history-size', { min: 0, max: 4096 }) ?? 64) * MEBIBYTE;
  return { keepMs, maxBytes };
}

/** A random key, too long to guess. */
export function newKey(random: Random): string {
  return Buffer.from(random.bytes(KEY_BYTES)).toString('base64url');
}

/** Opens the dashboard at the port that the flag names; where it names none and the usual one is taken, at any free port. */
export async function openDashboard(
  settings: DashboardSettings,
  flags: Flags,
  { flag, ...place }: Omit<DashboardPlace, 'port'> & { readonly flag: string },
): Promise<Dashboard> {
  const port = flags.integer(flag, { min: 0, max: 65_535 });
  try {
    return await Dashboard.open(settings, { ...place, port: port ?? DASHBOARD_PORT });
  } catch (error) {
    if (port !== undefined || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return Dashboard.open(settings, { ...place, port: 0 });
  }
}

function durationOf(flags: Flags, name: string): number {
  const text = flags.text(name) ?? '';
  try {
    return text === '0' ? 0 : parseDuration(text);
  } catch (cause) {
    throw new UsageError(`--${name} must be a duration such as 1h, got "${text}"`, { cause });
  }
}
