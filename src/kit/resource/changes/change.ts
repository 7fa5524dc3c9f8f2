/** A difference between two definitions of a kind. */
export interface Change {
  /** The place: `scope`, `v1`, `v1.spec.size`. */
  readonly path: string;
  /**
   * `breaks`: objects or clients that were valid before are refused, lose fields or are no longer found. `notice`: any
   * other difference.
   */
  readonly effect: 'breaks' | 'notice';
  readonly message: string;
}
