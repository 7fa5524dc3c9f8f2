import type { Impersonation } from '../kubeconfig/kubeconfig.ts';

/** The headers that ask the server to take us for somebody else. */
export function impersonationHeaders(who: Impersonation): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': who.user };
  if (who.uid !== undefined) headers['impersonate-uid'] = who.uid;
  if (who.groups !== undefined && who.groups.length > 0) headers['impersonate-group'] = who.groups;
  for (const [name, values] of Object.entries(who.extra ?? {})) {
    if (values.length > 0) headers[`impersonate-extra-${escapeName(name)}`] = values;
  }
  return headers;
}

/** Whatever may not stand in a header's name is written as %XX, byte by byte; so is % itself. */
function escapeName(name: string): string {
  let escaped = '';
  for (const byte of Buffer.from(name, 'utf8')) {
    const character = String.fromCharCode(byte);
    escaped += /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(character)
      ? character.toLowerCase()
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}
