import { builtInResources } from '../../resources/index.ts';
import type { Answer } from '../answers/answer.ts';
import { DiscoveryPaths, RootPath } from '../discovery/discovery-paths.ts';
import { OpenApiPaths } from '../discovery/openapi-paths.ts';
import { ServedApi } from '../discovery/served-api.ts';
import { bytesOf, MemoryServer, type TestRequest } from './memory-server.ts';

interface Received {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came back
  json(): any;
}

/** An API server with discovery and OpenAPI, and the stable kinds of `apps` and the core group; tests add and remove others. */
export class KindServer extends MemoryServer {
  constructor() {
    super();
    const { types, objects, random, clock, server } = this;
    const builtIn = builtInResources(types, { objects, random, clock });
    server.registry.register(builtIn.filter(({ group }) => group === '' || group === 'apps'));
    const served = new ServedApi(server.registry);
    server.addPaths(new DiscoveryPaths(served, server.documents, () => '192.0.2.1:6443'));
    server.addPaths(new OpenApiPaths(served, types));
    server.addPaths(new RootPath(served));
  }

  async send(method: string, path: string, request: TestRequest = {}): Promise<Received> {
    const call = this.callOf(method, path, request);
    const encoded = this.server.encode(await this.server.answer(call), call);
    const body = await bytesOf(encoded);
    return { code: encoded.code, headers: encoded.headers, body, json: () => JSON.parse(body.toString()) };
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
    return this.send('GET', path, { headers });
  }

  /** The answer before it is encoded. */
  async answer(method: string, path: string): Promise<Answer> {
    return this.server.answer(this.callOf(method, path));
  }
}
