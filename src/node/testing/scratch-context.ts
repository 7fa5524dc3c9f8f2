import { discardLogger, LineLogger, MetricRegistry } from '../../base/index.ts';
import { type Client, InformerFactory, WorkQueueMetrics, type Kind, type KubernetesObject, type InformerScope } from '../../client/index.ts';
import { FreshObjects } from '../../kit/cache/fresh-objects.ts';
import type { AppContext, Part } from '../../kit/index.ts';
void LineLogger;
export function runPart(client: Client, part: Part, signal: AbortSignal) {
  const factory = new InformerFactory(client);
  const events: string[] = [];
  const cache = new Map<string, unknown>();
  const metrics = new MetricRegistry();
  const context = {
    name: 'kubelet', client, clock: client.clock, random: client.random, metrics, queueMetrics: new WorkQueueMetrics(metrics),
    log: { ...discardLogger, warn: (m: string, f: unknown) => console.log('WARN', m, f), with: () => context.log, error: (m: string, f: unknown) => console.log('ERR', m, f) },
    events: (component: string, o?: { host?: string }) => ({ event: (about: { kind: string; metadata: { name: string }; fieldPath?: string }, d: { type?: string; reason: string; message: string }) => { events.push(`${component}/${o?.host} ${about.kind}/${about.metadata.name} ${about.fieldPath ?? ''} ${d.type ?? 'Normal'} ${d.reason}: ${d.message}`); } }),
    objects: (kind: Kind<KubernetesObject>, scope: InformerScope = {}) => {
      const k = JSON.stringify([kind.plural, scope]);
      if (!cache.has(k)) cache.set(k, new FreshObjects(kind, factory.informer(kind, scope), { client, scope, fieldManager: 'kubelet' }));
      return cache.get(k);
    },
    informer: (kind: Kind<KubernetesObject>, scope: InformerScope = {}) => factory.informer(kind, scope),
  } as unknown as AppContext;
  const prepared = part.prepare(context);
  const done = (async () => {
    const f = factory.run(signal);
    await factory.synced(signal);
    await prepared.run(signal);
    await f;
  })();
  return { events, prepared, done };
}
