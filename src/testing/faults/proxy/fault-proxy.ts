import { createPrivateKey, createPublicKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { StatusError } from '../../../api/client.ts';
import { type Clock, CryptoRandom, type Duration, millisecondsOf, SeededRandom } from '../../../base/index.ts';
import {
  Client,
  type ClusterConnection,
  HttpTransport,
  impersonationHeaders,
  type Transport,
  type TransportRequest,
  withSend,
} from '../../../client/index.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../../../wire/certificates/index.ts';
import { type ServingCertificate, TlsListener } from '../../../wire/listen/index.ts';
import type { ResourceRequest } from '../../resource-request.ts';
import type { ActiveFault, Fault, RequestFault } from '../fault.ts';
import { FaultRules } from '../fault-rules.ts';
import type { Sender } from '../fault-target.ts';
import { faultTransport } from '../fault-transport.ts';
import { giveLease } from '../take-lease.ts';
import { olderLists } from './older-lists.ts';
import { endWith, passUpgrade } from './pass-upgrade.ts';
import { passRequest, sendStatus } from './pass-request.ts';
import { watchesInLines } from './watch-lines.ts';

/** A fault in front of any cluster; with `every`, it begins again each time that this long has passed. */
export type ProxiedFault = Fault & { readonly every?: Duration };

/** A fault that was injected. */
export interface Injection {
  readonly atMs: number;
  readonly fault: RequestFault;
  /** Such as `update deployments.apps default/web`. */
  readonly request: string;
  /** The program that sent it, by its User-Agent. */
  readonly program: string;
}

export interface FaultProxyOptions {
  readonly connection: ClusterConnection;
  readonly faults: readonly ProxiedFault[];
  /** Decides which requests faults meet that have a probability. */
  readonly seed: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly clock: Clock;
  readonly onInjection: (injection: Injection) => void;
}

const LIMITS = {
  maxConnections: 5_000,
  headersTimeoutMs: 30_000,
  idleTimeoutMs: 120_000,
  handshakeTimeoutMs: 10_000,
  maxHeaderBytes: 65_536,
  replacesIdle: true,
};
const NAME = 'keelson-faults';
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const HOST = '127.0.0.1';

/**
 * Stands in front of any API server, with the credentials of a connection, and injects faults into what its clients ask.
 *
 * Clients need its certificate and token, which `kubeconfig` has. Disposing closes all connections.
 */
export class FaultProxy implements AsyncDisposable {
  readonly #options: FaultProxyOptions;
  readonly #server: HttpTransport;
  readonly #impersonation: TransportRequest['headers'];
  readonly #faulty: Transport;
  readonly #client: Client;
  readonly #rules: FaultRules;
  readonly #listener: TlsListener;
  readonly #certificate: ServingCertificate;
  readonly #token = randomBytes(24).toString('base64url');
  readonly #end = new AbortController();

  private constructor(options: FaultProxyOptions) {
    const { connection, clock, seed } = options;
    this.#options = options;
    this.#server = new HttpTransport(connection, { clock });
    const { impersonate } = connection;
    this.#impersonation = impersonate === undefined ? {} : impersonationHeaders(impersonate);
    const own = withSend(this.#server, (sent) =>
      this.#server.send({ ...sent, headers: { ...sent.headers, ...this.#impersonation } }),
    );
    const tools = { clock, random: new CryptoRandom(), userAgent: NAME, onWarning: () => undefined };
    this.#client = new Client(own, tools);
    this.#rules = new FaultRules(new SeededRandom(`${seed} faults`), () => olderLists(own));
    this.#rules.onStrike = (fault, sender, request) => this.#tell(fault, sender, request);
    this.#faulty = faultTransport(watchesInLines(own), {
      rules: this.#rules,
      clock,
      user: '',
      groups: [],
      programOf,
      takeLease: (request, holder) => giveLease(this.#client, request, holder),
    });
    this.#certificate = selfSigned(clock);
    this.#listener = new TlsListener({
      clock,
      limits: LIMITS,
      serving: this.#certificate,
      http1: {
        request: (message, response) => {
          if (this.#isKnown(message)) void passRequest(message, response, this.#faulty);
          else sendStatus(response, new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' }));
        },
        upgrade: (message, socket, first) => {
          if (this.#isKnown(message))
            void passUpgrade({ message, socket, first, headers: this.#impersonation }, this.#server);
          else endWith(socket, 401, 'Unauthorized');
        },
      },
    });
  }

  /** Opens the port, and begins with the faults. */
  static async open(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    try {
      for (const fault of options.faults) proxy.#begin(fault);
      await proxy.#listener.open(HOST, options.port);
      return proxy;
    } catch (error) {
      await proxy[Symbol.asyncDispose]();
      throw error;
    }
  }

  get url(): string {
    return `https://${HOST}:${this.#listener.address.port}`;
  }

  /** A kubeconfig for clients, in JSON, which all of them read as YAML. */
  get kubeconfig(): string {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const { namespace } = this.#options.connection;
    const cluster = { server: this.url, 'certificate-authority-data': base64(this.#certificate.certificate) };
    const context = { cluster: NAME, user: NAME, ...(namespace === undefined ? {} : { namespace }) };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: NAME, cluster }],
      users: [{ name: NAME, user: { token: this.#token } }],
      contexts: [{ name: NAME, context }],
      'current-context': NAME,
    };
    return `${JSON.stringify(config, undefined, 2)}\n`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    for (const fault of this.#rules.list) fault.remove();
    await this.#listener.end();
    await this.#client[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }

  #begin({ every, ...fault }: ProxiedFault): void {
    if (every === undefined) this.#rules.add(fault);
    else void this.#repeat({ times: 1, ...fault }, millisecondsOf(every));
  }

  async #repeat(fault: Fault, everyMs: number): Promise<void> {
    const { signal } = this.#end;
    let active: ActiveFault | undefined;
    for (;;) {
      await this.#options.clock.sleep(everyMs, signal);
      active?.remove();
      if (signal.aborted) return;
      active = this.#rules.add(fault);
    }
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const given = Buffer.from(headers.authorization ?? '');
    const wanted = Buffer.from(`Bearer ${this.#token}`);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  #tell(fault: RequestFault, { program }: Sender, request: ResourceRequest): void {
    const { verb, group, resource, subresource, namespace, name } = request;
    const whole = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`;
    const key = [namespace, name].filter((each) => each !== '').join('/');
    const words = `${verb} ${whole} ${key}`.trimEnd();
    this.#options.onInjection({ atMs: this.#options.clock.now(), fault, request: words, program });
  }
}

/** The name of a program in its `User-Agent`: `manager` for `manager/v0.0.0 (linux/amd64)`. */
function programOf({ headers }: Pick<TransportRequest, 'headers'>): string {
  return String(headers['user-agent'] ?? '').split('/', 1)[0] ?? '';
}

function selfSigned(clock: Clock): ServingCertificate {
  const subject = { commonName: NAME };
  const pem = newPrivateKey();
  const key = createPrivateKey(pem);
  const now = clock.now();
  const request = {
    subject,
    usage: 'server' as const,
    names: [HOST, 'localhost'],
    notBefore: now - YEAR_MS / 365,
    notAfter: now + YEAR_MS,
  };
  const issuer = selfIssuer(subject, key);
  return {
    certificate: issueCertificate(request, createPublicKey(key), { issuer, random: new CryptoRandom() }),
    key: pem,
  };
}
