import type { RuntimeConfig } from '../api/index.ts';
import type { Clock, KubernetesVersion, Logger, Random } from '../base/index.ts';
import type { AccessOptions } from './access.ts';
import type { AdmissionOptions } from './admission.ts';
import type { AggregationOptions } from './aggregation.ts';
import type { OwnObject } from './bootstrap/own-object.ts';
import type { KubeletOptions } from './kubelet-connections.ts';
import type { ExtensionOptions, LocalOptions, TracingOptions } from './server-options.ts';
import type { ServingOptions } from './serving.ts';
import type { StorageOptions } from './storage-options.ts';

/** How a control plane is made. Each group is read by one phase of the start; see `startControlPlane`. */
export interface ControlPlaneOptions {
  readonly name: string;
  /** The version of Kubernetes whose API is served; default 1.36. */
  readonly kubernetesVersion?: KubernetesVersion;
  /** What the machine is called; the server's identity is made of it. Default localhost. */
  readonly hostname?: string;
  /** The networks of Services, the first of which the `kubernetes` Service is in. */
  readonly serviceCidrs: readonly string[];
  /** API versions that are switched on or off. */
  readonly runtimeConfig: RuntimeConfig;
  /** Objects that the cluster has from the start, besides those of every cluster. They are not repaired later. */
  readonly bootstrapObjects?: readonly OwnObject[];
  /** Where objects are kept, and in which form. */
  readonly storage: StorageOptions;
  /** Port, certificates and limits. Default: no port, and keys in memory. */
  readonly serving?: ServingOptions;
  /** Who clients are, what they may do, and what is recorded of it. */
  readonly access?: AccessOptions;
  /** What becomes of objects before they are stored. */
  readonly admission?: AdmissionOptions;
  /** What the server reports of single requests. */
  readonly tracing?: TracingOptions;
  /** Resources and paths besides the built-in ones. */
  readonly extensions?: ExtensionOptions;
  /** How API servers behind this one are reached. */
  readonly aggregation?: AggregationOptions;
  /** How nodes in other processes are reached. */
  readonly kubelets?: KubeletOptions;
  /** What this process puts in place of connections. A fork has its own. */
  readonly local?: LocalOptions;
  readonly clock: Clock;
  /** The time that certificates go by, when `clock` is not the one that clients check them with; default `clock`. */
  readonly certificateClock?: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Begins the orderly stop. */
  readonly signal: AbortSignal;
}
