import { messageOf } from '../../base/index.ts';
import {
  ItemBackoff,
  mergePatch,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  VolumeAttributesClass,
} from '../../client/index.ts';
import { controller, type Part, type ReconcileContext, watch } from '../../kit/index.ts';
import {
  DRIVER_RETRIES,
  withDriverBackoff,
  type VolumeDriver,
  VolumeDriverError,
} from '../volume-provisioner/index.ts';
import { patchClaim, withConditions } from './claim-status.ts';

const CONCURRENCY = 10;
/** The conditions that report the modification of a volume. */
const FAMILY = ['ModifyingVolume', 'ModifyVolumeError'];
/** Driver errors for which retrying does not help. */
const INFEASIBLE = new Set(['InvalidArgument', 'OutOfRange', 'NotFound']);

type Claim = Observed<PersistentVolumeClaim>;
type Volume = Observed<PersistentVolume>;
type ModifyingDriver = VolumeDriver & Required<Pick<VolumeDriver, 'controllerModifyVolume'>>;

/** Calls a driver to apply the attributes that claims request, as the external-resizer sidecar does. */
export function volumeModifier(driver: VolumeDriver): readonly Part[] {
  if (!modifies(driver)) return [];
  const backoff = new ItemBackoff(DRIVER_RETRIES);
  return [
    controller(PersistentVolumeClaim, {
      name: 'volume-modifier',
      component: `external-resizer ${driver.name}`,
      concurrency: CONCURRENCY,
      reads: [PersistentVolume, VolumeAttributesClass],
      watches: [
        watch(VolumeAttributesClass, {
          to: ({ metadata }, { objects }) =>
            objects(PersistentVolumeClaim)
              .list()
              .filter(({ spec }) => spec?.volumeAttributesClassName === metadata.name)
              .map((claim) => `${claim.metadata.namespace}/${claim.metadata.name}`),
        }),
      ],
      when: hasRelevantChange,
      reconcile: (claim, context) => withDriverBackoff(backoff, context, () => modify(claim, driver, context)),
      gone: (key) => backoff.forget(key),
    }),
  ];
}

/** Ignores the modifier's own status updates: otherwise it would call a refusing driver again and again. */
function hasRelevantChange(claim: Claim, old: Claim | undefined): boolean {
  if (claim.status?.phase !== 'Bound') return false;
  return old?.status?.phase !== 'Bound' || target(claim) !== target(old);
}

function modifies(driver: VolumeDriver): driver is ModifyingDriver {
  return driver.controllerModifyVolume !== undefined;
}

function target({ spec }: Claim): string {
  return spec?.volumeAttributesClassName ?? '';
}

function current({ status }: Claim): string {
  return status?.currentVolumeAttributesClassName ?? '';
}

async function modify(claim: Claim, driver: ModifyingDriver, context: ReconcileContext): Promise<void> {
  const volume = context.objects(PersistentVolume).get(claim.spec?.volumeName ?? '');
  if (volume?.spec?.csi?.driver !== driver.name || volume.spec.claimRef?.uid !== claim.metadata.uid) return;
  const name = target(claim);
  if (name === '' || name === current(claim) || claim.status?.phase !== 'Bound') return;
  const attributes = context.objects(VolumeAttributesClass).get(name);
  if (attributes === undefined) return await wait(claim, name, context);
  if (attributes.driverName !== driver.name) return;
  const asked = await announce(claim, 'InProgress', context);
  const { metadata } = volume;
  const message = `external resizer is modifying volume ${metadata.name} with vac ${name}`;
  context.event({ reason: 'VolumeModify', message });
  try {
    const { volumeHandle: volumeId } = volume.spec.csi;
    const mutableParameters = { ...attributes.parameters };
    await driver.controllerModifyVolume({ volumeId, mutableParameters }, { signal: context.signal });
  } catch (error) {
    if (error instanceof VolumeDriverError) await tellFailure(asked, error, context);
    throw error;
  }
  await conclude(asked, volume, context);
}

/** The class does not exist: sets the claim to Pending until it does. */
async function wait(claim: Claim, name: string, context: ReconcileContext): Promise<void> {
  const message = `VAC ${name} does not exist.`;
  context.event({ type: 'Warning', reason: 'VolumeModifyFailed', message });
  if (claim.status?.modifyVolumeStatus?.status !== 'Pending') await announce(claim, 'Pending', context);
}

async function announce(claim: Claim, status: 'InProgress' | 'Pending', context: ReconcileContext): Promise<Claim> {
  const stated = status === 'InProgress' ? [{ type: 'ModifyingVolume' }] : [];
  return await patchClaim(
    claim,
    {
      conditions: withConditions(claim, FAMILY, { stated, nowMs: context.clock.now() }),
      modifyVolumeStatus: { targetVolumeAttributesClassName: target(claim), status },
    },
    context,
  );
}

async function conclude(claim: Claim, { metadata }: Volume, context: ReconcileContext): Promise<void> {
  const name = target(claim);
  const patch = mergePatch({ spec: { volumeAttributesClassName: name } });
  await context.objects(PersistentVolume).patch(metadata.name, patch);
  await patchClaim(
    claim,
    {
      conditions: withConditions(claim, FAMILY, { stated: [], nowMs: context.clock.now() }),
      currentVolumeAttributesClassName: name,
      modifyVolumeStatus: null,
    },
    context,
  );
  const message = `external resizer modified volume ${metadata.name} with vac ${name} successfully`;
  context.event({ reason: 'VolumeModifySuccessful', message });
}

async function tellFailure(claim: Claim, error: VolumeDriverError, context: ReconcileContext): Promise<void> {
  const message = messageOf(error);
  context.event({ type: 'Warning', reason: 'VolumeModifyFailed', message });
  const status = INFEASIBLE.has(error.code) ? 'Infeasible' : 'InProgress';
  const stated = [{ type: 'ModifyingVolume' }, { type: 'ModifyVolumeError', message }];
  await patchClaim(
    claim,
    {
      conditions: withConditions(claim, FAMILY, { stated, nowMs: context.clock.now() }),
      modifyVolumeStatus: { targetVolumeAttributesClassName: target(claim), status },
    },
    context,
  );
}
