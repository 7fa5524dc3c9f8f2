/** Time limits for scrubbing. */
export interface RecyclerOptions {
  /** Minimum for a hostPath volume; default 60 s. */
  readonly recyclerHostPathSeconds?: number;
  /** Increment per GiB of a hostPath volume; default 30 s. */
  readonly recyclerHostPathSecondsPerGibibyte?: number;
  /** Minimum for an NFS volume; default 300 s. */
  readonly recyclerNfsSeconds?: number;
  /** Increment per GiB of an NFS volume; default 30 s. */
  readonly recyclerNfsSecondsPerGibibyte?: number;
}
