import type { Credentials, PemSource } from './credentials/index.ts';
import type { Impersonation } from './kubeconfig/kubeconfig.ts';

/** Everything it takes to talk to one cluster as one user. A kubeconfig's context becomes one; it can also be written by hand. */
export interface ClusterConnection {
  /** The server's URL; a path in it goes before every request's own. */
  readonly server: string;
  /** Authorities that may have signed the server's certificate; default those of the system. */
  readonly certificateAuthority?: PemSource;
  /** Takes any server certificate. For experiments only: anybody on the way can read and change everything. */
  readonly insecureSkipTlsVerify?: boolean;
  /** The name to expect in the server's certificate, when it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** Shown over TLS only; a plain HTTP server gets none. Default: anonymous. */
  readonly credentials?: Credentials;
  /** Acting as somebody else. */
  readonly impersonate?: Impersonation;
  /** An HTTP proxy, such as `http://user:password@proxy:3128`, through which a tunnel (CONNECT) is asked for. */
  readonly proxyUrl?: string;
  /** Large answers come unpacked. */
  readonly disableCompression?: boolean;
  /** The namespace that is meant when none is named; default `default`. */
  readonly namespace?: string;
}
