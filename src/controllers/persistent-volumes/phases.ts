import { deepEqual } from '../../base/index.ts';
import { parseQuantity, ValueError } from '../../api/values/index.ts';
import type { Observed, PersistentVolume, PersistentVolumeClaim } from '../../client/index.ts';
import type { EventDetails } from '../../kit/index.ts';
import type { BinderParts } from './binder-parts.ts';

type Volume = Observed<PersistentVolume>;
type Claim = Observed<PersistentVolumeClaim>;
type ClaimStatus = NonNullable<PersistentVolumeClaim['status']>;
type ClaimPhase = NonNullable<ClaimStatus['phase']>;
type VolumePhase = NonNullable<NonNullable<PersistentVolume['status']>['phase']>;

/** The capacity before an expansion that the node has not finished. */
const BEFORE_RESIZE = 'volume.alpha.kubernetes.io/pre-resize-capacity';

/** Writes the volume's phase, if it changed; the event is recorded only then. */
export async function setVolumePhase(
  volume: Volume,
  phase: VolumePhase,
  { volumes, events, failure }: BinderParts & { readonly failure?: EventDetails },
): Promise<Volume> {
  if (volume.status?.phase === phase) return volume;
  const { message: _, ...kept } = volume.status ?? {};
  const status = { ...kept, phase, ...(failure === undefined ? {} : { message: failure.message }) };
  const written = await volumes.updateStatus({ ...volume, status } as PersistentVolume);
  if (failure !== undefined) events.event(written, failure);
  return written;
}

/** Sets the claim to Pending, without anything from a volume. */
export async function setPending(claim: Claim, parts: BinderParts): Promise<void> {
  await setClaimStatus(claim, { phase: 'Pending' }, parts);
}

/** Sets the claim to Lost: its volume will not come back. */
export async function setLost(claim: Claim, event: EventDetails, parts: BinderParts): Promise<void> {
  if (claim.status?.phase === 'Lost') return;
  const written = await setClaimStatus(claim, { phase: 'Lost' }, parts);
  parts.events.event(written, { type: 'Warning', ...event });
}

/**
 * Sets the claim to Bound, with the volume's capacity and modes. The claim's capacity may differ on purpose while the
 * volume grows.
 */
export async function setBound(claim: Claim, volume: Volume, parts: BinderParts): Promise<Claim> {
  const { phase: before, capacity } = claim.status ?? {};
  const isNew = before !== 'Bound';
  const attributes = volume.spec?.volumeAttributesClassName;
  return await setClaimStatus(
    claim,
    {
      phase: 'Bound',
      accessModes: [...(volume.spec?.accessModes ?? [])],
      capacity: isNew ? newCapacity(claim, volume) : capacity,
      currentVolumeAttributesClassName:
        before === 'Pending' ? attributes : claim.status?.currentVolumeAttributesClassName,
    },
    parts,
  );
}

function newCapacity({ status }: Claim, { metadata, spec }: Volume): Readonly<Record<string, string>> {
  const { storage } = spec?.capacity ?? {};
  if (storage === undefined) throw new Error(`PersistentVolume "${metadata.name}" is without a storage capacity`);
  const before = metadata.annotations?.[BEFORE_RESIZE];
  if (before === undefined) return { ...spec?.capacity };
  const isReadable = !(parseQuantity(before) instanceof ValueError);
  return { ...status?.capacity, storage: isReadable ? before : storage };
}

interface NewStatus {
  readonly phase: ClaimPhase;
  readonly accessModes?: readonly string[] | undefined;
  readonly capacity?: Readonly<Record<string, string>> | undefined;
  readonly currentVolumeAttributesClassName?: string | undefined;
}

async function setClaimStatus(claim: Claim, wanted: NewStatus, { claims }: BinderParts): Promise<Claim> {
  const {
    phase: _phase,
    accessModes: _modes,
    capacity: _capacity,
    currentVolumeAttributesClassName: _class,
    ...kept
  } = claim.status ?? {};
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const status = { ...kept, ...Object.fromEntries(given) };
  if (deepEqual(status, claim.status ?? {})) return claim;
  return await claims.updateStatus({ ...claim, status } as PersistentVolumeClaim);
}
