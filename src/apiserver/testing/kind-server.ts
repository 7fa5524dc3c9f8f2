import { builtInTypes } from '../../api/index.ts';
import { discardLogger, MetricRegistry, RandomUidSource, SeededRandom, VirtualClock } from '../../base/index.ts';
import { builtInResources } from '../../resources/index.ts';
import { openMemoryStore } from '../../store/index.ts';
import type { Answer } from '../answers/answer.ts';
import { ApiServer } from '../api-server.ts';
import { DiscoveryPaths } from '../discovery/discovery-paths.ts';
import { OpenApiPaths } from '../discovery/openapi-paths.ts';
import { RootPath } from '../discovery/root-path.ts';
import { ServedApi } from '../discovery/served-api.ts';
import { certificateAuthenticator } from '../stages/authenticate.ts';
import { mastersAuthorizer } from '../access/fixed-authorizer.ts';
import { ServerObjects } from '../objects/server-objects.ts';
import { jsonStorage } from '../storage/storage-codec.ts';
import { inProcessCall } from '../transport/in-process-call.ts';

export interface Received {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came back
  json(): any;
}

interface Request {
  readonly accept?: string;
  readonly ifNoneMatch?: string;
  readonly type?: string;
  readonly body?: unknown;
}

const ADMIN = { commonName: 'admin', organizations: ['system:masters'] };

/** An API server with its discovery and OpenAPI, and the stable kinds of the groups `apps` and the core: others come and go. */
export class KindServer implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly server: ApiServer;
  readonly #store = openMemoryStore({ clock: this.clock });

  constructor() {
    const types = builtInTypes();
    const random = new SeededRandom(1);
    const objects = new ServerObjects({
      store: this.#store,
      codecFor: ({ storage }) => jsonStorage(storage.type),
      shared: new WeakMap(),
      clock: this.clock,
      log: discardLogger,
    });
    this.server = new ApiServer({
      objects,
      types,
      clock: this.clock,
      random,
      uids: new RandomUidSource(random),
      log: discardLogger,
      metrics: new MetricRegistry(),
      authenticators: [certificateAuthenticator],
      authorizer: mastersAuthorizer,
      admission: [],
    });
    const builtIn = builtInResources(types, { objects, random });
    this.server.registry.register(builtIn.filter(({ group }) => group === '' || group === 'apps'));
    const served = new ServedApi(this.server.registry);
    this.server.addPaths(new DiscoveryPaths(served, this.server.documents, () => '192.0.2.1:6443'));
    this.server.addPaths(new OpenApiPaths(served, types));
    this.server.addPaths(new RootPath(served));
  }

  async send(method: string, path: string, request: Request = {}): Promise<Received> {
    const { answer, call } = await this.answer(method, path, request);
    const { code, headers, body } = this.server.encode(answer, call);
    const pieces: Uint8Array[] = [];
    if (body instanceof Uint8Array) pieces.push(body);
    else for await (const piece of body) pieces.push(piece);
    const whole = Buffer.concat(pieces);
    return { code, headers, body: whole, json: () => JSON.parse(whole.toString()) };
  }

  get(path: string, request: Request = {}): Promise<Received> {
    return this.send('GET', path, request);
  }

  /** Before it is encoded, so that it can be recognized. */
  async answer(
    method: string,
    path: string,
    { accept, ifNoneMatch, type = 'application/json', body }: Request = {},
  ): Promise<{ readonly answer: Answer; readonly call: ReturnType<typeof inProcessCall> }> {
    const call = inProcessCall({
      method,
      path,
      headers: {
        'content-type': type,
        'user-agent': 'test',
        ...(accept === undefined ? {} : { accept }),
        ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
      },
      body: body === undefined ? '' : JSON.stringify(body),
      certificate: ADMIN,
      clock: this.clock,
    });
    return { answer: await this.server.answer(call), call };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }
}
