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
  isReachable,
  metadataParameters,
  MODIFY_SECRET,
  NotReadyError,
  readSecret,
  type SidecarSettings,
  type VolumeDriver,
  VolumeDriverError,
  withDriverBackoff,
  workOf,
} from '../volume-provisioner/index.ts';
import { patchClaim, withConditions } from './claim-status.ts';

/** The conditions that report the modification of a volume. */
const FAMILY = ['ModifyingVolume', 'ModifyVolumeError'];
/** The driver error for which retrying does not help. */
const INFEASIBLE = 'InvalidArgument';

type Claim = Observed<PersistentVolumeClaim>;
type Volume = Observed<PersistentVolume>;
type ModifyingDriver = VolumeDriver & Required<Pick<VolumeDriver, 'controllerModifyVolume'>>;

/** Calls a driver to apply the attributes that claims request, as the external-resizer sidecar does. */
export function volumeModifier(driver: VolumeDriver, settings: SidecarSettings = {}): readonly Part[] {
  if (!modifies(driver)) return [];
  const { concurrency, retries } = workOf(settings);
  const backoff = new ItemBackoff(retries);
  const modifier = new Modifier(driver, settings);
  return [
    controller(PersistentVolumeClaim, {
      name: 'volume-modifier',
      component: `external-resizer ${driver.name}`,
      concurrency,
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
      reconcile: (claim, context) => withDriverBackoff(backoff, context, () => modifier.modify(claim, context)),
      gone: (key) => {
        backoff.forget(key);
        modifier.forget(key);
      },
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

/** Applies attributes to the volumes of one driver. */
class Modifier {
  readonly #driver: ModifyingDriver;
  readonly #settings: SidecarSettings;
  /** Claims for which the driver may still be at work on the attributes that their status names. */
  readonly #uncertain = new Set<string>();

  constructor(driver: ModifyingDriver, settings: SidecarSettings) {
    this.#driver = driver;
    this.#settings = settings;
  }

  forget(key: string): void {
    this.#uncertain.delete(key);
  }

  async modify(claim: Claim, context: ReconcileContext): Promise<void> {
    const volume = context.objects(PersistentVolume).get(claim.spec?.volumeName ?? '');
    if (volume?.spec?.csi?.driver !== this.#driver.name || volume.spec.claimRef?.uid !== claim.metadata.uid) return;
    if (this.#settings.node !== undefined && !isReachable(volume, this.#settings.node)) return;
    const begun = claim.status?.modifyVolumeStatus;
    const wanted = target(claim);
    if (claim.status?.phase !== 'Bound' || (begun === undefined && wanted === current(claim))) return;
    const isInProgress = begun?.status === 'InProgress';
    if (wanted === '' && !isInProgress) return await cancel(claim, context);
    const isResumed = isInProgress && (this.#uncertain.has(context.key) || wanted === '');
    const name = isResumed ? (begun.targetVolumeAttributesClassName ?? wanted) : wanted;
    const attributes = context.objects(VolumeAttributesClass).get(name);
    if (attributes === undefined) return await wait(claim, name, context);
    if (attributes.driverName !== this.#driver.name) return;
    const asked = isResumed ? claim : await announce(claim, name, context);
    const message = `external resizer is modifying volume ${claim.metadata.name} with vac ${name}`;
    if (!isResumed) context.event({ reason: 'VolumeModify', message });
    try {
      await this.#apply(asked, volume, { attributes, context });
      this.#uncertain.delete(context.key);
    } catch (error) {
      await this.#tellFailure(asked, name, { error, context });
      throw error;
    }
    await conclude(asked, volume, { name, context });
  }

  async #apply(
    claim: Claim,
    { metadata, spec }: Volume,
    {
      attributes,
      context,
    }: { readonly attributes: Observed<VolumeAttributesClass>; readonly context: ReconcileContext },
  ): Promise<void> {
    const { client, signal } = context;
    const { annotations = {}, name: volume } = metadata;
    const [name = '', namespace = ''] = ['name', 'namespace'].map((part) => annotations[`${MODIFY_SECRET}${part}`]);
    const own = name === '' || namespace === '' ? spec?.csi?.controllerExpandSecretRef : { name, namespace };
    const secrets = await readSecret(client, own);
    const { extraModifyMetadata = false } = this.#settings;
    const mutableParameters = {
      ...attributes.parameters,
      ...(extraModifyMetadata ? metadataParameters(claim, volume) : {}),
    };
    const volumeId = spec?.csi?.volumeHandle ?? '';
    await this.#driver.controllerModifyVolume(
      { volumeId, mutableParameters, ...(secrets === undefined ? {} : { secrets }) },
      { signal },
    );
  }

  async #tellFailure(
    claim: Claim,
    name: string,
    { error, context }: { readonly error: unknown; readonly context: ReconcileContext },
  ): Promise<void> {
    const { event, clock, key } = context;
    if (error instanceof NotReadyError)
      return event({ type: 'Warning', reason: 'VolumeModifyFailed', message: messageOf(error) });
    if (!(error instanceof VolumeDriverError)) return;
    const isFinal = !error.isUncertain && error.code !== 'ResourceExhausted';
    if (isFinal) this.#uncertain.delete(key);
    else this.#uncertain.add(key);
    const progress = isFinal ? 'failed. Waiting for retry.' : 'is still in progress.';
    const stated = [
      { type: 'ModifyingVolume', message: `Modifying volume to "${name}" ${progress}` },
      { type: 'ModifyVolumeError', reason: error.code, message: error.detail },
    ];
    await patchClaim(
      claim,
      {
        conditions: withConditions(claim, FAMILY, { stated, nowMs: clock.now() }),
        modifyVolumeStatus: {
          targetVolumeAttributesClassName: name,
          status: error.code === INFEASIBLE ? 'Infeasible' : 'InProgress',
        },
      },
      context,
    );
    const message = `${messageOf(error)}${isFinal ? '' : `. Still modifying to VAC ${name}`}`;
    event({ type: 'Warning', reason: 'VolumeModifyFailed', message });
  }
}

/** The class does not exist: sets the claim to Pending until it does. */
async function wait(claim: Claim, name: string, context: ReconcileContext): Promise<void> {
  context.event({ type: 'Warning', reason: 'VolumeModifyFailed', message: `VAC "${name}" does not exist.` });
  if (claim.status?.modifyVolumeStatus?.status === 'Pending') return;
  const modifyVolumeStatus = { targetVolumeAttributesClassName: name, status: 'Pending' };
  await patchClaim(claim, { modifyVolumeStatus }, context);
}

/** The claim asks for no class any more, before anything was done. */
async function cancel(claim: Claim, context: ReconcileContext): Promise<void> {
  const isShown = claim.status?.conditions?.some(({ type }) => type === 'ModifyingVolume') === true;
  if (!isShown) return;
  context.event({ reason: 'VolumeModifyCancelled', message: 'Cancelled modify.' });
  const conditions = withConditions(claim, ['ModifyingVolume'], { stated: [], nowMs: context.clock.now() });
  await patchClaim(claim, { conditions }, context);
}

async function announce(claim: Claim, name: string, context: ReconcileContext): Promise<Claim> {
  const stated = [{ type: 'ModifyingVolume', message: `Modifying volume to "${name}" is in progress.` }];
  return await patchClaim(
    claim,
    {
      conditions: withConditions(claim, FAMILY, { stated, nowMs: context.clock.now(), keepsOthers: true }),
      modifyVolumeStatus: { targetVolumeAttributesClassName: name, status: 'InProgress' },
    },
    context,
  );
}

async function conclude(
  claim: Claim,
  { metadata }: Volume,
  { name, context }: { readonly name: string; readonly context: ReconcileContext },
): Promise<void> {
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
  const message = `external resizer modified volume ${claim.metadata.name} with vac ${name} successfully`;
  context.event({ reason: 'VolumeModifySuccessful', message });
}
