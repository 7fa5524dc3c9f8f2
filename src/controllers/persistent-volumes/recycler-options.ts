/** How long scrubbing may take. */
export interface RecyclerOptions {
  /** At least; 60 s unless given. */
  readonly recyclerHostPathSeconds?: number;
  /** For each GiB; 30 s unless given. */
  readonly recyclerHostPathSecondsPerGibibyte?: number;
  /** At least; 300 s unless given. */
  readonly recyclerNfsSeconds?: number;
  /** For each GiB; 30 s unless given. */
  readonly recyclerNfsSecondsPerGibibyte?: number;
}
