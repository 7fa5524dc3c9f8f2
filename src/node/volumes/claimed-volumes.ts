import { messageOf } from '../../base/index.ts';
import { claimNameOf, ephemeralClaimProblem } from '../../api/meaning/index.ts';
import type { Client, Observed, Pod } from '../../client/index.ts';
import type { Volume, VolumeMounter } from '../runtime/index.ts';

const PROTECTION = 'kubernetes.io/pvc-protection';

/** A volume cannot be mounted yet, because of its claim. */
export class ClaimProblem extends Error {
  /** By their names in the pod. */
  readonly volumes: readonly string[];

  constructor(volume: string, message: string) {
    super(message);
    this.name = 'ClaimProblem';
    this.volumes = [volume];
  }
}

/** Mounts volumes of claims when those are bound. What was mounted stays so, whatever becomes of the claim. */
export class ClaimedVolumes implements VolumeMounter {
  readonly #mounter: VolumeMounter;
  readonly #client: Client;
  /** By the uid of the pod. */
  readonly #mounted = new Map<string, Set<string>>();

  constructor(mounter: VolumeMounter, client: Client) {
    this.#mounter = mounter;
    this.#client = client;
  }

  async mount(pod: Observed<Pod>, volume: Volume, options: { readonly signal: AbortSignal }): Promise<string> {
    const claim = claimNameOf(pod, volume);
    if (claim === undefined) return await this.#mounter.mount(pod, volume, options);
    const { uid } = pod.metadata;
    if (this.#mounted.get(uid)?.has(volume.name) !== true) await this.#check(pod, { volume, claim, ...options });
    const path = await this.#mounter.mount(pod, volume, options);
    this.#mounted.set(uid, (this.#mounted.get(uid) ?? new Set()).add(volume.name));
    return path;
  }

  async readFile(path: string): Promise<string | undefined> {
    return await this.#mounter.readFile(path);
  }

  async unmountAll(pod: Observed<Pod>): Promise<void> {
    this.#mounted.delete(pod.metadata.uid);
    await this.#mounter.unmountAll(pod);
  }

  async #check(
    pod: Observed<Pod>,
    { volume, claim, signal }: { readonly volume: Volume; readonly claim: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { namespace = '' } = pod.metadata;
    const problem = (words: string): ClaimProblem =>
      new ClaimProblem(volume.name, `error processing PVC ${namespace}/${claim}: ${words}`);
    const { persistentvolumeclaims, persistentvolumes } = this.#client.core.v1;
    const found = await persistentvolumeclaims
      .namespace(namespace)
      .get(claim, { signal })
      .catch((error: unknown) => {
        throw problem(`failed to fetch PVC from API server: ${messageOf(error)}`);
      });
    const { metadata, spec, status } = found;
    if (metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(PROTECTION) !== true)
      throw problem('PVC is being deleted');
    if (status?.phase !== 'Bound') throw problem('PVC is not bound');
    const { volumeName = '' } = spec ?? {};
    if (volumeName === '') throw problem('PVC has empty pvc.Spec.VolumeName');
    const stranger = volume.ephemeral === undefined ? undefined : ephemeralClaimProblem(found, pod);
    if (stranger !== undefined) throw new ClaimProblem(volume.name, stranger);
    const bound = await persistentvolumes.get(volumeName, { signal }).catch((error: unknown) => {
      throw problem(`failed to fetch PV ${volumeName} from API server: ${messageOf(error)}`);
    });
    const { claimRef } = bound.spec ?? {};
    const there = `found PV object ${volumeName} but`;
    if (claimRef === undefined)
      throw problem(`${there} it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`);
    if (claimRef.uid !== metadata.uid)
      throw problem(
        `${there} its pv.Spec.ClaimRef.UID ${claimRef.uid ?? ''} does not point to claim.UID ${metadata.uid}`,
      );
  }
}
