/** Where a gRPC server listens. */
export type Address =
  | {
      readonly type: 'tcp';
      readonly host: string;
      readonly port: number;
      /** Whether the server uses TLS; `undefined` when the text does not say. */
      readonly isSecure: boolean | undefined;
      /** The `:authority` of requests. */
      readonly authority: string;
    }
  | { readonly type: 'unix'; readonly path: string; readonly isSecure: false; readonly authority: string };

const HOST_AND_PORT = /^(?<host>\[[0-9A-Fa-f:.%]+\]|[^\s/:[\]@?#]+):(?<port>\d{1,5})\/?$/;

/**
 * Parses an address: `https://host:2379`, `http://host:2379`, `host:2379`, `[::1]:2379`, `unix:/run/x.sock` or
 * `unix:///run/x.sock`.
 */
export function parseAddress(text: string): Address {
  if (text.startsWith('unix:')) return unixAddress(text);
  const scheme = /^(https?):\/\//.exec(text);
  const found = HOST_AND_PORT.exec(text.slice(scheme?.[0].length ?? 0))?.groups;
  const port = Number(found?.['port']);
  if (found?.['host'] === undefined || !(port > 0 && port < 65_536)) {
    throw new TypeError(
      `Cannot use address ${JSON.stringify(text)}: need "http(s)://host:port", "host:port" or "unix:/path"`,
    );
  }
  const host = found['host'].replace(/^\[|\]$/g, '');
  const isSecure = scheme === null ? undefined : scheme[1] === 'https';
  return { type: 'tcp', host, port, isSecure, authority: `${found['host']}:${port}` };
}

/** The address in the form that `parseAddress` parses. */
export function formatAddress(address: Address): string {
  if (address.type === 'unix') return `unix:${address.path}`;
  if (address.isSecure === undefined) return address.authority;
  return `${address.isSecure ? 'https' : 'http'}://${address.authority}`;
}

function unixAddress(text: string): Address {
  const path = text.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.startsWith('//')) {
    throw new TypeError(`Cannot use address ${JSON.stringify(text)}: need "unix:/path" or "unix:///path"`);
  }
  return { type: 'unix', path, isSecure: false, authority: 'localhost' };
}
