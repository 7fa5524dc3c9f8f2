import { type AdmissionPlugin, StoredObject } from '../../../src/apiserver/index.ts';
import { MemoryServer } from '../../../src/apiserver/testing/memory-server.ts';
import { builtInResources } from '../../../src/resources/index.ts';
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
export class TestServer extends MemoryServer {
  constructor() {
    super({ startMs: START * 1000, seed: 'vectors', admission: () => [claimProtection, notReadyTaint] });
    const { types, objects, random, clock } = this;
    this.server.registry.register(builtInResources(types, { objects, random, clock, serviceCidrs: ['10.0.0.0/16'] }));
  }

  async send(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly type?: string; readonly userAgent?: string } = {},
  ): Promise<Reply> {
    const { body, type, userAgent = 'vectors' } = options;
    const call = this.callOf(method, path, { body, type, headers: { 'user-agent': userAgent } });
    const answer = await this.server.answer(call);
    const warnings = call.record.warnings.texts;
    if (answer.type === 'status') return { code: answer.status.code, body: { ...answer.status }, warnings };
    if (answer.type !== 'object') throw new Error(`Unexpected answer: ${answer.type}`);
    const object = answer.object instanceof StoredObject ? answer.object.as(answer.resource) : answer.object;
    return { code: answer.code, body: JSON.parse(JSON.stringify(object)) as Record<string, unknown>, warnings };
  }
}
