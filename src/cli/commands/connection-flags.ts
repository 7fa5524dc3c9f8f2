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
import type { ServerChoice } from '../../cluster/programs/index.ts';
import { UsageError } from '../command.ts';
import { type FlagDefinitions, type Flags, grouped } from '../flags.ts';

/** Flags of programs that connect to an API server: its address, and the rate of requests. */
export const connectionFlags: FlagDefinitions = grouped('Connection', {
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'The API server and the credentials for it (default: as kubectl finds them)',
  },
  master: { type: 'string', value: 'URL', help: 'URL of the API server, in place of the one in the kubeconfig' },
  'kube-api-qps': {
    type: 'string',
    value: 'RATE',
    help: 'Max requests a second (default: no limit)',
  },
  'kube-api-burst': { type: 'string', value: 'N', help: 'Requests at once, above --kube-api-qps (default 30)' },
});

const DEFAULT_BURST = 30;

/** The connection according to the flags. */
export interface ProgramConnection {
  readonly connection: ClusterConnection;
  readonly pace?: Pace;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The server that the flags name. */
export function serverChoice(flags: Flags): ServerChoice {
  return { kubeconfig: flags.text('kubeconfig'), server: flags.text('master'), pace: paceOf(flags) };
}

/** Finds the server. */
export async function findServer(
  { kubeconfig, server, pace, isNamed = false }: ServerChoice,
  environment: Environment,
): Promise<ProgramConnection> {
  if (isNamed && (kubeconfig ?? server ?? environment['KUBERNETES_SERVICE_HOST']) === undefined)
    throw new UsageError('--kubeconfig is needed: this program does not follow the current cluster of kubectl');
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
  /** Reports outages of the server; one for all clients of the program. */
  readonly outages: Outages;
}

/** A client with its own pace. */
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
