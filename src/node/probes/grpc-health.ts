import { Buffer } from 'node:buffer';
import { type Clock, messageOf, SeededRandom } from '../../base/index.ts';
import { Channel, isGrpcError } from '../../wire/grpc/index.ts';
import type { ActionOutcome } from '../runtime/index.ts';

const SERVING = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** Asks a server of gRPC's health protocol whether it serves; an empty service stands for the whole server. */
export async function checkGrpcHealth(
  { host, port, service }: { readonly host: string; readonly port: number; readonly service: string },
  clock: Clock,
  signal: AbortSignal,
): Promise<ActionOutcome> {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const random = new SeededRandom(address); // there is one endpoint to choose from
  await using channel = new Channel({ endpoints: [`http://${address}`], clock, random });
  try {
    const answer = await channel.unary('/grpc.health.v1.Health/Check', request(service), { signal });
    const status = answer[0] === STATUS_TAG ? (answer[1] ?? 0) : 0;
    if (SERVING[status] === 'SERVING') return { result: 'success', output: 'service healthy' };
    const code = SERVING[status] ?? String(status);
    return { result: 'failure', output: `service unhealthy (responded with ${JSON.stringify(code)})` };
  } catch (error) {
    if (signal.aborted) throw error;
    if (isGrpcError(error, 'UNIMPLEMENTED'))
      return {
        result: 'failure',
        output: 'error: this server does not implement the grpc health protocol (grpc.health.v1.Health)',
      };
    return { result: 'failure', output: `error: health rpc probe failed: ${messageOf(error)}` };
  }
}

/** Field 1 of the answer, a number. */
const STATUS_TAG = 0x08;

/** Field 1 of the request, a text. */
function request(service: string): Uint8Array {
  const name = Buffer.from(service);
  return name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
}
