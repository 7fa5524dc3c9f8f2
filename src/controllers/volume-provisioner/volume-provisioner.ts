import { messageOf } from '../../base/index.ts';
import { driverOf, inTreeVolume, requestOf, SELECTED_NODE, translatedClass } from '../../api/meaning/index.ts';
import {
  CSINode,
  hasReason,
  ItemBackoff,
  mergePatch,
  Node,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttributesClass,
} from '../../client/index.ts';
import { controller, type Part, type ReconcileContext } from '../../kit/index.ts';
import { secretsFor } from './class-parameters.ts';
import { ClaimContest } from './claim-contest.ts';
import { cloneProtection } from './clone-protection.ts';
import { checkSource, contentSource, dataSourceOf, isCopied, releaseSnapshot } from './data-source.ts';
import { withDriverBackoff } from './driver-backoff.ts';
import { placesOf } from './node-deployment.ts';
import { PendingCreations } from './pending-creations.ts';
import { provisionedVolume, volumeName, type VolumePlan, volumeRequest } from './provisioned-volume.ts';
import { readSecret } from './secret-reference.ts';
import { type SidecarSettings, workOf } from './sidecar-settings.ts';
import { accessibilityFor } from './topology.ts';
import { type CreatedVolume, NotReadyError, type VolumeDriver, VolumeDriverError } from './volume-driver.ts';
import { volumeDeleter } from './volume-deleter.ts';

const PROVISIONER = ['volume.kubernetes.io/storage-provisioner', 'volume.beta.kubernetes.io/storage-provisioner'];
/** Attempts to delete a volume that is not what was asked for. */
const CLEANING_ATTEMPTS = 5;

type Claim = Observed<PersistentVolumeClaim>;
type Class = Observed<StorageClass>;
type NewVolume = ReturnType<typeof provisionedVolume>;

/**
 * Calls a driver to create volumes for claims and to delete released ones, as the external-provisioner sidecar does.
 * Binding is left to the persistent volume binder.
 */
export function volumeProvisioner(driver: VolumeDriver, settings: SidecarSettings = {}): readonly Part[] {
  const { concurrency, retries } = workOf(settings);
  const backoff = new ItemBackoff(retries);
  const maker = new VolumeMaker(driver, settings);
  return [
    controller(PersistentVolumeClaim, {
      component: driver.name,
      concurrency,
      name: 'volume-provisioner',
      reads: [PersistentVolume, StorageClass, VolumeAttributesClass, Node, CSINode],
      when: (claim) => isWaitingFor(claim, driver.name),
      reconcile: (claim, context) => withDriverBackoff(backoff, context, () => maker.make(claim, context)),
      gone: (key, context) => withDriverBackoff(backoff, context, () => maker.finishAbandoned(key, context, undefined)),
    }),
    ...volumeDeleter(driver, settings),
    ...(driver.features?.clones === true ? [cloneProtection(driver)] : []),
  ];
}

function isWaitingFor({ metadata, spec }: Claim, driver: string): boolean {
  if ((spec?.volumeName ?? '') !== '' || metadata.deletionTimestamp !== undefined) return false;
  return PROVISIONER.map((name) => metadata.annotations?.[name]).find((name) => name !== undefined) === driver;
}

/** Makes the volumes of claims, and remembers those that the driver may be at work on. */
class VolumeMaker {
  readonly #driver: VolumeDriver;
  readonly #settings: SidecarSettings;
  readonly #pending = new PendingCreations();
  /** Only in a process that works for one node. */
  readonly #contest: ClaimContest | undefined;

  constructor(driver: VolumeDriver, settings: SidecarSettings) {
    this.#driver = driver;
    this.#settings = settings;
    this.#contest = settings.node === undefined ? undefined : new ClaimContest(settings.node);
  }

  async make(claim: Claim, context: ReconcileContext): Promise<void> {
    await this.finishAbandoned(context.key, context, claim);
    const { objects, event, key } = context;
    const storageClass = objects(StorageClass).get(claim.spec?.storageClassName ?? '');
    const isWanted = isWaitingFor(claim, this.#driver.name) || this.#pending.of(claim) !== undefined;
    if (!isWanted || storageClass === undefined || !this.#isOurs(storageClass)) return;
    const name = volumeName(claim, this.#settings);
    if (objects(PersistentVolume).get(name) !== undefined) return this.#pending.end(claim);
    if (isWithoutNode(claim, storageClass)) return;
    if (this.#contest !== undefined) {
      const hasRoom = (): Promise<boolean> => this.#hasRoom(claim, storageClass, context);
      if (!(await this.#contest.isOurs(claim, storageClass, { ...context, hasRoom }))) return;
    }
    event({ reason: 'Provisioning', message: `External provisioner is provisioning volume for claim "${key}"` });
    const source = dataSourceOf(claim);
    if (source !== undefined && !isCopied(source)) {
      event({ reason: 'Provisioning', message: 'Assuming an external populator will provision the volume' });
      return;
    }
    try {
      await this.#provision(claim, storageClass, context);
    } catch (error) {
      const message = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${messageOf(error)}`;
      event({ type: 'Warning', reason: 'ProvisioningFailed', message });
      if (this.#needsOtherNode(error) && (await forgetNode(claim, context))) return this.#pending.end(claim);
      throw error;
    }
    event({ reason: 'ProvisioningSucceeded', message: `Successfully provisioned volume ${name}` });
  }

  /** Finishes creations for claims that were deleted meanwhile: their volumes are bound to nothing, and so are deleted. */
  async finishAbandoned(key: string, context: ReconcileContext, current: Claim | undefined): Promise<void> {
    for (const { claim } of this.#pending.abandoned(key, current)) {
      const storageClass = context.objects(StorageClass).get(claim.spec?.storageClassName ?? '');
      const isMade = context.objects(PersistentVolume).get(volumeName(claim, this.#settings)) !== undefined;
      if (storageClass === undefined || isMade) this.#pending.end(claim);
      else await this.#provision(claim, storageClass, context);
    }
  }

  /** A class of the driver, or of the former in-tree plugin that it has replaced. */
  #isOurs({ provisioner }: Class): boolean {
    return (driverOf(provisioner) ?? provisioner) === this.#driver.name;
  }

  async #provision(claim: Claim, storageClass: Class, context: ReconcileContext): Promise<void> {
    const { objects, signal } = context;
    const plan = await this.#plan(claim, storageClass, context);
    const made = await this.#create(claim, plan, signal);
    this.#pending.add({ claim, places: plan.places }); // until the volume is written
    await this.#check(claim, plan, { made, signal });
    const volume = await this.#inTree(provisionedVolume(claim, plan, { driver: this.#driver, made }), plan, {
      made,
      signal,
    });
    await objects(PersistentVolume).create(volume).catch(ignoreExisting);
    this.#pending.end(claim);
    const source = dataSourceOf(claim);
    if (source?.kind === 'VolumeSnapshot') await releaseSnapshot(claim, source, context);
  }

  /** The volume as one of the former in-tree plugin that its class names. A volume that cannot be is deleted, and created again later. */
  async #inTree(
    volume: NewVolume,
    plan: VolumePlan,
    { made, signal }: { readonly made: CreatedVolume; readonly signal: AbortSignal },
  ): Promise<NewVolume> {
    try {
      return inTreeVolume(volume, plan.storageClass.provisioner);
    } catch (error) {
      return await this.#discard(plan, {
        problem: messageOf(error),
        volumeId: made.volumeId,
        name: volume.metadata?.name ?? '',
        signal,
      });
    }
  }

  /** Finds out what the request has to say. */
  async #plan(claim: Claim, named: Class, context: ReconcileContext): Promise<VolumePlan> {
    const storageClass = classOf(named);
    const { objects, client } = context;
    const { strictTopology = false, immediateTopology = true, preventVolumeModeConversion = true } = this.#settings;
    const origin = dataSourceOf(claim);
    if (origin !== undefined) checkSource(origin, this.#driver);
    const attributes = this.#attributes(claim, context);
    if (claim.spec?.selector !== undefined) throw new NotReadyError('claim Selector is not supported');
    const { parameters = {} } = storageClass;
    const source =
      origin === undefined
        ? undefined
        : await contentSource(claim, origin, { storageClass, keepsMode: preventVolumeModeConversion, context });
    const rule = this.#driver.features?.topology;
    const pending = this.#pending.of(claim);
    const question = { driver: this.#driver.name, isStrict: strictTopology, isImmediate: immediateTopology };
    const places =
      pending !== undefined || rule === undefined
        ? pending?.places
        : accessibilityFor(claim, storageClass, {
            ...question,
            rule,
            ...(this.#settings.node === undefined
              ? { nodes: objects(Node), csiNodes: objects(CSINode) }
              : placesOf(this.#driver.name, this.#settings.node)),
          });
    const secrets = secretsFor(claim, volumeName(claim, this.#settings), parameters);
    const credentials = await readSecret(client, secrets.provisioner);
    return { storageClass, settings: this.#settings, secrets, credentials, places, attributes, source };
  }

  /** Whether the node has room for a volume, as far as the driver says. Other problems are reported when the volume is made. */
  async #hasRoom(claim: Claim, storageClass: Class, context: ReconcileContext): Promise<boolean> {
    if (this.#driver.getCapacity === undefined) return true;
    try {
      const { parameters, accessibilityRequirements } = volumeRequest(
        claim,
        await this.#plan(claim, storageClass, context),
      );
      const [topology] = accessibilityRequirements?.preferred ?? [];
      const question = { parameters, ...(topology === undefined ? {} : { topology }) };
      const { availableBytes } = await this.#driver.getCapacity(question, { signal: context.signal });
      return requestOf(claim).value() <= availableBytes;
    } catch (error) {
      if (error instanceof VolumeDriverError || error instanceof NotReadyError) return true;
      throw error;
    }
  }

  async #create(claim: Claim, plan: VolumePlan, signal: AbortSignal): Promise<CreatedVolume> {
    if (this.#driver.createVolume === undefined)
      throw new NotReadyError(
        'CSI driver does not support dynamic provisioning: controller CREATE_DELETE_VOLUME capability is not reported',
      );
    try {
      return await this.#driver.createVolume(volumeRequest(claim, plan), { signal });
    } catch (error) {
      if (error instanceof VolumeDriverError && error.isUncertain) this.#pending.add({ claim, places: plan.places });
      else if (error instanceof VolumeDriverError) this.#pending.end(claim);
      throw error;
    }
  }

  /** Deletes a volume that is smaller than asked for, or no copy where one was asked for. It is created again later. */
  async #check(
    claim: Claim,
    plan: VolumePlan,
    { made, signal }: { readonly made: CreatedVolume; readonly signal: AbortSignal },
  ): Promise<void> {
    const { source } = plan;
    const wanted = requestOf(claim).value();
    const { capacityBytes, volumeId } = made;
    const isTooSmall = capacityBytes !== 0 && capacityBytes < wanted;
    if (!isTooSmall && (source === undefined || made.isCopy !== false)) return;
    const problem = isTooSmall
      ? `created volume capacity ${capacityBytes} less than requested capacity ${wanted}`
      : 'volume content source missing';
    await this.#discard(plan, { problem, volumeId, name: volumeName(claim, this.#settings), signal });
  }

  /** Deletes a volume that is of no use, and throws why it is not. */
  async #discard(
    { credentials }: VolumePlan,
    {
      problem,
      volumeId,
      name,
      signal,
    }: { readonly problem: string; readonly volumeId: string; readonly name: string; readonly signal: AbortSignal },
  ): Promise<never> {
    const secrets = credentials === undefined ? {} : { secrets: credentials };
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#driver.deleteVolume?.({ volumeId, ...secrets }, { signal });
        throw new NotReadyError(problem);
      } catch (error) {
        if (error instanceof NotReadyError) throw error;
        if (attempt < CLEANING_ATTEMPTS) continue;
        throw new NotReadyError(
          `${problem}. Cleanup of volume ${name} failed, volume is orphaned: ${messageOf(error)}`,
        );
      }
    }
  }

  /** The parameters of the claim's VolumeAttributesClass. */
  #attributes({ spec }: Claim, { objects }: ReconcileContext): Readonly<Record<string, string>> | undefined {
    const { volumeAttributesClassName: name = '' } = spec ?? {};
    if (name === '') return undefined;
    if (this.#driver.controllerModifyVolume === undefined)
      throw new NotReadyError(
        'CSI driver does not support VolumeAttributesClass: controller MODIFY_VOLUME capability is not reported',
      );
    const found = objects(VolumeAttributesClass).get(name);
    if (found === undefined) throw new NotReadyError(`volumeattributesclasses.storage.k8s.io "${name}" not found`);
    if (found.driverName !== this.#driver.name)
      throw new NotReadyError(
        `VAC ${name} referenced in PVC is for driver ${found.driverName} which does not match driver name ${this.#driver.name}`,
      );
    return found.parameters ?? {};
  }

  #needsOtherNode(error: unknown): boolean {
    if (error instanceof NotReadyError) return error.needsOtherNode;
    const isFull = error instanceof VolumeDriverError && error.code === 'ResourceExhausted';
    return isFull && this.#driver.features?.topology !== undefined;
  }
}

/** Removes the selected node, so that the scheduler chooses again. */
async function forgetNode({ metadata }: Claim, { objects, key }: ReconcileContext): Promise<boolean> {
  if (metadata.annotations?.[SELECTED_NODE] === undefined) return false;
  const patch = mergePatch({ metadata: { annotations: { [SELECTED_NODE]: null } } });
  await objects(PersistentVolumeClaim).patch(key, patch);
  return true;
}

/** The class as the driver gets it. */
function classOf(storageClass: Class): Class {
  try {
    return translatedClass(storageClass);
  } catch (error) {
    throw new NotReadyError(`failed to translate storage class: ${messageOf(error)}`);
  }
}

/** Whether the claim waits for the scheduler to select a node. */
function isWithoutNode({ metadata }: Claim, { volumeBindingMode }: Class): boolean {
  return volumeBindingMode === 'WaitForFirstConsumer' && (metadata.annotations?.[SELECTED_NODE] ?? '') === '';
}

function ignoreExisting(error: unknown): void {
  if (!hasReason(error, 'AlreadyExists')) throw error;
}
