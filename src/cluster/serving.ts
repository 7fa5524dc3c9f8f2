import {
  type ApiServer,
  listen,
  type ServerLimits,
  type TransportLimitOptions,
  transportLimits,
} from '../apiserver/index.ts';
import type { Clock, Logger, Random } from '../base/index.ts';
import type { Store } from '../store/index.ts';
import type { Credential } from '../wire/certificates/index.ts';
import type { SchedulingAttempts } from '../scheduler/why/scheduling-attempts.ts';
import type { ListenAddress } from './addresses.ts';
import type { LineWriter } from '../access/index.ts';
import type { CertificateFiles } from './pki/certificate-files.ts';
import type { ClusterPki } from './pki/cluster-pki.ts';
import type { JoinToken } from './pki/sealed-files.ts';
import type { ServingMetrics } from './serving-state.ts';
import type { ServingPort } from './workers/serving-port.ts';
import type { WorkersOptions } from './workers/workers-options.ts';

/** Where and how a server serves: port, certificates, keys and limits. */
export interface ServingOptions {
  /** Where to listen from the start; default nowhere: there is no socket until `listen` is called. */
  readonly listen?: ListenAddress;
  /** The address that the `kubernetes` Service leads to; default where the server listens. */
  readonly advertiseAddress?: string;
  /** Host name or address for clients outside the cluster, with a port if it is another; default `advertiseAddress`. */
  readonly externalHost?: string;
  /** More names and addresses that clients reach the server by. */
  readonly names?: readonly string[];
  /** The version that `/version` answers, such as `v1.36.3-custom`; default Kubernetes' with Keelson's own. */
  readonly reportedVersion?: string | undefined;
  /** Where keys and certificates are kept; default in memory. */
  readonly pkiFolder?: string;
  /** Where the authorities and keys are that all servers of a cluster have in common; default in `pkiFolder`. */
  readonly sharedPkiFolder?: string;
  /** Exchanges these keys, encrypted, with other servers on the same store; default off. */
  readonly joinToken?: JoinToken;
  /** Shown to clients; default a certificate of the cluster's own authority. */
  readonly credential?: Credential;
  /** The files that `credential` and the authorities of clients were read from; they are read again when they change. */
  readonly certificateFiles?: CertificateFiles;
  /** How many requests are served at once, and how large they may be. */
  readonly limits?: Partial<ServerLimits>;
  /** Limits of connections. */
  readonly transportLimits?: TransportLimitOptions;
  /** Whether requests are sorted into levels of priority that share `limits`; default true. */
  readonly priorityAndFairness?: boolean;
  /** Processes that serve requests in place of this one, on one port; default none. */
  readonly workers?: WorkersOptions;
  /** Makes this process a worker: the keys of its main process, which does everything that one server of a cluster does. */
  readonly worksWith?: ClusterPki;
}

/** What a port shows and trusts when it is opened. */
interface ShownCertificates {
  readonly pki: ClusterPki;
  readonly serving: { readonly certificate: string; readonly key: string };
  readonly clientAuthorities: string;
  readonly proxyAuthorities: string | undefined;
}

export interface PortParts {
  readonly server: ApiServer;
  readonly place: ListenAddress;
  readonly certificates: ShownCertificates;
  readonly metrics: ServingMetrics;
  readonly attempts: SchedulingAttempts;
  /** The store that workers share; undefined where each opens its own. */
  readonly store: Store | undefined;
  /** Where lines of the audit log go that workers hand over, if there is one. */
  readonly auditLog: LineWriter | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Opens a port of this process, or of the workers that serve in its place. */
export async function openPort(
  { workers, transportLimits: limits }: ServingOptions,
  parts: PortParts,
): Promise<ServingPort> {
  const { server, place, certificates, clock, log, signal } = parts;
  if (workers !== undefined) {
    const { WorkerPool } = await import('./workers/worker-pool.ts'); // few servers have workers
    return WorkerPool.open({ ...workers, ...parts });
  }
  return listen(server, {
    ...place,
    serving: certificates.serving,
    clientAuthorities: certificates.clientAuthorities,
    proxyAuthorities: certificates.proxyAuthorities,
    clock,
    uids: server.services.uids,
    log,
    limits: transportLimits(limits),
    observer: server.observer,
    signal,
  });
}
