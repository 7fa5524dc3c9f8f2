import type { ClientHttp2Session } from 'node:http2';
import type { AttackTarget } from './attack.ts';
import { bearer, send } from './wire.ts';

const NAMESPACE = 'attacked';

/** Paths of config maps in their own namespace. */
export const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

/** Creates config maps of that many bytes each, or overwrites them. */
export async function fill(
  over: ClientHttp2Session,
  target: AttackTarget,
  { count, bytes, text = 'x' }: { readonly count: number; readonly bytes: number; readonly text?: string },
): Promise<void> {
  const headers = { ...bearer(target), 'content-type': 'application/json' };
  const namespace = JSON.stringify({ metadata: { name: NAMESPACE } });
  await send(over, { ...headers, ':method': 'POST', ':path': '/api/v1/namespaces' }, namespace);
  for (let index = 0; index < count; index++) {
    const name = `filler-${index}`;
    const body = JSON.stringify({ metadata: { name }, data: { text: text.repeat(bytes / text.length) } });
    const code = await send(over, { ...headers, ':method': 'POST', ':path': CONFIG_MAPS }, body);
    if (code === 409) await send(over, { ...headers, ':method': 'PUT', ':path': `${CONFIG_MAPS}/${name}` }, body);
  }
}

/** Removes what `fill` made. */
export async function empty(over: ClientHttp2Session, target: AttackTarget): Promise<void> {
  await send(over, { ...bearer(target), ':method': 'DELETE', ':path': CONFIG_MAPS });
}
