import { builtInTypes, type TypeTable } from '../../api/index.ts';
import {
  discardLogger,
  type KubernetesVersion,
  MetricRegistry,
  type Random,
  RandomUidSource,
  SeededRandom,
  VirtualClock,
} from '../../base/index.ts';
import { openMemoryStore } from '../../store/index.ts';
import { mastersAuthorizer } from '../access/authorizer.ts';
import type { AdmissionPlugin } from '../admission/admission.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import { ApiServer } from '../api-server.ts';
import { ServerObjects } from '../objects/server-objects.ts';
import { certificateAuthenticator } from '../stages/authenticate.ts';
import { jsonStorage } from '../storage/storage-codec.ts';
import { inProcessCall } from '../transport/in-process-call.ts';

interface MemoryServerOptions {
  readonly startMs?: number;
  /** Default: that of `builtInTypes`. */
  readonly kubernetesVersion?: KubernetesVersion;
  readonly seed?: number | string;
  /** Used instead of a seed. */
  readonly random?: Random;
  admission?(server: MemoryServer): readonly AdmissionPlugin[];
}

/** A request of an administrator; a body that is not a string is sent as JSON. */
export interface TestRequest {
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An API server without kinds, with a store in memory and without sockets. */
export class MemoryServer implements AsyncDisposable {
  readonly types: TypeTable;
  readonly clock;
  readonly random: Random;
  readonly store;
  readonly objects: ServerObjects;
  readonly server: ApiServer;

  constructor(options: MemoryServerOptions = {}) {
    const { startMs, kubernetesVersion, seed = 1, random: given, admission = () => [] } = options;
    this.types = builtInTypes(kubernetesVersion);
    this.clock = new VirtualClock(startMs === undefined ? {} : { startMs });
    this.random = given ?? new SeededRandom(seed);
    this.store = openMemoryStore({ clock: this.clock });
    const { types, clock, random, store } = this;
    const log = discardLogger;
    const codecFor: ConstructorParameters<typeof ServerObjects>[0]['codecFor'] = ({ storage }) =>
      jsonStorage(storage.type, storage.typeOf);
    this.objects = new ServerObjects({ store, codecFor, shared: new WeakMap(), clock, log });
    this.server = new ApiServer({
      objects: this.objects,
      types,
      clock,
      random,
      uids: new RandomUidSource(random),
      log,
      metrics: new MetricRegistry(),
      authenticators: [certificateAuthenticator],
      authorizer: mastersAuthorizer,
      admission: admission(this),
    });
  }

  /** Writes an object as the server itself. */
  readonly update = (path: string, object: object): Promise<void> => this.server.self.update(path, object);

  callOf(method: string, path: string, { body = '', type = 'application/json', headers }: TestRequest = {}) {
    return inProcessCall({
      method,
      path,
      headers: { 'content-type': type, 'user-agent': 'test', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      certificate: { commonName: 'admin', organizations: ['system:masters'] },
      clock: this.clock,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
  }
}

/** All bytes of an answer. */
export async function bytesOf({ body }: EncodedAnswer): Promise<Buffer> {
  if (body instanceof Uint8Array) return Buffer.from(body);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
