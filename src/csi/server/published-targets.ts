import { GrpcError } from '../../wire/grpc/index.ts';
import type { NodeVolume } from '../kit/driver-definition.ts';

/**
 * Where each volume is visible on this node, as far as this process has made it so: a volume for a single writer is visible at one place
 * only. After a restart of the driver the kubelet alone keeps a second pod from using it.
 */
export class PublishedTargets {
  readonly #targets = new Map<string, Map<string, NodeVolume>>();

  check({ id, capability }: NodeVolume, targetPath: string): void {
    for (const [path, { capability: used }] of this.#targets.get(id) ?? []) {
      if (path === targetPath) continue;
      if (capability.accessMode === 'SINGLE_NODE_SINGLE_WRITER' || used.accessMode === 'SINGLE_NODE_SINGLE_WRITER')
        throw new GrpcError('FAILED_PRECONDITION', `Volume "${id}" has a single writer, and is published at "${path}"`);
    }
  }

  add(volume: NodeVolume, targetPath: string): void {
    const targets = this.#targets.get(volume.id) ?? new Map<string, NodeVolume>();
    targets.set(targetPath, volume);
    this.#targets.set(volume.id, targets);
  }

  delete(volumeId: string, targetPath: string): void {
    const targets = this.#targets.get(volumeId);
    targets?.delete(targetPath);
    if (targets?.size === 0) this.#targets.delete(volumeId);
  }
}
