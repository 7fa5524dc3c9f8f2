import type { ApiObject } from '../../api/index.ts';
import { EXEMPT } from '../../api/meaning/index.ts';
import type { SelfClient, ServerObjects } from '../../apiserver/index.ts';
import { type Clock, deepEqual, type Logger, sleepAs } from '../../base/index.ts';
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

/** Whether the server keeps an object's spec in sync; without this annotation, the object is left to its users. */
const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec';

/** The corrected object; undefined when the current one is right. */
function amendFlowObject(own: FlowObject, current: ApiObject): ApiObject | undefined {
  const keepsSpec = own.isMandatory || (declared(current) ?? current.metadata.generation === 1);
  const isSpecRight = !keepsSpec || isSameSpec(own, current);
  if (isSpecRight && declared(current) === keepsSpec) return undefined;
  const annotations = { ...current.metadata.annotations, [AUTO_UPDATE]: String(keepsSpec) };
  const metadata = declared(current) === keepsSpec ? current.metadata : { ...current.metadata, annotations };
  return { ...current, metadata, ...(isSpecRight ? {} : { spec: own.spec }) };
}

/** Whether to remove an object that the server once created, under a name that it no longer creates. */
function isObsolete(current: ApiObject): boolean {
  return declared(current) === true;
}

const TRUTHS = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSEHOODS = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** The annotation's value; undefined when it is missing or invalid. */
function declared({ metadata }: ApiObject): boolean | undefined {
  const text = metadata.annotations?.[AUTO_UPDATE] ?? '';
  if (TRUTHS.has(text)) return true;
  return FALSEHOODS.has(text) ? false : undefined;
}

/** How much the exempt level lends is left to administrators. */
function isSameSpec(own: FlowObject, current: ApiObject): boolean {
  if (own.plural !== 'prioritylevelconfigurations' || own.name !== EXEMPT) return deepEqual(current['spec'], own.spec);
  const spec = current['spec'] as { readonly type?: string; readonly exempt?: object; readonly limited?: object };
  return spec.type === 'Exempt' && spec.exempt !== undefined && spec.limited === undefined;
}
