import type { SecureHealthOptions } from '../../kit/index.ts';
import { UsageError } from '../command.ts';
import type { FlagDefinitions, Flags } from '../flags.ts';
import { fileFlag } from './file-flag.ts';

/** Flags of programs that answer probes and scrapes, under upstream's names. */
export function servingFlags(port: number): FlagDefinitions {
  return {
    'bind-address': {
      type: 'string',
      value: 'ADDRESS',
      default: '0.0.0.0',
      help: 'Where probes and scrapes are answered',
    },
    'secure-port': { type: 'string', value: 'N', default: String(port), help: 'Port for them; 0 answers nowhere' },
    'tls-cert-file': { type: 'string', value: 'FILE', help: 'Certificate of that port (made in memory unless given)' },
    'tls-private-key-file': { type: 'string', value: 'FILE', help: 'Key of --tls-cert-file' },
    'authorization-always-allow-paths': {
      type: 'string',
      multiple: true,
      value: 'PATH,…',
      help: 'Paths that everybody may ask for (/healthz,/readyz,/livez)',
    },
  };
}

/** Where the program answers; undefined for nowhere. */
export function servingSettings(flags: Flags): SecureHealthOptions | undefined {
  const port = flags.integer('secure-port', { min: 0, max: 65_535 }) ?? 0;
  const certificate = fileFlag(flags, 'tls-cert-file');
  const privateKey = fileFlag(flags, 'tls-private-key-file');
  if ((certificate === undefined) !== (privateKey === undefined))
    throw new UsageError('--tls-cert-file and --tls-private-key-file go together');
  if (port === 0) return undefined;
  const openPaths = flags.list('authorization-always-allow-paths');
  return {
    port,
    host: flags.text('bind-address') ?? '0.0.0.0',
    ...(openPaths.length === 0 ? {} : { openPaths }),
    ...(certificate === undefined || privateKey === undefined
      ? {}
      : { certificate: { certificate, privateKey, authority: certificate } }),
  };
}
