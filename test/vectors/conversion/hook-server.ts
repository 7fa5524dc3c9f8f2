import { createPrivateKey, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CryptoRandom } from '../../../src/base/index.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../../../src/wire/certificates/index.ts';
import type { Review } from './hook-answer.ts';
import type { HookPlace, Scenario } from './scenario.ts';

const YEAR_MS = 365 * 24 * 3600 * 1000;
const VALID = [Date.UTC(2026, 0, 1), Date.UTC(2099, 0, 1)] as const;
const EXPIRED = [Date.UTC(2020, 0, 1), Date.UTC(2021, 0, 1)] as const;
const FUTURE = [Date.UTC(2090, 0, 1), Date.UTC(2091, 0, 1)] as const;
const random = new CryptoRandom();

class Authority {
  readonly certificate: string;
  readonly #key = createPrivateKey(newPrivateKey());
  readonly #subject: { readonly commonName: string };

  constructor(commonName: string) {
    this.#subject = { commonName };
    this.certificate = this.#sign({ usage: 'authority' }, this.#key, [Date.UTC(2019, 0, 1), VALID[1] + YEAR_MS]);
  }

  issue(names: readonly string[], period: readonly [number, number]): { readonly cert: string; readonly key: string } {
    const key = newPrivateKey();
    return { cert: this.#sign({ usage: 'server', names }, createPrivateKey(key), period), key };
  }

  #sign(
    request: { readonly usage: 'authority' | 'server'; readonly names?: readonly string[] },
    key: ReturnType<typeof createPrivateKey>,
    [notBefore, notAfter]: readonly [number, number],
  ): string {
    const subject = request.usage === 'authority' ? this.#subject : { commonName: 'webhook' };
    const issuer = selfIssuer(this.#subject, this.#key);
    return issueCertificate({ ...request, subject, notBefore, notAfter }, createPublicKey(key), { issuer, random });
  }
}

/** `webhook` of a definition's conversion. */
export interface WebhookConversion {
  readonly conversionReviewVersions: readonly string[];
  readonly clientConfig: Record<string, unknown>;
}

/** Servers of webhooks, one for each way in which TLS can go wrong; which scenario is played is in the path. */
export class HookServers implements AsyncDisposable {
  readonly #authority = new Authority('hook authority');
  readonly #other = new Authority('other authority');
  readonly #servers = new Map<string, Server | ReturnType<typeof createHttpServer>>();
  readonly #scenarios: ReadonlyMap<string, Scenario>;
  /** Reviews that have been received, by scenario. */
  readonly received = new Map<string, Review[]>();
  #heard: (() => void)[] = [];

  static async start(scenarios: readonly Scenario[]): Promise<HookServers> {
    const servers = new HookServers(scenarios);
    await servers.#listen();
    return servers;
  }

  private constructor(scenarios: readonly Scenario[]) {
    this.#scenarios = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  }

  conversionOf({ name, place = 'good', reviewVersions = ['v1'] }: Scenario): WebhookConversion {
    return { conversionReviewVersions: reviewVersions, clientConfig: this.#clientConfig(place, name) };
  }

  /** The port at which a place is served, for taking it out of messages. */
  portOf(place: HookPlace): number {
    const address = this.#servers.get(place)?.address() as AddressInfo | undefined;
    return address?.port ?? 1;
  }

  /** Resolves when the webhook of a scenario has been called so often. */
  async calls(name: string, count: number): Promise<void> {
    while ((this.received.get(name)?.length ?? 0) < count) await new Promise<void>((wake) => this.#heard.push(wake));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers.values()) {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }
  }

  #clientConfig(place: HookPlace, name: string): Record<string, unknown> {
    const bundle = (authority: Authority): string => Buffer.from(authority.certificate).toString('base64');
    const caBundle = bundle(this.#authority);
    const service = { namespace: 'default', path: `/${name}`, port: 8443 };
    const url = (host: string): string => `https://${host}:${this.portOf(place)}/${name}`;
    switch (place) {
      case 'other authority':
        return { url: `https://localhost:${this.portOf('good')}/${name}`, caBundle: bundle(this.#other) };
      case 'no authority':
        return { url: `https://localhost:${this.portOf('good')}/${name}` };
      case 'other address':
        return { url: url('127.0.0.1'), caBundle };
      case 'no service':
        return { service: { ...service, name: 'missing' }, caBundle };
      case 'service without port':
        return { service: { ...service, name: 'hook', port: 443 }, caBundle };
      case 'service without endpoints':
        return { service: { ...service, name: 'hook' }, caBundle };
      case 'external service':
        return { service: { ...service, name: 'external' }, caBundle };
      default:
        return { url: url('localhost'), caBundle };
    }
  }

  async #listen(): Promise<void> {
    const handle = (request: IncomingMessage, response: ServerResponse): void => void this.#handle(request, response);
    const secure = (names: readonly string[], period: readonly [number, number] = VALID): Server =>
      createServer(this.#authority.issue(names, period), handle as RequestListener);
    this.#servers.set('good', secure(['localhost']));
    this.#servers.set('other name', secure(['example.com', '*.example.org']));
    this.#servers.set('other address', secure(['127.0.0.2']));
    this.#servers.set('expired', secure(['localhost'], EXPIRED));
    this.#servers.set('not yet valid', secure(['localhost'], FUTURE));
    this.#servers.set('plain http', createHttpServer(handle));
    for (const server of this.#servers.values()) {
      server.on('clientError', (_error, socket) => socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n'));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const name = new URL(request.url ?? '', 'https://hook').pathname.slice(1);
    const body = Buffer.concat(chunks).toString();
    const review = (body === '' ? { apiVersion: '', request: { uid: '', objects: [] } } : JSON.parse(body)) as Review;
    this.received.set(name, [...(this.received.get(name) ?? []), review]);
    for (const wake of this.#heard.splice(0)) wake();
    const answer = this.#scenarios.get(name)?.answer;
    if (answer === undefined) response.writeHead(404).end();
    else answer(review, response, request);
  }
}
