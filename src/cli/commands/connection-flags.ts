import { messageOf, type Clock } from '../../base/index.ts';
import {
  type Client,
  type ClientOptions,
  type ClusterConnection,
  connectTo,
  findConnection,
  type Outages,
  type Pace,
  pacedTransport,
} from '../../client/index.ts';
import { UsageError } from '../command.ts';
import type { FlagDefinitions, Flags } from '../flags.ts';

/** Flags of programs that work on an API server: where it is and how fast it may be asked. */
export const connectionFlags: FlagDefinitions = {
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'Where the API server is, and who we are to it (as kubectl finds it unless given)',
  },
  master: { type: 'string', value: 'URL', help: 'The API server, instead of the one in the kubeconfig' },
  'kube-api-qps': {
    type: 'string',
    value: 'RATE',
    help: 'Requests a second at most (as many as there are, unless given)',
  },
  'kube-api-burst': { type: 'string', value: 'N', help: 'Requests at once, above --kube-api-qps (30)' },
};

const DEFAULT_BURST = 30;

/** What the flags say about the way to the server. */
export interface ProgramConnection {
  readonly connection: ClusterConnection;
  readonly pace?: Pace;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds the server that the flags name. */
export function programConnection(flags: Flags, environment: Environment): Promise<ProgramConnection> {
  const wish = { kubeconfig: flags.text('kubeconfig'), server: flags.text('master'), pace: paceOf(flags) };
  return findServer(wish, environment);
}

/** Where a program is to work: what is not given is found as kubectl finds it. */
export interface ServerWish {
  readonly kubeconfig: string | undefined;
  /** The URL, instead of the one in the kubeconfig. */
  readonly server: string | undefined;
  readonly pace: Pace | undefined;
}

/** Finds the server. */
export async function findServer(
  { kubeconfig, server, pace }: ServerWish,
  environment: Environment,
): Promise<ProgramConnection> {
  try {
    const found = await findConnection({ ...(kubeconfig === undefined ? {} : { kubeconfig }), environment });
    return {
      connection: server === undefined ? found : { ...found, server },
      ...(pace === undefined ? {} : { pace }),
    };
  } catch (cause) {
    throw new UsageError(messageOf(cause), { cause });
  }
}

export interface ProgramClientOptions extends ClientOptions {
  readonly clock: Clock;
  /** Where outages of the server are told of, one for all clients of the program. */
  readonly outages: Outages;
}

/** A client of its own, with a pace of its own. */
export function programClient(
  { connection, pace }: ProgramConnection,
  { clock, outages, ...options }: ProgramClientOptions,
): Client {
  const own = { clock, log: outages.log, ...options };
  return connectTo(connection, own, (transport) => {
    const observed = outages.observed(transport);
    return pace === undefined ? observed : pacedTransport(observed, pace, clock);
  });
}

function paceOf(flags: Flags): Pace | undefined {
  const text = flags.text('kube-api-qps');
  if (text === undefined) return undefined;
  const perSecond = Number(text);
  if (!/^[0-9.]+$/.test(text) || !(perSecond > 0))
    throw new UsageError(`--kube-api-qps must be a number above 0, got "${text}"`);
  return { perSecond, burst: flags.integer('kube-api-burst', { min: 1, max: 1_000_000 }) ?? DEFAULT_BURST };
}
