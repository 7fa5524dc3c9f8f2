/** A running server that is attacked. */
export interface AttackTarget {
  url: string;
  /** PEM of the authority that its certificate comes from. */
  ca: string;
  /** A bearer token of an administrator. */
  token?: string;
  /** An ordinary user with the role `edit` in the namespace `default`, as whom the administrator's token acts; default the administrator. */
  user?: string | undefined;
  /** An ordinary user with the role `view`, of whom the probe's requests are; default the administrator. */
  viewer?: string;
  kubeconfig: string;
  pid: number;
  /** Of a server that is not attacked. */
  idleUrl: string;
}

/** Something that a server should live through. The runner measures what other clients notice of it. */
export interface Attack {
  readonly name: string;
  /** What is done, in a few words. */
  readonly what: string;
  /** Whether an ordinary user with the role `edit` does it; default the administrator, whom fairness does not hold back. */
  readonly isByEditor?: boolean;
  /** Real Kubernetes, and with it the machine, would not live through it. */
  readonly isForOursOnly?: boolean;
  /** Further flags of `keelson up`. */
  readonly flags?: readonly string[];
  /** Makes what the attack needs; memory is measured after it. */
  prepare?(target: AttackTarget): Promise<void>;
  /** Does it, bounded in count and time, and answers with a line of what happened. */
  run(target: AttackTarget, signal: AbortSignal): Promise<string>;
}
