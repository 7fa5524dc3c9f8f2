/** A difference between two definitions of a kind. */
export interface Change {
  /** Where: `scope`, `v1`, `v1.spec.size`. */
  readonly path: string;
  /**
   * `breaks`: objects or clients that were good before are refused, lose fields or are no longer found. `notice`: something
   * differs, and nothing of that.
   */
  readonly effect: 'breaks' | 'notice';
  readonly message: string;
}
