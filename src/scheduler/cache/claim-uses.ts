import type { Observed, Pod } from '../../client/index.ts';

/** Counts the pods on nodes that use each claim; claims of ephemeral volumes are not counted. */
export class ClaimUses {
  readonly #counts = new Map<string, number>();

  /** The claim is given as `namespace/name`. */
  isUsed(claim: string): boolean {
    return this.#counts.has(claim);
  }

  count({ metadata, spec }: Observed<Pod>, sign: 1 | -1): void {
    for (const { persistentVolumeClaim } of spec?.volumes ?? []) {
      if (persistentVolumeClaim === undefined) continue;
      const key = `${metadata.namespace}/${persistentVolumeClaim.claimName}`;
      const uses = (this.#counts.get(key) ?? 0) + sign;
      if (uses > 0) this.#counts.set(key, uses);
      else this.#counts.delete(key);
    }
  }
}
