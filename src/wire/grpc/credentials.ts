/** What is needed for TLS, in PEM. */
export interface TlsCredentials {
  /** Whom to trust; the machine's own list unless given. */
  readonly ca?: string | Uint8Array;
  /** This side's certificate and key, for servers that ask for one. */
  readonly certificate?: string | Uint8Array;
  readonly key?: string | Uint8Array;
  /** The name the server's certificate must have, when it is not the host in the address. */
  readonly serverName?: string;
}

/** Asked before each connection, so that renewed certificates are taken up. */
export type TlsSource = TlsCredentials | (() => Promise<TlsCredentials>);

export async function currentCredentials(source: TlsSource | undefined): Promise<TlsCredentials | undefined> {
  return typeof source === 'function' ? source() : source;
}
