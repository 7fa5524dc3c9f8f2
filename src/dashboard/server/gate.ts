import { createHash, timingSafeEqual } from 'node:crypto';
import { forbidden, StatusError } from '../../api/client.ts';

/** Who may use the dashboard: viewers with the key, with the server's credentials; or each viewer with a token of their own. */
export type Admission =
  | {
      readonly type: 'key';
      readonly key: string;
      /** Names of this machine in the Host header. */ readonly hosts: readonly string[];
    }
  | { readonly type: 'token' };

/** A header of a request by its lower-case name. */
export type HeaderOf = (name: string) => string | undefined;

const KEY_PROTOCOL = 'keelson.key.';
const TOKEN_PROTOCOL = 'keelson.token.';
/** More is no token. */
const MAX_TOKEN = 16_384;

/** Who asks: the holder of the key, or of a token. */
export interface Admitted {
  readonly token?: string;
  /** The subprotocol that carried the key or token; empty without one. */
  readonly protocol: string;
}

/**
 * Refuses requests that a page of another site has sent. A name that leads to this machine by another site's DNS has the wrong Host; a form
 * or a script of another site has the wrong Origin. Requests with a token need neither: other sites do not have it.
 */
export function checkSite(admission: Admission, header: HeaderOf): void {
  if (admission.type === 'token') return;
  const host = header('host') ?? '';
  if (!admission.hosts.includes(host.toLowerCase()))
    throw forbidden(
      { group: '', resource: '' },
      '',
      `Host ${JSON.stringify(host.slice(0, 100))} is not a name of this dashboard`,
    );
  const origin = header('origin');
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    throw forbidden(
      { group: '', resource: '' },
      '',
      `the request comes from a page of ${JSON.stringify(origin.slice(0, 100))}`,
    );
  const site = header('sec-fetch-site');
  if (site === 'cross-site' || site === 'same-site')
    throw forbidden({ group: '', resource: '' }, '', 'the request comes from a page of another site');
}

/** Who asks, by header or by WebSocket subprotocol. Throws 401. */
export function admit(admission: Admission, header: HeaderOf, protocols: readonly string[] = []): Admitted {
  const isKey = admission.type === 'key';
  const prefix = isKey ? KEY_PROTOCOL : TOKEN_PROTOCOL;
  const protocol = protocols.find((name) => name.startsWith(prefix)) ?? '';
  const sent =
    header(isKey ? 'x-keelson-key' : 'x-keelson-token') ?? protocolValue(protocol.slice(prefix.length), isKey);
  if (!isKey) {
    if (sent === '' || sent.length > MAX_TOKEN || /[^\x21-\x7e]/.test(sent))
      throw keyMissing('this dashboard needs your token for the cluster');
    return { token: sent, protocol };
  }
  if (!isSame(sent, admission.key))
    throw keyMissing('the key is missing or wrong: open the address that the dashboard printed');
  return { protocol };
}

/** Whether two texts are the same, in a time that does not tell how much of them is. */
function isSame(sent: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(wanted));
}

function protocolValue(text: string, isKey: boolean): string {
  return isKey ? text : Buffer.from(text, 'base64url').toString('utf8');
}

function keyMissing(message: string): StatusError {
  return new StatusError({ code: 401, reason: 'Unauthorized', message });
}
