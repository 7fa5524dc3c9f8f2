import { readFile } from 'node:fs/promises';
import { parseDuration } from '../../base/index.ts';
import { isJsonObject, type JsonObject } from '../../broker/index.ts';
import type { SuiteRequest } from '../suite-request.ts';

/** What is judged, and how. */
export interface BrokerSuiteOptions {
  /** The broker that runs already, or how it is started. */
  readonly broker:
    | { readonly type: 'url'; readonly url: string }
    | { readonly type: 'command'; readonly command: readonly string[] };
  readonly basic?: { readonly username: string; readonly password: string };
  readonly bearer?: string;
  readonly certificateAuthority?: string;
  /** `SERVICE/PLAN`; empty for the first ones of the catalog. */
  readonly plans: readonly string[];
  readonly parameters: JsonObject;
  readonly updateParameters: JsonObject | undefined;
  readonly bindParameters: JsonObject;
  readonly otherBindParameters: JsonObject | undefined;
  /** How long work in the background may take. */
  readonly withinMs: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Reads what the command line asks for. Throws an Error that says what is wrong. */
export async function readBrokerOptions({ command, flags, environment }: SuiteRequest): Promise<BrokerSuiteOptions> {
  const [first = ''] = command;
  const isUrl = command.length === 1 && /^https?:\/\//.test(first);
  const user = flags.text('broker-user');
  const colon = user?.indexOf(':') ?? 0;
  if (user !== undefined && colon < 0) throw new Error('--broker-user has the form NAME:PASSWORD');
  const authority = flags.text('broker-ca');
  const plans = flags.list('broker-plan');
  const odd = plans.find((each) => !/^[^/]+\/[^/]+$/.test(each));
  if (odd !== undefined) throw new Error(`--broker-plan has the form SERVICE/PLAN, and not "${odd}"`);
  return {
    broker: isUrl ? { type: 'url', url: first } : { type: 'command', command },
    ...(user === undefined ? {} : { basic: { username: user.slice(0, colon), password: user.slice(colon + 1) } }),
    ...(flags.text('broker-token') === undefined ? {} : { bearer: flags.text('broker-token') }),
    ...(authority === undefined ? {} : { certificateAuthority: await readFile(authority, 'utf8') }),
    plans,
    parameters: objectOf(flags.text('provision-parameters'), 'provision-parameters') ?? {},
    updateParameters: objectOf(flags.text('update-parameters'), 'update-parameters'),
    bindParameters: objectOf(flags.text('bind-parameters'), 'bind-parameters') ?? {},
    otherBindParameters: objectOf(flags.text('other-bind-parameters'), 'other-bind-parameters'),
    withinMs: parseDuration(flags.text('work-within') ?? '1m'),
    environment,
  };
}

function objectOf(text: string | undefined, flag: string): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // said below
  }
  throw new Error(`--${flag} is no JSON object: ${text}`);
}
