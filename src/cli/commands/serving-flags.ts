import type { SecureHealthOptions } from '../../kit/index.ts';
import { UsageError } from '../command.ts';
import { fileFlag } from '../../cluster/programs/index.ts';
import { type FlagDefinitions, type Flags, grouped } from '../flags.ts';

/** Flags of programs that answer probes and scrapes, under upstream's names. */
export function servingFlags(port: number): FlagDefinitions {
  return grouped('Secure serving', {
    'bind-address': {
      type: 'string',
      value: 'ADDRESS',
      default: '0.0.0.0',
      help: 'Address that answers probes and scrapes',
    },
    'secure-port': {
      type: 'string',
      value: 'N',
      default: String(port),
      help: 'Port that answers probes and scrapes; 0 opens none',
    },
    'tls-cert-file': { type: 'string', value: 'FILE', help: 'Certificate of that port (default: one made in memory)' },
    'tls-private-key-file': { type: 'string', value: 'FILE', help: 'Key of --tls-cert-file' },
    'authorization-always-allow-paths': {
      type: 'string',
      multiple: true,
      value: 'PATH,…',
      help: 'Paths that need no authorization (default /healthz,/readyz,/livez)',
    },
  });
}

/** The address and port of the program; undefined for none. */
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
