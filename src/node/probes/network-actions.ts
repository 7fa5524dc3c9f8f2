// Probes and hooks of containers that run on this node: a command in the container, or a connection to it.
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { AbortScope, type Clock, messageOf } from '../../base/index.ts';
import { goTransportWords } from '../../wire/http/index.ts';
import { checkGrpcHealth } from './grpc-health.ts';
import { callHook, probeHttp } from './http-action.ts';
import { ExpansionBudget, expandVariables } from '../config/index.ts';
import {
  type ActionExecutor,
  type ActionOptions,
  type ActionOutcome,
  type ActionTarget,
  type ContainerAction,
  type ContainerReadiness,
  RuntimeError,
  type RuntimeService,
} from '../runtime/index.ts';

const MAX_OUTPUT = 10 * 1024;
const READY: ContainerReadiness = { isStarted: true, isReady: true };

export class NetworkActions implements ActionExecutor {
  readonly #runtime: Pick<RuntimeService, 'execSync'>;
  readonly #clock: Clock;

  constructor(runtime: Pick<RuntimeService, 'execSync'>, clock: Clock) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  /** A container without probes has started, and is ready, as soon as it runs. */
  readiness(): ContainerReadiness {
    return READY;
  }

  async run(action: ContainerAction, target: ActionTarget, options: ActionOptions): Promise<ActionOutcome> {
    const { exec, httpGet, tcpSocket, grpc } = action;
    if (exec !== undefined) return this.#exec(exec.command ?? [], target, options);
    if (httpGet !== undefined) {
      const isHook = target.purpose === 'postStart' || target.purpose === 'preStop';
      const port = portNumber(httpGet.port, target);
      const to = { podIp: target.podIp, port, purpose: isHook ? 'lifecycle' : 'probe' } as const;
      return this.#within(options, (signal) => (isHook ? callHook : probeHttp)(httpGet, to, signal));
    }
    if (tcpSocket !== undefined) {
      const { host = target.podIp, port } = tcpSocket;
      const number = portNumber(port, target);
      return this.#within(options, (signal) => dial(host, number, signal));
    }
    if (grpc !== undefined) {
      const address = { host: target.podIp, port: grpc.port, service: grpc.service ?? '' };
      return this.#within(options, (signal) => checkGrpcHealth(address, this.#clock, signal));
    }
    throw new Error(`missing probe handler for container ${target.container.name}`);
  }

  async #exec(
    command: readonly string[],
    { containerId, container }: ActionTarget,
    { timeoutMs, signal }: ActionOptions,
  ): Promise<ActionOutcome> {
    const values = new Map((container.env ?? []).map(({ name, value = '' }) => [name, value]));
    const budget = new ExpansionBudget();
    const cmd = command.map((word) => expandVariables(word, (name) => values.get(name), budget));
    try {
      const limits = { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
      const { exitCode, stdout, stderr } = await this.#runtime.execSync(containerId, cmd, limits);
      const output = Buffer.concat([stdout, stderr]).subarray(0, MAX_OUTPUT).toString();
      return { result: exitCode === 0 ? 'success' : 'failure', output };
    } catch (error) {
      if (error instanceof RuntimeError && error.reason === 'DeadlineExceeded') return failure(error);
      throw error;
    }
  }

  /** Fails an action that takes too long. */
  async #within(
    { timeoutMs, signal }: ActionOptions,
    work: (signal: AbortSignal) => Promise<ActionOutcome>,
  ): Promise<ActionOutcome> {
    using scope = new AbortScope(signal);
    const late = new Error('context deadline exceeded');
    using _timer = timeoutMs === undefined ? undefined : this.#clock.timer(timeoutMs, () => scope.abort(late));
    try {
      return await work(scope.signal);
    } catch (error) {
      return failure(scope.signal.reason === late ? late : error);
    }
  }
}

function failure(error: unknown): ActionOutcome {
  return { result: 'failure', output: messageOf(error) };
}

function portNumber(port: number | string, { container }: ActionTarget): number {
  const named = container.ports?.find(({ name }) => name === port)?.containerPort;
  const number = named ?? Number(port);
  if (Number.isInteger(number) && number > 0 && number < 65_536) return number;
  throw new Error(`invalid port number: ${port}`);
}

function dial(host: string, port: number, signal: AbortSignal): Promise<ActionOutcome> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.once('error', (error) => reject(new Error(goTransportWords(error, JSON.stringify), { cause: error })));
    socket.once('connect', () => {
      socket.destroy();
      resolve({ result: 'success', output: '' });
    });
  });
}
