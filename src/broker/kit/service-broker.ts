import {
  aborted,
  CryptoRandom,
  discardLogger,
  DisposeStack,
  LineLogger,
  type Logger,
  millisecondsOf,
  RealClock,
} from '../../base/index.ts';
import { StopSignals } from '../../kit/index.ts';
import type { OsbCatalog } from '../protocol/osb.ts';
import { memoryRecords } from '../records/broker-records.ts';
import { BindingVerbs } from './binding-verbs.ts';
import type { BrokerAnswer } from './broker-answer.ts';
import { type CatalogDefinition, OfferedCatalog } from './broker-catalog.ts';
import type { BrokerDefinition } from './broker-definition.ts';
import { type BrokerRequest, BrokerRoutes } from './broker-routes.ts';
import { BrokerServer, type BrokerServing } from './broker-server.ts';
import { InstanceStore } from './instance-store.ts';
import { InstanceVerbs } from './instance-verbs.ts';
import { VerbRunner } from './verb-runner.ts';

/**
 * A service broker (Open Service Broker API 2.17) from a catalog and a few functions, whose parameters have the types of the catalog's
 * schemas. What the specification asks for beside them is done here: repeated requests, work in the background, conflicts, versions.
 *
 * Throws a TypeError for a catalog that the specification forbids.
 *
 * Example: `await serviceBroker({ catalog, provision, deprovision, bind }).run({ port: 8080, access: { basic: { platform: secret } } })`
 */
export function serviceBroker<const C extends CatalogDefinition>(definition: BrokerDefinition<C>): ServiceBroker;
export function serviceBroker(definition: BrokerDefinition): ServiceBroker {
  return new ServiceBroker(definition);
}

/** A broker that is open: it answers, and works in the background. */
export interface OpenBroker extends AsyncDisposable {
  /** Answers a request whose credentials were checked. */
  answer(request: BrokerRequest): Promise<BrokerAnswer>;
}

/** The broker that `serviceBroker()` makes. */
export class ServiceBroker {
  /** As platforms get it. */
  readonly catalog: OsbCatalog;
  readonly #definition: BrokerDefinition;
  readonly #offered: OfferedCatalog;

  constructor(definition: BrokerDefinition) {
    const abilities = { canUpdate: definition.update !== undefined, canBind: definition.bind !== undefined };
    this.#definition = definition;
    this.#offered = new OfferedCatalog(definition.catalog, abilities);
    this.catalog = this.#offered.wire;
  }

  /** Opens it without a port: for programs that have one already, and for tests. Goes on with work that a former process has begun. */
  async open(
    log: Logger = this.#definition.log ?? discardLogger,
  ): Promise<OpenBroker & { readonly routes: BrokerRoutes }> {
    const {
      records = memoryRecords(),
      clock = new RealClock(),
      random = new CryptoRandom(),
      pollEvery = '5s',
    } = this.#definition;
    const store = new InstanceStore(records);
    const runner = new VerbRunner({ log, random });
    const parts = { definition: this.#definition, catalog: this.#offered, store, runner };
    const bindings = new BindingVerbs(parts, clock);
    const instances = new InstanceVerbs(parts, bindings);
    for (const record of await store.load()) {
      for (const binding of Object.values(record.bindings)) await bindings.resume(record.id, binding);
      await instances.resume(store.get(record.id) ?? record);
    }
    const pollEveryMs = millisecondsOf(pollEvery);
    const routes = new BrokerRoutes({
      catalog: this.catalog,
      instances,
      bindings,
      startedAtMs: clock.now(),
      pollEveryMs,
    });
    return {
      routes,
      answer: (request) => routes.answer(request),
      [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
    };
  }

  /** Serves it on a port until the result is disposed. */
  async listen(
    serving: BrokerServing,
    log: Logger = this.#definition.log ?? discardLogger,
  ): Promise<AsyncDisposable & { readonly url: string }> {
    const { clock = new RealClock() } = this.#definition;
    await using opening = new DisposeStack();
    const { routes } = opening.use(await this.open(log));
    const { url } = opening.use(await BrokerServer.open(serving, { routes, clock, log }));
    const open = opening.move();
    return { url, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() };
  }

  /** Serves it until the process is asked to stop, or the signal aborts; logs to standard error by default. */
  async run(serving: BrokerServing, signal?: AbortSignal): Promise<void> {
    using stop = new StopSignals();
    const {
      clock = new RealClock(),
      log = new LineLogger({ clock, level: 'info', write: (line) => void process.stderr.write(line) }),
    } = this.#definition;
    await using server = await this.listen(serving, log);
    log.info('the broker listens', { url: server.url });
    await Promise.race([aborted(stop.signal), ...(signal === undefined ? [] : [aborted(signal)])]);
  }
}
