import type { Authorizer, ServerObjects } from '../../apiserver/index.ts';
import type { Clock, MetricRegistry, Random } from '../../base/index.ts';
import type { PodSecurityConfiguration } from './pod-security/pod-security-configuration.ts';
import type { ResourceQuotaConfiguration } from './resource-quota/resource-quota-configuration.ts';

/** What admission plugins need of a server. */
export interface AdmissionParts {
  readonly objects: ServerObjects;
  readonly clock: Clock;
  readonly random: Random;
  /** Writes an object as the server itself, through the same stages as any client's. */
  readonly update: (path: string, object: object) => Promise<void>;
  /** Decides what requests may do, for plugins that ask for more than the request itself; absent: nothing more. */
  readonly authorizer?: Authorizer;
  /** Where plugins that count something do so; absent: nowhere. */
  readonly metrics?: MetricRegistry;
  /** What the files say that configure plugins; absent: nothing. */
  readonly configurations?: PluginConfigurations;
}

/** The configurations of built-in plugins, as `--admission-control-config-file` leads to them. */
export interface PluginConfigurations {
  readonly podSecurity?: PodSecurityConfiguration;
  readonly resourceQuota?: ResourceQuotaConfiguration;
}
