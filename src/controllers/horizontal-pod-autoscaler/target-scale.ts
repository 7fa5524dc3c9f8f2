import type { Scale } from '../../api/types/autoscaling/v1.d.ts';
import { messageOf } from '../../base/index.ts';
import {
  type Client,
  hasReason,
  type HorizontalPodAutoscaler,
  keyOf,
  type Observed,
  type ServedKind,
} from '../../client/index.ts';
import type { KnownSelectors, TargetSelector } from './known-selectors.ts';
import { requestProblem } from './request-problem.ts';
import type { ServedTargets } from './served-targets.ts';

/** Maximum number of attempts to update the scale after conflicts. */
const MAX_ATTEMPTS = 5;

/** The scale of an autoscaler's target. */
export interface TargetScale {
  readonly kind: ServedKind;
  readonly scale: Scale;
  /** The target's pod selector; undefined if it has none. */
  readonly selector: TargetSelector | undefined;
}

interface ReadParts {
  readonly client: Client;
  readonly targets: ServedTargets;
  readonly selectors: KnownSelectors;
}

/** Reads the scale of the target. Throws an error that explains why it cannot. */
export async function readTarget(
  autoscaler: Observed<HorizontalPodAutoscaler>,
  parts: ReadParts,
  signal: AbortSignal,
): Promise<TargetScale> {
  try {
    return await readKnown(autoscaler, parts, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!parts.targets.doubt()) throw error;
    return await readKnown(autoscaler, parts, signal);
  }
}

async function readKnown(
  autoscaler: Observed<HorizontalPodAutoscaler>,
  { client, targets, selectors }: ReadParts,
  signal: AbortSignal,
): Promise<TargetScale> {
  const { namespace = '' } = autoscaler.metadata;
  const { apiVersion = '', kind, name } = autoscaler.spec.scaleTargetRef;
  const parts = apiVersion.split('/');
  if (parts.length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  const served = await targets.find(group, kind, signal);
  let first: unknown = new Error(`no matches for kind "${kind}" in group "${group}"`);
  for (const [index, each] of served.entries()) {
    try {
      const scale = await client.kindIn(each, namespace).scale.get(name, { signal });
      return { kind: each, scale, selector: selectors.read(keyOf(autoscaler), scale.status?.selector ?? '') };
    } catch (error) {
      signal.throwIfAborted();
      if (index === 0) first = new Error(requestProblem(error, { group, resource: each.plural, name }));
    }
  }
  throw first;
}

/** Sets the replicas. After a conflict the scale is read again, because only the number belongs to the autoscaler. */
export async function writeScale(
  { kind, scale }: TargetScale,
  replicas: number,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<void> {
  const { name = '', namespace } = scale.metadata ?? {};
  const scales = client.kindIn(kind, namespace).scale;
  let latest = scale;
  for (let tries = 1; ; tries++) {
    try {
      await scales.update({ ...latest, spec: { ...latest.spec, replicas } }, { signal });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!hasReason(error, 'Conflict') || tries === MAX_ATTEMPTS) throw new Error(messageOf(error), { cause: error });
      latest = await scales.get(name, { signal });
    }
  }
}
