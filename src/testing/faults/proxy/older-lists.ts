import type { Transport, TransportRequest } from '../../../client/index.ts';
import { resourceRequest } from '../../resource-request.ts';
import type { PastView } from '../past-view.ts';

/** Where the newest version of a server is read: a list that every server has, of one object. */
const ANY_LIST = '/api/v1/namespaces?limit=1';

/** Lists of a server as they are now, for later: the server itself is asked for that version, as long as it keeps it. */
export function olderLists(server: Transport): PastView {
  const version = newestVersion(server);
  version.catch(() => undefined); // thrown to the request that needs it
  const send: Transport['send'] = async (sent) => server.send(await inThePast(sent, version));
  const transport: Transport = { send, [Symbol.asyncDispose]: async () => undefined };
  return {
    transportOf: () => transport,
    answer: () => Promise.reject(new Error('Cannot answer: the server is elsewhere')),
    [Symbol.dispose]: () => undefined,
  };
}

async function newestVersion(server: Transport): Promise<string> {
  const { body } = await server.send({
    method: 'GET',
    path: ANY_LIST,
    headers: { accept: 'application/json' },
    signal: new AbortController().signal,
  });
  const chunks: Uint8Array[] = [];
  if (body.type === 'bytes') for await (const chunk of body.chunks) chunks.push(chunk);
  const list = JSON.parse(Buffer.concat(chunks).toString()) as {
    readonly metadata?: { readonly resourceVersion?: string };
  };
  if (list.metadata?.resourceVersion === undefined)
    throw new Error(`Cannot tell the version of the server by ${ANY_LIST}`);
  return list.metadata.resourceVersion;
}

async function inThePast(sent: TransportRequest, version: Promise<string>): Promise<TransportRequest> {
  const request = resourceRequest(sent);
  if (request?.verb !== 'list' || request.query.has('continue')) return sent;
  const { query } = request;
  query.set('resourceVersion', await version);
  query.set('resourceVersionMatch', 'Exact');
  return { ...sent, path: `${sent.path.split('?', 1)[0] ?? ''}?${query.toString()}` };
}
