import type { AddressInfo } from 'node:net';
import type { RenewedCertificates } from '../../apiserver/index.ts';
import type { ClusterPki } from '../pki/cluster-pki.ts';

/** Where clients reach a server: a port of this process, or one of others that serve in its place. Disposing of it closes it. */
export interface ServingPort extends AsyncDisposable {
  readonly url: string;
  readonly address: AddressInfo;
  /** Shows another certificate, or trusts others, from now on. */
  renew(renewed: RenewedCertificates): void;
  /** Says from now on that the server is not ready. */
  drain?(): void;
  /** Goes by other keys from now on. */
  use?(pki: ClusterPki): void;
}
