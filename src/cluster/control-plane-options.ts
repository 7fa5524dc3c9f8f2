import type { OwnObject } from './bootstrap/own-object.ts';
import type { AuditOptions, AuthorizationOptions } from '../access/index.ts';
import type { LocalBackend, ServiceRouting } from '../aggregator/index.ts';
import type { RuntimeConfig } from '../api/index.ts';
import type {
  AdmissionPlugin,
  Authenticator,
  Authorizer,
  Interference,
  LocalWebhook,
  PathHandler,
  Resource,
  ServerLimits,
  TransportLimits,
} from '../apiserver/index.ts';
import type { Clock, Logger, Random } from '../base/index.ts';
import type { EncryptionOptions } from '../encryption/index.ts';
import type { AuthenticationSettings } from './authentication.ts';
import type { DefaultTolerationSeconds, PluginConfigurations } from '../resources/index.ts';
import type { ListenAddress } from './addresses.ts';
import type { CertificateFiles } from './pki/certificate-files.ts';
import type { ClusterPki } from './pki/cluster-pki.ts';
import type { JoinToken } from './pki/sealed-files.ts';
import type { Credential } from '../wire/certificates/index.ts';
import type { StorageOptions } from './storage-options.ts';
import type { WorkersOptions } from './workers/workers-options.ts';

/** How requests for groups that other API servers serve are passed on. */
export interface AggregationSettings {
  /** Shown to other servers instead of the certificate of the cluster's own front proxy. */
  readonly proxyClient?: Credential;
  /** Where that is from: it is read again when the files change. */
  readonly proxyClientFiles?: CertificateFiles['proxyClient'];
  /** How their Services become addresses; see `ServiceRouting`. */
  readonly routing?: ServiceRouting;
  /** Passes on answers that send clients elsewhere; default they are refused. */
  readonly forwardsRedirects?: boolean;
}

/** What can be added to an API server from outside. */
export interface ServerExtensions {
  /** How the server finds out who asks: issuers of tokens, a token webhook, front proxies. */
  readonly authentication?: AuthenticationSettings;
  /** Who decides what requests may do; default nodes and roles. */
  readonly authorization?: AuthorizationOptions;
  /** More ways to tell who is asking, after client certificates and the token file. */
  readonly authenticators?: readonly Authenticator[];
  /** Asked about every request that is not the masters', before what everybody may do; the first opinion counts. */
  readonly authorizers?: readonly Authorizer[];
  /** Who encrypts what is stored; default nobody. */
  readonly encryption?: EncryptionOptions;
  /** What is written down of requests, and where to; default nothing. */
  readonly audit?: AuditOptions;
  /** More admission plugins, after the built-in ones. */
  readonly admission?: readonly AdmissionPlugin[];
  /** More resources; others can be registered and withdrawn while running, see `server.registry`. */
  readonly resources?: readonly Resource[];
  /** Answer paths that are no resources, before the server's own. */
  readonly paths?: readonly PathHandler[];
}

/** How nodes that are elsewhere are reached. */
export interface KubeletSettings {
  /** Shown to kubelets; default one of the cluster's own authority. */
  readonly client?: Credential;
  /** PEM of the authorities of their certificates, which are not looked at unless given. */
  readonly authorities?: string;
  /** Which of a node's addresses to connect to, best first; default upstream's order. */
  readonly addressTypes?: readonly string[];
}

export interface ControlPlaneOptions extends ServerExtensions {
  readonly name: string;
  readonly storage: StorageOptions;
  /** Where to listen from the start; without it there is no socket until `listen` is called. */
  readonly listen?: ListenAddress;
  /** More names and addresses that clients reach the server by. */
  readonly servingNames?: readonly string[];
  /** Where keys and certificates are kept; undefined keeps them in memory. */
  readonly pkiFolder?: string;
  /** Where the authorities and keys are that all servers of a cluster have in common; default in `pkiFolder`. */
  readonly sharedPkiFolder?: string;
  /** Hands these keys over to other servers on the same store, or takes them over, in cipher; default off. */
  readonly joinToken?: JoinToken;
  /** Shown to clients instead of a certificate of our own making. */
  readonly serving?: Credential;
  /** PEM of authorities whose client certificates count, instead of our own. */
  readonly clientAuthorities?: string;
  /** The files that `serving` and the authorities were read from; they are read again when they change. */
  readonly certificateFiles?: CertificateFiles;
  /** Lines `token,user,uid,"groups"`. */
  readonly tokenFile?: string;
  readonly runtimeConfig: RuntimeConfig;
  /** Gets one readable line for each request that came over the network, when it is over. */
  readonly printRequest?: (line: string) => void;
  /** How nodes that are elsewhere are reached. */
  readonly kubelets?: KubeletSettings;
  /** How other API servers behind this one are reached. */
  readonly aggregation?: AggregationSettings;
  /** Admission plugins that are switched on besides those that are by default, by upstream's names. */
  readonly enableAdmission?: readonly string[];
  /** Admission plugins that are switched off, by upstream's names. */
  readonly disableAdmission?: readonly string[];
  /** The configuration of admission plugins by their names, in YAML or JSON, as an AdmissionConfiguration file has it. */
  readonly admissionConfiguration?: PluginConfigurations;
  /** How long pods stay on nodes that are lost, unless they say otherwise; default 300. */
  readonly tolerationSeconds?: DefaultTolerationSeconds;
  /** Whether requests without credentials are let in, as system:anonymous; default true. */
  readonly anonymousAuth?: boolean;
  /** The address that the `kubernetes` Service leads to; default where the server listens. */
  readonly advertiseAddress?: string;
  readonly serviceCidrs: readonly string[];
  /** Objects that the cluster has from the start, besides those of every cluster. They are not repaired later. */
  readonly bootstrapObjects?: readonly OwnObject[];
  readonly eventTtlSeconds?: number;
  readonly limits?: Partial<ServerLimits>;
  /**
   * For those who write admission webhooks: their configurations may name plain `http://127.0.0.1:PORT`, and the last reviews are kept
   * and can be replayed. No unless given.
   */
  readonly devWebhooks?: boolean;
  /** Webhooks of this process by the host in their URL, which are called without a connection. */
  readonly localWebhooks?: (host: string) => LocalWebhook | undefined;
  /** API servers of this process by the host that their Service leads to, which are asked without a connection. */
  readonly localApis?: (host: string) => LocalBackend | undefined;
  /** For tests, in which requests go wrong on purpose. */
  readonly interfere?: Interference;
  /** How many recent requests are kept with what became of them and why; unless given, only those that ask for it. */
  readonly tracedRequests?: number;
  /** Whether requests are sorted into levels of priority that share `limits`; default true. */
  readonly priorityAndFairness?: boolean;
  /** What the machine is called; the server's identity is made of it. */
  readonly hostname?: string;
  readonly transportLimits?: Partial<TransportLimits>;
  /** Processes that serve requests in the place of this one, on one port; default none. */
  readonly workers?: WorkersOptions;
  /** The keys of the process that this one serves requests for; that one does all that one server of a cluster does. */
  readonly worksWith?: ClusterPki;
  readonly clock: Clock;
  /** What certificates go by, when `clock` is not the time of those who check them. */
  readonly certificateClock?: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Begins the orderly stop. */
  readonly signal: AbortSignal;
}
