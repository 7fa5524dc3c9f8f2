import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { AbortScope, type Clock, CryptoRandom, messageOf, randomUid, RealClock } from '../../base/index.ts';
import {
  type BrokerCall,
  type BrokerClient,
  brokerClient,
  type BrokerReply,
  isJsonObject,
  type JsonObject,
  type OsbCatalog,
  type OsbPlan,
  type OsbService,
} from '../../broker/index.ts';
import { Breach, type ConformWorld, expectThat } from '../suite.ts';
import { checkFailure, objectOf, textIn } from './answers.ts';
import type { BrokerSuiteOptions } from './broker-options.ts';

const POLL_EVERY_MS = 50;
const MAX_PLANS = 4;
const MAX_OUTPUT = 4096;

/** A plan that is tried. */
export interface TriedPlan {
  readonly service: OsbService;
  readonly plan: OsbPlan;
}

/** A binding that was made. */
export interface MadeBinding {
  readonly id: string;
  readonly instance: string;
  /** The broker's answer to the request. */
  readonly reply: BrokerReply;
  /** What the request had. */
  readonly body: JsonObject;
}

/** Requests that are made again to clean up. */
interface Left {
  readonly tried: TriedPlan;
  readonly bindings: Set<string>;
}

/** What changes an instance or binding, for one path. */
export type Verb = 'provision' | 'update' | 'deprovision' | 'bind' | 'unbind';

/** Where the suite tries a broker: calls of it, and everything that was made by them. */
export class BrokerWorld implements ConformWorld {
  readonly options: BrokerSuiteOptions;
  readonly url: string;
  readonly #clock: Clock = new RealClock();
  readonly #random = new CryptoRandom();
  readonly #client: BrokerClient;
  readonly #process: ChildProcess | undefined;
  readonly #left = new Map<string, Left>();
  #catalog: OsbCatalog | undefined;

  static async open(options: BrokerSuiteOptions, signal: AbortSignal): Promise<BrokerWorld> {
    if (options.broker.type === 'url') return new BrokerWorld(options, options.broker.url, undefined);
    const port = await freePort();
    const [program = '', ...args] = options.broker.command.map((part) => part.replaceAll('{port}', String(port)));
    const child = spawn(program, args, {
      env: { ...options.environment, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const world = new BrokerWorld(options, `http://127.0.0.1:${port}`, child);
    try {
      await world.#started(child, signal);
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
    return world;
  }

  private constructor(options: BrokerSuiteOptions, url: string, process: ChildProcess | undefined) {
    const { basic, bearer, certificateAuthority } = options;
    this.options = options;
    this.url = url;
    this.#process = process;
    this.#client = brokerClient({
      url,
      clock: this.#clock,
      timeout: options.withinMs,
      ...(basic === undefined ? {} : { basic }),
      ...(bearer === undefined ? {} : { bearer }),
      ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    });
  }

  get hasCredentials(): boolean {
    return this.options.basic !== undefined || this.options.bearer !== undefined;
  }

  /** Any request. */
  send(call: BrokerCall): Promise<BrokerReply> {
    return this.#client.send(call);
  }

  /** The catalog; a case that needs it breaks when there is none. */
  async catalog(signal: AbortSignal): Promise<OsbCatalog> {
    if (this.#catalog === undefined) {
      const { status, body } = await this.#client.catalog({ signal });
      expectThat(
        status === 200 && isJsonObject(body) && Array.isArray(body['services']),
        `GET /v2/catalog has answered ${status}, and no catalog`,
      );
      this.#catalog = body as JsonObject & OsbCatalog;
    }
    return this.#catalog;
  }

  /** The plans that are tried, and fit. */
  async plans(signal: AbortSignal, fits: (tried: TriedPlan) => boolean = () => true): Promise<readonly TriedPlan[]> {
    const { services } = await this.catalog(signal);
    const all = services.flatMap((service) => service.plans.map((plan) => ({ service, plan })));
    const wanted = this.options.plans;
    const nameOf = ({ service, plan }: TriedPlan): string => `${service.name}/${plan.name}`;
    const chosen = wanted.length === 0 ? all.slice(0, MAX_PLANS) : all.filter((each) => wanted.includes(nameOf(each)));
    const missing = wanted.find((each) => !chosen.some((tried) => nameOf(tried) === each));
    if (missing !== undefined) throw new Breach(`the catalog has no plan "${missing}"`);
    return chosen.filter(fits);
  }

  /** Why no plan is tried; undefined when one fits. */
  async without(signal: AbortSignal, what: string, fits: (tried: TriedPlan) => boolean): Promise<string | undefined> {
    return (await this.plans(signal, fits)).length === 0 ? `no plan ${what}` : undefined;
  }

  newId(): string {
    return randomUid(this.#random);
  }

  /** The body of a request for an instance. */
  instanceBody({ service, plan }: TriedPlan): JsonObject {
    const place = 'keelson-conform';
    return {
      service_id: service.id,
      plan_id: plan.id,
      organization_guid: place,
      space_guid: place,
      context: { platform: 'keelson-conform', organization_guid: place, space_guid: place },
      parameters: this.options.parameters,
    };
  }

  bindBody({ service, plan }: TriedPlan, app?: string): JsonObject {
    return {
      service_id: service.id,
      plan_id: plan.id,
      context: { platform: 'keelson-conform' },
      parameters: this.options.bindParameters,
      ...(app === undefined ? {} : { bind_resource: { app_guid: app } }),
    };
  }

  /** A request that may make an instance, which is removed after the case. */
  provision(
    id: string,
    tried: TriedPlan,
    { body, query = 'accepts_incomplete=true', ...call }: Sending,
  ): Promise<BrokerReply> {
    if (!this.#left.has(id)) this.#left.set(id, { tried, bindings: new Set() });
    return this.send({
      ...call,
      method: 'PUT',
      path: `${pathOf(id)}${asQuery(query)}`,
      body: body ?? this.instanceBody(tried),
    });
  }

  update(
    id: string,
    tried: TriedPlan,
    { body, query = 'accepts_incomplete=true', ...call }: Sending,
  ): Promise<BrokerReply> {
    return this.send({
      ...call,
      method: 'PATCH',
      path: `${pathOf(id)}${asQuery(query)}`,
      body: body ?? { service_id: tried.service.id },
    });
  }

  deprovision(id: string, tried: TriedPlan, { query = deleteQuery(tried), ...call }: Sending): Promise<BrokerReply> {
    return this.send({ ...call, method: 'DELETE', path: `${pathOf(id)}${asQuery(query)}` });
  }

  bind(
    id: { readonly instance: string; readonly binding: string },
    tried: TriedPlan,
    sending: Sending,
  ): Promise<BrokerReply> {
    const { body, query = 'accepts_incomplete=true', ...call } = sending;
    this.#left.get(id.instance)?.bindings.add(id.binding);
    return this.send({
      ...call,
      method: 'PUT',
      path: `${pathOf(id.instance, id.binding)}${asQuery(query)}`,
      body: body ?? this.bindBody(tried),
    });
  }

  unbind(
    id: { readonly instance: string; readonly binding: string },
    tried: TriedPlan,
    sending: Sending,
  ): Promise<BrokerReply> {
    const { query = deleteQuery(tried), ...call } = sending;
    return this.send({ ...call, method: 'DELETE', path: `${pathOf(id.instance, id.binding)}${asQuery(query)}` });
  }

  /** An instance that is there. */
  async instance(tried: TriedPlan, signal: AbortSignal, id = this.newId()): Promise<string> {
    const reply = await this.provision(id, tried, { signal });
    await this.finished('provision', reply, { path: pathOf(id), signal });
    return id;
  }

  /** A binding that is there. Services for applications get one. */
  async binding(tried: TriedPlan, signal: AbortSignal, instance?: string): Promise<MadeBinding> {
    const holder = instance ?? (await this.instance(tried, signal));
    const id = this.newId();
    let body = this.bindBody(tried);
    let reply = await this.bind({ instance: holder, binding: id }, tried, { body, signal });
    if (reply.status === 422 && objectOf(reply)['error'] === 'RequiresApp') {
      body = this.bindBody(tried, 'keelson-conform-app');
      reply = await this.bind({ instance: holder, binding: id }, tried, { body, signal });
    }
    await this.finished('bind', reply, { path: pathOf(holder, id), signal });
    return { id, instance: holder, reply, body };
  }

  /** Waits for the end of what a request has begun, which has to succeed. */
  async finished(verb: Verb, reply: BrokerReply, { path, signal }: Following): Promise<void> {
    const done = verb === 'provision' || verb === 'bind' ? [200, 201] : [200];
    if (reply.status !== 202) {
      expectThat(
        done.includes(reply.status),
        `${verb} has answered ${shown(reply)}, and not ${done.join(', ')} or 202`,
      );
      return;
    }
    const operation = textIn(reply, 'operation');
    const endMs = this.#clock.monotonic() + this.options.withinMs;
    for (;;) {
      const poll = await this.lastOperation(path, { operation, signal });
      if (poll.status === 410 && (verb === 'deprovision' || verb === 'unbind')) return;
      const state = objectOf(poll)['state'];
      if (poll.status === 200 && state === 'succeeded') return;
      expectThat(
        poll.status === 200 && state === 'in progress',
        `last_operation of ${verb} has answered ${shown(poll)}, and neither "in progress" nor "succeeded"`,
      );
      if (this.#clock.monotonic() > endMs) throw new Breach(`${verb} was not done within ${this.options.withinMs} ms`);
      await this.#clock.sleep(POLL_EVERY_MS, signal);
      signal.throwIfAborted();
    }
  }

  lastOperation(
    path: string,
    { operation, signal }: { readonly operation?: string | undefined; readonly signal: AbortSignal },
  ): Promise<BrokerReply> {
    const query = operation === undefined ? '' : `?operation=${encodeURIComponent(operation)}`;
    return this.send({ method: 'GET', path: `${path}/last_operation${query}`, signal });
  }

  get(path: string, signal: AbortSignal): Promise<BrokerReply> {
    return this.send({ method: 'GET', path, signal });
  }

  /** Whether the plan works in the background when it makes an instance: it refuses requests that do not accept that. */
  async isAsync(tried: TriedPlan, signal: AbortSignal): Promise<boolean> {
    const reply = await this.provision(this.newId(), tried, { query: '', signal });
    return reply.status === 422 && objectOf(reply)['error'] === 'AsyncRequired';
  }

  /** Removes what the case has made. Brokers that break rules may keep it. */
  async tidy(): Promise<void> {
    using scope = new AbortScope();
    using _limit = this.#clock.timer(this.options.withinMs, () => scope.abort(new Error('it was not removed in time')));
    const { signal } = scope;
    for (const [instance, { tried, bindings }] of this.#left) {
      for (const binding of bindings)
        await this.#removed('unbind', pathOf(instance, binding), signal, () =>
          this.unbind({ instance, binding }, tried, { signal }),
        );
      await this.#removed('deprovision', pathOf(instance), signal, () => this.deprovision(instance, tried, { signal }));
    }
    this.#left.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async #removed(verb: Verb, path: string, signal: AbortSignal, ask: () => Promise<BrokerReply>): Promise<void> {
    try {
      for (let tries = 0; tries < 100; tries++) {
        const reply = await ask();
        const isBusy = reply.status === 422 && objectOf(reply)['error'] === 'ConcurrencyError';
        if (!isBusy) {
          if (reply.status === 202) await this.finished(verb, reply, { path, signal });
          return;
        }
        await this.#clock.sleep(POLL_EVERY_MS, signal);
      }
    } catch {
      // the case that is about this says what is wrong
    }
  }

  async #started(child: ChildProcess, signal: AbortSignal): Promise<void> {
    let output = '';
    let ended = '';
    const add = (chunk: Buffer): void => void (output = (output + chunk.toString('utf8')).slice(-MAX_OUTPUT));
    child.stdout?.on('data', add);
    child.stderr?.on('data', add);
    child.on('error', (error) => (ended = error.message));
    child.on('exit', (code, name) => (ended = `it has ended with ${code ?? name ?? 'nothing'}`));
    const endMs = this.#clock.monotonic() + this.options.withinMs;
    for (;;) {
      signal.throwIfAborted();
      if (ended !== '') throw new Error(`Cannot start the broker: ${ended}; ${output.trim()}`);
      try {
        await this.#client.catalog({ signal });
        return;
      } catch (error) {
        if (this.#clock.monotonic() > endMs)
          throw new Error(`Cannot reach the broker: ${messageOf(error)}; ${output.trim()}`, { cause: error });
      }
      await this.#clock.sleep(POLL_EVERY_MS, signal);
    }
  }
}

/** How a request is sent. */
export interface Sending {
  readonly body?: unknown;
  /** Default the one of a good request. */
  readonly query?: string;
  readonly headers?: BrokerCall['headers'];
  readonly signal: AbortSignal;
}

interface Following {
  readonly path: string;
  readonly signal: AbortSignal;
}

export function pathOf(instance: string, binding?: string): string {
  const path = `/v2/service_instances/${encodeURIComponent(instance)}`;
  return binding === undefined ? path : `${path}/service_bindings/${encodeURIComponent(binding)}`;
}

export function deleteQuery({ service, plan }: TriedPlan): string {
  return new URLSearchParams({ service_id: service.id, plan_id: plan.id, accepts_incomplete: 'true' }).toString();
}

/** A refusal with the status; the body has to be as failures are. */
export function expectRefusal(reply: BrokerReply, statuses: readonly number[], what: string): void {
  expectThat(statuses.includes(reply.status), `${what} has answered ${shown(reply)}, and not ${statuses.join(' or ')}`);
  checkFailure(reply, what);
}

/** An answer in a sentence. */
export function shown({ status, text }: BrokerReply): string {
  const body = text.trim().slice(0, 200);
  return body === '' ? String(status) : `${status} ${body}`;
}

function asQuery(query: string): string {
  return query === '' ? '' : `?${query}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
