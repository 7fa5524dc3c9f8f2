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

/** What a volume had before it was grown on the node that it was last used on. */
const BEFORE_RESIZE = 'volume.alpha.kubernetes.io/pre-resize-capacity';

/** Writes what has become of a volume, if it is news; with an event, which is not told twice. */
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

/** The claim waits: it has nothing of a volume. */
export async function setPending(claim: Claim, parts: BinderParts): Promise<void> {
  await setClaimStatus(claim, { phase: 'Pending' }, parts);
}

/** The claim had a volume, and will not have it back. */
export async function setLost(claim: Claim, event: EventDetails, parts: BinderParts): Promise<void> {
  if (claim.status?.phase === 'Lost') return;
  const written = await setClaimStatus(claim, { phase: 'Lost' }, parts);
  parts.events.event(written, { type: 'Warning', ...event });
}

/** The claim has what the volume offers. What it had before may differ from that on purpose, while a volume grows. */
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
