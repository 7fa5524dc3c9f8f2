/** What a `proxy` subresource is asked of: a name, perhaps with a port, perhaps with a scheme before it. */
export interface ProxyName {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  /** A number or a name; empty when none is given. */
  readonly port: string;
}

/** Reads `name`, `name:port` and `scheme:name:port`; undefined for everything else. */
export function readProxyName(text: string): ProxyName | undefined {
  const parts = text.split(':');
  if (parts.length > 3) return undefined;
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (name === '' || !['', 'http', 'https'].includes(scheme)) return undefined;
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
}
