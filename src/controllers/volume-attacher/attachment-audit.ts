import type { Clock } from '../../base/index.ts';
import type { VolumeDriver } from '../volume-provisioner/index.ts';

/** Where volumes are attached, as the driver lists it: asked at most once in a while for all of them. */
export class AttachmentAudit {
  /** How often attachments are compared with the list. */
  readonly periodMs: number;
  readonly #driver: VolumeDriver;
  #last: { readonly atMs: number; readonly listed: Promise<ReadonlyMap<string, readonly string[]>> } | undefined;

  constructor(driver: VolumeDriver, periodMs = 60_000) {
    this.#driver = driver;
    this.periodMs = periodMs;
  }

  /** Whether the driver can be asked. */
  get isPossible(): boolean {
    return this.#driver.listAttachments !== undefined;
  }

  /** Whether the driver says that the volume is attached to the node; true if it cannot be asked. */
  async isAttached(
    { volumeId, nodeId }: { readonly volumeId: string; readonly nodeId: string },
    { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  ): Promise<boolean> {
    if (this.#driver.listAttachments === undefined) return true;
    const nowMs = clock.monotonic();
    if (this.#last === undefined || nowMs - this.#last.atMs >= this.periodMs / 2)
      this.#last = { atMs: nowMs, listed: this.#driver.listAttachments({ signal }) };
    const { listed } = this.#last;
    try {
      return (await listed).get(volumeId)?.includes(nodeId) === true;
    } catch (error) {
      this.#last = undefined;
      throw error;
    }
  }
}
