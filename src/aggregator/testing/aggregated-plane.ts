// A control plane with a port, behind which tests put their own servers.
import type { APIServiceCondition } from '../../api/types/apiregistration/v1.d.ts';
import { CryptoRandom, LineLogger, RealClock, VirtualClock } from '../../base/index.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../../cluster/index.ts';
import { HttpClient, type HttpExchange, type HttpRequest } from '../../wire/http/index.ts';
import { API_SERVICES, API_SERVICES_PATH, availabilityOf, type StoredApiService } from '../registered-service.ts';
import { backendAuthority } from './backend-server.ts';

export const FLUNDERS_NAME = 'v1alpha1.wardle.example.com';
export const FLUNDERS_PATH = '/apis/wardle.example.com/v1alpha1';

type ServiceSpec = Partial<StoredApiService['spec']>;

export interface Received {
  readonly status: number;
  readonly headers: HttpExchange['headers'];
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came back
  json(): any;
}

/** The control plane, and an administrator's connections to it. */
export class AggregatedPlane implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly clock: VirtualClock;
  readonly problems: readonly string[];
  readonly http: HttpClient;
  readonly #stop: AbortController;

  static async start(options: Partial<ControlPlaneOptions> = {}): Promise<AggregatedPlane> {
    const clock = new VirtualClock({ startMs: new RealClock().now() });
    const stop = new AbortController();
    const problems: string[] = [];
    const plane = await startControlPlane({
      name: 'test',
      storage: { type: 'memory' },
      runtimeConfig: new Map(),
      serviceCidrs: ['10.96.0.0/16'],
      clock,
      certificateClock: new RealClock(),
      random: new CryptoRandom(),
      log: new LineLogger({ clock, level: 'warn', write: (line) => problems.push(line) }),
      signal: stop.signal,
      ...options,
      serving: { listen: { host: '127.0.0.1', port: 0 }, ...options.serving },
    });
    return new AggregatedPlane(plane, { clock, problems, stop });
  }

  private constructor(
    plane: ControlPlane,
    parts: { readonly clock: VirtualClock; readonly problems: readonly string[]; readonly stop: AbortController },
  ) {
    const { access } = plane;
    this.plane = plane;
    this.clock = parts.clock;
    this.problems = parts.problems;
    this.#stop = parts.stop;
    this.http = new HttpClient({
      target: { server: new URL(access.server) },
      authorities: async () => access.certificateAuthority,
      certificate: { certificate: access.client.certificate, key: access.client.privateKey },
      clock: new RealClock(),
    });
  }

  /** Registers flunders, served by the server at this local port; resolves when the first check is done. */
  async register(port: number, spec: ServiceSpec = {}): Promise<APIServiceCondition> {
    const { self } = this.plane.server;
    await self.ensure('/api/v1/namespaces', { metadata: { name: 'wardle' } });
    const service = { metadata: { name: 'api' }, spec: { type: 'ExternalName', externalName: 'localhost' } };
    await self.ensure('/api/v1/namespaces/wardle/services', service);
    await self.create(API_SERVICES_PATH, apiService({ service: { namespace: 'wardle', name: 'api', port }, ...spec }));
    return this.availability(() => true);
  }

  /** The condition Available of an APIService, once it is as expected. */
  availability(
    isRight: (condition: APIServiceCondition) => boolean,
    name = FLUNDERS_NAME,
  ): Promise<APIServiceCondition> {
    const objects = this.plane.server.objects.of<StoredApiService>(API_SERVICES.group, API_SERVICES.plural);
    return new Promise((resolve) => {
      const subscription = objects.onChange(({ current }) => {
        const condition = current?.metadata.name === name ? availabilityOf(current) : undefined;
        if (condition === undefined || !isRight(condition)) return;
        setImmediate(() => subscription[Symbol.dispose]());
        resolve(condition);
      });
    });
  }

  send(request: Partial<HttpRequest> & { readonly path: string }): Promise<HttpExchange> {
    return this.http.request({ method: 'GET', headers: {}, signal: new AbortController().signal, ...request });
  }

  async get(path: string, request: Partial<HttpRequest> = {}): Promise<Received> {
    const { status, headers, chunks } = await this.send({ path, ...request });
    const pieces: Uint8Array[] = [];
    for await (const chunk of chunks) pieces.push(chunk);
    const text = Buffer.concat(pieces).toString();
    return { status, headers, text, json: () => JSON.parse(text) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.http.destroy();
    this.#stop.abort();
    await this.plane[Symbol.asyncDispose]();
  }
}

function apiService(spec: ServiceSpec): object {
  const trust = spec.insecureSkipTLSVerify === true ? {} : { caBundle: backendAuthority };
  const version = { group: 'wardle.example.com', version: 'v1alpha1' };
  const priorities = { groupPriorityMinimum: 1000, versionPriority: 15 };
  return { metadata: { name: FLUNDERS_NAME }, spec: { ...version, ...priorities, ...trust, ...spec } };
}
