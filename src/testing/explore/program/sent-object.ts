import { decodeProtobuf, openProtobufEnvelope } from '../../../api/index.ts';
import type { Call, ControlPlane } from '../../../cluster/index.ts';

/** As long as the server takes. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The object that a request carries; undefined where there is none that can be read. */
export async function sentObject({ request }: Call, { types }: Pick<ControlPlane, 'types'>): Promise<unknown> {
  if (request.method === 'GET') return undefined;
  const bytes = await request.body(MAX_BODY_BYTES);
  if (bytes.length === 0) return undefined;
  try {
    if (!(request.header('content-type') ?? '').includes('protobuf')) return JSON.parse(Buffer.from(bytes).toString());
    const { typeMeta, raw } = openProtobufEnvelope(bytes);
    const [version = '', group = ''] = typeMeta.apiVersion.split('/').reverse();
    const type = types.kind({ group, version, kind: typeMeta.kind });
    return type === undefined ? undefined : decodeProtobuf(raw, type, { defaults: false, typeMeta });
  } catch {
    return undefined; // the server says what is wrong with it
  }
}
