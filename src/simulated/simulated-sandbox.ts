import type { PodSandboxConfig, PodSandboxState, PodSandboxStatus } from '../node/index.ts';
import { SharedVolumes } from './shared-volumes.ts';
import type { SimulatedContainer } from './simulated-container.ts';

/** The part of a pod's configuration that is ever read. */
type KeptConfig = Pick<PodSandboxConfig, 'metadata' | 'hostname' | 'labels' | 'logDirectory'>;

/** A pod in the simulated runtime. */
export class SimulatedSandbox {
  readonly id: string;
  readonly config: KeptConfig;
  readonly createdAtMs: number;
  /** The volumes that its containers share. */
  readonly volumes = new SharedVolumes();
  /** Newest first. */
  readonly containers: SimulatedContainer[] = [];
  /** The pod's annotations, which may have changed since the sandbox was created. */
  annotations: Readonly<Record<string, string>>;
  #state: PodSandboxState = 'SANDBOX_READY';
  /** Created when a stream first needs it. */
  #stopping: AbortController | undefined;
  ips: readonly string[];
  /** The content of resolv.conf. */
  resolver = '';

  constructor(
    id: string,
    config: PodSandboxConfig,
    network: { readonly createdAtMs: number; readonly ips: readonly string[] },
  ) {
    this.id = id;
    const { metadata, hostname, labels, logDirectory } = config;
    this.config = { metadata, hostname: hostname === '' ? metadata.name : hostname, labels, logDirectory };
    this.annotations = config.annotations;
    this.createdAtMs = network.createdAtMs;
    this.ips = network.ips;
  }

  get state(): PodSandboxState {
    return this.#state;
  }

  /** Aborts when the sandbox stops. */
  get stopped(): AbortSignal {
    this.#stopping ??= new AbortController();
    if (this.#state === 'SANDBOX_NOTREADY') this.stop();
    return this.#stopping.signal;
  }

  stop(): void {
    this.#state = 'SANDBOX_NOTREADY';
    this.#stopping?.abort(new Error('The pod has stopped'));
  }

  get status(): PodSandboxStatus {
    const { metadata, labels } = this.config;
    const [ip = '', ...additionalIps] = this.ips;
    return {
      id: this.id,
      metadata,
      state: this.state,
      createdAtMs: this.createdAtMs,
      network: { ip, additionalIps },
      labels,
      annotations: this.annotations,
    };
  }
}
