/** Credentials for TLS, as PEM. */
export interface TlsCredentials {
  /** The trusted authorities; default those of the system. */
  readonly ca?: string | Uint8Array;
  /** The client's certificate and key, for servers that request one. */
  readonly certificate?: string | Uint8Array;
  readonly key?: string | Uint8Array;
  /** The name that the server's certificate must have, when it is not the host of the address. */
  readonly serverName?: string;
}

/** Read before each connection, so that renewed certificates are used. */
export type TlsSource = TlsCredentials | (() => Promise<TlsCredentials>);

export async function currentCredentials(source: TlsSource | undefined): Promise<TlsCredentials | undefined> {
  return typeof source === 'function' ? source() : source;
}
