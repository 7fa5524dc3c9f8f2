import type { Credentials, PemSource } from './credentials/index.ts';
import type { Impersonation } from './kubeconfig/kubeconfig.ts';

/** How to connect to one cluster as one user. Read from a kubeconfig's context, or written by hand. */
export interface ClusterConnection {
  /** The server's URL; its path is prefixed to the path of every request. */
  readonly server: string;
  /** The certificate authorities to trust; default the system's. */
  readonly certificateAuthority?: PemSource;
  /**
   * Accepts any server certificate. For experiments only: an attacker on the network can read and change everything.
   */
  readonly insecureSkipTlsVerify?: boolean;
  /** The name to expect in the server's certificate; default the host of `server`. */
  readonly tlsServerName?: string;
  /** Sent over TLS only, never over plain HTTP. Default: anonymous. */
  readonly credentials?: Credentials;
  /** The user to impersonate. */
  readonly impersonate?: Impersonation;
  /** An HTTP proxy, such as `http://user:password@proxy:3128`, which must support CONNECT. */
  readonly proxyUrl?: string;
  /** Asks the server not to compress responses. */
  readonly disableCompression?: boolean;
  /** The client's `defaultNamespace`; default `default`. */
  readonly namespace?: string;
}
