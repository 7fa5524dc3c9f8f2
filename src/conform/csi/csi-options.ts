import { resolve } from 'node:path';
import type { SuiteRequest } from '../suite-request.ts';

type Texts = ReadonlyMap<string, string>;

/** What is judged, and how. */
export interface CsiSuiteOptions {
  /** The driver that runs already, or how it is started. */
  readonly driver:
    | { readonly type: 'endpoint'; readonly endpoint: string }
    | { readonly type: 'command'; readonly command: readonly string[] };
  readonly parameters: Texts;
  /** Parameters that volumes can be changed to. */
  readonly mutableParameters: Texts;
  readonly secrets: Texts;
  /** Size of volumes. */
  readonly bytes: number;
  /** Calls at the same time. */
  readonly concurrency: number;
  /** Folders in which the driver keeps volumes and files, to be searched for what is left. */
  readonly stateFolders: readonly string[];
  /** Whether volumes can be mounted here. */
  readonly canMount: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const MAX_CONCURRENCY = 100;

/** Reads what the command line asks for. Throws an Error that says what is wrong. */
export function readCsiOptions({ command, flags, environment }: SuiteRequest): CsiSuiteOptions {
  const [first = ''] = command;
  const isEndpoint = command.length === 1 && (first.startsWith('unix:') || first.endsWith('.sock'));
  return {
    driver: isEndpoint ? { type: 'endpoint', endpoint: endpointOf(first) } : { type: 'command', command },
    parameters: pairsOf(flags.list('volume-parameters'), 'volume-parameters'),
    mutableParameters: pairsOf(flags.list('mutable-parameters'), 'mutable-parameters'),
    secrets: pairsOf(flags.list('volume-secrets'), 'volume-secrets'),
    bytes: wholeNumber(flags.text('volume-bytes'), 'volume-bytes', Number.MAX_SAFE_INTEGER),
    concurrency: wholeNumber(flags.text('calls-at-once'), 'calls-at-once', MAX_CONCURRENCY),
    stateFolders: flags.list('driver-state').map((folder) => resolve(folder)),
    canMount: process.platform === 'linux' && process.getuid?.() === 0,
    environment,
  };
}

function endpointOf(text: string): string {
  return text.startsWith('unix:') ? text : `unix://${resolve(text)}`;
}

function pairsOf(texts: readonly string[], flag: string): Texts {
  return new Map(
    texts.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new Error(`--${flag} must be KEY=VALUE, got "${pair}"`);
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    }),
  );
}

function wholeNumber(text: string | undefined, flag: string, max: number): number {
  const value = Number(text);
  if (text === undefined || !/^\d+$/.test(text) || value < 1 || value > max)
    throw new Error(`--${flag} must be a number from 1 to ${max}, got "${text ?? ''}"`);
  return value;
}
