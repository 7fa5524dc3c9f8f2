import { type Clock, type Logger, type Random, TurnBudget } from '../base/index.ts';
import { Client, ClientMetrics, type Transport } from '../client/index.ts';
import type { ControlPlane } from './control-plane.ts';
import { noObjects } from './no-objects.ts';
import type { Identity } from './in-process-client.ts';
import { InProcessTransport } from './in-process-transport.ts';
import { ProgramTurns } from './program-turns.ts';

/** Puts something between a program of the cluster and the server. */
export type WrapTransport = (
  transport: Transport,
  context: { readonly program: string; readonly identity: Identity; readonly clock: Clock },
) => Transport;

interface ProgramClientsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly wrapTransport?: WrapTransport;
}

/** The clients of the cluster's programs, one for each program and identity. All together leave time for the clients of others. */
export class ProgramClients implements AsyncDisposable {
  readonly metrics = new ClientMetrics();
  readonly #plane: Pick<ControlPlane, 'server' | 'programs' | 'types'>;
  readonly #options: ProgramClientsOptions;
  readonly #budget: TurnBudget;
  readonly #turns = new Map<string, ProgramTurns>();
  readonly #clients = new Map<string, Client>();

  constructor(plane: Pick<ControlPlane, 'server' | 'programs' | 'types'>, options: ProgramClientsOptions) {
    this.#plane = plane;
    this.#options = options;
    this.#budget = new TurnBudget(options.clock);
  }

  of(program: string, identity: Identity): Client {
    const key = JSON.stringify([program, identity]);
    const known = this.#clients.get(key) ?? this.#make(program, identity);
    this.#clients.set(key, known);
    return known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients.values()) await client[Symbol.asyncDispose]();
  }

  #make(program: string, identity: Identity): Client {
    const { clock, random, log, wrapTransport = (transport) => transport } = this.#options;
    const { server, programs, types } = this.#plane;
    const certificate = programs.certificateOf(identity);
    const direct = new InProcessTransport(server, { clock, certificate, turns: this.#turnsOf(program) });
    const transport = this.metrics.meter(direct, { host: 'in-process', clock });
    const own = log.with({ program });
    return new Client(wrapTransport(transport, { program, identity, clock }), {
      clock,
      random,
      log: own,
      userAgent: program,
      sourceOf: (kind) => (types.isOfOtherVersion(kind) ? noObjects : undefined),
      onWarning: ({ text, request }) => own.debug('server warns', { text, request }), // about kinds we must serve all the same
    });
  }

  #turnsOf(program: string): ProgramTurns {
    const known = this.#turns.get(program) ?? new ProgramTurns(this.#budget);
    this.#turns.set(program, known);
    return known;
  }
}
