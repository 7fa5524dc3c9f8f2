import { BIND_COMPLETED, BOUND_BY_CONTROLLER, isReservedFor } from '../../api/meaning/index.ts';
import type { Observed, PersistentVolume, PersistentVolumeClaim } from '../../client/index.ts';
import type { BinderParts } from './binder-parts.ts';
import { hasAnnotation } from './binding-annotations.ts';
import { setBound, setVolumePhase } from './phases.ts';

type Volume = Observed<PersistentVolume>;
type Claim = Observed<PersistentVolumeClaim>;

/**
 * Binds a volume and a claim to each other: the volume first, so that no two claims can get it. Existing bindings are
 * kept.
 */
export async function bind(volume: Volume, claim: Claim, parts: BinderParts): Promise<void> {
  const reserved = await reserve(volume, claim, parts);
  const bound = await setVolumePhase(reserved, 'Bound', parts);
  await setBound(await complete(claim, bound, parts), bound, parts);
}

/** Releases a volume whose claim is bound to another one. A volume that its creator pre-bound stays pre-bound. */
export async function unbind(volume: Volume, parts: BinderParts): Promise<void> {
  const { claimRef, ...spec } = volume.spec ?? {};
  const { [BOUND_BY_CONTROLLER]: _, ...annotations } = volume.metadata.annotations ?? {};
  const { uid: _uid, ...name } = claimRef ?? {};
  const freed = hasAnnotation(volume, BOUND_BY_CONTROLLER)
    ? { ...volume, metadata: { ...volume.metadata, annotations }, spec }
    : { ...volume, spec: { ...spec, claimRef: name } };
  const written = await parts.volumes.update(freed as PersistentVolume);
  await setVolumePhase(written, 'Available', parts);
}

async function reserve(volume: Volume, claim: Claim, { volumes }: BinderParts): Promise<Volume> {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const isMarked = isReservedFor(volume, claim) || hasAnnotation(volume, BOUND_BY_CONTROLLER);
  if (isReservedFor(volume, claim) && volume.spec?.claimRef?.uid === uid) return volume;
  const claimRef = { kind: 'PersistentVolumeClaim', namespace, name, uid, apiVersion: 'v1', resourceVersion };
  const metadata = isMarked ? volume.metadata : annotated(volume.metadata, BOUND_BY_CONTROLLER);
  return await volumes.update({ ...volume, metadata, spec: { ...volume.spec, claimRef } } as PersistentVolume);
}

async function complete(claim: Claim, volume: Volume, { claims }: BinderParts): Promise<Claim> {
  const { name } = volume.metadata;
  const isNamed = claim.spec?.volumeName === name;
  if (isNamed && hasAnnotation(claim, BIND_COMPLETED)) return claim;
  const chosen = isNamed || hasAnnotation(claim, BOUND_BY_CONTROLLER) ? [] : [BOUND_BY_CONTROLLER];
  const marks = hasAnnotation(claim, BIND_COMPLETED) ? chosen : [...chosen, BIND_COMPLETED];
  const metadata = annotated(claim.metadata, ...marks);
  return await claims.update({
    ...claim,
    metadata,
    spec: { ...claim.spec, volumeName: name },
  } as PersistentVolumeClaim);
}

function annotated<M extends { readonly annotations?: Readonly<Record<string, string>> }>(
  metadata: M,
  ...names: readonly string[]
): M {
  return {
    ...metadata,
    annotations: { ...metadata.annotations, ...Object.fromEntries(names.map((name) => [name, 'yes'])) },
  };
}
