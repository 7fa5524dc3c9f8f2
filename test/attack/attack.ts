/** A running server that is attacked. */
export interface AttackTarget {
  url: string;
  /** PEM of the authority that its certificate comes from. */
  ca: string;
  /** A bearer token of an administrator. */
  token?: string;
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
  /** Real Kubernetes, and with it the machine, would not live through it. */
  readonly isForOursOnly?: boolean;
  /** Further flags of `keelson up`. */
  readonly flags?: readonly string[];
  /** Makes what the attack needs; memory is measured after it. */
  prepare?(target: AttackTarget): Promise<void>;
  /** Does it, bounded in count and time, and answers with a line of what happened. */
  run(target: AttackTarget, signal: AbortSignal): Promise<string>;
}
