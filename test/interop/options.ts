import { parseArgs } from 'node:util';
import type { ServerName } from './results.ts';

export interface InteropOptions {
  readonly server: ServerName;
  /** Only subjects whose name matches. */
  readonly only: RegExp | undefined;
  /** A bundle of Keelson that is there already. */
  readonly bundle: string | undefined;
}

export const USAGE = `usage: npm run interop [-- FLAGS]

  --server keelson|kube  Run against ours (default) or against etcd and kube-apiserver
  --only REGEX           Only clients and programs whose name matches, such as "client-go|kopf"
  --bundle FILE          Start this keelson.js instead of building one`;

/** Reads the command line; an Error says what is wrong with it. */
export function readOptions(args: readonly string[]): InteropOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      server: { type: 'string', default: 'keelson' },
      only: { type: 'string' },
      bundle: { type: 'string' },
    },
  });
  if (values.server !== 'keelson' && values.server !== 'kube')
    throw new Error(`--server must be keelson or kube, got "${values.server}"`);
  return {
    server: values.server,
    only: values.only === undefined ? undefined : new RegExp(values.only, 'i'),
    bundle: values.bundle,
  };
}
