/** The name in the path of a `proxy` subresource: a name with an optional port and an optional scheme. */
export interface ProxyName {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  /** A number or a name; empty when absent. */
  readonly port: string;
}

/** Parses `name`, `name:port` and `scheme:name:port`; undefined for everything else. */
export function readProxyName(text: string): ProxyName | undefined {
  const parts = text.split(':');
  if (parts.length > 3) return undefined;
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (name === '' || !['', 'http', 'https'].includes(scheme)) return undefined;
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
}
