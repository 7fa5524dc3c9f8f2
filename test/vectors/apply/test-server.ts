import { builtInTypes } from '../../../src/api/index.ts';
import {
  type AdmissionPlugin,
  ApiServer,
  mastersAuthorizer,
  inProcessCall,
  jsonStorage,
  ServerObjects,
  StoredObject,
  certificateAuthenticator,
} from '../../../src/apiserver/index.ts';
import { discardLogger, MetricRegistry, RandomUidSource, SeededRandom, VirtualClock } from '../../../src/base/index.ts';
import { builtInResources } from '../../../src/resources/index.ts';
import { openMemoryStore } from '../../../src/store/index.ts';
import type { Reply } from './kube-client.ts';

/** When the clock of the server starts, in seconds. */
export const START = 1_750_000_000;

/** What kube-apiserver has switched on and the vectors were recorded with. */
const claimProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate(request) {
    const { object, operation, resource } = request;
    if (operation !== 'CREATE' || resource.plural !== 'persistentvolumeclaims' || object === undefined) return;
    const finalizers = object.metadata.finalizers ?? [];
    const protection = 'kubernetes.io/pvc-protection';
    if (!finalizers.includes(protection))
      object.metadata = { ...object.metadata, finalizers: [...finalizers, protection] };
  },
};

const notReadyTaint: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate(request) {
    const { object, operation, resource } = request;
    if (operation !== 'CREATE' || resource.plural !== 'nodes' || object === undefined) return;
    const spec = (object['spec'] ?? {}) as { taints?: { key: string; effect: string }[] };
    const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
    const isThere = spec.taints?.some(({ key, effect }) => key === taint.key && effect === taint.effect) === true;
    if (!isThere) object['spec'] = { ...spec, taints: [...(spec.taints ?? []), taint] };
  },
};

/** An API server with all built-in resources, in this process. */
export class TestServer implements AsyncDisposable {
  readonly clock = new VirtualClock({ startMs: START * 1000 });
  readonly #store = openMemoryStore({ clock: this.clock });
  /** Without sockets: calls go in, answers come out. */
  readonly server: ApiServer;

  constructor() {
    const types = builtInTypes();
    const random = new SeededRandom('vectors');
    const objects = new ServerObjects({
      store: this.#store,
      codecFor: ({ storage }) => jsonStorage(storage.type),
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
      admission: [claimProtection, notReadyTaint],
    });
    const resources = builtInResources(types, { objects, random, serviceCidrs: ['10.0.0.0/16'] });
    this.server.registry.register(resources);
  }

  async send(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly type?: string; readonly userAgent?: string } = {},
  ): Promise<Reply> {
    const { body, type = 'application/json', userAgent = 'vectors' } = options;
    const call = inProcessCall({
      method,
      path,
      headers: { 'content-type': type, 'user-agent': userAgent },
      body: body === undefined ? new Uint8Array() : typeof body === 'string' ? body : JSON.stringify(body),
      certificate: { commonName: 'admin', organizations: ['system:masters'] },
      clock: this.clock,
    });
    const answer = await this.server.answer(call);
    const warnings = call.warnings.texts;
    if (answer.type === 'status') return { code: answer.status.code, body: { ...answer.status }, warnings };
    if (answer.type !== 'object') throw new Error(`Unexpected answer: ${answer.type}`);
    const object = answer.object instanceof StoredObject ? answer.object.as(answer.resource) : answer.object;
    return { code: answer.code, body: JSON.parse(JSON.stringify(object)) as Record<string, unknown>, warnings };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }
}
