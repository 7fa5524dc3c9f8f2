import type { SelfClient, ServerObjects } from '../../apiserver/index.ts';
import { type Clock, type Logger, sleepAs } from '../../base/index.ts';
import { amendFlowObject, AUTO_UPDATE, isObsolete } from './amend-flow-object.ts';
import { type FlowObject, flowObjects, isFlowObject } from './flow-objects.ts';

export const GROUP = 'flowcontrol.apiserver.k8s.io';
export const ROOT = `/apis/${GROUP}/v1`;
const WRITER = { fieldManager: 'api-priority-and-fairness-config-producer-v1' };
/** Same interval as upstream. */
const CHECK_INTERVAL_MS = 60_000;
const LOOK = { type: 'beat', name: 'look at flow objects', periodMs: CHECK_INTERVAL_MS } as const;

export interface EnsureOptions {
  readonly self: SelfClient;
  readonly objects: ServerObjects;
}

/**
 * Creates missing flow schemas and priority levels, corrects the server's own, and removes those it no longer creates.
 * All at once, so that the store groups the writes.
 */
export async function ensureFlowObjects({ self, objects }: EnsureOptions): Promise<void> {
  const writes = flowObjects().map(async (own) => {
    const current = await objects.of(GROUP, own.plural).get('', own.name);
    if (current === undefined) {
      await self.create(`${ROOT}/${own.plural}`, made(own), WRITER);
      return;
    }
    const amended = amendFlowObject(own, current);
    if (amended !== undefined) await self.update(`${ROOT}/${own.plural}/${own.name}`, amended, WRITER);
  });
  const removals = (['flowschemas', 'prioritylevelconfigurations'] as const).map(async (plural) => {
    const known = await objects.of(GROUP, plural).list();
    const isOver = known.filter((object) => isObsolete(object) && !isFlowObject(plural, object.metadata.name ?? ''));
    await Promise.all(isOver.map(({ metadata }) => self.delete(`${ROOT}/${plural}/${metadata.name ?? ''}`)));
  });
  await Promise.all([...writes, ...removals]);
}

/** Maintains the objects once a minute, until the signal aborts. */
export async function keepFlowObjects(
  options: EnsureOptions,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    await sleepAs(clock, CHECK_INTERVAL_MS, { signal, role: LOOK });
    if (signal.aborted) return;
    try {
      await ensureFlowObjects(options);
    } catch (error) {
      log.warn('flow schemas and priority levels cannot be kept', { error });
    }
  }
}

function made({ name, spec }: FlowObject): object {
  return { metadata: { name, annotations: { [AUTO_UPDATE]: 'true' } }, spec };
}
