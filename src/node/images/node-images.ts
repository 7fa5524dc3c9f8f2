import type { Clock, Logger } from '../../base/index.ts';
import { RequestRate, type RequestRateOptions } from '../request-rate.ts';
import type { Client } from '../../client/index.ts';
import type { AgentMetrics } from '../agent-metrics.ts';
import type { ImageService } from '../runtime/index.ts';
import { type CredentialPlugin, CredentialPlugins } from './credential-plugins.ts';
import type { ImageLimits } from './image-collector.ts';
import { ImagePuller } from './image-puller.ts';
import { PullVerification, type PullVerificationOptions } from './pull-verification.ts';
import { matchingCredentials, type RegistryCredential } from './registry-credentials.ts';
import type { TrackedCredential } from './tracked-credential.ts';

/** How a node pulls, shares and removes images, as in a KubeletConfiguration. */
export interface NodeImageOptions {
  readonly limits?: ImageLimits;
  /** Who may use what was pulled with whose secret; default all pods may use all images. */
  readonly verification?: PullVerificationOptions;
  /** How many pulls may begin: a pull beyond that fails, and is tried again after a back-off. Default no limit. */
  readonly pullRate?: RequestRateOptions | undefined;
  /** Programs that return credentials; default none. */
  readonly plugins?: readonly CredentialPlugin[];
  /** Credentials that the machine has for all pods; default none. */
  machineCredentials?(): Promise<readonly RegistryCredential[]>;
}

export interface NodeImagesParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly images: ImageService;
  readonly metrics: AgentMetrics;
  secret(namespace: string, name: string): Promise<Readonly<Record<string, string>> | undefined>;
}

/** The puller of a node. A pod's own secrets are tried first, then what the machine has, then what plugins return. */
export function nodeImagePuller(
  settings: { readonly maxParallelPulls: number; readonly images?: NodeImageOptions | undefined },
  parts: NodeImagesParts,
): ImagePuller {
  const { verification, plugins = [], machineCredentials, pullRate } = settings.images ?? {};
  const asked = new CredentialPlugins(plugins, parts);
  return new ImagePuller({
    ...parts,
    maxParallel: settings.maxParallelPulls,
    rate: pullRate === undefined ? undefined : new RequestRate(parts.clock, pullRate),
    verification: verification === undefined ? undefined : new PullVerification(verification, parts),
    nodeCredentials: async (image, pod) => {
      const own = matchingCredentials((await machineCredentials?.()) ?? [], image);
      const tracked = own.map((auth): TrackedCredential => ({ auth, source: { type: 'node' } }));
      return [...tracked, ...(await asked.of(image, pod))];
    },
  });
}
